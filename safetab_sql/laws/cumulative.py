"""The laws of noise, and proved integer bounds of their distribution function F(k) = P(noise <= k) at any precision."""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.settings.budgets import PrivacyDefinition

Law = TwoSidedGeometric | DiscreteGaussian

TABLE_LIMIT = 2**20  # entries at 64 bits: tens of megabytes and about a second; sigma of about 55,000
_FUNCTIONS_KEPT = 8  # distribution functions kept in memory; 1 MB each at sigma 500 and 64 bits, 100 MB at the limit


def noise_law(definition: PrivacyDefinition, budget: Fraction) -> Law:
    """zcdp: discrete Gaussian, sigma2 1/(2 budget). puredp: geometric, scale 1/budget. Source: paper Algorithms 3-5."""
    return DiscreteGaussian(budget) if definition == "zcdp" else TwoSidedGeometric(budget)


@dataclass(frozen=True, slots=True)
class CumulativeBounds:
    """lower[i] <= F(first + i) * 2^precision <= upper[i], for the precision that was asked for.

    Both are non-decreasing. The ends are so far out that lower[0] is 0 and upper[-1] is 2^precision, and
    upper[0] and 2^precision - lower[-1] are 1, like nearly every upper[i] - lower[i].
    """

    first: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]


@lru_cache(maxsize=_FUNCTIONS_KEPT)
def cumulative_bounds(law: Law, precision: int) -> CumulativeBounds:
    """Bounds of F at every integer where F is not within 2^-precision of 0 or 1, and at a few more integers.

    precision: bits, >= 1. Integer arithmetic throughout; time and size grow with the law's standard deviation.
    """
    count = law.reach(precision)
    lower, upper = law.lower_half(precision, count)
    # Both laws are symmetric: F(k) = 1 - F(-k - 1). And 0 < F(-count) < 2^-precision makes lower[0] = 0.
    one = 1 << precision
    return CumulativeBounds(
        first=-count,
        lower=(*lower, *(one - above for above in reversed(upper))),
        upper=(*upper, *(one - below for below in reversed(lower))),
    )


def is_tabulable(law: Law) -> bool:
    """Whether the table of F at 64 bits has at most TABLE_LIMIT entries."""
    return 2 * law.reach(64) <= TABLE_LIMIT


def decided_value(bounds: CumulativeBounds, word: int) -> int | None:
    """The k with F(k - 1) <= u < F(k) for all u in [word, word + 1) / 2^precision; None if bounds do not decide it."""
    # The last entry with lower <= word. The next one has F * 2^precision >= lower >= word + 1: u is below it.
    entry = bisect_right(bounds.lower, word) - 1
    if word < bounds.upper[entry]:
        return None
    return bounds.first + entry + 1


def pmf_words(law: Law) -> tuple[int, tuple[int, ...]]:
    """First k, and P(k) * 2^64 for k, k + 1, ..., each within 1.

    All other probabilities together are below 2^-126. Raises ValueError for a law too wide to tabulate.
    """
    if not is_tabulable(law):
        raise ValueError(f"{law}: too wide to tabulate, more than {TABLE_LIMIT} values")
    # P(k) = F(k) - F(k - 1): a difference of bounds that are a few units of 2^-128 wide, rounded to 2^-64.
    bounds = cumulative_bounds(law, 128)
    words = tuple((right - left + (1 << 63)) >> 64 for left, right in pairwise(bounds.lower))
    return bounds.first + 1, words
