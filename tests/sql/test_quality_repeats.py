"""quality_repeats: tables that equal the table of another group, cell by cell."""

import math

import pytest

from tests.sql.quality_tables import county, t2


def test_pairs_of_equal_tables_are_found_in_whatever_order_their_rows_stand(run_sql):
    rows = [*county(1, (5, 7), (4, 8)), *reversed(county(3, (5, 7), (4, 8))), *county(5, (7, 5), (4, 8))]
    ((looked, found, expected),) = run_sql("quality_repeats", given={"t2": t2(*rows)})
    assert (looked, found) == (3, 1)
    assert expected == pytest.approx(3 * (1 / math.sqrt(1 + 2 * 4)) ** 4)


def test_no_table_repeats_none(run_sql):
    assert run_sql("quality_repeats", given={"t2": t2()}) == [(0, 0, 0.0)]
