"""evaluated_groups: the population groups with a published count, with their exact sizes."""

import pytest

from tests.sql.evaluated_tables import EVALUATED_ITERATIONS, EXACT_REGIONS, ITERATIONS, LADDER_ITERATIONS

HEAD = "REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT\n"


def rows(run_sql, group: str, size: object = None) -> list[tuple[object, ...]]:
    """The rows of a group that two runs published, which has so many people; None where the exact tables lack it."""
    head = "run | REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | NOISY_COUNT | MOE95"
    released = f"{head}\n1 | {group} | 5 | 5 | 9\n2 | {group} | 7 | 7 | 9"
    exact = f"{HEAD}56001 | COUNTY | 0102 | 8" + ("" if size is None else f"\n{group} | {size}")
    public = {"exact_regions": EXACT_REGIONS, "evaluated_iterations": EVALUATED_ITERATIONS, "iterations": ITERATIONS}
    given = {"released_t1": released, "exact_t1": exact, **public, "ladder_iterations": LADDER_ITERATIONS}
    return run_sql("evaluated_groups", ladder_id=1, given=given)


def test_a_group_has_the_level_of_its_region_type_and_iteration_and_the_flags_of_the_latter(run_sql):
    assert rows(run_sql, "1 | USA | 0101", 7) == [("1", "USA", "0101", "USA-2", True, False, True, 7, 1)]


@pytest.mark.parametrize(("size", "start"), [(0, 0), (99, 10), (100, 100)])
def test_a_group_has_the_bucket_of_its_size(run_sql, size, start):
    assert [row[-2:] for row in rows(run_sql, "01003 | COUNTY | 0102", size)] == [(size, start)]


def test_a_tabulated_group_that_the_exact_tables_lack_has_nobody(run_sql):
    assert [row[-2:] for row in rows(run_sql, "01003 | COUNTY | 0102")] == [(0, 0)]


@pytest.mark.parametrize("group", ["1 | USA | 9999", "01003 | COUNTY | 0101", "56001 | COUNTY | 0102"])
def test_a_group_that_is_not_tabulated_is_left_out(run_sql, group):
    assert rows(run_sql, group) == []
