"""Exact draws of a noise law of any rational scale by rejection, one at a time: no table, no approximation.

Source: Canonne, Kamath, Steinke 2020, "The discrete Gaussian for differential privacy", Algorithms 1 to 3.
"""

from fractions import Fraction
from math import isqrt

import numpy as np
import numpy.typing as npt

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.mechanisms.bits import BitSource, random_bytes


def draw_by_rejection(law: Law, size: int, bits: BitSource) -> npt.NDArray[np.int64]:
    """`size` independent draws of `law`: int64[size], persons. Raises OverflowError beyond 64 bits."""
    if isinstance(law, TwoSidedGeometric):
        return np.array([_geometric(law.epsilon, bits) for _ in range(size)], dtype=np.int64)
    return np.array([_gaussian(law, bits) for _ in range(size)], dtype=np.int64)


def _gaussian(law: DiscreteGaussian, bits: BitSource) -> int:
    """One draw: P(k) proportional to e^(-k^2 / (2 sigma2)). Source: Algorithm 3."""
    sigma2 = 1 / (2 * law.rho)
    # Any integer t > 0 is right; floor(sigma) + 1 accepts more than 2 in 5. floor(sqrt(x)) = isqrt(floor(x)).
    scale = isqrt(sigma2.numerator // sigma2.denominator) + 1
    while True:
        candidate = _geometric(Fraction(1, scale), bits)
        if _bernoulli_exp((abs(candidate) - sigma2 / scale) ** 2 / (2 * sigma2), bits):
            return candidate


def _geometric(epsilon: Fraction, bits: BitSource) -> int:
    """One draw: P(k) proportional to e^(-epsilon |k|). Source: Algorithm 2, with s / t = epsilon."""
    while True:
        # P(remainder) proportional to e^(-remainder / t) below t, and P(whole) to e^-whole: so their sum,
        # remainder + t * whole, is geometric with ratio e^(-1 / t), and its quotient by s, with ratio e^(-s /
        # t).
        remainder = _uniform(epsilon.denominator, bits)
        if not _bernoulli_exp(Fraction(remainder, epsilon.denominator), bits):
            continue
        whole = 0
        while _bernoulli_exp(Fraction(1), bits):
            whole += 1
        magnitude = (remainder + epsilon.denominator * whole) // epsilon.numerator
        negative = _uniform(2, bits) == 1
        if not (negative and magnitude == 0):  # otherwise 0 would be drawn twice as often
            return -magnitude if negative else magnitude


def _bernoulli_exp(exponent: Fraction, bits: BitSource) -> bool:
    """True with probability e^-exponent; exponent >= 0. Source: Algorithm 1."""
    whole = exponent.numerator // exponent.denominator
    for _ in range(whole):
        if not _bernoulli_exp_fraction(Fraction(1), bits):
            return False
    return _bernoulli_exp_fraction(exponent - whole, bits)


def _bernoulli_exp_fraction(exponent: Fraction, bits: BitSource) -> bool:
    """True with probability e^-exponent; 0 <= exponent <= 1."""
    # The first `trial` to fail exceeds k with probability x^k / k!. It is odd with probability
    # (1 - x) + (x^2 / 2! - x^3 / 3!) + ... = e^-x.
    trial = 1
    while _uniform(exponent.denominator * trial, bits) < exponent.numerator:
        trial += 1
    return trial % 2 == 1


def _uniform(limit: int, bits: BitSource) -> int:
    """A uniform integer in 0 .. limit - 1; limit >= 1."""
    width = (limit - 1).bit_length()
    octets = -(-width // 8)
    while True:
        value = int.from_bytes(random_bytes(bits, octets), "little") >> (8 * octets - width)
        if value < limit:
            return value
