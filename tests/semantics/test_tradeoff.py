"""Curves of delta and of power against definitions and against the best of all tests."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from docs.reproductions.kifer.curves import bounded_epsilon, delta_at, likelihood_ratio_power, tradeoff
from docs.reproductions.kifer.losses import chance_above, from_outcomes, reversed_pair
from safetab_sql.accounting.conversions import zcdp_to_approximate_dp
from safetab_sql.semantics.composition import discrete_gaussian, geometric
from safetab_sql.semantics.summary import (
    gaussian_bounded_epsilon,
    gaussian_delta,
    gaussian_power,
    pure_dp_delta,
    zcdp_delta,
)
from tests.accounting.settings import gaussian_delta as discrete_gaussian_delta

FIRST, SECOND = [0.4, 0.3, 0.2, 0.1, 0.0], [0.1, 0.15, 0.2, 0.35, 0.2]


def best_of_all_tests(level: float) -> float:
    """The highest power of any mixture of two deterministic tests with the level: no likelihood ratio in it."""
    tests = [
        (sum(FIRST[output] for output in rejected), sum(SECOND[output] for output in rejected))
        for size in range(6)
        for rejected in itertools.combinations(range(5), size)
    ]
    best = max(power for spent, power in tests if spent <= level)
    for (low, weak), (high, strong) in itertools.product(tests, tests):
        if low <= level < high:
            best = max(best, weak + (level - low) / (high - low) * (strong - weak))
    return best


@pytest.mark.parametrize("level", [0.0, 0.01, 0.1, 0.25, 0.3, 0.55, 0.9, 1.0])
def test_no_test_is_more_powerful_than_the_likelihood_ratio(level):
    assert likelihood_ratio_power(from_outcomes(FIRST, SECOND), level) == pytest.approx(best_of_all_tests(level))


def test_the_tradeoff_is_what_the_best_test_misses():
    pair = geometric(Fraction(1), 1)
    assert tradeoff(pair, 0.1) == 1 - likelihood_ratio_power(pair, 0.1)


def test_a_level_is_a_chance():
    with pytest.raises(ValueError, match="from 0 to 1"):
        likelihood_ratio_power(geometric(Fraction(1), 1), 1.5)


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 2.0])
def test_delta_is_the_largest_excess_of_any_event(epsilon):
    events = [chosen for size in range(6) for chosen in itertools.combinations(range(5), size)]
    excesses = [sum(FIRST[o] - math.exp(epsilon) * SECOND[o] for o in event) for event in events]
    assert delta_at(from_outcomes(FIRST, SECOND), epsilon) == pytest.approx(max(excesses))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_delta_of_discrete_gaussian_noise_is_that_of_all_noises(epsilon):
    wanted = float(discrete_gaussian_delta([Fraction("0.31")], epsilon))
    assert delta_at(discrete_gaussian(Fraction("0.31"), 1), epsilon) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 5.0, 20.0])
def test_delta_of_gaussian_noise_is_that_of_wide_discrete_noise(epsilon):
    shift = 40
    wide = discrete_gaussian(Fraction("2.63") / shift**2, shift)
    assert delta_at(wide, epsilon) == pytest.approx(gaussian_delta(2.63, epsilon), rel=0.02, abs=1e-13)


@pytest.mark.parametrize("epsilon", [1.0, 5.0, 12.0])
def test_delta_of_any_zcdp_mechanism_inverts_the_accountants_epsilon(epsilon):
    delta = zcdp_delta(2.63, epsilon)
    assert zcdp_to_approximate_dp(Fraction("2.63"), Fraction(delta)) == pytest.approx(epsilon, rel=1e-4)
    assert delta > gaussian_delta(2.63, epsilon)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 0.99, 1.0, 3.0])
def test_delta_of_pure_dp_is_that_of_randomised_response(epsilon):
    assert pure_dp_delta(1.0, epsilon) == pytest.approx(delta_at(geometric(Fraction(1), 1), epsilon), abs=1e-15)


def test_a_random_record_has_the_same_delta_at_every_epsilon():
    pair = from_outcomes([0.9, 0.1, 0.0], [0.9, 0.0, 0.1])
    assert [delta_at(pair, epsilon) for epsilon in (0.1, 5, 50)] == pytest.approx([0.1, 0.1, 0.1])
    assert likelihood_ratio_power(reversed_pair(pair), 0.05) == pytest.approx(0.15)


def test_post_processing_raises_the_tail_of_the_loss_but_no_delta_and_no_power():
    before, after = from_outcomes([0.01, 0.60, 0.39], [0, 0.30, 0.70]), from_outcomes([0.61, 0.39], [0.30, 0.70])
    bad = math.log(2) + 1e-12
    assert (chance_above(before, bad), chance_above(after, bad)) == pytest.approx((0.01, 0.61))
    assert all(delta_at(after, e) <= delta_at(before, e) + 1e-15 for e in np.linspace(-1, 3, 41))
    levels = np.linspace(0, 1, 41)
    assert all(likelihood_ratio_power(after, x) <= likelihood_ratio_power(before, x) + 1e-15 for x in levels)


@pytest.mark.parametrize("delta", [0.3, 0.01, 1e-6])
def test_the_bounded_epsilon_of_gaussian_noise_is_found_by_bisection_too(delta):
    found = bounded_epsilon(lambda level: gaussian_power(level, 2.63), delta)
    assert found == pytest.approx(gaussian_bounded_epsilon(2.63, delta), rel=1e-9)
