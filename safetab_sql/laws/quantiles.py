"""Exact quantiles and variances of the noise laws: margins of error and suppression thresholds."""

from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from safetab_sql.laws.cumulative import Law, cumulative_bounds, is_tabulable
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.exponential import exp_minus
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric


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
