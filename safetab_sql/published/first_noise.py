"""The first noise of a run, and the same as one table: it may be drawn in one process and published in another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Int64s
from safetab_sql.published.measurements import MeasuredGroups
from safetab_sql.published.tables import PublishedTotals

_COLUMNS = ("population_group_id", "first", "second")
_Block = tuple[str, Sequence[Any], tuple[Int64s, Int64s, Int64s]]


@dataclass(frozen=True, slots=True)
class ChosenGroups:
    """Groups of one level that get a table, sorted by id: int64[n] ids and stat levels, from 1.

    stage_1: the totals that earned them, int64[n], where they are published; elsewhere empty.
    """

    plan: LevelPlan
    population_group_ids: Int64s
    stat_levels: Int64s
    stage_1: Int64s


@dataclass(frozen=True, slots=True)
class FirstNoise:
    """Stage 1 of every level: the published totals of groups without a table, and the groups chosen for a table.

    measured: the stage-1 totals of the former, where they are published.
    """

    totals: list[PublishedTotals]
    chosen: list[ChosenGroups]
    measured: list[MeasuredGroups]


def noise_table(first: FirstNoise, plans: Sequence[LevelPlan]) -> tuple[pa.Table, list[Any]]:
    """One table of three columns of int64, and for each stretch of its rows: kind, what it is of, number of rows."""
    blocks = list(_blocks(first, list(plans)))
    nothing = np.empty(0, dtype=np.int64)
    columns = [np.concatenate([nothing, *(rows[place] for *_, rows in blocks)]) for place in range(len(_COLUMNS))]
    table = pa.table(dict(zip(_COLUMNS, columns, strict=True)))
    return table, [[kind, list(of), rows[0].size] for kind, of, rows in blocks]


def noise_of_table(table: pa.Table, stretches: Sequence[Any], plans: Sequence[LevelPlan]) -> FirstNoise:
    """What `noise_table` was made of."""
    columns = [table[name].to_numpy() for name in _COLUMNS]
    first, start = FirstNoise([], [], []), 0
    for kind, of, size in stretches:
        ids, one, other = (column[start : start + size] for column in columns)
        start += size
        if kind == "totals":
            first.totals.append(PublishedTotals(of[0], of[1], ids, one))
        elif kind == "chosen":
            plan = plans[of[0]]
            first.chosen.append(ChosenGroups(plan, ids, one, other if plan.publishes_stage_1 else other[:0]))
        else:
            first.measured.append(MeasuredGroups(plans[of[0]], of[1], ids, one, other))
    return first


def _blocks(first: FirstNoise, plans: list[LevelPlan]) -> Iterator[_Block]:
    places = {id(plan): place for place, plan in enumerate(plans)}
    for totals in first.totals:
        ids, counts = totals.population_group_ids, totals.noisy_counts
        yield "totals", [totals.ladder, totals.level_id], (ids, counts, np.zeros_like(counts))
    for groups in first.chosen:
        stage_1 = groups.stage_1 if groups.plan.publishes_stage_1 else np.zeros_like(groups.stat_levels)
        yield "chosen", [places[id(groups.plan)]], (groups.population_group_ids, groups.stat_levels, stage_1)
    for measured in first.measured:
        of = [places[id(measured.plan)], measured.stat_level]
        yield "measured", of, (measured.population_group_ids, measured.stage_1, measured.summed)
