"""What a budget guarantees, in closed form: (epsilon, delta) curves, powers of tests, and beliefs.

Frequentist semantics: the power of the best test of "your record was used" against "it was not", by its level. The
level is the chance of a wrong accusation, the power is the chance of a right accusation. Neighbours are symmetric, so
it does not matter which of the two inputs is the null hypothesis. Source: Kifer, Frequentist Guarantees.

Bayesian semantics: an attacker's belief about you, compared with his belief had your record been scrubbed. The ratio of
his posterior in the actual world to his posterior in the counterfactual world is e^epsilon or more with at most the
chances below. In the counterfactual world your record is replaced by one drawn from his belief given all other records,
so nothing of yours is used. There rho, gamma and epsilon are for neighbours that differ in *one changed record*: a
mechanism that is rho-zCDP when a record is added or removed has 2 rho if a record is in one cell of each table. The
chances are upper bounds by their theorems. Source: Kifer, Bayesian Guarantees.

Errors: closed forms in doubles (1e-12). `zcdp_delta` is an upper bound, whatever order the search finds. `renyi_power`
and `zcdp_power` are upper bounds: every order gives one, and the result of the bisection is raised by 1e-9, far above
its rounding error. Source: Kifer, Approximate Differential Privacy; f-DP; Dong, Roth, Su 2022.
"""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from safetab_sql.kit.arrays import Floats

_STANDARD = NormalDist()
_EXCESS_OF_DELTA = np.exp(np.linspace(math.log(1e-4), math.log(1e5), 4001))  # alpha - 1
_EXCESS = np.exp(np.linspace(math.log(1e-4), math.log(1e4), 400))  # alpha - 1
_SLACK = 1e-9
_LARGEST_LOGIT = 690.0
_HALVINGS = 52  # of a range of logits of at most 710: to 2e-13


def normal_cdf(value: float) -> float:
    """P(Z <= value) of the standard normal law; 0 below about -38. erfc keeps digits in the tail: 1e-13 relative."""
    return math.erfc(-value / math.sqrt(2)) / 2


def normal_quantile(chance: float) -> float:
    """The z with P(Z <= z) = chance, 0 < chance < 1. Source: Wichura 1988, algorithm AS241, 1e-16 relative."""
    return _STANDARD.inv_cdf(chance)


def gaussian_delta(rho: float, epsilon: float) -> float:
    """The least delta of Gaussian noise with rho = 1 / (2 sigma^2), exactly.

    Phi(-epsilon / m + m / 2) - e^epsilon Phi(-epsilon / m - m / 2), m = sqrt(2 rho). Source: Kifer, Approximate
    Differential Privacy (N(0, 1) example); Balle, Wang 2018.
    """
    width = math.sqrt(2 * rho)
    near, far = normal_cdf(-epsilon / width + width / 2), normal_cdf(-epsilon / width - width / 2)
    return max(0.0, near - (math.exp(epsilon + math.log(far)) if far > 0 else 0.0))


def zcdp_delta(rho: float, epsilon: float) -> float:
    """A delta with which every rho-zCDP mechanism is (epsilon, delta)-DP: an upper bound, the best of 4,001 orders.

    log delta = (alpha - 1)(alpha rho - epsilon) + (alpha - 1) log(1 - 1 / alpha) - log alpha, for any alpha > 1.
    Source: the paper's eq. 7, solved for delta.
    """
    excess = _EXCESS_OF_DELTA
    logs = excess * ((1 + excess) * rho - epsilon) + excess * np.log(excess / (1 + excess)) - np.log1p(excess)
    return min(1.0, math.exp(min(0.0, float(logs.min()))) * (1 + 1e-9))


def pure_dp_delta(whole: float, epsilon: float) -> float:
    """The least delta with which every `whole`-DP mechanism is (epsilon, delta)-DP; randomised response attains it.

    (e^whole - e^epsilon) / (1 + e^whole), or 0. Source: Kairouz, Oh, Viswanath 2015.
    """
    return max(0.0, -math.expm1(epsilon - whole)) / (1 + math.exp(-whole))


def gaussian_bounded_epsilon(rho: float, delta: float) -> float:
    """The epsilon that the log odds exceed with chance at most `delta`, after any post-processing, of Gaussian noise.

    Probabilistically bounded DP in closed form: log delta - log Phi(Phi^-1(delta) - sqrt(2 rho)).
    Source: Kifer, (epsilon, delta) Curve of N(0, 1 / (2 * 2.63)).
    """
    level = normal_cdf(normal_quantile(delta) - math.sqrt(2 * rho))
    return math.log(delta) - math.log(level) if level > 0 else math.inf


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
    `gaussian_bounded_epsilon`. Never below the true chance. Source: Kifer, Semantics 2 (PBDP).
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
