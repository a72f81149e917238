"""crossings_without_iterations: questions without an iteration of the level at which they are crossed."""

from tests.sql.test_crossed_iterations import LEVELS, ROWS


def lacking(run_sql, level):
    levels = LEVELS.replace("race |               2", f"race |               {level}")
    return run_sql("crossings_without_iterations", given={"crossed_levels": levels, "iteration_rows": ROWS})


def test_a_level_that_no_iteration_of_the_question_has_is_returned(run_sql):
    assert lacking(run_sql, "3") == [("both", "race", "3")]


def test_levels_of_the_list_are_fine(run_sql):
    assert lacking(run_sql, "2") == lacking(run_sql, "1") == []
