"""The discrete Gaussian law: noise of zero-concentrated differential privacy."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, repeat
from math import isqrt

from safetab_sql.laws.exponential import exp_minus, product_above, product_below


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """P(k) proportional to e^(-rho k^2) over all integers k: sigma^2 = 1 / (2 rho).

    rho: budget of one call on a count that one record changes by at most 1; exact, > 0.
    Source: paper Definition 6; Canonne, Kamath, Steinke 2020, Definition 1.
    """

    rho: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.rho, Fraction):
            raise TypeError(f"rho of a discrete Gaussian law: {self.rho!r} is not a Fraction")
        if self.rho <= 0:
            raise ValueError(f"rho of a discrete Gaussian law: {self.rho} is not positive")

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
    step_lower, step_upper = exp_minus(rho, precision)
    square_lower = product_below(step_lower, step_lower, precision)
    square_upper = product_above(step_upper, step_upper, precision)
    below = above = 1 << precision
    lower, upper = [], []
    for _ in repeat(None, count):
        below = product_below(below, step_lower, precision)
        above = product_above(above, step_upper, precision)
        lower.append(below)
        upper.append(above)
        step_lower = product_below(step_lower, square_lower, precision)
        step_upper = product_above(step_upper, square_upper, precision)
    return lower, upper
