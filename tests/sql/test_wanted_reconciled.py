"""wanted_reconciled: the reconciled counts that wanted statistics consist of."""

import pytest

from tests.sql.evaluated_tables import LADDER_ROWS
from tests.sql.reconciled_tables import T1, T2
from tests.sql.test_wanted_measurements import ASKED

AGES = "                   4 |    false |      COUNTY |     01001 |           2210 |                2 |   NULL\n"
CELLS = """
    statistic_number | is_other | noisy_count | variance | is_whole
    -----------------+----------+-------------+----------+---------
                   0 |    false |          10 |      8.0 |     true
                   1 |    false |           1 |      2.0 |     true
                   1 |    false |           2 |      2.0 |     true
                   4 |    false |           1 |      2.0 |    false
                   4 |    false |           3 |      2.0 |    false
"""


@pytest.fixture
def counts(run_sql):
    given = {"asked_terms": f"{ASKED}{AGES}", "wanted_cells": CELLS, "ladder_rows": LADDER_ROWS, "t1": T1, "t2": T2}
    return {row[0]: row[1:] for row in run_sql("wanted_reconciled", given=given)}


def test_totals_and_sexes_are_single_rows_with_their_intervals(counts):
    assert counts[0] == (False, 10, pytest.approx(8**0.5), 4, 16, True)
    assert counts[1] == (False, 3, 2, -1, 7, True)


def test_deviations_of_cells_are_added_up(counts):
    assert counts[4] == (False, 4, pytest.approx(2 * 2**0.5), None, None, False)
