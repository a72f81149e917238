"""Compositions on a grid: their bounds enclose exact values, closely."""

from fractions import Fraction

import pytest

from docs.reproductions.kifer.curves import delta_at, likelihood_ratio_power
from docs.reproductions.kifer.losses import composed, self_composed
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.semantics.composition import (
    Bracket,
    Calls,
    GridLoss,
    composed_delta,
    composed_loss,
    composed_power,
    discrete_gaussian,
    geometric,
)
from safetab_sql.semantics.summary import gaussian_delta, gaussian_power

LEVELS = pytest.mark.parametrize("level", [0.01, 0.05, 0.1, 0.5])


def grid_of(*calls: Calls) -> GridLoss:
    found = composed_loss(calls)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def narrow() -> GridLoss:
    """Two kinds of narrow noise, whose losses lie on two lattices that have no common step on the grid."""
    return grid_of(Calls(DiscreteGaussian(Fraction("0.7")), 2), Calls(DiscreteGaussian(Fraction("0.31")), 1))


NARROW = composed(self_composed(discrete_gaussian(Fraction("0.7"), 1), 2), discrete_gaussian(Fraction("0.31"), 1))


@LEVELS
def test_the_power_of_narrow_noise_lies_between_its_bounds(narrow, level):
    found, exact = composed_power(narrow, level), likelihood_ratio_power(NARROW, level)
    assert found.lower <= exact <= found.upper
    assert found.upper - exact < 1e-4
    assert exact - found.lower < 0.01


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 4.0])
def test_the_delta_of_narrow_noise_is_at_most_a_little_too_large(narrow, epsilon):
    exact = delta_at(NARROW, epsilon)
    assert exact <= composed_delta(narrow, epsilon) <= exact + 1e-6


@pytest.fixture(scope="module")
def geometric_noises() -> GridLoss:
    return grid_of(Calls(TwoSidedGeometric(Fraction("0.1")), 10))


@LEVELS
def test_geometric_noises_compose_to_their_exact_power(geometric_noises, level):
    found = composed_power(geometric_noises, level)
    exact = likelihood_ratio_power(self_composed(geometric(Fraction("0.1"), 1), 10), level)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 1e-5


@pytest.fixture(scope="module")
def wide() -> GridLoss:
    return grid_of(Calls(DiscreteGaussian(Fraction("0.0263")), 60), Calls(DiscreteGaussian(Fraction("0.01052")), 100))


@LEVELS
def test_many_wide_noises_compose_to_the_power_of_gaussian_noise(wide, level):
    found = composed_power(wide, level)
    assert found == Bracket(
        lower=pytest.approx(gaussian_power(level, 2.63), abs=2e-3),
        upper=pytest.approx(gaussian_power(level, 2.63), abs=1e-4),
    )
    assert composed_delta(wide, 5.0) == pytest.approx(gaussian_delta(2.63, 5.0), rel=1e-3)


def test_the_order_of_the_calls_and_their_grouping_change_nothing():
    one, other = Calls(DiscreteGaussian(Fraction("0.7")), 1), Calls(TwoSidedGeometric(Fraction("0.4")), 1)
    assert composed_power(grid_of(one, other, one), 0.05) == composed_power(grid_of(Calls(one.law, 2), other), 0.05)


def test_a_budget_two_percent_larger_is_noticed():
    found = [composed_power(grid_of(Calls(DiscreteGaussian(Fraction(rho)), 20)), 0.05) for rho in ("0.05", "0.051")]
    assert found[1].lower > found[0].upper


@pytest.mark.parametrize(
    "calls",
    [[], [Calls(DiscreteGaussian(Fraction(1, 10**12)), 1)], [Calls(TwoSidedGeometric(Fraction(40)), 100)]],
    ids=["no calls", "too wide", "too large a loss"],
)
def test_what_cannot_be_composed_says_nothing(calls):
    assert composed_loss(calls) is None
