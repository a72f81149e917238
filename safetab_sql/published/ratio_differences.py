"""Differences of two ratios, such as percentages: intervals and p-values from what is known of each ratio by itself.

Both ratios may share noise, and how does not matter: what is said of each holds with a chance, and the chances to err
add up at most. Source: accuracy.md section 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.published.derived import Intervals
from safetab_sql.published.ratio_noise import BETWEEN, PLACES, PairNoise, chances_beyond

_HALVINGS = 40  # of the range in which both ratios may meet


@dataclass(frozen=True, slots=True)
class NoisyRatios:
    """Pairs of noisy counts whose ratio is wanted: float64[n] both, persons. noises: places in a list of noises."""

    one: Floats
    other: Floats
    noises: Int64s


def ratio_differences(first: Intervals, second: Intervals) -> Intervals:
    """First ratios less second ones. Each interval misses with half the chance with which that of the difference may.

    There are no p-values: see `equal_ratio_chances`. NaN where either has no interval.
    """
    ends = first.lows - second.highs, first.highs - second.lows
    usable = ~np.isnan(ends[0])
    found = np.where(usable, first.estimates - second.estimates, np.nan)
    return Intervals(found, *ends, np.full(found.size, np.nan))


def equal_ratio_chances(first: NoisyRatios, second: NoisyRatios, noises: Sequence[PairNoise]) -> Floats:
    """P-values of the hypothesis that both ratios are the same, float64[n]; those below 2e-8 are not told apart.

    At a ratio r that both may have, noise is as far from 0 as one - r other with a chance of p for the first ratio, and
    of q for the second; both are with a chance of at most 2 min(p, q), and the largest of these over all r is the
    p-value. It is at most 1 less a level where the intervals of both ratios at half the miss do not meet.
    """
    chances = _Chances(noises)
    is_first = np.array(first.one / first.other <= second.one / second.other)
    small, large = _chosen(is_first, first, second), _chosen(is_first, second, first)
    last = np.where(chances.are_parts(small) | chances.are_parts(large), 1.0, np.inf)
    low, high = (np.clip(each.one / each.other, 0, last) for each in (small, large))
    from_0, to_last = chances.of(large, np.zeros(low.size)), chances.of(small, last)
    for _ in range(_HALVINGS):  # from the small ratio to the large one, p falls and q rises
        middle = (low + high) / 2
        is_left = chances.of(small, middle) > chances.of(large, middle)
        low, high = np.where(is_left, middle, low), np.where(is_left, high, middle)
    at_low, at_high = ((chances.of(small, each), chances.of(large, each)) for each in (low, high))
    between = np.minimum(np.maximum(at_low[0], at_high[0]), np.maximum(at_low[1], at_high[1]))
    below, above = np.maximum(at_low[1], from_0), np.maximum(at_high[0], to_last)
    return np.asarray(np.minimum(1, 2 * np.maximum(between, np.maximum(below, above))), dtype=np.float64)


def _chosen(mask: npt.NDArray[np.bool_], one: NoisyRatios, other: NoisyRatios) -> NoisyRatios:
    return NoisyRatios(
        np.where(mask, one.one, other.one),
        np.where(mask, one.other, other.other),
        np.where(mask, one.noises, other.noises),
    )


class _Chances:
    """The chances that noise is as far from 0 as one - r other, of several noises one behind the other."""

    def __init__(self, noises: Sequence[PairNoise]) -> None:
        listed = [chances_beyond(noise) for noise in noises]
        self._sizes = np.array([each.size for each in listed])
        self._firsts = np.cumsum(self._sizes) - self._sizes
        self._values = np.concatenate(listed)
        self._variances = np.array([noise.variances for noise in noises])
        self._parts = np.array([noise.is_part for noise in noises])

    def are_parts(self, ratios: NoisyRatios) -> npt.NDArray[np.bool_]:
        """Whether the one count of each is a part of the other."""
        return np.asarray(self._parts[ratios.noises])

    def of(self, ratios: NoisyRatios, values: Floats) -> Floats:
        """The chance of each at a ratio; infinity: of the other count by itself."""
        v_one, v_other, v_both = self._variances[ratios.noises].T
        is_end = np.isinf(values)
        r = np.where(is_end, 0.0, values)
        distances = np.where(is_end, ratios.other, ratios.one - r * ratios.other)
        squared = np.where(is_end, v_other, v_one - 2 * r * v_both + r**2 * v_other)
        deviations = np.abs(distances) / np.sqrt(np.maximum(squared, 1e-12))
        places = np.ceil(np.minimum(deviations / BETWEEN, 1e6) * PLACES).astype(np.int64) - 1
        return np.asarray(
            self._values[self._firsts[ratios.noises] + np.clip(places, 0, self._sizes[ratios.noises] - 1)]
        )
