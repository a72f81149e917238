"""The stage-1 totals of published groups, and estimates of true totals that use both stages.

Of a group of N people let X = N + Z1 be the total of stage 1, which chose its table, and S the sum of its m counts of
stage 2. The estimate is the mean of S given what both say together, and the choice. The interval rests on u = p X +
q S, whose law given the choice is turned around: see accuracy.md section 4. Chances are found by Fourier transforms in
double precision, whose errors are far below `_SLACK`; every interval is wider by what that may change.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import stacked_table
from safetab_sql.laws.noise import DiscreteGaussian, Law, is_tabulable, variance
from safetab_sql.public.values import rows_of
from safetab_sql.published.both_stages import Chosen, mean_sums
from safetab_sql.published.margins import (
    Cuts,
    NoiseTerm,
    margin_of_terms,
    reach_of_terms,
    selected_totals_table,
    suppressed_totals_table,
    uncertainty_table,
)
from safetab_sql.published.tables import PublishedCells, PublishedTotals, cells_table, is_published, totals_table
from safetab_sql.settings.ladders import LadderRows
from safetab_sql.settings.parameters import Parameters

_SLACK = 1e-9  # less chance to miss than asked for, by far more than the error of the transforms
_FAR = 32  # bits: a limit that matters with a chance below 2^-32 is far away
_NO_LIMIT = 2**62  # persons
_LARGEST_PART = 12  # of p + q: so much finer than persons is the lattice of u
_LARGEST_TRANSFORM = 2**18  # values of u; beyond, estimates rest on stage 2 alone
_VALUES = 2**21  # values of u that are worked on at a time
_FLAT = 3  # mean overshoots of a geometric X beyond a limit: up to there it may say no more than that it was chosen
_FINENESS = 32  # true counts to a standard deviation that are looked at; between them intervals are rounded outward


@dataclass(frozen=True, slots=True)
class TotalLaw:
    """The laws of both stages of a group, and what was chosen from noise.

    counts: of stage 2, summed. first, end: its stage-1 total lay from `first` to before `end`; None where there is no
    such limit. above: its published total is larger; None where it would be published whatever it is, as a table is.
    level: of the intervals.
    """

    stage_1: Law
    stage_2: Law
    counts: int
    first: int | None
    end: int | None
    above: int | None
    level: Fraction = Fraction(95, 100)

    @property
    def reach_of_sum(self) -> int:
        """What the noise of S exceeds with next to no chance: see `reach_of_terms`."""
        return reach_of_terms((NoiseTerm(self.stage_2, 1, self.counts),))


@dataclass(frozen=True, slots=True)
class TotalEstimates:
    """Estimates of true totals, float64[n], and ends of their intervals, int64[n]; persons."""

    estimates: Floats
    lows: Int64s
    highs: Int64s


@dataclass(frozen=True, slots=True, eq=False)
class _Segment:
    """True counts near a limit, ascending, and the range that holds u given each with 95 %.

    middle: the median of u given the first. is_first, is_last: whether no smaller, or larger, true count comes into
    question.
    """

    true_counts: Int64s
    lower: Int64s
    upper: Int64s
    middle: int
    is_first: bool
    is_last: bool

    @property
    def mirrored(self) -> "_Segment":
        """The same of minus the counts and minus u: lower ends become upper ones."""
        counts, lower, upper = (-each[::-1] for each in (self.true_counts, self.upper, self.lower))
        return _Segment(counts, lower, upper, -self.middle, self.is_last, self.is_first)


def combined_totals(law: TotalLaw, stage_1: Int64s, summed: Int64s) -> TotalEstimates:
    """The estimates of groups with these stage-1 totals and sums of counts of stage 2: int64[n] both, persons.

    Where the noise is too wide to tabulate, they rest on stage 2 alone. Source: accuracy.md section 4.
    """
    p, q = weights(law)
    is_tabulated = is_tabulable(law.stage_1) and is_tabulable(law.stage_2)
    if not is_tabulated or _transform_size(law) > _LARGEST_TRANSFORM:  # of the law of u
        margin = margin_of_terms((NoiseTerm(law.stage_2, 1, law.counts),), law.level).moe95
        lows = summed - margin if law.above is None else np.zeros_like(summed)
        return TotalEstimates(summed.astype(np.float64), lows, summed + margin)
    parts, (half, near) = p + q, _segments(law)
    u = p * stage_1 + q * summed
    estimates, lows, highs = _estimates(law, stage_1, summed), -((half - u) // parts), (u + half) // parts
    for segment in near:
        _put_lows(segment, u, parts, half, lows)
    if near and near[0].is_first and near[0].true_counts[0] == 0:  # a smaller u would shrink the interval to nothing
        u = np.maximum(u, near[0].middle)  # the median given that there is nobody
    np.negative(highs, out=highs)
    for segment in reversed(near):
        _put_lows(segment.mirrored, -u, parts, half, highs)
    np.negative(highs, out=highs)
    nearest = np.rint(estimates).astype(np.int64)
    return TotalEstimates(estimates, np.minimum(lows, nearest), np.maximum(highs, nearest))


def weights(law: TotalLaw) -> tuple[int, int]:
    """Whole p >= 0 and q, at most 12 together: p / (p + q) is near the share of X with the smallest variance."""
    first, second = variance(law.stage_1), law.counts * variance(law.stage_2)
    share = (second / (first + second)).limit_denominator(_LARGEST_PART)
    return share.numerator, share.denominator - share.numerator


def _estimates(law: TotalLaw, stage_1: Int64s, summed: Int64s) -> Floats:
    """The mean of the sums given both stages and the choice: float64[n], persons; the sums where X says too little.

    Near a limit that it had to reach, a geometric X says no more than that it did, so limits count as further inside.
    """
    flat = 0 if isinstance(law.stage_1, DiscreteGaussian) else ceil(_FLAT / law.stage_1.epsilon)
    first = None if law.first is None else law.first + flat
    end = None if law.end is None else law.end - flat
    tells = (stage_1 >= (-_NO_LIMIT if first is None else first)) & (stage_1 < (_NO_LIMIT if end is None else end))
    chosen = Chosen(float(variance(law.stage_1)), law.counts * float(variance(law.stage_2)), first, end)
    estimates = summed.astype(np.float64)
    estimates[tells] = mean_sums(chosen, stage_1[tells].astype(np.float64), estimates[tells])
    return estimates


def _put_lows(segment: _Segment, u: Int64s, parts: int, half: int, lows: Int64s) -> None:
    """Put the lower ends that lie in a segment into `lows`: the least N with u at most the upper end of its range.

    A true count between two of the segment has the range of the larger, which reaches higher than its own.
    """
    counts = segment.true_counts
    beyond = u > segment.upper[-1]
    lows[beyond] = np.maximum(lows[beyond], counts[-1] + 1)
    inside = ~beyond if segment.is_first else ~beyond & (u > parts * (counts[0] - 1) + half)
    places = np.searchsorted(segment.upper, u[inside])
    lows[inside] = np.where(places > 0, counts[np.maximum(places, 1) - 1] + 1, counts[0])


@lru_cache(maxsize=256)
def _segments(law: TotalLaw) -> tuple[int, tuple[_Segment, ...]]:
    """The largest |u - (p + q) N| of an interval far from every limit; and the true counts near one, without a gap.

    These are in stretches. No true count is below 0.
    """
    free = _quantiles(replace(law, first=None, end=None, above=None), np.zeros(1, dtype=np.int64))
    spans, uses_stage_1 = _spans(law), weights(law)[0] > 0
    found = []
    for place, (low, high, step) in enumerate(spans):
        counts = np.arange(low, high + step, step, dtype=np.int64)
        lower, middle, upper = _quantiles(law, counts)
        is_first = place == 0 and (low == 0 or (law.first is not None and uses_stage_1))
        is_last = place == len(spans) - 1 and law.end is not None and uses_stage_1
        # by the theory they ascend; so they do whatever floats say
        lower, upper = np.minimum.accumulate(lower[::-1])[::-1], np.maximum.accumulate(upper)
        found.append(_Segment(counts, lower, upper, int(middle[0]), is_first, is_last))
    return int(free[2][0]), tuple(found)


def _spans(law: TotalLaw) -> list[tuple[int, int, int]]:
    """First and last true count of each stretch, and the step between those that are looked at."""
    wide, narrow = law.stage_1.reach(_FAR), law.stage_2.reach(_FAR)
    steps = [max(1, isqrt(int(variance(each))) // _FINENESS) for each in (law.stage_1, law.stage_2)]
    limits = [limit for limit in (law.first, law.end) if limit is not None and weights(law)[0]]
    wanted = [(limit - wide, limit + wide, steps[0]) for limit in limits]
    wanted += [] if law.above is None else [(0, law.above + narrow, steps[1])]
    spans: list[tuple[int, int, int]] = []
    for low, high, step in sorted((max(0, low), high, step) for low, high, step in wanted if high >= 0):
        if spans and low <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(spans[-1][1], high), min(spans[-1][2], step))
        else:
            spans.append((low, high, step))
    return spans


def _transform_size(law: TotalLaw) -> int:
    """A power of two that holds all values that u may take for one true count."""
    p, q = weights(law)
    return 1 << (2 * (p * law.stage_1.reach(_FAR) + q * law.reach_of_sum) + 1).bit_length()


def _quantiles(law: TotalLaw, true_counts: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """For each true count, of u given the choice: the least value of the range, the median, and the largest value."""
    (p, q), size, found = weights(law), _transform_size(law), []
    miss = float((1 - law.level) / 2) - _SLACK  # the chance that the true count is on one side of its interval
    for counts in np.split(true_counts, range(0, true_counts.size, max(1, _VALUES // size))[1:]):
        firsts, chances = _stage_1_chances(law, counts)
        starts, summed = _stage_2_chances(law, counts)
        spread = _transform(chances, p, size) * _transform(summed, q, size)
        cumulated = np.cumsum(np.fft.irfft(spread, size, axis=1).clip(min=0.0), axis=1)
        below = (cumulated <= miss, cumulated < 0.5, cumulated < 1 - miss)
        found.append((p + q) * counts + p * firsts + q * starts + [each.sum(axis=1) for each in below])
    lower, middle, upper = np.concatenate(found, axis=1)
    return lower, middle, upper


def _transform(chances: Floats, stride: int, size: int) -> np.ndarray:
    """The Fourier transform of each row, its chances `stride` values apart; all at 0 if that is 0."""
    if stride == 0:
        return np.ones((1, size // 2 + 1))
    spread = np.zeros((chances.shape[0], stride * chances.shape[1]))
    spread[:, ::stride] = chances
    return np.fft.rfft(spread, size, axis=1)


def _stage_1_chances(law: TotalLaw, true_counts: Int64s) -> tuple[Int64s, Floats]:
    """Of the noise of stage 1 given that X lies between its limits, by true count: first values, and chances."""
    wide = law.stage_1.reach(_FAR)
    low = np.full_like(true_counts, -_NO_LIMIT) if law.first is None else law.first - true_counts
    high = np.full_like(true_counts, _NO_LIMIT) if law.end is None else law.end - 1 - true_counts
    firsts = np.maximum(low, np.minimum(high, 0) - wide)
    lasts = np.minimum(high, np.maximum(low, 0) + wide)
    return firsts, _given(law.stage_1, firsts, lasts)


def _stage_2_chances(law: TotalLaw, true_counts: Int64s) -> tuple[Int64s, Floats]:
    """Of the noise of S given that S is published, by true count: first values, and chances; one row if all agree."""
    wide = law.reach_of_sum
    if law.above is not None:
        firsts = np.maximum(law.above + 1 - true_counts, -wide)
        return firsts, _given(law.stage_2, firsts, np.maximum(firsts, 0) + wide)
    pmf = _given(law.stage_2, np.array([-wide]), np.array([wide]))
    size = 1 << (2 * wide + 1).bit_length()
    around = np.roll(np.pad(pmf[0], (0, size - pmf.shape[1])), -wide)
    summed = np.fft.irfft(np.fft.rfft(around) ** law.counts, size)
    return np.full(true_counts.size, -wide), np.roll(summed, wide)[None, : 2 * wide + 1].clip(min=0.0)


def _given(law: Law, firsts: Int64s, lasts: Int64s) -> Floats:
    """The chances of firsts[i], firsts[i] + 1, ... given that a draw lies from there to lasts[i]: a row for each i.

    They are right relative to themselves, however unlikely that is: weights are taken relative to the largest.
    """
    values = firsts[:, None] + np.arange(int((lasts - firsts).max()) + 1)
    if isinstance(law, DiscreteGaussian):
        logs = -float(law.rho) * values.astype(np.float64) ** 2
    else:
        logs = -float(law.epsilon) * np.abs(values)
    logs = np.where(values <= lasts[:, None], logs, -np.inf)
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True), dtype=np.float64)


def table_limits(thresholds: tuple[int, ...], stat_level: int) -> tuple[int | None, int | None]:
    """Where the stage-1 total of a group of this stat level lies: from the first to before the second, persons."""
    limits = [None, *thresholds, None]
    return limits[stat_level], limits[stat_level + 1]


@dataclass(frozen=True, slots=True)
class MeasuredGroups:
    """Published groups of one level and stat level with their stage-1 totals: int64[n] ids and persons.

    plan: of a level that has a stage 1. summed: their published total, the sum of their counts of stage 2.
    """

    plan: LevelPlan
    stat_level: int
    population_group_ids: Int64s
    stage_1: Int64s
    summed: Int64s

    @property
    def law(self) -> TotalLaw:
        """The laws of both stages, and what was chosen from noise."""
        plan, place = self.plan, self.stat_level
        if plan.calls.stage_1 is None:
            raise ValueError(f"{plan.name} has no stage 1")
        counts, above = (plan.sizes[place - 1], None) if place else (1, plan.suppression_threshold)
        limits = table_limits(plan.thresholds, place)
        return TotalLaw(plan.calls.stage_1.law, plan.calls.stage_2.law, counts, *limits, above)


def measured_totals(plan: LevelPlan, ids: Int64s, counts: Int64s, stage_1: Int64s) -> MeasuredGroups:
    """The groups with a total alone whose totals are published: int64[n] ids, noisy totals and stage-1 totals."""
    kept = is_published(counts, plan.suppression_threshold)
    return MeasuredGroups(plan, 0, ids[kept], stage_1[kept], counts[kept])


def measured_tables(
    chosen: Iterable[tuple[LevelPlan, Int64s, Int64s]], cells: Sequence[PublishedCells]
) -> list[MeasuredGroups]:
    """The groups with a table whose stage-1 totals are published. chosen: ids, sorted, and stage-1 totals, by plan."""
    by_level, measured = {plan.name: (ids, stage_1) for plan, ids, stage_1 in chosen}, []
    for block in cells:
        if block.plan.publishes_stage_1:
            ids, stage_1 = by_level[block.plan.name]
            own = stage_1[np.searchsorted(ids, block.population_group_ids)]
            totals = block.noisy_counts.sum(axis=1, dtype=np.int64)
            measured.append(MeasuredGroups(block.plan, block.stat_level, block.population_group_ids, own, totals))
    return measured


def measurements_table(measured: Sequence[MeasuredGroups], cuts: Cuts) -> pa.Table:
    """Table `noisy_measurements` of sql/run/6_publish: one row per published group whose stage-1 total is published."""

    def columns(groups: MeasuredGroups) -> tuple[Int64s | Floats, ...]:
        law, size, least = groups.law, groups.stage_1.size, cuts.least
        found = combined_totals(law, groups.stage_1, groups.summed)
        ends = (ends if least is None else np.maximum(ends, least) for ends in (found.lows, found.highs))
        keys = (np.full(size, groups.plan.catalog.level_id), groups.population_group_ids)
        return (*keys, groups.stage_1, np.full(size, float(variance(law.stage_1))), found.estimates, *ends)

    return stacked_table("noisy_measurements", map(columns, measured))


# The noisy arrays of a run, ladder by ladder, as the tables of sql/run/6_publish.


def noisy_tables(
    parameters: Parameters,
    plans: Sequence[LevelPlan],
    totals: Sequence[PublishedTotals],
    cells: Sequence[PublishedCells],
    measured: Sequence[MeasuredGroups],
) -> dict[str, dict[str, pa.Table]]:
    """By ladder and name, the noisy tables of sql/run/6_publish, and what is known of their noise."""
    cuts, tables = Cuts(not parameters.allow_negative_counts, parameters.intervals_from_zero), {}
    for ladder in parameters.ladders:
        own = [plan for plan in plans if plan.ladder == ladder.name]
        groups = [each for each in measured if each.plan.ladder == ladder.name]
        tables[ladder.name] = {
            "noisy_totals": totals_table([each for each in totals if each.plan.ladder == ladder.name]),
            "noisy_cells": cells_table([each for each in cells if each.plan.ladder == ladder.name]),
            "count_uncertainty": uncertainty_table(own, summed_counts(rows_of(parameters, ladder)), cuts),
            "selected_totals": selected_totals_table(own, cuts),
            "suppressed_totals": suppressed_totals_table(own),
            "noisy_measurements": measurements_table(groups, cuts),
        }
    return tables


def summed_counts(rows: LadderRows) -> tuple[int, ...]:
    """How many measured cells a published count may add up: one, the cells of a row, or a whole table."""
    sums = Counter((statistic, row) for statistic, _, row in rows.sums)
    return tuple(sorted({1, *rows.sizes, *sums.values()}))
