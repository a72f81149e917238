"""Intervals of what analysts compute from published counts: sums, differences, ratios and quantiles.

Everything here sees noisy counts and laws of noise. Arrays hold statistics of one shape: the same laws, and the same
numbers of independent counts. Source: accuracy.md sections 5 and 6.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law, reach
from safetab_sql.laws.selection import selected_counts
from safetab_sql.published.uncertainty import NoiseTerm, chances_within, margin_of_terms
from safetab_sql.statistics.ratios import PairNoise, PairTerm, fieller
from safetab_sql.statistics.sum_errors import ErrorTerm, largest_error

OF_BOUNDS = Fraction(1, 10)  # of the chance to miss, for the bounds of true counts on which the bound of a sum rests
NOTHING = -(2**62)  # persons: what all noise exceeds


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
    """Estimates, ends of intervals and p-values: float64[n] each; NaN where there is none.

    An interval without an end on a side is infinite there.
    """

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
    the interval allows for it, see sum_intervals.py, and there is no p-value.
    """
    found = (one - other).astype(np.float64)
    if shape.is_selected:
        below, above = (
            _largest_errors(shape.one, one, shape.other, level),
            _largest_errors(shape.other, other, shape.one, level),
        )
        return Intervals(found, found - below, found + above, np.full(found.size, np.nan))
    terms = _difference_terms(shape)
    margin = margin_of_terms(terms, level).moe95
    return Intervals(found, found - margin, found + margin, _p_values(terms, np.abs(one - other)))


def _largest_errors(added: CountLaw, noisy: Int64s, subtracted: CountLaw, level: Fraction) -> Int64s | int:
    """How far differences may exceed the true ones, but for a chance of (1 - level) / 2: int64[n], or one for all."""
    miss = (1 - level) / 2
    other = ErrorTerm(subtracted.law, 1, subtracted.counts)
    if added.above is None:
        return largest_error((ErrorTerm(added.law, 1, added.counts), other), miss)
    values, places = np.unique(known_noise(added, noisy, OF_BOUNDS * miss), return_inverse=True)
    known = [None if value == NOTHING else value for value in values.tolist()]
    errors = [largest_error((ErrorTerm(added.law, 1, 1, each), other), miss * (1 - OF_BOUNDS)) for each in known]
    return np.array(errors, dtype=np.int64)[places.ravel()]


def known_noise(count: CountLaw, noisy: Int64s, miss: Fraction) -> Int64s:
    """What the noise of counts that were published for their size exceeds at most, but for a chance of `miss` each.

    A count was published because its noise exceeds the limit less the true count, and that is at least the lower end of
    an interval. `NOTHING` where it is published but for a chance below 2^-64.
    """
    lows, _ = count_ends(count, noisy, 1 - 2 * miss)
    known = (count.above or 0) - np.maximum(lows, 0)
    return np.where(known < -reach(count.law, 64), NOTHING, known)


def ratios(shape: Shape, one: Int64s, other: Int64s, level: Fraction) -> Intervals:
    """One count by another, and its interval by Fieller's method: int64[n] both, persons.

    Every ratio has an interval: infinite above where the other count may be 0. Its estimate is NaN where the other
    count is not above 0. Where a count was published for its size, each count has an interval that misses half as
    often, and the interval is that of all their ratios.
    """
    if shape.is_selected:
        lows, highs = quotients(*_both_ends(shape, one, other, level))
    else:
        lows, highs = fieller(shape.noise, one.astype(np.float64), other.astype(np.float64), level)
    return Intervals(quotient_estimates(one, other), lows, highs, np.full(one.size, np.nan))


def quotient_estimates(one: Int64s | Floats, other: Int64s | Floats) -> Floats:
    """One count by another, float64[n]; NaN where the other is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(other > 0, one / other, np.nan), dtype=np.float64)


def quotients(
    one: tuple[Int64s | Floats, Int64s | Floats], other: tuple[Int64s | Floats, Int64s | Floats]
) -> tuple[Floats, Floats]:
    """The least and the greatest ratio of what two intervals allow; infinity where the other count may be 0.

    one, other: lower and upper ends, persons; what is below 0 is no count.
    """
    (low, high), (other_low, other_high) = ([np.maximum(end, 0) for end in ends] for ends in (one, other))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(other_high > 0, low / other_high, 0.0), np.where(other_low > 0, high / other_low, np.inf)


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
