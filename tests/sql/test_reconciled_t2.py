"""reconciled_t2: the published tables of a ladder after least squares."""

import pytest

from tests.sql.published_tables import LADDER_ROWS, LADDER_STATISTICS, STATISTIC_CELLS
from tests.sql.reconciled_tables import NESTED_GROUPS, RECONCILED_COUNTS, T2

GIVEN = {
    "t2": T2,
    "nested_groups": NESTED_GROUPS,
    "ladder_rows": LADDER_ROWS,
    "ladder_statistics": LADDER_STATISTICS,
    "statistic_cells": STATISTIC_CELLS,
    "reconciled_counts": RECONCILED_COUNTS,
}


@pytest.fixture
def cells(run_sql):
    return {(row[4], row[6]): row[10:] for row in run_sql("reconciled_t2", given=GIVEN)}


def test_reconciled_cells_stand_beside_those_released_in_their_order_and_others_stay(cells, run_sql_in_order, run_sql):
    assert cells["18", "1"] == (2.5, 1.5, 2.4, 1, 4, 2)
    assert (cells["*", "1"][0], cells["*", "2"][0]) == (3.5, 8.5)
    assert cells["0", "1"] == (1.0, 2.0, 3.0, -2, 4, 1)
    rows = run_sql_in_order("reconciled_t2", given=GIVEN)
    assert [(row[4], row[6]) for row in rows] == [(age, sex) for age in ("*", "0", "18") for sex in "12"]
    found = {row[4:10] for row in run_sql("reconciled_t2", given=GIVEN) if row[6] == "2"}
    assert found == {
        ("*", "*", "2", None, None, True),
        ("0", "17", "2", 0, 17, False),
        ("18", "115", "2", 18, 115, False),
    }
