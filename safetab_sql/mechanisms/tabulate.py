"""Algorithm 2 on arrays: exact counts of population groups in, noisy totals, chosen statistics and noisy cells out.

Every group of a level gets noise here, with or without people. Where suppression drops nearly all groups without
people, we sample directly which of them exceed the suppression threshold (empty_groups.py); elsewhere they are zeros in
dense arrays. A level is processed in blocks, so that memory does not grow with the number of groups.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.noise import Law, is_tabulable
from safetab_sql.mechanisms.bits import BitSource
from safetab_sql.mechanisms.draw import add_noise
from safetab_sql.mechanisms.empty_groups import draws_below, empty_group_ids, exceeding_draws
from safetab_sql.public.catalog import LevelCatalog

BLOCK = 2**21  # groups or cells at a time: 16 MiB an array


def _none() -> Int64s:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class NoisyTotals:
    """The results of stage 1 and stat level 0 for one block of groups: int64 arrays of persons and group ids.

    total_only: groups that never get a table, with their noisy totals. stat_level_0: groups whose stage-1 total earned
    no table, with new noisy totals. chosen: groups that get a table, with their stat levels from 1. The stage-1 totals
    themselves are kept only where the plan publishes them; elsewhere their arrays are empty.
    """

    total_only_ids: Int64s = field(default_factory=_none)
    total_only_counts: Int64s = field(default_factory=_none)
    stat_level_0_ids: Int64s = field(default_factory=_none)
    stat_level_0_counts: Int64s = field(default_factory=_none)
    chosen_ids: Int64s = field(default_factory=_none)
    chosen_stat_levels: Int64s = field(default_factory=_none)
    stat_level_0_stage_1: Int64s = field(default_factory=_none)
    chosen_stage_1: Int64s = field(default_factory=_none)


def stat_levels(noisy_totals: Int64s, thresholds: tuple[int, ...]) -> npt.NDArray[np.int8]:
    """Number of thresholds at or below each noisy total: int64[n] -> int8[n].

    noisy_totals: stage 1, persons. thresholds: one for each statistic of the ladder, persons, non-decreasing; none
    where a group gets a total alone. A noisy total equal to a threshold moves up.
    Source: paper Algorithm 2, lines 18-28.
    """
    return np.searchsorted(thresholds, noisy_totals, side="right").astype(np.int8)


def tabulate_totals(
    exact_totals: Int64s,
    population_group_ids: Int64s,
    is_total_only: npt.NDArray[np.bool_],
    plan: LevelPlan,
    bits: BitSource,
    *,
    listed: Int64s | None = None,
) -> NoisyTotals:
    """Totals of one block of groups of one level: int64[n] persons, int64[n] ids, bool[n].

    listed: int64[n], the stat level of each where tables are public and no noise picks them; groups of level 0 get a
    noisy total. Source: paper Algorithm 2, lines 7-19; tabulation.md section 5.8.
    """
    total_only_ids = population_group_ids[is_total_only]
    ids, exact = population_group_ids[~is_total_only], exact_totals[~is_total_only]
    chosen, noisy = np.ones_like(exact) if listed is None else listed[~is_total_only], np.zeros_like(exact)
    if plan.calls.stage_1 is not None and listed is None:
        noisy = add_noise(exact, plan.calls.stage_1.law, bits)
        chosen = stat_levels(noisy, plan.thresholds).astype(np.int64)
    without_table = chosen == 0
    return NoisyTotals(
        total_only_ids=total_only_ids,
        total_only_counts=add_noise(exact_totals[is_total_only], plan.calls.total_only.law, bits),
        stat_level_0_ids=ids[without_table],
        stat_level_0_counts=add_noise(exact[without_table], plan.calls.stage_2.law, bits),
        chosen_ids=ids[~without_table],
        chosen_stat_levels=chosen[~without_table],
        stat_level_0_stage_1=noisy[without_table & plan.publishes_stage_1],
        chosen_stage_1=noisy[~without_table & plan.publishes_stage_1],
    )


def level_ranges(level: LevelCatalog) -> Iterator[tuple[int, int]]:
    """Ranges of the ids of a level's groups, each of whole regions, in ascending order: first id, and end."""
    first, end = level.first_population_group_id, level.end_population_group_id
    step = max(1, BLOCK // max(1, level.iterations)) * max(1, level.iterations)
    for start in range(first, end, step):
        yield start, min(end, start + step)


def ranges_of_plans(plans: Sequence[LevelPlan]) -> Iterator[tuple[int, int, list[LevelPlan]]]:
    """The ranges of the groups of each level, with the plans of all ladders that have it: totals are read once."""
    levels: dict[int, list[LevelPlan]] = {}
    for plan in plans:
        levels.setdefault(plan.catalog.level_id, []).append(plan)
    for together in levels.values():
        for start, stop in level_ranges(together[0].catalog):
            yield start, stop, together


def range_totals(
    ids: Int64s, counts: Int64s, start: int, stop: int, plan: LevelPlan, bits: BitSource
) -> Iterator[NoisyTotals]:
    """Noisy totals of one of the `level_ranges`: of every group, or only of those whose total suppression keeps.

    ids, counts: of the range's groups with people, int64[n] both, sorted by id. If the plan suppresses small totals,
    the suppressed totals of empty groups need not be drawn.
    """
    sampled = _sampled(plan)
    if not sampled:
        exact = np.zeros(stop - start, dtype=np.int64)
        exact[ids - start] = counts
        is_total_only = np.tile(plan.is_total_only, (stop - start) // plan.catalog.iterations)
        yield tabulate_totals(exact, np.arange(start, stop, dtype=np.int64), is_total_only, plan, bits)
    else:
        yield tabulate_totals(counts, ids, np.full(ids.size, plan.is_total_only.all()), plan, bits)
        yield _empty_groups(sampled, ids, start, stop, plan, bits)


def _sampled(plan: LevelPlan) -> list[tuple[Law, int]]:
    """The noise that publishes an empty group, and what it has to exceed: a total's alone, or of stage 1 and stage 2.

    Of none where every group is drawn: where noise exceeds a bound with a chance of 1/2 or more, where every group gets
    a table, and where some iterations get a total alone and others may get a table.
    """
    calls, is_total_only = plan.calls, plan.is_total_only
    if plan.suppression_threshold is None or plan.total_only_threshold is None or not is_total_only.size:
        return []
    found = [(calls.total_only.law, plan.total_only_threshold)]
    if not is_total_only.all():
        if calls.stage_1 is None or is_total_only.any():
            return []
        found = [(calls.stage_1.law, plan.thresholds[0] - 1), (calls.stage_2.law, plan.suppression_threshold)]
    return found if all(above >= 0 and is_tabulable(law) for law, above in found) else []


def _empty_groups(
    sampled: Sequence[tuple[Law, int]], ids: Int64s, start: int, stop: int, plan: LevelPlan, bits: BitSource
) -> NoisyTotals:
    """The published ones among the groups of a range without people. ids: of the groups with people."""
    drawn = [exceeding_draws(law, above, stop - start - ids.size, bits) for law, above in sampled]
    (chosen, stage_1_totals), (kept, totals) = drawn[0], drawn[-1]
    if len(drawn) == 1:
        return NoisyTotals(empty_group_ids(kept, ids, start), totals)
    without_table = ~np.isin(kept, chosen)
    unchosen = np.count_nonzero(without_table & plan.publishes_stage_1)
    return NoisyTotals(
        stat_level_0_ids=empty_group_ids(kept[without_table], ids, start),
        stat_level_0_counts=totals[without_table],
        chosen_ids=empty_group_ids(chosen, ids, start),
        chosen_stat_levels=stat_levels(stage_1_totals, plan.thresholds).astype(np.int64),
        stat_level_0_stage_1=draws_below(sampled[0][0], plan.thresholds[0], int(unchosen), bits),
        chosen_stage_1=stage_1_totals if plan.publishes_stage_1 else _none(),
    )


def tabulate_cells(
    group_ids: Int64s, cells_with_people: tuple[Int64s, Int64s, Int64s], cells: int, law: Law, bits: BitSource
) -> Iterator[tuple[Int64s, Int64s]]:
    """Every cell of the given groups (ids sorted), all of one level and stat level, block by block: ids, int64[groups].

    And noisy cells, int64[groups, cells], persons. cells_with_people: group ids (sorted), cell positions and exact
    counts of the cells with people, of these and any other groups. Source: paper Algorithm 2, lines 20-31.
    """
    ids, positions, counts = cells_with_people
    step = max(1, BLOCK // cells)
    for start in range(0, group_ids.size, step):
        block = group_ids[start : start + step]
        low, high = np.searchsorted(ids, [block[0], block[-1] + 1])
        rows = np.searchsorted(block, ids[low:high])
        ours = block[np.minimum(rows, block.size - 1)] == ids[low:high]
        exact = np.zeros((block.size, cells), dtype=np.int64)
        exact[rows[ours], positions[low:high][ours]] = counts[low:high][ours]
        yield block, add_noise(exact.ravel(), law, bits).reshape(exact.shape)
