"""How far noise may move the ratio of two sums of noisy counts, and when two ratios may be the same: Fieller's method.

Where A and B are the sums, and r is the ratio of the true ones, the noise of A - r B is all that is in A - r B. Where
two ratios may share noise, how does not matter: what is said of each holds with a chance, and the chances to err add up
at most. Source: accuracy.md section 5.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import atan2, ceil, cos, log, pi, sin, sqrt

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.noise import Law, variance
from safetab_sql.published.margins import NoiseTerm, reach_of_terms, tails

BETWEEN = 1.005  # how much more than at the directions may be needed between them: more than 1 / cos(_TURN / 2)
PLACES = 800  # a standard deviation, of `chances_beyond`
_TURN = pi / 24  # angle between two directions that are tried, of noise scaled to variance 1
_POINTS = PLACES // 2  # of the lattice to a standard deviation, on which weighted sums are convolved
_WIDEST = 2**22  # persons that noise to be convolved may reach
_FINEST = 2**22  # points of that lattice: noise that is nearly always 0 needs more
_ROUNDING = 1e-9  # more than what floating point may be wrong by
_LEAST = 1e-300  # in place of a divisor of 0
_UNLIKELY = 1e-8  # chance that is not told from smaller ones
_HALVINGS = 30  # of the logarithm of a p-value


@dataclass(frozen=True, slots=True)
class Term:
    """`draws` independent published counts of one law, each `one` times in the one sum and `other` times in the other.

    above: they are totals, published only because they are larger, persons; None where nothing was chosen for its size.
    """

    law: Law
    one: int
    other: int
    draws: int
    above: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What two sums of counts consist of, or one alone. is_clipped: counts below 0 were published as 0."""

    terms: tuple[Term, ...]
    is_clipped: bool = False

    @property
    def is_part(self) -> bool:
        """Whether all that is in the one sum is in the other one too."""
        return all(term.one <= term.other for term in self.terms)

    @property
    def most(self) -> float:
        """The greatest ratio that there can be."""
        return 1.0 if self.is_part else np.inf

    @property
    def is_as_drawn(self) -> bool:
        """Whether errors are the noise that was drawn: no count was chosen for its size, or cut; or the sums agree."""
        is_same = all(term.one == term.other for term in self.terms)
        return is_same or not (self.is_clipped or any(term.above is not None for term in self.terms))

    @property
    def variances(self) -> tuple[float, float, float]:
        """Of the noise of the one sum, of the other, and what both have in common; persons squared."""
        spreads = [(term, term.draws * float(variance(term.law))) for term in self.terms]
        return (
            sum(term.one**2 * spread for term, spread in spreads),
            sum(term.other**2 * spread for term, spread in spreads),
            sum(term.one * term.other * spread for term, spread in spreads),
        )


@dataclass(frozen=True, slots=True)
class Counted:
    """Statistics of one shape. one, other: their sums, int64[n], persons; `other` is 0 where there is one alone.

    chosen: int64[n, draws]: the counts that were published for their size, in the order of the terms.
    """

    shape: Shape
    one: Int64s
    other: Int64s
    chosen: Int64s


@dataclass(frozen=True, slots=True)
class Ends:
    """Ratios and the ends of their intervals, float64[n] each, infinite above where there is no greatest one.

    estimates: NaN where the other sum is not above 0. uncut_lows, uncut_highs: ends before they were cut to what a
    ratio can be, 0 to `most`; NaN where the noise allows no bounded set.
    """

    estimates: Floats
    lows: Floats
    highs: Floats
    uncut_lows: Floats
    uncut_highs: Floats
    most: float


def fieller(counted: Counted, deviations: float | Floats) -> Ends:
    """The least and the greatest ratio that noise allows which is away from 0 by so many deviations at most.

    That is every r with (one - r other)^2 <= (k sd)^2, sd the deviation of the noise of one - r other. No true ratio is
    below 0, and no part is larger than the whole, so the ends are cut to these. Where the other sum is within k
    deviations of 0, the noise allows all r but those between two bounds. Then what lies between 0, or the greater
    bound, and the lesser bound, or the last ratio, is stated: all that the noise allows, and in between also what it
    does not.
    """
    shape, one, other = counted.shape, counted.one.astype(np.float64), counted.other.astype(np.float64)
    squared = deviations**2
    v_one, v_other, v_both = shape.variances
    a = other**2 - squared * v_other
    b = one * other - squared * v_both
    c = one**2 - squared * v_one
    root, is_bounded, has_gap = np.sqrt(np.maximum(b * b - a * c, 0)), (a > 0) & (other > 0), (a <= 0) & (b * b > a * c)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        uncut = [np.where(is_bounded, (b + turned) / a, np.nan) for turned in (-root, root)]
        # The roots of a r^2 - 2 b r + c, a < 0, without the difference of nearly equal numbers.
        larger = b + np.where(b < 0, -root, root)
        roots = larger / np.minimum(a, -_LEAST), c / larger
        lesser, greater = np.fmin(*roots), np.fmax(*roots)
    starts_late = has_gap & (lesser < 0) & (greater > 0) & (greater <= shape.most)
    stops_early = has_gap & (lesser >= 0) & (lesser <= shape.most) & (shape.most < greater)
    low, high = (np.clip(end, 0, shape.most) for end in uncut)
    lows = np.where(is_bounded, low, np.where(starts_late, greater, 0.0))
    highs = np.where(is_bounded, high, np.where(stops_early, lesser, shape.most))
    return Ends(quotient_estimates(one, other), lows, highs, uncut[0], uncut[1], shape.most)


def quotient_estimates(one: Int64s | Floats, other: Int64s | Floats) -> Floats:
    """One count by another, float64[n]; NaN where the other is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(other > 0, one / other, np.nan), dtype=np.float64)


def margins_in_deviations(shape: Shape, misses: float | Floats) -> Floats:
    """How many standard deviations hold the noise of one - r other, for all r >= 0, by chance to miss.

    The largest of all directions (1, r) that are tried, each an upper bound by convolution on a lattice, and half a per
    cent more for those between. Chebyshev's inequality where the chance is smaller than is known.
    """
    beyond, misses = chances_beyond(shape), np.asarray(misses)
    places = np.searchsorted(-beyond, -misses)
    return np.asarray(np.where(places < beyond.size, places / PLACES * BETWEEN, 1 / np.sqrt(misses)), dtype=np.float64)


@lru_cache(maxsize=64)
def chances_beyond(shape: Shape) -> Floats:
    """The chance that the noise of one - r other is beyond m / PLACES of its standard deviations, m = 0, 1, ...

    float64[m]: the largest of all directions, down to 10^-8. An upper bound where noise is too wide to convolve.
    """
    if max(reach_of_terms((NoiseTerm(each.law, 1, each.draws),)) for each in shape.terms) > _WIDEST:
        return _chebyshev()
    directions = [_beyond_of_direction(shape, x, y) for x, y in _directions(shape)]
    size = max(each.size for each in directions)
    padded = np.stack([np.pad(each, (0, size - each.size), mode="edge") for each in directions])
    return np.asarray(padded.max(axis=0), dtype=np.float64)


def _directions(shape: Shape) -> list[tuple[float, float]]:
    """Weights x and y of x * one - y * other, from r = 0 to r = 1 for a part of a whole, else to r without end.

    Of noise A and B, e = A / sd(A) and f, which is -B less what e explains of it, scaled, are uncorrelated. Every
    direction is cos(angle) e + sin(angle) f, and all of these have variance 1.
    """
    v_one, v_other, v_both = shape.variances
    explained = v_both / v_one
    rest = v_other - explained * v_both
    if rest <= 1e-12 * v_other:
        return [(1.0, 0.0)]
    last = atan2(sqrt(rest), ((v_one if shape.is_part else 0.0) - v_both) / sqrt(v_one))
    steps = ceil(last / _TURN - 1e-9)
    angles = [last * step / steps for step in range(steps + 1)]
    weights = [(cos(angle) / sqrt(v_one), sin(angle) / sqrt(rest)) for angle in angles]
    return [(one + explained * other, other) for one, other in weights]


def _beyond_of_direction(shape: Shape, x: float, y: float) -> Floats:
    """`chances_beyond` of x * one - y * other; 0 where no noise is left.

    Each of the sums of noise that they consist of is rounded to a lattice, which moves it by at most half a step.
    """
    parts = [(abs(x * term.one - y * term.other), term.law, term.draws) for term in shape.terms]
    parts = [(weight, law, number) for weight, law, number in parts if weight > 1e-9]
    deviation = sqrt(sum(weight**2 * number * float(variance(law)) for weight, law, number in parts))
    if not parts or deviation == 0:
        return np.zeros(1)
    step = deviation / _POINTS
    reaches = [ceil(weight * reach_of_terms((NoiseTerm(law, 1, number),)) / step) + 1 for weight, law, number in parts]
    if sum(reaches) > _FINEST:
        return _chebyshev()
    size = 1 << (2 * sum(reaches) + 1).bit_length()
    transform = np.ones(size // 2 + 1)
    for weight, law, number in parts:
        first, chances = _sum_law(law, number)
        places = np.rint(weight / step * np.arange(first, first + chances.size)).astype(np.int64)
        transform *= np.fft.rfft(np.bincount(places % size, weights=chances, minlength=size)).real
    summed = np.fft.irfft(transform, size)
    covered = np.cumsum(np.concatenate([summed[:1], 2 * summed[1 : size // 2]]))
    beyond = np.minimum(1 - covered + _ROUNDING, 1)
    beyond = beyond[: int(np.argmax(beyond < _UNLIKELY)) + 1]
    # Of half steps there are PLACES to a deviation: the noise is beyond what is covered by as many as there are parts.
    return np.concatenate([np.ones(len(parts)), np.repeat(beyond, 2)])[: len(parts) + 2 * beyond.size - 1]


def _chebyshev() -> Floats:
    """`chances_beyond` of any noise. Source: Chebyshev's inequality."""
    return np.append(1.0, np.minimum(1, (PLACES / np.arange(1, 100 * PLACES)) ** 2))


@lru_cache(maxsize=512)
def _sum_law(law: Law, number: int) -> tuple[int, Floats]:
    """First value and chances of the sum of so many draws: all but 10^-12."""
    reach = reach_of_terms((NoiseTerm(law, 1, number),))
    beyond = tails(law, np.arange(reach + 1, dtype=np.int64))
    size = 1 << (2 * reach + 1).bit_length()
    around = np.zeros(size)
    around[0] = 1 - 2 * beyond[0]
    around[1 : reach + 1] = beyond[:-1] - beyond[1:]
    around[-reach:] = around[reach:0:-1]
    summed = np.fft.irfft(np.fft.rfft(around).real ** number, size).clip(min=0.0)
    return -reach, np.concatenate([summed[-reach:], summed[: reach + 1]])


def ends_of_differences(
    first: Counted, second: Counted, misses: float | Floats, *, apart: bool = True
) -> tuple[Floats, Floats]:
    """Of two ratios, the first less the second: lower ends and upper ones, float64[n]. misses: chance to miss.

    apart: whether the two have no noise in common: see `differences_apart`. Where noise allows a ratio no bounded set,
    or is shared, all that two intervals allow, each of which has half the chance to miss.
    """
    halves, ends = (
        [fieller(each, margins_in_deviations(each.shape, chance)) for each in (first, second)]
        for chance in (misses / 2, misses)
    )
    lows, highs = halves[0].lows - halves[1].highs, halves[0].highs - halves[1].lows
    if not apart:
        return lows, highs
    low, high = differences_apart(*ends)
    return np.where(np.isnan(low), lows, low), np.where(np.isnan(high), highs, high)


def differences_apart(one: Ends, other: Ends) -> tuple[Floats, Floats]:
    """The ends of one ratio less another, whose noise is independent; NaN where noise allows either no bounded set.

    An end is as far from the difference as the root of the sum of the squared distances of the two uncut ends that it
    is made of, and is then cut to what a difference can be. Cut first, a ratio of 0 or 1 would be as good as known.
    Source: G. Y. Zou, A. Donner, Construction of confidence limits about effect measures (2008), section 2; accuracy.md
    section 5.
    """
    found = one.estimates - other.estimates
    low = found - np.hypot(one.estimates - one.uncut_lows, other.uncut_highs - other.estimates)
    high = found + np.hypot(one.uncut_highs - one.estimates, other.estimates - other.uncut_lows)
    return np.maximum(low, -other.most), np.minimum(high, one.most)


def equal_ratio_chances(first: Counted, second: Counted, *, apart: bool) -> Floats:
    """P-values of the hypothesis that both ratios are the same, float64[n]; those below 2e-8 are not told apart.

    The least chance to miss at which the interval of the difference does not hold 0. apart: whether the two have no
    noise in common; otherwise each interval has half the chance, and the two do not meet.
    """
    low, high = np.full(first.one.size, log(2 * _UNLIKELY)), np.zeros(first.one.size)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        lows, highs = ends_of_differences(first, second, np.exp(middle), apart=apart)
        is_small = (lows > 0) | (highs < 0)
        low, high = np.where(is_small, low, middle), np.where(is_small, middle, high)
    return np.asarray(np.exp(high), dtype=np.float64)
