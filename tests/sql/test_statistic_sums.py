"""statistic_sums: the rows of the ladder that add up several measured cells."""


def test_each_cell_of_a_sum_is_a_row(run_sql):
    values = {"summed_stat_levels": [1, 1], "summed_cells": [0, 1], "summed_rows": [9, 9]}
    assert run_sql("statistic_sums", **values) == [(1, 0, 9), (1, 1, 9)]
