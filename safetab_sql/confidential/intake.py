"""From files as the user names them to a database whose inputs passed every check."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from safetab_sql.confidential.checks import data_problems
from safetab_sql.confidential.log import confidential_log
from safetab_sql.database import Database, Resources, no_log, open_database, scratch_folder
from safetab_sql.errors import InputError, Problem, refuse
from safetab_sql.public.catalog import input_files
from safetab_sql.public.parameters import Parameters, default_code_lists, load_parameters
from safetab_sql.public.region_expressions import region_expression_problems
from safetab_sql.public.sources import Source, find_code_lists, find_source, stored_types
from safetab_sql.public.statement_values import geography_values, list_values, parameter_values, person_values
from safetab_sql.sqlfiles import sql_files
from safetab_sql.text_files import parquet_files

T = TypeVar("T")
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class InputPaths:
    """The inputs as the user names them. code_lists: None means the production parameter directory itself."""

    parameters: Path
    persons: str | Path
    geography: str | Path
    code_lists: Path | None = None


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of the inputs; lists by statement parameter (`codes_list`, ...)."""

    persons: Source
    geography: Source
    lists: Mapping[str, Source]

    def named(self) -> dict[str, Source]:
        """Every source by the name that statements and checks know it by."""
        return {"persons": self.persons, "geography": self.geography, **self.lists}


@dataclass(frozen=True, slots=True)
class Intake:
    """Inputs that passed every check. The views and tables of sql/1_inputs that read them stand in `database`."""

    parameters: Parameters
    sources: Sources
    database: Database
    scratch: Path


@contextmanager
def checked_inputs(
    paths: InputPaths,
    resources: Resources,
    progress: Progress = no_log,
    problems: Sequence[Problem] = (),
) -> Iterator[Intake]:
    """Inputs that passed every check of tabulation.md section 8.

    problems: what is wrong already, to be reported together with what is found here. Raises: InputError with every
    problem; the problems also go to the confidential log.
    """
    found = list(problems)
    parameters = _attempt(found, lambda: load_parameters(paths.parameters))
    sources = _sources(found, paths)
    if parameters is None or sources is None:
        raise InputError(found)
    readable = [file for source in sources.named().values() for file in source.files]
    with (
        confidential_log(resources.confidential_log) as log,
        scratch_folder(resources.scratch) as scratch,
        open_database(scratch, readable, [], resources, log) as database,
    ):
        progress("checking the inputs")
        found += _table_problems(database, parameters, sources, scratch)
        for problem in found:
            log(str(problem))
        refuse(found)
        yield Intake(parameters, sources, database, scratch)


def _attempt(problems: list[Problem], step: Callable[[], T]) -> T | None:
    """The result of `step`; None, and its problems added to `problems`, where it refuses its input."""
    try:
        return step()
    except InputError as error:
        problems.extend(error.problems)
        return None


def _sources(problems: list[Problem], paths: InputPaths) -> Sources | None:
    folder = paths.code_lists or default_code_lists(paths.parameters)
    persons = _attempt(problems, lambda: find_source(paths.persons))
    geography = _attempt(problems, lambda: find_source(paths.geography))
    lists = None
    if folder is None:
        fix = "give their folder as --code-lists"
        problems.append(Problem(str(paths.parameters), "no code lists stand beside the parameters", fix))
    else:
        lists = _attempt(problems, lambda: find_code_lists(folder))
    if persons is None or geography is None or lists is None:
        return None
    return Sources(persons, geography, lists)


def _table_problems(database: Database, parameters: Parameters, sources: Sources, scratch: Path) -> list[Problem]:
    """Read every input as far as its columns allow, and run every check on what can be read."""
    problems: list[Problem] = []
    originals: dict[str, str] = {}
    database.set_values(parameter_values(parameters))
    for name, source in sources.named().items():

        def read(name: str = name, source: Source = source) -> None:
            files = parquet_files(database, source, scratch, name)
            originals.update(zip(map(str, files), map(str, source.files), strict=True))
            types = stored_types(source, files)
            arguments = (source.given, [str(file) for file in files], types)
            if name == "persons":
                values = person_values(*arguments, parameters)
            elif name == "geography":
                refuse(region_expression_problems(parameters, list(types[0])))
                values = geography_values(*arguments, parameters)
            else:
                values = list_values(name, *arguments)
            database.set_values(values)

        _attempt(problems, read)
    tables = set()
    for file in [*input_files(), sql_files()["person_records"]]:
        if database.has_values(file):
            database.create(file)
            tables.add(file.name)
    places = {name: source.given for name, source in sources.named().items()}
    return problems + data_problems(database, tables, places, originals)
