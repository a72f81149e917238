"""possible_rows: every region of a type, by every iteration of it, by every shape of a row."""

import pytest

REGIONS = """
    REGION_TYPE | REGION_ID | region_number
    ------------+-----------+--------------
         COUNTY |     44007 |             0
         COUNTY |     44009 |             1
            USA |         1 |             2
"""
ITERATIONS = """
    REGION_TYPE | ITERATION_CODE | iteration_number
    ------------+----------------+-----------------
         COUNTY |           2210 |                0
            USA |           1110 |                1
            USA |           1120 |                2
"""
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT
    ----------+-------------+----------------+------
        44007 |      COUNTY |           2210 |     3
            1 |         USA |           1110 |     5
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | COUNT
    ----------+-------------+----------------+-----------+----------+--------+-----+------
        44007 |      COUNTY |           2210 |      age4 |        * |      * |   1 |     2
        44007 |      COUNTY |           2210 |      age4 |        * |      * |   2 |     1
            1 |         USA |           1110 |      age4 |        * |      * |   2 |     5
"""
SHAPES = """
    TABLE | STATISTIC | AGESTART | AGEEND |  SEX
    ------+-----------+----------+--------+-----
       T1 |      NULL |     NULL |   NULL | NULL
       T2 |      age4 |        * |      * |    1
       T2 |      age4 |        * |      * |    2
"""


@pytest.fixture
def possible(run_sql):
    given = {"named_regions": REGIONS, "named_iterations": ITERATIONS, "t1": T1, "row_shapes": SHAPES}
    return run_sql("possible_rows", given=given)


def test_every_group_could_have_every_shape_of_a_row(possible):
    assert len(possible) == (2 * 1 + 1 * 2) * 3
    assert {(row[2], row[1], row[3]) for row in possible} == {
        ("COUNTY", "44007", "2210"), ("COUNTY", "44009", "2210"), ("USA", "1", "1110"), ("USA", "1", "1120"),
    }  # fmt: skip


def test_a_total_has_no_sex_and_nothing_has_a_count(possible):
    assert {(row[0], row[5], row[6], row[7], row[8]) for row in possible} == {
        ("T1", None, None, None, None), ("T2", "*", "*", "1", None), ("T2", "*", "*", "2", None),
    }  # fmt: skip


def test_a_group_is_published_where_it_has_a_total_and_has_one_number(possible):
    assert {(row[1], row[3]) for row in possible if row[9]} == {("44007", "2210"), ("1", "1110")}
    assert len({row[10] for row in possible}) == len({(row[1:4], row[10]) for row in possible}) == 4
