"""Conversions: the papers' printed figures, and bounds that must hold."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.accounting import conversions
from safetab_sql.accounting.conversions import rounded_up, stated, totals_of_a_loss, zcdp_to_approximate_dp

DELTA = Fraction(1, 10**10)
PAPER_RHO = Fraction("1.41")  # paper Table 1, sum of the totals
LOSSES = st.fractions(min_value=Fraction(1, 10**6), max_value=10**4, max_denominator=10**6)
DELTAS = st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 2), max_denominator=10**12)


def exact(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def eq_6(tau: Fraction, alpha: Fraction, delta: Fraction) -> mpmath.mpf:
    """Paper eq. 6 to 50 digits."""
    with mpmath.workdps(50):
        t, a, d = exact(tau), exact(alpha), exact(delta)
        return t + (mpmath.log(1 / d) + (a - 1) * mpmath.log(1 - 1 / a) - mpmath.log(a)) / (a - 1)


def test_the_closed_form_gives_the_papers_12_8():
    assert math.isclose(conversions.zcdp_to_approximate_dp_analytic(PAPER_RHO, DELTA), 12.80586763896738, rel_tol=1e-14)


def test_the_papers_pure_dp_total_is_its_15_3():
    (bound,) = totals_of_a_loss("puredp", Fraction("15.29"), DELTA)
    assert bound == conversions.Total("pure DP, delta 0", math.nextafter(15.29, 16), Fraction(0), "", Fraction("15.29"))


@given(st.fractions(min_value=0, max_value=10**6))
def test_a_pure_dp_loss_is_never_rounded_down(epsilon):
    bound = conversions.pure_dp_to_approximate_dp(epsilon).epsilon
    assert epsilon <= Fraction(bound)
    assert epsilon <= Fraction(repr(bound))  # as JSON has it
    assert epsilon >= Fraction(math.nextafter(math.nextafter(bound, -1), -1))


@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**12))
def test_a_printed_loss_is_never_below_it_and_by_next_to_nothing(epsilon):
    text = rounded_up(epsilon)
    assert epsilon <= Fraction(text) <= epsilon * (1 + Fraction(1, 10**5))
    assert Fraction(rounded_up(conversions.pure_dp_to_approximate_dp(epsilon).epsilon)) >= epsilon


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (Fraction("1.2345644"), "1.23457"),
        (Fraction("15.3") + Fraction(1, 10**17), "15.3001"),
        (Fraction("15.3"), "15.3"),
        (Fraction(0), "0"),
        (Fraction("1234567.5"), "1.23457e+6"),
        (Fraction(1, 10**10), "1e-10"),
        (4.57, "4.57"),
    ],
)
def test_losses_are_printed_with_six_digits_and_exact_where_they_have_fewer(loss, text):
    assert rounded_up(loss) == text


def test_a_loss_a_little_above_a_short_decimal_is_not_printed_as_that_decimal():
    (bound,) = totals_of_a_loss("puredp", Fraction("15.3") + Fraction(1, 10**17), DELTA)
    assert stated(bound.epsilon, bound.exact) == rounded_up(bound.epsilon) == "15.3001"


def test_what_says_nothing_is_printed_as_a_dash():
    assert stated(None, None) == "-"


@pytest.mark.parametrize("rate", ["1e-30", "0.25", "1"])
@pytest.mark.parametrize("epsilon", ["1e-30", "1e-9", "1", "700", "3e6", "1e12"])
def test_the_loss_of_a_secret_sample_is_a_bound_however_large_or_small(epsilon, rate):
    """Above 2.3e6 e^epsilon overflowed even decimals."""
    with mpmath.workdps(150):
        one, share = exact(Fraction(epsilon)), exact(Fraction(rate))
        value = one + mpmath.log(share + (1 - share) * mpmath.exp(-one))
        bound = mpmath.mpf(conversions.secrecy_of_the_sample(Fraction(epsilon), Fraction(rate)))
        assert value <= bound <= value * (1 + mpmath.mpf(2) ** -51) + mpmath.mpf("2e-28")


@given(LOSSES, DELTAS)
def test_the_closed_form_is_rounded_up_and_by_next_to_nothing(rho, delta):
    with mpmath.workdps(50):
        value = exact(rho) + mpmath.sqrt(4 * exact(rho) * mpmath.log(1 / exact(delta)))
        bound = mpmath.mpf(conversions.zcdp_to_approximate_dp_analytic(rho, delta))
        assert value <= bound <= value * (1 + mpmath.mpf(2) ** -51)


@given(LOSSES, st.fractions(min_value=Fraction(1001, 1000), max_value=1000), DELTAS)
def test_equation_6_is_rounded_up_and_by_next_to_nothing(tau, alpha, delta):
    with mpmath.workdps(50):
        value = max(mpmath.mpf(0), eq_6(tau, alpha, delta))
        bound = mpmath.mpf(conversions.rdp_to_approximate_dp(tau, alpha, delta))
        assert value <= bound <= value * (1 + mpmath.mpf(2) ** -51) + mpmath.mpf("1e-25")


@given(LOSSES, DELTAS, st.fractions(min_value=Fraction(10001, 10000), max_value=10**5))
def test_no_order_does_better_than_the_best_one_found(rho, delta, alpha):
    other = max(0.0, float(eq_6(rho * alpha, alpha, delta)))
    assert zcdp_to_approximate_dp(rho, delta) <= other * (1 + 1e-12) + 1e-15


def test_the_bound_is_above_the_tight_value_for_gaussian_noise():
    """11.68 at rho = 1.41: what a Gaussian composition truly costs (accounting.md section 6)."""
    assert 11.68 < zcdp_to_approximate_dp(PAPER_RHO, DELTA) < 12.2


def test_the_best_rule_comes_first():
    first, *others = totals_of_a_loss("zcdp", PAPER_RHO, DELTA)
    assert all(first.epsilon <= other.epsilon for other in others)
    assert {each.delta for each in (first, *others)} == {DELTA}


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(-1), Fraction(2)])
@pytest.mark.parametrize(
    "convert",
    [zcdp_to_approximate_dp, conversions.zcdp_to_approximate_dp_analytic, conversions.zcdp_to_approximate_dp_paper],
)
def test_a_delta_outside_zero_and_one_is_refused(convert, delta):
    with pytest.raises(ValueError, match="delta has to lie strictly between 0 and 1"):
        convert(PAPER_RHO, delta)


def test_a_negative_loss_is_refused():
    with pytest.raises(ValueError, match="cannot be negative"):
        zcdp_to_approximate_dp(Fraction(-1), DELTA)


def test_an_order_of_one_is_refused():
    with pytest.raises(ValueError, match="alpha has to be above 1"):
        conversions.rdp_to_approximate_dp(Fraction(1), Fraction(1), DELTA)
