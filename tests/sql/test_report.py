"""The statements of sql/tools/report: what the page says of a release."""

import pytest

from tests.sql.reconciled_tables import MEASURED_GROUPS, T1


def test_the_iterations_have_the_names_they_are_given_in_the_order_of_their_codes(run_sql_in_order):
    rows = "iteration_code | iteration_name\n0102 | <b>Irish\n0101 | English\n0301 | Mexican\n0302 | NULL"
    found = run_sql_in_order("iteration_names", given={"iteration_rows": rows})
    assert found == [("0101", "English"), ("0102", "<b>Irish"), ("0301", "Mexican")]


GROUPS = (
    "region_type | region_id | iteration_code | statistic | level_name | noisy_count | total_moe95 | total_low95"
    " | total_high95\n"
    "WARD | A | 01 | sex | WARD-1 | 30 | 6 | 24 | 36\n"
    "WARD | B | 01 | total | WARD-1 | 4 | 5 | -2 | 8\n"
    "CITY | C | 01 | sex | CITY-1 | 9 | 4 | 5 | 13"
)
ROWS = """
  REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | SEX:varchar | AGESTART:varchar | COUNT | MOE95 | LOW95 | HIGH95
            A |        WARD |             01 |       sex |   F |        * |    12 |     3 |     9 |     15
            A |        WARD |             01 |       sex |   M |        * |    18 |     3 |    15 |     21
            A |        WARD |             01 |       sex |   * |        * |    30 |     6 |    24 |     36
            C |        CITY |             01 |       sex |   F |        * |     7 |     6 |     1 |     13
"""


def test_a_group_of_the_types_asked_for_has_its_cells_in_order_or_its_total(run_sql):
    cells = "stat_level | cell_position | SEX:varchar | AGESTART:varchar\n1 | 0 | M | *\n1 | 1 | F | *"
    given = {"reported_tables": GROUPS, "t2": ROWS, "statistic_cells": cells}
    given["ladder_statistics"] = "statistic_name | stat_level\nsex | 1"
    values = {"ladder_columns": ["SEX", "AGESTART"], "given": given}
    wards, cities = (run_sql("reported_counts", picked_types=[kind], **values) for kind in ("WARD", "CITY"))
    assert wards == [("WARD", "A", "01", 1, [18, 12]), ("WARD", "B", "01", 0, [4])]
    assert [row[:2] for row in cities] == [("CITY", "C")]


def test_a_group_has_the_codes_counts_and_intervals_of_its_rows(run_sql):
    values = {"picked_types": ["WARD"], "ladder_columns": ["SEX", "AGESTART"]}
    table, total = run_sql("reported_groups", given={"reported_tables": GROUPS, "t2": ROWS}, **values)
    assert table[:-2] == ("WARD", "A", "01", "sex", "WARD-1", 30, 6, 24, 36)
    names = ("count", "low", "high", "moe95")
    counted = {"F": (12, 9, 15, 3), "M": (18, 15, 21, 3), "*": (30, 24, 36, 6)}
    found = {sex: tuple(row[name] for name in names) for (sex, _), row in zip(*table[-2:], strict=True)}
    assert (found, {age for _, age in table[-2]}) == (counted, {"*"})
    assert total == ("WARD", "B", "01", "total", "WARD-1", 4, 5, -2, 8, None, None)


def test_totals_whose_interval_is_longer_on_one_side_are_counted_with_the_smallest_and_the_largest(run_sql):
    sided = f"{T1}        01005 |      COUNTY |           2210 |    22 |      2.0 |   3.0 |     0 |     25\n"
    rows = {row[0]: row[1:] for row in run_sql("reported_intervals", given={"t1": sided}, columns_of_totals=[])}
    assert rows["COUNTY"] == (3, 1, 22, 0, 25, 22, 0, 25)
    assert rows["STATE"] == (2, 0, *[None] * 6)


KINDS = (
    "region_type | level_name | is_total_only | statistic | least_cell_moe95 | most_cell_moe95 | noisy_count"
    " | released_count | total_moe95 | total_reach95"
)


@pytest.mark.parametrize(
    ("tables", "kinds"),
    [
        (
            [
                *(f"people | false | sex | 3 | 3 | {count} | {count} | 6 | 6" for count in (60, 20, 6, 5, -9)),
                *("region | false | sex | 3 | 3 | 9 | 9 | 8 | 8", "region | true | sex | 3 | 3 | 9 | 9 | NULL | 8"),
            ],
            [
                ("people", False, "sex", 5, 0, 6, 6, 6, 3, 3, 3, 1, 2, 3),
                ("region", False, "sex", 1, 0, 8, 8, 8, 3, 3, 3, 0, 0, 1),
                ("region", True, "sex", 1, 0, None, None, None, 3, 3, 3, 0, 0, 1),
            ],
        ),
        (
            [
                *(
                    "1 | false | sex | 3.0 | 4.0 | 30 | 31 | 6.5 | 6.5",
                    "1 | false | sex | 2.0 | 2.5 | 40 | 40 | 3.5 | 3.5",
                ),
                *("1 | false | sex | 2.2 | 2.4 | 41 | 40 | 5 | 5", "1 | false | total | 5.0 | 5.0 | 4 | 4 | 5 | 5"),
            ],
            [
                ("1", False, "sex", 3, 2, 3.5, 5.0, 6.5, 2.0, 2.5, 4.0, 1, 3, 3),
                ("1", False, "total", 1, 0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 0, 0, 0),
            ],
        ),
    ],
    ids=["by level, table and how reliable totals are", "reconciled ones have spans, and changed totals are counted"],
)
def test_kinds_of_groups_are_counted_with_their_margins(run_sql, tables, kinds):
    given = {"reported_tables": "\n".join([KINDS, *(f"WARD | WARD-{row}" for row in tables)])}
    assert run_sql("reported_kinds", given=given) == [("WARD", f"WARD-{level}", *row) for level, *row in kinds]


def test_each_region_that_has_a_name_and_is_of_these_types_is_there_once(run_sql_in_order):
    index = "REGION_ID | REGION_TYPE | REGION_NAME\n44007 | COUNTY | Providence\n44007 | COUNTY | Providence"
    index += "\n44003 | COUNTY | Kent\n44009 | COUNTY | NULL\n445900 | PLACE | Providence"
    found = run_sql_in_order("reported_region_names", given={"group_index": index}, picked_types=["USA", "COUNTY"])
    assert found == [("COUNTY", "44003", "Kent"), ("COUNTY", "44007", "Providence")]


HEAD = (
    "REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC: varchar | SEX: varchar | COUNT | VARIANCE | MOE95 | LOW95"
    " | HIGH95\n"
)
TOTALS = HEAD + "\n".join(
    [
        "A | WARD | 01 | sex | * | 30 | 8.0 | 6 | 24 | 36",
        *(f"B | {kind} | 01 | total | * | 4 | 3.0 | 4 | -2 | 8" for kind in ("WARD", "CITY")),
    ]
)
CELLS = "\n".join(f"A | WARD | 01 | sex | {sex} | 10 | 4.0 | {moe95} | 6 | 14" for sex, moe95 in (("F", 4), ("M", 5)))
PUBLIC = {
    "group_levels": "region_type | iteration_code | level_name | is_total_only\nWARD | 01 | WARD-1 | false",
    "ladder_statistics": "stat_level | statistic_name\n0 | total\n1 | sex",
    "statistic_cells": "stat_level | SEX: varchar\n0 | *\n1 | F\n1 | M",
}


@pytest.fixture
def tables(run_sql):
    def run(totals, rows, *, is_apart=False, released="COUNT"):
        values = {"columns_of_totals": {} if is_apart else {"SEX": "*"}, "released_column": released}
        values |= {
            "total_name": "none" if is_apart else "total",
            "picked_types": ["WARD"],
            "ladder_columns": {"SEX": "*"},
        }
        return run_sql("reported_tables", given={"t1": totals, "t2": rows, **PUBLIC}, **values)

    return run


def test_totals_that_are_rows_of_the_table_are_told_by_the_code_for_all_and_are_no_cells(tables):
    table = f"{TOTALS}\n{CELLS}"
    assert tables(table, table) == [
        ("WARD", "A", "01", "WARD-1", False, "sex", 4, 5, 30, 30, 6, 6, 24, 36),
        ("WARD", "B", "01", "WARD-1", False, "total", 4, 4, 4, 4, 4, 4, -2, 8),
    ]


def test_totals_apart_have_the_reach_of_their_intervals_and_stand_beside_released_ones(tables):
    rows = tables(TOTALS, HEAD + CELLS, is_apart=True)
    assert [(*row[1:3], *row[5:7]) for row in rows] == [("A", "01", "sex", 4), ("B", "01", "none", 4)]
    totals = HEAD + "A | WARD | 01 | sex | * | 10 | NULL | NULL | 4 | 11"
    ((*_, moe95, reach, low, high),) = tables(totals, HEAD + CELLS, is_apart=True)
    assert (moe95, reach, low, high) == (None, 6, 4, 11)
    totals = HEAD.replace("COUNT |", "COUNT | NOISY_COUNT: bigint |")
    totals += "A | WARD | 01 | sex | * | 30 | 31 | 8.0 | 6.5 | 24 | 37"
    (row,) = tables(totals, HEAD + CELLS, is_apart=True, released="NOISY_COUNT")
    assert row[6:12] == (4, 5, 30, 31, 6.5, 6.5)


def test_mean_lengths_of_intervals_are_those_of_totals_with_a_measurement(run_sql):
    groups = "region_type | region_id | iteration_code | statistic | total_low95 | total_high95"
    groups += "\nCOUNTY | 01001 | 2210 | age4 | 4 | 16\nCOUNTY | 01003 | 2210 | total | 2 | 8"
    given = {"reported_tables": groups, "measured_groups": MEASURED_GROUPS}
    assert run_sql("stage_1_gains", given=given) == [("COUNTY", "age4", 1, 12.0, 10.0)]
