"""tabulated_groups: how many groups a ladder tabulates, people or not."""

from tests.sql.evaluated_tables import EXACT_ITERATIONS, EXACT_REGIONS, EXACT_T1, ITERATIONS, LADDER_LEVELS, LEVELS


def found(run_sql, ladder_id: int) -> list[tuple[object, ...]]:
    public = {"exact_regions": EXACT_REGIONS, "exact_iterations": EXACT_ITERATIONS, "iterations": ITERATIONS}
    levels = {"levels": LEVELS, "ladder_levels": LADDER_LEVELS}
    return run_sql("tabulated_groups", ladder_id=ladder_id, given={"exact_t1": EXACT_T1, **public, **levels})


def test_every_region_is_tabulated_by_every_iteration_of_its_type(run_sql):
    assert found(run_sql, 1) == [("COUNTY", "2", 2), ("USA", "2", 1)]


def test_levels_of_other_ladders_do_not_count_and_published_totals_list_the_groups(run_sql):
    assert found(run_sql, 2) == [("COUNTY", "2", 1)]
