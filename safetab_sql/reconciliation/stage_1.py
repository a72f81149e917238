"""Sums of counts made more precise by the stage-1 total that chose them, and unbiased given that it did.

Of a group of N people let X = N + Z1 be the total of stage 1, with variance v1, and S = N + Z2 the sum of its counts of
stage 2, with variance v2. The group has this table because X lay in [first, end). For Gaussian noise, what X and S tell
of N is all in T = w X + (1 - w) S, w = v2 / (v1 + v2), given the choice or not. So the mean of S given T and the choice
does not depend on N; it is as right on average as S, whatever N is, and never less precise (D. Blackwell 1947,
Conditional Expectation and Unbiased Sequential Estimation). Given T, X is normal with mean T and variance (1 - w) v1,
cut to [first, end). Noise is on whole numbers: reconciliation.md section 4 says what that changes.
"""

from dataclasses import dataclass
from math import erfc, pi, sqrt

import numpy as np

from safetab_sql.reconciliation.statistics import Floats

_FAR = 9.0  # standard deviations: a limit further away changes nothing that a float shows
_erfc = np.vectorize(erfc, otypes=[np.float64])


@dataclass(frozen=True, slots=True)
class Chosen:
    """Groups that a stage-1 total chose: variances of that total and of the sum of the counts of stage 2.

    first, end: the stage-1 total lay from `first` to before `end`, persons; None where there is no such limit.
    """

    stage_1_variance: float
    sum_variance: float
    first: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class BetterSums:
    """Sums of counts given both stages: float64[n].

    variances: right on average. usual_variance: what they are far from the limits of the choice; never larger.
    """

    sums: Floats
    variances: Floats
    usual_variance: float


def better_sums(chosen: Chosen, stage_1: Floats, sums: Floats) -> BetterSums:
    """The sums given both stages and the choice: float64[n] both, persons. Source: reconciliation.md section 4."""
    share = chosen.sum_variance / (chosen.stage_1_variance + chosen.sum_variance)
    both = share * stage_1 + (1 - share) * sums
    deviation = sqrt((1 - share) * chosen.stage_1_variance)
    ends = [
        np.full(both.size, sign * _FAR) if limit is None else ((limit - 0.5 - both) / deviation).clip(-_FAR, _FAR)
        for limit, sign in ((chosen.first, -1), (chosen.end, 1))
    ]
    means, variances = _cut_normal(*ends)
    moved = share / (1 - share)
    return BetterSums(
        both - moved * deviation * means,
        chosen.sum_variance - moved**2 * deviation**2 * variances,
        share * chosen.stage_1_variance,
    )


def _cut_normal(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of a standard normal cut to `lower` to `upper`, at most 9 deviations from 0: float64[n]."""
    upper = np.maximum(upper, lower + 1e-6)  # where both ends are further off than that
    flipped = lower + upper < 0
    low, high = np.where(flipped, -upper, lower), np.where(flipped, -lower, upper)  # more of it is above 0
    chances = (_erfc(low / sqrt(2)) - _erfc(high / sqrt(2))) / 2
    densities = [np.exp(-(end**2) / 2) / sqrt(2 * pi) for end in (low, high)]
    means = (densities[0] - densities[1]) / chances
    variances = 1 + (low * densities[0] - high * densities[1]) / chances - means**2
    return np.where(flipped, -means, means), variances.clip(0.0, 1.0)
