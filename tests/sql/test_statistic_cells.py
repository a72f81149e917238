"""statistic_cells: the row of each measured cell of the ladder."""

from tests.sql.published_tables import LADDER_ROWS


def test_each_cell_has_its_row_and_the_codes_of_the_row(run_sql):
    values = {"measured_stat_levels": [1, 1], "measured_cells": [0, 1], "measured_rows": [2, 4]}
    rows = run_sql("statistic_cells", given={"ladder_rows": LADDER_ROWS}, **values)
    assert rows == [(1, 0, 2, "0", "17", "1"), (1, 1, 4, "18", "115", "1")]
