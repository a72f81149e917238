"""Proved integer bounds of log10 of a whole number, for thresholds that grow with the size of a histogram."""

from fractions import Fraction

_GUARD_BITS = 64


def log10_bounds(number: int, precision: int) -> tuple[int, int]:
    """Integers (lower, upper) with lower <= log10(number) * 2^precision <= upper = lower + 1.

    number: >= 1. precision: bits, >= 0. Both are equal where the number is a power of ten.
    """
    whole = len(str(number)) - 1
    if number == 10**whole:
        return whole << precision, whole << precision
    # Bit by bit: with x = 10^f and 1 <= x < 10, the next bit of f is 1 if x^2 >= 10. x is known between two fixed-point
    # bounds. A squaring widens their distance by less than five bits, for which the working precision has room; if the
    # bounds still disagree on a bit, a higher precision decides: f is irrational, so some precision does.
    guard = _GUARD_BITS
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
