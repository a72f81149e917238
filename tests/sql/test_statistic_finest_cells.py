"""statistic_finest_cells: the cell of each statistic that each finest cell belongs to."""


def test_each_finest_cell_of_a_statistic_is_a_row(run_sql):
    values = {"statistic_ids": [1, 1, 2], "finest_positions": [0, 1, 0], "cell_positions": [0, 0, 3]}
    assert run_sql("statistic_finest_cells", **values) == [(1, 0, 0), (1, 1, 0), (2, 0, 3)]
