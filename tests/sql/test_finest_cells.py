"""finest_cells: the sex-by-age cells that no statistic splits."""

AGE_BINS = {
    "age_bins": """
        stat_level | age_start | age_end
        -----------+-----------+--------
                 1 |         0 |      17
                 1 |        18 |     115
                 2 |         0 |       4
                 2 |         5 |     115
    """
}


def test_a_cell_starts_wherever_a_bin_of_any_statistic_starts(run_sql):
    rows = run_sql("finest_cells", given=AGE_BINS)
    assert [row[2] for row in rows if row[1] == 1] == [0, 5, 18]


def test_each_cell_ends_just_before_the_next_and_the_last_at_115(run_sql):
    rows = run_sql("finest_cells", given=AGE_BINS)
    assert [row[3] for row in rows if row[1] == 1] == [4, 17, 115]


def test_cells_are_numbered_from_zero_by_sex_and_then_age(run_sql):
    rows = run_sql("finest_cells", given=AGE_BINS)
    assert [row[:3] for row in rows] == [(0, 1, 0), (1, 1, 5), (2, 1, 18), (3, 2, 0), (4, 2, 5), (5, 2, 18)]
