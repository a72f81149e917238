"""Sums given both stages: right on average whatever the true count is, given the table that stage 1 chose."""

import numpy as np
import pytest

from safetab_sql.reconciliation.stage_1 import Chosen, better_sums

DEVIATION = 16.8  # of stage 1, persons: COUNTY-2 of 2020
FIRST, END = 971, 4971


def moments(cells: int, distance: float, *, deviation: float = DEVIATION, end: int | None = END) -> tuple[float, ...]:
    """Bias, variance, mean of the stated variance, and variance of stage 2 alone, summed over all noise.

    distance: of the true count above the threshold, standard deviations of stage 1.
    """
    chosen = Chosen(deviation**2, cells * deviation**2 / 9, FIRST, end)
    true = round(FIRST + distance * deviation)
    wide, sums = int(12 * deviation), int(9 * chosen.sum_variance**0.5)
    stage_1 = np.arange(max(FIRST, true - wide), min(END, max(FIRST, true) + wide))
    summed = np.arange(true - sums, true + sums + 1)
    logs = -((stage_1 - true) ** 2) / (2 * deviation**2)
    chances = np.exp(logs - logs.max())[:, None] * np.exp(-((summed - true) ** 2) / (2 * chosen.sum_variance))
    chances /= chances.sum()
    x, s = np.meshgrid(stage_1.astype(float), summed.astype(float), indexing="ij")
    found = better_sums(chosen, x.ravel(), s.ravel())
    estimates = found.sums.reshape(x.shape)
    mean = (chances * estimates).sum()
    stated = (chances * found.variances.reshape(x.shape)).sum()
    return mean - true, (chances * (estimates - mean) ** 2).sum(), stated, chosen.sum_variance


@pytest.mark.parametrize("cells", [8, 46])
@pytest.mark.parametrize("distance", [-3, -1, 0, 1.5, 8])
def test_a_sum_is_right_on_average_and_so_is_its_variance(cells: int, distance: float) -> None:
    bias, variance, stated, alone = moments(cells, distance)
    assert (bias, stated) == (pytest.approx(0, abs=4e-3 * DEVIATION), pytest.approx(variance, rel=4e-3))
    assert variance <= alone * (1 + 1e-9)


def test_far_from_limits_a_sum_is_the_weighted_mean_of_both_stages() -> None:
    chosen = Chosen(9.0, 18.0, FIRST, None)
    found = better_sums(chosen, np.array([2000.0]), np.array([2030.0]))
    assert (found.sums[0], found.variances[0], found.usual_variance) == pytest.approx((2010, 6, 6))


def test_below_the_threshold_stage_1_says_next_to_nothing() -> None:
    """Four deviations below, the choice itself is nearly all that stage 1 tells."""
    _, variance, _, alone = moments(18, -4)
    assert variance > 0.9 * alone


def test_an_estimate_that_took_the_choice_for_no_choice_would_be_biased() -> None:
    """The power of the test above: the weighted mean of both stages is off by a deviation of stage 1 and more."""
    wide = np.arange(FIRST, FIRST + 200)
    chances = np.exp(-((wide - (FIRST - DEVIATION)) ** 2) / (2 * DEVIATION**2))
    bias = (chances / chances.sum() * wide).sum() - (FIRST - DEVIATION)
    assert 46 / 55 * bias > DEVIATION
