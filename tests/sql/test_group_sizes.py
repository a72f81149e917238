"""group_sizes: how many population groups are tabulated, by level and size."""

import pytest

from tests.sql.evaluated_tables import EXACT_T1, ITERATIONS

GROUPS = """
    region_type | iteration_level | population_groups
    ------------+-----------------+------------------
            USA |               2 |                 1
         COUNTY |               2 |                 2
"""
ZERO = "        44007 |      COUNTY |           0102 |     0\n"


@pytest.mark.parametrize("zeros", ["", ZERO], ids=["sparse", "dense"])
def test_groups_without_people_are_those_that_are_tabulated_less_those_with_people(run_sql, zeros):
    given = {"exact_t1": EXACT_T1.rstrip(" ") + zeros, "tabulated_groups": GROUPS, "iterations": ITERATIONS}
    rows = run_sql("group_sizes", level_prefix="T3 ", given=given)
    assert rows == [("T3 COUNTY-2", 0, 1), ("T3 COUNTY-2", 10, 1), ("T3 USA-2", 0, 1)]
