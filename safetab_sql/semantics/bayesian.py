"""Bayesian semantics: what an attacker believes about you, against what he would believe had your record been scrubbed.

The ratio of his posterior in the actual world to that in the counterfactual one is e^epsilon or more with at most the
chances below. Counterfactual: your record is replaced by one drawn from what he believes given everybody else's, so
that nothing of yours is used. rho, gamma and epsilon are those of neighbours that differ in *one changed record*: a
mechanism that is rho-zCDP when a person is added or removed has 2 rho where a person is in one cell of each table.

Errors: closed forms in doubles (1e-12); the chances are upper bounds by their theorems. Source: Kifer, Bayesian
Guarantees.
"""

import math
from dataclasses import dataclass

from safetab_sql.semantics.normal import normal_cdf
from safetab_sql.semantics.tradeoff import gaussian_bounded_epsilon


def pure_dp_log_ratio(epsilon: float, *, is_default_record: bool = False) -> float:
    """The most that log(posterior / counterfactual posterior) can be, either way, for any output and any prior.

    epsilon; twice that where the counterfactual puts a fixed default record in your place, for then the normalisers of
    the two posteriors differ too. Source: Kifer, Warmup: Pure Differential Privacy; Semantics Pure DP.
    """
    return 2 * epsilon if is_default_record else epsilon


def renyi_fixed_record(alpha: float, gamma: float, epsilon: float) -> float:
    """Semantics 1 under (alpha, gamma)-RDP: any fixed record, an attacker who knows everybody else.

    e^(-(epsilon - gamma) alpha - gamma), at most 1. Source: Kifer, Semantics 1, first theorem.
    """
    return math.exp(min(0.0, -(epsilon - gamma) * alpha - gamma))


def zcdp_fixed_record(rho: float, epsilon: float) -> float:
    """Semantics 1 under rho-zCDP: e^(-(epsilon + rho)^2 / (4 rho)) for epsilon > rho; 1 below, where nothing is said.

    Source: Kifer, Semantics 1, second theorem.
    """
    return math.exp(-((epsilon + rho) ** 2) / (4 * rho)) if epsilon > rho else 1.0


def zcdp_true_record_any_prior(rho: float, epsilon: float) -> float:
    """Semantics 3 under rho-zCDP: your true record, any prior: e^(-(epsilon - rho)^2 / (4 rho)), epsilon > rho; else 1.

    Source: Kifer, Semantics 3, second theorem.
    """
    return math.exp(-((epsilon - rho) ** 2) / (4 * rho)) if epsilon > rho else 1.0


def renyi_true_record_any_prior(alpha: float, gamma: float, epsilon: float) -> float:
    """Semantics 3 under (alpha, gamma)-RDP: e^((alpha - 1)(gamma - epsilon)), at most 1. Source: Kifer, Semantics 3."""
    return math.exp(min(0.0, (alpha - 1) * (gamma - epsilon)))


def zcdp_any_prior_epsilon(rho: float, chance: float) -> float:
    """The epsilon that semantics 3 exceeds with at most `chance`: rho + sqrt(4 rho log(1 / chance))."""
    return rho + math.sqrt(4 * rho * -math.log(chance))


def gaussian_true_record(rho: float, epsilon: float) -> float:
    """Semantics 2 of Gaussian noise: your true record, an attacker who knows everybody else. epsilon >= 0.

    The delta of the probabilistically bounded curve whose epsilon is this one, by bisection: see
    `tradeoff.gaussian_bounded_epsilon`. Never below the true chance. Source: Kifer, Semantics 2 (PBDP).
    """
    low, high = -35.0, 8.0  # of the quantile of delta; epsilon falls as delta rises
    if gaussian_bounded_epsilon(rho, normal_cdf(low)) <= epsilon:
        return normal_cdf(low)
    for _ in range(80):
        middle = (low + high) / 2
        if gaussian_bounded_epsilon(rho, normal_cdf(middle)) > epsilon:
            low = middle
        else:
            high = middle
    return normal_cdf(high)


@dataclass(frozen=True, slots=True)
class Belief:
    """What the attacker of the wrong-prior example believes after seeing the output.

    actual, counterfactual: his log odds that your record is 1, nats. log_ratio: log of the factor by which the actual
    world lowers his belief in a 0. log_surprise: log of the chance, under his prior, of an output this large or larger.
    """

    actual: float
    counterfactual: float
    log_ratio: float
    log_surprise: float


def wrong_prior(output: float, prior: float) -> Belief:
    """Count of ones plus N(0, 1), seen by somebody who is sure that all other records are 0. prior: that yours is 1.

    Source: Kifer, What about impure differential privacy? (100 ones, output 101, prior 0.01)
    """
    prior_odds = math.log(prior) - math.log1p(-prior)
    odds = prior_odds + (output**2 - (output - 1) ** 2) / 2  # log N(output; 1, 1) - log N(output; 0, 1)
    log_not_one = -max(odds, 0.0) - math.log1p(math.exp(-abs(odds)))
    # The tail of N(1, 1), the likelier of the two worlds he thinks of; Mills' ratio bounds it from above.
    distance = output - 1
    surprise = -(distance**2) / 2 - math.log(distance * math.sqrt(2 * math.pi))
    return Belief(odds, prior_odds, log_not_one - math.log1p(-prior), surprise)
