"""unmeasured_counts: published counts whose exact count is not known."""

import pytest

from tests.sql.evaluated_tables import EVALUATED_GROUPS

HEAD = "run | region_id | region_type | iteration_code | stat_level | noisy_count | exact_count | moe95"


def found(run_sql, count: str, floor: int = 90) -> list[bool]:
    """Whether the count is of something unknown, if its exact count is not known."""
    floors = f"population_group_level | table_floor\nCOUNTY-2 | {floor}"
    counts = f"{HEAD}\n1 | {count}"
    given = {"measured_counts": counts, "evaluated_groups": EVALUATED_GROUPS, "table_floors": floors}
    return [row[4] for row in run_sql("unmeasured_counts", given=given)]


@pytest.mark.parametrize(
    ("count", "problem"),
    [
        *(("01003 | COUNTY | 0102 | 0 | 91 | 90 | 11", []), ("01003 | COUNTY | 0102 | 0 | 91 | NULL | 11", [True])),
        ("01003 | COUNTY | 0102 | NULL | 91 | 90 | 11", [True]),
        ("56001 | COUNTY | 0102 | 0 | 91 | NULL | 11", [True]),
    ],
    ids=["known", "without an exact count", "of an unknown statistic", "of an unknown group"],
)
def test_a_count_is_returned_if_its_exact_count_or_its_statistic_is_unknown(run_sql, count, problem):
    assert found(run_sql, count) == problem


@pytest.mark.parametrize(("floor", "problem"), [(90, []), (91, [False])], ids=["at the floor", "below it"])
def test_a_table_of_a_group_with_fewer_people_than_the_floor_is_returned(run_sql, floor, problem):
    assert found(run_sql, "01003 | COUNTY | 0102 | 1 | 91 | 90 | 11", floor) == problem


def test_a_total_of_a_group_with_few_people_is_known(run_sql):
    assert found(run_sql, "44007 | COUNTY | 0102 | 0 | 3 | 0 | 11", 91) == []
