"""wanted_terms: the counts that wanted statistics are made of, added up over groups with the same cells."""

from tests.sql.wanted_tables import LADDER_STATISTICS, WANTED_CELLS

COUNTY = ("COUNTY-2", False)


def found(run_sql, statistic, cells=WANTED_CELLS):
    rows = run_sql("wanted_terms", given={"wanted_cells": cells, "ladder_statistics": LADDER_STATISTICS})
    return sorted(row[1:] for row in rows if row[0] == statistic)


def test_a_group_has_its_cells_and_how_often_each_is_in_either_count(run_sql):
    """Counts of tables are in halves of persons."""
    assert found(run_sql, 0) == [(*COUNTY, 1, [0, 1, 3], [1, 1, 0], [0, 1, 1], 1, 60, 82, None, True)]
    assert found(run_sql, 5) == [(*COUNTY, 1, [0, 1, 2, 3], [1] * 4, [0] * 4, 1, 124, 0, None, True)]


def test_groups_with_the_same_cells_are_added_up(run_sql):
    assert found(run_sql, 1, WANTED_CELLS + ANOTHER) == [(*COUNTY, 0, [0], [1], [0], 2, 47, 0, [40, 7], True)]


ANOTHER = "1 | false | COUNTY-2 | false | 0 | 12 | 0 | 7 | 4 | true | NULL | NULL | 1\n"


def test_cells_that_are_wanted_in_part_are_no_whole_count(run_sql):
    assert [row[-1] for row in found(run_sql, 2)] == [False]


def test_a_group_without_a_table_has_its_total_and_nothing_else(run_sql):
    assert found(run_sql, 1) == [(*COUNTY, 0, [0], [1], [0], 1, 40, 0, [40], True)]
    assert found(run_sql, 3) == [(*COUNTY, 0, [0], [1], [0], 1, 40, 0, [40], False)]


def test_a_count_is_in_its_sum_as_often_as_it_is_asked_for(run_sql):
    weighted = WANTED_CELLS.replace(" |     1\n", " |     3\n")
    assert found(run_sql, 0, weighted) == [(*COUNTY, 1, [0, 1, 3], [3, 3, 0], [0, 3, 3], 1, 180, 246, None, True)]
