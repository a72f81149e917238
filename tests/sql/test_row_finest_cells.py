"""row_finest_cells: the finest cells that each row of the ladder adds up, without the total."""


def test_each_finest_cell_of_a_row_is_a_row(run_sql):
    values = {"held_rows": [0, 0, 1], "held_finest_positions": [0, 2, 0]}
    assert run_sql("row_finest_cells", **values) == [(0, 0), (0, 2), (1, 0)]
