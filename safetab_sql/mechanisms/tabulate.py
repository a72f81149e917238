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
    """First id, and end, of ranges of the groups of a level, each a number of whole regions, in ascending order.

    So every group, people or not, is in exactly one.
    """
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
    if not _is_sparse(plan):
        exact = np.zeros(stop - start, dtype=np.int64)
        exact[ids - start] = counts
        is_total_only = np.tile(plan.is_total_only, (stop - start) // plan.catalog.iterations)
        yield tabulate_totals(exact, np.arange(start, stop, dtype=np.int64), is_total_only, plan, bits)
    else:
        yield tabulate_totals(counts, ids, np.full(ids.size, plan.is_total_only.all()), plan, bits)
        yield _empty_groups(ids, start, stop, plan, bits)


def _is_sparse(plan: LevelPlan) -> bool:
    """Whether to sample the published empty groups directly: noise exceeds each bound with a chance below 1/2.

    Not at levels where some iterations get a total alone and others may get a table.
    """
    is_total_only = plan.is_total_only
    if plan.suppression_threshold is None or plan.total_only_threshold is None or not is_total_only.size:
        return False
    if is_total_only.all():
        return plan.total_only_threshold >= 0 and is_tabulable(plan.calls.total_only.law)
    if plan.calls.stage_1 is None:  # every group gets a table
        return False
    laws = (plan.calls.stage_1.law, plan.calls.stage_2.law)
    bounds = (plan.thresholds[0] - 1, plan.suppression_threshold)
    return min(bounds) >= 0 and all(map(is_tabulable, laws)) and not is_total_only.any()


def _empty_groups(ids_with_people: Int64s, start: int, stop: int, plan: LevelPlan, bits: BitSource) -> NoisyTotals:
    groups = stop - start - ids_with_people.size
    known = ids_with_people, start
    if plan.is_total_only.all():
        kept, totals = exceeding_draws(plan.calls.total_only.law, plan.total_only_threshold or 0, groups, bits)
        return NoisyTotals(empty_group_ids(kept, *known), totals)
    if plan.calls.stage_1 is None:
        raise ValueError("where every group gets a table, every group is drawn")
    stage_1 = plan.calls.stage_1.law
    chosen, stage_1_totals = exceeding_draws(stage_1, plan.thresholds[0] - 1, groups, bits)
    kept, totals = exceeding_draws(plan.calls.stage_2.law, plan.suppression_threshold or 0, groups, bits)
    without_table = ~np.isin(kept, chosen)
    unchosen = np.count_nonzero(without_table & plan.publishes_stage_1)
    return NoisyTotals(
        stat_level_0_ids=empty_group_ids(kept[without_table], *known),
        stat_level_0_counts=totals[without_table],
        chosen_ids=empty_group_ids(chosen, *known),
        chosen_stat_levels=stat_levels(stage_1_totals, plan.thresholds).astype(np.int64),
        stat_level_0_stage_1=draws_below(stage_1, plan.thresholds[0], int(unchosen), bits),
        chosen_stage_1=stage_1_totals if plan.publishes_stage_1 else _none(),
    )


def tabulate_cells(
    population_group_ids: Int64s,
    cells_with_people: tuple[Int64s, Int64s, Int64s],
    cells: int,
    law: Law,
    bits: BitSource,
) -> Iterator[tuple[Int64s, Int64s]]:
    """Every cell of the given groups (ids sorted), all of one level and stat level, block by block.

    The ids, int64[groups], and noisy cells, int64[groups, cells], persons. cells_with_people: group ids (sorted), cell
    positions and exact counts of the cells with people, of these and any other groups. Source: paper Algorithm 2, lines
    20-31.
    """
    ids, positions, counts = cells_with_people
    groups_a_block = max(1, BLOCK // cells)
    for start in range(0, population_group_ids.size, groups_a_block):
        block = population_group_ids[start : start + groups_a_block]
        low, high = np.searchsorted(ids, [block[0], block[-1] + 1])
        rows = np.searchsorted(block, ids[low:high])
        ours = block[np.minimum(rows, block.size - 1)] == ids[low:high]
        exact = np.zeros((block.size, cells), dtype=np.int64)
        exact[rows[ours], positions[low:high][ours]] = counts[low:high][ours]
        yield block, add_noise(exact.ravel(), law, bits).reshape(exact.shape)
