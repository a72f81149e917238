"""accuracy: groups and counts of each level and size, side by side."""

import pytest

SHARES_HEAD = (
    "population_group_level | size_start | population_groups | groups_with_people | share_suppressed | share_total_only"
    " | share_stat_level_0 | share_stat_level_1 | share_stat_level_2 | share_stat_level_3 | relative_error"
    " | median_relative_error\n"
)
COVERAGES_HEAD = (
    "population_group_level | size_start | noise | stat_level | counts | coverage | expected_coverage | observed_moe95"
    " | observed_deviation | small_counts | small_coverage | small_expected_coverage\n"
)
COVERAGES = """COUNTY-2 | NULL | NULL | NULL | 7 | 0.9 | 0.95 | 4 | 2 | 3 | 0.5 | 0.4
COUNTY-2 | NULL | stage 2 | 0 | 5 | 0.8 | 0.94 | 4 | 2 | 3 | 0.5 | 0.4
COUNTY-2 | 10 | NULL | NULL | 6 | 0.7 | 0.93 | 4 | 2 | 2 | 0.3 | 0.2"""


def accuracy(run_sql, size_start: str) -> tuple[object, ...]:
    shares = f"{SHARES_HEAD}COUNTY-2 | {size_start} | 4 | 3 | 0.1 | 0 | 0.5 | 0.2 | 0.1 | 0.1 | 0.25 | 0.125"
    (row,) = run_sql("accuracy", given={"group_shares": shares, "count_coverages": COVERAGES_HEAD + COVERAGES}, runs=20)
    return row


def test_a_level_has_the_coverage_of_all_its_statistics_and_a_size_one_of_its_own_or_none(run_sql):
    found = accuracy(run_sql, "NULL")
    assert found == (
        "COUNTY-2",
        None,
        None,
        20,
        4,
        3,
        0.1,
        0,
        0.5,
        0.2,
        0.1,
        0.1,
        0.25,
        0.125,
        7,
        0.9,
        0.95,
        3,
        0.5,
        0.4,
    )
    assert accuracy(run_sql, "10")[-6:] == (6, 0.7, 0.93, 2, 0.3, 0.2)
    assert accuracy(run_sql, "1")[-6:] == (0, None, None, 0, None, None)


@pytest.mark.parametrize(
    ("start", "bucket"), [("0", "0"), ("1", "1-9"), ("10", "10-99"), ("10000", "10000-99999"), ("100000", "100000+")]
)
def test_buckets_are_named_for_people_to_read(run_sql, start, bucket):
    assert accuracy(run_sql, start)[1] == bucket
