"""The stability audit: whether one person changes the counts of a run by no more than the noise is made for.

It compares exact counts, so it is for public or synthetic data only. It does not copy any code of a run: the audit
calls the same functions that count for a run, and so executes the same rendered statements of sql/.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.confidential.counts import (
    all_totals,
    count_cells,
    count_totals,
    every_statistic,
    make_group_totals,
)
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.catalog import Catalog, LevelCatalog, build_catalog
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.public.published_totals import SELECTED, TOTALS, is_by_totals
from safetab_sql.public.readers import person_values
from safetab_sql.public.sources import stored_types
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladders import COUNTED, amounts, measure
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.questions import Question
from safetab_sql.settings.unit import Keep, Unit


@dataclass(frozen=True, slots=True)
class LevelAudit:
    """The effect on one level of leaving people out.

    name: of a sum, after the name of its ladder. bound: by how much one person may change the level, in the norm of the
    privacy definition: see `Unit.bound`.
    most_changed: the largest change that was found. Of a person with one record, both are numbers of population groups.
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
class _Counts:
    """Counts that are not 0, or their changes: int64[n] each. keys: group id x cells of the statistic + cell position.

    A total is the only cell of its statistic.
    """

    keys: Int64s
    amounts: Int64s

    def within(self, keys: range) -> "_Counts":
        """The part that lies in `keys`, where these are sorted."""
        low, high = np.searchsorted(self.keys, [keys.start, keys.stop])
        return _Counts(self.keys[low:high], self.amounts[low:high])

    def norm(self, definition: PrivacyDefinition) -> int:
        """Of changes: their sum (puredp), or the sum of their squares (zcdp)."""
        changes = self.amounts.tolist()  # int64 does not hold the squares of sums
        return sum(changes if definition == "puredp" else (change**2 for change in changes))


@dataclass(frozen=True, slots=True)
class _Exact:
    """Exact totals by what is measured, cells by the id of their statistic, and the groups that published totals pick.

    The first totals count records, and have every group with people.
    """

    totals: dict[str, _Counts]
    cells: dict[int, _Counts]
    selected: pa.Table | None


@dataclass(frozen=True, slots=True)
class _PersonChange:
    """What one person changes. person: file and row, as text. totals, cells: sorted, as of `_Exact`, without zeros.

    is_choice_changed: whether a group that published totals pick, or its table, is another.
    """

    person: str
    totals: dict[str, _Counts]
    cells: dict[int, _Counts]
    is_choice_changed: bool


@dataclass(frozen=True, slots=True)
class _Measure:
    """What is audited of a level: how many records there are, or a sum. name: of the level, or of ladder and level.

    most: by how much what is protected may change one count. bound: as of `LevelAudit`. ladder_ids: those that measure
    it.
    """

    column: str
    name: str
    level: LevelCatalog
    most: int
    bound: int
    ladder_ids: tuple[int, ...]


def audit_stability(
    inputs: InputPaths,
    people: int = 20,
    *,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> StabilityAudit:
    """Count with everybody, and without each of `people` persons in turn, and compare every exact count.

    For public or synthetic data only. What a person may change, and who is left out: evaluation.md section 4.
    Raises: InputError with every problem of the input.
    """
    problems = [] if people > 0 else [Problem("--people", f"{people} is not a number of people", "give at least 1")]
    with checked_inputs(inputs, resources, progress, problems) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        intake.stage("counting everybody")
        plans = level_plans(catalog, intake.parameters)
        everybody = _counted(intake, catalog, plans, is_first=True)
        others, persons = _audited_files(intake, people)
        _read_persons(intake, [others, *persons])
        of_parts = _counted(intake, catalog, plans)
        changes: list[_PersonChange] = []
        for person in persons:
            intake.stage(f"counting without {intake.parameters.unit.holder} {len(changes) + 1} of {len(persons)}")
            _read_persons(intake, [others, *(other for other in persons if other != person)])
            without = _counted(intake, catalog, plans)
            changes.append(_person_change(_person_of(intake, person), of_parts, without))
        measures, definition = _measures(catalog, intake.parameters), intake.parameters.privacy_definition
    outside = _person_change("records outside the parts that are run", everybody, of_parts)
    violations = [*_repetitions(everybody, catalog), *_outside_violations(outside, catalog)]
    violations += chain.from_iterable(_violations(one, catalog, measures, definition) for one in changes)
    levels = []
    for each in measures:
        norms = (one.totals[each.column].within(_group_ids(each.level)).norm(definition) for one in changes)
        levels.append(LevelAudit(each.name, each.bound, max(norms, default=0)))
    return StabilityAudit(len(changes), tuple(levels), tuple(violations))


def stability_text(audit: StabilityAudit, unit: Unit) -> str:
    """The audit as text. unit: of its parameters."""
    rows = [(level.name, str(level.bound), str(level.most_changed)) for level in audit.levels]
    table = aligned([("level", "bound", "most changed"), *rows])
    people = f"{audit.people} {unit.holder if audit.people == 1 else unit.holders} left out, one at a time"
    verdict = f"{len(audit.violations)} violations" if audit.violations else "no level changed more than it may"
    return f"{table}\n{people}: {verdict}"


def _measures(catalog: Catalog, parameters: Parameters) -> list[_Measure]:
    """What is audited: the records of each level, then each sum at the levels of its ladder."""
    unit, definition = parameters.unit, parameters.privacy_definition
    numbered = list(enumerate(parameters.ladders, start=1))
    counting = tuple(number for number, ladder in numbered if ladder.sum is None)
    kinds = [(COUNTED, "", 1, counting)]
    kinds += [
        (measure(parameters.ladders, ladder.name), f"{ladder.name} ", ladder.most_change, (number,))
        for number, ladder in numbered
        if ladder.sum is not None
    ]
    return [
        _Measure(
            *(column, f"{prefix}{level.level.name}", level),
            *(of_record * unit.most_change, unit.bound(level.stability, definition, of_record), ladder_ids),
        )
        for column, prefix, of_record, ladder_ids in kinds
        for level in catalog.levels
        if column == COUNTED or level.total_only[ladder_ids[0]].size
    ]


def _counted(intake: Intake, catalog: Catalog, plans: Sequence[LevelPlan], *, is_first: bool = False) -> _Exact:
    """The counts of the persons who are read now. Cells are counted of the same groups as the first time."""
    database = intake.database
    count_totals(intake)
    make_group_totals(database, catalog)
    totals = all_totals(database)
    if is_first:
        database.hand_over("stat_levels", every_statistic(plans, totals))
    cells, keyed, selected = count_cells(database, plans), {}, None
    for each in catalog.statistics:
        found = cells[each.statistic_id]
        keyed[each.statistic_id] = _Counts(
            found.population_group_ids * each.cells + found.cell_positions, found.exact_counts
        )
    if is_by_totals(intake.parameters):
        database.create(sql_files()[SELECTED])
        selected = database.table(SELECTED, order_by=["ladder_id", "population_group_id"])
    columns = {COUNTED: totals.exact_counts, **totals.sums}
    counted = {name: _Counts(totals.population_group_ids, each) for name, each in columns.items()}
    return _Exact(counted, keyed, selected)


def _person_change(person: str, everybody: _Exact, without: _Exact) -> _PersonChange:
    cells = {each: _change(found, without.cells[each]) for each, found in everybody.cells.items()}
    totals = {name: _change(found, without.totals[name]) for name, found in everybody.totals.items()}
    return _PersonChange(person, totals, cells, everybody.selected != without.selected)


def _change(with_person: _Counts, without: _Counts) -> _Counts:
    keys, places = np.unique(np.concatenate([with_person.keys, without.keys]), return_inverse=True)
    amounts = np.zeros(keys.size, dtype=np.int64)
    np.add.at(amounts, places, np.concatenate([with_person.amounts, -without.amounts]))
    return _Counts(keys[amounts != 0], amounts[amounts != 0])


def _repetitions(exact: _Exact, catalog: Catalog) -> Iterator[str]:
    """Violations of exact tables that hold a total or a cell twice: it would get noise twice."""
    cells = [(f"group_cells of {each.name}", exact.cells[each.statistic_id], each.cells) for each in catalog.statistics]
    for name, counts, keys_a_group in [("group_totals", exact.totals[COUNTED], 1), *cells]:
        in_order = np.sort(counts.keys)
        repeated = in_order[1:][np.diff(in_order) == 0]
        if repeated.size:
            level = _level_name(int(repeated[0]) // keys_a_group, catalog)
            yield f"{level}: whoever is left out: {name} holds a count more than once"


def _level_name(group: int, catalog: Catalog) -> str:
    return next((level.level.name for level in catalog.levels if group in _group_ids(level)), "no level")


def _group_ids(level: LevelCatalog) -> range:
    return range(level.first_population_group_id, level.first_population_group_id + level.population_groups)


def _violations(
    change: _PersonChange, catalog: Catalog, measures: Sequence[_Measure], definition: PrivacyDefinition
) -> Iterator[str]:
    for each in measures:
        for what in chain(_total_violations(change, each, definition), _cell_violations(change, each, catalog)):
            yield f"{each.name}: {change.person}: {what}"
    if change.is_choice_changed:
        yield f"{TOTALS}: {change.person}: other groups get tables, or other tables, though published totals pick them"
    end = sum(level.population_groups for level in catalog.levels)
    keys = change.totals[COUNTED].keys
    if ((keys < 0) | (keys >= end)).any():
        yield f"no level: {change.person}: totals of groups change that belong to no level"


def _outside_violations(change: _PersonChange, catalog: Catalog) -> Iterator[str]:
    """Every change by records that are in no count."""
    totals = next((each for each in change.totals.values() if each.keys.size), change.totals[COUNTED])
    for key in totals.keys[:1]:
        yield f"{_level_name(int(key), catalog)}: {change.person}: {totals.keys.size} totals change with them"
    if any(cells.keys.size for cells in change.cells.values()):
        yield f"cells: {change.person}: the counts of tables change with them"
    if change.is_choice_changed:
        yield f"{TOTALS}: {change.person}: the choice of tables changes with them, though published totals make it"


def _total_violations(change: _PersonChange, measured: _Measure, definition: PrivacyDefinition) -> Iterator[str]:
    totals, most, bound = _totals(change, measured), measured.most, measured.bound
    is_wrong = (totals.amounts < 1) | (totals.amounts > most)
    if is_wrong.any():
        allowed = "one" if most == 1 else f"1 to {most}"
        yield f"the totals of {is_wrong.sum()} population groups change by other than {allowed}"
    if most == 1 and totals.keys.size > bound:
        yield f"the totals of {totals.keys.size} population groups change; the bound is {bound}"
    elif (norm := totals.norm(definition)) > bound:
        yield f"the totals of {totals.keys.size} population groups change by {norm} in all; the bound is {bound}"


def _totals(change: _PersonChange, measured: _Measure) -> _Counts:
    return change.totals[measured.column].within(_group_ids(measured.level))


def _cell_violations(change: _PersonChange, measured: _Measure, catalog: Catalog) -> Iterator[str]:
    level, totals = measured.level, _totals(change, measured)
    ids, changed = _group_ids(level), totals.keys
    for each in [each for each in catalog.statistics if each.ladder_id in measured.ladder_ids]:
        is_total_only = level.total_only[each.ladder_id]
        if not is_total_only.size:  # the ladder does not tabulate the level
            continue
        has_tables = ~is_total_only[(changed - ids.start) % level.iterations]
        found = change.cells[each.statistic_id].within(range(ids.start * each.cells, ids.stop * each.cells))
        groups, places = np.unique(found.keys // each.cells, return_inverse=True)
        sums = np.zeros(groups.size, dtype=np.int64)
        np.add.at(sums, places, found.amounts)
        if (found.amounts < 1).any():
            yield f"{(found.amounts < 1).sum()} cells of {each.name} change by less than one"
        if not (np.array_equal(groups, changed[has_tables]) and np.array_equal(sums, totals.amounts[has_tables])):
            yield f"the cells of {each.name} do not change by as much as the total of each population group"


def _audited_files(intake: Intake, people: int) -> tuple[Path, list[Path]]:
    """Parquet files in scratch: one with everybody who is never left out, and one for each person who is left out.

    Records outside the parts that are run are in none of them: see `_outside_violations`.
    """
    everybody = intake.scratch / "audited-records.parquet"
    for name in ("answer_groups", "place_levels"):
        intake.database.create(sql_files()[name])
    intake.database.copy(sql_files()["audited_records"], everybody, "format parquet")
    others, persons = intake.scratch / "audited-others.parquet", []
    with pq.ParquetFile(everybody) as records, pq.ParquetWriter(others, records.schema_arrow) as writer:
        chosen = pa.array(chosen_places(people, pc.max(records.read(["place"])["place"]).as_py() or 0), pa.int64())
        left_out: dict[int, list[dict[str, object]]] = {}
        for batch in records.iter_batches():
            is_chosen = pc.is_in(batch["place"], value_set=chosen)
            writer.write_batch(batch.filter(pc.and_(pc.invert(is_chosen), pc.is_valid(batch["place"]))))
            for record in batch.filter(is_chosen).to_pylist():
                left_out.setdefault(record["place"], []).append(record)
        for place, rows in left_out.items():
            persons.append(intake.scratch / f"audited-person-{place}.parquet")
            pq.write_table(pa.Table.from_pylist(rows, records.schema_arrow), persons[-1])
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


def _person_of(intake: Intake, file: Path) -> str:
    """File and row of the first record of the person whose records are in `file`, as the user knows them."""
    record = pq.read_table(file, columns=["original_file", "original_row"])
    original, row = Path(record["original_file"][0].as_py()), record["original_row"][0].as_py()
    source = intake.sources["persons"]
    if not source.is_parquet:  # rewritten files are numbered in the order of the user's files
        original = source.files[int(original.stem.rpartition("-")[2])]
    return f"{original.name} row {row}"


def _read_persons(intake: Intake, files: Sequence[Path]) -> None:
    """Let the statements of a run read these files as the persons: records as they were read, of the universe alone."""
    unit = intake.parameters.unit
    if unit.person is None:
        unit = Unit(leave_out=unit.leave_out)
    else:
        order = (f"kept_{n} {'desc' if falls else 'asc'}" for n, (_, falls) in enumerate(unit.keep.columns, start=1))
        unit = replace(unit, where={}, id=None, person="person_key", keep=Keep(tuple(order)))
    attributes = tuple(  # the number of each value, as audited_records.sql writes it
        Attribute(each.name, each.number, each.publish, minimum=each.numbers[0], maximum=each.numbers[-1])
        for each in intake.parameters.attributes
    )
    columns = {amount.ladder: amount.name for amount in amounts(intake.parameters.ladders)}
    ladders = tuple(
        ladder
        if ladder.sum is None
        else replace(ladder, sum=replace(ladder.sum, column=columns[ladder.name], decimals=0))
        for ladder in intake.parameters.ladders
    )
    asked = intake.parameters.questions
    questions = replace(
        asked, several=tuple(map(_as_counted, asked.several)), single=tuple(map(_as_counted, asked.single))
    )
    parameters = replace(intake.parameters, unit=unit, attributes=attributes, ladders=ladders, questions=questions)
    types = stored_types(intake.sources["persons"], files)
    values = person_values("audited records", [str(file) for file in files], types, parameters)
    intake.database.set_values(values)
    for name in ("person_records", "person_numbers"):
        intake.database.create(sql_files()[name])


def _as_counted(question: Question) -> Question:
    """A question of records whose answers are already those that they count as, but for codes that a list lacks."""
    return replace(question, counted_as=replace(question.counted_as, map={}, null=None))
