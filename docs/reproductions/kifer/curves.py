"""The (epsilon, delta) curve and the trade-off curve of a pair of laws: exact up to 1e-12.

Source: Kifer, Approximate Differential Privacy; f-DP; Dong, Roth, Su 2022.
"""

import math
from collections.abc import Callable

import numpy as np

from safetab_sql.semantics.composition import LossPair

Power = Callable[[float], float]  # of the best test, by its level; 1 - f in the words of f-DP


def delta_at(pair: LossPair, epsilon: float) -> float:
    """The least delta with which the pair is (epsilon, delta)-close: P(L > epsilon) - e^epsilon P(-L' > epsilon).

    L' is the loss of the reversed pair. Source: Kifer, Approximate Differential Privacy.
    """
    gains = pair.first - math.exp(epsilon) * pair.second
    return min(1.0, float(gains[pair.losses > epsilon].sum()) + pair.only_first)


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


def _check_level(level: float) -> None:
    if not 0 <= level <= 1:
        raise ValueError(f"a level is a chance from 0 to 1, it is {level}")
