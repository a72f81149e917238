"""Draws that exceed a bound: the law of their number and the law of their values. Used for groups without people.

If a total of zero is published only when its noise exceeds a threshold, then the number of published totals among N
empty groups is binomial, their places are uniform, and their noise follows the law given that it exceeds the threshold:
see mechanisms/empty_groups.py. Bounds are proved, as in noise.py. Source: mechanisms.md section 6.
"""

from dataclasses import dataclass
from functools import lru_cache

from safetab_sql.laws.exponential import product
from safetab_sql.laws.noise import CumulativeBounds, Law, cumulative_bounds


@dataclass(frozen=True, slots=True)
class Exceedance:
    """The law of a draw of `law`, given that it is greater than `above` >= 0."""

    law: Law
    above: int


@dataclass(frozen=True, slots=True)
class ExceedanceCount:
    """The law of the number, among 2^log2_draws independent draws of `law`, that are greater than `above` >= 0.

    It is Binomial(2^log2_draws, p) with p = P(draw > above), which is irrational. tails: 1, or 2 to
    count also the draws below -above, p = P(|draw| > above).
    """

    law: Law
    above: int
    log2_draws: int
    tails: int = 1


Distribution = Law | Exceedance | ExceedanceCount


def distribution_bounds(distribution: Distribution, precision: int) -> CumulativeBounds:
    """Proved bounds of the distribution function of any law that can be drawn. precision: bits, >= 1."""
    if isinstance(distribution, Exceedance):
        return exceedance_bounds(distribution, precision)
    if isinstance(distribution, ExceedanceCount):
        return exceedance_count_bounds(distribution, precision)
    return cumulative_bounds(distribution, precision)


def tail_bounds(law: Law, above: int, precision: int) -> tuple[int, int]:
    """Integers (lower, upper) with lower <= P(draw > above) * 2^precision <= upper. above: >= 0; precision: >= 1."""
    bounds = cumulative_bounds(law, precision)
    entry = -above - 1 - bounds.first  # the law is symmetric: P(draw > above) = F(-above - 1)
    return (bounds.lower[entry], bounds.upper[entry]) if entry >= 0 else (0, 1)


@lru_cache(maxsize=8)
def exceedance_bounds(exceedance: Exceedance, precision: int) -> CumulativeBounds:
    """Bounds of P(draw <= k, given draw > above) for k = above, above + 1, ...

    It is 1 - P(draw > k) / P(draw > above), a ratio of bounds of one table. The table is refined until
    P(draw > above) has 40 bits more than the ratio needs, which leaves ratios nearly always within one unit.
    """
    law, above, one = exceedance.law, exceedance.above, 1 << precision
    working = precision + 64
    while tail_bounds(law, above, working)[0] < 1 << (precision + 40):
        working *= 2
    bounds = cumulative_bounds(law, working)
    start = -above - 1 - bounds.first
    whole_lower, whole_upper = bounds.lower[start], bounds.upper[start]
    # F(above) is 0: the first entry's bounds hold, and make lower[0] the 0 that every table begins with. At the
    # other end P(draw > k) < 2^-working, so that its ratio is below 2^-precision.
    lower, upper = [0], [1]
    for entry in range(start - 1, -1, -1):
        ratio_above = -(-(bounds.upper[entry] << precision) // whole_lower)
        ratio_below = (bounds.lower[entry] << precision) // whole_upper
        lower.append(max(0, one - ratio_above))
        upper.append(one - ratio_below)
    return CumulativeBounds(above, tuple(lower), tuple(upper))


@lru_cache(maxsize=64)
def exceedance_count_bounds(count: ExceedanceCount, precision: int) -> CumulativeBounds:
    """Bounds of P(number <= k) for k = -1, 0, 1, ...

    P(number = 0) = (1 - p)^n, squared log2 n times; P(k + 1) = P(k) * (n - k) / (k + 1) * p / (1 - p). Each product
    is rounded outwards, so the bounds hold whatever the guard bits; those keep them within one unit, nearly always,
    where n p is at most about 1, as it is in the blocks of mechanisms/empty_groups.py.
    """
    working = precision + 104  # 64 bits, and 40 for log2_draws: one table of the law serves counts of any size
    one, draws, shift = 1 << working, 1 << count.log2_draws, working - precision
    p_lower, p_upper = (count.tails * bound for bound in tail_bounds(count.law, count.above, working))
    odds_lower = (p_lower << working) // (one - p_lower)
    odds_upper = -(-(p_upper << working) // (one - p_upper))
    term = one - p_upper, one - p_lower
    for _ in range(count.log2_draws):
        term = product(term, term, working)
    term_lower, term_upper = term
    lower, upper = [0], [1]  # P(number <= -1) = 0
    sum_lower = sum_upper = number = 0
    while True:
        sum_lower += term_lower
        sum_upper += term_upper
        next_upper = -(-term_upper * (draws - number) * odds_upper // ((number + 1) << working))
        # The ratio of successive terms falls. Once it is at most 1/2, all later terms are below twice the next.
        is_halving = 2 * (draws - number - 1) * odds_upper <= (number + 2) << working
        if is_halving and 2 * next_upper < 1 << shift:
            break
        lower.append(sum_lower >> shift)
        upper.append(min(-(-sum_upper >> shift), 1 << precision))
        term_lower = term_lower * (draws - number) * odds_lower // ((number + 1) << working)
        term_upper = next_upper
        number += 1
    return CumulativeBounds(-1, (*lower, (1 << precision) - 1), (*upper, 1 << precision))
