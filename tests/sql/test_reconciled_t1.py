"""reconciled_t1: the published totals after least squares."""

import pytest

from tests.sql.reconciled_tables import NESTED_GROUPS, RECONCILED_COUNTS, T1

GIVEN = {"released_totals": T1, "nested_groups": NESTED_GROUPS, "reconciled_counts": RECONCILED_COUNTS}


@pytest.fixture
def totals(run_sql):
    return {row[:3]: row[3:] for row in run_sql("reconciled_t1", given=GIVEN, total_row=-1)}


def test_reconciled_totals_stand_beside_those_released_in_their_order_and_others_stay(totals, run_sql_in_order):
    assert totals["01", "STATE", "2210"] == (17.5, 2.0, 2.8, 15, 20, 18)
    assert totals["01001", "COUNTY", "2210"] == (12.0, 5.0, 4.4, 8, 16, 10)
    assert totals["0100100", "PLACE", "2210"] == (7.0, 2.0, 3.0, 4, 10, 7)
    assert totals["01003", "COUNTY", "2210"] == (5.0, 2.0, 3.0, 2, 8, 5)
    rows = run_sql_in_order("reconciled_t1", given=GIVEN, total_row=-1)
    assert [row[:3] for row in rows] == [
        ("01001", "COUNTY", "2210"),
        ("01003", "COUNTY", "2210"),
        ("0100100", "PLACE", "2210"),
        ("01", "STATE", "2210"),
        ("01", "STATE", "2220"),
    ]
