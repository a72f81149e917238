"""reconciled_kinds: the population groups of a reconciled release by level and the detail of their tables."""

import pytest

# County 44007 has a table of two age bins; of the others, which have totals alone, 44003 kept its count.
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95 | NOISY_COUNT
    ----------+-------------+----------------+-------+----------+-------+------------
        44007 |      COUNTY |           2210 |  10.5 |      8.0 |   5.5 |          10
        44001 |      COUNTY |           2210 |  29.5 |      2.0 |   2.5 |          29
        44003 |      COUNTY |           2210 |  10.0 |      2.0 |   3.0 |          10
        44005 |      COUNTY |           2210 |   3.5 |      3.0 |   3.5 |           4
        44009 |      COUNTY |           2210 |  -0.5 |      3.0 |   3.4 |          -1
           44 |       STATE |           2210 |  50.0 |      2.0 |   3.0 |          50
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95 | NOISY_COUNT
    ----------+-------------+----------------+----------+--------+-----+-------+----------+-------+------------
        44007 |      COUNTY |           2210 |        * |      * |   1 |   3.0 |      4.0 |   4.0 |           3
        44007 |      COUNTY |           2210 |        * |      * |   2 |   7.5 |      4.0 |   4.0 |           7
        44007 |      COUNTY |           2210 |        0 |     17 |   1 |   1.0 |      2.0 |   2.8 |           1
        44007 |      COUNTY |           2210 |        0 |     17 |   2 |   3.5 |      2.0 |   2.9 |           3
        44007 |      COUNTY |           2210 |       18 |    115 |   1 |   2.0 |      2.0 |   2.7 |           2
        44007 |      COUNTY |           2210 |       18 |    115 |   2 |   4.0 |      2.0 |   2.8 |           4
"""

GROUP_LEVELS = """
    region_type | iteration_code | level_name | is_total_only
    ------------+----------------+------------+--------------
         COUNTY |           2210 |   COUNTY-2 |         false
          STATE |           2210 |    STATE-2 |          true
"""


@pytest.fixture
def kinds(run_sql_in_order):
    given = {"reconciled_t1": T1, "reconciled_t2": T2, "group_levels": GROUP_LEVELS}
    return run_sql_in_order("reconciled_kinds", given=given)


def test_groups_of_a_level_with_as_many_cells_are_counted_together_and_those_that_were_moved(kinds):
    assert [row[:5] for row in kinds] == [
        ("COUNTY-2", False, 0, 4, 3),
        ("COUNTY-2", False, 4, 1, 1),
        ("STATE-2", True, 0, 1, 0),
    ]


def test_totals_have_a_least_a_median_and_a_largest_margin(kinds):
    assert [row[5:8] for row in kinds] == [(2.5, 3.2, 3.5), (5.5, 5.5, 5.5), (3.0, 3.0, 3.0)]


def test_cells_have_margins_where_there_are_tables_and_sums_over_ages_are_no_cells(kinds):
    assert [row[8:11] for row in kinds] == [(None, None, None), (2.7, 2.9, 2.9), (None, None, None)]


def test_margins_of_a_tenth_three_tenths_and_the_whole_of_a_total_are_within_them(kinds):
    assert [row[11:] for row in kinds] == [(1, 2, 3), (0, 0, 1), (1, 1, 1)]
