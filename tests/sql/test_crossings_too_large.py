"""crossings_too_large: crossings of more pairs of iterations than a run can hold."""

from tests.sql.test_crossed_iterations import LEVELS, ROWS

GIVEN = {"crossed_levels": LEVELS, "iteration_rows": ROWS}


def test_a_crossing_of_more_pairs_is_returned_with_their_number(run_sql):
    assert run_sql("crossings_too_large", given=GIVEN, largest_crossing=1) == [("both", 2)]


def test_a_crossing_of_as_many_pairs_is_fine(run_sql):
    assert run_sql("crossings_too_large", given=GIVEN, largest_crossing=2) == []
