"""ground_truth_t2: the exact rows of every population group that the ladder tabulates."""

from tests.sql.published_tables import LADDER_ROWS, PUBLIC

# Group 3 is county 44007: three boys, four girls, seven men.
ROWS = """
    population_group_id | row_id | is_total | exact_count
                      3 |      0 |    false |          10
                      3 |      1 |    false |           4
                      3 |      2 |    false |           3
                      3 |      3 |    false |           4
                      3 |      4 |    false |           7
"""
GIVEN = {
    **{name: PUBLIC[name] for name in ("level_regions", "ladder_iterations", "regions", "iterations")},
    "ladder_rows": LADDER_ROWS,
    "exact_rows": ROWS,
    "statistic_cells": "stat_level | cell_position | row_id\n1 | 0 | 2",
}


def test_rows_come_by_group_and_in_order_and_a_total_is_one_where_totals_are_rows(run_sql_in_order, run_sql):
    rows = run_sql_in_order("ground_truth_t2", given=GIVEN, ladder_id=1)
    assert [row[3:6] for row in rows[:4]] == [("*", "*", "1"), ("*", "*", "2"), ("0", "17", "1"), ("0", "17", "2")]
    totals = "stat_level | cell_position | row_id\n0 | 0 | 0"
    given = {**GIVEN, "statistic_cells": totals}
    rows = [row for row in run_sql("ground_truth_t2", given=given, ladder_id=1) if row[2] == "0101"]
    assert rows == [("1", "USA", "0101", "*", "*", "1", 0)]
