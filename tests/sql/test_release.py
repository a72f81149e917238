"""The statements of sql/release and sql/tools/moe: the rows of a release, and those that it might have."""

import pytest

from tests.sql.evaluated_tables import LADDER_ROWS, LADDER_STATISTICS, STATISTIC_CELLS


def test_a_region_type_and_an_iteration_have_one_level_in_all_regions(run_sql):
    groups = ("44007 | COUNTY | 2210 | COUNTY-2 | false | T2", "44009 | COUNTY | 2210 | COUNTY-2 | false | T2")
    groups = (*groups, "44009 | COUNTY | 1110 | COUNTY-1 | true | T2", "44009 | COUNTY | 1110 | COUNTY-1 | false | T3")
    index = "\n".join(["REGION_ID | REGION_TYPE | ITERATION_CODE | LEVEL | IS_TOTAL_ONLY | LADDER", *groups])
    assert run_sql("group_levels", given={"group_index": index}, table_name="T2") == [
        ("COUNTY", "1110", "COUNTY-1", True),
        ("COUNTY", "2210", "COUNTY-2", False),
    ]


T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95
        44007 |      COUNTY |           2210 |     3 |      2.5 |   4.0
            1 |         USA |           1110 |     5 |      2.5 |   4.0
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95
        44007 |      COUNTY |           2210 |      age4 |        * |      * |   1 |     2 |      2.5 |   4.0
        44007 |      COUNTY |           2210 |      age4 |        * |      * |   2 |     1 |      2.5 |   4.0
            1 |         USA |           1110 |      age4 |        * |      * |   2 |     5 |      2.5 |   4.0
"""
SHAPES = [("T1", None, None, None, None), ("T2", "age4", "*", "*", "1"), ("T2", "age4", "*", "*", "2")]
NAMES = {"table_name": "T2", "totals_name": "T1"}


def test_every_region_has_every_iteration_in_every_shape_without_count_and_is_published_if_it_has_a_total(run_sql):
    """Of two counties and two iterations one county has both."""
    counties = "REGION_ID | REGION_TYPE | ITERATION_CODE\n44007 | COUNTY | 2210\n1 | USA | 1110"
    lines = [" | ".join(str(value or "NULL") for value in shape) for shape in SHAPES]
    given = {"t1": f"{counties}\n44007 | COUNTY | 2220\n44009 | COUNTY | 2210"}
    given["row_shapes"] = "\n".join(["TABLE | STATISTIC | AGESTART | AGEEND | SEX", *lines])
    possible = run_sql("possible_rows", given=given)
    published = {("USA", "1", "1110"), *(("COUNTY", *group) for group in (("44007", "2210"), ("44007", "2220")))}
    published |= {("COUNTY", "44009", "2210")}
    assert len(possible) == (2 * 2 + 1) * 3
    assert {(row[2], row[1], row[3]) for row in possible} == published | {("COUNTY", "44009", "2220")}
    assert {(row[0], *row[4:9]) for row in possible} == {(*shape, None) for shape in SHAPES}
    assert {(row[2], row[1], row[3]) for row in possible if row[9]} == published


def test_each_sex_and_age_bin_is_one_shape_and_a_total_apart_another(run_sql):
    assert run_sql("row_shapes", given={"t2": T2}, has_totals=True, **NAMES) == SHAPES
    assert run_sql("row_shapes", given={"t2": T2}, has_totals=False, **NAMES) == SHAPES[1:]


def test_every_row_of_both_tables_is_there_once_as_it_was_published_totals_in_the_table_too(run_sql):
    given = {"t1": T1, "t2": T2}
    assert run_sql("published_rows", given=given, has_totals=True, **NAMES) == [
        ("T1", "1", "USA", "1110", None, None, None, None, 5, 2.5, 4.0),
        ("T1", "44007", "COUNTY", "2210", None, None, None, None, 3, 2.5, 4.0),
        ("T2", "1", "USA", "1110", "age4", "*", "*", "2", 5, 2.5, 4.0),
        ("T2", "44007", "COUNTY", "2210", "age4", "*", "*", "1", 2, 2.5, 4.0),
        ("T2", "44007", "COUNTY", "2210", "age4", "*", "*", "2", 1, 2.5, 4.0),
    ]
    rows = run_sql("published_rows", given=given, has_totals=False, other_columns=["OUTCOME"], **NAMES)
    assert [row[4:9] for row in rows] == [("age4", "*", "*", sex, None) for sex in "212"]


HEAD = (
    "TABLE | REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95"
)
# County 44007 has a table of two cells and a total; county 44009 and iteration 2220 have a total alone.
TOTALS = """
       T1 |     44009 |      COUNTY |           2210 |      NULL |     NULL |   NULL | NULL |   -3 |      2.0 |   1.0
       T1 |     44007 |      COUNTY |           2210 |      NULL |     NULL |   NULL | NULL |    6 |      8.0 |   1.0
       T1 |     44007 |      COUNTY |           2220 |      NULL |     NULL |   NULL | NULL |    7 |      2.0 |   1.0
"""
TABLE = """
       T2 |     44007 |      COUNTY |           2210 |      age4 |        0 |     17 |    2 |    4 |      2.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |      age4 |        0 |     17 |    1 |    2 |      2.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |      age4 |        * |      * |    2 |    4 |      4.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |      age4 |        * |      * |    1 |    2 |      4.0 |   1.0
"""


def groups(run_sql, table: str = TABLE) -> list[tuple[object, ...]]:
    given = {
        "published_rows": f"{HEAD}{TOTALS.rstrip()}{table}",
        "asked_groups": "REGION_TYPE | REGION_ID | ITERATION_CODE\n"
        "COUNTY | 44009 | 2210\nCOUNTY | 44007 | 2210\nCOUNTY | 44007 | 2220",
        "ladder_statistics": LADDER_STATISTICS,
        "statistic_cells": STATISTIC_CELLS,
        "group_levels": "region_type | iteration_code | level_name | is_total_only\nCOUNTY | 2210 | COUNTY-2 | false",
    }
    return run_sql("summed_groups", table_name="T2", given=given)


def test_a_group_has_the_cells_of_its_table_or_its_total_numbered_without_gaps(run_sql):
    assert groups(run_sql) == [
        *(("44007", "COUNTY", "2210", 1, 0, 2, "COUNTY-2", False), ("44007", "COUNTY", "2220", 0, 2, 1, None, None)),
        ("44009", "COUNTY", "2210", 0, 3, 1, "COUNTY-2", False),
    ]


@pytest.mark.parametrize(("named", "stat_level"), [("age9", 2), ("NULL", None), ("age5", None)])
def test_a_table_is_that_which_its_rows_name(run_sql, named, stat_level):
    assert groups(run_sql, TABLE.replace("age4", named))[0][3] == stat_level


def test_a_cell_is_the_atom_of_its_place_a_total_alone_is_one_and_a_sum_is_none(run_sql):
    head = "REGION_ID | REGION_TYPE | ITERATION_CODE | stat_level | first_atom | atoms | level_name | is_total_only"
    summed = f"{head}\n44007 | COUNTY | 2210 | 1 | 5 | 2 | COUNTY-2 | false"
    summed += "\n44009 | COUNTY | 2210 | 0 | 7 | 1 | COUNTY-2 | true"
    given = {"published_rows": f"{HEAD}{TOTALS.rstrip()}{TABLE}", "summed_groups": summed, "ladder_rows": LADDER_ROWS}
    rows = run_sql("summed_rows", given={**given, "statistic_cells": STATISTIC_CELLS})
    found = {(*row[:2], row[5], row[7]): row[8:] for row in rows}  # by table, region, age and sex
    table = (1, "COUNTY-2", False)
    assert [found["T2", "44007", "0", sex] for sex in "12"] == [
        *((2, 2.0, 1.0, *table, 0, 5, 5), (4, 2.0, 1.0, *table, 1, 5, 6))
    ]
    assert [found["T2", "44007", "*", sex][3:] for sex in "12"] == [(*table, row, 5, None) for row in (3, 4)]
    assert found["T1", "44007", None, None][3:] == (*table, -1, 5, None)
    assert found["T1", "44009", None, None] == (-3, 2.0, 1.0, 0, "COUNTY-2", True, -1, 7, 7)
