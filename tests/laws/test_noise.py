from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.laws import noise
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric, margin_of_error, quantile, variance
from tests.properties.drawn import examples
from tests.statistics import gaussian, high_precision_cumulative, law_name, laws, pmf, support

BUDGETS = st.fractions(min_value=Fraction(1, 500), max_value=200, max_denominator=10**9)
LAWS = st.one_of(st.builds(DiscreteGaussian, BUDGETS), st.builds(TwoSidedGeometric, BUDGETS))


@examples(10)
@given(LAWS, st.integers(min_value=1, max_value=160))
def test_bounds_hold_the_high_precision_value_at_every_entry(law, precision):
    bounds = noise.cumulative_bounds(law, precision)
    values = range(bounds.first, bounds.first + len(bounds.lower))
    exact = high_precision_cumulative(law, values, precision)
    with mpmath.workprec(2 * precision + 60):
        for value, lower, upper in zip(exact, bounds.lower, bounds.upper, strict=True):
            assert lower <= value * 2**precision <= upper
    widths = [upper - lower for lower, upper in zip(bounds.lower, bounds.upper, strict=True)]
    assert set(widths) <= {1, 2}
    assert widths.count(2) <= 1


@examples(20)
@given(LAWS, st.integers(min_value=1, max_value=160))
def test_bounds_are_ordered_and_end_in_the_tails(law, precision):
    bounds = noise.cumulative_bounds(law, precision)
    assert list(bounds.lower) == sorted(bounds.lower)
    assert list(bounds.upper) == sorted(bounds.upper)
    assert (bounds.lower[0], bounds.upper[0]) == (0, 1)
    assert (bounds.lower[-1], bounds.upper[-1]) == (2**precision - 1, 2**precision)


def test_a_word_is_decided_on_either_side_of_a_boundary_and_not_on_it():
    law = TwoSidedGeometric(Fraction(1))
    bounds = noise.cumulative_bounds(law, 16)
    boundary = bounds.lower[0 - bounds.first]  # of F(0)
    assert noise.decided_value(bounds, boundary - 1) == 0
    assert noise.decided_value(bounds, boundary) is None
    assert noise.decided_value(bounds, boundary + 1) == 1
    assert noise.decided_value(bounds, 0) is None  # tails
    assert noise.decided_value(bounds, 2**16 - 1) is None


@pytest.mark.parametrize("law", laws(), ids=law_name)
def test_probabilities_as_words_are_those_of_the_definition(law):
    first, words = noise.pmf_words(law)
    values = support(law)
    expected = np.zeros(len(words))
    inside = (values >= first) & (values < first + len(words))
    expected[values[inside] - first] = pmf(law)[inside]
    assert np.allclose(np.array(words, dtype=float) / 2**64, expected, rtol=1e-11, atol=2.0**-63)
    assert abs(sum(words) - 2**64) <= len(words)
    assert first == -(first + len(words) - 1)


def test_a_law_that_is_all_but_constant():
    for law in (DiscreteGaussian(Fraction(10**9)), TwoSidedGeometric(Fraction(10**9))):
        assert noise.cumulative_bounds(law, 64) == noise.CumulativeBounds(-1, (0, 2**64 - 1), (1, 2**64))
        assert noise.pmf_words(law) == (0, (2**64,))


def test_the_table_limit_is_about_sigma_fifty_thousand():
    assert noise.is_tabulable(DiscreteGaussian(Fraction(1, 2 * 50_000**2)))
    too_wide = DiscreteGaussian(Fraction(1, 2 * 100_000**2))
    assert 2 * too_wide.reach(64) > noise.TABLE_LIMIT
    assert not noise.is_tabulable(too_wide)
    with pytest.raises(ValueError, match="too wide"):
        noise.pmf_words(too_wide)


@pytest.mark.parametrize("law", [DiscreteGaussian, TwoSidedGeometric])
def test_a_budget_is_a_positive_fraction(law):
    with pytest.raises(TypeError, match="not a Fraction"):
        law(0.5)
    with pytest.raises(ValueError, match="not positive"):
        law(Fraction(0))
    with pytest.raises(ValueError, match="not positive"):
        law(Fraction(-1, 2))


# Quantiles and variances.

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
    assert not noise.is_tabulable(law)
    threshold = quantile(law, chance)
    ideal = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(chance.numerator) / chance.denominator - 1) * sigma
    assert ideal <= threshold <= ideal + sigma / 1000


@pytest.mark.parametrize("scale", [10**6, 10**15])
def test_a_geometric_of_any_width_has_exact_quantiles(scale):
    law = TwoSidedGeometric(Fraction(1, scale))
    assert not noise.is_tabulable(law)
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
