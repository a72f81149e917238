"""measured_counts: the published counts that have noise of their own."""

from tests.sql.evaluated_tables import EVALUATED_GROUPS, LADDER_ROWS, STATISTIC_CELLS, STATISTIC_SUMS

EXACT_T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT
        01003 |      COUNTY |           0102 |        0 |     17 |   1 |    30
        01003 |      COUNTY |           0102 |        0 |     17 |   2 |    60
        01003 |      COUNTY |           0102 |        * |      * |   1 |    30
        01003 |      COUNTY |           0102 |        * |      * |   2 |    60
"""
COLUMNS = (
    "REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX"
    " | COUNT | NOISY_COUNT | MOE95 | VARIANCE"
)
NO_TABLES = f"run | {COLUMNS}"
TABLE = f"""
    run | {COLUMNS}
    1 | 01003 | COUNTY | 0102 | age4 |        0 |     17 |   1 |    33 |          34 |    11 |      7.5
    1 | 01003 | COUNTY | 0102 | age4 |        0 |     17 |   2 |    58 |          59 |    11 |      7.5
    1 | 01003 | COUNTY | 0102 | age4 |        * |      * |   1 |    33 |          34 |    15 |      7.5
    1 | 01003 | COUNTY | 0102 | age4 |        * |      * |   2 |    58 |          59 |    15 |      7.5
"""
TABLES = "run | region_id | region_type | iteration_code | stat_level"
TOTALS = """
    run | REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | NOISY_COUNT | MOE95 | VARIANCE
      1 |     01003 |      COUNTY |           0102 |    91 |          92 |    21 |      7.5
      1 |     44007 |      COUNTY |           0102 |    40 |          41 |    11 |      7.5
      2 |     01003 |      COUNTY |           0102 |    95 |          96 |    11 |      7.5
"""


def rows(run_sql, t1: str, t2: str, *tables: str) -> list[tuple[object, ...]]:
    exact = {"evaluated_groups": EVALUATED_GROUPS, "exact_t2": EXACT_T2}
    public = {"ladder_rows": LADDER_ROWS, "statistic_cells": STATISTIC_CELLS, "statistic_sums": STATISTIC_SUMS}
    released = {"released_t1": t1, "released_t2": t2, "released_tables": "\n".join([TABLES, *tables])}
    return run_sql("measured_counts", given={**released, **exact, **public})


def test_cells_are_measured_and_neither_marginals_nor_the_total_of_a_table_are(run_sql):
    found = [row for row in rows(run_sql, TOTALS, TABLE, "1 | 01003 | COUNTY | 0102 | 1") if row[:2] == (1, "01003")]
    assert found == [
        (1, "01003", "COUNTY", "0102", 1, 33, 34, 30, 11.0, 7.5),
        (1, "01003", "COUNTY", "0102", 1, 58, 59, 60, 11.0, 7.5),
    ]


def test_a_total_is_measured_once_where_there_is_no_table_and_may_have_no_exact_count(run_sql):
    assert (1, "44007", "COUNTY", "0102", 0, 40, 41, 0, 11.0, 7.5) in rows(run_sql, TOTALS, NO_TABLES)
    # It is in both tables that the statement reads, and no table of the release is listed for its group.
    total = NO_TABLES + "\n1 | 44007 | COUNTY | 0102 | total | * | * | * | 40 | 41 | 11 | 7.5"
    found = [row for row in rows(run_sql, TOTALS, total) if row[1] == "44007"]
    assert found == [(1, "44007", "COUNTY", "0102", 0, 40, 41, 0, 11.0, 7.5)]
    unknown = f"{TOTALS.strip().splitlines()[0]}\n1 | 56001 | COUNTY | 0102 | 9 | 9 | 11 | 7.5"
    assert [row[7] for row in rows(run_sql, unknown, NO_TABLES)] == [None]


def test_a_cell_that_the_exact_tables_lack_is_zero_if_it_is_a_cell_of_its_statistic(run_sql):
    listed = "1 | 44007 | COUNTY | 0102 | 1"
    without_people = TABLE.replace("01003", "44007")
    assert {row[7] for row in rows(run_sql, TOTALS, without_people, listed) if row[4] == 1} == {0}
    other_bin = without_people.replace("|     17 |   2 |", "|     16 |   2 |")
    assert [row[7] for row in rows(run_sql, TOTALS, other_bin, listed) if row[4] == 1] == [0, None]
