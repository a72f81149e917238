"""The stability audit: whether one person changes the counts of a run by no more than the noise is made for.

It compares exact counts, so it is for public or synthetic data only. It does not copy any code of a run: the audit
calls the same functions that count for a run, and so executes the same rendered statements of sql/.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

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
from safetab_sql.evaluation.share_losses import share_violations
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.attributes import Attribute, columns_of
from safetab_sql.public.catalog import Catalog, LevelCatalog, build_catalog
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.public.person_values import person_values
from safetab_sql.public.sources import stored_types
from safetab_sql.public.unit import Unit

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
    """Exact totals, and exact cells by stat level."""

    totals: GroupTotals
    cells: dict[int, GroupCells]


@dataclass(frozen=True, slots=True)
class _Change:
    """The change by one person: sorted, distinct keys of the counts that change, and their changes. int64[n] both."""

    keys: Int64s
    amounts: Int64s


@dataclass(frozen=True, slots=True)
class _PersonChange:
    """The change by one person to the totals, by group id, and to the cells of each stat level, by key.

    person: file and row, as text. cells: keys are group id x cells of the stat level + cell position.
    """

    person: str
    totals: _Change
    cells: dict[int, _Change]


def audit_stability(
    inputs: InputPaths,
    people: int = 20,
    *,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> StabilityAudit:
    """Count with everybody, and without each of `people` persons in turn, and compare every exact count.

    For public or synthetic data only. At each level one person may change at most `stability` totals, each by one, and
    exactly one cell of each statistic of each such group that has tables, by one; nothing else may change. No random
    numbers choose the persons: see `chosen_places` and sql/tools/audit/audited_records.sql.
    Raises: InputError with every problem of the input. Source: evaluation.md section 4.
    """
    problems = [] if people > 0 else [Problem("--people", f"{people} is not a number of people", "give at least 1")]
    with checked_inputs(inputs, resources, progress, problems) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        intake.stage("counting everybody")
        plans = level_plans(catalog, intake.parameters)
        everybody = _counted_first(intake, catalog, plans)
        others, persons = _audited_files(intake, people)
        changes: list[_PersonChange] = []
        for person in persons:
            intake.stage(f"counting without person {len(changes) + 1} of {len(persons)}")
            _read_persons(intake, [others, *(other for other in persons if other != person)])
            count_totals(intake)
            make_group_totals(intake.database, catalog)
            without = _Exact(all_totals(intake.database), count_cells(intake.database, plans))
            changes.append(_person_change(_person(intake, person), everybody, without, catalog))
    violations = [*_repetitions(everybody, catalog), *chain.from_iterable(_violations(one, catalog) for one in changes)]
    violations += [violation for one in changes for violation in share_violations(one.person, one.totals.keys, plans)]
    return StabilityAudit(len(changes), tuple(_level_audits(changes, catalog)), tuple(violations))


def _counted_first(intake: Intake, catalog: Catalog, plans: Sequence[LevelPlan]) -> _Exact:
    """The counts with everybody. The groups whose cells are counted stay the same, whoever is left out."""
    count_totals(intake)
    make_group_totals(intake.database, catalog)
    totals = all_totals(intake.database)
    intake.database.hand_over("stat_levels", every_statistic(plans, totals))
    return _Exact(totals, count_cells(intake.database, plans))


def _audited_files(intake: Intake, people: int) -> tuple[Path, list[Path]]:
    """Parquet files in scratch: one with everybody who is never left out, and one for each person who is left out."""
    everybody = intake.scratch / "audited-records.parquet"
    for name in ("answer_groups", "place_levels"):
        intake.database.create(sql_files()[name])
    intake.database.copy(sql_files()["audited_records"], everybody, "format parquet")
    others, persons = intake.scratch / "audited-others.parquet", []
    with pq.ParquetFile(everybody) as records, pq.ParquetWriter(others, records.schema_arrow) as writer:
        places = records.read(["place"])["place"]
        chosen = pa.array(chosen_places(people, len(places) - places.null_count), pa.int64())
        for batch in records.iter_batches():
            is_chosen = pc.is_in(batch["place"], value_set=chosen)
            writer.write_batch(batch.filter(pc.invert(is_chosen)))
            for person in batch.filter(is_chosen).to_pylist():
                persons.append(intake.scratch / f"audited-person-{person['place']}.parquet")
                pq.write_table(pa.Table.from_pylist([person], records.schema_arrow), persons[-1])
    return others, persons


def chosen_places(people: int, persons: int) -> list[int]:
    """The places of the `people` to leave out, of 1 to `persons`: half of them first, the other half evenly spaced.

    Places go from the most race codes to the fewest. If there are no more than `people` places, all are returned.
    """
    people = min(people, persons)
    first = (people + 1) // 2
    return [
        *range(1, first + 1),
        *(first + number * (persons - first) // (people // 2) for number in range(1, people // 2 + 1)),
    ]


def _person(intake: Intake, file: Path) -> str:
    """File and row of the person whose record is in `file`, as the user knows them."""
    record = pq.read_table(file, columns=["original_file", "original_row"])
    original, row = Path(record["original_file"][0].as_py()), record["original_row"][0].as_py()
    source = intake.sources["persons"]
    if not source.is_parquet:  # rewritten files are numbered in the order of the user's files
        original = source.files[int(original.stem.rpartition("-")[2])]
    return f"{original.name} row {row}"


def _as_written(attribute: Attribute) -> Attribute:
    """The attribute of the audited records: the number of each value, as audited_records.sql writes it."""
    column, _ = columns_of(attribute.name)
    numbers = attribute.numbers
    return Attribute(attribute.name, column, attribute.publish, minimum=numbers[0], maximum=numbers[-1])


def _read_persons(intake: Intake, files: Sequence[Path]) -> None:
    """Let the statements of a run read these files as the persons: records as they were read, of the universe alone."""
    unit = Unit(leave_out=intake.parameters.unit.leave_out)
    attributes = tuple(_as_written(attribute) for attribute in intake.parameters.attributes)
    parameters = replace(intake.parameters, unit=unit, attributes=attributes)
    types = stored_types(intake.sources["persons"], files)
    values = person_values("audited records", [str(file) for file in files], types, parameters)
    intake.database.set_values(values)
    for name in ("person_records", "person_numbers"):
        intake.database.create(sql_files()[name])


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
