"""The laws of noise: proved integer bounds of F(k) = P(noise <= k) at any precision; exact quantiles and variances."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise, repeat
from math import isqrt
from typing import ClassVar, Literal

from safetab_sql.laws.exponential import exp_minus, product
from safetab_sql.settings.budgets import PrivacyDefinition

TABLE_LIMIT = 2**20  # entries at 64 bits: tens of megabytes and about a second; sigma of about 55,000
_FUNCTIONS_KEPT = 8  # distribution functions kept in memory; 1 MB each at sigma 500 and 64 bits, 100 MB at the limit


@dataclass(frozen=True, slots=True)
class TwoSidedGeometric:
    """Discrete Laplace, noise of pure DP: P(k) = (1 - t) / (1 + t) * t^|k| over all integers k, with t = e^-epsilon.

    epsilon: budget of one call on a count that one record changes by at most 1; exact, > 0.
    Source: paper Definition 7, with b = 1 / epsilon.
    """

    epsilon: Fraction
    name: ClassVar[Literal["two-sided geometric"]] = "two-sided geometric"

    def __post_init__(self) -> None:
        _check_budget("epsilon of a two-sided geometric law", self.epsilon)

    def reach(self, precision: int) -> int:
        """Some n >= 1, and hardly more than needed, with P(noise <= -n) < 2^-precision. precision: bits, >= 1."""
        # P(noise <= -n) = t^n / (1 + t) < e^-(epsilon n), and epsilon n >= 7/10 precision > ln 2 * precision.
        return -(-7 * precision // (10 * self.epsilon))

    def lower_half(self, precision: int, count: int) -> tuple[list[int], list[int]]:
        """Integers lower[i] <= P(noise <= i - count) * 2^precision <= upper[i], i in 0 .. count - 1; none falls."""
        # P(noise <= -k) = t^k / (1 + t): start with k = 0 and multiply by t, rounding outwards. One product widens the
        # gap by at most the gap of t and two roundings, 4 units in all; the guard bits hold count * 4 many times over.
        guard = 2 * count.bit_length() + 16
        working = precision + guard
        one, ratio = 1 << working, exp_minus(self.epsilon, working)
        tail = (one << working) // (one + ratio[1]), -(-(one << working) // (one + ratio[0]))
        lower, upper = [], []
        for _ in repeat(None, count):
            tail = product(tail, ratio, working)
            lower.append(tail[0] >> guard)
            upper.append(-(-tail[1] >> guard))
        return lower[::-1], upper[::-1]

    def variance_bounds(self, precision: int) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of the variance, persons squared; they meet as precision (bits) grows.

        The precision must suffice to tell e^-epsilon from 1: see `variance`.
        """
        # The variance is 2 t / (1 - t)^2, which increases with t.
        one = 1 << precision
        lower, upper = (Fraction(2 * ratio * one, (one - ratio) ** 2) for ratio in exp_minus(self.epsilon, precision))
        return lower, upper


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """Noise of zCDP: P(k) proportional to e^(-rho k^2) over all integers k: sigma^2 = 1 / (2 rho).

    rho: budget of one call on a count that one record changes by at most 1; exact, > 0.
    Source: paper Definition 6; Canonne, Kamath, Steinke 2020, Definition 1.
    """

    rho: Fraction
    name: ClassVar[Literal["discrete gaussian"]] = "discrete gaussian"

    def __post_init__(self) -> None:
        _check_budget("rho of a discrete Gaussian law", self.rho)

    def reach(self, precision: int) -> int:
        """Some n >= 1, and hardly more than needed, with P(noise <= -n) < 2^-precision. precision: bits, >= 1."""
        # With w(k) = e^(-rho k^2), w(n + i) <= w(n) w(i). Summed over i >= 0: P(noise <= -n) <= w(n), for the sum
        # of w(i) is at most the normaliser. And rho n^2 >= 7/10 precision > ln 2 * precision.
        square = -(-7 * precision // (10 * self.rho))
        return isqrt(square - 1) + 1

    def lower_half(self, precision: int, count: int) -> tuple[list[int], list[int]]:
        """Integers lower[i] <= P(noise <= i - count) * 2^precision <= upper[i] for i in 0 .. count - 1.

        Both lists are non-decreasing. count: at most `self.reach(precision)`.
        """
        # Errors of the weights grow like count^2 units of 2^-working, errors of their sums like count^3: see
        # _weights. The guard bits hold that with 32 + bit_length(count) bits to spare.
        working = precision + 4 * count.bit_length() + 32
        stop = self.reach(working)
        weights_lower, weights_upper = _weights(self.rho, working, stop)
        # Beyond `stop`, with n = stop + 1: w(n) <= 2^-working <= 1/2. The rest R, the sum of w(n + i) over
        # i >= 0, is at most w(n) times the sum of w(i), which is 1 + w(1) + ... + w(stop) + R <= n + R.
        # So R <= 2 n w(n), which is at most 2 n units.
        sums_lower = list(accumulate(reversed(weights_lower)))
        sums_upper = list(accumulate(reversed(weights_upper), initial=2 * (stop + 1)))[1:]
        # P(noise <= -k) = (sum of w(j) over j >= k) / (w(0) + 2 * sum of w(j) over j >= 1).
        normaliser_lower = (1 << working) + 2 * sums_lower[-1]
        normaliser_upper = (1 << working) + 2 * sums_upper[-1]
        lower = [(below << precision) // normaliser_upper for below in sums_lower[-count:]]
        upper = [-(-(above << precision) // normaliser_lower) for above in sums_upper[-count:]]
        return lower, upper

    def variance_bounds(self, precision: int) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of the variance, persons squared; they meet as precision (bits) grows.

        For rho <= 1/8 they are sigma^2 (1 - 2^-100) and sigma^2, at any precision.
        """
        if self.rho <= Fraction(1, 8):
            # Poisson summation: the normaliser is sqrt(pi / rho) * theta, where x = pi^2 / rho > 78 and
            # theta = 1 + 2 * (e^-x + e^-4x + e^-9x + ...). The variance is minus the derivative of the
            # normaliser's logarithm by rho: 1 / (2 rho) - theta' / theta. And theta' / theta is positive and
            # below theta' = 2 (x / rho) * (e^-x + 4 e^-4x + 9 e^-9x + ...) < 1 / (2 rho) * 5 x e^-x.
            # The factor 5 x e^-x falls with x, and is below 2^-102 at x = 78.
            return (1 - Fraction(1, 2**100)) / (2 * self.rho), 1 / (2 * self.rho)
        # Terms k^2 w(k), k = 1 .. last. From k = 16 on, each is less than half its predecessor, for the quotient
        # is at most (17/16)^2 * e^-(33/8). So all terms beyond `last` together are at most the last one, and that
        # is at most last^2 units, for w(last) <= 2^-precision. The sum of w(k) beyond `last` is smaller still.
        last = max(16, self.reach(precision))
        lower, upper = _weights(self.rho, precision, last)
        squares = [k * k for k in range(1, last + 1)]
        moment_lower = sum(square * weight for square, weight in zip(squares, lower, strict=True))
        moment_upper = sum(square * weight for square, weight in zip(squares, upper, strict=True)) + last**2
        one = 1 << precision
        return (
            Fraction(2 * moment_lower, one + 2 * (sum(upper) + last**2)),
            Fraction(2 * moment_upper, one + 2 * sum(lower)),
        )


def _weights(rho: Fraction, precision: int, count: int) -> tuple[list[int], list[int]]:
    """Bounds of e^(-rho k^2) * 2^precision for k = 1 .. count."""
    # w(k + 1) = w(k) * g^(2 k + 1) with g = e^-rho, all factors at most 1, rounded outwards. The gap of the
    # power of g grows by at most a constant a step, hence the gap of w(k) by at most a multiple of k.
    step = exp_minus(rho, precision)
    square, weight = product(step, step, precision), (1 << precision, 1 << precision)
    lower, upper = [], []
    for _ in repeat(None, count):
        weight, step = product(weight, step, precision), product(step, square, precision)
        lower.append(weight[0])
        upper.append(weight[1])
    return lower, upper


def _check_budget(name: str, budget: object) -> None:
    """Raises: TypeError where a budget is not exact; ValueError where it is not above 0."""
    if not isinstance(budget, Fraction):
        raise TypeError(f"{name}: {budget!r} is not a Fraction")
    if budget <= 0:
        raise ValueError(f"{name}: {budget} is not positive")


Law = TwoSidedGeometric | DiscreteGaussian


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
    outer, inner = ([(1 << precision) - bound for bound in reversed(each)] for each in (upper, lower))
    return CumulativeBounds(-count, (*lower, *outer), (*upper, *inner))


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
