"""The rows of a person view become a Parquet file in a private folder, which ends with the command."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import duckdb

from safetab_sql.confidential.handed_over import FilesOfInputs
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import engine_path
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.as_parquet import parquet_files
from safetab_sql.public.copies import find_records
from safetab_sql.public.gate import Confidential, public_file, public_source
from safetab_sql.public.inputs import InputPaths, attempt, public_parameters
from safetab_sql.public.person_views import Columns, PersonView, checked_view, view_problems
from safetab_sql.public.sources import Source, changes, find_source, stamps, stored_types
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.records import RecordsQuery, ViewTable


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
