"""Privacy loss random variables (PLRVs): the law of the evidence in an output for one input against its neighbour.

For an ordered pair of neighbouring inputs the loss of an output w is L = log P(M(first) = w) / P(M(second) = w), and
w is drawn from M(first). Source: D. Kifer, *Differential Privacy in Practice* (slides; "Kifer" here and below, with the
section or slide), Privacy Loss Random Variables.

Errors: the losses of the two laws of noise are closed forms; chances are doubles, each wrong by less than 1e-15, and
the chances of the discrete Gaussian come from proved bounds (laws/cumulative.py). Noise beyond the tables (chance below
1e-19) is counted as an output that only one input can have: every number computed from a pair is then an upper bound
of what an attacker learns, wrong by less than 1e-12.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.laws.cumulative import Law, pmf_words
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian

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


def geometric(epsilon: Fraction, shift: int) -> LossPair:
    """Two-sided geometric noise on counts that differ by `shift` >= 1: losses (shift - 2 j) epsilon, j = 0 .. shift.

    With noise k, L = epsilon (|k - shift| - |k|); all k <= 0 give the same, and so do all k >= shift.
    Source: Kifer, PLRV for the Geometric Mechanism; Group privacy loss for `shift` above 1.
    """
    if shift < 1 or epsilon <= 0:
        raise ValueError(f"shift and epsilon have to be positive, they are {shift} and {epsilon}")
    one = float(epsilon)
    steps = np.arange(shift + 1)
    inner = -math.expm1(-one) / (1 + math.exp(-one)) * np.exp(-one * steps)
    first = inner.copy()
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
    """Both mechanisms on the same data, independently: losses add. Source: Kifer, Independent Composition.

    Raises: ValueError for more than 4 million pairs of losses: composition.py bounds such compositions on a grid.
    """
    if left.losses.size * right.losses.size > LARGEST_COMPOSITION:
        raise ValueError("too many losses to multiply out: use safetab_sql.semantics.composition")
    losses = np.add.outer(left.losses, right.losses).ravel()
    first = np.multiply.outer(left.first, right.first).ravel()
    second = np.multiply.outer(left.second, right.second).ravel()
    only_first = 1 - (1 - left.only_first) * (1 - right.only_first)
    only_second = 1 - (1 - left.only_second) * (1 - right.only_second)
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
