"""shared_counts: how many independent counts are in both counts of a wanted statistic."""

from tests.sql.wanted_tables import TERMS

CELLS = """
    statistic_number | is_other | sex | age_start
    -----------------+----------+-----+----------
                   0 |    false |   1 |         0
                   0 |    false |   1 |        18
                   0 |     true |   1 |        18
                   0 |     true |   2 |        18
"""
COUNTS = """
    statistic_number | is_total
    -----------------+---------
                   0 |    false
                   4 |     true
"""


def test_cells_in_both_are_counted_and_a_total_alone_is_one(run_sql):
    given = {"asked_terms": TERMS, "wanted_cells": CELLS, "wanted_counts": COUNTS}
    assert sorted(run_sql("shared_counts", given=given)) == [(0, 1), (4, 1)]
