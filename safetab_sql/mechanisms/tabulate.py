"""Algorithm 2 on arrays: exact counts of population groups in, noisy totals, chosen statistics and noisy cells out.

Every group of a level passes through here, people or not: groups without people are zeros of the dense arrays. A
level is worked through in blocks of groups, so that memory does not grow with the number of groups.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.laws.cumulative import Law
from safetab_sql.mechanisms.adaptive import stat_levels
from safetab_sql.mechanisms.bits import BitSource
from safetab_sql.mechanisms.draw import add_noise
from safetab_sql.planning import LevelNoise

Int64s = npt.NDArray[np.int64]

BLOCK = 2**21  # groups or cells at a time: 16 MiB an array


@dataclass(frozen=True, slots=True)
class NoisyTotals:
    """What stage 1 and stat level 0 of one block of groups give: int64 arrays, persons and group ids.

    total_only: groups that never get a table, with their noisy totals. stat_level_0: groups whose noisy total earned
    none, with fresh noisy totals. chosen: groups that earned one, with their stat levels 1-3. The stage-1 totals
    themselves go no further.
    """

    total_only_ids: Int64s
    total_only_counts: Int64s
    stat_level_0_ids: Int64s
    stat_level_0_counts: Int64s
    chosen_ids: Int64s
    chosen_stat_levels: Int64s


@dataclass(frozen=True, slots=True)
class NoisyCells:
    """Noisy sex-by-age cells of groups of one stat level: int64[groups] and int64[groups, cells], persons."""

    population_group_ids: Int64s
    noisy_counts: Int64s


def tabulate_totals(
    exact_totals: Int64s,
    population_group_ids: Int64s,
    is_total_only: npt.NDArray[np.bool_],
    noise: LevelNoise,
    bits: BitSource,
) -> NoisyTotals:
    """Totals of one block of groups of one level: int64[n] persons, int64[n] ids, bool[n].

    Source: paper Algorithm 2, lines 7-19.
    """
    total_only_ids = population_group_ids[is_total_only]
    ids, exact = population_group_ids[~is_total_only], exact_totals[~is_total_only]
    chosen = stat_levels(add_noise(exact, noise.stage_1, bits), noise.thresholds)
    without_table = chosen == 0
    return NoisyTotals(
        total_only_ids=total_only_ids,
        total_only_counts=add_noise(exact_totals[is_total_only], noise.total_only, bits),
        stat_level_0_ids=ids[without_table],
        stat_level_0_counts=add_noise(exact[without_table], noise.stage_2, bits),
        chosen_ids=ids[~without_table],
        chosen_stat_levels=chosen[~without_table].astype(np.int64),
    )


def level_totals(
    groups_with_people: tuple[Int64s, Int64s],
    first_population_group_id: int,
    regions: int,
    is_total_only: npt.NDArray[np.bool_],
    noise: LevelNoise,
    bits: BitSource,
) -> Iterator[NoisyTotals]:
    """Totals of every group of one level, block by block.

    groups_with_people: ids, sorted, and exact counts of the groups with people, of this and any other level;
    is_total_only: bool[iterations], the same for every region.
    """
    ids, counts = groups_with_people
    iterations = is_total_only.size
    end = first_population_group_id + regions * iterations
    regions_a_block = max(1, BLOCK // max(1, iterations))
    for start in range(first_population_group_id, end, regions_a_block * iterations):
        stop = min(end, start + regions_a_block * iterations)
        low, high = np.searchsorted(ids, [start, stop])
        exact = np.zeros(stop - start, dtype=np.int64)
        exact[ids[low:high] - start] = counts[low:high]
        block_ids = np.arange(start, stop, dtype=np.int64)
        pattern = np.tile(is_total_only, (stop - start) // iterations)
        yield tabulate_totals(exact, block_ids, pattern, noise, bits)


def tabulate_cells(
    population_group_ids: Int64s,
    cells_with_people: tuple[Int64s, Int64s, Int64s],
    cells: int,
    law: Law,
    bits: BitSource,
) -> Iterator[NoisyCells]:
    """Every sex-by-age cell of the given groups (ids sorted), all of one level and stat level, block by block.

    cells_with_people: group ids (sorted), cell positions and exact counts of the cells with people, of these and any
    other groups. Source: paper Algorithm 2, lines 20-31.
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
        noisy = add_noise(exact.ravel(), law, bits).reshape(exact.shape)
        yield NoisyCells(block, noisy)
