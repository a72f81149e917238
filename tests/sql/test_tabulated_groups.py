"""tabulated_groups: how many groups a ladder tabulates, people or not."""

from tests.sql.evaluated_tables import EVALUATED_ITERATIONS, EXACT_REGIONS, EXACT_T1


def found(run_sql, iterations: str) -> list[tuple[object, ...]]:
    given = {"exact_t1": EXACT_T1, "exact_regions": EXACT_REGIONS, "evaluated_iterations": iterations}
    return run_sql("tabulated_groups", given=given)


def test_every_region_is_tabulated_by_every_iteration_or_published_totals_list_groups(run_sql):
    assert found(run_sql, EVALUATED_ITERATIONS) == [("COUNTY-2", 2), ("USA-2", 1)]
    assert found(run_sql, EVALUATED_ITERATIONS.replace("false", "true")) == [("COUNTY-2", 1)]
