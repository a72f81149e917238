"""From files as the user names them to a database whose inputs passed every check."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import duckdb
import pyarrow as pa

from safetab_sql.confidential.changes import Stamp, changes, stamps
from safetab_sql.confidential.checks import data_problems
from safetab_sql.confidential.log import confidential_log
from safetab_sql.database import Database, Line, Resources, open_database, scratch_folder
from safetab_sql.errors import InputError, Problem, refuse
from safetab_sql.progress import SILENT, Progress
from safetab_sql.public.catalog import input_files
from safetab_sql.public.columns import GEOGRAPHY
from safetab_sql.public.parameters import Parameters, default_code_lists, load_parameters
from safetab_sql.public.region_expressions import region_expression_problems
from safetab_sql.public.sources import Source, find_code_lists, find_source, stored_types
from safetab_sql.public.statement_values import geography_values, list_values, parameter_values, person_values
from safetab_sql.sqlfiles import sql_files
from safetab_sql.text_files import parquet_files

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class InputPaths:
    """The inputs as the user names them. code_lists: None means the production parameter directory itself."""

    parameters: str | Path
    persons: str | Path
    geography: str | Path
    code_lists: str | Path | None = None


@dataclass(frozen=True, slots=True)
class Intake:
    """Inputs that passed every check. The views and tables of sql/1_inputs that read them stand in `database`.

    sources: the files by the name that statements and checks know them by (`persons`, `geography`, `codes_list`, ...).
    stamps: what each of these files was before it was read. stage: to be called with the name of each stage.
    """

    parameters: Parameters
    sources: Mapping[str, Source]
    stamps: Mapping[Path, Stamp | None]
    database: Database
    scratch: Path
    stage: Line


def changed_inputs(intake: Intake) -> list[Problem]:
    """The input files that are no longer what they were before they were read: to be asked when all are."""
    return changes(intake.sources.values(), intake.stamps)


@contextmanager
def checked_inputs(
    paths: InputPaths,
    resources: Resources,
    progress: Progress = SILENT,
    problems: Sequence[Problem] = (),
) -> Iterator[Intake]:
    """Inputs that passed every check of tabulation.md section 8.

    problems: what is wrong already. Raises: InputError with every problem of files and parameters, or else, when those
    can be read, of the data; the latter also go to the confidential log.
    """
    found = list(problems)
    parameters = _attempt(found, lambda: load_parameters(paths.parameters))
    persons = _attempt(found, lambda: find_source(paths.persons))
    geography = _attempt(found, lambda: find_source(paths.geography))
    lists = _attempt(found, lambda: _code_lists(paths.parameters, paths.code_lists))
    if found or parameters is None or persons is None or geography is None or lists is None:
        raise InputError(found)
    sources = {"persons": persons, "geography": geography, **lists}
    with _checked(parameters, sources, resources, progress) as intake:
        yield intake


@contextmanager
def checked_public_inputs(
    parameters: Path, geography: str | Path | None, code_lists: Path | None, resources: Resources
) -> Iterator[Intake]:
    """The inputs without any person: checked like those of a run, as far as they are given.

    Without a geography the run has no blocks, and so no regions. Raises: InputError with every problem.
    """
    found: list[Problem] = []
    read = _attempt(found, lambda: load_parameters(parameters))
    blocks = None if geography is None else _attempt(found, lambda: find_source(geography))
    lists = _attempt(found, lambda: _code_lists(parameters, code_lists))
    if found or read is None or lists is None:
        raise InputError(found)
    sources = lists if blocks is None else {"geography": blocks, **lists}
    with _checked(read, sources, resources, SILENT) as intake:
        if blocks is None:
            intake.database.set_values({"extra_columns": []})
            intake.database.hand_over(
                "geography_rows", pa.table({name: pa.array([], pa.string()) for name in GEOGRAPHY})
            )
        yield intake


def _attempt(problems: list[Problem], step: Callable[[], T]) -> T | None:
    """The result of `step`; None, and its problems added to `problems`, where it refuses its input."""
    try:
        return step()
    except InputError as error:
        problems.extend(error.problems)
        return None


def _code_lists(parameters: str | Path, given: str | Path | None) -> dict[str, Source]:
    """The four code lists: in the folder `given`, or beside production's parameters."""
    folder = default_code_lists(Path(parameters)) if given is None else Path(given)
    if folder is None:
        fix = "give their folder as --code-lists"
        raise InputError([Problem(str(parameters), "no code lists stand beside the parameters", fix)])
    return find_code_lists(folder)


@contextmanager
def _checked(
    parameters: Parameters,
    sources: Mapping[str, Source],
    resources: Resources,
    progress: Progress,
) -> Iterator[Intake]:
    """The inputs in a database of their own, after every check that they allow."""
    readable = [file for source in sources.values() for file in source.files]
    with (
        confidential_log(resources.confidential_log) as log,
        scratch_folder(resources.scratch) as scratch,
        open_database(scratch, readable, [], resources, log, progress.step) as database,
    ):

        def stage(name: str) -> None:
            log(f"stage: {name}")
            progress.stage(name)

        stage("checking the inputs")
        intake = Intake(parameters, sources, stamps(sources.values()), database, scratch, stage)
        try:
            if problems := _table_problems(intake):
                problems += changed_inputs(intake)
            for problem in problems:
                log(str(problem))
            refuse(problems)
            yield intake
        except duckdb.Error as error:
            if changed := changed_inputs(intake):
                raise InputError(changed) from error
            raise


def _table_problems(intake: Intake) -> list[Problem]:
    """Read every input as far as its columns allow, and run every check on what can be read."""
    problems: list[Problem] = []
    originals: dict[str, str] = {}
    intake.database.set_values(parameter_values(intake.parameters))
    for name in intake.sources:
        originals |= _attempt(problems, lambda name=name: _read(intake, name)) or {}  # type: ignore[misc]
    tables = set()
    for file in [*input_files(), sql_files()["person_records"]]:
        if intake.database.has_values(file):
            intake.database.create(file)
            tables.add(file.name)
    places = {name: source.given for name, source in intake.sources.items()}
    return problems + data_problems(intake.database, tables, places, originals)


def _read(intake: Intake, name: str) -> dict[str, str]:
    """Set the values that read input `name`; the user's file for each file that will be read.

    Raises: InputError where it cannot be read as the table that it should be.
    """
    source, parameters = intake.sources[name], intake.parameters
    files = parquet_files(intake.database, source, intake.scratch, name)
    types = stored_types(source, files)
    arguments = (source.given, [str(file) for file in files], types)
    if name == "persons":
        values = person_values(*arguments, parameters)
    elif name == "geography":
        refuse(region_expression_problems(parameters, list(types[0])))
        values = geography_values(*arguments, parameters)
    else:
        values = list_values(name, *arguments)
    intake.database.set_values(values)
    return dict(zip(map(str, files), map(str, source.files), strict=True))
