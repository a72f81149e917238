"""reconciled_t2: the published sex-by-age tables after least squares."""

import pytest

from tests.sql.published_tables import STATISTIC_CELLS
from tests.sql.reconciled_tables import NESTED_GROUPS, RECONCILED_COUNTS, T2

GIVEN = {
    "t2": T2,
    "nested_groups": NESTED_GROUPS,
    "statistic_cells": STATISTIC_CELLS,
    "reconciled_counts": RECONCILED_COUNTS,
}


@pytest.fixture
def cells(run_sql):
    return {(row[3], row[5]): row[6:] for row in run_sql("reconciled_t2", given=GIVEN)}


def test_a_reconciled_cell_stands_beside_the_one_released(cells):
    assert cells["18", "1"] == (2.5, 1.5, 2.4, 2)


def test_the_marginals_of_the_sexes_are_not_mistaken_for_one_another(cells):
    assert (cells["*", "1"][0], cells["*", "2"][0]) == (3.5, 8.5)


def test_a_cell_that_nothing_binds_stays_as_it_was_released(cells):
    assert cells["0", "1"] == (1.0, 2.0, 3.0, 1)


def test_a_table_of_a_region_that_is_in_no_tree_stays_as_it_was_released(run_sql):
    place = T2.replace("01001 |      COUNTY", "01009 |       PLACE")
    rows = run_sql("reconciled_t2", given={**GIVEN, "t2": place})
    assert [row[6] for row in rows] == [row[9] for row in rows]


def test_rows_come_in_the_order_of_the_release_marginals_first(run_sql_in_order):
    rows = run_sql_in_order("reconciled_t2", given=GIVEN)
    assert [(row[3], row[5]) for row in rows] == [(age, sex) for age in ("*", "0", "18") for sex in "12"]
