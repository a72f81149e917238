"""Curves of delta, powers of tests and beliefs: against definitions, the best of all tests, and what Kifer prints."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from docs.reproductions.kifer.beliefs import (
    pure_dp_log_ratio,
    renyi_fixed_record,
    renyi_true_record_any_prior,
    wrong_prior,
)
from docs.reproductions.kifer.curves import bounded_epsilon, delta_at, likelihood_ratio_power, tradeoff
from docs.reproductions.kifer.losses import chance_above, from_outcomes, renyi_divergence, reversed_pair
from safetab_sql.accounting.conversions import zcdp_to_approximate_dp
from safetab_sql.semantics.composition import discrete_gaussian, geometric
from safetab_sql.semantics.summary import (
    approximate_dp_power,
    gaussian_bounded_epsilon,
    gaussian_delta,
    gaussian_power,
    gaussian_true_record,
    pure_dp_delta,
    pure_dp_power,
    renyi_power,
    zcdp_delta,
    zcdp_fixed_record,
    zcdp_power,
    zcdp_true_record_any_prior,
)
from tests.accounting.settings import gaussian_delta as discrete_gaussian_delta

# --- curves of delta and of power ---


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


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 2.0])
def test_delta_is_the_largest_excess_of_any_event(epsilon):
    events = [chosen for size in range(6) for chosen in itertools.combinations(range(5), size)]
    excesses = [sum(FIRST[o] - math.exp(epsilon) * SECOND[o] for o in event) for event in events]
    assert delta_at(from_outcomes(FIRST, SECOND), epsilon) == pytest.approx(max(excesses))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_delta_of_discrete_gaussian_noise_is_that_of_all_noises(epsilon):
    wanted = float(discrete_gaussian_delta([Fraction("0.31")], epsilon))
    assert delta_at(discrete_gaussian(Fraction("0.31"), 1), epsilon) == pytest.approx(wanted, abs=1e-14)


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


# --- powers of the best tests ---


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


def test_the_renyi_bound_of_geometric_noise_lies_between_its_power_and_that_of_zcdp():
    pair = geometric(Fraction(1), 1)
    bound = renyi_power(0.05, lambda alpha: np.array([renyi_divergence(pair, max(a, 1 + 1e-9)) for a in alpha]))
    assert likelihood_ratio_power(pair, 0.05) <= bound <= zcdp_power(0.05, 0.5)


# --- beliefs ---


RHO = 0.8  # of one record changed: noise of variance 1 / (2 RHO) on a count that is 0 or 1
OUTPUTS = np.linspace(-15, 16, 200_001)
STEP = OUTPUTS[1] - OUTPUTS[0]
RECORDS = [np.exp(-RHO * (OUTPUTS - record) ** 2) * math.sqrt(RHO / math.pi) for record in (0, 1)]
EPSILONS = pytest.mark.parametrize("epsilon", [0.85, 1.5, 3.0])


def log_ratio(prior_of_one: float) -> np.ndarray:
    """By output, for an attacker who knows everybody else: log of posterior / counterfactual posterior of a 1.

    The counterfactual record is drawn from his prior: the output then says nothing, and that posterior is the prior.
    """
    mixture = (1 - prior_of_one) * RECORDS[0] + prior_of_one * RECORDS[1]
    return np.log(RECORDS[1] / mixture)


def chance(world: np.ndarray, prior: float, epsilon: float) -> float:
    return float(world[log_ratio(prior) >= epsilon].sum() * STEP)


@EPSILONS
@pytest.mark.parametrize("prior", [0.5, 0.1, 1e-3, 1e-9])
def test_belief_in_a_fixed_record_grows_no_likelier_than_semantics_1_says(prior, epsilon):
    drawn_from_the_prior = (1 - prior) * RECORDS[0] + prior * RECORDS[1]
    assert chance(drawn_from_the_prior, prior, epsilon) <= zcdp_fixed_record(RHO, epsilon)


@EPSILONS
@pytest.mark.parametrize("prior", [0.5, 0.1, 1e-3, 1e-9])
def test_belief_in_the_true_record_grows_no_likelier_than_semantics_2_and_3_say(prior, epsilon):
    exact = chance(RECORDS[1], prior, epsilon)
    assert exact <= gaussian_true_record(RHO, epsilon) <= zcdp_true_record_any_prior(RHO, epsilon)


def test_semantics_2_is_nearly_reached_by_somebody_who_found_the_record_unlikely():
    """Not wholly: it covers every post-processing too."""
    assert chance(RECORDS[1], 1e-9, 2.0) > gaussian_true_record(RHO, 2.0) / 4


@pytest.mark.parametrize("epsilon", [0.1, 0.8])
def test_at_and_below_the_budget_the_theorems_of_zcdp_say_nothing(epsilon):
    assert (zcdp_fixed_record(RHO, epsilon), zcdp_true_record_any_prior(RHO, epsilon)) == (1, 1)


@EPSILONS
def test_the_theorems_of_zcdp_are_those_of_renyi_dp_at_the_best_order(epsilon):
    orders = np.linspace(1.0001, 20, 20_000)
    fixed = min(renyi_fixed_record(a, a * RHO, epsilon) for a in orders)
    true = min(renyi_true_record_any_prior(a, a * RHO, epsilon) for a in orders)
    wanted = (zcdp_fixed_record(RHO, epsilon), zcdp_true_record_any_prior(RHO, epsilon))
    # The best order of semantics 1 is (epsilon + rho) / (2 rho), and orders are above 1: hence epsilon > rho.
    assert (fixed, true) == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("is_default_record", [False, True], ids=["own guess", "default record"])
@pytest.mark.parametrize(
    "prior",
    [[[0.25, 0.25], [0.25, 0.25]], [[0.98, 0.005], [0.005, 0.01]], [[0.01, 0.49], [0.49, 0.01]]],
    ids=["fair", "alike", "unlike"],
)
def test_under_pure_dp_no_output_changes_a_belief_by_more_than_the_bound(prior, is_default_record):
    """Any output at all; prior[yours][the other's], two records of 0 or 1, geometric noise on their sum."""
    epsilon = 1.0
    outputs = np.arange(-40, 45)
    noise = [np.exp(-epsilon * np.abs(outputs - count)) for count in range(3)]

    def guessed(other: int) -> list[float]:
        both = prior[0][other] + prior[1][other]
        return [1.0, 0.0] if is_default_record else [prior[0][other] / both, prior[1][other] / both]

    actual = [sum(prior[yours][other] * noise[yours + other] for other in (0, 1)) for yours in (0, 1)]
    scrubbed = [
        sum(prior[yours][other] * sum(guessed(other)[r] * noise[r + other] for r in (0, 1)) for other in (0, 1))
        for yours in (0, 1)
    ]
    ratios = [actual[yours] / sum(actual) / (scrubbed[yours] / sum(scrubbed)) for yours in (0, 1)]
    largest = float(np.abs(np.log(ratios)).max())
    assert 0.01 < largest <= pure_dp_log_ratio(epsilon, is_default_record=is_default_record) + 1e-12


def test_a_very_wrong_prior_turns_one_percent_into_certainty():
    found = wrong_prior(101.0, 0.01)
    assert found.actual == pytest.approx(math.log(0.01 / 0.99) + 100.5)
    assert found.counterfactual == pytest.approx(math.log(0.01 / 0.99))
    assert found.log_ratio == pytest.approx(-found.actual - math.log(0.99), abs=1e-9)
    assert found.log_surprise < -5000


def test_the_wrong_prior_is_bayes_rule():
    likelihood = [Fraction(10), Fraction(1)]  # any two numbers with the ratio of the densities at 0.5 + log(10)
    found = wrong_prior(0.5 + math.log(10), 0.3)
    posterior = 0.3 * likelihood[0] / (0.3 * float(likelihood[0]) + 0.7 * float(likelihood[1]))
    assert 1 / (1 + math.exp(-found.actual)) == pytest.approx(float(posterior))
