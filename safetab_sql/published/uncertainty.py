"""Variance and 95 % margin of error of published counts and of their sums; sees laws, never counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp2, gcd, log, log1p, sinh, sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.laws.cumulative import Law, is_tabulable, pmf_words
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.published.intervals import Cuts, sides, tails

_LARGEST_CONVOLUTION = 10**6  # values; wider sums are convolved on a coarser lattice
_LARGEST_COARSE = 2**23  # points of a coarser lattice
_FINENESS = 1e-3  # what rounding to a coarser lattice may add to the margin, in standard deviations, if points suffice
_NEGLIGIBLE = 1e-12  # probability that a convolution may assign to a wrong value
_UNLIKELY = 1e-6  # probability, at most, that rounding moves a sum by more than the margin allows for it

MarginMethod = Literal["no noise", "exact quantile", "convolution", "coarser convolution"]


@dataclass(frozen=True, slots=True)
class CountKind:
    """Counts of one level with the same noise: `summed_counts` independent draws of `law`, added.

    threshold: where there is one draw, a total up to it is not published; None where every total is.
    """

    level_id: int
    is_total_only: bool
    summed_counts: int
    law: Law
    threshold: int | None


@dataclass(frozen=True, slots=True)
class NoiseTerm:
    """`draws` independent draws of `law`, each multiplied by `coefficient` > 0, added. There is at least one draw.

    The laws are symmetric: subtracting a draw gives the same distribution as adding it.
    """

    law: Law
    coefficient: int | Fraction
    draws: int


@dataclass(frozen=True, slots=True)
class Margin:
    """Half-width of the 95 % margin of error, persons, and how it was computed: see `margin_of_terms`."""

    moe95: int
    method: MarginMethod


def uncertainty_table(
    plans: Sequence[LevelPlan],
    summed_counts: Sequence[int],
    cuts: Cuts = Cuts(),  # noqa: B008  (frozen)
) -> pa.Table:
    """Table `count_uncertainty` of sql/run/6_publish: one row per kind of count that a ladder can publish.

    plans: of the ladder. summed_counts: how many measured cells a published count may add up. variance in persons
    squared, all else in persons. A sum of counts that were set to 0 where they would be below has neither variance nor
    margin: how far it is above the true one depends on how many are near 0. One such count is never further from the
    true one than its noise.
    """
    kinds = _count_kinds(plans, summed_counts)
    unknown = [cuts.is_clipped and kind.summed_counts > 1 for kind in kinds]
    margins = [sum_margin_of_error(kind.law, kind.summed_counts) for kind in kinds]
    both = [
        sides(kind.law, kind.summed_counts, margin, kind.threshold, cuts)
        for kind, margin in zip(kinds, margins, strict=True)
    ]
    return pa.table(
        {
            "level_id": pa.array([kind.level_id for kind in kinds], pa.int32()),
            "is_total_only": pa.array([kind.is_total_only for kind in kinds], pa.bool_()),
            "summed_counts": pa.array([kind.summed_counts for kind in kinds], pa.int32()),
            "variance": _known((float(kind.summed_counts * variance(kind.law)) for kind in kinds), unknown),
            "moe95": _known(map(float, margins), unknown),
            "below95": pa.array([each.below for each in both], pa.int64()),
            "above95": pa.array([each.above for each in both], pa.int64()),
            "least_count": pa.array([each.least for each in both], pa.int64()),
        }
    )


def _known(values: Iterable[float], unknown: Sequence[bool]) -> pa.Array:
    """The values, NULL where they are not known."""
    return pa.array([None if none else value for value, none in zip(values, unknown, strict=True)], pa.float64())


def _count_kinds(plans: Sequence[LevelPlan], summed_counts: Sequence[int]) -> list[CountKind]:
    """Totals of groups that never get a table; counts and sums of the other groups."""
    return [
        kind
        for plan in plans
        for kind in (
            CountKind(plan.catalog.level_id, True, 1, plan.calls.total_only.law, plan.total_only_threshold),
            *(
                CountKind(plan.catalog.level_id, False, size, plan.calls.stage_2.law, plan.suppression_threshold)
                for size in summed_counts
            ),
        )
    ]


def sum_margin_of_error(law: Law, summed_counts: int) -> int:
    """Smallest m with P(|sum of independent draws| <= m) >= 0.95, persons: see `margin_of_terms`."""
    return margin_of_terms((NoiseTerm(law, 1, summed_counts),)).moe95


def variance_of_terms(terms: Sequence[NoiseTerm]) -> Fraction:
    """Variance of the sum of independent `terms`, persons squared: coefficient squared times variance, added."""
    return sum((term.draws * term.coefficient**2 * variance(term.law) for term in terms), Fraction(0))


@lru_cache(maxsize=256)
def margin_of_terms(terms: tuple[NoiseTerm, ...], coverage: Fraction = Fraction(95, 100)) -> Margin:
    """Smallest m with P(|sum of independent terms| <= m) >= coverage, persons, half-width. Coefficients: whole numbers.

    One draw: the exact quantile, times its coefficient. Several: their probabilities convolved in double precision,
    whose error (below 1e-9) matters only where P passes the coverage by less than that. Sums too wide to convolve: a
    little more than the smallest m, see `coarse_margin`. Source: accounting.md section 4.
    """
    if not terms:
        return Margin(0, "no noise")
    if len(terms) == 1 and terms[0].draws == 1:
        return Margin(int(terms[0].coefficient) * margin_of_error(terms[0].law, coverage), "exact quantile")
    # The sum is a multiple of the coefficients' greatest common divisor.
    unit = gcd(*(int(term.coefficient) for term in terms))
    scaled = [NoiseTerm(term.law, int(term.coefficient) // unit, term.draws) for term in terms]
    reach = reach_of_terms(scaled)
    if 2 * reach > _LARGEST_CONVOLUTION or not all(is_tabulable(term.law) for term in terms):
        return Margin(unit * coarse_margin(scaled, float(coverage)), "coarser convolution")
    within = _chances_within(scaled, reach)
    return Margin(unit * int(np.argmax(within >= float(coverage) * within[-1])), "convolution")


@lru_cache(maxsize=256)
def chances_within(terms: tuple[NoiseTerm, ...]) -> npt.NDArray[np.float64] | None:
    """P(|sum of independent terms| <= m) for m = 0, 1, ..., the last 1 but for 10^-12; None where it is too wide."""
    reach = reach_of_terms(terms)
    if 2 * reach > _LARGEST_CONVOLUTION or not all(is_tabulable(term.law) for term in terms):
        return None
    return _chances_within(terms, reach)


def _chances_within(terms: Sequence[NoiseTerm], reach: int) -> npt.NDArray[np.float64]:
    """P(|sum| <= m) for m up to `reach`, by Fourier transforms around a circle of 2 reach + 1 values or more."""
    size = 1 << (2 * reach + 1).bit_length()
    # A symmetric law has a real transform; the transform of a sum is the product of the transforms.
    transform = np.ones(size // 2 + 1)
    for term in terms:
        transform *= np.fft.rfft(_circular_pmf(term, size)).real ** term.draws
    summed = np.fft.irfft(transform, size)
    return np.cumsum(np.concatenate([summed[:1], summed[1 : reach + 1] + summed[-1 : -reach - 1 : -1]]))


def coarse_margin(terms: Sequence[NoiseTerm], wanted: float = 0.95, *, largest: int = _LARGEST_COARSE) -> int:
    """Some m with P(|sum of independent terms| <= m) >= wanted, persons; hardly more than the smallest.

    Every draw is rounded to the nearest multiple of a step B, halves away from 0, and the rounded draws are convolved.
    The rounding error of a draw is an odd function of it, so it has mean 0, and it is at most B/2. The rounding errors
    of n draws together exceed h = B sqrt(n log(2 / u) / 2) with a chance of at most u, by Hoeffding's inequality, and
    never exceed n B/2. So with q the quantile of the rounded sum at wanted + u, P(|sum| > q + h) <= 1 - wanted.
    largest: points that the lattice may have. Source: W. Hoeffding (1963), Theorem 2.
    """
    reach, draws = reach_of_terms(terms), sum(term.draws for term in terms)
    unlikely = min(_UNLIKELY, (1 - wanted) / 20)
    slack = min(draws / 2, sqrt(draws * log(2 / unlikely) / 2))  # h / B
    step = max(_FINENESS * sqrt(variance_of_terms(terms)) / slack, 4 * reach / largest)
    if step <= 1 and all(term.coefficient == int(term.coefficient) for term in terms):
        step, slack = 1.0, 0.0  # every draw is a multiple of 1 as it is
    points = ceil(reach / step + slack) + 1
    size = 1 << (2 * points + 1).bit_length()
    transform = np.ones(size // 2 + 1)
    for term in terms:
        transform *= np.fft.rfft(_rounded_pmf(term, step, size)).real ** term.draws
    summed = np.fft.irfft(transform, size)
    covered = np.cumsum(np.concatenate([summed[:1], 2 * summed[1 : points + 1]]))
    place = int(np.argmax(covered >= wanted + 2 * unlikely))  # twice: the error of floating point is far smaller
    return int(step * (place + slack))


def _rounded_pmf(term: NoiseTerm, step: float, size: int) -> npt.NDArray[np.float64]:
    """Probabilities of one draw of `term`, rounded to the nearest multiple of `step`, around a circle of `size`."""
    half = size // 2
    firsts = np.ceil((np.arange(1, half + 1) - 0.5) * (step / float(term.coefficient))).astype(np.int64)
    beyond = tails(term.law, firsts - 1)  # of 1, 2, ..., half steps or more
    pmf = np.zeros(size)
    pmf[1:half] = beyond[:-1] - beyond[1:]
    pmf[half + 1 :] = pmf[1:half][::-1]
    pmf[0] = 1 - 2 * beyond[0]
    return pmf


def _circular_pmf(term: NoiseTerm, size: int) -> npt.NDArray[np.float64]:
    """Probabilities of one draw of `term` at its value modulo `size`."""
    first, words = pmf_words(term.law)
    values = int(term.coefficient) * np.arange(first, first + len(words), dtype=np.int64)
    pmf = np.zeros(size)
    np.add.at(pmf, values % size, np.array(words, dtype=np.float64) / 2.0**64)
    return pmf


def reach_of_terms(terms: Sequence[NoiseTerm]) -> int:
    """Some n >= 1 with P(|sum of terms| > n) < _NEGLIGIBLE.

    Chernoff: P(|sum| > n) <= 2 e^(-theta n) E[e^(theta sum)], for every theta > 0; the best of a few theta is used.
    """
    largest = float(max(term.coefficient for term in terms))
    thetas = [exp2(-step / 4) / largest for step in range(-16, 160)]  # from 16 down to 1e-12, for coefficient 1
    reaches = [
        (log(2 / _NEGLIGIBLE) + sum(term.draws * _log_moment(term, theta) for term in terms)) / theta
        for theta in thetas
    ]
    return max(1, ceil(min(reaches)))


def _log_moment(term: NoiseTerm, theta: float) -> float:
    """Upper bound of log E[e^(theta * coefficient * noise)]; infinity where there is none."""
    angle = theta * float(term.coefficient)
    if isinstance(term.law, DiscreteGaussian):
        # Source: Canonne, Kamath, Steinke 2020, Lemma 9: at most the moment of the continuous Gaussian with sigma2.
        return angle**2 / (4 * float(term.law.rho))
    # (1 - t)^2 / ((1 - t e^angle) (1 - t e^-angle)) with t = e^-epsilon, which is
    # 1 / (1 - variance (cosh(angle) - 1)), as the variance is 2 t / (1 - t)^2.
    excess = float(variance(term.law)) * 2 * sinh(angle / 2) ** 2
    return -log1p(-excess) if excess < 1 else float("inf")
