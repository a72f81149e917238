"""group_sizes: how many population groups are tabulated, by level and size."""

import pytest

from tests.sql.evaluated_tables import EVALUATED_ITERATIONS, EXACT_T1

GROUPS = """
    population_group_level | population_groups
                     USA-2 |                 1
                  COUNTY-2 |                 2
"""
ZERO = "        44007 |      COUNTY |           0102 |     0\n"


@pytest.mark.parametrize("zeros", ["", ZERO], ids=["sparse", "dense"])
def test_groups_without_people_are_those_that_are_tabulated_less_those_with_people(run_sql, zeros):
    given = {"tabulated_groups": GROUPS, "evaluated_iterations": EVALUATED_ITERATIONS}
    rows = run_sql("group_sizes", given={"exact_t1": EXACT_T1.rstrip(" ") + zeros, **given})
    assert rows == [("COUNTY-2", 0, 1), ("COUNTY-2", 10, 1), ("USA-2", 0, 1)]
