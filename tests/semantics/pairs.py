"""Of a privacy loss random variable: the reversed one, and its Renyi divergence."""

import math

import numpy as np

from safetab_sql.semantics.composition import LossPair


def reversed_pair(pair: LossPair) -> LossPair:
    """The same mechanism with its two inputs exchanged. Source: Kifer, Reversed PLRV."""
    return LossPair(
        -pair.losses[::-1], pair.second[::-1].copy(), pair.first[::-1].copy(), pair.only_second, pair.only_first
    )


def renyi_divergence(pair: LossPair, alpha: float) -> float:
    """The number log E[e^((alpha - 1) L)] / (alpha - 1), alpha > 1: gamma of Renyi DP. Source: Kifer, RDP and zCDP.

    Infinity where an output rules the second input out; truncated tails (below 1e-12) are left out here.
    """
    if pair.only_first > 1e-12:
        return math.inf
    exponents = (alpha - 1) * pair.losses
    largest = float(exponents.max())
    return (largest + math.log(float(pair.first @ np.exp(exponents - largest)))) / (alpha - 1)
