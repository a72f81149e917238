"""Variance, margin and 95 % interval of published counts and their sums, from laws alone. Source: accuracy.md 1, 2."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, erfc, exp2, gcd, log, log1p, sinh, sqrt
from typing import Literal

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import declared_table
from safetab_sql.laws.noise import DiscreteGaussian, Law, is_tabulable, margin_of_error, pmf_words, variance
from safetab_sql.laws.selection import largest_suppressed, selected_counts

ANY = 2**62  # persons below a count: no lower end but 0
_POINTS = 2**19  # of the lattice on which positive parts are convolved
_SLACK = 1e-9  # far above the error of convolutions in floats
_LARGEST_CONVOLUTION = 10**6  # values; wider sums are convolved on a coarser lattice
_LARGEST_COARSE = 2**23  # points of a coarser lattice
_FINENESS = 1e-3  # what rounding to a coarser lattice may add to the margin, in standard deviations, if points suffice
_NEGLIGIBLE = 1e-12  # probability that a convolution may assign to a wrong value
_UNLIKELY = 1e-6  # probability, at most, that rounding moves a sum by more than the margin allows for it

MarginMethod = Literal["no noise", "exact quantile", "convolution", "coarser convolution"]


@dataclass(frozen=True, slots=True)
class Cuts:
    """is_clipped: counts below 0 are published as 0. from_zero: intervals are cut at 0."""

    is_clipped: bool = False
    from_zero: bool = False

    @property
    def least(self) -> int | None:
        """Where intervals are cut."""
        return 0 if self.is_clipped or self.from_zero else None


def sides(law: Law, summed_counts: int, margin: int, threshold: int | None, cuts: Cuts) -> tuple[int, int, int | None]:
    """How far a true count may lie below and above a published one, persons; and what no interval goes below.

    Of a sum of so many independent counts of `law`, or of a total far above the limit of publication. margin:
    half-width of the noise of the sum at 95 %, persons. threshold: a total up to it is not published; None where every
    total is. A count that is set to 0 where it would be below exceeds its true count by at most the positive part of
    its noise, and is never further below it than its noise: so only the lower side of a sum of such counts grows. Where
    the law of a total is too wide for the intervals near the limit, no total has a lower end.
    """
    if summed_counts > 1 and cuts.is_clipped:
        return positive_parts_quantile(law, summed_counts), margin, 0
    if summed_counts == 1 and threshold is not None and selected_counts(law, threshold) is None:
        return ANY, margin, 0
    return margin, margin, cuts.least


def uncertainty_table(plans: Sequence[LevelPlan], summed_counts: Sequence[int], cuts: Cuts = Cuts()) -> pa.Table:
    """Table `count_uncertainty` of sql/run/6_publish: one row per kind of count that a ladder can publish.

    plans: of the ladder. summed_counts: how many measured cells a published count may add up. A sum of counts that were
    set to 0 where they would be below has neither variance nor margin: how far it is above the true one depends on how
    many are near 0. One such count is never further from the true one than its noise.
    """
    rows: list[tuple[object, ...]] = []
    for level_id, is_total_only, law, threshold in _totals(plans):
        for size in (1,) if is_total_only else summed_counts:
            margin = sum_margin_of_error(law, size)
            is_unknown = cuts.is_clipped and size > 1
            spread = (None, None) if is_unknown else (float(size * variance(law)), float(margin))
            rows.append((level_id, is_total_only, size, *spread, *sides(law, size, margin, threshold, cuts)))
    return declared_table("count_uncertainty", rows)


def selected_totals_table(plans: Sequence[LevelPlan], cuts: Cuts) -> pa.Table:
    """Table `selected_totals` of sql/run/6_publish: the totals near the limit of publication, and their intervals."""
    rows = (
        (level_id, is_total_only, one.noisy_count, one.low, one.high)
        for level_id, is_total_only, law, threshold in _totals(plans)
        if threshold is not None
        for one in selected_counts(law, threshold) or ()
        if one.noisy_count >= 0 or not cuts.is_clipped
    )
    return declared_table("selected_totals", rows)


def suppressed_totals_table(plans: Sequence[LevelPlan]) -> pa.Table:
    """Table `suppressed_totals` of sql/run/6_publish: what is known of groups whose total is not published."""
    rows = (
        (level_id, is_total_only, threshold, largest_suppressed(law, threshold))
        for level_id, is_total_only, law, threshold in _totals(plans)
        if threshold is not None
    )
    return declared_table("suppressed_totals", rows)


def margins_above(law: Law, above: int, counts: Int64s) -> Floats:
    """MOE95 of noisy counts that are published because they exceed `above`: float64[n], persons.

    Each reaches both ends of its 95 % interval, which holds given that.
    """
    near = selected_counts(law, above) or ()
    reaches = [max(one.noisy_count - one.low, one.high - one.noisy_count) for one in near]
    return np.array([*reaches, margin_of_error(law)], np.float64)[np.minimum(counts - above - 1, len(reaches))]


def _totals(plans: Sequence[LevelPlan]) -> Iterator[tuple[int, bool, Law, int | None]]:
    """The kinds of totals alone of each level: of groups that never get a table, and of those whose stage 1 chose none.

    Level, whether it is the former, the law of the noise, and the threshold.
    """
    for plan in plans:
        yield plan.catalog.level_id, True, plan.calls.total_only.law, plan.total_only_threshold
        yield plan.catalog.level_id, False, plan.calls.stage_2.law, plan.suppression_threshold


@lru_cache(maxsize=256)
def positive_parts_quantile(law: Law, draws: int) -> int:
    """Some m, hardly more than the smallest, with P(sum of max(0, draw) > m) <= 0.025, persons.

    Every draw is rounded up to a multiple of a step, which is 1 unless the lattice would have too many points.
    """
    furthest = law.reach(64)
    step = max(1, -(-draws * furthest // _POINTS))
    points = -(-furthest // step)
    beyond = tails(law, np.arange(points + 1, dtype=np.int64) * step)
    pmf = np.concatenate([[1 - beyond[0]], beyond[:-1] - beyond[1:]])
    size = 1 << (draws * points + 1).bit_length()
    summed = np.fft.irfft(np.fft.rfft(pmf, size) ** draws, size)
    covered = np.cumsum(summed[: draws * points + 1])
    return step * int(np.argmax(covered >= 0.975 + _SLACK))


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
    scaled = tuple(NoiseTerm(term.law, int(term.coefficient) // unit, term.draws) for term in terms)
    within = _chances_within(scaled)
    if within is None:
        return Margin(unit * coarse_margin(scaled, float(coverage)), "coarser convolution")
    return Margin(unit * int(np.argmax(within >= float(coverage) * within[-1])), "convolution")


def _chances_within(terms: tuple[NoiseTerm, ...]) -> Floats | None:
    """P(|sum of independent terms| <= m) for m = 0, 1, ..., the last 1 but for 10^-12; None where it is too wide."""
    reach = reach_of_terms(terms)
    if 2 * reach > _LARGEST_CONVOLUTION or not all(is_tabulable(term.law) for term in terms):
        return None
    size = 1 << (2 * reach + 1).bit_length()
    pmfs = []
    for term in terms:  # of one draw, at its value modulo `size`
        values, chances = chances_of(term.law)
        pmf = np.bincount(int(term.coefficient) * values % size, chances, size)
        pmfs.append((np.asarray(pmf, dtype=np.float64), term.draws))
    summed = _summed(pmfs)
    return np.cumsum(np.concatenate([summed[:1], summed[1 : reach + 1] + summed[-1 : -reach - 1 : -1]]))


def chances_as_far(terms: tuple[NoiseTerm, ...], values: Int64s) -> Floats:
    """P(|sum of independent terms| >= |value|), float64[n]: at least that, hardly more; below 10^-9 not told apart."""
    if not terms:
        return np.ones(values.size)
    if (within := _chances_within(terms)) is not None:
        beyond = np.concatenate([[1.0], 1 - within / within[-1]])
        found = beyond[np.minimum(np.abs(values), beyond.size - 1)]
    else:
        step, slack, covered = _coarse(terms, _UNLIKELY, _LARGEST_COARSE)
        beyond = np.concatenate([[1.0], 1 - covered])
        places = np.ceil(np.abs(values) / step - slack).astype(np.int64)
        found = beyond[places.clip(0, beyond.size - 1)] + 2 * _UNLIKELY
    return np.asarray(found.clip(_SLACK, 1), dtype=np.float64)


def coarse_margin(terms: tuple[NoiseTerm, ...], wanted: float = 0.95, *, largest: int = _LARGEST_COARSE) -> int:
    """Some m with P(|sum of independent terms| <= m) >= wanted, persons; hardly more than the smallest.

    largest: points that the lattice may have.
    """
    unlikely = min(_UNLIKELY, (1 - wanted) / 20)
    step, slack, covered = _coarse(terms, unlikely, largest)
    place = int(np.argmax(covered >= wanted + 2 * unlikely))  # twice: the error of floating point is far smaller
    return int(step * (place + slack))


@lru_cache(maxsize=2)  # large arrays
def _coarse(terms: tuple[NoiseTerm, ...], unlikely: float, largest: int) -> tuple[float, float, Floats]:
    """A step, persons; how many of them rounding each draw moves the sum by at most, but for a chance of `unlikely`.

    And the chances that the rounded sum is within 0, 1, ... steps. Source: accounting.md section 4.2; Hoeffding (1963).
    """
    reach, draws = reach_of_terms(terms), sum(term.draws for term in terms)
    slack = min(draws / 2, sqrt(draws * log(2 / unlikely) / 2))  # h / B
    step = max(_FINENESS * sqrt(variance_of_terms(terms)) / slack, 4 * reach / largest)
    if step <= 1 and all(term.coefficient == int(term.coefficient) for term in terms):
        step, slack = 1.0, 0.0  # every draw is a multiple of 1 as it is
    points = ceil(reach / step + slack) + 1
    size = 1 << (2 * points + 1).bit_length()
    summed = _summed([(_rounded_pmf(term, step, size), term.draws) for term in terms])
    return step, slack, np.cumsum(np.concatenate([summed[:1], 2 * summed[1 : points + 1]]))


def _summed(pmfs: Sequence[tuple[Floats, int]]) -> Floats:
    """The probabilities of the sum of so many draws of each symmetric law, around a circle: of all the same size."""
    # A symmetric law has a real transform; the transform of a sum is the product of the transforms.
    size = pmfs[0][0].size
    transform = np.ones(size // 2 + 1)
    for pmf, draws in pmfs:
        transform *= np.fft.rfft(pmf).real ** draws
    return np.asarray(np.fft.irfft(transform, size))


def _rounded_pmf(term: NoiseTerm, step: float, size: int) -> Floats:
    """Probabilities of one draw of `term`, rounded to the nearest multiple of `step`, around a circle of `size`."""
    half = size // 2
    firsts = np.ceil((np.arange(1, half + 1) - 0.5) * (step / float(term.coefficient))).astype(np.int64)
    beyond = tails(term.law, firsts - 1)  # of 1, 2, ..., half steps or more
    pmf = np.zeros(size)
    pmf[1:half] = beyond[:-1] - beyond[1:]
    pmf[half + 1 :] = pmf[1:half][::-1]
    pmf[0] = 1 - 2 * beyond[0]
    return pmf


def reach_of_terms(terms: Sequence[NoiseTerm]) -> int:
    """Some n >= 1 with P(|sum of terms| > n) < _NEGLIGIBLE.

    Chernoff: P(|sum| > n) <= 2 e^(-theta n) E[e^(theta sum)], for every theta > 0; the best of a few theta is used.
    """
    largest = float(max(term.coefficient for term in terms))
    thetas = [exp2(-step / 4) / largest for step in range(-16, 160)]  # from 16 down to 1e-12, for coefficient 1
    moments = ((theta, sum(term.draws * _log_moment(term, theta) for term in terms)) for theta in thetas)
    return max(1, ceil(min((log(2 / _NEGLIGIBLE) + moment) / theta for theta, moment in moments)))


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


# How likely noise is to exceed a bound, in double precision: for margins and coverages, never for drawing.


def tails(law: Law, bounds: Int64s) -> Floats:
    """P(noise > bound): int64[n] -> float64[n], to about 12 digits of 1. Below 0 it is 1 - P(noise > -bound - 1)."""
    above = np.where(bounds < 0, -bounds - 1, bounds)
    if not isinstance(law, DiscreteGaussian):
        epsilon = float(law.epsilon)
        beyond = np.exp(-epsilon * (above + 1.0)) / (1 + np.exp(-epsilon))
    elif is_tabulable(law):
        found = _gaussian_tails(law)
        beyond = found[np.minimum(above, found.size - 1)]
    else:
        sigma = 1 / sqrt(2 * law.rho)  # above 55,000, so the sum equals the integral to all digits
        beyond = np.array([erfc((bound + 0.5) / (sigma * sqrt(2))) / 2 for bound in above.tolist()])
    return np.asarray(np.where(bounds < 0, 1 - beyond, beyond), dtype=np.float64)


@lru_cache(maxsize=64)
def _gaussian_tails(law: Law) -> Floats:
    """P(noise > k) for k = 0, 1, ...; the last entry is 0."""
    values, chances = chances_of(law)
    return np.append(np.cumsum(chances[values > 0][::-1])[::-1], 0.0)


def chances_of(law: Law) -> tuple[Int64s, Floats]:
    """Values of the noise of a law that fits a table, ascending, and their chances, but for 2^-64."""
    first, words = pmf_words(law)
    return np.arange(first, first + len(words)), np.array(words, dtype=np.float64) / 2.0**64
