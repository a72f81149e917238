"""Totals from both stages: sums of counts made more precise by the stage-1 total that chose them.

They are unbiased given that it did: with X and S, the totals of both stages, and N the true one, as reconciliation.md
section 4 calls them, all is in T = w X + (1 - w) S. Margins rest on the interval that T gives, which holds N whatever N
is: reconciliation.md section 7. Source: D. Blackwell 1947, Conditional Expectation and Unbiased Sequential Estimation.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import erfc, inf, pi, sqrt

import numpy as np

from safetab_sql.kit.arrays import Floats

_FAR = 12.0  # standard deviations: a limit further away changes nothing that a float shows
_WIDEST = 16.0  # standard deviations of stage 1 between two limits: beyond, what is near one is not near the other
_FINENESS = 16  # values to a standard deviation that are looked at
_MISS = 0.025  # chance to miss on either side
_NORMAL_95 = 1.959963984540054  # half of a 95 % interval of a normal law, standard deviations
_LEAST_SHARE = 0.02  # of stage 1 in the sum: with less, deviations would be less than 1 % smaller
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
    margin_variances: of normal laws whose 95 % margin reaches both ends of the interval of the true count; never
    smaller than `variances`, nor larger than the variance of the counts alone.
    """

    sums: Floats
    variances: Floats
    usual_variance: float
    margin_variances: Floats


def mean_sums(chosen: Chosen, stage_1: Floats, sums: Floats) -> Floats:
    """The mean of the sums given T and the choice: float64[n] each, persons. Stage 1 that tells too little is left out.

    It has the mean of the sums, whatever the true counts are, and never scatters more. Source: reconciliation.md
    section 4.
    """
    return sums if _share(chosen) < _LEAST_SHARE else _given_both(chosen, stage_1, sums)[0]


def better_sums(chosen: Chosen, stage_1: Floats, sums: Floats) -> BetterSums:
    """`mean_sums`, and what is known of their errors. Source: reconciliation.md sections 4 and 7."""
    share, unit = _share(chosen), sqrt(chosen.stage_1_variance)
    if share < _LEAST_SHARE:
        alone = np.full(sums.size, chosen.sum_variance)
        return BetterSums(sums, alone, chosen.sum_variance, alone)
    means, inside, given = _given_both(chosen, stage_1, sums)
    variances = chosen.sum_variance - share**2 / (1 - share) * unit**2 * given
    width = inf if chosen.first is None or chosen.end is None else (chosen.end - chosen.first) / unit
    places, reaches = _reaches(round(share, 9), min(width, _WIDEST))
    reached = unit * np.interp(inside, places, reaches)
    margin_variances = ((reached / _NORMAL_95) ** 2).clip(variances, chosen.sum_variance)
    return BetterSums(means, variances, share * chosen.stage_1_variance, margin_variances)


def _share(chosen: Chosen) -> float:
    """w, the share of stage 1 in T."""
    return chosen.sum_variance / (chosen.stage_1_variance + chosen.sum_variance)


def _given_both(chosen: Chosen, stage_1: Floats, sums: Floats) -> tuple[Floats, Floats, Floats]:
    """S' of some groups, which is T less what the choice moves it; how far T is inside the nearer limit; float64[n].

    The latter in deviations of stage 1. And the variances of X - T given both, in its deviations.
    """
    share, unit = _share(chosen), sqrt(chosen.stage_1_variance)
    both = share * stage_1 + (1 - share) * sums
    above_first = np.full(both.size, inf) if chosen.first is None else (both - (chosen.first - 0.5)) / unit
    below_end = np.full(both.size, inf) if chosen.end is None else (chosen.end - 0.5 - both) / unit
    means, variances, _ = _cut_normal(-above_first / sqrt(1 - share), below_end / sqrt(1 - share))
    return both - share / sqrt(1 - share) * unit * means, np.minimum(above_first, below_end), variances


@lru_cache(maxsize=256)
def _reaches(share: float, width: float) -> tuple[Floats, Floats]:
    """How far T is inside the nearer limit, and how far S' then is from the further end of the interval of N.

    float64[n] both, in standard deviations of stage 1, ascending up to half of `width`, which is from one limit to the
    other. share: w. The quantiles of T given the choice grow with N; turned around they are the ends of the interval.
    """
    of_choice = sqrt(1 - share)
    nodes, counts = _points(share, width)
    lower, upper = _quantiles(share, width, nodes, counts)
    places = nodes[(nodes >= -_FAR * of_choice * 3 / 4) & (nodes <= width / 2)]  # but for the edge of the points
    means, _, _ = _cut_normal(-places / of_choice, (width - places) / of_choice)
    sums = places - share / (1 - share) * of_choice * means
    reaches = np.maximum(sums - np.interp(places, upper, counts), np.interp(places, lower, counts) - sums)
    if width == _WIDEST:
        reaches[-1] = _NORMAL_95 * sqrt(share)  # there, and further inside, as without limits
    return places, reaches


def _points(share: float, width: float) -> tuple[Floats, Floats]:
    """Values of T, and true counts, that are looked at: closer together near limits, where chances change faster."""
    deviation, of_choice = sqrt(share), sqrt(1 - share)
    near = np.arange(-_FAR, _FAR, 1 / _FINENESS) * of_choice
    nodes = np.unique(np.concatenate([near, width - near, np.arange(0.0, width, deviation / _FINENESS)]))
    beyond = -np.geomspace(2 * _FAR / of_choice, 1.0, 300)
    counts = np.concatenate([beyond, width - beyond, np.arange(-1.0, width + 1.0, deviation / _FINENESS)])
    return nodes[(nodes >= near[0]) & (nodes <= width - near[0])], np.unique(counts)


def _quantiles(share: float, width: float, nodes: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """The values of T below and above which it lies with chance `_MISS`, by true count: float64[n] both.

    Given the choice its density is in proportion to exp(-(T - N)^2 / 2w) times the chance of the choice given T.
    """
    of_choice = sqrt(1 - share)
    chances = _cut_normal(-nodes / of_choice, (width - nodes) / of_choice)[2] * np.gradient(nodes)
    logs = np.log(chances) - (nodes - counts[:, None]) ** 2 / (2 * share)
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    rising = (np.cumsum(found, axis=1) - found / 2) / found.sum(axis=1, keepdims=True)
    lower, upper = (np.array([np.interp(chance, each, nodes) for each in rising]) for chance in (_MISS, 1 - _MISS))
    return lower, upper


def _cut_normal(lower: Floats, upper: Floats) -> tuple[Floats, Floats, Floats]:
    """Means and variances of standard normal laws cut to `lower` to `upper`, and the chances of that: float64[n].

    Ends are taken as no further out than matters.
    """
    beyond = np.maximum(lower - _FAR, 0) + np.minimum(upper + _FAR, 0)  # there the mean is all but the nearer end
    lower, upper = lower.clip(-_FAR, _FAR), upper.clip(-_FAR, _FAR)
    upper = np.maximum(upper, lower + 1e-6)  # where both ends are further off than that
    flipped = lower + upper < 0
    low, high = np.where(flipped, -upper, lower), np.where(flipped, -lower, upper)  # more of it is above 0
    chances = (_erfc(low / sqrt(2)) - _erfc(high / sqrt(2))) / 2
    densities = [np.exp(-(end**2) / 2) / sqrt(2 * pi) for end in (low, high)]
    means = (densities[0] - densities[1]) / chances
    variances = 1 + (low * densities[0] - high * densities[1]) / chances - means**2
    return np.where(flipped, -means, means) + beyond, variances.clip(0.0, 1.0), chances
