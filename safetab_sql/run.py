"""A run, top to bottom: the only module that lets exact counts meet the mechanisms and noisy counts the publisher.

It holds no statement, no budget and no age bin; only the order in which the zones pass arrays to one another.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.accounting.ledger import DELTA, Ledger, ledger_json, run_ledger, spent_on_persons
from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.confidential.counts import GroupCells, GroupTotals, count_cells, count_totals, totals_between
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.mechanisms.bits import BitSource, are_the_systems, system_bits
from safetab_sql.mechanisms.tabulate import NoisyTotals, level_totals, tabulate_cells
from safetab_sql.public.about import about_json
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import InputPaths, Intake, changed_inputs
from safetab_sql.published.intervals import Cuts, cuts_of, selected_totals_table, suppressed_totals_table
from safetab_sql.published.manifest import Made, parameters_json, source_digests
from safetab_sql.published.measurements import MeasuredGroups, measurements_table
from safetab_sql.published.new_release import new_release
from safetab_sql.published.postprocess import is_published, published_counts
from safetab_sql.published.tables import (
    PUBLIC_TABLES,
    Format,
    PublishedCells,
    PublishedTotals,
    beside_tables,
    cells_table,
    format_problems,
    totals_table,
    write_tables,
)
from safetab_sql.published.uncertainty import uncertainty_table

Int64s = npt.NDArray[np.int64]

CONTENTS = ("t1", "t2", "suppressed", "measurements", "manifest.json")


@dataclass(frozen=True, slots=True)
class ChosenGroups:
    """Groups of one level whose noisy totals earned a table, sorted by id: int64[n] ids and stat levels 1-3.

    stage_1: the totals that earned them, int64[n], where they are published; elsewhere empty.
    """

    plan: LevelPlan
    population_group_ids: Int64s
    stat_levels: Int64s
    stage_1: Int64s


def run(
    inputs: InputPaths,
    out: str | Path,
    *,
    format: Format = "parquet",
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    bits: BitSource = system_bits,
) -> Made:
    """Count, add noise and publish: folder `out` with t1/, t2/, suppressed/ and manifest.json, or nothing at all.

    format: "parquet" (with margins and intervals) or "census" (production's pipe-delimited text). ledger_file: the
    custodian's ledger, which gets a line for the run before noise is drawn. bits: with any source but the system's, the
    manifest says that the run is not releasable.
    Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing is
    written.
    Source: paper Algorithms 1-3; tabulation.md section 5.
    """
    with (
        new_release(
            out, CONTENTS, ledger_file, resources, partial(are_the_systems, bits), overwrite=overwrite
        ) as release,
        checked_inputs(inputs, resources, progress, release.problems) as data,
    ):
        catalog = build_catalog(data.database, data.parameters)
        plans = level_plans(catalog, data.parameters)
        ledger = run_ledger(data.parameters, plans)
        release.declare(parameters_json(data.parameters), spent_on_persons(ledger))
        refuse(format_problems(format, data.parameters))
        data.stage("counting population groups")
        count_totals(data)
        manifest = _manifest(data, ledger, format)
        refuse(changed_inputs(data))  # nothing below reads an input
        data.stage("adding noise to totals")
        release.charge()  # must precede the first draw
        allow_negative = data.parameters.allow_negative_counts
        exact_totals = partial(totals_between, data.database)
        totals, chosen, measured = _noisy_totals(plans, exact_totals, bits, allow_negative=allow_negative)
        data.stage("counting sex by age")
        data.database.hand_over("stat_levels", _stat_levels_table(chosen))
        exact_cells = count_cells(data.database)
        data.stage("adding noise to sex-by-age cells")
        cells = list(_noisy_cells(chosen, exact_cells, catalog.cells, bits, allow_negative=allow_negative))
        data.stage("writing tables")
        measured += _measured_tables(chosen, cells)
        noisy = _noisy_tables(plans, catalog.cells, totals, cells, measured, cuts_of(data.parameters))
        public = {name: data.database.table(name) for name in PUBLIC_TABLES}
        data.database.close()  # nothing below can see an exact count, and its memory is needed
        with release.published(manifest) as folder:
            shown = beside_tables(data.parameters)
            write_tables(folder, format, {**noisy, **public}, resources, data.scratch, beside=shown)
        return release.made


def noise_again(
    plans: Sequence[LevelPlan],
    exact_totals: GroupTotals,
    exact_cells: dict[int, GroupCells],
    cells: Sequence[int],
    *,
    allow_negative: bool,
    bits: BitSource = system_bits,
) -> dict[str, pa.Table]:
    """The noisy tables of sql/run/6_publish for one more run, with new noise on exact counts that were made before.

    exact_cells: by stat level, the cells of every group that may get a table: see `every_stat_level`. cells: number of
    sex-by-age cells of stat levels 1, 2, 3. The run enters no ledger: for public or synthetic data only.
    """
    totals, chosen, measured = _noisy_totals(plans, exact_totals.between, bits, allow_negative=allow_negative)
    noisy = list(_noisy_cells(chosen, exact_cells, cells, bits, allow_negative=allow_negative))
    measured += _measured_tables(chosen, noisy)
    return _noisy_tables(plans, cells, totals, noisy, measured, Cuts(not allow_negative))


def _noisy_totals(
    plans: Sequence[LevelPlan], exact: Callable[[int, int], GroupTotals], bits: BitSource, *, allow_negative: bool
) -> tuple[list[PublishedTotals], list[ChosenGroups], list[MeasuredGroups]]:
    """Stage 1 of every level: the published totals of groups without a table, and the groups chosen for a table.

    Then the stage-1 totals of the former, where they are published. exact: the totals of the groups with people in a
    range of ids.
    """
    published, chosen, measured = [], [], []

    def people(first: int, end: int) -> tuple[Int64s, Int64s]:
        totals = exact(first, end)
        return totals.population_group_ids, totals.exact_counts

    for plan in plans:
        ids, stat_levels, stage_1 = [], [], []
        for block in level_totals(people, plan, bits):
            published.append(_published_totals(plan, block, allow_negative=allow_negative))
            ids.append(block.chosen_ids)
            stat_levels.append(block.chosen_stat_levels)
            stage_1.append(block.chosen_stage_1)
            if plan.publishes_stage_1:
                measured.append(_measured_totals(plan, block))
        order = np.argsort(_joined(ids))  # groups without people may come last
        kept = _joined(stage_1)[order] if plan.publishes_stage_1 else _joined([])
        chosen.append(ChosenGroups(plan, _joined(ids)[order], _joined(stat_levels)[order], kept))
    return published, chosen, measured


def _measured_totals(plan: LevelPlan, block: NoisyTotals) -> MeasuredGroups:
    """The published groups of one block that have a total alone, with their stage-1 totals."""
    kept = is_published(block.stat_level_0_counts, plan.suppression_threshold)
    totals = block.stat_level_0_counts[kept]
    return MeasuredGroups(plan, 0, block.stat_level_0_ids[kept], block.stat_level_0_stage_1[kept], totals)


def _measured_tables(chosen: Sequence[ChosenGroups], cells: Sequence[PublishedCells]) -> list[MeasuredGroups]:
    """The groups with a table and their stage-1 totals, where these are published."""
    by_level = {groups.plan.catalog.level_id: groups for groups in chosen if groups.plan.publishes_stage_1}
    measured = []
    for block in cells:
        if block.level_id in by_level:
            groups, ids = by_level[block.level_id], block.population_group_ids
            stage_1 = groups.stage_1[np.searchsorted(groups.population_group_ids, ids)]
            totals = block.noisy_counts.sum(axis=1, dtype=np.int64)
            measured.append(MeasuredGroups(groups.plan, block.stat_level, ids, stage_1, totals))
    return measured


def _published_totals(plan: LevelPlan, block: NoisyTotals, *, allow_negative: bool) -> PublishedTotals:
    """The totals of one block after suppression; negative counts become 0 unless they are allowed."""
    ids = np.concatenate([block.total_only_ids, block.stat_level_0_ids])
    counts = np.concatenate([block.total_only_counts, block.stat_level_0_counts])
    kept = np.concatenate(
        [
            is_published(block.total_only_counts, plan.total_only_threshold),
            is_published(block.stat_level_0_counts, plan.suppression_threshold),
        ]
    )
    counts = published_counts(counts[kept], allow_negative_counts=allow_negative)
    return PublishedTotals(np.full(counts.size, plan.catalog.level_id), ids[kept], counts)


def _noisy_cells(
    chosen: Sequence[ChosenGroups],
    exact: dict[int, GroupCells],
    cells: Sequence[int],
    bits: BitSource,
    *,
    allow_negative: bool,
) -> Iterator[PublishedCells]:
    """Stage 2 of the groups that earned a table. cells: number of sex-by-age cells of stat levels 1, 2, 3."""
    for groups in chosen:
        for stat_level, people in exact.items():
            ids = groups.population_group_ids[groups.stat_levels == stat_level]
            exact_cells = (people.population_group_ids, people.cell_positions, people.exact_counts)
            for block in tabulate_cells(ids, exact_cells, cells[stat_level - 1], groups.plan.calls.stage_2.law, bits):
                counts = published_counts(block.noisy_counts, allow_negative_counts=allow_negative)
                yield PublishedCells(groups.plan.catalog.level_id, stat_level, block.population_group_ids, counts)


def _noisy_tables(
    plans: Sequence[LevelPlan],
    sizes: Sequence[int],
    totals: list[PublishedTotals],
    cells: list[PublishedCells],
    measured: list[MeasuredGroups],
    cuts: Cuts,
) -> dict[str, pa.Table]:
    """The noisy tables of sql/run/6_publish, and what is known of their noise. sizes: as `cells` of `noise_again`."""
    return {
        "noisy_totals": totals_table(totals),
        "noisy_cells": cells_table(cells),
        "count_uncertainty": uncertainty_table(plans, sizes, cuts),
        "selected_totals": selected_totals_table(plans, cuts),
        "suppressed_totals": suppressed_totals_table(plans),
        "noisy_measurements": measurements_table(measured, sizes, cuts),
    }


def _stat_levels_table(chosen: Sequence[ChosenGroups]) -> pa.Table:
    """Table `stat_levels` of sql/run/5_tables: one row per population group with a sex-by-age table."""
    level_ids = [np.full(groups.population_group_ids.size, groups.plan.catalog.level_id) for groups in chosen]
    return pa.table(
        {
            "level_id": _joined(level_ids).astype(np.int32),
            "population_group_id": _joined([groups.population_group_ids for groups in chosen]),
            "stat_level": _joined([groups.stat_levels for groups in chosen]).astype(np.int8),
        }
    )


def _joined(arrays: Sequence[Int64s]) -> Int64s:
    return np.concatenate([np.empty(0, dtype=np.int64), *arrays])


def _manifest(data: Intake, ledger: Ledger, format_: Format) -> dict[str, object]:
    """The manifest of the release. It holds nothing about person files, not even their names."""
    public = {name: source for name, source in data.sources.items() if name != "persons"}
    return {
        "format": format_,
        "about": about_json(data.parameters.about),
        "parameters": parameters_json(data.parameters),
        "public_inputs": {name: source_digests(source) for name, source in public.items()},
        "suppression_thresholds": {plan.name: plan.suppression_threshold for plan in ledger.levels},
        "total_only_suppression_thresholds": {
            plan.name: plan.total_only_threshold for plan in ledger.levels if plan.catalog.is_total_only.any()
        },
        "ledger": ledger_json(ledger, delta=DELTA),
    }
