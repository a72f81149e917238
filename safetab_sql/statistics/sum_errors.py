"""How far a sum of published counts may exceed the true sum, where counts were chosen for their size or cut at 0.

A count that was published for its size is too large on average, and so is one that would be below 0 and was set to 0.
What is known of either is its largest error, in the sense that no error exceeds a bound with a larger chance.
Source: accuracy.md section 5.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log, sqrt

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law, reach
from safetab_sql.laws.quantiles import variance
from safetab_sql.published.tails import tails
from safetab_sql.published.uncertainty import NoiseTerm, margin_of_terms

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
    step = _step(terms)
    while (found := _sum_of(terms, step)) is None:
        step *= 2
    first, chances = found
    beyond = 1 - np.cumsum(chances)
    return step * (first + int(np.argmax(beyond <= float(miss) - _SLACK)))


def _step(terms: Sequence[ErrorTerm]) -> int:
    """Of a lattice to which every draw is rounded up, persons."""
    draws = sum(term.draws for term in terms)
    spread = sqrt(sum(term.draws * term.coefficient**2 * float(variance(term.law)) for term in terms))
    return max(1, floor(2 * _FINENESS * spread / draws))


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
    furthest = reach(term.law, _BITS)
    low = 0 if term.is_clipped else -term.coefficient * furthest
    high = term.coefficient * (furthest + max(0, term.beyond or 0))
    values = np.arange(floor(low / step), ceil(high / step) + 1, dtype=np.int64)
    exceeding = _chances_above(term, values * step // term.coefficient)
    exceeding[-1] = 0
    return int(values[0]), -np.diff(exceeding, prepend=1.0)


def _chances_above(term: ErrorTerm, bounds: Int64s) -> Floats:
    """P(one draw > bound), without the coefficient: float64[n]."""
    found = _noise_above(term.law, bounds)
    if term.beyond is not None:
        published = _noise_above(term.law, np.array([term.beyond]))[0]
        rare = published < _RAREST
        found = np.ones(bounds.size) if rare else np.where(bounds <= term.beyond, 1.0, found / published)
    return np.where(bounds < 0, 1.0, found) if term.is_clipped else found


def _noise_above(law: Law, bounds: Int64s) -> Floats:
    """P(noise > bound) for any bound."""
    sides = tails(law, np.where(bounds < 0, -bounds - 1, bounds))
    return np.where(bounds < 0, 1 - sides, sides)


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
