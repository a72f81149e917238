"""Ranks of counts among one another, with intervals that hold together.

All differences of two counts get intervals that hold at once: each of n (n - 1) / 2 misses with that part of the chance
to miss. A count is surely larger than another one where the interval of their difference is above 0. Where all of these
intervals hold, so do all ranks: at least 1 and the number of counts that are surely larger, at most n less the number
that are surely smaller. Source: Klein, Wright and Wieczorek (2020), section 3; change.md section 5.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.published.intervals import NoiseTerm, margin_of_terms
from safetab_sql.statistics.intervals import Intervals


@dataclass(frozen=True, slots=True)
class Ranked:
    """Counts of one kind. estimates: persons, NaN where there is none. lows, highs: see `pair_level`.

    noise: of each count; None where its error is not the noise that was drawn.
    """

    estimates: Floats
    lows: Floats
    highs: Floats
    noise: tuple[NoiseTerm, ...] | None


def pair_level(size: int, level: Fraction) -> Fraction:
    """The level of the interval of one difference of so many counts; one of a count by itself misses half as often."""
    return 1 - (1 - level) / max(1, size * (size - 1) // 2)


def rank_intervals(parts: Sequence[Ranked], size: int, level: Fraction) -> Intervals:
    """The ranks of counts among `size`, 1 for the largest, in the order of the parts, with intervals that hold jointly.

    The counts of which nothing is known may have any rank.
    """
    own = pair_level(size, level)
    estimates = np.concatenate([part.estimates for part in parts])
    larger = np.concatenate([sum(_surely_larger(part, other, own) for other in parts) for part in parts])
    smaller = np.concatenate([sum(_surely_smaller(part, other, own) for other in parts) for part in parts])
    known = np.sort(estimates[~np.isnan(estimates)])
    found = 1.0 + known.size - np.searchsorted(known, estimates, side="right")
    none = np.full(estimates.size, np.nan)
    return Intervals(np.where(np.isnan(estimates), np.nan, found), larger + 1.0, size - smaller * 1.0, none)


def _surely_larger(part: Ranked, other: Ranked, level: Fraction) -> Int64s:
    """How many of the other counts are surely larger than each."""
    if (margin := _margin(part, other, level)) is None:
        ends = np.sort(other.lows)
        return np.asarray(ends.size - np.searchsorted(ends, part.highs, side="right"), dtype=np.int64)
    ends = np.sort(other.estimates)
    return np.asarray(ends.size - np.searchsorted(ends, part.estimates + margin, side="right"), dtype=np.int64)


def _surely_smaller(part: Ranked, other: Ranked, level: Fraction) -> Int64s:
    """How many of the other counts are surely smaller than each."""
    if (margin := _margin(part, other, level)) is None:
        return np.asarray(np.searchsorted(np.sort(other.highs), part.lows, side="left"), dtype=np.int64)
    ends = np.sort(other.estimates)
    return np.asarray(np.searchsorted(ends, part.estimates - margin, side="left"), dtype=np.int64)


def _margin(part: Ranked, other: Ranked, level: Fraction) -> int | None:
    """The margin of a difference of two counts; None where one is known by its ends alone.

    Counts may have noise in common. It cancels, and what is left is within the margin at least as often: noise is
    symmetric and falls off on both sides.
    """
    if part.noise is None or other.noise is None:
        return None
    draws: Counter[tuple[Law, int | Fraction]] = Counter()
    for term in (*part.noise, *other.noise):
        draws[term.law, term.coefficient] += term.draws
    return margin_of_terms(tuple(NoiseTerm(law, times, many) for (law, times), many in draws.items()), level).moe95
