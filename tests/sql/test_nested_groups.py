"""nested_groups: the published population groups, how fine a table each has, and what stage 1 measured of it."""

import pytest

from tests.literal_tables import literal_table
from tests.sql.published_tables import STATISTIC_CELLS
from tests.sql.reconciled_tables import MEASURED_GROUPS, NESTED_GROUPS, NO_NESTING, T1, T2, TREE_REGIONS

NO_T2 = T2.strip().splitlines()[0]
LEVELS = """
    region_type | iteration_code | level_name | is_total_only
         COUNTY |           2210 |   COUNTY-2 |         false
          STATE |           2210 |    STATE-2 |         false
          STATE |           2220 |    STATE-2 |         false
"""


@pytest.fixture
def groups(run_sql):
    def run(t2=T2, suppressed_types=("COUNTY", "PLACE"), **others):
        given = {"released_totals": T1, "t2": t2, "tree_regions": TREE_REGIONS, "statistic_cells": STATISTIC_CELLS}
        given |= {"measured_groups": MEASURED_GROUPS, "iteration_nesting": NO_NESTING}
        given |= {"group_levels": LEVELS, **others}
        return run_sql("nested_groups", given=given, suppressed_types=list(suppressed_types))

    return run


def test_groups_come_by_whole_and_region_with_their_variance_evidence_and_measurement(groups):
    expected = [tuple(None if value == "NULL" else value for value in row) for row in literal_table(NESTED_GROUPS).rows]
    found = [tuple(None if value is None else str(value).lower() for value in row) for row in groups()]
    assert found == [tuple(None if value is None else value.lower() for value in row) for row in expected]
    assert [row[8] for row in groups()][:2] == [2.0, 2.0]
    assert [row[8] for row in groups(NO_T2)][:2] == [8.0, 2.0]
    assert [row[9] for row in groups(NO_T2)] == [False, False, True, False, True]
    nesting = f"{NO_NESTING}              2220 |        2100 |      2100 |     1 |     2\n"
    assert [row[2] for row in groups(iteration_nesting=nesting)] == ["2100", "2210", "2210", "2210", "2210"]


def test_a_table_whose_cells_are_among_the_sums_of_another_is_that_other(run_sql, groups):
    """Stat level 1 is both sexes, whose rows the finer table has too."""
    coarser = "".join(
        f"             1 |             {sex} |      {sex} |        * |      * |   {sex + 1}\n" for sex in (0, 1)
    )
    finer = STATISTIC_CELLS.replace("\n             1 |", "\n             2 |") + coarser
    assert [row[7] for row in groups(statistic_cells=finer)] == [2, 0, 0, 0, 0]
