"""iterations_level_taken: iterations of a list whose level is the level of everybody."""

LISTED = "iteration_code | iteration_level | iteration_kind\n-\nE1 | ALL | NULL\nE2 | 1 | group"


def test_an_iteration_of_the_level_of_everybody_is_returned(run_sql):
    rows = f"{LISTED}\nALL | ALL | everybody"
    assert run_sql("iterations_level_taken", given={"iteration_rows": rows}) == [("E1", "ALL")]


def test_where_everybody_is_no_iteration_that_level_is_fine(run_sql):
    assert run_sql("iterations_level_taken", given={"iteration_rows": LISTED}) == []
