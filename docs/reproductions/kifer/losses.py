"""Privacy loss random variables of the worked examples: reversed, composed, and their moments.

The package needs the losses of its two laws alone (`safetab_sql.semantics.composition`); what is here serves the
examples, and the tests of the package as exact values to compare with. Errors: 1e-12, as there.
"""

import math
from fractions import Fraction

import numpy as np

from safetab_sql.semantics.composition import LossPair, composed
from safetab_sql.semantics.summary import normal_cdf


def randomised_response(epsilon: Fraction) -> LossPair:
    """One truthful answer with chance e^epsilon / (1 + e^epsilon), else a lie: the loss is +-epsilon.

    Source: Kifer, Randomized Response; Warner 1965.
    """
    one = float(epsilon)
    truth, lie = 1 / (1 + math.exp(-one)), math.exp(-one) / (1 + math.exp(-one))
    return LossPair(np.array([-one, one]), np.array([lie, truth]), np.array([truth, lie]))


def reversed_pair(pair: LossPair) -> LossPair:
    """The same mechanism with its two inputs exchanged. Source: Kifer, Reversed PLRV."""
    return LossPair(
        -pair.losses[::-1], pair.second[::-1].copy(), pair.first[::-1].copy(), pair.only_second, pair.only_first
    )


def self_composed(pair: LossPair, times: int) -> LossPair:
    """The mechanism `times` >= 1 times, independently; for randomised response, the group of as many respondents.

    Source: Kifer, Independent Composition; Group privacy loss.
    """
    total = pair
    for _ in range(times - 1):
        total = composed(total, pair)
    return total


def chance_above(pair: LossPair, epsilon: float) -> float:
    """P(L > epsilon): the delta of probabilistic differential privacy. Source: Kifer, Attempt 1."""
    return min(1.0, float(pair.first[pair.losses > epsilon].sum()) + pair.only_first)


def loss_mean(pair: LossPair) -> float:
    """E[L], the divergence of Kullback and Leibler, nats; infinity where an output rules the second input out."""
    return math.inf if pair.only_first > 1e-12 else float(pair.first @ pair.losses)


def loss_variance(pair: LossPair) -> float:
    """Var[L], nats squared; infinity where E[L] is."""
    mean = loss_mean(pair)
    return math.inf if math.isinf(mean) else float(pair.first @ (pair.losses - mean) ** 2)


def renyi_divergence(pair: LossPair, alpha: float) -> float:
    """The number log E[e^((alpha - 1) L)] / (alpha - 1), alpha > 1: gamma of Renyi DP. Source: Kifer, RDP and zCDP.

    Infinity where an output rules the second input out; truncated tails (below 1e-12) are left out here.
    """
    if pair.only_first > 1e-12:
        return math.inf
    exponents = (alpha - 1) * pair.losses
    largest = float(exponents.max())
    return (largest + math.log(float(pair.first @ np.exp(exponents - largest)))) / (alpha - 1)


def gaussian_rho(rho: float, shift: int) -> float:
    """The rho of Gaussian noise on a count moved by `shift` (a group of `shift` people): shift^2 rho, exactly.

    rho: 1 / (2 sigma^2). Composition adds rhos; the reversed PLRV is the same. Source: Kifer, Gaussian Mechanism.
    """
    return shift**2 * rho


def gaussian_loss_cdf(rho: float, loss: float) -> float:
    """P(L <= loss) of Gaussian noise: L is normal with mean rho and variance 2 rho. Source: Kifer, Gaussian Mechanism.

    w is drawn from N(0, sigma^2); L = (1 - 2 w) / (2 sigma^2) is linear in w.
    """
    return normal_cdf((loss - rho) / math.sqrt(2 * rho))
