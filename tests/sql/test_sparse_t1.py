"""sparse_t1: the exact totals of the population groups with people, level by level."""

import pytest

from tests.sql.published_tables import PUBLIC

NAMES = ("level_regions", "level_sizes", "ladder_iterations", "regions", "iterations")
TOTALS = "population_group_id | exact_count\n1 | 8\n3 | 5"


@pytest.mark.parametrize(
    ("level", "first", "last", "found"),
    [(1, 0, 1, ("1", "USA", "0102", 8)), (2, 2, 3, ("44007", "COUNTY", "0102", 5))],
    ids=["first level", "last level"],
)
def test_the_groups_of_a_level_that_have_people_are_named_and_no_others(run_sql, level, first, last, found):
    given = {name: PUBLIC[name] for name in NAMES} | {"group_totals": TOTALS}
    values = {"ladder_id": 1, "level_id": level, "first_group_id": first, "last_group_id": last}
    assert run_sql("sparse_t1", given=given, **values) == [found]
