"""Proved integer bounds of e^-x for rational x, the only transcendental function that the noise laws need."""

from fractions import Fraction


def exp_minus(exponent: Fraction, precision: int) -> tuple[int, int]:
    """Integers (lower, upper) with lower <= e^-exponent * 2^precision <= upper.

    They nearly always differ by 1. exponent: > 0, of any size: the work grows with its number of bits.
    precision: bits, >= 0.
    """
    # x < 2^bit_length(floor x), so x / 2^halvings < 1/2. Below, one unit is 2^-working.
    halvings = (exponent.numerator // exponent.denominator).bit_length() + 1
    working = precision + halvings + 32
    reduced = exponent / 2**halvings
    total, order, term = 0, 0, 1 << working
    while term:
        total += -term if order % 2 else term
        order += 1
        term = term * reduced.numerator // (reduced.denominator * order)
    # Taylor terms of e^-reduced. A computed term is its predecessor times reduced/order <= 1/2, rounded down,
    # so it lies below the true term by less than (its predecessor's deficit) / 2 + 1 < 2 units: `order`
    # summed terms are wrong by less than 2 * order. The first omitted term is computed as 0, so it is truly
    # below 2, and each later one is at most half its predecessor: all omitted terms together are below 4.
    lower = total - 2 * order - 4
    upper = min(total + 2 * order + 4, 1 << working)
    # e^-x is e^-reduced squared `halvings` times. 0 < lower, for e^-1/2 * 2^32 dwarfs the slack, so squaring keeps the
    # order, and rounding is outwards. A squaring at most doubles the width (both ends are at most 1) and adds 2, so the
    # width stays near (4 * order + 10) * 2^halvings, far below one final unit, 2^(halvings + 32).
    for _ in range(halvings):
        lower = product_below(lower, lower, working)
        upper = product_above(upper, upper, working)
    return lower >> (working - precision), -(-upper >> (working - precision))


def product_below(left: int, right: int, precision: int) -> int:
    """Product of two fixed-point numbers in units of 2^-precision, rounded down."""
    return left * right >> precision


def product_above(left: int, right: int, precision: int) -> int:
    """Product of two fixed-point numbers in units of 2^-precision, rounded up."""
    return -(-left * right >> precision)
