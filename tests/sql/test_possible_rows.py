"""possible_rows: every region of a type, by every iteration of it, by every shape of a row."""

import pytest

T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT
        44007 |      COUNTY |           2210 |     3
            1 |         USA |           1110 |     5
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | COUNT
        44007 |      COUNTY |           2210 |      age4 |        * |      * |   1 |     2
        44007 |      COUNTY |           2210 |      age4 |        * |      * |   2 |     1
            1 |         USA |           1110 |      age4 |        * |      * |   2 |     5
"""
SHAPES = """
    TABLE | STATISTIC | AGESTART | AGEEND |  SEX
       T1 |      NULL |     NULL |   NULL | NULL
       T2 |      age4 |        * |      * |    1
       T2 |      age4 |        * |      * |    2
"""
# Two counties and two iterations, of which one county has both.
COUNTIES = f"{T1.rstrip()}\n44007 | COUNTY | 2220 | 3\n44009 | COUNTY | 2210 | 4"
PUBLISHED = {
    ("COUNTY", "44007", "2210"),
    ("COUNTY", "44007", "2220"),
    ("COUNTY", "44009", "2210"),
    ("USA", "1", "1110"),
}


@pytest.fixture
def possible(run_sql):
    return run_sql("possible_rows", given={"t1": COUNTIES, "row_shapes": SHAPES})


def test_every_region_has_every_iteration_in_every_shape_without_count_and_is_published_if_it_has_a_total(possible):
    assert len(possible) == (2 * 2 + 1) * 3
    assert {(row[2], row[1], row[3]) for row in possible} == PUBLISHED | {("COUNTY", "44009", "2220")}
    assert {(row[0], row[5], row[6], row[7], row[8]) for row in possible} == {
        ("T1", None, None, None, None), ("T2", "*", "*", "1", None), ("T2", "*", "*", "2", None),
    }  # fmt: skip
    assert {(row[2], row[1], row[3]) for row in possible if row[9]} == PUBLISHED
