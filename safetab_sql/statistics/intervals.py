"""Intervals of what analysts compute from published counts: sums, differences, ratios and quantiles.

Everything here sees published counts and what is known of their errors. Arrays hold statistics of one shape: the same
laws, and the same numbers of independent counts. Of reconciled counts, which share noise in ways that their folder does
not tell, deviations are known: the error of a sum of counts is at most as wide as if all errors went the same way.
Source: accuracy.md sections 5 and 6; reconciliation.md section 7.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import ceil, floor, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.noise import Law, variance
from safetab_sql.laws.selection import selected_counts
from safetab_sql.published.margins import NoiseTerm, chances_as_far, margin_of_terms, tails
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.statistics.ratios import Counted, Shape, Term, fieller, margins_in_deviations, quotient_estimates

# How far a sum of published counts may exceed the true sum, where counts were chosen for their size or cut at 0.
#
# A count that was published for its size is too large on average, and so is one that would be below 0 and was set to 0.
# What is known of either is its largest error, in the sense that no error exceeds a bound with a larger chance.
# Source: accuracy.md section 5.1.

_BITS = 64  # what happens with a chance below 2^-64 is left out
_RAREST = 2.0**-40  # chance of being published below which the law of the error is not computed
_NEGLIGIBLE = 1e-12  # chance that a convolution may assign to a wrong value
_SLACK = 1e-9  # far above the error of convolutions in floats
_FINENESS = 0.005  # what rounding up to a lattice may add to a sum, in standard deviations, if points suffice
_MOST_POINTS = 2**22  # of a lattice


@dataclass(frozen=True, slots=True)
class ErrorTerm:
    """`draws` independent errors of counts with noise of `law`, each multiplied by `coefficient` > 0, added.

    beyond: they are the noise given that it is larger, persons; None where nothing is known of it. is_clipped: they are
    the noise where it is positive, else 0.
    """

    law: Law
    coefficient: int
    draws: int
    beyond: int | None = None
    is_clipped: bool = False


@lru_cache(maxsize=4096)
def largest_error(terms: tuple[ErrorTerm, ...], miss: Fraction) -> int:
    """Some m, hardly more than the smallest, with P(sum of terms > m) <= miss, persons."""
    if all(term.beyond is None and not term.is_clipped for term in terms):
        plain = tuple(NoiseTerm(term.law, term.coefficient, term.draws) for term in terms)
        return margin_of_terms(plain, 1 - 2 * miss).moe95
    spread = sqrt(sum(term.draws * term.coefficient**2 * float(variance(term.law)) for term in terms))
    # Every draw is rounded up to a lattice of this step, persons.
    step = max(1, floor(2 * _FINENESS * spread / sum(term.draws for term in terms)))
    while (found := _sum_of(terms, step)) is None:
        step *= 2
    first, chances = found
    beyond = 1 - np.cumsum(chances)
    return step * (first + int(np.argmax(beyond <= float(miss) - _SLACK)))


def _sum_of(terms: Sequence[ErrorTerm], step: int) -> tuple[int, Floats] | None:
    """The first value and the chances of the sum on a lattice, but for 10^-12; None where there are too many values."""
    laws = [(*_rounded_up(term, step), term.draws) for term in terms]
    low, high = -_exponential_bound(laws, -1), _exponential_bound(laws, 1)
    size = 1 << (high - low + 1).bit_length()
    if size > _MOST_POINTS:
        return None
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    for first, chances, draws in laws:
        around = np.bincount((first + np.arange(chances.size)) % size, weights=chances, minlength=size)
        transform *= np.fft.rfft(around) ** draws
    return low, np.roll(np.fft.irfft(transform, size), -(low % size))


def _rounded_up(term: ErrorTerm, step: int) -> tuple[int, Floats]:
    """The first value and the chances of one draw of a term, on multiples of `step`."""
    furthest = term.law.reach(_BITS)
    low = 0 if term.is_clipped else -term.coefficient * furthest
    high = term.coefficient * (furthest + max(0, term.beyond or 0))
    values = np.arange(floor(low / step), ceil(high / step) + 1, dtype=np.int64)
    exceeding = _chances_above(term, values * step // term.coefficient)
    exceeding[-1] = 0
    return int(values[0]), -np.diff(exceeding, prepend=1.0)


def _chances_above(term: ErrorTerm, bounds: Int64s) -> Floats:
    """P(one draw > bound), without the coefficient: float64[n]."""
    found = tails(term.law, bounds)
    if term.beyond is not None:
        published = tails(term.law, np.array([term.beyond]))[0]
        rare = published < _RAREST
        found = np.ones(bounds.size) if rare else np.where(bounds <= term.beyond, 1.0, found / published)
    return np.where(bounds < 0, 1.0, found) if term.is_clipped else found


def _exponential_bound(laws: Sequence[tuple[int, Floats, int]], sign: int) -> int:
    """Some n with P(sign * sum > n) < 10^-12: Chernoff's bound, the best of some exponents."""
    reaches = [max(abs(first), abs(first + chances.size)) for first, chances, _ in laws]
    best = float(sum(furthest * draws for furthest, (_, _, draws) in zip(reaches, laws, strict=True)))
    for theta in np.geomspace(20 / max(reaches), 1e-4 / max(reaches), 40):
        moments = (
            draws * log(float(np.exp(sign * theta * (first + np.arange(chances.size))) @ chances))
            for first, chances, draws in laws
        )
        best = min(best, (log(1 / _NEGLIGIBLE) + sum(moments)) / theta)
    return ceil(best)


_OF_BOUNDS = Fraction(1, 10)  # of the chance to miss, for the bounds of true counts on which the bound of a sum rests
_NOTHING = -(2**62)  # persons: what all noise exceeds
_HALF = 0.5  # person: noise is on whole numbers
_USUAL = Fraction(95, 100)


class Intervals(NamedTuple):
    """Estimates, ends (infinite: without end) and p-values: float64[n] each; NaN where there is none."""

    estimates: Floats
    lows: Floats
    highs: Floats
    p_values: Floats = np.array(np.nan)


# --- sums and differences ---


def noise_terms(shape: Shape) -> tuple[NoiseTerm, ...]:
    """The noise of the one sum."""
    return joined((term.law, abs(term.one), term.draws) for term in shape.terms)


def joined(terms: Iterable[tuple[Law, int | Fraction, int]]) -> tuple[NoiseTerm, ...]:
    """Noise by its law, its coefficient and its draws: what has one law and one coefficient is one term."""
    draws: Counter[tuple[Law, int | Fraction]] = Counter()
    for law, coefficient, number in terms:
        draws[law, coefficient] += number
    return tuple(NoiseTerm(law, coefficient, number) for (law, coefficient), number in draws.items())


def sums(counted: Counted, level: Fraction) -> Intervals:
    """Sums of counts, each added or subtracted: the one sums, and intervals; no p-values, see `p_values`."""
    lows, highs = sum_ends(counted, level)
    return Intervals(counted.one.astype(np.float64), lows.astype(np.float64), highs.astype(np.float64))


def differences(counted: Counted, level: Fraction) -> Intervals:
    """The one sums less the other ones: what both have in common cancels. With p-values."""
    net = _side(counted, [term.one - term.other for term in counted.shape.terms], counted.one - counted.other)
    return sums(net, level)._replace(p_values=p_values(net.shape, net.one))


def one_side(counted: Counted, *, is_other: bool) -> Counted:
    """The one sums by themselves, or the other ones."""
    times = [term.other if is_other else term.one for term in counted.shape.terms]
    return _side(counted, times, counted.other if is_other else counted.one)


def _side(counted: Counted, times: Sequence[int], found: Int64s) -> Counted:
    """The sums `found` by themselves. times: how often each term is in them."""
    both = list(zip(counted.shape.terms, times, strict=True))
    kept = tuple(replace(term, one=often, other=0) for term, often in both if often)
    is_kept = [often != 0 for term, often in both if term.above is not None for _ in range(term.draws)]
    return Counted(Shape(kept, counted.shape.is_clipped), found, 0 * found, counted.chosen[:, is_kept])


def p_values(shape: Shape, found: Int64s) -> Floats:
    """The chance that noise alone is at least as far from 0 as each sum, float64[n].

    NaN where errors are not the noise that was drawn.
    """
    return chances_as_far(noise_terms(shape), found) if shape.is_as_drawn else np.full(found.size, np.nan)


def count_ends(term: Term, noisy: Int64s, level: Fraction) -> tuple[Int64s, Int64s]:
    """The ends of intervals of true counts, each by itself, given that they were published; persons."""
    margin = margin_of_terms((NoiseTerm(term.law, 1, 1),), level).moe95
    lows, highs = noisy - margin, noisy + margin
    if term.above is None:
        return lows, highs
    near = selected_counts(term.law, term.above, 1 - level)
    if near is None:
        return np.zeros_like(noisy), highs
    if near:
        places = noisy - near[0].noisy_count
        is_near = places < len(near)
        lows[is_near] = np.array([one.low for one in near], dtype=np.int64)[places[is_near]]
        highs[is_near] = np.array([one.high for one in near], dtype=np.int64)[places[is_near]]
    return lows, highs


def sum_ends(counted: Counted, level: Fraction) -> tuple[Int64s, Int64s]:
    """The ends of intervals of sums, some counts of which may have been published for their size, or cut at 0.

    One count has its own interval. Source: accuracy.md section 5.1.
    """
    shape = counted.shape
    if [term.draws for term in shape.terms] == [1]:
        times = shape.terms[0].one
        both = [times * end for end in count_ends(shape.terms[0], counted.one // times, level)]
        lows, highs = np.minimum(*both), np.maximum(*both)
    else:
        lows = counted.one - _largest_errors(counted, 1, level)
        highs = counted.one + _largest_errors(counted, -1, level)
    if all(term.one > 0 for term in shape.terms) and not shape.is_as_drawn:
        lows, highs = np.maximum(lows, 0), np.maximum(highs, 0)
    return lows, highs


def _largest_errors(counted: Counted, sign: int, level: Fraction) -> Int64s:
    """How far sign * a noisy sum may exceed sign * the true one, int64[n]: missed with a chance of (1 - level) / 2."""
    miss, shape = (1 - level) / 2, counted.shape
    selected = [term for term in shape.terms if term.above is not None]
    raised = [sign * term.one > 0 for term in selected]
    number = sum(term.draws for term, is_raised in zip(selected, raised, strict=True) if is_raised)
    if not number:
        return np.full(counted.one.size, _largest_error(shape, (), sign, miss))
    ends = np.cumsum([term.draws for term in selected])
    known = [
        np.sort(_known_noise(term, noisy, _OF_BOUNDS * miss / number), axis=1)
        for term, noisy, is_raised in zip(selected, np.split(counted.chosen, ends[:-1], axis=1), raised, strict=True)
        if is_raised
    ]
    kinds, places = np.unique(np.concatenate(known, axis=1), axis=0, return_inverse=True)
    errors = [_largest_error(shape, kind, sign, miss * (1 - _OF_BOUNDS)) for kind in kinds.tolist()]
    return np.array(errors, dtype=np.int64)[places.ravel()]


def _largest_error(shape: Shape, known: Sequence[int], sign: int, miss: Fraction) -> int:
    """The same of one sum. known: what the noise exceeds of each count that was published for its size."""
    draws: Counter[tuple[Law, int, int | None, bool]] = Counter()
    rest = iter(known)
    for term in shape.terms:
        is_raised = sign * term.one > 0
        is_cut = shape.is_clipped and is_raised
        if is_raised and term.above is not None:
            for beyond in islice(rest, term.draws):
                draws[term.law, abs(term.one), None if beyond == _NOTHING else beyond, is_cut] += 1
        else:
            draws[term.law, abs(term.one), None, is_cut] += term.draws
    terms = [ErrorTerm(law, times, many, beyond, is_cut) for (law, times, beyond, is_cut), many in draws.items()]
    return largest_error(tuple(sorted(terms, key=str)), miss)


def _known_noise(term: Term, noisy: Int64s, miss: Fraction) -> Int64s:
    """What the noise of counts that were published for their size exceeds at most, but for a chance of `miss` each.

    A count was published because its noise exceeds the limit less the true count, and that is at least the lower end of
    an interval. `_NOTHING` where it is published but for a chance below 2^-64.
    """
    lows, _ = count_ends(term, noisy, 1 - 2 * miss)
    known = (term.above or 0) - np.maximum(lows, 0)
    return np.where(known < -term.law.reach(64), _NOTHING, known)


# --- ratios ---


def ratios(counted: Counted, level: Fraction) -> Intervals:
    """The one sums by the other ones, and their intervals by Fieller's method.

    Every ratio has an interval: infinite above where the other sum may be 0. Its estimate is NaN where the other sum is
    not above 0. Where a count was published for its size or cut at 0, each sum has an interval that misses half as
    often, and the interval covers all their ratios; of a part, all its ratios to the rest.
    """
    one, other, shape = counted.one, counted.other, counted.shape
    if shape.is_as_drawn:
        ends = fieller(counted, margins_in_deviations(shape, float(1 - level)))
        lows, highs = ends.lows, ends.highs
    else:
        half, is_part = (1 + level) / 2, shape.is_part
        rest = [term.other - term.one * is_part for term in shape.terms]
        lows, highs = quotients(
            sum_ends(one_side(counted, is_other=False), half),
            sum_ends(_side(counted, rest, other - one * is_part), half),
        )
        if is_part:
            with np.errstate(invalid="ignore"):
                lows, highs = lows / (1 + lows), np.where(np.isinf(highs), 1.0, highs / (1 + highs))
    return Intervals(quotient_estimates(one, other), lows, highs)


def growths(counted: Counted, level: Fraction) -> Intervals:
    """By how much the one sums exceed the other ones, as parts of these: ratios less 1; p-values of differences."""
    estimates, lows, highs, _ = ratios(counted, level)
    return Intervals(estimates - 1, lows - 1, highs - 1, differences(counted, level).p_values)


def intervals_of_ends(kind: str, one: Intervals, other: Intervals) -> Intervals:
    """Differences, ratios or growth of counts, or differences of ratios, that have intervals: all that both allow.

    It misses only where one of the two does, and so with at most the sum of their chances, whatever they share. Ends
    are infinite where a divisor may be 0, or a ratio without end; NaN where either has no interval. No p-values.
    """
    if kind == "difference":
        return Intervals(one.estimates - other.estimates, one.lows - other.highs, one.highs - other.lows)
    found = quotient_estimates(one.estimates, other.estimates)
    ends = quotients((one.lows, one.highs), (other.lows, other.highs))
    return Intervals(*(each - (kind == "growth") for each in (found, *ends)))


def quotients(
    one: tuple[Int64s | Floats, Int64s | Floats], other: tuple[Int64s | Floats, Int64s | Floats]
) -> tuple[Floats, Floats]:
    """The least and the greatest ratio of what two intervals allow; infinity where the other count may be 0.

    one, other: lower and upper ends, persons; what is below 0 is no count.
    """
    (low, high), (other_low, other_high) = ([np.maximum(end, 0) for end in ends] for ends in (one, other))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(other_high > 0, low / other_high, 0.0), np.where(other_low > 0, high / other_low, np.inf)


# --- quantiles ---


def quantiles(share: Fraction, by_bin: Int64s | Floats, edges: Int64s, margins: Int64s | Floats) -> Intervals:
    """The number, such as an age, below which `share` of a group are: estimates, and the least and greatest it may be.

    On a scale without gaps, on which who is 34 is between 34.0 and 35.0 years old.

    by_bin: published persons, [n, bins]. edges: first number of each bin and one more than the last, int64[bins + 1].
    margins: see `edge_margins`; [bins - 1], or [n, bins - 1]. Source: accuracy.md section 6.
    """
    bins = by_bin.shape[1]
    below = np.cumsum(by_bin, axis=1)
    total = below[:, -1:]
    p, q = share.numerator, share.denominator
    distances = q * below[:, :-1] - p * total  # (q - p) of those below the edge, less p of those above
    over = np.cumprod(distances < -margins, axis=1).sum(axis=1)
    under = bins - 1 - np.cumprod((distances > margins)[:, ::-1], axis=1).sum(axis=1)
    first, last = np.minimum(over, under).astype(np.int64), np.maximum(over, under).astype(np.int64)
    estimates = _interpolated(by_bin, edges, float(share))
    return Intervals(estimates, edges[first].astype(np.float64), edges[last + 1].astype(np.float64))


def edge_margins(law: Law, per_bin: int, share: Fraction, bins: int, level: Fraction) -> Int64s:
    """The margins of (q - p) times the noise below an edge less p times that above, share = p / q: int64[bins - 1].

    per_bin: independent counts in a bin, such as one a sex.
    """
    p, q = share.numerator, share.denominator
    terms = (joined(((law, q - p, edge * per_bin), (law, p, (bins - edge) * per_bin))) for edge in range(1, bins))
    return np.array([margin_of_terms(each, level).moe95 for each in terms], dtype=np.int64)


def edge_bounds(deviations: Floats, share: Fraction, definition: PrivacyDefinition, level: Fraction) -> Floats:
    """The same of reconciled counts, whose errors may all go one way. deviations: of bins, float64[n, bins]."""
    p, q = share.numerator, share.denominator
    below = np.cumsum(deviations, axis=1)
    spread = (q - p) * below[:, :-1] + p * (below[:, -1:] - below[:, :-1])
    scale = max(q - p, p)
    return scale * margins(spread / scale, definition, level)


def _interpolated(by_bin: Int64s | Floats, edges: Int64s, share: float) -> Floats:
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


# --- reconciled counts ---


class Reconciled(NamedTuple):
    """Reconciled counts or sums of them, float64[n]: estimates, and deviations that margins are made from, persons.

    deviations: see `deviations_of_rows`. lows, highs: ends of the 95 % intervals of single rows; NaN elsewhere.
    """

    estimates: Floats
    deviations: Floats
    lows: Floats
    highs: Floats


def reconciled_counts(one: Reconciled, definition: PrivacyDefinition, level: Fraction) -> Intervals:
    """Counts and their intervals; at 95 %, those that stand beside single rows."""
    reached = margins(one.deviations, definition, level)
    is_stated = ~np.isnan(one.lows) & (level == _USUAL)
    lows = np.where(is_stated, one.lows, one.estimates - reached)
    highs = np.where(is_stated, one.highs, one.estimates + reached)
    return Intervals(one.estimates, lows, highs)


def width(definition: PrivacyDefinition, level: Fraction = _USUAL) -> float:
    """Half-width of the interval of a weighted sum of many wide noises, in standard deviations.

    For discrete Gaussian noises, the value of the normal law. For two-sided geometric noises, the value of one Laplace
    noise, which exceeds log(20) scales with chance 1/20; a sum of several Laplace noises exceeds as many of its
    standard deviations less often.
    """
    miss = float(1 - level)
    return NormalDist().inv_cdf(1 - miss / 2) if definition == "zcdp" else log(1 / miss) / sqrt(2)


def margins(deviations: Floats, definition: PrivacyDefinition, level: Fraction = _USUAL) -> Floats:
    """Half-widths, persons: a number of standard deviations plus half a person and at least one person, or less.

    Because noise is in whole numbers: if one noise dominates, the error takes only a few values. Without this, 77 %
    would be covered in the worst case (a standard deviation of 0.25 persons), and 94 % at 1 person. If the bound of
    Chebyshev's inequality is smaller, it is used. Source: reconciliation.md section 7.
    """
    chebyshev = deviations / sqrt(float(1 - level))
    return np.asarray(np.minimum(chebyshev, np.maximum(1, width(definition, level) * deviations + _HALF)))


def deviations_of_rows(variances: Floats, moe95s: Floats, definition: PrivacyDefinition) -> Floats:
    """At least the standard deviations, persons, from which `margins` makes MOE95 of reconciled rows.

    Near a limit of what stage 1 chose, VARIANCE is too small for margins, and MOE95 was made from a larger one; where
    suppression chose a total that stays as released, MOE95 is wider than its noise.
    """
    reached = np.where(moe95s < 1, moe95s * sqrt(1 - _USUAL), (moe95s - _HALF) / width(definition))
    return np.maximum(np.sqrt(variances), reached)
