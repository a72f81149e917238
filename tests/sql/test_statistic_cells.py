"""statistic_cells: the sex-by-age cells of each statistic, in the order they are measured."""

AGE_BINS = {
    "age_bins": """
        stat_level | age_start | age_end
        -----------+-----------+--------
                 1 |         0 |      17
                 1 |        18 |     115
                 2 |         0 |     115
    """
}


def test_cells_are_numbered_from_zero_by_sex_and_then_age(run_sql):
    cells = run_sql("statistic_cells", given=AGE_BINS)
    assert [cell for cell in cells if cell[0] == 1] == [
        (1, 0, 1, 0, 17),
        (1, 1, 1, 18, 115),
        (1, 2, 2, 0, 17),
        (1, 3, 2, 18, 115),
    ]


def test_each_statistic_is_numbered_from_zero(run_sql):
    cells = run_sql("statistic_cells", given=AGE_BINS)
    assert [cell for cell in cells if cell[0] == 2] == [(2, 0, 1, 0, 115), (2, 1, 2, 0, 115)]
