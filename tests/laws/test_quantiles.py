from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.laws.cumulative import is_tabulable, margin_of_error, quantile, variance
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from tests.statistics import gaussian, high_precision_cumulative

BUDGETS = st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=10**6)
LAWS = st.one_of(st.builds(DiscreteGaussian, BUDGETS), st.builds(TwoSidedGeometric, BUDGETS))
CHANCES = st.one_of(
    st.fractions(min_value=Fraction(1, 10**9), max_value=1 - Fraction(1, 10**9), max_denominator=10**9),
    st.sampled_from([Fraction(1, 2), 1 - Fraction(1, 10**30), Fraction(1, 10**30)]),
)


@given(LAWS, CHANCES)
def test_a_suppression_threshold_reaches_its_chance_and_one_less_does_not(law, chance):
    threshold = quantile(law, chance)
    below, at = high_precision_cumulative(law, [threshold - 1, threshold], 160)
    with mpmath.workprec(300):
        wanted = mpmath.mpf(chance.numerator) / chance.denominator
        assert below < wanted <= at


@given(LAWS, CHANCES)
def test_a_margin_of_error_covers_and_one_less_does_not(law, coverage):
    margin = margin_of_error(law, coverage)
    assert margin >= 0
    far, outside, below, at = high_precision_cumulative(law, [-margin - 1, -margin, margin - 1, margin], 160)
    with mpmath.workprec(300):
        wanted = mpmath.mpf(coverage.numerator) / coverage.denominator
        assert wanted <= at - far
        assert margin == 0 or below - outside < wanted


def test_chances_outside_zero_and_one_are_refused():
    for outside in (Fraction(0), Fraction(1), Fraction(-1), Fraction(2)):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            quantile(gaussian(Fraction(3)), outside)
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            margin_of_error(gaussian(Fraction(3)), outside)


@pytest.mark.parametrize("sigma", [10**6, 10**9, 10**15])
@pytest.mark.parametrize(
    "chance", [Fraction(6, 10), Fraction(95, 100), Fraction(99, 100), 1 - Fraction(1, 10**9), 1 - Fraction(1, 10**15)]
)
def test_a_gaussian_too_wide_to_tabulate_gets_a_threshold_a_little_too_large(sigma, chance):
    """At this width the continuous normal quantile is right to one part in 10^10."""
    law = DiscreteGaussian(Fraction(1, 2 * sigma**2))
    assert not is_tabulable(law)
    threshold = quantile(law, chance)
    ideal = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(chance.numerator) / chance.denominator - 1) * sigma
    assert ideal <= threshold <= ideal + sigma / 1000


@pytest.mark.parametrize("scale", [10**6, 10**15])
def test_a_geometric_of_any_width_has_exact_quantiles(scale):
    law = TwoSidedGeometric(Fraction(1, scale))
    assert not is_tabulable(law)
    for chance in (Fraction(1, 100), Fraction(95, 100)):
        threshold = quantile(law, chance)
        below, at = high_precision_cumulative(law, [threshold - 1, threshold], 160)
        with mpmath.workprec(300):
            assert below < mpmath.mpf(chance.numerator) / chance.denominator <= at


@given(st.one_of(LAWS, st.builds(DiscreteGaussian, st.fractions(Fraction(1, 9), 40, max_denominator=1000))))
def test_variance_agrees_with_the_definition(law):
    with mpmath.workprec(300):
        exact = _high_precision_variance(law)
        assert abs(_real(variance(law)) - exact) <= mpmath.mpf(2) ** -64 * max(1, exact)


@given(st.fractions(Fraction(1, 9), 40, max_denominator=1000), st.integers(4, 80))
def test_variance_bounds_hold_at_low_precision_too(budget, precision):
    with mpmath.workprec(300):
        for law in (DiscreteGaussian(budget), TwoSidedGeometric(budget)):
            lower, upper = law.variance_bounds(precision + 4)
            assert _real(lower) <= _high_precision_variance(law) <= _real(upper)


def _real(number):
    return mpmath.mpf(number.numerator) / number.denominator


def _high_precision_variance(law):
    if isinstance(law, TwoSidedGeometric):
        ratio = mpmath.exp(-_real(law.epsilon))
        return 2 * ratio / (1 - ratio) ** 2
    rho = _real(law.rho)
    weights = [mpmath.exp(-rho * k * k) for k in range(1, int(mpmath.sqrt(250 / rho)) + 2)]
    moment = sum(k * k * weight for k, weight in enumerate(weights, start=1))
    return 2 * moment / (1 + 2 * sum(weights))
