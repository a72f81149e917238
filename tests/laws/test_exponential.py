from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.laws.exponential import exp_minus, product_above, product_below


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
    assert (product_below(3, 5, 3), product_above(3, 5, 3)) == (1, 2)
    assert (product_below(4, 6, 3), product_above(4, 6, 3)) == (3, 3)
