"""Intervals of what analysts compute from published counts: sums, differences, ratios and quantiles.

Everything here sees noisy counts and laws of noise. Arrays hold statistics of one shape: the same laws, and the same
numbers of independent counts. Source: accuracy.md sections 5 and 6.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.selection import selected_counts
from safetab_sql.published.ratio_noise import PairNoise, PairTerm, fieller
from safetab_sql.published.uncertainty import NoiseTerm, chances_within, margin_of_terms


@dataclass(frozen=True, slots=True)
class CountLaw:
    """Of a published count: the law of each of its independent counts, and how many there are.

    above: it is a total that is published only if it is larger, persons; None where it was not chosen for its size.
    """

    law: Law
    counts: int
    above: int | None = None

    @property
    def term(self) -> NoiseTerm:
        """Its noise."""
        return NoiseTerm(self.law, 1, self.counts)


@dataclass(frozen=True, slots=True)
class Shape:
    """The laws of two counts, and how many independent counts are in both."""

    one: CountLaw
    other: CountLaw
    shared: int

    @property
    def is_selected(self) -> bool:
        """Whether a count of the two was published for its size, and they are not the same."""
        return (self.one.above is not None or self.other.above is not None) and not self.shared

    @property
    def noise(self) -> PairNoise:
        """Of both counts. All that is in the one may be in the other."""
        terms = (
            PairTerm(self.one.law, 1, 0, self.one.counts - self.shared),
            PairTerm(self.other.law, 0, 1, self.other.counts - self.shared),
            PairTerm(self.one.law, 1, 1, self.shared),
        )
        return PairNoise(tuple(term for term in terms if term.draws), self.shared == self.one.counts)


@dataclass(frozen=True, slots=True)
class Intervals:
    """Estimates, ends of intervals and p-values: float64[n] each; NaN where there is none."""

    estimates: Floats
    lows: Floats
    highs: Floats
    p_values: Floats


def count_ends(count: CountLaw, noisy: Int64s, level: Fraction) -> tuple[Int64s, Int64s]:
    """The ends of intervals of true counts, given that they were published: int64[n] both, persons."""
    margin = margin_of_terms((count.term,), level).moe95
    lows, highs = noisy - margin, noisy + margin
    if count.above is None:
        return lows, highs
    near = selected_counts(count.law, count.above, 1 - level)
    if near is None:
        return np.zeros_like(noisy), highs
    if near:
        places = noisy - near[0].noisy_count
        is_near = places < len(near)
        lows[is_near] = np.array([one.low for one in near], dtype=np.int64)[places[is_near]]
        highs[is_near] = np.array([one.high for one in near], dtype=np.int64)[places[is_near]]
    return lows, highs


def counts(count: CountLaw, noisy: Int64s, level: Fraction) -> Intervals:
    """Counts and their intervals."""
    lows, highs = count_ends(count, noisy, level)
    none = np.full(noisy.size, np.nan)
    return Intervals(noisy.astype(np.float64), lows.astype(np.float64), highs.astype(np.float64), none)


def differences(shape: Shape, one: Int64s, other: Int64s, level: Fraction) -> Intervals:
    """One count less another, and the p-value of the hypothesis that there is no difference: int64[n] both, persons.

    p-value: the chance that noise alone makes a difference at least as large. Where a count was published for its size,
    each count has an interval that misses half as often, and there is no p-value.
    """
    found = (one - other).astype(np.float64)
    if shape.is_selected:
        (low, high), (other_low, other_high) = _both_ends(shape, one, other, level)
        ends = ((low - other_high).astype(np.float64), (high - other_low).astype(np.float64))
        return Intervals(found, *ends, np.full(found.size, np.nan))
    terms = _difference_terms(shape)
    margin = margin_of_terms(terms, level).moe95
    return Intervals(found, found - margin, found + margin, _p_values(terms, np.abs(one - other)))


def ratios(shape: Shape, one: Int64s, other: Int64s, level: Fraction) -> Intervals:
    """One count by another, and its interval by Fieller's method: int64[n] both, persons.

    The interval holds every r >= 0 (at most 1 if the one is a part of the other) with |one - r other| within the margin
    of its noise. NaN where the interval of the other count contains 0. Where a count was published for its size, each
    count has an interval that misses half as often, and the interval is that of all their ratios.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(other > 0, one / other, np.nan)
    if shape.is_selected:
        lows, highs = _selected_ratios(shape, one, other, level)
    else:
        lows, highs = fieller(shape.noise, one.astype(np.float64), other.astype(np.float64), level)
    most = 1.0 if shape.noise.is_part else np.inf
    usable = np.isfinite(lows) & np.isfinite(highs)
    lows, highs = (np.where(usable, np.clip(ends, 0, most), np.nan) for ends in (lows, highs))
    return Intervals(np.where(usable, found, np.nan), lows, highs, np.full(found.size, np.nan))


def _both_ends(
    shape: Shape, one: Int64s, other: Int64s, level: Fraction
) -> tuple[tuple[Int64s, Int64s], tuple[Int64s, Int64s]]:
    """The ends of both counts, each with half the chance to miss: together they miss with at most 1 - level."""
    half = (1 + level) / 2
    return count_ends(shape.one, one, half), count_ends(shape.other, other, half)


def _difference_terms(shape: Shape) -> tuple[NoiseTerm, ...]:
    """The noise of the difference: what both counts have in common cancels."""
    sides = ((shape.one.law, shape.one.counts - shape.shared), (shape.other.law, shape.other.counts - shape.shared))
    draws: dict[Law, int] = {}
    for law, number in sides:
        draws[law] = draws.get(law, 0) + number
    return tuple(NoiseTerm(law, 1, number) for law, number in draws.items() if number)


def _p_values(terms: tuple[NoiseTerm, ...], distances: Int64s) -> Floats:
    """P(|noise| >= distance), float64[n]; NaN where the noise is too wide to convolve."""
    if not terms:
        return np.ones(distances.size)
    within = chances_within(terms)
    if within is None:
        return np.full(distances.size, np.nan)
    beyond = np.concatenate([[1.0], np.clip(1 - within / within[-1], 0, 1)])
    return np.asarray(beyond[np.minimum(distances, beyond.size - 1)], dtype=np.float64)


def _selected_ratios(shape: Shape, one: Int64s, other: Int64s, level: Fraction) -> tuple[Floats, Floats]:
    (low, high), (other_low, other_high) = _both_ends(shape, one, other, level)
    is_usable = other_low > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        lows = np.where(is_usable, np.maximum(low, 0) / other_high, np.nan)
        return lows, np.where(is_usable, np.maximum(high, 0) / other_low, np.nan)


def quantiles(law: Law, per_bin: int, share: Fraction, by_bin: Int64s, edges: Int64s, level: Fraction) -> Intervals:
    """The number, such as an age, below which `share` of a group are: estimates, and the least and greatest it may be.

    per_bin: independent counts in a bin, such as one a sex. by_bin: noisy persons, int64[n, bins]. edges: first number
    of each bin and one more than the last, int64[bins + 1]. Source: accuracy.md section 6.
    """
    bins = by_bin.shape[1]
    below = np.cumsum(by_bin, axis=1)
    total = below[:, -1:]
    p, q = share.numerator, share.denominator
    distances = q * below[:, :-1] - p * total  # (q - p) of those below the edge, less p of those above
    margins = np.array([_edge_margin(law, per_bin, share, edge, bins, level) for edge in range(1, bins)])
    over = np.cumprod(distances < -margins, axis=1).sum(axis=1)
    under = bins - 1 - np.cumprod((distances > margins)[:, ::-1], axis=1).sum(axis=1)
    first, last = np.minimum(over, under).astype(np.int64), np.maximum(over, under).astype(np.int64)
    estimates = _interpolated(by_bin, edges, float(share))
    none = np.full(by_bin.shape[0], np.nan)
    return Intervals(estimates, edges[first].astype(np.float64), edges[last + 1] - 1.0, none)


def _edge_margin(law: Law, per_bin: int, share: Fraction, edge: int, bins: int, level: Fraction) -> int:
    """The margin of (q - p) times the noise below an edge less p times that above, share = p / q."""
    p, q = share.numerator, share.denominator
    draws: dict[int, int] = {}
    for coefficient, number in ((q - p, edge * per_bin), (p, (bins - edge) * per_bin)):
        draws[coefficient] = draws.get(coefficient, 0) + number
    return margin_of_terms(tuple(NoiseTerm(law, each, number) for each, number in draws.items()), level).moe95


def _interpolated(by_bin: Int64s, edges: Int64s, share: float) -> Floats:
    """The quantile as if people of a bin were spread evenly over its numbers; NaN where nobody is left."""
    rising = np.maximum.accumulate(np.cumsum(np.maximum(by_bin, 0), axis=1), axis=1).astype(np.float64)
    summed = np.concatenate([np.zeros((rising.shape[0], 1)), rising], axis=1)
    wanted = share * rising[:, -1]
    place = np.minimum((summed[:, 1:] < wanted[:, None]).sum(axis=1), rising.shape[1] - 1)
    rows = np.arange(rising.shape[0])
    before, behind = summed[rows, place], summed[rows, place + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(behind > before, (wanted - before) / (behind - before), 0.0)
    found = edges[place] + part * (edges[place + 1] - edges[place])
    return np.asarray(np.where(rising[:, -1] > 0, found, np.nan), dtype=np.float64)
