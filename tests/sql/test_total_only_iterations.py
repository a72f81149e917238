"""total_only_iterations: the iterations that the parameters of a level name to get a total and no table."""

VALUES = {
    "total_only_ladder_ids": [1, 1, 1],
    "total_only_level_ids": [1, 1, 2],
    "total_only_iterations": ["10", "20", ""],
}


def test_each_named_iteration_is_a_row_of_its_level(run_sql):
    rows = run_sql("total_only_iterations", **VALUES)
    assert rows == [(1, 1, "10"), (1, 1, "20"), (1, 2, "")]


def test_there_is_no_row_where_no_level_names_any(run_sql):
    assert run_sql("total_only_iterations", **{name: [] for name in VALUES}) == []
