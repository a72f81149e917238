"""A run, top to bottom: the only module that lets exact counts meet the mechanisms and noisy counts the publisher.

It holds no statement, no budget and no age bin; only the order in which the zones pass arrays to one another.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.accounting.charges import Charge
from safetab_sql.accounting.ledger import Ledger, run_ledger
from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.accounting.right_to_draw import Bits, right_without_people
from safetab_sql.confidential.counts import (
    GroupCells,
    GroupTotals,
    cells_of_tables,
    count_finest_cells,
    count_totals,
    stat_levels_table,
    totals_between,
)
from safetab_sql.confidential.empty_groups import warn_of_nobody
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.confidential.same_records import records_sha256
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.mechanisms.bits import BitSource, generator, system_bits
from safetab_sql.mechanisms.tabulate import NoisyTotals, listed_totals, range_totals, ranges_of_plans, tabulate_cells
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import InputPaths, Intake, changed_inputs
from safetab_sql.public.parameters import Parameters
from safetab_sql.public.published_totals import Selected, selected_groups
from safetab_sql.published.csvw import write_csvw
from safetab_sql.published.file_notes import release_notes
from safetab_sql.published.first_noise import ChosenGroups, FirstNoise
from safetab_sql.published.ladders import published_ladders
from safetab_sql.published.manifest import Made, parameters_json
from safetab_sql.published.measurements import measured_tables, measured_totals
from safetab_sql.published.new_release import NewRelease, new_release
from safetab_sql.published.new_run import contents_of, manifest_of_run
from safetab_sql.published.postprocess import is_published, published_counts
from safetab_sql.published.tables import (
    PUBLIC_TABLES,
    Format,
    PublishedCells,
    PublishedLadder,
    PublishedTotals,
    format_problems,
    write_tables,
)

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Decided:
    """What a run decides before anybody is counted. selected: groups whose tables published totals pick."""

    plans: tuple[LevelPlan, ...]
    ledger: Ledger
    selected: Selected
    manifest: Mapping[str, Any]


def run(
    inputs: InputPaths,
    out: str | Path,
    *,
    format: Format = "parquet",
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    bits: Bits = system_bits,
) -> Made:
    """Count, add noise and publish: folder `out` with manifest.json and the ladders' tables, or nothing at all.

    format: "parquet" (with margins and intervals), "census" (production's pipe-delimited text) or "api" (text with the
    variables of the Census API). ledger_file: the custodian's ledger, which gets a line for the run before noise is
    drawn. bits: with any source but the system's, the manifest says that the run is not releasable.
    Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing is
    written.
    Source: paper Algorithms 1-3; tabulation.md section 5.
    """
    with (
        release_of_run(inputs, out, ledger_file, resources, bits, overwrite=overwrite) as release,
        checked_inputs(inputs, resources, progress, release.problems) as data,
    ):
        decided = decide(data, format, progress)
        declare(release, data, decided, known_records(release, data))
        data.stage("counting population groups")
        count_totals(data)
        refuse(changed_inputs(data))  # nothing below reads an input
        warn_of_nobody(data, decided.plans, decided.selected, progress)
        first = add_first_noise(release, data, decided)
        data.stage("counting tables")
        data.database.hand_over("stat_levels", chosen_tables(first.chosen))
        count_finest_cells(data.database)
        add_second_noise(release, data, decided, first)
        return release.made


def release_of_run(
    inputs: InputPaths,
    out: str | Path,
    ledger_file: LedgerFile | None,
    resources: Resources,
    bits: Bits = system_bits,
    *,
    overwrite: bool,
) -> AbstractContextManager[NewRelease]:
    """The release of a run into folder `out`, whose name no other command can take until the block ends."""
    contents, source = contents_of(inputs.parameters), generator(bits)
    return new_release(out, contents, ledger_file, resources, source, overwrite=overwrite)


def decide(data: Intake, format_: Format, progress: Progress) -> Decided:
    """Decide from public inputs alone what will be counted and what it costs.

    Raises: InputError where the parameters and the format do not go together.
    """
    catalog = build_catalog(data.database, data.parameters)
    selected = selected_groups(data.database, data.sources, progress.warn)
    plans = level_plans(catalog, data.parameters)
    refuse(format_problems(format_, data.parameters))
    ledger = run_ledger(data.parameters, plans)
    return Decided(plans, ledger, selected, manifest_of_run(data, ledger, format_))


def known_records(release: NewRelease, data: Intake) -> str:
    """What the run's charge says of its records: see `records_sha256`. Without a ledger nobody asks."""
    files = data.sources["persons"], data.sources["geography"]
    return "" if release.ledger_file is None else records_sha256(data.parameters, *files)


def declare(release: NewRelease, data: Intake, decided: Decided, records: str, charge: Charge | None = None) -> None:
    """Declare what the run spends: as `NewRelease.declare`."""
    release.declare(parameters_json(data.parameters), decided.ledger, records, charge)


def add_first_noise(release: NewRelease, data: Intake, decided: Decided) -> FirstNoise:
    """Charge the run, and draw stage 1 of every level. The people of every group must have been counted."""
    data.stage("adding noise to totals")
    exact, allow = partial(totals_between, data.database), data.parameters.allow_negative_counts
    return _noisy_totals(decided.plans, exact, decided.selected, release.charge(), allow_negative=allow)


def add_second_noise(release: NewRelease, data: Intake, decided: Decided, first: FirstNoise) -> None:
    """Draw stage 2 of the groups that got a table, and publish. Their finest cells must have been counted."""
    plans, allow_negative = decided.plans, data.parameters.allow_negative_counts
    exact_cells = cells_of_tables(data.database, plans)
    data.stage("adding noise to tables")
    cells = list(_noisy_cells(first.chosen, exact_cells, release.charge_tables(), allow_negative=allow_negative))
    data.stage("writing tables")
    public = {name: data.database.table(name) for name in PUBLIC_TABLES}
    data.database.close()  # nothing below can see an exact count, and its memory is needed
    measured = first.measured + measured_tables(map(_with_stage_1, first.chosen), cells)
    ladders = published_ladders(data.parameters, plans, first.totals, cells, measured)
    _publish(release, decided.manifest, data, ladders, public)


def _publish(
    release: NewRelease,
    manifest: Mapping[str, Any],
    data: Intake,
    ladders: Sequence[PublishedLadder],
    public: Mapping[str, pa.Table],
) -> None:
    """Write the tables, and what describes them. public: the PUBLIC_TABLES."""
    format_, notes = manifest["format"], release_notes(release.stamped(manifest), data.parameters.unit, release.day)
    with release.published(manifest) as folder:
        write_tables(folder, format_, public, ladders, notes, data.database.resources, data.scratch)
        if format_ != "api":  # whose names users know from the published product
            write_csvw(folder, format_, data.parameters, public["iterations"])


def noise_again(
    parameters: Parameters,
    plans: Sequence[LevelPlan],
    exact_totals: GroupTotals,
    exact_cells: dict[int, GroupCells],
    selected: Selected,
    *,
    bits: Bits = system_bits,
) -> list[PublishedLadder]:
    """The ladders of one more run, with new noise on exact counts that were made before.

    exact_cells: by statistic, the cells of every group that may get a table: see `every_statistic`. selected: groups
    whose tables published totals pick. The run enters no ledger: for public or synthetic data only.
    """
    allow_negative, right = parameters.allow_negative_counts, right_without_people(bits)
    first = _noisy_totals(plans, exact_totals.between, selected, right, allow_negative=allow_negative)
    noisy = list(_noisy_cells(first.chosen, exact_cells, right, allow_negative=allow_negative))
    measured = first.measured + measured_tables(map(_with_stage_1, first.chosen), noisy)
    return published_ladders(parameters, plans, first.totals, noisy, measured)


def _noisy_totals(
    plans: Sequence[LevelPlan],
    exact: Callable[[int, int], GroupTotals],
    selected: Selected,
    bits: BitSource,
    *,
    allow_negative: bool,
) -> FirstNoise:
    """Stage 1 of every level. exact: the totals of the groups with people in a range of ids."""
    published, measured = [], []
    columns: dict[str, list[tuple[Int64s, Int64s, Int64s]]] = {plan.name: [] for plan in plans}
    for start, stop, together in ranges_of_plans(plans):
        people = exact(start, stop)
        for plan in together:
            for block in _range_totals(people, start, stop, plan, selected, bits):
                published.append(_published_totals(plan, block, allow_negative=allow_negative))
                columns[plan.name].append((block.chosen_ids, block.chosen_stat_levels, block.chosen_stage_1))
                if plan.publishes_stage_1:
                    ids, counts = block.stat_level_0_ids, block.stat_level_0_counts
                    measured.append(measured_totals(plan, ids, counts, block.stat_level_0_stage_1))
    return FirstNoise(published, [_chosen(plan, columns[plan.name]) for plan in plans], measured)


def _range_totals(
    people: GroupTotals, start: int, stop: int, plan: LevelPlan, selected: Selected, bits: BitSource
) -> Iterator[NoisyTotals]:
    """The noisy totals of one range of groups in one ladder. people: the range's groups with people."""
    known, counts = people.population_group_ids, people.exact_counts
    if plan.choose != "published":
        yield from range_totals(known, counts, start, stop, plan, bits)
        return
    listed_ids, listed_stat_levels = selected[plan.ladder_id, plan.catalog.level_id]
    ours = slice(*np.searchsorted(listed_ids, [start, stop]))
    ids, stat_levels = listed_ids[ours], listed_stat_levels[ours]
    places = np.searchsorted(known, ids)
    is_known = np.append(known, -1)[places] == ids  # no group has this id
    exact = np.zeros(ids.size, dtype=np.int64)
    exact[is_known] = counts[places[is_known]]
    yield listed_totals(exact, ids, stat_levels, plan, bits)


def _chosen(plan: LevelPlan, blocks: Sequence[tuple[Int64s, Int64s, Int64s]]) -> ChosenGroups:
    """The groups of a level that get a table, of all its blocks: their ids, stat levels and stage-1 totals."""
    ids, stat_levels, stage_1 = (_joined([block[place] for block in blocks]) for place in range(3))
    order = np.argsort(ids)  # groups without people may come last
    return ChosenGroups(plan, ids[order], stat_levels[order], stage_1[order] if plan.publishes_stage_1 else stage_1)


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
    return PublishedTotals(plan.ladder, plan.catalog.level_id, ids[kept], counts)


def _noisy_cells(
    chosen: Sequence[ChosenGroups], exact: dict[int, GroupCells], bits: BitSource, *, allow_negative: bool
) -> Iterator[PublishedCells]:
    """Stage 2 of the groups that get a table. exact: by statistic."""
    for groups in chosen:
        plan = groups.plan
        for stat_level, cells in enumerate(plan.sizes, start=1):
            ids = groups.population_group_ids[groups.stat_levels == stat_level]
            people = exact[plan.first_statistic + stat_level - 1]
            exact_cells = (people.population_group_ids, people.cell_positions, people.exact_counts)
            for block in tabulate_cells(ids, exact_cells, cells, plan.calls.stage_2.law, bits):
                counts = published_counts(block.noisy_counts, allow_negative_counts=allow_negative)
                yield PublishedCells(plan.ladder, plan.catalog.level_id, stat_level, block.population_group_ids, counts)


def _with_stage_1(groups: ChosenGroups) -> tuple[LevelPlan, Int64s, Int64s]:
    """The groups of a level that get a table, and their stage-1 totals."""
    return groups.plan, groups.population_group_ids, groups.stage_1


def chosen_tables(chosen: Sequence[ChosenGroups]) -> pa.Table:
    """Table `stat_levels` of sql/run/5_tables: one row per ladder and population group with a table."""
    return stat_levels_table(
        [np.full(groups.population_group_ids.size, groups.plan.catalog.level_id) for groups in chosen],
        [groups.population_group_ids for groups in chosen],
        [groups.stat_levels + (groups.plan.first_statistic - 1) for groups in chosen],
    )


def _joined(arrays: Sequence[Int64s]) -> Int64s:
    return np.concatenate([np.empty(0, dtype=np.int64), *arrays])
