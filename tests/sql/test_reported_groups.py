"""reported_groups: the population groups of some region types, each with its total and its whole sex-by-age table."""

import pytest

# State 44 has a table of two age bins; state 09 has a total alone; the county is of no region type that is asked for.
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95
    ----------+-------------+----------------+-------+----------+-------+-------+-------
           44 |       STATE |           2210 |    10 |      8.0 |     6 |     4 |     16
           09 |       STATE |           2210 |    -3 |      2.0 |     3 |    -6 |      0
        44007 |      COUNTY |           2210 |    10 |      8.0 |     6 |     4 |     16
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95
    ----------+-------------+----------------+----------+--------+-----+-------+----------+------
           44 |       STATE |           2210 |       18 |    115 |   2 |     4 |      2.5 |   3.5
           44 |       STATE |           2210 |        5 |     17 |   2 |     3 |      2.0 |     3
           44 |       STATE |           2210 |       18 |    115 |   1 |     2 |      2.0 |     3
           44 |       STATE |           2210 |        5 |     17 |   1 |     1 |      2.0 |     3
           44 |       STATE |           2210 |        * |      * |   1 |     3 |      4.0 |     4
           44 |       STATE |           2210 |        * |      * |   2 |     7 |      4.0 |     4
        44007 |      COUNTY |           2210 |        5 |     17 |   1 |     9 |      2.0 |     3
"""

GROUP_LEVELS = "region_type | iteration_code | level_name | is_total_only\n-\nSTATE | 2210 | STATE-2 | false"


@pytest.fixture
def groups(run_sql_in_order):
    return run_sql_in_order(
        "reported_groups", given={"t1": T1, "t2": T2, "group_levels": GROUP_LEVELS}, picked_types=["STATE", "USA"]
    )


def test_groups_of_the_region_types_asked_for_alone_are_there_in_order(groups):
    assert [row[:3] for row in groups] == [("STATE", "09", "2210"), ("STATE", "44", "2210")]


def test_a_table_is_its_age_bins_in_order_and_the_counts_of_each_sex(groups):
    assert (*groups[1][7:9], *groups[1][10:12]) == ([5, 18], [17, 115], [1, 2], [3, 4])


def test_a_table_has_margins_of_its_cells_and_of_its_total(groups):
    assert (groups[1][3:5], groups[1][12:]) == ((10, 6.0), ([3.0, 3.0], [3.0, 3.5]))


def test_a_total_has_an_interval_and_a_group_its_level(groups):
    assert (groups[1][5:7], groups[1][9]) == ((4, 16), "STATE-2")


def test_a_group_without_a_table_has_a_total_alone(groups):
    assert groups[0][3:] == (-3, 3.0, -6, 0, None, None, "STATE-2", *[None] * 4)
