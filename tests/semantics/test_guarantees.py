"""Curves of delta, powers of tests and beliefs: against definitions, the best of all tests, and what Kifer prints."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.accounting.conversions import zcdp_to_approximate_dp
from safetab_sql.semantics import summary
from safetab_sql.semantics.composition import approximate_dp_power, discrete_gaussian, geometric, privacy_loss
from tests.accounting.settings import gaussian_delta as discrete_gaussian_delta
from tests.semantics.pairs import renyi_divergence

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
    assert privacy_loss(FIRST, SECOND).power(level) == pytest.approx(best_of_all_tests(level))


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 2.0])
def test_delta_is_the_largest_excess_of_any_event(epsilon):
    events = [chosen for size in range(6) for chosen in itertools.combinations(range(5), size)]
    excesses = [sum(FIRST[o] - math.exp(epsilon) * SECOND[o] for o in event) for event in events]
    assert privacy_loss(FIRST, SECOND).delta(epsilon) == pytest.approx(max(excesses))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_delta_of_discrete_gaussian_noise_is_that_of_all_noises(epsilon):
    wanted = float(discrete_gaussian_delta([Fraction("0.31")], epsilon))
    assert discrete_gaussian(Fraction("0.31"), 1).delta(epsilon) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("epsilon", [1.0, 5.0, 12.0])
def test_delta_of_any_zcdp_mechanism_inverts_the_accountants_epsilon(epsilon):
    delta = summary.zcdp_delta(2.63, epsilon)
    assert zcdp_to_approximate_dp(Fraction("2.63"), Fraction(delta)) == pytest.approx(epsilon, rel=1e-4)
    assert delta > summary.gaussian_delta(2.63, epsilon)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 0.99, 1.0, 3.0])
def test_delta_of_pure_dp_is_that_of_randomised_response(epsilon):
    assert summary.pure_dp_delta(1.0, epsilon) == pytest.approx(geometric(Fraction(1), 1).delta(epsilon), abs=1e-15)


LEVELS = [0.01, 0.05, 0.10]


def divergence(p: float, q: float, alpha: float) -> float:
    """The Renyi divergence of two coins, as printed."""
    return math.log(p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha)) / (alpha - 1)


@pytest.mark.parametrize(
    ("level", "power", "bound"), [(0.01, 0.4869, 0.6982), (0.05, 0.7417, 0.9467), (0.10, 0.8442, 0.9624)]
)
def test_powers_at_the_redistricting_budget_are_those_printed_and_the_bound_is_rounded_up(level, power, bound):
    assert round(summary.gaussian_power(level, 2.63), 4) == power
    assert bound - 1e-4 < summary.zcdp_power(level, 2.63) <= bound


@pytest.mark.parametrize("rho", [0.01, 0.5, 2.63, 4.944])
@pytest.mark.parametrize("level", LEVELS)
def test_the_zcdp_bound_is_the_most_that_all_orders_allow(level, rho):
    """Just below it every order allows the power, both ways; just above it, some order does not."""
    bound = summary.zcdp_power(level, rho)
    orders = 1 + np.exp(np.linspace(math.log(1e-4), math.log(100), 300))

    def is_allowed(power: float) -> bool:
        pairs = ((power, level), (level, power))
        return all(divergence(p, q, alpha) <= alpha * rho for p, q in pairs for alpha in orders)

    assert is_allowed(bound - 2e-3 * (bound - level))
    assert not is_allowed(bound + 0.1 * (1 - bound))


@pytest.mark.parametrize("rho", [0.01, 0.5, 2.63])
@pytest.mark.parametrize("level", LEVELS)
def test_no_noise_beats_the_bound_of_its_budget(level, rho):
    exact = discrete_gaussian(Fraction(rho), 1).power(level)
    assert max(exact, summary.gaussian_power(level, rho)) < summary.zcdp_power(level, rho)


@pytest.mark.parametrize("level", [0.01, 0.3, 0.9])
def test_the_bound_of_pure_dp_is_reached_by_randomised_response(level):
    assert approximate_dp_power(level, 1.0, 0.0) == pytest.approx(geometric(Fraction(1), 1).power(level))


def test_the_bound_of_approximate_dp_is_the_lower_of_two_lines():
    assert approximate_dp_power(0.05, 1.0, 0.02) == pytest.approx(0.05 * math.e + 0.02)
    assert approximate_dp_power(0.9, 1.0, 0.02) == pytest.approx(1 - math.exp(-1) * 0.08)
    assert approximate_dp_power(0.999, 1.0, 0.1) == 1


def test_the_renyi_bound_of_geometric_noise_lies_between_its_power_and_that_of_zcdp():
    pair = geometric(Fraction(1), 1)
    bound = summary.renyi_power(0.05, lambda alpha: np.array([renyi_divergence(pair, max(a, 1 + 1e-9)) for a in alpha]))
    assert pair.power(0.05) <= bound <= summary.zcdp_power(0.05, 0.5)


RHO = 0.8  # of one record changed: noise of variance 1 / (2 RHO) on a count that is 0 or 1
OUTPUTS = np.linspace(-15, 16, 200_001)
STEP = OUTPUTS[1] - OUTPUTS[0]
RECORDS = [np.exp(-RHO * (OUTPUTS - record) ** 2) * math.sqrt(RHO / math.pi) for record in (0, 1)]
EPSILONS = pytest.mark.parametrize("epsilon", [0.85, 1.5, 3.0])


def chance(world: np.ndarray, prior: float, epsilon: float) -> float:
    """That an attacker who knows everybody else has posterior / counterfactual posterior of a 1 from e^epsilon on.

    The counterfactual record is drawn from his prior: the output then says nothing, and that posterior is the prior.
    """
    mixture = (1 - prior) * RECORDS[0] + prior * RECORDS[1]
    return float(world[np.log(RECORDS[1] / mixture) >= epsilon].sum() * STEP)


@EPSILONS
@pytest.mark.parametrize("prior", [0.5, 0.1, 1e-3, 1e-9])
def test_belief_in_a_fixed_record_grows_no_likelier_than_semantics_1_says(prior, epsilon):
    drawn_from_the_prior = (1 - prior) * RECORDS[0] + prior * RECORDS[1]
    assert chance(drawn_from_the_prior, prior, epsilon) <= summary.zcdp_beliefs(RHO, epsilon)[0]


@EPSILONS
@pytest.mark.parametrize("prior", [0.5, 0.1, 1e-3, 1e-9])
def test_belief_in_the_true_record_grows_no_likelier_than_semantics_2_and_3_say(prior, epsilon):
    exact = chance(RECORDS[1], prior, epsilon)
    assert exact <= summary.gaussian_true_record(RHO, epsilon) <= summary.zcdp_beliefs(RHO, epsilon)[1]


@pytest.mark.parametrize("epsilon", [0.1, 0.8])
def test_at_and_below_the_budget_the_theorems_of_zcdp_say_nothing(epsilon):
    assert summary.zcdp_beliefs(RHO, epsilon) == (1, 1)
