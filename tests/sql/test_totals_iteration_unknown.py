"""totals_iteration_unknown: iterations of the published totals that the code lists do not have."""

from tests.sql.totals_tables import total_rows

ITERATIONS = "iteration_code\n-\n0101"


def test_an_iteration_that_no_list_has_is_returned(run_sql):
    given = {"total_rows": total_rows("STATE | 01 | 0999 | 5"), "iteration_rows": ITERATIONS}
    assert run_sql("totals_iteration_unknown", given=given) == [("0999",)]


def test_iterations_of_the_lists_are_fine(run_sql):
    given = {"total_rows": total_rows("STATE | 01 | 0101 | 5"), "iteration_rows": ITERATIONS}
    assert run_sql("totals_iteration_unknown", given=given) == []
