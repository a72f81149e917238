"""wanted_reconciled: the reconciled counts that wanted statistics consist of."""

import pytest

from tests.sql.reconciled_tables import T1, T2
from tests.sql.test_wanted_measurements import ASKED

AGES = "                   {} |    false |      COUNTY |     01001 |           2210 | NULL |       {} |     {}\n"


@pytest.fixture
def counts(run_sql):
    asked = f"{ASKED}{AGES.format(4, 0, 17)}{AGES.format(5, 3, 17)}"
    return {row[0]: row[1:] for row in run_sql("wanted_reconciled", given={"asked_terms": asked, "t1": T1, "t2": T2})}


def test_totals_and_sexes_are_single_rows_with_their_intervals(counts):
    assert counts[0] == (False, 10, pytest.approx(8**0.5), 4, 16, True)
    assert counts[1] == (False, 3, 2, -1, 7, True)


def test_deviations_of_cells_are_added_up(counts):
    assert counts[4] == (False, 4, pytest.approx(2 * 2**0.5), None, None, True)


def test_ages_that_are_no_edges_of_bins_are_told(counts):
    assert (counts[4][-1], counts[5][-1]) == (True, False)
