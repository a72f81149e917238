from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.laws.cumulative import TABLE_LIMIT, cumulative_bounds, decided_value, is_tabulable, pmf_words
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from tests.properties.drawn import examples
from tests.statistics import high_precision_cumulative, law_name, laws, pmf, support

BUDGETS = st.fractions(min_value=Fraction(1, 500), max_value=200, max_denominator=10**9)
LAWS = st.one_of(st.builds(DiscreteGaussian, BUDGETS), st.builds(TwoSidedGeometric, BUDGETS))


@examples(10)
@given(LAWS, st.integers(min_value=1, max_value=160))
def test_bounds_hold_the_high_precision_value_at_every_entry(law, precision):
    bounds = cumulative_bounds(law, precision)
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
    bounds = cumulative_bounds(law, precision)
    assert list(bounds.lower) == sorted(bounds.lower)
    assert list(bounds.upper) == sorted(bounds.upper)
    assert (bounds.lower[0], bounds.upper[0]) == (0, 1)
    assert (bounds.lower[-1], bounds.upper[-1]) == (2**precision - 1, 2**precision)


def test_a_word_is_decided_on_either_side_of_a_boundary_and_not_on_it():
    law = TwoSidedGeometric(Fraction(1))
    bounds = cumulative_bounds(law, 16)
    boundary = bounds.lower[0 - bounds.first]  # of F(0)
    assert decided_value(bounds, boundary - 1) == 0
    assert decided_value(bounds, boundary) is None
    assert decided_value(bounds, boundary + 1) == 1
    assert decided_value(bounds, 0) is None  # tails
    assert decided_value(bounds, 2**16 - 1) is None


@pytest.mark.parametrize("law", laws(), ids=law_name)
def test_probabilities_as_words_are_those_of_the_definition(law):
    first, words = pmf_words(law)
    values = support(law)
    expected = np.zeros(len(words))
    inside = (values >= first) & (values < first + len(words))
    expected[values[inside] - first] = pmf(law)[inside]
    assert np.allclose(np.array(words, dtype=float) / 2**64, expected, rtol=1e-11, atol=2.0**-63)
    assert abs(sum(words) - 2**64) <= len(words)
    assert first == -(first + len(words) - 1)


def test_a_law_that_is_all_but_constant():
    for law in (DiscreteGaussian(Fraction(10**9)), TwoSidedGeometric(Fraction(10**9))):
        assert cumulative_bounds(law, 64) == cumulative_bounds(law, 64).__class__(-1, (0, 2**64 - 1), (1, 2**64))
        assert pmf_words(law) == (0, (2**64,))


def test_the_table_limit_is_about_sigma_fifty_thousand():
    assert is_tabulable(DiscreteGaussian(Fraction(1, 2 * 50_000**2)))
    too_wide = DiscreteGaussian(Fraction(1, 2 * 100_000**2))
    assert 2 * too_wide.reach(64) > TABLE_LIMIT
    assert not is_tabulable(too_wide)
    with pytest.raises(ValueError, match="too wide"):
        pmf_words(too_wide)


@pytest.mark.parametrize("law", [DiscreteGaussian, TwoSidedGeometric])
def test_a_budget_is_a_positive_fraction(law):
    with pytest.raises(TypeError, match="not a Fraction"):
        law(0.5)
    with pytest.raises(ValueError, match="not positive"):
        law(Fraction(0))
    with pytest.raises(ValueError, match="not positive"):
        law(Fraction(-1, 2))
