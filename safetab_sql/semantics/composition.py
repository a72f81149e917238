"""Many mechanisms with integer noise on the data of one record: their losses convolved on a grid, with proved errors.

Each mechanism adds noise to one count that the person changes by 1. Losses are split over a grid, which can only add to
powers and deltas, and convolved by Fourier transforms; what lies outside the grid, and the errors of the transforms, is
below `slack`. Splits move a sum by more than `shift` with a chance below 1e-12 (Hoeffding), under either input. Of a
group that may take one call, or two whose budgets add up to the same, the upper hull of both trade-off curves is the
curve of a pair that dominates both, and such pairs compose, however kinds of groups are chosen (Zhu, Dong, Wang 2022,
Proposition 9 and Theorem 10). Noise is symmetric and one record changes a count by 1, so every curve is its own mirror
image, and exchanged inputs have the same loss. Source: semantics.md section 1.3.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from safetab_sql.kit.arrays import Floats
from safetab_sql.laws.noise import DiscreteGaussian, Law, is_tabulable, pmf_words

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
    return merged(losses, left[both], right[both], only)


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
    return merged(losses, first, second, (only_first, only_second))


def merged(losses: Floats, first: Floats, second: Floats, only: tuple[float, float]) -> LossPair:
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
_FOURIER = 1e-9  # the transforms' own errors, summed over all cells: about 1e-15 sqrt(CELLS) a mechanism
_UNLIKELY = 1e-12
_MOST_LOSSES = 1000  # of one call; the split adds 5e-5 of the variance of its loss, and a thousand squared is composed
_MOST_OF_TWO = 4000
_LARGEST_EXPONENT = 600.0  # nats; larger losses have next to no chance where 300 are hardly exceeded
_STRIDE = 16  # every so many cells a threshold for lower bounds: enough, and sixteen times as fast


@dataclass(frozen=True, slots=True)
class Calls:
    """`times` independent calls with noise of `law`, each on a count that one record changes by 1."""

    law: Law
    times: int


@dataclass(frozen=True, slots=True)
class Groups:
    """`times` groups, each with one call of `one`, or with a call of `first` and one of `second`; either may happen."""

    one: Law
    first: Law
    second: Law
    times: int


@dataclass(frozen=True, eq=False)
class GridLoss:
    """A composition on a grid. losses: float64[n], nats, step apart, symmetric about 0. chances: under the first input.

    first, second: chances of a split loss at most the grid's, under either input.
    slack: bound of all numerical errors of a chance. shift: nats, see the module.
    """

    step: float
    losses: Floats
    chances: Floats
    first: Floats
    second: Floats
    slack: float
    shift: float
    points: dict[tuple[int, int], int] = field(default_factory=dict)  # of `above`, which every level asks for some

    @cached_property
    def thresholds(self) -> tuple[Floats, Floats]:
        """Levels and powers of tests. The first rejects nothing, the last one everything."""
        # With its threshold at cell j: at most the level first[j + cells], at least the power second[j - cells].
        cells = math.ceil(self.shift / self.step)
        levels = self.first[2 * cells :: _STRIDE] + self.slack
        powers = self.second[: self.second.size - 2 * cells : _STRIDE] - self.slack
        return np.concatenate([[0.0], levels, [1.0]]), np.concatenate([[0.0], powers, [1.0]])

    def above(self, left: int, right: int) -> int:
        """The threshold that lies highest above the chord of two; 0 where none does."""
        if (left, right) not in self.points:
            levels, powers = (each[left : right + 1] for each in self.thresholds)
            heights = powers - (powers[-1] - powers[0]) / (levels[-1] - levels[0]) * levels
            point = int(np.argmax(heights))
            self.points[left, right] = left + point if heights[point] > max(heights[0], heights[-1]) else 0
        return self.points[left, right]


@dataclass(frozen=True, slots=True)
class Bracket:
    """Proved bounds of a number."""

    lower: float
    upper: float


def composed_loss(calls: Iterable[Calls], groups: Iterable[Groups] = ()) -> GridLoss | None:
    """The loss of all calls together, or with groups one that dominates the joint loss, whatever each group takes.

    None where the noise is too wide to tabulate, or the loss beyond 300 nats. With groups its `shift` gives no lower
    bound of a power. Source: Kifer, Independent Composition; Application to the TopDown Algorithm (example 2).
    """
    counted: Counter[tuple[Law, Law, Law]] = Counter()
    for group in groups:
        counted[group.one, group.first, group.second] += group.times
    plain: Counter[Law] = Counter()
    for call in calls:
        plain[call.law] += call.times
    whole = Counter(plain)
    for (one, _, _), times in counted.items():
        whole[one] += times
    largest = _largest_loss(whole)
    if not whole or largest > LARGEST_LOSS or not all(is_tabulable(law) for laws in (*counted, plain) for law in laws):
        return None
    pairs = [(dominating_pair(*map(noise_pair, laws)), times) for laws, times in counted.items()]
    pairs += [(noise_pair(law), times) for law, times in plain.items()]
    return _composed(pairs, _largest_of_pairs(pairs) if counted else largest)


def _composed(pairs: Sequence[tuple[LossPair, int]], largest: float) -> GridLoss:
    """The loss of the pairs, each as often as stated. largest: nats, exceeded with a chance below 1e-12."""
    step = 2 * largest / CELLS
    transform = np.ones(CELLS // 2 + 1, dtype=np.complex128)
    made, cells = transform.copy(), np.empty(CELLS)  # for all pairs: new pages cost as much as the transforms
    for pair, times in pairs:
        # The chances of the losses on the grid: loss 0 first, negative ones at the end. Losses beyond the ends have
        # negligible chances: they wrap around, and `slack` covers them.
        index, _, share = split_shares(pair.losses, step)
        cells.fill(0.0)
        np.add.at(cells, index % CELLS, pair.first * share)
        np.add.at(cells, (index + 1) % CELLS, pair.first * (1 - share))
        np.fft.rfft(cells, out=made)
        made **= times
        transform *= made
    chances = np.fft.fftshift(np.fft.irfft(transform, CELLS, out=cells))[1:]
    np.clip(chances, 0.0, None, out=chances)
    splits = sum(times for _, times in pairs)
    tails = sum(times * (pair.only_first + pair.only_second) for pair, times in pairs)
    return GridLoss(
        step=step,
        losses=np.arange(-CELLS // 2 + 1, CELLS // 2, dtype=np.float64) * step,
        chances=chances,
        first=np.cumsum(chances),
        second=np.cumsum(chances[::-1]),
        slack=_FOURIER + 4 * _UNLIKELY + tails,
        shift=step * math.sqrt(splits * -math.log(_UNLIKELY) / 2) + splits * step**2,
    )


def composed_power(grid: GridLoss, level: float) -> Bracket:
    """Bounds of the power of the likelihood-ratio test at `level`. Source: Kifer, Most Powerful Test; curve (2)."""
    upper = upper_power(grid, level)
    return Bracket(max(level, min(upper, _lower_power(grid, level))), upper)


def upper_power(grid: GridLoss, level: float) -> float:
    """The upper bound of `composed_power` alone: the power of the best test on the split losses. Source: as there."""
    generous = level + grid.slack
    entry = int(np.searchsorted(grid.first, generous, side="right"))
    if entry == grid.first.size:
        return 1.0
    spent, reached = (float(grid.first[entry - 1]), float(grid.second[entry - 1])) if entry else (0.0, 0.0)
    return min(1.0, reached + (generous - spent) * math.exp(-grid.losses[entry]) + grid.slack)


def _lower_power(grid: GridLoss, level: float) -> float:
    """The power of a test that mixes two thresholds on the true losses, one on either side of the level.

    The two are those on the concave hull of all thresholds: as long as a point lies above the chord of two, it takes
    the place of one of them. Whatever two are found, their mixture is a test.
    """
    levels, powers = grid.thresholds
    left, right = 0, levels.size - 1
    while point := grid.above(left, right):
        left, right = (point, right) if levels[point] <= level else (left, point)
    share = (level - levels[left]) / (levels[right] - levels[left])
    return float(powers[left] + share * (powers[right] - powers[left]))


def composed_delta(grid: GridLoss, epsilon: float) -> float:
    """A delta with which the composition is (epsilon, delta)-DP: an upper bound, at least `slack` (about 1e-9)."""
    first = int(np.searchsorted(grid.losses, epsilon, side="right"))
    losses = epsilon - grid.losses[first:]
    gains = np.multiply(grid.chances[first:], np.expm1(losses, out=losses), out=losses)
    return min(1.0, grid.slack - float(gains.sum()))


def _largest_loss(counted: Counter[Law]) -> float:
    """A loss that the composition exceeds with a chance below 1e-12, either way, or never. Nats."""
    # Each law is rho-zCDP, and so are all together: P(L > rho + x) <= e^(-x^2 / (4 rho)). Splitting adds at most
    # a factor e^(s^2 n h^2 / 8) with s = x / (2 rho) to that bound, far below what the exponent leaves over.
    rhos = ((law.rho if isinstance(law, DiscreteGaussian) else law.epsilon**2 / 2, n) for law, n in counted.items())
    rho = sum(each * times for each, times in rhos)
    likely = float(rho) + math.sqrt(4 * float(rho) * -math.log(_UNLIKELY / 100))
    if any(isinstance(law, DiscreteGaussian) for law in counted):
        return likely
    # Pure DP: no loss is larger than epsilon; one cell a call, for what splitting adds.
    whole = float(sum(times * law.epsilon for law, times in counted.items() if not isinstance(law, DiscreteGaussian)))
    return min(likely, whole * (1 + 4 * counted.total() / CELLS))


def _largest_of_pairs(pairs: Sequence[tuple[LossPair, int]]) -> float:
    """As `_largest_loss`, from the pairs themselves: P(L > x) <= E[e^(s L)] e^(-s x) for every s > 0 (Chernoff)."""
    mean = sum(times * float(pair.first @ pair.losses) for pair, times in pairs)  # rho, where noise is Gaussian
    likely = math.inf
    with np.errstate(divide="ignore"):
        chances = [np.log(pair.first) for pair, _ in pairs]
    for power in np.exp(np.linspace(-2.0, 2.0, 17)) * math.sqrt(-math.log(_UNLIKELY) / mean):
        of = zip(pairs, chances, strict=True)
        logs = sum(times * float(np.logaddexp.reduce(power * pair.losses + log)) for (pair, times), log in of)
        likely = min(likely, (logs - math.log(_UNLIKELY / 100)) / power)
    whole = sum(times * float(pair.losses[-1]) for pair, times in pairs)
    return min(likely, whole * (1 + 4 * sum(times for _, times in pairs) / CELLS))


def dominating_pair(one: LossPair, first: LossPair, second: LossPair) -> LossPair:
    """A pair that dominates a group with the call `one`, and a group with the calls `first` and `second`.

    All of symmetric noise on a count that one record changes by 1. Source: Zhu, Dong, Wang 2022, Proposition 9.
    """
    single = on_lattice(one, _MOST_LOSSES)
    double = on_lattice(composed(on_lattice(first, _MOST_LOSSES), on_lattice(second, _MOST_LOSSES)), _MOST_OF_TWO)
    powers = np.concatenate([np.zeros((1, 2)), _rare_outputs(single), _rare_outputs(double)])
    hull = _upper_hull(powers[np.lexsort((powers[:, 1], powers[:, 0]))])
    steep = hull[: int(np.argmax(hull[:, 1] - hull[:, 0])) + 1]
    seconds, firsts = np.diff(steep, axis=0).T
    losses = np.maximum(np.log(firsts) - np.log(seconds), 0.0)
    rest = np.array([max(0.0, 1 - float(steep[-1].sum()))])  # as likely under either input
    return LossPair(
        losses=np.concatenate([-losses, [0.0], losses[::-1]]),
        first=np.concatenate([seconds, rest, firsts[::-1]]),
        second=np.concatenate([firsts, rest, seconds[::-1]]),
        only_first=max(single.only_first, double.only_first),
        only_second=max(single.only_second, double.only_second),
    )


def on_lattice(pair: LossPair, most: int) -> LossPair:
    """A pair with at most `most` losses, evenly spaced, that dominates `pair`; `pair` itself if it has no more losses.

    Source: "connect the dots", Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022.
    """
    if pair.losses.size <= most:
        return pair
    step = float(pair.losses[-1] - pair.losses[0]) / (most - 2)
    start = int(np.floor(pair.losses[0] / step))
    below, rest, share = split_shares(pair.losses, step)
    places, left = below - start, pair.second * share * np.exp(rest)
    first, second = np.zeros(most + 1), np.zeros(most + 1)
    for chances, all_of_it, here in ((first, pair.first, pair.first * share), (second, pair.second, left)):
        np.add.at(chances, places, here)
        np.add.at(chances, places + 1, all_of_it - here)
    losses = np.arange(start, start + most + 1) * np.float64(step)
    held = first > 0
    return LossPair(losses[held], first[held], second[held], pair.only_first, pair.only_second)


def split_shares(losses: Floats, step: float) -> tuple[NDArray[np.int64], Floats, Floats]:
    """How each loss is split: the multiple of `step` below it, the distance to it, and the share of chance it gets.

    The next multiple gets the rest. With l = a + u between the grid points a and a + h, a gets the share
    (e^(h - u) - 1) / (e^h - 1): then the chances under the second input, e^-loss times as large, add up too.
    """
    below = np.floor(losses / step)
    rest = losses - below * step
    return below.astype(np.int64), rest, np.clip(np.expm1(step - rest) / np.expm1(step), 0.0, 1.0)


def _rare_outputs(pair: LossPair) -> Floats:
    """Levels and powers of the tests that reject at all losses above some loss above 0: float64[n, 2], increasing."""
    above = (pair.losses > 0) & (pair.losses < _LARGEST_EXPONENT) & (pair.first > 0)
    first, losses = pair.first[above][::-1], pair.losses[above][::-1]
    return np.stack([np.cumsum(first * np.exp(-losses)), np.cumsum(first)], axis=1)


def _upper_hull(points: Floats) -> Floats:
    """The corners of the least concave curve above `points`, float64[n, 2], sorted; slopes fall strictly."""
    hull: list[tuple[float, float]] = []
    for x, y in points.tolist():
        while hull and (
            x <= hull[-1][0]
            or (
                len(hull) > 1
                and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) <= (y - hull[-2][1]) * (hull[-1][0] - hull[-2][0])
            )
        ):
            hull.pop()
        hull.append((x, y))
    return np.array(hull)
