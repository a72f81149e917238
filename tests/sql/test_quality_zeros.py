"""quality_zeros: cells of tables that are 0."""

import math

import pytest

from tests.sql.quality_tables import county, t2


def test_cells_of_0_are_found_and_sums_are_not_cells(run_sql):
    rows = t2(*county(1, (0, 7), (-4, 4)), *county(3, (0, 0), (4, 9)))
    ((looked, found, expected),) = run_sql("quality_zeros", given={"t2": rows})
    assert (looked, found) == (8, 3)
    assert expected == pytest.approx(8 / math.sqrt(1 + 2 * 4))
