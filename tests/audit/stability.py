"""Whether one person changes the counts of a run by no more than the noise is made for: counts without that person.

The same functions count as for a run, and so execute the same rendered statements of sql/.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.plan import level_plans
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.catalog import LevelCatalog, build_catalog
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.public.readers import person_values
from safetab_sql.public.sources import stored_types
from safetab_sql.public.values import first_statistic, measure, rows_of
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladders import COUNTED
from safetab_sql.settings.parameters import Parameters
from tests.audit.compensated_run import CountedExtract, counted
from tests.audit.compensation import Counts
from tests.audit.neighbours import (
    Extract,
    are_inside,
    called,
    chosen_places,
    persons_of,
    read_extract,
    turned,
    without,
    write_extract,
)


@dataclass(frozen=True, slots=True)
class LevelAudit:
    """The effect on one level of leaving people out. name: of a sum, after the name of its ladder.

    bound: by how much one person may change it, in the norm of the privacy definition: see `Unit.bound`. most_changed:
    the largest change that was found.
    """

    name: str
    bound: int
    most_changed: int


@dataclass(frozen=True, slots=True)
class StabilityAudit:
    """people: how many were left out, one at a time. violations: one sentence each, which names level and person."""

    people: int
    levels: tuple[LevelAudit, ...]
    violations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Measure:
    """What is audited of a level: how many records there are, or a sum. most: by how much a person may change a count.

    name, bound: as of `LevelAudit`. ladder_ids: those that measure it.
    """

    column: str
    name: str
    level: LevelCatalog
    most: int
    bound: int
    ladder_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """What one person changes. counts: by what is counted, as of `CountedExtract.counts`, without zeros."""

    person: str
    counts: dict[Any, Counts]
    is_choice_changed: bool


def audit_stability(inputs: InputPaths, people: int = 20) -> StabilityAudit:
    """Count with everybody, and without each of `people` persons in turn, and compare every exact count.

    For public or made-up people. What a person may change: evaluation.md section 4. Raises: InputError with every
    problem of the input.
    """
    with checked_inputs(inputs, Resources(threads=1)) as intake:
        parameters = intake.parameters
        catalog = build_catalog(intake.database, parameters)
        plans = level_plans(catalog, parameters)
        measures, definition = _measures(catalog, intake), parameters.privacy_definition
        everybody = counted(intake, catalog, plans)
        misread = _misread(intake, read_extract(str(inputs.persons), parameters.unit))
        of = [each.column for each in measures] + [each[2:] for each in _statistics(parameters)]
        extract = turned(read_extract(str(inputs.persons), parameters.unit))
        persons = persons_of(extract)

        def change(name: str, files: Extract, before: CountedExtract) -> tuple[_Change, CountedExtract]:
            _read_persons(intake, files)
            after = counted(intake, catalog, plans)
            changes = {each: _change(before.counts(each), after.counts(each)) for each in of}
            return _Change(name, changes, not _are_equal(before, after)), after

        order, everybody_again = change("all records in another order", extract, everybody)
        changes = []
        for place in chosen_places(people, len(persons)):
            person = persons[place - 1]
            changes.append(change(called(person), without(extract, person), everybody_again)[0])
    twice = [each for each in of if (np.diff(np.sort(everybody.counts(each)[0])) == 0).any()]
    repeated = [f"every level: whoever is left out: the counts of {each} hold one more than once" for each in twice]
    violations = [*misread, *repeated]
    if order.is_choice_changed or any(ids.size for ids, _ in order.counts.values()):
        violations.append("every level: counts differ with all records in another order")
    violations += chain.from_iterable(_violations(one, everybody, measures, definition) for one in changes)
    levels = []
    for each in measures:
        norms = (_norm(_totals(one, each)[1], definition) for one in changes)
        levels.append(LevelAudit(each.name, each.bound, max(norms, default=0)))
    return StabilityAudit(len(changes), tuple(levels), tuple(violations))


def _measures(levels: tuple[LevelCatalog, ...], intake: Intake) -> list[_Measure]:
    """What is audited: the records of each level, then each sum at the levels of its ladder."""
    unit, ladders, definition = intake.parameters.unit, intake.parameters.ladders, intake.parameters.privacy_definition
    numbered = list(enumerate(ladders, start=1))
    kinds = [(COUNTED, "", 1, tuple(number for number, ladder in numbered if ladder.sum is None))]
    kinds += [
        (measure(ladders, ladder.name), f"{ladder.name} ", ladder.most_change, (number,))
        for number, ladder in numbered
        if ladder.sum is not None
    ]
    return [
        _Measure(
            *(column, f"{prefix}{level.level.name}", level),
            *(of_record * unit.most_change, unit.bound(level.stability, definition, of_record), ladder_ids),
        )
        for column, prefix, of_record, ladder_ids in kinds
        for level in levels
        if column == COUNTED or level.total_only[ladder_ids[0]].size
    ]


def _misread(intake: Intake, extract: Extract) -> list[str]:
    """Whether the run reads as many records and persons as another reader finds in the files."""
    wanted, found = sum(file.records.num_rows for file in extract), intake.database.rows("person_universe")
    said = [] if found == wanted else [f"the run reads {found} records, and another reader {wanted}"]
    if intake.parameters.unit.person is None:
        return said
    keys = {key for file in extract for key in file.keys.filter(pa.array(are_inside(file))).to_pylist()}
    persons = len(keys - {None, "", "Null"})
    read = len(intake.database.table("person_records", columns=["person_key"])["person_key"].drop_null().unique())
    return said if read == persons else [*said, f"the run reads {read} persons, and another reader {persons}"]


def _read_persons(intake: Intake, files: Extract) -> None:
    """Let the statements of a run read these records as the persons."""
    folder = intake.scratch / "audited"
    write_extract(files, folder)
    paths = [folder / file.name for file in files]
    types = stored_types(intake.sources["persons"], paths)
    values = person_values("audited records", [str(path) for path in paths], types, intake.parameters)
    intake.database.set_values(values)
    for name in ("person_records", "person_numbers"):
        intake.database.create(sql_files()[name])


def _change(before: Counts, after: Counts) -> Counts:
    ids, places = np.unique(np.concatenate([before[0], after[0]]), return_inverse=True)
    amounts = np.zeros(ids.size, dtype=np.int64)
    np.add.at(amounts, places, np.concatenate([before[1], -after[1]]))
    return ids[amounts != 0], amounts[amounts != 0]


def _are_equal(one: CountedExtract, other: CountedExtract) -> bool:
    """Whether published totals pick the same groups, and the same tables of them."""
    pairs = [(one.selected[key], other.selected[key]) for key in {**one.selected, **other.selected}]
    return all(
        np.array_equal(mine, theirs) for these, those in pairs for mine, theirs in zip(these, those, strict=True)
    )


def _norm(changes: Int64s, definition: PrivacyDefinition) -> int:
    """Their sum (puredp), or the sum of their squares (zcdp), which int64 does not hold where sums change."""
    return sum(changes.tolist() if definition == "puredp" else (change**2 for change in changes.tolist()))


def _within(counts: Counts, level: LevelCatalog, cells: int = 1) -> Counts:
    """The counts of a level. cells: of each group."""
    first = level.first_population_group_id
    between = slice(*np.searchsorted(counts[0], [first * cells, (first + level.population_groups) * cells]))
    return counts[0][between], counts[1][between]


def _totals(change: _Change, measured: _Measure) -> Counts:
    return _within(change.counts[measured.column], measured.level)


def _violations(
    change: _Change, exact: CountedExtract, measures: list[_Measure], definition: PrivacyDefinition
) -> Iterator[str]:
    for each in measures:
        for what in chain(_total_violations(change, each, definition), _cell_violations(change, each, exact)):
            yield f"{each.name}: {change.person}: {what}"
    if change.is_choice_changed:
        yield f"totals: {change.person}: other groups get tables, or other tables, though published totals pick them"
    end, ids = sum(level.population_groups for level in exact.catalog), change.counts[COUNTED][0]
    if ((ids < 0) | (ids >= end)).any():
        yield f"no level: {change.person}: totals of groups change that belong to no level"


def _total_violations(change: _Change, measured: _Measure, definition: PrivacyDefinition) -> Iterator[str]:
    (ids, amounts), most, bound = _totals(change, measured), measured.most, measured.bound
    is_wrong = (amounts < 1) | (amounts > most)
    if is_wrong.any():
        yield f"the totals of {is_wrong.sum()} population groups change by other than 1 to {most}"
    if (norm := _norm(amounts, definition)) > bound:
        yield f"the totals of {ids.size} population groups change; the bound is {bound}, and they change by {norm}"


def _statistics(parameters: Parameters) -> Iterator[tuple[int, str, int, int]]:
    """The ladder of each table, its name, its id, and how many cells it has."""
    for number, ladder in enumerate(parameters.ladders, start=1):
        first = first_statistic(parameters.ladders, ladder)
        for place, cells in enumerate(rows_of(parameters, ladder).sizes):
            yield number, ladder.statistics[place].name, first + place, cells


def _cell_violations(change: _Change, measured: _Measure, exact: CountedExtract) -> Iterator[str]:
    level, (changed, by) = measured.level, _totals(change, measured)
    for ladder, name, statistic, cells in _statistics(exact.parameters):
        is_total_only = level.total_only[ladder]
        if ladder not in measured.ladder_ids or not is_total_only.size:  # the ladder does not tabulate the level
            continue
        has_tables = ~is_total_only[(changed - level.first_population_group_id) % level.iterations]
        ids, amounts = _within(change.counts[statistic, cells], level, cells)
        groups, places = np.unique(ids // cells, return_inverse=True)
        sums = np.zeros(groups.size, dtype=np.int64)
        np.add.at(sums, places, amounts)
        if (amounts < 1).any():
            yield f"{(amounts < 1).sum()} cells of {name} change by less than one"
        if not (np.array_equal(groups, changed[has_tables]) and np.array_equal(sums, by[has_tables])):
            yield f"the cells of {name} do not change by as much as the total of each population group"
