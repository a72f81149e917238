"""quality_parts: groups with a table that are larger than their state."""

import pytest

from tests.sql.quality_tables import county, t1, t2


@pytest.mark.parametrize(("state", "found"), [(24, 0), (4, 0), (3, 1)])
def test_a_county_that_is_far_above_its_state_is_found(run_sql, state, found):
    """2 * sqrt(20 * 5) is 20."""
    totals = t1("44001 | COUNTY | 2210 | 24 | 4.0 | 4", f"44 | STATE | 2210 | {state} | 1.0 | 2")
    given = {"t1": totals, "t2": t2(*county(1, (5, 7), (4, 8)))}
    assert run_sql("quality_parts", given=given) == [(1, found, 1 / 800)]


def test_a_county_without_a_table_is_not_looked_at(run_sql):
    totals = t1("44001 | COUNTY | 2210 | 99 | 4.0 | 4", "44 | STATE | 2210 | 1 | 1.0 | 2")
    assert run_sql("quality_parts", given={"t1": totals, "t2": t2()}) == [(0, 0, 0.0)]
