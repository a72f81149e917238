"""evaluated_iterations: the population group level of every iteration that a ladder tabulates."""

from tests.sql.evaluated_tables import EXACT_ITERATIONS, ITERATIONS, LADDER_LEVELS, LEVELS


def found(run_sql, ladder_id: int) -> list[object]:
    given = {
        "exact_iterations": EXACT_ITERATIONS,
        "iterations": ITERATIONS.replace("Northern | 2 | alone", "N | 2 | combination"),
    }
    given |= {"levels": LEVELS, "ladder_levels": LADDER_LEVELS}
    return run_sql("evaluated_iterations", ladder_id=ladder_id, level_prefix="T3 ", given=given)


def test_an_iteration_has_the_level_of_its_region_type_in_this_ladder(run_sql):
    usa = ("USA", "0101", 1, "T3 USA-2", False)
    assert found(run_sql, 1) == [("COUNTY", "0102", 2, "T3 COUNTY-2", False), usa]
    assert found(run_sql, 2) == [("COUNTY", "0102", 2, "T3 COUNTY-2", True)]
