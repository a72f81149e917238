"""quality_round_counts: cells of tables that are multiples of five."""

import math

import pytest

from tests.sql.quality_tables import county, t2


def test_multiples_of_five_are_found_whatever_their_sign(run_sql):
    ((looked, found, expected),) = run_sql("quality_round_counts", given={"t2": t2(*county(1, (0, -5), (14, 15)))})
    assert (looked, found) == (4, 3)
    assert expected == pytest.approx(4 * (0.2 + 1 / math.sqrt(1 + 2 * 4)))


def test_where_noise_is_hardly_any_every_cell_may_be_one(run_sql):
    rows = t2(*county(1, (1, 2), (3, 4), variance=0.001))
    assert run_sql("quality_round_counts", given={"t2": rows}) == [(4, 0, 4.0)]
