"""Proved integer bounds of e^-x for rational x, which noise laws need, and of log10 of a whole number."""

from fractions import Fraction

Bounds = tuple[int, int]  # of a fixed-point number of at least 0, in units of 2^-precision: from below and from above


def exp_minus(exponent: Fraction, precision: int) -> Bounds:
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
    power = total - 2 * order - 4, min(total + 2 * order + 4, 1 << working)
    # e^-x is e^-reduced squared `halvings` times. 0 < power[0], as e^-1/2 * 2^32 dwarfs the slack, so squaring keeps
    # the order, and rounding is outwards. A squaring at most doubles the width (both ends are at most 1) and adds 2, so
    # it stays near (4 * order + 10) * 2^halvings, far below one final unit, 2^(halvings + 32).
    for _ in range(halvings):
        power = product(power, power, working)
    return power[0] >> (working - precision), -(-power[1] >> (working - precision))


def product(left: Bounds, right: Bounds, precision: int) -> Bounds:
    """Bounds of the product of two numbers, in units of 2^-precision."""
    return left[0] * right[0] >> precision, -(-left[1] * right[1] >> precision)


def log10_bounds(number: int, precision: int) -> Bounds:
    """Integers (lower, upper) with lower <= log10(number) * 2^precision <= upper = lower + 1.

    number: >= 1. precision: bits, >= 0. Both are equal where the number is a power of ten.
    """
    whole = len(str(number)) - 1
    if number == 10**whole:
        return whole << precision, whole << precision
    # Bit by bit: with x = 10^f and 1 <= x < 10, the next bit of f is 1 if x^2 >= 10. x is known between two fixed-point
    # bounds. A squaring widens their distance by less than five bits, for which the working precision has room; if the
    # bounds still disagree on a bit, a higher precision decides: f is irrational, so some precision does.
    guard = 64
    while (bits := _fraction_bits(number, whole, precision, precision * 5 + guard)) is None:
        guard *= 2
    lower = whole << precision | bits
    return lower, lower + 1


def least_multiple_of_log10(factor: Fraction, number: int) -> int:
    """The least whole number that is at least factor * log10(number). factor: >= 0. number: >= 1."""
    precision = 64
    while True:
        lower, upper = (-(-factor * bound // 2**precision) for bound in log10_bounds(number, precision))
        if lower == upper:  # true at some precision: log10 is irrational, or both bounds equal it
            return int(lower)
        precision *= 2


def _fraction_bits(number: int, whole: int, count: int, working: int) -> int | None:
    """The first `count` bits of log10(number) past its whole part; None where `working` bits cannot tell one."""
    one, ten = 1 << working, 10 << working
    lower, upper = number * one // 10**whole, -(-number * one // 10**whole)
    bits = 0
    for _ in range(count):
        lower, upper = lower * lower >> working, -(-upper * upper >> working)
        if lower >= ten:
            lower, upper, bits = lower // 10, -(-upper // 10), bits << 1 | 1
        elif upper <= ten:
            bits <<= 1
        else:
            return None
    return bits
