"""wanted_counts: the counts that wanted statistics are made of, added up."""

from tests.sql.wanted_tables import WANTED_CELLS


def found(run_sql):
    rows = run_sql("wanted_counts", given={"wanted_cells": WANTED_CELLS})
    return {row[:2]: row[2:] for row in rows}


def test_cells_are_added_up(run_sql):
    assert found(run_sql)[0, False] == ("COUNTY-2", False, 30, 2, False, True)
    assert found(run_sql)[0, True] == ("COUNTY-2", False, 41, 2, False, True)


def test_cells_that_are_wanted_in_part_are_no_whole_count(run_sql):
    assert found(run_sql)[2, False][-1] is False


def test_a_group_without_a_table_has_its_total_and_nothing_else(run_sql):
    assert found(run_sql)[1, False] == ("COUNTY-2", False, 40, 1, True, True)
    assert found(run_sql)[3, False] == ("COUNTY-2", False, 40, 1, True, False)
