"""reconciled_table_kinds: reconciled groups of a ladder by level and table, with the spans of their margins."""

TABLES = """
    region_type | region_id | iteration_code | level_name | is_total_only | statistic | noisy_count | total_moe95
    ------------+-----------+----------------+------------+---------------+-----------+-------------+-------------
           WARD |         A |             01 |     WARD-1 |         false |       sex |          30 |         6.5
           WARD |         B |             01 |     WARD-1 |         false |       sex |          40 |         3.5
           WARD |         C |             01 |     WARD-1 |         false |     total |           4 |         5.0
"""
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | NOISY_COUNT
    ----------+-------------+----------------+------------
            A |        WARD |             01 |          31
            B |        WARD |             01 |          40
            C |        WARD |             01 |           4
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | SEX | MOE95
    ----------+-------------+----------------+-----------+-----+------
            A |        WARD |             01 |       sex |   F |   3.0
            A |        WARD |             01 |       sex |   M |   4.0
            A |        WARD |             01 |       sex |   * |   6.5
            B |        WARD |             01 |       sex |   F |   2.0
            B |        WARD |             01 |       sex |   M |   2.5
"""
STATISTICS = """
    stat_level | statistic_name
    -----------+---------------
             0 |          total
             1 |            sex
"""
CELLS = """
    stat_level | SEX
    -----------+----
             1 |   F
             1 |   M
"""


def test_margins_of_cells_and_totals_have_spans_and_changed_totals_are_counted(run_sql):
    given = {
        "reported_tables": TABLES,
        "reconciled_t1": T1,
        "reconciled_t2": T2,
        "ladder_statistics": STATISTICS,
        "statistic_cells": CELLS,
    }
    columns = ["SEX"]
    rows = run_sql("reconciled_table_kinds", given=given, ladder_columns=columns, columns_of_totals=[])
    assert rows == [
        ("WARD", "WARD-1", False, "sex", 2, 1, 3.5, 5.0, 6.5, 2.0, 3.25, 4.0, 1, 2, 2),
        ("WARD", "WARD-1", False, "total", 1, 0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 0, 0, 0),
    ]
