from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.laws.exponential import exp_minus, least_multiple_of_log10, log10_bounds, product


@given(
    st.fractions(min_value=Fraction(1, 10**12), max_value=10**6, max_denominator=10**12),
    st.integers(min_value=0, max_value=300),
)
def test_bounds_hold_e_to_the_minus_x_and_are_no_more_than_two_units_apart(exponent, precision):
    lower, upper = exp_minus(exponent, precision)
    with mpmath.workprec(precision + 100):
        exact = mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator) * mpmath.mpf(2) ** precision
        assert lower <= exact <= upper
    assert upper - lower in {1, 2}  # 2 only where an integer lies within 2^-20 of the value


@pytest.mark.parametrize("exponent", [Fraction(10**9), Fraction(10**40, 3)])
def test_an_exponent_beyond_all_bits_is_instant(exponent):
    assert exp_minus(exponent, 64) == (0, 1)


def test_a_tiny_exponent_stays_below_one():
    lower, upper = exp_minus(Fraction(1, 10**100), 64)
    assert (lower, upper) == (2**64 - 1, 2**64)


def test_products_are_rounded_outwards():
    assert product((3, 3), (5, 5), 3) == (1, 2)
    assert product((4, 4), (6, 6), 3) == (3, 3)


# Bounds of log10 hold, and multiples of it are rounded up exactly.

NUMBERS = st.integers(1, 10**12)


@given(NUMBERS, st.integers(0, 200))
def test_log10_lies_between_its_bounds(number, precision):
    lower, upper = log10_bounds(number, precision)
    with mpmath.workdps(120):
        exact = mpmath.log10(number) * mpmath.mpf(2) ** precision
        slack = mpmath.mpf(10) ** -40  # of mpmath's own rounding, where a bound is met
        assert lower - slack <= exact <= upper + slack


@given(NUMBERS, st.integers(0, 200))
def test_the_bounds_are_one_unit_apart_at_most(number, precision):
    lower, upper = log10_bounds(number, precision)
    assert upper - lower in (0, 1)


@pytest.mark.parametrize("power", [0, 1, 5, 12])
def test_the_logarithm_of_a_power_of_ten_is_exact(power):
    assert log10_bounds(10**power, 70) == (power << 70, power << 70)


@given(NUMBERS, st.fractions(0, 1000, max_denominator=10**6))
def test_a_multiple_is_the_least_whole_number_that_is_no_less(number, factor):
    found = least_multiple_of_log10(factor, number)
    with mpmath.workdps(120):
        exact = mpmath.mpf(factor.numerator) / factor.denominator * mpmath.log10(number)
        assert found - 1 < exact <= found + mpmath.mpf(10) ** -60


@pytest.mark.parametrize(
    ("factor", "number", "least"),
    [
        (Fraction(0), 10**9, 0),
        (Fraction(5), 1, 0),
        (Fraction(39, 8), 10**9, 44),  # 43.875
        (Fraction(2), 1000, 6),  # 6 itself is no less than 6
        (Fraction(2), 1001, 7),
        (Fraction(2), 999, 6),
        (Fraction(10**40), 2, 3010299956639811952137388947244930267682),
    ],
)
def test_known_multiples(factor, number, least):
    assert least_multiple_of_log10(factor, number) == least
