"""The theorems about beliefs, against exact chances of the ratio under discrete noise and against integrals."""

import math
from fractions import Fraction

import numpy as np
import pytest

from docs.reproductions.kifer.beliefs import (
    pure_dp_log_ratio,
    renyi_fixed_record,
    renyi_true_record_any_prior,
    wrong_prior,
    zcdp_any_prior_epsilon,
)
from safetab_sql.semantics.summary import (
    gaussian_true_record,
    zcdp_fixed_record,
    zcdp_true_record_any_prior,
)

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


def test_the_epsilon_of_a_chance_has_that_chance():
    assert zcdp_true_record_any_prior(RHO, zcdp_any_prior_epsilon(RHO, 1e-3)) == pytest.approx(1e-3)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 10.0])
def test_semantics_2_inverts_the_bounded_curve(epsilon):
    from safetab_sql.semantics.summary import gaussian_bounded_epsilon

    delta = gaussian_true_record(RHO, epsilon)
    assert delta == 1 or gaussian_bounded_epsilon(RHO, delta) == pytest.approx(epsilon, abs=1e-6)


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
