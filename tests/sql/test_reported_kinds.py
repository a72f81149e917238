"""reported_kinds: the published population groups by the noise of their counts and the detail of their tables."""

import pytest

# County 44007 has a table of two age bins; the others have totals alone, one of them with other noise.
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95
    ----------+-------------+----------------+-------+----------+------
        44007 |      COUNTY |           2210 |    10 |      8.0 |     6
        44009 |      COUNTY |           2210 |    30 |      2.0 |     3
        44001 |      COUNTY |           2210 |    29 |      2.0 |     3
        44003 |      COUNTY |           2210 |    10 |      2.0 |     3
        44005 |      COUNTY |           2210 |     9 |      2.0 |     3
        44011 |      COUNTY |           2210 |     2 |      2.0 |     3
        44013 |      COUNTY |           2210 |    -3 |      2.0 |     3
        44009 |      COUNTY |           1110 |     7 |      9.5 |     7
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95
    ----------+-------------+----------------+----------+--------+-----+-------+----------+------
        44007 |      COUNTY |           2210 |        * |      * |   1 |     3 |      4.0 |     4
        44007 |      COUNTY |           2210 |        * |      * |   2 |     7 |      4.0 |     4
        44007 |      COUNTY |           2210 |        0 |     17 |   1 |     1 |      2.0 |     3
        44007 |      COUNTY |           2210 |        0 |     17 |   2 |     3 |      2.0 |     3
        44007 |      COUNTY |           2210 |       18 |    115 |   1 |     2 |      2.0 |     3
        44007 |      COUNTY |           2210 |       18 |    115 |   2 |     4 |      2.0 |     3
"""


@pytest.fixture
def kinds(run_sql_in_order):
    return run_sql_in_order("reported_kinds", given={"t1": T1, "t2": T2})


def test_groups_with_the_same_noise_and_as_many_cells_are_counted_together(kinds):
    assert [(row[1], row[2], row[5]) for row in kinds] == [(2.0, 0, 6), (2.0, 4, 1), (9.5, 0, 1)]


def test_a_table_has_the_noise_of_its_cells_and_the_margin_of_its_total(kinds):
    assert [row[1:5] for row in kinds if row[2] == 4] == [(2.0, 4, 3.0, 6.0)]


def test_margins_of_a_tenth_three_tenths_and_the_whole_of_a_total_are_within_them(kinds):
    assert kinds[0][6:] == (1, 3, 4)


def test_a_negative_total_is_within_no_margin(run_sql):
    below_zero = "\n".join([*T1.strip().splitlines()[:2], "44013 | COUNTY | 2210 | -3 | 2.0 | 3"])
    no_table = "\n".join(T2.strip().splitlines()[:2])
    assert run_sql("reported_kinds", given={"t1": below_zero, "t2": no_table})[0][5:] == (1, 0, 0, 0)
