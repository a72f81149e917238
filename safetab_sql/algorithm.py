"""Algorithm 1, top to bottom: here alone exact counts meet the mechanisms, and noisy counts the publisher.

Who counts the people is handed in: this process, or a cluster. No statement, budget or age bin is spelled here; only
the order in which people are counted, the ledger is charged, noise is drawn and tables are published.
Source: paper Algorithms 1-3; tabulation.md section 5.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.ledger_file import Bits, Generator, right_without_people
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.accounting.statement import run_spending
from safetab_sql.confidential.counts import GroupCells, GroupTotals, cells_of_tables, totals_reader, warn_of_nobody
from safetab_sql.confidential.inputs import records_sha256
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import stacked_table
from safetab_sql.kit.errors import refuse
from safetab_sql.kit.progress import Progress
from safetab_sql.mechanisms.bits import BitSource, generator, system_bits
from safetab_sql.mechanisms.tabulate import NoisyTotals, range_totals, ranges_of_plans, tabulate_cells, tabulate_totals
from safetab_sql.public.catalog import Selected, build_catalog
from safetab_sql.public.inputs import Intake, changed_inputs
from safetab_sql.published import tables
from safetab_sql.published.file_notes import NAMED_TABLES, Metadata, release_metadata, release_notes
from safetab_sql.published.manifest import Made, manifest_of_run, parameters_json
from safetab_sql.published.measurements import MeasuredGroups, measured_tables, measured_totals, noisy_tables
from safetab_sql.published.new_release import NewRelease
from safetab_sql.published.selected_groups import selected_groups
from safetab_sql.settings.parameters import Parameters

_NOBODY = np.empty(0, dtype=np.int64)
_Listed = tuple[Int64s, Int64s]  # ids of groups, and their stat levels: int64[n] both
_Totals = Callable[[int, int], GroupTotals]  # of the groups with people in a range of ids


class Counter(Protocol):
    """Counts the people: `Here` in confidential/counts.py, or Spark. Each method is called once, in this order."""

    def totals(self) -> None:
        """Make the totals of every population group with people, for `totals_reader`.

        Raises: InputError with every record that cannot be counted.
        """

    def tables(self, stat_levels: pa.Table) -> None:
        """Make the finest cells of the groups in `stat_levels`, for `cells_of_tables`."""


@dataclass(frozen=True, slots=True)
class Tabulation:
    """A release that is being made of inputs that passed their checks, and what is decided before anybody is counted.

    selected: groups whose tables published totals pick.
    """

    release: NewRelease
    data: Intake
    plans: tuple[LevelPlan, ...]
    selected: Selected
    manifest: Mapping[str, Any]
    metadata: Metadata
    progress: Progress


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

    totals: list[tables.PublishedTotals]
    chosen: list[ChosenGroups]
    measured: list[MeasuredGroups]


def tabulate(run: Tabulation, counter: Counter) -> Made:
    """Algorithm 1: choose the table of every population group by its noisy total, fill the tables with noise, publish.

    Raises: InputError as the counter, and if the ledger's limit forbids the run.
    """
    data, plans, allow_negative = run.data, run.plans, run.data.parameters.allow_negative_counts
    counter.totals()
    refuse(changed_inputs(data))  # nothing below reads an input
    warn_of_nobody(data, plans, run.selected, run.progress)
    data.stage("adding noise to totals")
    bits, exact = run.release.charge(), totals_reader(data.database)
    first = _noisy_totals(plans, exact, run.selected, bits, allow_negative=allow_negative)
    stat_levels = chosen_tables(first.chosen)
    data.database.hand_over("stat_levels", stat_levels)
    counter.tables(stat_levels)
    exact_cells = cells_of_tables(data.database, plans)
    data.stage("adding noise to tables")
    cells = list(_noisy_cells(first.chosen, exact_cells, bits, allow_negative=allow_negative))
    data.stage("writing tables")
    public = {name: data.database.table(name) for name in tables.PUBLIC_TABLES}
    data.database.close()  # nothing below can see an exact count, and its memory is needed
    _publish(run, _noisy_tables(data.parameters, plans, first, cells), public)
    return run.release.made


def decide(release: NewRelease, data: Intake, progress: Progress, *, are_here: bool = True) -> Tabulation:
    """Decide what is counted, from public inputs, and declare what it spends. are_here: whether these are the persons.

    Raises: InputError with the problems of published totals, or if the ledger's limit forbids the run.
    """
    catalog = build_catalog(data.database, data.parameters)
    selected = selected_groups(data.database, data.sources, progress.warn)
    plans = level_plans(catalog, data.parameters)
    ledger, is_asked = run_spending(data.parameters, plans), are_here and release.ledger_file is not None
    records = records_sha256(data.parameters, data.sources["persons"], data.sources["geography"]) if is_asked else ""
    metadata = release_metadata(data.parameters, {name: data.database.table(name) for name in NAMED_TABLES})
    release.declare(parameters_json(data.parameters), ledger, records)
    return Tabulation(release, data, plans, selected, manifest_of_run(data, ledger), metadata, progress)


def generator_of(bits: Bits | None) -> Generator:
    """What a run draws its noise with: the system's random bytes, or for tests a source of bytes."""
    return generator(bits or system_bits)


def _publish(run: Tabulation, noisy: Mapping[str, dict[str, pa.Table]], public: Mapping[str, pa.Table]) -> None:
    """Write the tables, and what describes them. noisy: by ladder. public: the PUBLIC_TABLES."""
    release, data, manifest = run.release, run.data, run.manifest
    notes = release_notes(release.stamped(manifest), data.parameters.unit, release.day)
    with release.published(manifest) as folder:
        tables.write_tables(folder, data.parameters, public, noisy, notes, data.database.resources, data.scratch)
        run.metadata.write(folder)


def noise_again(
    parameters: Parameters,
    plans: Sequence[LevelPlan],
    exact_totals: GroupTotals,
    exact_cells: dict[int, GroupCells],
    selected: Selected,
) -> dict[str, dict[str, pa.Table]]:
    """The noisy tables of one more run, by ladder, with new noise on exact counts that were made before.

    exact_cells: by statistic, the cells of every group that may get a table. selected: groups
    whose tables published totals pick. The run enters no ledger: for public or synthetic data only.
    """
    allow_negative, right = parameters.allow_negative_counts, right_without_people(system_bits)
    first = _noisy_totals(plans, exact_totals.between, selected, right, allow_negative=allow_negative)
    noisy = list(_noisy_cells(first.chosen, exact_cells, right, allow_negative=allow_negative))
    return _noisy_tables(parameters, plans, first, noisy)


def _noisy_totals(
    plans: Sequence[LevelPlan], exact: _Totals, selected: Selected, bits: BitSource, *, allow_negative: bool
) -> FirstNoise:
    """Stage 1 of every level."""
    published, measured = [], []
    columns: dict[str, list[tuple[Int64s, Int64s, Int64s]]] = {plan.name: [] for plan in plans}
    for start, stop, together in ranges_of_plans(plans):
        people, picked = exact(start, stop), dict[str, list[_Listed]]()
        for plan in sorted(together, key=lambda plan: plan.beside is not None):  # the other ladder comes first
            listed = _listed(plan, start, stop, selected, picked)
            for block in _range_totals(people, start, stop, plan, listed, bits):
                published.append(_published_totals(plan, block, allow_negative=allow_negative))
                chosen, alone = (block.chosen_ids, block.chosen_stat_levels), published[-1].population_group_ids
                columns[plan.name].append((*chosen, block.chosen_stage_1))
                picked.setdefault(plan.ladder, []).extend([(alone, np.zeros_like(alone)), chosen])
                if plan.publishes_stage_1:
                    ids, counts = block.stat_level_0_ids, block.stat_level_0_counts
                    measured.append(measured_totals(plan, ids, counts, block.stat_level_0_stage_1))
    return FirstNoise(published, [_chosen(plan, columns[plan.name]) for plan in plans], measured)


def _listed(
    plan: LevelPlan, start: int, stop: int, selected: Selected, picked: Mapping[str, Sequence[_Listed]]
) -> _Listed | None:
    """The groups of a range that a plan has, sorted, and their stat levels; None where its own noise decides.

    picked: of each ladder before, the groups of the range that it publishes, and their stat levels.
    """
    if plan.beside is not None:
        ids, stat_levels = (np.concatenate(each) for each in zip(*picked[plan.beside], strict=True))
        order = np.argsort(ids)
        return ids[order], stat_levels[order]
    if plan.choose != "published":
        return None
    ids, stat_levels = selected[plan.ladder_id, plan.catalog.level_id]
    ours = slice(*np.searchsorted(ids, [start, stop]))
    return ids[ours], stat_levels[ours]


def _range_totals(
    people: GroupTotals, start: int, stop: int, plan: LevelPlan, listed: _Listed | None, bits: BitSource
) -> Iterator[NoisyTotals]:
    """The noisy totals of one range of groups in one ladder. people: the range's groups with people."""
    known, counts = people.population_group_ids, people.of(plan.measure)
    if listed is None:
        yield from range_totals(known, counts, start, stop, plan, bits)
        return
    ids, stat_levels = listed
    places = np.searchsorted(known, ids)
    is_known = np.append(known, -1)[places] == ids  # no group has this id
    exact = np.zeros(ids.size, dtype=np.int64)
    exact[is_known] = counts[places[is_known]]
    yield tabulate_totals(exact, ids, np.zeros(ids.size, dtype=np.bool_), plan, bits, listed=stat_levels)


def _chosen(plan: LevelPlan, blocks: Sequence[tuple[Int64s, Int64s, Int64s]]) -> ChosenGroups:
    """The groups of a level that get a table, of all its blocks: their ids, stat levels and stage-1 totals."""
    ids, stat_levels, stage_1 = (np.concatenate([_NOBODY, *(block[place] for block in blocks)]) for place in range(3))
    order = np.argsort(ids)  # groups without people may come last
    return ChosenGroups(plan, ids[order], stat_levels[order], stage_1[order] if plan.publishes_stage_1 else stage_1)


def _published_totals(plan: LevelPlan, block: NoisyTotals, *, allow_negative: bool) -> tables.PublishedTotals:
    """The totals of one block after suppression; negative counts become 0 unless they are allowed."""
    ids = np.concatenate([block.total_only_ids, block.stat_level_0_ids])
    counts = np.concatenate([block.total_only_counts, block.stat_level_0_counts])
    are_published = tables.is_published(block.total_only_counts, plan.total_only_threshold)
    others = tables.is_published(block.stat_level_0_counts, plan.suppression_threshold)
    kept = np.concatenate([are_published, others])
    counts = tables.published_counts(counts[kept], allow_negative_counts=allow_negative)
    return tables.PublishedTotals(plan, ids[kept], counts)


def _noisy_cells(
    chosen: Sequence[ChosenGroups], exact: dict[int, GroupCells], bits: BitSource, *, allow_negative: bool
) -> Iterator[tables.PublishedCells]:
    """Stage 2 of the groups that get a table. exact: by statistic."""
    for groups in chosen:
        plan = groups.plan
        for stat_level, cells in enumerate(plan.sizes, start=1):
            ids = groups.population_group_ids[groups.stat_levels == stat_level]
            people = exact[plan.first_statistic + stat_level - 1]
            for block, noisy in tabulate_cells(ids, people, cells, plan.calls.stage_2.law, bits):
                counts = tables.published_counts(noisy, allow_negative_counts=allow_negative)
                yield tables.PublishedCells(plan, stat_level, block, counts)


def _noisy_tables(
    parameters: Parameters, plans: Sequence[LevelPlan], first: FirstNoise, cells: Sequence[tables.PublishedCells]
) -> dict[str, dict[str, pa.Table]]:
    with_table = ((groups.plan, groups.population_group_ids, groups.stage_1) for groups in first.chosen)
    measured = first.measured + measured_tables(with_table, cells)
    return noisy_tables(parameters, plans, first.totals, cells, measured)


def chosen_tables(chosen: Sequence[ChosenGroups]) -> pa.Table:
    """Table `stat_levels` of sql/run/5_tables: one row per ladder and population group with a table."""
    rows = []
    for groups in chosen:
        ids, plan = groups.population_group_ids, groups.plan
        rows.append((np.full(ids.size, plan.catalog.level_id), ids, groups.stat_levels + (plan.first_statistic - 1)))
    return stacked_table("stat_levels", rows)
