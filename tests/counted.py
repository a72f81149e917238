"""Every count of a few people, as a run counts them."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.confidential import counts
from safetab_sql.kit.database import stacked_table
from safetab_sql.public.catalog import Catalog
from safetab_sql.public.inputs import Intake


def totals_and_cells(
    intake: Intake, catalog: Catalog, plans: Sequence[LevelPlan]
) -> tuple[counts.GroupTotals, dict[int, counts.GroupCells]]:
    """The totals of every group with people, and, by statistic, the cells of each that may get a table."""
    counts.Here(intake).totals()
    every_table(intake, catalog, plans)
    counts.count_finest_cells(intake.database)
    return all_totals(intake, catalog), counts.cells_of_tables(intake.database, plans)


def every_table(intake: Intake, catalog: Catalog, plans: Sequence[LevelPlan]) -> pa.Table:
    """Table `stat_levels` with each statistic of every group with people that may get a table, made in the database."""
    counts.make_group_totals(intake.database, catalog)
    totals, parts = all_totals(intake, catalog), []
    for plan in plans:
        level = plan.catalog
        first = level.first_population_group_id
        here = totals.between(first, level.end_population_group_id).population_group_ids
        here = here[~plan.is_total_only[(here - first) % max(1, level.iterations)]]
        own = np.arange(plan.first_statistic, plan.first_statistic + len(plan.sizes))
        parts.append(
            (np.full(here.size * own.size, level.level_id), np.tile(here, own.size), np.repeat(own, here.size))
        )
    stat_levels = stacked_table("stat_levels", parts)
    intake.database.hand_over("stat_levels", stat_levels)
    return stat_levels


def all_totals(intake: Intake, catalog: Catalog) -> counts.GroupTotals:
    """The totals of every group with people, after `Here.totals`."""
    return counts.totals_between(intake.database, 0, sum(level.population_groups for level in catalog))
