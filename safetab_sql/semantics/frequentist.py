"""Frequentist semantics: the power of the best test of "your record was used" against "it was not", by its level.

The level is the chance of a wrong accusation, the power is the chance of a right accusation. Neighbours are symmetric,
so it does not matter which of the two inputs is the null hypothesis. Source: Kifer, Frequentist Guarantees.

Errors: pure DP, approximate DP and the Gaussian are closed forms in doubles (1e-12). `renyi_power` and `zcdp_power` are
upper bounds: every order gives one, and the result of the bisection is raised by 1e-9, far above its rounding error.
"""

import math
from collections.abc import Callable

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.semantics.normal import normal_cdf, normal_quantile

_EXCESS = np.exp(np.linspace(math.log(1e-4), math.log(1e4), 400))  # alpha - 1
_SLACK = 1e-9
_LARGEST_LOGIT = 690.0
_HALVINGS = 52  # of a range of logits of at most 710: to 2e-13


def pure_dp_power(level: float, epsilon: float) -> float:
    """min(e^epsilon l, 1 - e^-epsilon (1 - l)): the largest power under pure DP; randomised response attains it.

    Source: Kifer, Frequentist View; Wasserman, Zhou 2010.
    """
    return approximate_dp_power(level, epsilon, 0.0)


def approximate_dp_power(level: float, epsilon: float, delta: float) -> float:
    """min(e^epsilon l + delta, 1 - e^-epsilon (1 - l - delta)): the largest power under (epsilon, delta)-DP.

    Source: Kifer, Approximate Differential Privacy Guarantees; Kairouz, Oh, Viswanath 2015.
    """
    multiplied = level * math.exp(min(epsilon, _LARGEST_LOGIT)) + delta
    return max(0.0, min(1.0, multiplied, 1 - math.exp(-epsilon) * (1 - level - delta)))


def gaussian_power(level: float, rho: float) -> float:
    """Phi(sqrt(2 rho) + Phi^-1(l)): Gaussian noise, rho = 1 / (2 sigma^2), exactly. 0 < level < 1.

    Source: Kifer, Redistricting Data Hypothesis Testing Semantics, curve (1); Dong, Roth, Su 2022.
    """
    return normal_cdf(math.sqrt(2 * rho) + normal_quantile(level))


def renyi_power(level: float, gamma: Callable[[Floats], Floats]) -> float:
    """The largest power if the Renyi divergences, both ways, are at most gamma(alpha): the best bound of 400 orders.

    The largest q with D_alpha((q, 1 - q) || (l, 1 - l)) and D_alpha((l, 1 - l) || (q, 1 - q)) at most gamma(alpha),
    for orders alpha from 1.0001 to 10,001: a test is post-processing. Both divergences grow with q > l, so that
    bisection finds q. gamma: the bounds at an array of orders. 0 < level < 1.
    Source: Kifer, Renyi Differential Privacy (semantics); Balle et al. 2020.
    """
    bounds = gamma(1 + _EXCESS)
    log_level, log_rest = math.log(level), math.log1p(-level)
    low = np.full(_EXCESS.shape, log_level - log_rest)
    high = np.full(_EXCESS.shape, _LARGEST_LOGIT)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        log_power, log_miss = -np.logaddexp(0, -middle), -np.logaddexp(0, middle)
        forward = _renyi(log_power, log_miss, log_level, log_rest)
        is_allowed = np.maximum(forward, _renyi(log_level, log_rest, log_power, log_miss)) <= bounds
        low, high = np.where(is_allowed, middle, low), np.where(is_allowed, high, middle)
    return min(1.0, float(np.exp(-np.logaddexp(0, -high)).min()) + _SLACK)


def zcdp_power(level: float, rho: float) -> float:
    """The largest power of any rho-zCDP mechanism: q^a l^(1-a) + (1-q)^a (1-l)^(1-a) <= e^((a-1) a rho), both ways.

    Orders below 1.0001 would lower the bound by 3e-5 at rho 2.63 and level 0.05, and by hardly anything elsewhere.
    Source: Kifer, Redistricting Data Hypothesis Testing Semantics, curve (3).
    """
    return renyi_power(level, lambda alpha: alpha * rho)


def _renyi(
    log_p: Floats | float, log_not_p: Floats | float, log_q: Floats | float, log_not_q: Floats | float
) -> Floats:
    """The divergences of (p, 1 - p) from (q, 1 - q) at the orders 1 + _EXCESS; nats."""
    ones, zeros = log_p + _EXCESS * (log_p - log_q), log_not_p + _EXCESS * (log_not_p - log_not_q)
    return np.asarray(np.logaddexp(ones, zeros) / _EXCESS, dtype=np.float64)
