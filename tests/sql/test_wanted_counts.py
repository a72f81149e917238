"""wanted_counts: the counts that wanted statistics are made of, added up."""

from tests.sql.wanted_tables import T1, TERMS

CELLS = """
    statistic_number | is_other | region_type | noisy_count | variance | is_first | is_last
    -----------------+----------+-------------+-------------+----------+----------+--------
                   0 |    false |      COUNTY |          10 |        4 |     true |   false
                   0 |    false |      COUNTY |          20 |        4 |    false |    true
                   2 |    false |      COUNTY |          11 |        4 |    false |    true
"""
GIVEN = {"asked_terms": TERMS, "wanted_cells": CELLS, "t1": T1}


def test_cells_are_added_up(run_sql):
    rows = run_sql("wanted_counts", given=GIVEN)
    assert (0, False, "COUNTY", 30, 2, 4.0, False, True) in rows


def test_bins_that_are_wanted_in_part_are_no_whole_count(run_sql):
    assert [row[7] for row in run_sql("wanted_counts", given=GIVEN) if row[0] == 2] == [False]


def test_a_group_without_a_table_has_its_total_and_nothing_else(run_sql):
    rows = {row[0]: row[3:] for row in run_sql("wanted_counts", given=GIVEN) if row[0] in (1, 3)}
    assert rows == {1: (40, 1, 4.0, True, True), 3: (40, 1, 4.0, True, False)}
