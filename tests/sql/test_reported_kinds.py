"""reported_kinds: the published population groups by their level and the detail of their tables."""

import pytest

# County 44007 has a table of two age bins; the others have totals alone, one of them of another level.
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95
    ----------+-------------+----------------+-------+----------+------+-------+-------
        44007 |      COUNTY |           2210 |    10 |      8.0 |     6 |     4 |     16
        44009 |      COUNTY |           2210 |    30 |      2.0 |     3 |    27 |     33
        44001 |      COUNTY |           2210 |    29 |      2.0 |     3 |    26 |     32
        44003 |      COUNTY |           2210 |    10 |      2.0 |     3 |     7 |     13
        44005 |      COUNTY |           2210 |     9 |      2.0 |     3 |     6 |     12
        44011 |      COUNTY |           2210 |     2 |      2.0 |     3 |    -1 |      5
        44013 |      COUNTY |           2210 |    -3 |      2.0 |     3 |    -6 |      0
        44009 |      COUNTY |           1110 |     7 |      9.5 |     7 |     0 |     14
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

GROUP_LEVELS = """
    region_type | iteration_code | level_name | is_total_only
    ------------+----------------+------------+--------------
         COUNTY |           2210 |   COUNTY-2 |         false
         COUNTY |           1110 |   COUNTY-1 |          true
"""


@pytest.fixture
def kinds(run_sql_in_order):
    return run_sql_in_order("reported_kinds", given={"t1": T1, "t2": T2, "group_levels": GROUP_LEVELS})


def test_groups_of_one_level_with_as_many_cells_are_counted_together(kinds):
    found = [(*row[:3], row[5]) for row in kinds]
    assert found == [("COUNTY-1", True, 0, 1), ("COUNTY-2", False, 0, 6), ("COUNTY-2", False, 4, 1)]


def test_levels_of_equal_noise_are_told_apart(run_sql):
    t1 = "\n".join(
        [*T1.strip().splitlines()[:2], *(f"A | COUNTY | {code} | 3 | 2.0 | 3 | 0 | 6" for code in (2210, 1110))]
    )
    given = {"t1": t1, "t2": "\n".join(T2.strip().splitlines()[:2]), "group_levels": GROUP_LEVELS}
    assert [(row[0], row[5]) for row in run_sql("reported_kinds", given=given)] == [("COUNTY-1", 1), ("COUNTY-2", 1)]


def test_a_table_has_the_noise_of_its_cells_and_the_margin_of_its_total(kinds):
    assert [row[2:5] for row in kinds if row[2] == 4] == [(4, 3.0, 6.0)]


def test_margins_of_a_tenth_three_tenths_and_the_whole_of_a_total_are_within_them(kinds):
    assert kinds[1][6:] == (1, 3, 4)


def test_a_negative_total_is_within_no_margin(run_sql):
    below_zero = "\n".join([*T1.strip().splitlines()[:2], "44013 | COUNTY | 2210 | -3 | 2.0 | 3 | -6 | 0"])
    no_table = "\n".join(T2.strip().splitlines()[:2])
    assert run_sql("reported_kinds", given={"t1": below_zero, "t2": no_table, "group_levels": GROUP_LEVELS})[0][5:] == (
        1,
        0,
        0,
        0,
    )


def test_a_total_without_a_margin_is_within_the_longer_side_of_its_interval(run_sql):
    """10 of 4 to 11: within 60 %, as 6 is more than three tenths of it."""
    cut = "\n".join([*T1.strip().splitlines()[:2], "44007 | COUNTY | 2210 | 10 | NULL | NULL | 4 | 11"])
    given = {"t1": cut, "t2": T2, "group_levels": GROUP_LEVELS}
    assert run_sql("reported_kinds", given=given)[0][3:] == (3.0, None, 1, 0, 0, 1)
