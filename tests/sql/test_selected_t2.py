"""selected_t2: the exact tables of the population groups that published totals list."""

from tests.sql.published_tables import LADDER_ROWS, LADDER_STATISTICS, PUBLIC, STATISTIC_CELLS, STATISTIC_SUMS

GIVEN = {
    "selected_groups": """
        ladder_id | population_group_id | stat_level | region_key | iteration_id
        ----------+---------------------+------------+------------+-------------
                1 |                   3 |          1 |          2 |            2
                2 |                   4 |          1 |          1 |            2
    """,
    "regions": PUBLIC["regions"],
    "iterations": PUBLIC["iterations"],
    "statistic_cells": STATISTIC_CELLS,
    "statistic_sums": STATISTIC_SUMS,
    "ladder_statistics": LADDER_STATISTICS,
    "ladder_rows": LADDER_ROWS,
    "exact_rows": "population_group_id | row_id | exact_count\n-\n3 | 2 | 7",
}


def test_a_listed_group_of_the_ladder_has_every_row_of_its_table(run_sql):
    rows = run_sql("selected_t2", given=GIVEN, ladder_id=1)
    assert {row[:4] for row in rows} == {("44007", "COUNTY", "0102", "age2")}
    assert {row[4:7]: row[7] for row in rows if row[7]} == {("0", "17", "1"): 7}
    assert len(rows) == 6
