"""The stability audit: whether one person changes the counts of a run by no more than the noise is made for.

It compares exact counts, so it is for public or synthetic data only. It does not copy any code of a run: the audit
calls the same functions that count for a run, and so executes the same rendered statements of sql/.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.confidential.counts import (
    GroupCells,
    GroupTotals,
    all_totals,
    count_cells,
    count_totals,
    every_statistic,
    make_group_totals,
)
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.evaluation.audited_files import audited_files, person_of, read_persons
from safetab_sql.evaluation.share_losses import share_violations
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.catalog import Catalog, LevelCatalog, build_catalog
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.public.published_totals import SELECTED, TOTALS, is_by_totals

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LevelAudit:
    """The effect on one level of leaving people out. most_changed: the most population groups whose total changed."""

    name: str
    stability: int
    most_changed: int


@dataclass(frozen=True, slots=True)
class StabilityAudit:
    """people: how many were left out, one at a time. violations: one sentence each, which names level and person."""

    people: int
    levels: tuple[LevelAudit, ...]
    violations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Exact:
    """Exact totals, exact cells by stat level, and the groups whose tables published totals pick, sorted."""

    totals: GroupTotals
    cells: dict[int, GroupCells]
    selected: pa.Table | None


@dataclass(frozen=True, slots=True)
class _Change:
    """The change by one person: sorted, distinct keys of the counts that change, and their changes. int64[n] both."""

    keys: Int64s
    amounts: Int64s


@dataclass(frozen=True, slots=True)
class _PersonChange:
    """The change by one person to the totals, by group id, and to the cells of each stat level, by key.

    person: file and row, as text. cells: keys are group id x cells of the stat level + cell position.
    is_choice_changed: whether a group that published totals pick, or its table, is another.
    """

    person: str
    totals: _Change
    cells: dict[int, _Change]
    is_choice_changed: bool


def audit_stability(
    inputs: InputPaths,
    people: int = 20,
    *,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> StabilityAudit:
    """Count with everybody, and without each of `people` persons in turn, and compare every exact count.

    For public or synthetic data only. At each level one person may change at most `stability` totals, each by one, and
    exactly one cell of each statistic of each such group that has tables, by one; nothing else may change, least of all
    which groups published totals pick for which tables. No random
    numbers choose the persons: see audited_files.py and sql/tools/audit/audited_records.sql.
    Raises: InputError with every problem of the input. Source: evaluation.md section 4.
    """
    problems = [] if people > 0 else [Problem("--people", f"{people} is not a number of people", "give at least 1")]
    with checked_inputs(inputs, resources, progress, problems) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        intake.stage("counting everybody")
        plans = level_plans(catalog, intake.parameters)
        everybody = _counted_first(intake, catalog, plans)
        others, persons = audited_files(intake, people)
        changes: list[_PersonChange] = []
        for person in persons:
            intake.stage(f"counting without {intake.parameters.unit.one} {len(changes) + 1} of {len(persons)}")
            read_persons(intake, [others, *(other for other in persons if other != person)])
            count_totals(intake)
            make_group_totals(intake.database, catalog)
            cells = count_cells(intake.database, plans)
            without = _Exact(all_totals(intake.database), cells, _selected(intake))
            changes.append(_person_change(person_of(intake, person), everybody, without, catalog))
    violations = [*_repetitions(everybody, catalog), *chain.from_iterable(_violations(one, catalog) for one in changes)]
    violations += [violation for one in changes for violation in share_violations(one.person, one.totals.keys, plans)]
    return StabilityAudit(len(changes), tuple(_level_audits(changes, catalog)), tuple(violations))


def _counted_first(intake: Intake, catalog: Catalog, plans: Sequence[LevelPlan]) -> _Exact:
    """The counts with everybody. The groups whose cells are counted stay the same, whoever is left out."""
    count_totals(intake)
    make_group_totals(intake.database, catalog)
    totals = all_totals(intake.database)
    intake.database.hand_over("stat_levels", every_statistic(plans, totals))
    return _Exact(totals, count_cells(intake.database, plans), _selected(intake))


def _selected(intake: Intake) -> pa.Table | None:
    """The groups whose tables published totals pick, in a fixed order; None where there are no such totals."""
    if not is_by_totals(intake.parameters):
        return None
    intake.database.create(sql_files()[SELECTED])
    return intake.database.table(SELECTED, order_by=["ladder_id", "population_group_id"])


def _person_change(person: str, everybody: _Exact, without: _Exact, catalog: Catalog) -> _PersonChange:
    """The change of each exact count by one person."""
    return _PersonChange(
        person,
        _change(_total_counts(everybody.totals), _total_counts(without.totals)),
        {
            each.statistic_id: _change(
                _cell_counts(everybody.cells[each.statistic_id], each.cells),
                _cell_counts(without.cells[each.statistic_id], each.cells),
            )
            for each in catalog.statistics
        },
        everybody.selected != without.selected,
    )


def _total_counts(totals: GroupTotals) -> tuple[Int64s, Int64s]:
    return totals.population_group_ids, totals.exact_counts


def _cell_counts(cells: GroupCells, cells_a_group: int) -> tuple[Int64s, Int64s]:
    return cells.population_group_ids * cells_a_group + cells.cell_positions, cells.exact_counts


def _change(with_person: tuple[Int64s, Int64s], without: tuple[Int64s, Int64s]) -> _Change:
    """Keys and counts with a person, minus keys and counts without."""
    keys, places = np.unique(np.concatenate([with_person[0], without[0]]), return_inverse=True)
    amounts = np.zeros(keys.size, dtype=np.int64)
    np.add.at(amounts, places, np.concatenate([with_person[1], -without[1]]))
    return _Change(keys[amounts != 0], amounts[amounts != 0])


def _repetitions(exact: _Exact, catalog: Catalog) -> Iterator[str]:
    """Violations of exact tables that hold a total or a cell twice: it would get noise twice."""
    tables = [("group_totals", _total_counts(exact.totals)[0], 1)]
    for each in catalog.statistics:
        keys = _cell_counts(exact.cells[each.statistic_id], each.cells)[0]
        tables.append((f"group_cells of {each.name}", keys, each.cells))
    for name, keys, keys_a_group in tables:
        in_order = np.sort(keys)
        repeated = in_order[1:][np.diff(in_order) == 0]
        if repeated.size:
            level = _level_name(int(repeated[0]) // keys_a_group, catalog)
            yield f"{level}: whoever is left out: {name} holds a count more than once"


def _level_name(group: int, catalog: Catalog) -> str:
    return next((level.level.name for level in catalog.levels if group in _group_ids(level)), "no level")


def _group_ids(level: LevelCatalog) -> range:
    return range(level.first_population_group_id, level.first_population_group_id + level.population_groups)


def _violations(change: _PersonChange, catalog: Catalog) -> Iterator[str]:
    """The changes by one person that are not allowed."""
    for level in catalog.levels:
        for what in chain(_total_violations(change, level), _cell_violations(change, level, catalog)):
            yield f"{level.level.name}: {change.person}: {what}"
    if change.is_choice_changed:
        yield f"{TOTALS}: {change.person}: other groups get tables, or other tables, though published totals pick them"
    end = sum(level.population_groups for level in catalog.levels)
    if ((change.totals.keys < 0) | (change.totals.keys >= end)).any():
        yield f"no level: {change.person}: totals of groups change that belong to no level"


def _total_violations(change: _PersonChange, level: LevelCatalog) -> Iterator[str]:
    totals = _within(change.totals, _group_ids(level))
    if (totals.amounts != 1).any():
        yield f"the totals of {(totals.amounts != 1).sum()} population groups change by other than one"
    if totals.keys.size > level.stability:
        yield f"the totals of {totals.keys.size} population groups change; the stability is {level.stability}"


def _cell_violations(change: _PersonChange, level: LevelCatalog, catalog: Catalog) -> Iterator[str]:
    ids = _group_ids(level)
    changed = _within(change.totals, ids).keys
    for each in catalog.statistics:
        is_total_only = level.total_only[each.ladder_id]
        if not is_total_only.size:  # the ladder does not tabulate the level
            continue
        with_tables = changed[~is_total_only[(changed - ids.start) % level.iterations]]
        found = _within(change.cells[each.statistic_id], range(ids.start * each.cells, ids.stop * each.cells))
        if (found.amounts != 1).any():
            yield f"{(found.amounts != 1).sum()} cells of {each.name} change by other than one"
        if not np.array_equal(found.keys // each.cells, with_tables):
            yield f"not exactly one cell of {each.name} changes in each population group whose total does"


def _within(change: _Change, keys: range) -> _Change:
    """The part of a change that lies in `keys`."""
    low, high = np.searchsorted(change.keys, [keys.start, keys.stop])
    return _Change(change.keys[low:high], change.amounts[low:high])


def _level_audits(changes: Sequence[_PersonChange], catalog: Catalog) -> Iterator[LevelAudit]:
    for level in catalog.levels:
        sizes = [_within(change.totals, _group_ids(level)).keys.size for change in changes]
        yield LevelAudit(level.level.name, level.stability, max(sizes, default=0))
