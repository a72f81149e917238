"""shared_counts: how many independent counts are in both counts of a wanted statistic."""

from tests.sql.wanted_tables import WANTED_CELLS


def test_cells_in_both_are_counted(run_sql):
    assert run_sql("shared_counts", given={"wanted_cells": WANTED_CELLS}) == [(0, 1)]
