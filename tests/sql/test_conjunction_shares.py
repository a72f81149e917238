"""conjunction_shares: the share of the rows that meet a rule."""

import pytest

ROWS = """
    is_exact | field_1 | field_2
    ---------+---------+--------
        true |       1 |      10
        true |       1 |      20
        true |       2 |      10
        true |       2 |    NULL
       false |       1 |      12
       false |       3 |      10
"""
LISTED, NEAR = {"name": "field_1", "numbers": "(1, 3)"}, {"name": "field_2", "centre": "11", "reach": "1.5"}


@pytest.fixture
def shares(run_sql):
    def of(listed, near):
        return run_sql("conjunction_shares", {"scored_rows": ROWS}, listed_conditions=listed, near_conditions=near)[0]

    return of


def test_a_rule_is_met_where_every_condition_is(shares):
    """Independent columns: half of the exact rows have field 1, half field 2."""
    assert shares([LISTED], [NEAR]) == (0.25, 1.0, 0.25)


def test_a_rule_without_conditions_is_met_by_all(shares):
    assert shares([], []) == (1.0, 1.0, 1.0)
