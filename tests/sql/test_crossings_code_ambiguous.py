"""crossings_code_ambiguous: iteration codes that look like the codes of pairs."""

from tests.sql.test_crossed_iterations import LEVELS

ROWS = "iteration_code\n-\nA x B\nAxB"


def test_a_code_that_looks_like_a_pair_is_returned(run_sql):
    given = {"iteration_rows": ROWS, "crossed_levels": LEVELS}
    assert run_sql("crossings_code_ambiguous", given=given) == [("A x B",)]


def test_where_no_questions_are_crossed_any_code_is_fine(run_sql):
    assert run_sql("crossings_code_ambiguous", given={"iteration_rows": ROWS}) == []
