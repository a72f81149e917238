"""(epsilon, delta) curves of Gaussian noise, of pure DP and of every zCDP mechanism.

Errors: the curves of Gaussian noise and of pure DP are closed forms in doubles (1e-12); that of every rho-zCDP
mechanism is an upper bound, whatever order the search finds.
Source: Kifer, Approximate Differential Privacy; f-DP; Dong, Roth, Su 2022.
"""

import math

import numpy as np

from safetab_sql.semantics.normal import normal_cdf, normal_quantile

_EXCESS_ORDERS = np.exp(np.linspace(math.log(1e-4), math.log(1e5), 4001))  # alpha - 1


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
    excess = _EXCESS_ORDERS
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
