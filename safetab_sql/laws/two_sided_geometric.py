"""The two-sided geometric law (discrete Laplace): noise of pure differential privacy."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat

from safetab_sql.laws.exponential import exp_minus, product_above, product_below


@dataclass(frozen=True, slots=True)
class TwoSidedGeometric:
    """P(k) = (1 - t) / (1 + t) * t^|k| over all integers k, with t = e^-epsilon.

    epsilon: budget of one call on a count that one record changes by at most 1; exact, > 0.
    Source: paper Definition 7, with b = 1 / epsilon.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.epsilon, Fraction):
            raise TypeError(f"epsilon of a two-sided geometric law: {self.epsilon!r} is not a Fraction")
        if self.epsilon <= 0:
            raise ValueError(f"epsilon of a two-sided geometric law: {self.epsilon} is not positive")

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
        ratio_lower, ratio_upper = exp_minus(self.epsilon, working)
        one = 1 << working
        below = (one << working) // (one + ratio_upper)
        above = -(-(one << working) // (one + ratio_lower))
        lower, upper = [], []
        for _ in repeat(None, count):
            below = product_below(below, ratio_lower, working)
            above = product_above(above, ratio_upper, working)
            lower.append(below >> guard)
            upper.append(-(-above >> guard))
        return lower[::-1], upper[::-1]

    def variance_bounds(self, precision: int) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of the variance, persons squared; they meet as precision (bits) grows.

        The precision must suffice to tell e^-epsilon from 1: see `variance`.
        """
        # The variance is 2 t / (1 - t)^2, which increases with t.
        one = 1 << precision
        lower, upper = (Fraction(2 * ratio * one, (one - ratio) ** 2) for ratio in exp_minus(self.epsilon, precision))
        return lower, upper
