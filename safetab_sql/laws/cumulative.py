"""The laws of noise: proved integer bounds of F(k) = P(noise <= k) at any precision; exact quantiles and variances."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import isqrt

from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.exponential import exp_minus
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


# Quantiles and variances: margins of error and suppression thresholds.


def quantile(law: Law, chance: Fraction) -> int:
    """Smallest integer t with P(noise <= t) >= chance, persons; 0 < chance < 1.

    A discrete Gaussian too wide to tabulate (sigma above about 55,000) gives a proved but slightly larger t:
    see `_wide_gaussian_quantile`. Source: tabulation.md section 6.1; production's zero_suppression_chance.
    """
    if not 0 < chance < 1:
        raise ValueError(f"chance of a quantile: {chance} is not strictly between 0 and 1")
    if isinstance(law, TwoSidedGeometric):
        return _geometric_quantile(law, chance)
    if is_tabulable(law):
        return _tabulated_quantile(law, chance)
    return _wide_gaussian_quantile(law, chance)


def margin_of_error(law: Law, coverage: Fraction = Fraction(95, 100)) -> int:
    """Smallest m with P(|noise| <= m) >= coverage, persons; or slightly larger, as `quantile`. 0 < coverage < 1."""
    if not 0 < coverage < 1:
        raise ValueError(f"coverage of a margin of error: {coverage} is not strictly between 0 and 1")
    # By symmetry P(|noise| <= m) = 2 F(m) - 1, for m >= 0; and 2 F(-1) - 1 < 0 < coverage.
    return quantile(law, (1 + coverage) / 2)


@lru_cache(maxsize=1024)  # a sum asks for it once a term
def variance(law: Law) -> Fraction:
    """Variance of the noise, persons squared, wrong by at most 2^-64 * max(1, variance)."""
    # Start with enough bits to distinguish e^-epsilon from 1 (they differ by more than 1 / (4 * law.reach(1))); then
    # add bits until the bounds meet.
    precision = 128 + law.reach(1).bit_length()
    lower, upper = law.variance_bounds(precision)
    while (upper - lower) * 2**64 > max(Fraction(1), lower):
        precision *= 2
        lower, upper = law.variance_bounds(precision)
    return (lower + upper) / 2


def _geometric_quantile(law: TwoSidedGeometric, chance: Fraction) -> int:
    """Smallest k with F(k) >= chance: bisection on the closed form of F."""
    beyond = law.reach(1)
    while not _geometric_reaches(law, beyond, chance):
        beyond *= 2
    short = -1
    while _geometric_reaches(law, short, chance):
        short *= 2
    while beyond - short > 1:
        middle = (short + beyond) // 2
        if _geometric_reaches(law, middle, chance):
            beyond = middle
        else:
            short = middle
    return beyond


def _geometric_reaches(law: TwoSidedGeometric, value: int, chance: Fraction) -> bool:
    # P(noise <= -k) = t^k / (1 + t) = e^-(epsilon k) / (1 + e^-epsilon) for k >= 0, and F(value) is one minus
    # that with k = value + 1 where value >= 0. e^-epsilon is transcendental (Lindemann), so F never equals
    # the rational `chance`, and bounds that meet as the precision grows decide after finitely many rounds.
    tail_at = value + 1 if value >= 0 else -value
    wanted = 1 - chance if value >= 0 else chance
    precision = 64
    while True:
        power_lower, power_upper = exp_minus(law.epsilon * tail_at, precision)
        ratio_lower, ratio_upper = exp_minus(law.epsilon, precision)
        one = 1 << precision
        if power_upper < wanted * (one + ratio_lower):
            return value >= 0
        if power_lower > wanted * (one + ratio_upper):
            return value < 0
        precision *= 2


def _tabulated_quantile(law: Law, chance: Fraction) -> int:
    """Smallest k with F(k) >= chance: look it up in the table, at a precision that decides."""
    # A round is undecided only if `chance` lies within a unit or two of 2^-precision of some F(k), or outside
    # the table. It would never end if an F(k) were exactly `chance`, a rational; none is known to be one.
    precision = 64
    while True:
        bounds = cumulative_bounds(law, precision)
        wanted = -(-chance * 2**precision // 1)
        entry = bisect_left(bounds.lower, wanted)
        if 0 < entry < len(bounds.lower) and entry == bisect_left(bounds.upper, wanted):
            return bounds.first + entry
        precision *= 2


def _wide_gaussian_quantile(law: DiscreteGaussian, chance: Fraction) -> int:
    """Some t >= 0 with F(t) >= chance, for sigma far above 3,000; a little more than the least such t.

    Let w(k) = e^(-rho k^2), and v(i) = w(B i) for a block length B: the weights of the coarse law, of
    rho B^2, with distribution function F' and normaliser V. Beyond 0 w falls, so its sum over the block
    B i < k <= B (i + 1) lies between B v(i + 1) and B v(i), for i >= 0. Hence, for j >= 0,
    - the sum of w(k) over k > B j is at most B * (sum of v(i) over i >= j) = B V (1 - F'(j - 1)), by symmetry;
    - the normaliser of w is at least 1 + B (V - 1);
    - 1 - F(B j) <= f * (1 - F'(j - 1)) with f = B V / (1 + B (V - 1)) < 1 + 1 / (V - 1).
    V - 1 holds 2 r terms v(i) >= 1/e > 1/3, those with |i| <= r = floor(sqrt(1 / (rho B^2))), i not 0. So
    f < 1 + 3 / (2 r), and t = B j will do if F'(j - 1) >= 1 - (1 - chance) / f with that larger f.
    """
    block = isqrt(1 // law.rho) // 4096  # r of about 4096, sigma' of about 2,900
    coarse = DiscreteGaussian(law.rho * block**2)
    factor = 1 + Fraction(3, 2 * isqrt(1 // coarse.rho))
    return block * max(0, _tabulated_quantile(coarse, 1 - (1 - chance) / factor) + 1)
