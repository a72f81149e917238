"""Bayesian semantics: an attacker's belief about you, compared with his belief had your record been scrubbed.

The ratio of his posterior in the actual world to his posterior in the counterfactual world is e^epsilon or more with
at most the chances below. In the counterfactual world your record is replaced by one drawn from his belief given all
other records, so nothing of yours is used. rho, gamma and epsilon are for neighbours that differ in *one changed
record*: a mechanism that is rho-zCDP when a person is added or removed has 2 rho if a person is in one cell of each
table.

Errors: closed forms in doubles (1e-12); the chances are upper bounds by their theorems. Source: Kifer, Bayesian
Guarantees.
"""

import math

from safetab_sql.semantics.normal import normal_cdf
from safetab_sql.semantics.tradeoff import gaussian_bounded_epsilon


def pure_dp_log_ratio(epsilon: float, *, is_default_record: bool = False) -> float:
    """The most that log(posterior / counterfactual posterior) can be, either way, for any output and any prior.

    epsilon; twice epsilon if the counterfactual world has a fixed default record in your place, because then the
    normalisers of the two posteriors differ too. Source: Kifer, Warmup: Pure Differential Privacy; Semantics Pure DP.
    """
    return 2 * epsilon if is_default_record else epsilon


def zcdp_fixed_record(rho: float, epsilon: float) -> float:
    """Semantics 1 under rho-zCDP: e^(-(epsilon + rho)^2 / (4 rho)) for epsilon > rho; else 1, as no bound is known.

    Source: Kifer, Semantics 1, second theorem.
    """
    return math.exp(-((epsilon + rho) ** 2) / (4 * rho)) if epsilon > rho else 1.0


def zcdp_true_record_any_prior(rho: float, epsilon: float) -> float:
    """Semantics 3 under rho-zCDP: your true record, any prior: e^(-(epsilon - rho)^2 / (4 rho)), epsilon > rho; else 1.

    Source: Kifer, Semantics 3, second theorem.
    """
    return math.exp(-((epsilon - rho) ** 2) / (4 * rho)) if epsilon > rho else 1.0


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
