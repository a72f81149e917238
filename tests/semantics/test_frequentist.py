"""Powers of the best tests: the figures that Kifer prints, and bounds that hold and are not loose."""

import math
from fractions import Fraction

import numpy as np
import pytest

from docs.reproductions.kifer.curves import delta_at, likelihood_ratio_power
from docs.reproductions.kifer.losses import renyi_divergence
from safetab_sql.semantics.composition import discrete_gaussian, geometric
from safetab_sql.semantics.summary import (
    approximate_dp_power,
    gaussian_power,
    pure_dp_power,
    renyi_power,
    zcdp_power,
)

LEVELS = [0.01, 0.05, 0.10]


def divergence(p: float, q: float, alpha: float) -> float:
    """The Renyi divergence of two coins, as printed."""
    return math.log(p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha)) / (alpha - 1)


@pytest.mark.parametrize(("level", "power"), [(0.01, 0.4869), (0.05, 0.7417), (0.10, 0.8442)])
def test_the_gaussian_power_at_the_redistricting_budget_is_the_one_printed(level, power):
    assert round(gaussian_power(level, 2.63), 4) == power


@pytest.mark.parametrize(("level", "power"), [(0.01, 0.6982), (0.05, 0.9467), (0.10, 0.9624)])
def test_the_zcdp_bound_at_the_redistricting_budget_rounded_up_is_the_one_printed(level, power):
    assert power - 1e-4 < zcdp_power(level, 2.63) <= power


@pytest.mark.parametrize("rho", [0.01, 0.5, 2.63, 4.944])
@pytest.mark.parametrize("level", LEVELS)
def test_the_zcdp_bound_is_the_most_that_all_orders_allow(level, rho):
    """Just below it every order allows the power, both ways; just above it, some order does not."""
    bound = zcdp_power(level, rho)
    orders = 1 + np.exp(np.linspace(math.log(1e-4), math.log(100), 300))

    def is_allowed(power: float) -> bool:
        pairs = ((power, level), (level, power))
        return all(divergence(p, q, alpha) <= alpha * rho for p, q in pairs for alpha in orders)

    assert is_allowed(bound - 2e-3 * (bound - level))
    assert not is_allowed(bound + 0.1 * (1 - bound))


@pytest.mark.parametrize("rho", [0.01, 0.5, 2.63])
@pytest.mark.parametrize("level", LEVELS)
def test_no_noise_beats_the_bound_of_its_budget(level, rho):
    exact = likelihood_ratio_power(discrete_gaussian(Fraction(rho), 1), level)
    assert max(exact, gaussian_power(level, rho)) < zcdp_power(level, rho)


@pytest.mark.parametrize("level", [0.01, 0.3, 0.9])
def test_the_bound_of_pure_dp_is_reached_by_randomised_response(level):
    assert pure_dp_power(level, 1.0) == pytest.approx(likelihood_ratio_power(geometric(Fraction(1), 1), level))


@pytest.mark.parametrize("level", [0.01, 0.3, 0.9])
def test_every_point_of_the_delta_curve_bounds_the_power(level):
    pair = discrete_gaussian(Fraction("0.31"), 1)
    power = likelihood_ratio_power(pair, level)
    bounds = [approximate_dp_power(level, e, delta_at(pair, e)) for e in np.linspace(0, 6, 400)]
    assert power <= min(bounds) + 1e-12
    assert min(bounds) < power + 0.01


def test_the_bound_of_approximate_dp_is_the_lower_of_two_lines():
    assert approximate_dp_power(0.05, 1.0, 0.02) == pytest.approx(0.05 * math.e + 0.02)
    assert approximate_dp_power(0.9, 1.0, 0.02) == pytest.approx(1 - math.exp(-1) * 0.08)
    assert approximate_dp_power(0.999, 1.0, 0.1) == 1


def test_without_a_budget_the_best_test_guesses():
    assert pure_dp_power(0.05, 0.0) == pytest.approx(0.05)
    assert zcdp_power(0.05, 1e-12) == pytest.approx(0.05, abs=1e-6)


def test_the_renyi_bound_of_geometric_noise_lies_between_its_power_and_that_of_zcdp():
    pair = geometric(Fraction(1), 1)
    bound = renyi_power(0.05, lambda alpha: np.array([renyi_divergence(pair, max(a, 1 + 1e-9)) for a in alpha]))
    assert likelihood_ratio_power(pair, 0.05) <= bound <= zcdp_power(0.05, 0.5)
