"""How far noise may move the ratio of two sums of noisy counts, and how unlikely that is: Fieller's method.

Where A and B are the sums, and r is the ratio of the true ones, the noise of A - r B is all that is in A - r B.
Source: accuracy.md section 5.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import atan2, ceil, cos, pi, sin, sqrt

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import variance
from safetab_sql.published.tails import tails
from safetab_sql.published.uncertainty import NoiseTerm, reach_of_terms

BETWEEN = 1.005  # how much more than at the directions may be needed between them: more than 1 / cos(_TURN / 2)
PLACES = 800  # a standard deviation, of `chances_beyond`
_TURN = pi / 24  # angle between two directions that are tried, of noise scaled to variance 1
_POINTS = PLACES // 2  # of the lattice to a standard deviation, on which weighted sums are convolved
_WIDEST = 2**22  # persons that noise to be convolved may reach
_ROUNDING = 1e-9  # more than what floating point may be wrong by
_LEAST = 1e-300  # in place of a divisor of 0
_UNLIKELY = 1e-8  # chance that is not told from smaller ones


@dataclass(frozen=True, slots=True)
class PairTerm:
    """`draws` independent draws of `law`, each `one` times in the one sum and `other` times in the other."""

    law: Law
    one: int
    other: int
    draws: int


@dataclass(frozen=True, slots=True)
class PairNoise:
    """The noise of two sums, at least one draw in each. is_part: whether the one is a part of the other."""

    terms: tuple[PairTerm, ...]
    is_part: bool

    @property
    def variances(self) -> tuple[float, float, float]:
        """Of the noise of the one sum, of the other, and what both have in common; persons squared."""
        spreads = [(term, term.draws * float(variance(term.law))) for term in self.terms]
        return (
            sum(term.one**2 * spread for term, spread in spreads),
            sum(term.other**2 * spread for term, spread in spreads),
            sum(term.one * term.other * spread for term, spread in spreads),
        )


def fieller(noise: PairNoise, one: Floats, other: Floats, level: Fraction) -> tuple[Floats, Floats]:
    """The least and the greatest ratio that the noise allows, float64[n]; infinity where there is no greatest one.

    one, other: noisy sums, float64[n], persons. The noise allows every r with (one - r other)^2 <= (k sd)^2, sd the
    deviation of the noise of one - r other. No true ratio is below 0, and no part is larger than the whole, so the ends
    are cut to these. Where the other sum is within k deviations of 0, the noise allows all r but those between two
    bounds. Then what lies between 0, or the greater bound, and the lesser bound, or the last ratio, is stated: all that
    the noise allows, and in between also what it does not.
    """
    squared = margin_in_deviations(noise, level) ** 2
    v_one, v_other, v_both = noise.variances
    a = other**2 - squared * v_other
    b = one * other - squared * v_both
    c = one**2 - squared * v_one
    most = 1.0 if noise.is_part else np.inf
    root = np.sqrt(np.maximum(b * b - a * c, 0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        within = np.clip((b - root) / a, 0, most), np.clip((b + root) / a, 0, most)
        lesser, greater = _excluded(np.minimum(a, -_LEAST), b, c, root)
    is_bounded, has_gap = (a > 0) & (other > 0), (a <= 0) & (b * b > a * c)
    starts_late = has_gap & (lesser < 0) & (greater > 0) & (greater <= most)
    stops_early = has_gap & (lesser >= 0) & (lesser <= most) & (most < greater)
    lows = np.where(is_bounded, within[0], np.where(starts_late, greater, 0.0))
    return lows, np.where(is_bounded, within[1], np.where(stops_early, lesser, most))


def _excluded(a: Floats, b: Floats, c: Floats, root: Floats) -> tuple[Floats, Floats]:
    """The lesser and the greater root of a r^2 - 2 b r + c, a < 0, without the difference of nearly equal numbers."""
    larger = b + np.where(b < 0, -root, root)
    roots = larger / a, c / larger
    return np.fmin(*roots), np.fmax(*roots)


@lru_cache(maxsize=4096)
def margin_in_deviations(noise: PairNoise, level: Fraction) -> float:
    """How many standard deviations hold the noise of one - r other with a chance of at least `level`, for all r >= 0.

    The largest of all directions (1, r) that are tried, each an upper bound by convolution on a lattice, and half a per
    cent more for those between.
    """
    beyond, miss = chances_beyond(noise), float(1 - level)
    if beyond[-1] > miss:
        return 1 / sqrt(miss)  # Chebyshev
    return int(np.argmax(beyond <= miss)) / PLACES * BETWEEN


@lru_cache(maxsize=64)
def chances_beyond(noise: PairNoise) -> Floats:
    """The chance that the noise of one - r other is beyond m / PLACES of its standard deviations, m = 0, 1, ...

    float64[m]: the largest of all directions that are tried, down to 10^-8. An upper bound where noise is too wide to
    convolve.
    """
    if max(reach_of_terms((NoiseTerm(each.law, 1, each.draws),)) for each in noise.terms) > _WIDEST:
        return np.append(1.0, np.minimum(1, (PLACES / np.arange(1, 100 * PLACES)) ** 2))  # Chebyshev
    directions = [_beyond_of_direction(noise, x, y) for x, y in _directions(noise)]
    size = max(each.size for each in directions)
    padded = np.stack([np.pad(each, (0, size - each.size), mode="edge") for each in directions])
    return np.asarray(padded.max(axis=0), dtype=np.float64)


def _directions(noise: PairNoise) -> list[tuple[float, float]]:
    """Weights x and y of x * one - y * other, from r = 0 to r = 1 for a part of a whole, else to r without end.

    Of noise A and B, e = A / sd(A) and f, which is -B less what e explains of it, scaled, are uncorrelated. Every
    direction is cos(angle) e + sin(angle) f, and all of these have variance 1.
    """
    v_one, v_other, v_both = noise.variances
    explained = v_both / v_one
    rest = v_other - explained * v_both
    if rest <= 1e-12 * v_other:
        return [(1.0, 0.0)]
    last = atan2(sqrt(rest), ((v_one if noise.is_part else 0.0) - v_both) / sqrt(v_one))
    steps = ceil(last / _TURN - 1e-9)
    angles = [last * step / steps for step in range(steps + 1)]
    weights = [(cos(angle) / sqrt(v_one), sin(angle) / sqrt(rest)) for angle in angles]
    return [(one + explained * other, other) for one, other in weights]


def _beyond_of_direction(noise: PairNoise, x: float, y: float) -> Floats:
    """`chances_beyond` of x * one - y * other; 0 where no noise is left.

    Each of the sums of noise that they consist of is rounded to a lattice, which moves it by at most half a step.
    """
    parts = [(abs(x * term.one - y * term.other), term.law, term.draws) for term in noise.terms]
    parts = [(weight, law, number) for weight, law, number in parts if weight > 1e-9]
    deviation = sqrt(sum(weight**2 * number * float(variance(law)) for weight, law, number in parts))
    if not parts or deviation == 0:
        return np.zeros(1)
    step = deviation / _POINTS
    reaches = [ceil(weight * reach_of_terms((NoiseTerm(law, 1, number),)) / step) + 1 for weight, law, number in parts]
    size = 1 << (2 * sum(reaches) + 1).bit_length()
    transform = np.ones(size // 2 + 1)
    for weight, law, number in parts:
        transform *= np.fft.rfft(_rounded(law, number, weight / step, size)).real
    summed = np.fft.irfft(transform, size)
    covered = np.cumsum(np.concatenate([summed[:1], 2 * summed[1 : size // 2]]))
    beyond = np.minimum(1 - covered + _ROUNDING, 1)
    beyond = beyond[: int(np.argmax(beyond < _UNLIKELY)) + 1]
    # Of half steps there are PLACES to a deviation: the noise is beyond what is covered by as many as there are parts.
    return np.concatenate([np.ones(len(parts)), np.repeat(beyond, 2)])[: len(parts) + 2 * beyond.size - 1]


def _rounded(law: Law, number: int, scale: float, size: int) -> Floats:
    """The chances of `scale` times the sum of so many draws, rounded to the nearest whole, around a circle."""
    first, chances = _sum_law(law, number)
    places = np.rint(scale * np.arange(first, first + chances.size)).astype(np.int64)
    return np.asarray(np.bincount(places % size, weights=chances, minlength=size), dtype=np.float64)


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
