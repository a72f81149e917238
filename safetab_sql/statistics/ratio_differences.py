"""Differences of two ratios, such as percentages: intervals and p-values from what is known of each ratio by itself.

Both ratios may share noise, and how does not matter: what is said of each holds with a chance, and the chances to err
add up at most. Source: accuracy.md section 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.statistics.intervals import Intervals
from safetab_sql.statistics.ratios import BETWEEN, PLACES, PairNoise, chances_beyond

_HALVINGS = 45  # of a range of angles in which both ratios may meet
_LEAST = 1e-12  # variance, in place of 0


@dataclass(frozen=True, slots=True)
class NoisyRatios:
    """Pairs of noisy counts whose ratio is wanted: float64[n] both, persons. noises: places in a list of noises."""

    one: Floats
    other: Floats
    noises: Int64s


def ratio_differences(first: Intervals, second: Intervals) -> Intervals:
    """First ratios less second ones. Each interval misses with half the chance with which that of the difference may.

    There are no p-values: see `equal_ratio_chances`. Infinite on a side where a ratio may be without end; NaN where
    either has no interval.
    """
    found, none = first.estimates - second.estimates, np.full(first.estimates.size, np.nan)
    return Intervals(found, first.lows - second.highs, first.highs - second.lows, none)


def equal_ratio_chances(first: NoisyRatios, second: NoisyRatios, noises: Sequence[PairNoise]) -> Floats:
    """P-values of the hypothesis that both ratios are the same, float64[n]; those below 2e-8 are not told apart.

    At a ratio r that both may have, noise is as far from 0 as one - r other with a chance of p for the first ratio, and
    of q for the second; both are with a chance of at most 2 min(p, q), and the largest of these over all r is the
    p-value. It is at most 1 less a level where the intervals of both ratios at half the miss do not meet.

    Ratios are looked at as angles, r = tan(angle). Between angles where p and q turn, both rise or fall throughout: so
    the largest min(p, q) between two of them is at one of them, or where p and q cross.
    """
    one, other = (_Chances(each, noises) for each in (first, second))
    last = np.where(one.is_part | other.is_part, pi / 4, pi / 2)
    turns = np.stack([np.zeros(last.size), *one.turns, *other.turns, last])
    turns = np.sort(np.minimum(turns, last), axis=0)
    found = np.minimum(one.at(last), other.at(last))
    for low, high in pairwise(turns):
        found = np.maximum(
            found, np.maximum(np.minimum(one.at(low), other.at(low)), _at_crossing(one, other, low, high))
        )
    return np.asarray(np.minimum(1, 2 * found), dtype=np.float64)


def _at_crossing(one: "_Chances", other: "_Chances", low: Floats, high: Floats) -> Floats:
    """At least min(p, q) where p and q cross between two angles, and hardly more; where they do not, at an angle."""
    is_less = one.at(low) < other.at(low)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_before = (one.at(middle) < other.at(middle)) == is_less
        low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
    p, q = (np.maximum(each.at(low), each.at(high)) for each in (one, other))
    return np.asarray(np.minimum(p, q), dtype=np.float64)


class _Chances:
    """The chances that noise is as far from 0 as cos(angle) one - sin(angle) other, of ratios one behind the other."""

    def __init__(self, ratios: NoisyRatios, noises: Sequence[PairNoise]) -> None:
        listed = [chances_beyond(noise) for noise in noises]
        sizes = np.array([each.size for each in listed])
        self._values = np.concatenate(listed)
        self._lasts = sizes[ratios.noises] - 1
        self._firsts = (np.cumsum(sizes) - sizes)[ratios.noises]
        self._variances = np.array([noise.variances for noise in noises])[ratios.noises].T
        self._ratios = ratios
        self.is_part = np.array([noise.is_part for noise in noises])[ratios.noises]

    @property
    def turns(self) -> tuple[Floats, Floats]:
        """The angles from 0 to pi at which the chance is largest (1, the noisy ratio itself) and smallest."""
        one, other = self._ratios.one, self._ratios.other
        v_one, v_other, v_both = self._variances
        smallest = np.arctan2(one * v_both - other * v_one, one * v_other - other * v_both)
        return np.arctan2(one, other) % pi, smallest % pi

    def at(self, angles: Floats) -> Floats:
        """The chance of each at an angle from 0 to pi / 2."""
        v_one, v_other, v_both = self._variances
        x, y = np.cos(angles), np.sin(angles)
        squared = x * x * v_one - 2 * x * y * v_both + y * y * v_other
        distances = np.abs(x * self._ratios.one - y * self._ratios.other)
        deviations = distances / np.sqrt(np.maximum(squared, _LEAST))
        places = np.ceil(np.minimum(deviations / BETWEEN, 1e6) * PLACES).astype(np.int64) - 1
        return np.asarray(self._values[self._firsts + np.clip(places, 0, self._lasts)])
