"""Privacy losses: of one mechanism as a random variable, and of all calls that one record meets, with proved bounds.

Each call adds noise to one count that the record changes by 1. Upper bounds follow from the curve delta(epsilon) that
the accountant proves, whatever kinds of groups a record is in. Lower bounds are of calls that are stated one by one:
their losses are split over a grid and convolved by Fourier transforms; splits move a sum by more than `shift` with a
chance below 1e-12 (Hoeffding). Noise is symmetric, so every curve is its own mirror image, and exchanged inputs have
the same loss. Source: semantics.md section 1.3.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.accounting.accountants import GroupCalls, loss_curve, merged, zcdp_of_pure_dp
from safetab_sql.kit.arrays import Floats
from safetab_sql.laws.noise import DiscreteGaussian, Law, is_tabulable, noise_law, pmf_words
from safetab_sql.settings.budgets import PrivacyDefinition

# Privacy loss random variables (PLRVs): semantics.md section 1.1. Chances are doubles, each wrong by less than 1e-15;
# the discrete Gaussian has proved bounds (laws/noise.py). Noise beyond tables (chance below 1e-19) counts as an
# output that only one input can have: what is computed is an upper bound, wrong by less than 1e-12.

_WORD = 2.0**-64  # each probability of a tabulated law is known within it
_SAME = 1e-11  # losses closer than this (relative to the largest) are one loss that was rounded differently
LARGEST_COMPOSITION = 4_000_000  # pairs of losses that an exact composition multiplies out


@dataclass(frozen=True, slots=True, eq=False)
class LossPair:
    """The losses of a mechanism on one pair of neighbours: L of (first, second), and L of (second, first).

    losses: float64[n], nats, increasing. first, second: float64[n], the chances of outputs of each loss under either
    input. only_first: chance, under the first input, of outputs the second never has (loss + infinity); only_second:
    the reverse (loss - infinity).
    """

    losses: Floats
    first: Floats
    second: Floats
    only_first: float = 0.0
    only_second: float = 0.0

    def delta(self, epsilon: float) -> float:
        """The least delta with which the pair is (epsilon, delta)-close: P(L > epsilon) - e^epsilon P(-L' > epsilon).

        L' is the loss of the reversed pair. Source: Kifer, Approximate Differential Privacy.
        """
        gains = self.first - math.exp(epsilon) * self.second
        return min(1.0, float(gains[self.losses > epsilon].sum()) + self.only_first)

    def test(self, level: float) -> tuple[float, float]:
        """The likelihood-ratio test of this level, from 0 to 1: its threshold t and its tiebreaker c.

        It rejects the first input below the loss t, and at t with chance c. Source: Kifer, Most Powerful Test.
        """
        if not 0 <= level <= 1:
            raise ValueError(f"a level is a chance from 0 to 1, it is {level}")
        spent = np.concatenate([[0.0], np.cumsum(self.first)])
        entry = int(np.searchsorted(spent[1:], level, side="right"))
        if entry == self.losses.size:  # all finite losses are rejected
            return math.inf, 0.0
        return float(self.losses[entry]), (level - float(spent[entry])) / float(self.first[entry])

    def power(self, level: float) -> float:
        """The power of that test, 1 - f(level) with the f of f-DP: never below the truth. Source: Kifer, f-DP."""
        threshold, share = self.test(level)
        below, at = self.second[self.losses < threshold], self.second[self.losses == threshold]
        return min(1.0, self.only_second + float(below.sum()) + share * float(at.sum()))


def privacy_loss(first: Sequence[float], second: Sequence[float]) -> LossPair:
    """The privacy loss of a law of one's own. first, second: chances of its outputs under either input, each sum 1.

    `losses`, `first` and `second` of what is returned are the privacy loss random variable; `delta`, `power` and `test`
    its curves. Source: Kifer, Privacy loss random variable (definition).
    """
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1 or not left.size or not min(left.min(), right.min()) >= 0:
        raise ValueError("the chances of the outputs have to be as many under either input, and none negative")
    if not np.allclose([left.sum(), right.sum()], 1, rtol=0, atol=1e-9):
        raise ValueError(f"the chances have to add up to 1; they add up to {left.sum():g} and {right.sum():g}")
    both = (left > 0) & (right > 0)
    losses = np.log(left[both]) - np.log(right[both])
    only = float(left[right == 0].sum()), float(right[left == 0].sum())
    return _sorted_pair(losses, left[both], right[both], only)


def geometric(epsilon: Fraction, shift: int) -> LossPair:
    """Two-sided geometric noise on counts that differ by `shift` >= 1: losses (shift - 2 j) epsilon, j = 0 .. shift.

    With noise k, L = epsilon (|k - shift| - |k|); all k <= 0 give the same, and so do all k >= shift.
    Source: Kifer, PLRV for the Geometric Mechanism; Group privacy loss for `shift` above 1.
    """
    if shift < 1 or epsilon <= 0:
        raise ValueError(f"shift and epsilon have to be positive, they are {shift} and {epsilon}")
    one = float(epsilon)
    steps = np.arange(shift + 1)
    first = -math.expm1(-one) / (1 + math.exp(-one)) * np.exp(-one * steps)
    first[0], first[-1] = 1 / (1 + math.exp(-one)), math.exp(-one * shift) / (1 + math.exp(-one))
    losses = np.array([float((shift - 2 * step) * epsilon) for step in range(shift + 1)])
    return LossPair(losses[::-1].copy(), first[::-1].copy(), first.copy())


def discrete_gaussian(rho: Fraction, shift: int) -> LossPair:
    """Discrete Gaussian noise, P(k) proportional to e^(-rho k^2), on counts that differ by `shift` >= 1.

    L = rho (shift^2 - 2 k shift) at noise k. Raises: ValueError for a law too wide to tabulate (sigma above 55,000).
    Source: Kifer, Gaussian Mechanism; Canonne, Kamath, Steinke 2020.
    """
    if shift < 1:
        raise ValueError(f"shift has to be at least 1, it is {shift}")
    start, words = pmf_words(DiscreteGaussian(rho))
    chances = np.array([word * _WORD for word in words])
    padding = np.zeros(shift)
    noises = np.arange(start, start + len(words) + shift, dtype=np.float64)
    losses = float(rho) * (shift**2 - 2 * shift * noises)
    first, second = np.concatenate([chances, padding]), np.concatenate([padding, chances])
    unknown = 2 * len(words) * _WORD
    return LossPair(losses[::-1].copy(), first[::-1].copy(), second[::-1].copy(), unknown, unknown)


def noise_pair(law: Law, shift: int = 1) -> LossPair:
    """The pair of counts `shift` apart with noise of `law`."""
    return discrete_gaussian(law.rho, shift) if isinstance(law, DiscreteGaussian) else geometric(law.epsilon, shift)


def composed(left: LossPair, right: LossPair) -> LossPair:
    """Both mechanisms on the same data, independently: losses add. Raises: ValueError for more than 4 million pairs."""
    if left.losses.size * right.losses.size > LARGEST_COMPOSITION:
        raise ValueError("too many losses to multiply out: use safetab_sql.semantics.composition")
    losses = np.add.outer(left.losses, right.losses).ravel()
    first = np.multiply.outer(left.first, right.first).ravel()
    second = np.multiply.outer(left.second, right.second).ravel()
    pairs = (left.only_first, right.only_first), (left.only_second, right.only_second)
    only_first, only_second = (1 - (1 - one) * (1 - other) for one, other in pairs)
    return _sorted_pair(losses, first, second, (only_first, only_second))


def _sorted_pair(losses: Floats, first: Floats, second: Floats, only: tuple[float, float]) -> LossPair:
    """The pair with its losses sorted, and equal losses merged."""
    order = np.argsort(losses, kind="stable")
    ordered = losses[order]
    tolerance = _SAME * max(1.0, float(np.abs(ordered).max(initial=0.0)))
    is_new = np.diff(ordered, prepend=-math.inf) > tolerance
    starts = np.flatnonzero(is_new)
    summed = [np.add.reduceat(chances[order], starts) if starts.size else chances for chances in (first, second)]
    return LossPair(ordered[starts], summed[0], summed[1], only[0], only[1])


CELLS = 2**20  # of the grid; twice as many halve the distance between the bounds
LARGEST_LOSS = 300.0  # nats; the grid's step would grow too coarse, and every power is 1 to all digits anyway
_EPSILONS = 2**16  # of a curve, up to the largest loss
_LARGEST_EXPONENT = 690.0  # a float holds its exponential
_ERRORS = 1e-9  # of a chance: of transforms, about 1e-15 sqrt(CELLS) a mechanism, and of sums of losses left out
_UNLIKELY = 1e-12
_MOMENT = 3.0  # log of the mean of e^(order * loss) by which a curve is weighted: no error grows by more than e^3
_STRIDE = 16  # every so many cells a test for lower bounds: enough, and sixteen times as fast


@dataclass(frozen=True, slots=True)
class Bracket:
    """Proved bounds of a number."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True, eq=False)
class ComposedLoss:
    """What is known of the joint loss of all calls of a record.

    epsilons, deltas: float64[n], (epsilon, delta) guarantees, whatever kind each group is. levels, powers: float64[m],
    of tests where all groups take one total; the first rejects nothing, the last one everything.
    """

    epsilons: Floats
    deltas: Floats
    levels: Floats
    powers: Floats

    def power(self, level: float) -> Bracket:
        """Bounds of the power of the likelihood-ratio test at `level`. Source: Kifer, Most Powerful Test; curve (2)."""
        upper = float(approximate_dp_power(level, self.epsilons, self.deltas).min())
        return Bracket(max(level, min(upper, self._mixed_power(level))), upper)

    def _mixed_power(self, level: float) -> float:
        """The power of a test that mixes two of those known, one on either side of the level.

        The two are those on the concave hull of all: as long as a point lies above the chord of two, it takes the place
        of one of them. Whatever two are found, their mixture is a test.
        """
        left, right = 0, self.levels.size - 1
        while True:
            levels, powers = self.levels[left : right + 1], self.powers[left : right + 1]
            slope = (powers[-1] - powers[0]) / (levels[-1] - levels[0])
            heights = powers - slope * levels
            point = int(np.argmax(heights))
            if heights[point] <= max(heights[0], heights[-1]):
                return float(powers[0] + slope * (level - levels[0]))
            left, right = (left + point, right) if levels[point] <= level else (left, left + point)

    def delta(self, epsilon: float) -> float:
        """A delta with which all calls are (epsilon, delta)-DP: an upper bound, at least 1e-9."""
        # Between two epsilons the chord in e^epsilon lies above the curve; up to one without a float, the delta before.
        with np.errstate(over="ignore"):
            return min(1.0, float(np.interp(np.exp(epsilon), np.exp(self.epsilons), self.deltas)))


def approximate_dp_power(level: float, epsilon: Floats | float, delta: Floats | float) -> Floats:
    """The largest power under (epsilon, delta)-DP. Source: Kifer; Kairouz, Oh, Viswanath 2015."""
    multiplied = level * np.exp(np.minimum(epsilon, _LARGEST_EXPONENT)) + delta
    return np.clip(np.minimum(multiplied, 1 - np.exp(-epsilon) * (1 - level - delta)), 0.0, 1.0)


def composed_loss(definition: PrivacyDefinition, calls: Sequence[GroupCalls]) -> ComposedLoss | None:
    """The joint loss of all calls. None where the noise is too wide to tabulate, or the loss beyond 300 nats.

    Source: Kifer, Independent Composition; Application to the TopDown Algorithm (example 2).
    """
    laws = {noise_law(definition, budget) for call in calls for budget in call.budgets if budget}
    if not calls or not all(map(is_tabulable, laws)):
        return None
    spent = float(sum(call.groups * call.budgets.total_only for call in calls))
    rho = spent if definition == "zcdp" else float(zcdp_of_pure_dp(calls))
    # zCDP: P(L > rho + x) <= e^(-x^2 / (4 rho)). Splitting adds at most a factor e^(s^2 n h^2 / 8) with s = x / (2 rho)
    # to that bound, far below what the exponent leaves over. Pure DP: no loss is larger than epsilon; one cell a call.
    largest = rho + math.sqrt(4 * rho * -math.log(_UNLIKELY / 100))
    if definition == "puredp":
        largest = min(largest, spent * (1 + 4 * sum(call.groups for call in calls) / CELLS))
    if largest > LARGEST_LOSS:
        return None
    order = (math.sqrt(1 + 4 * _MOMENT / rho) - 1) / 2  # log E[e^(order L)] <= order (order + 1) rho
    epsilons, deltas = loss_curve(definition, merged(calls), largest / _EPSILONS, order, -math.log(_UNLIKELY))
    return ComposedLoss(epsilons, deltas + _ERRORS, *_tests(definition, calls, largest))


def _tests(definition: PrivacyDefinition, calls: Sequence[GroupCalls], largest: float) -> tuple[Floats, Floats]:
    """Levels and powers of tests where all groups take one total. largest: nats, exceeded with a chance below 1e-12."""
    step = 2 * largest / CELLS
    transform = np.ones(CELLS // 2 + 1, dtype=np.complex128)
    made, cells = transform.copy(), np.empty(CELLS)  # for all laws: new pages cost as much as the transforms
    totals, tails = Counter[Fraction](), 0.0
    for call in calls:
        totals[call.budgets.total_only] += call.groups
    for budget, times in totals.items():
        # The chances of the losses on the grid: loss 0 first, negative ones at the end. Losses beyond the ends have
        # negligible chances: they wrap around, and `slack` covers them. Of a loss a + u between the grid points a and
        # a + h, a gets the share (e^(h - u) - 1) / (e^h - 1): then the chances under the second input add up too.
        pair = noise_pair(noise_law(definition, budget))
        below = np.floor(pair.losses / step)
        share = np.clip(np.expm1(step - (pair.losses - below * step)) / np.expm1(step), 0.0, 1.0)
        cells.fill(0.0)
        for place, chances in ((below, pair.first * share), (below + 1, pair.first * (1 - share))):
            np.add.at(cells, place.astype(np.int64) % CELLS, chances)
        np.fft.rfft(cells, out=made)
        made **= times
        transform *= made
        tails += times * (pair.only_first + pair.only_second)
    chances = np.fft.fftshift(np.fft.irfft(transform, CELLS, out=cells))[1:]
    np.clip(chances, 0.0, None, out=chances)
    slack, splits = _ERRORS + 4 * _UNLIKELY + tails, totals.total()
    shift = math.ceil(math.sqrt(splits * -math.log(_UNLIKELY) / 2) + splits * step)  # cells
    # With its threshold at cell j: at most the level first[j + shift], at least the power second[j - shift].
    levels = np.cumsum(chances)[2 * shift :: _STRIDE] + slack
    powers = np.cumsum(chances[::-1])[: chances.size - 2 * shift : _STRIDE] - slack
    return np.concatenate([[0.0], levels, [1.0]]), np.concatenate([[0.0], powers, [1.0]])
