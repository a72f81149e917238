"""unknown_groups: measured counts of groups that the ground truth or the code lists do not have."""

import pytest


@pytest.mark.parametrize(
    ("count", "found"),
    [
        ("01003 | COUNTY | 0102 | 0 | 91 | 90 | 11", []),
        ("01003 | COUNTY | 0102 | 0 | 91 | NULL | 11", ["01003"]),
        ("01003 | COUNTY | 0102 | NULL | 91 | 90 | 11", ["01003"]),
    ],
    ids=["known", "without an exact count", "of an unknown statistic"],
)
def test_a_count_is_returned_if_its_exact_count_or_its_statistic_is_unknown(run_sql, count, found):
    head = "run | region_id | region_type | iteration_code | stat_level | noisy_count | exact_count | moe95"
    rows = run_sql("unknown_groups", given={"measured_counts": f"{head}\n-\n1 | {count}"})
    assert [row[1] for row in rows] == found
