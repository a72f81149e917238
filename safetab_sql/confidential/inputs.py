"""The inputs of a run: public ones, and the person files beside them."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path

import duckdb

from safetab_sql.confidential.handed_over import FilesOfInputs, files_of_inputs, has_tables
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import engine_path, is_object, sha256_of
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.as_parquet import parquet_files
from safetab_sql.public.checks import checks_of_the_whole
from safetab_sql.public.copies import UNREADABLE, find_records, rewritten_copies, stored_columns, unread_folders
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL, Confidential, public_file, public_source, records_at, renamed
from safetab_sql.public.inputs import (
    FoundInputs,
    InputPaths,
    Intake,
    attempt,
    code_lists_of,
    opened_inputs,
    public_parameters,
)
from safetab_sql.public.person_views import Columns, PersonView, checked_view, view_problems
from safetab_sql.public.published_totals import TOTALS, public_totals
from safetab_sql.public.readers import REGION_NAMES, person_columns
from safetab_sql.public.sources import Source, changes, find_source, partition, stamps, stored_types
from safetab_sql.settings.ladders import amounts
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.records import RecordsQuery, ViewTable
from safetab_sql.settings.unit import several_rows


@contextmanager
def checked_inputs(
    paths: InputPaths, resources: Resources, progress: Progress = SILENT, problems: Sequence[Problem] = ()
) -> Iterator[Intake]:
    """Inputs that passed every check of tabulation.md section 8.

    problems: problems found before. Raises: InputError with every problem of files and parameters; if there is none,
    with every problem of the data. Problems of the data and warnings also go to the confidential log.
    """
    if has_tables(paths):
        refuse(problems)  # such as a scratch folder in OUT, where no record may be written
    with files_of_inputs(paths, resources) as given, files_of_view(given, resources, problems) as files:
        found = _found_by_name(files, problems, resources)
        with opened_inputs(found, resources, progress) as intake:
            yield intake


@contextmanager
def inputs_in_parts(
    paths: InputPaths,
    resources: Resources,
    progress: Progress = SILENT,
    problems: Sequence[Problem] = (),
    table: str | None = None,
) -> Iterator[Intake]:
    """The inputs of people who are counted in parts: as `checked_inputs`, but for the checks that the parts make.

    No input may be a table that Python holds. table: what messages call the persons where their file holds columns and
    no record, because the parts alone can read them: then no check looks at records here. Raises: InputError.
    """
    refuse([*problems, *_table_problems(paths), *_view_problems(paths)])
    files = FilesOfInputs(paths, {} if table is None else {str(paths.persons): table})
    found = _found_by_name(files, (), resources)
    made = [file for file in checks_of_the_whole() if table is None or "whole" not in file.fields]
    with opened_inputs(found, resources, progress, made) as intake:
        yield intake


@contextmanager
def public_inputs(
    paths: InputPaths, resources: Resources, progress: Progress = SILENT, problems: Sequence[Problem] = ()
) -> Iterator[Intake]:
    """The inputs of people who have been counted: no person file is opened. Raises: InputError with every problem."""
    found = _found(paths, problems, resources, is_public=True)
    with opened_inputs(FoundInputs(found.parameters, found.public), resources, progress) as intake:
        yield intake


def _table_problems(paths: InputPaths) -> list[Problem]:
    """A problem where an input is a table that Python holds: no other process can read it."""
    fix = "write it to a file, and name that"
    return [Problem("inputs", "a table in memory cannot be counted in parts", fix)] if has_tables(paths) else []


def _view_problems(paths: InputPaths) -> list[Problem]:
    """A problem where a statement makes the records: a part of the tables may hold a part of a person."""
    fix = "count on one machine, without parts and without Spark; or write the result of the statement to files first"
    what = "records that a statement makes cannot be counted in parts"
    return [] if parameters_with_view(paths) is None else [Problem(f"{paths.parameters} [records]", what, fix)]


def _found(
    paths: InputPaths,
    problems: Sequence[Problem],
    resources: Resources,
    private: tuple[Source, ...] = (),
    *,
    is_public: bool = False,
) -> FoundInputs:
    """The files that `paths` names, without the person files if `is_public`. private: other files of records.

    Raises: InputError with `problems` and every further one.
    """
    found = list(problems)
    objects = paths.object_storage
    records = NOTHING_CONFIDENTIAL if is_public else records_at(paths.persons, resources=resources, objects=objects)
    records = replace(records, sources=(*records.sources, *private))
    parameters = attempt(found, lambda: public_parameters(paths.parameters, records))
    person_id = attempt(found, lambda: person_id_of(paths, parameters))
    wanted = {} if parameters is None else person_columns(parameters, person_id)
    persons = attempt(
        found, lambda: {} if is_public else {"persons": find_records(paths.persons, wanted, objects=objects)}
    )
    geography = attempt(found, lambda: public_source("geography", paths.geography, records, objects=objects))
    lists = attempt(
        found, lambda: code_lists_of(paths.parameters, paths.code_lists, parameters, records, objects=objects)
    )
    totals = names = None
    if parameters is not None and lists is not None:
        are_public = paths.totals_are_public
        totals = attempt(found, lambda: public_totals(paths.totals, parameters, lists, records, are_public=are_public))
    if (given := paths.region_names) is not None:
        names = attempt(found, lambda: public_source(REGION_NAMES, given, records))
    named = {"geography": geography, **(lists or {}), TOTALS: totals, REGION_NAMES: names}
    public = {name: each for name, each in named.items() if each is not None}
    found += [each for source in (persons or {}).values() for each in rewritten_copies(source, wanted, resources)]
    if found or parameters is None or persons is None:
        raise InputError(found)
    folders = [(source.given, source.files) for source in persons.values() if source.is_parquet]
    warnings = [warning for given, files in folders for warning in unread_folders(given, files, wanted)]
    for source in persons.values() if person_id is None else ():
        with suppress(*UNREADABLE):
            warnings += several_rows(source.given, parameters.unit, stored_columns(source), wanted)
    return FoundInputs(parameters, public, persons, person_id, tuple(warnings))


def _found_by_name(files: FilesOfInputs, problems: Sequence[Problem], resources: Resources) -> FoundInputs:
    """As `_found`; it calls what was no file by its name."""
    try:
        found = _found(files.paths, problems, resources, files.private)
    except InputError as error:
        raise InputError([files.problem(problem) for problem in error.problems]) from error
    public = {name: renamed(each, files.source(each.source).given) for name, each in found.public.items()}
    return replace(found, public=public, records={name: files.source(each) for name, each in found.records.items()})


def person_id_of(paths: InputPaths, parameters: Parameters | None) -> str | None:
    """The column of ids, from the option or the parameters. Raises: InputError where they name two columns."""
    declared = None if parameters is None else parameters.unit.id
    if paths.person_id is not None and declared not in (None, paths.person_id):
        what = f"names {paths.person_id}, and unit.id in {paths.parameters} {declared}"
        raise InputError([Problem("--person-id", what, "name the column once")])
    return paths.person_id or declared


def records_sha256(parameters: Parameters, persons: Source, geography: Source) -> str:
    """Digest of everything that decides which records a run counts in which part, exactly.

    By it a ledger knows that the parts of two runs hold different records: both read the same records, divided alike.

    Person files and geography by their bytes, the columns of the place, the parts, and which records count. It follows
    from the records, so it belongs into the custodian's ledger and into nothing that is given away.

    Empty where it cannot matter, because the run has every part of its geography; where a person may have records in
    several parts; and where the bytes are not at hand: in object storage and in tables of databases.
    Source: accounting.md section 8.4.
    """
    places = parameters.geography
    if (
        len(places.run) == len(places.parts)
        or parameters.unit.person is not None
        or not (_is_at_hand(persons) and _is_at_hand(geography))
    ):
        return ""
    said = {
        "files": [_digests(source) for source in (persons, geography)],
        "place": [asdict(column) for column in places.place],
        "parts": [asdict(part) for part in places.parts],
        "elsewhere": dict(places.elsewhere),
        "unit": asdict(parameters.unit),
        "attributes": [asdict(attribute) for attribute in parameters.attributes],
        "questions": asdict(parameters.questions),
        **({"amounts": [asdict(amount) for amount in added]} if (added := amounts(parameters.ladders)) else {}),
        "software": metadata.version("safetab-sql"),  # which reads place and parts
    }
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _is_at_hand(source: Source) -> bool:
    return source.table is None and not any(map(is_object, source.files))


def _digests(source: Source) -> list[list[object]]:
    """Of each file, in any order of the files: the columns in the names of its folders, and its SHA-256."""
    return sorted([sorted(partition(file.parent).items()), sha256_of(file)] for file in source.files)


# The rows of a person view become a Parquet file in a private folder, which ends with the command.


def parameters_with_view(paths: InputPaths) -> Parameters | None:
    """The parameters, if a statement makes the records; None also of a file that cannot be read: others say why."""
    with suppress(InputError):
        parameters = public_parameters(paths.parameters)
        return parameters if parameters.records is not None else None
    return None


@contextmanager
def files_of_view(
    files: FilesOfInputs, resources: Resources, problems: Sequence[Problem] = ()
) -> Iterator[FilesOfInputs]:
    """The inputs with the rows of the view in place of the persons, as long as the block lasts.

    problems: found before, such as a scratch folder in OUT, where no record may be written.
    Raises: InputError where the statement is refused or fails on the records, or a table cannot be read.
    """
    parameters = parameters_with_view(files.paths)
    if parameters is None or parameters.records is None:
        yield files
        return
    refuse(problems)
    query, person = parameters.records, str(parameters.unit.person)
    where = str(parameters.source.parent / query.query)
    view = checked_view(query.text, query.tables, person, where)
    folder = Path(str(files.paths.persons))
    if not folder.is_dir():
        fix = "name the folder that holds the files of the private tables of [records]"
        raise InputError([Problem(f"--persons {folder}", "is no folder", fix)])
    sources = _sources(query, parameters.source.parent, folder, resources)
    before = stamps(sources.values())
    with scratch_folder(resources.scratch) as scratch:
        readable = [file for source in sources.values() for file in source.files]
        target = scratch / "persons.parquet"
        with open_database(scratch, readable, [], resources) as database:
            files_of = {name: parquet_files(database, source, scratch, name) for name, source in sources.items()}
            columns = {name: _shown(database, name, source, files_of[name]) for name, source in sources.items()}
            refuse(view_problems(view, query.tables, columns, where))
            refuse(
                [problem for each in query.tables for problem in _without_person(database, each, files_of[each.name])]
            )
            _write(database, view, target, where)
        refuse(changes(sources.values(), before))
        private = tuple(sources[each.name] for each in query.tables if each.person is not None)
        paths, names = replace(files.paths, persons=target), {**files.names, str(target): where}
        yield FilesOfInputs(paths, names, private)


def _sources(query: RecordsQuery, beside: Path, folder: Path, resources: Resources) -> Mapping[str, Source]:
    """The files of each table. Raises: InputError with every table that is not there, or may not pass as public."""
    found, problems = dict[str, Source](), list[Problem]()
    for each in [each for each in query.tables if each.person is not None]:
        source = attempt(problems, lambda each=each: _records(str(folder / each.files)))  # type: ignore[misc]
        found |= {} if source is None else {each.name: source}
    records = Confidential(tuple(found.values()), resources)
    attempt(problems, lambda: public_file("query", beside / query.query, records))
    for each in [each for each in query.tables if each.person is None]:
        public = attempt(
            problems,
            lambda each=each: public_source(each.name, str(beside / each.files), records),  # type: ignore[misc]
        )
        found |= {} if public is None else {each.name: public.source}
    refuse(problems)
    return found


def _records(given: str) -> Source:
    """The files of a private table, in which no record stands twice."""
    source = find_source(given)
    columns = stored_types(source, source.files)[0] if source.is_parquet else {}
    return find_records(given, list(columns))


def _shown(database: Database, name: str, source: Source, files: Sequence[Path]) -> Columns:
    """The columns of a table, which the statement can read from now on. Raises: InputError where files differ."""
    types = stored_types(source, files)
    for file, columns in zip(source.files, types, strict=False):
        if columns != types[0]:
            what = f"has other columns than {source.files[0]}"
            raise InputError([Problem(str(file), what, "write all files of a table with the same columns and types")])
    database.show(name, files)
    return types[0]


def _without_person(database: Database, table: ViewTable, files: Sequence[Path]) -> Iterator[Problem]:
    """A problem where a row of a private table names no person."""
    if table.person is None:
        return
    database.set_values({"view_files": list(map(engine_path, files)), "person_column": table.person})
    if database.found(sql_files()["records_without_person"]):
        what = f"rows have no {table.person}"
        yield Problem(f"[records.tables.{table.name}]", what, "leave them out of the files: they are of no person")


def _write(database: Database, view: PersonView, target: Path, where: str) -> None:
    """Write the rows of a view. Raises: InputError, which tells no value, where it fails on some row."""
    try:
        database.write_query(view.text, target)
    except (duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException) as error:
        what = f"fails on some row: {type(error).__name__}"
        fix = "write try_cast in place of cast, and see to it that no sum or subquery can fail on any records"
        raise InputError([Problem(where, what, fix)]) from None
