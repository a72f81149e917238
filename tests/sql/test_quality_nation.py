"""quality_nation: iterations whose states do not add up to the nation."""

import pytest

from tests.sql.quality_tables import t1

STATES = ("44 | STATE | 2210 | 50 | 2.0 | 3", "09 | STATE | 2210 | 60 | 2.0 | 3")


@pytest.mark.parametrize(("nation", "found"), [(110, 0), (130, 0), (90, 0), (131, 1), (89, 1)])
def test_a_nation_that_is_far_from_the_sum_of_its_states_is_found(run_sql, nation, found):
    """2 * sqrt(20 * 5) is 20."""
    rows = t1(f"1 | USA | 2210 | {nation} | 1.0 | 2", *STATES)
    assert run_sql("quality_nation", given={"t1": rows}) == [(1, found, 1 / 400)]


def test_an_iteration_without_a_total_in_every_state_is_not_looked_at(run_sql):
    rows = t1(
        "1 | USA | 2210 | 9 | 1.0 | 2", "1 | USA | 1110 | 9 | 1.0 | 2", STATES[0].replace("2210", "1110"), *STATES
    )
    assert run_sql("quality_nation", given={"t1": rows})[0][0] == 1
