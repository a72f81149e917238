"""reported_tables: the table and the total of each population group of some region types, wherever totals stand."""

import pytest

HEAD = (
    "REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC: varchar | SEX: varchar | COUNT | VARIANCE | MOE95 | LOW95"
    " | HIGH95\n"
)
TOTALS = [
    "A | WARD | 01 | sex | * | 30 | 8.0 | 6 | 24 | 36",
    "B | WARD | 01 | total | * | 4 | 3.0 | 4 | -2 | 8",
    "B | CITY | 01 | total | * | 4 | 3.0 | 4 | -2 | 8",
]
CELLS = [f"A | WARD | 01 | sex | {sex} | 10 | 4.0 | {moe95} | 6 | 14" for sex, moe95 in (("F", 4), ("M", 5))]
LEVELS = "region_type | iteration_code | level_name | is_total_only\nWARD | 01 | WARD-1 | false"
STATISTICS = "stat_level | statistic_name\n0 | total\n1 | sex"
MEASURED = "stat_level | SEX: varchar\n0 | *\n1 | F\n1 | M"
COLUMNS = {"SEX": "*"}


@pytest.fixture
def tables(run_sql):
    def run(totals, rows, *, is_apart=False, released="COUNT"):
        given = {"t1": totals, "t2": rows, "group_levels": LEVELS}
        given |= {"ladder_statistics": STATISTICS, "statistic_cells": MEASURED}
        values = {"columns_of_totals": {} if is_apart else COLUMNS, "released_column": released}
        values |= {"total_name": "none" if is_apart else "total", "picked_types": ["WARD"]}
        return run_sql("reported_tables", ladder_columns=COLUMNS, given=given, **values)

    return run


def test_totals_that_are_rows_of_the_table_are_told_by_the_code_for_all_and_are_no_cells(tables):
    table = HEAD + "\n".join([*TOTALS, *CELLS])
    assert tables(table, table) == [
        ("WARD", "A", "01", "WARD-1", False, "sex", 4, 5, 30, 30, 6, 6, 24, 36),
        ("WARD", "B", "01", "WARD-1", False, "total", 4, 4, 4, 4, 4, 4, -2, 8),
    ]


def test_totals_apart_have_the_reach_of_their_intervals_and_stand_beside_released_ones(tables):
    rows = tables(HEAD + "\n".join(TOTALS), HEAD + "\n".join(CELLS), is_apart=True)
    assert [(*row[1:3], *row[5:7]) for row in rows] == [("A", "01", "sex", 4), ("B", "01", "none", 4)]
    totals = HEAD + "A | WARD | 01 | sex | * | 10 | NULL | NULL | 4 | 11"
    ((*_, moe95, reach, low, high),) = tables(totals, HEAD + "\n".join(CELLS), is_apart=True)
    assert (moe95, reach, low, high) == (None, 6, 4, 11)
    head = HEAD.replace("COUNT |", "COUNT | NOISY_COUNT: bigint |")
    totals = head + "A | WARD | 01 | sex | * | 30 | 31 | 8.0 | 6.5 | 24 | 37"
    (row,) = tables(totals, HEAD + "\n".join(CELLS), is_apart=True, released="NOISY_COUNT")
    assert row[6:12] == (4, 5, 30, 31, 6.5, 6.5)
