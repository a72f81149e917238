"""wanted_terms: the counts that wanted statistics are made of, those with noise of one law added up."""

from tests.sql.wanted_tables import WANTED_CELLS

COUNTY = ("COUNTY-2", False)


def found(run_sql, statistic):
    rows = run_sql("wanted_terms", given={"wanted_cells": WANTED_CELLS})
    return sorted(row[1:] for row in rows if row[0] == statistic)


def test_cells_in_either_count_or_in_both_are_added_up_and_a_total_stands_for_a_table(run_sql):
    assert found(run_sql, 0) == [
        *((*COUNTY, False, 0, 1, 1, 21, None, True), (*COUNTY, False, 1, 0, 1, 10, None, True)),
        (*COUNTY, False, 1, 1, 1, 20, None, True),
    ]
    assert found(run_sql, 5) == [(*COUNTY, False, 1, 0, 4, 62, None, True)]
    assert [row[-1] for row in found(run_sql, 2)] == [False]
    assert found(run_sql, 1) == [(*COUNTY, True, 1, 0, 1, 40, [40], True)]
    assert found(run_sql, 3) == [(*COUNTY, True, 1, 0, 1, 40, [40], False)]
