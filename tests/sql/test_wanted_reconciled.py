"""wanted_reconciled: the reconciled counts that wanted statistics consist of."""

import pytest

from tests.sql.evaluated_tables import LADDER_ROWS
from tests.sql.reconciled_tables import T1, T2
from tests.sql.test_wanted_measurements import ASKED

AGES = "4 | false | COUNTY | 01001 | 2210 | 2 | NULL | 4\n"
CELLS = """
    statistic_number | is_other | noisy_count | variance | moe95 | term_number
                   0 |    false |          10 |      8.0 |   6.0 |           0
                   1 |    false |           1 |      2.0 |   5.5 |           1
                   1 |    false |           2 |      2.0 |   3.0 |           1
                   4 |    false |           1 |      2.0 |   5.5 |           4
                   4 |    false |           3 |      2.0 |   2.0 |           4
"""


@pytest.fixture
def counts(run_sql):
    given = {"asked_terms": f"{ASKED}{AGES}", "wanted_cells": CELLS, "ladder_rows": LADDER_ROWS}
    rows = run_sql("wanted_reconciled", given={**given, "t1": T1, "t2": T2})
    return {number: sorted(row[1:] for row in rows if row[0] == number) for number in (0, 1, 4)}


def test_totals_and_sexes_are_single_rows_and_other_counts_the_cells_that_they_add_up(counts):
    assert counts[0] == [(False, 10, 8, 6, 4, 16)]
    assert counts[1] == [(False, 3, 4, 4, -1, 7)]
    assert counts[4] == [(False, 1, 2, 5.5, None, None), (False, 3, 2, 2, None, None)]
