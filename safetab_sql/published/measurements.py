"""The stage-1 totals of published groups, and estimates of true totals that use both stages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import stacked_table
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import variance
from safetab_sql.public.values import rows_of
from safetab_sql.published.combined_totals import TotalEstimates, TotalLaw, combined_totals, table_limits
from safetab_sql.published.intervals import (
    Cuts,
    cuts_of,
    selected_totals_table,
    sum_margin_of_error,
    suppressed_totals_table,
    uncertainty_table,
)
from safetab_sql.published.tables import (
    PublishedCells,
    PublishedLadder,
    PublishedTotals,
    cells_table,
    is_published,
    totals_table,
)
from safetab_sql.settings.parameters import Parameters


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
    def stage_1_law(self) -> Law:
        """The law of the noise in their stage-1 totals."""
        if self.plan.calls.stage_1 is None:
            raise ValueError(f"{self.plan.name} has no stage 1")
        return self.plan.calls.stage_1.law


def measured_totals(plan: LevelPlan, ids: Int64s, counts: Int64s, stage_1: Int64s) -> MeasuredGroups:
    """The groups with a total alone whose totals are published: int64[n] ids, noisy totals and stage-1 totals."""
    kept = is_published(counts, plan.suppression_threshold)
    return MeasuredGroups(plan, 0, ids[kept], stage_1[kept], counts[kept])


def measured_tables(
    chosen: Iterable[tuple[LevelPlan, Int64s, Int64s]], cells: Sequence[PublishedCells]
) -> list[MeasuredGroups]:
    """The groups with a table whose stage-1 totals are published. chosen: ids, sorted, and stage-1 totals, by plan."""
    by_level = {(plan.ladder, plan.catalog.level_id): (plan, ids, stage_1) for plan, ids, stage_1 in chosen}
    measured = []
    for block in cells:
        plan, ids, stage_1 = by_level[block.ladder, block.level_id]
        if plan.publishes_stage_1:
            own = stage_1[np.searchsorted(ids, block.population_group_ids)]
            totals = block.noisy_counts.sum(axis=1, dtype=np.int64)
            measured.append(MeasuredGroups(plan, block.stat_level, block.population_group_ids, own, totals))
    return measured


def measurements_table(measured: Sequence[MeasuredGroups], cuts: Cuts) -> pa.Table:
    """Table `noisy_measurements` of sql/run/6_publish: one row per published group whose stage-1 total is published."""

    def columns(groups: MeasuredGroups) -> tuple[Int64s | Floats, ...]:
        found, size, least = _estimates(groups), groups.stage_1.size, cuts.least
        ends = (ends if least is None else np.maximum(ends, least) for ends in (found.lows, found.highs))
        keys = (np.full(size, groups.plan.catalog.level_id), groups.population_group_ids)
        return (*keys, groups.stage_1, np.full(size, float(variance(groups.stage_1_law))), found.estimates, *ends)

    return stacked_table("noisy_measurements", map(columns, measured))


def _estimates(groups: MeasuredGroups) -> TotalEstimates:
    plan, counts = groups.plan, 1 if groups.stat_level == 0 else groups.plan.sizes[groups.stat_level - 1]
    first, end = table_limits(plan.thresholds, groups.stat_level)
    law = TotalLaw(
        groups.stage_1_law,
        plan.calls.stage_2.law,
        counts,
        first,
        end,
        plan.suppression_threshold if groups.stat_level == 0 else None,
        sum_margin_of_error(plan.calls.stage_2.law, counts),
    )
    return combined_totals(law, groups.stage_1, groups.summed)


# The noisy arrays of a run, ladder by ladder, as the tables of sql/run/6_publish.


def published_ladders(
    parameters: Parameters,
    plans: Sequence[LevelPlan],
    totals: Sequence[PublishedTotals],
    cells: Sequence[PublishedCells],
    measured: Sequence[MeasuredGroups],
) -> list[PublishedLadder]:
    """Each ladder with its noisy tables of sql/run/6_publish, and what is known of their noise."""
    cuts, ladders = cuts_of(parameters), []
    for ladder in parameters.ladders:
        own = [plan for plan in plans if plan.ladder == ladder.name]
        tables = {
            "noisy_totals": totals_table([each for each in totals if each.ladder == ladder.name]),
            "noisy_cells": cells_table([each for each in cells if each.ladder == ladder.name]),
            "count_uncertainty": uncertainty_table(own, rows_of(parameters, ladder).summed_counts, cuts),
            "selected_totals": selected_totals_table(own, cuts),
            "suppressed_totals": suppressed_totals_table(own),
            "noisy_measurements": measurements_table(
                [each for each in measured if each.plan.ladder == ladder.name], cuts
            ),
        }
        ladders.append(PublishedLadder(parameters, ladder, tables))
    return ladders
