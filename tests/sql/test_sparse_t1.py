"""sparse_t1: the exact totals of the population groups with people, level by level."""

import pytest

from tests.sql.published_tables import PUBLIC
from tests.sql.test_ground_truth_t1 import NAMES, TOTALS

GIVEN = {**NAMES, "level_sizes": PUBLIC["level_sizes"], "group_totals": TOTALS}


@pytest.mark.parametrize(
    ("level", "first", "last", "found"),
    [(1, 0, 1, ("1", "USA", "0102", 8)), (2, 2, 3, ("44007", "COUNTY", "0102", 5))],
    ids=["first level", "last level"],
)
def test_the_groups_of_a_level_that_have_people_are_named_and_no_others(run_sql, level, first, last, found):
    values = {"ladder_id": 1, "level_id": level, "first_group_id": first, "last_group_id": last}
    assert run_sql("sparse_t1", given=GIVEN, **values) == [found]
