"""Intervals from reconciled counts: those that are stated, and bounds for what is computed of several."""

from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.statistics.intervals import (
    Reconciled,
    reconciled_counts,
    reconciled_differences,
    reconciled_ratios,
)

ONE = Reconciled(np.array([100.0, 50.0]), np.array([4.0, 4.0]), np.array([92.0, np.nan]), np.array([107.0, np.nan]))
OTHER = Reconciled(np.array([200.0, 3.0]), np.array([3.0, 3.0]), np.array([np.nan] * 2), np.array([np.nan] * 2))
LEVEL = Fraction(95, 100)


def test_a_single_row_has_the_interval_beside_it_and_a_sum_that_of_its_deviation() -> None:
    found = reconciled_counts(ONE, "zcdp", LEVEL)
    assert (found.lows.tolist(), found.highs.tolist()) == (
        pytest.approx([92, 50 - 8.34], abs=0.01),
        pytest.approx([107, 50 + 8.34], abs=0.01),
    )


def test_a_difference_allows_for_errors_that_go_opposite_ways() -> None:
    found = reconciled_differences(ONE, OTHER, "zcdp", LEVEL)
    assert (found.highs - found.estimates).tolist() == pytest.approx([1.96 * 7 + 0.5] * 2, abs=0.01)


def test_a_ratio_to_a_count_that_may_be_0_has_no_upper_end() -> None:
    found = reconciled_ratios(ONE, OTHER, "zcdp", LEVEL)
    assert (found.lows[0] < 0.5 < found.highs[0], np.isposinf(found.highs[1])) == (True, True)
