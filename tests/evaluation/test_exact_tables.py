"""The floor below which a group earns no sex-by-age table, whatever its noise."""

from fractions import Fraction
from math import ceil, exp, log

import pytest

from safetab_sql.evaluation.ground_truth import largest_noise
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric

NATION = 1e-12 / 2.6e8  # the chance that each of all groups of the nation may have


@pytest.mark.parametrize("budget", [Fraction(1, 10_000), Fraction(1, 500), Fraction(1, 2), Fraction(3)], ids=str)
@pytest.mark.parametrize("law", [DiscreteGaussian, TwoSidedGeometric])
def test_noise_exceeds_the_bound_with_at_most_the_chance_that_is_stated(law, budget):
    bound = largest_noise(law(budget), NATION)
    assert tail_bounds(law(budget), bound, 128)[1] / 2.0**128 <= NATION


@pytest.mark.parametrize("law", [DiscreteGaussian, TwoSidedGeometric])
def test_a_bound_of_nine_tenths_would_not_do(law):
    """The bound is near the least one: nine tenths of it are exceeded too often."""
    budget = Fraction(1, 500)
    assert tail_bounds(law(budget), largest_noise(law(budget), NATION) * 9 // 10, 128)[0] / 2.0**128 > NATION


def test_the_bound_of_the_geometric_is_the_logarithm_of_the_chance():
    assert largest_noise(TwoSidedGeometric(Fraction(1, 2)), exp(-7)) == ceil(-log(exp(-7)) * 2)
