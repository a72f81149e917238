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


def test_a_reconciled_cell_stands_beside_the_one_released(cells):
    assert cells["18", "1"] == (2.5, 1.5, 2.4, 1, 4, 2)


def test_the_marginals_of_the_sexes_are_not_mistaken_for_one_another(cells):
    assert (cells["*", "1"][0], cells["*", "2"][0]) == (3.5, 8.5)


def test_a_cell_that_nothing_binds_stays_as_it_was_released(cells):
    assert cells["0", "1"] == (1.0, 2.0, 3.0, -2, 4, 1)


def test_rows_come_in_the_order_of_the_release_marginals_first(run_sql_in_order):
    rows = run_sql_in_order("reconciled_t2", given=GIVEN)
    assert [(row[4], row[6]) for row in rows] == [(age, sex) for age in ("*", "0", "18") for sex in "12"]


def test_sums_are_marginals_and_ages_are_numbers(run_sql):
    found = {row[4:10] for row in run_sql("reconciled_t2", given=GIVEN) if row[6] == "2"}
    assert found == {
        ("*", "*", "2", None, None, True),
        ("0", "17", "2", 0, 17, False),
        ("18", "115", "2", 18, 115, False),
    }
