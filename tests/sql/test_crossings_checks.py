"""crossings_without_iterations, crossings_too_large, crossings_code_ambiguous: what is wrong with crossings."""

import pytest

from tests.sql.test_crossed_iterations import LEVELS, ROWS


@pytest.mark.parametrize(("level", "found"), [("2", []), ("3", [("both", "race", "3")])])
def test_a_level_that_no_iteration_of_the_question_has_is_returned(run_sql, level, found):
    levels = LEVELS.replace("race |               2", f"race |               {level}")
    assert run_sql("crossings_without_iterations", given={"crossed_levels": levels, "iteration_rows": ROWS}) == found


@pytest.mark.parametrize(("largest", "found"), [(2, []), (1, [("both", 2)])])
def test_a_crossing_of_too_many_pairs_is_returned(run_sql, largest, found):
    given = {"crossed_levels": LEVELS, "iteration_rows": ROWS}
    assert run_sql("crossings_too_large", given=given, largest_crossing=largest) == found


def test_a_code_that_looks_like_a_pair_is_returned_where_questions_are_crossed(run_sql):
    rows = "iteration_code\n-\nA x B\nAxB"
    given = {"iteration_rows": rows, "crossed_levels": LEVELS}
    assert run_sql("crossings_code_ambiguous", given=given) == [("A x B",)]
    assert run_sql("crossings_code_ambiguous", given={"iteration_rows": rows}) == []
