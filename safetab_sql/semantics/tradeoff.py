"""(epsilon, delta) curves, and the trade-off curve that says the same as all of them (f-DP).

Errors: the Gaussian's and randomised response's curves are closed forms in doubles (1e-12); the curve of a pair of
laws is exact up to 1e-12; that of every rho-zCDP mechanism is an upper bound, whatever order the search finds.
Source: Kifer, Approximate Differential Privacy; f-DP; Dong, Roth, Su 2022.
"""

import math
from collections.abc import Callable

import numpy as np

from safetab_sql.semantics.normal import normal_cdf, normal_quantile
from safetab_sql.semantics.plrv import LossPair

Power = Callable[[float], float]  # of the best test, by its level; 1 - f in the words of f-DP

_EXCESS_ORDERS = np.exp(np.linspace(math.log(1e-4), math.log(1e5), 4001))  # alpha - 1


def delta_at(pair: LossPair, epsilon: float) -> float:
    """The least delta with which the pair is (epsilon, delta)-close: P(L > epsilon) - e^epsilon P(-L' > epsilon).

    L' is the loss of the reversed pair. Source: Kifer, Approximate Differential Privacy.
    """
    gains = pair.first - math.exp(epsilon) * pair.second
    return min(1.0, float(gains[pair.losses > epsilon].sum()) + pair.only_first)


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
    """A delta with which every mechanism of pure DP loss `whole` is (epsilon, delta)-DP; randomised response needs it.

    (e^whole - e^epsilon) / (1 + e^whole), or 0. Source: Kairouz, Oh, Viswanath 2015.
    """
    return max(0.0, -math.expm1(epsilon - whole)) / (1 + math.exp(-whole))


def tradeoff(pair: LossPair, level: float) -> float:
    """The chance f(level) that the best test of this level misses: the trade-off function of f-DP.

    level: chance of rejecting the first input when it is true. Source: Kifer, f-DP; Tightest 1 - f curve.
    """
    return 1 - likelihood_ratio_power(pair, level)


def likelihood_ratio_power(pair: LossPair, level: float) -> float:
    """The power of the likelihood-ratio test: reject the first input below a loss, at it with some chance.

    Exact up to 1e-12, and never below the truth: truncated tails count as outputs that give the answer away.
    Source: Kifer, Most Powerful Test (threshold t, tiebreaker c).
    """
    _check_level(level)
    below_first, below_second = np.cumsum(pair.first), np.cumsum(pair.second)
    entry = int(np.searchsorted(below_first, level, side="right"))
    power = pair.only_second
    if entry == pair.losses.size:  # all finite losses are rejected, and more
        return min(1.0, power + float(pair.second.sum()))
    spent = float(below_first[entry - 1]) if entry else 0.0
    reached = float(below_second[entry - 1]) if entry else 0.0
    share = (level - spent) / float(pair.first[entry])
    return min(1.0, power + reached + share * float(pair.second[entry]))


def bounded_epsilon(power: Power, delta: float) -> float:
    """The epsilon that the log odds exceed with chance at most `delta`, after any post-processing.

    epsilon = log(delta / g^-1(delta)) with g = 1 - f, the power by level: probabilistically bounded DP. g^-1 is found
    by bisection on the logarithm of the level, from the side that makes epsilon larger.
    Source: Kifer, The Curve; f-DP (prints delta / g^-1(delta), of which epsilon is the logarithm).
    """
    low, high = math.log(1e-300), math.log(delta)
    for _ in range(100):
        middle = (low + high) / 2
        if power(math.exp(middle)) < delta:
            low = middle
        else:
            high = middle
    return math.log(delta) - low


def gaussian_bounded_epsilon(rho: float, delta: float) -> float:
    """`bounded_epsilon` of Gaussian noise, in closed form: log delta - log Phi(Phi^-1(delta) - sqrt(2 rho)).

    Source: Kifer, (epsilon, delta) Curve of N(0, 1 / (2 * 2.63)).
    """
    level = normal_cdf(normal_quantile(delta) - math.sqrt(2 * rho))
    return math.log(delta) - math.log(level) if level > 0 else math.inf


def _check_level(level: float) -> None:
    if not 0 <= level <= 1:
        raise ValueError(f"a level is a chance from 0 to 1, it is {level}")
