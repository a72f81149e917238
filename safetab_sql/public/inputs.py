"""From public files that the user names to a database whose inputs passed every check; confidential/ adds persons."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Line, Progress, confidential_log
from safetab_sql.kit.sqlfiles import SqlFile, folder_files, sql_files
from safetab_sql.public import readers
from safetab_sql.public.checks import Checks, Each, Findings, checked_parts, places_of
from safetab_sql.public.columns import PLAIN, StoredTypes, column_expressions
from safetab_sql.public.expressions import presumed_columns, region_expression_problems
from safetab_sql.public.gate import Confidential, Public, public_code_lists, public_file, public_source
from safetab_sql.public.sources import Source, Stamp, changes, footer_of, stamps, stored_types
from safetab_sql.public.text_files import parquet_files
from safetab_sql.public.values import parameter_values, question_values
from safetab_sql.settings.census import CENSUS, general
from safetab_sql.settings.parameters import CONFIG, Parameters, census, load_parameters, parameter_document
from safetab_sql.settings.reading import read_toml

T = TypeVar("T")
PERSONS, GEOGRAPHY = "persons", "geography"  # what these inputs are called
CODE_LISTS = "code-lists"  # the folder beside a parameter file that holds the code lists, if none is named
# The inputs by their names in statements and checks, public ones as such; and warnings of names of files and columns.
FoundInputs = tuple[Parameters, Mapping[str, Source], Sequence[Problem]]


@dataclass(frozen=True, slots=True)
class InputPaths:
    """The inputs as the user names them.

    code_lists: a folder; None means the production parameter directory itself.
    totals: published totals, where these pick tables. region_names: names of regions, for those who read the release.
    totals_are_public: whether totals are taken although no manifest beside them says whose; the run is not releasable.
    """

    parameters: str | Path
    persons: str | Path | Any  # or a table of Spark, where Spark counts
    geography: str | Path
    code_lists: str | Path | None = None
    totals: str | Path | None = None
    region_names: str | Path | None = None
    totals_are_public: bool = False


@dataclass(frozen=True, slots=True)
class Intake:
    """Inputs that passed every check. The views and tables of sql/run/1_inputs that read them are in `database`.

    sources: the files by their name in statements and checks (`persons`, `geography`, `codes_list`, ...). stamps: the
    stamp of each file before it was read. stage: call it with the name of each stage. checks: the checks of the inputs;
    `screened` checks have not been made. warnings: findings of the checks that do not refuse the inputs.
    """

    parameters: Parameters
    sources: Mapping[str, Source]
    stamps: Mapping[Path, Stamp | None]
    database: Database
    scratch: Path
    stage: Line
    checks: Checks
    warnings: tuple[Problem, ...] = ()

    @property
    def public(self) -> dict[str, Public]:
        """The sources that are public, as they passed the gate."""
        return {name: each for name, each in self.sources.items() if isinstance(each, Public)}


def changed_inputs(intake: Intake) -> list[Problem]:
    """The input files that changed since before they were read: call this when all have been read."""
    return changes(intake.sources.values(), intake.stamps)


@contextmanager
def checked_public_inputs(
    parameters: str | Path, geography: str | Path | None, code_lists: str | Path | None, resources: Resources
) -> Iterator[Intake]:
    """The public inputs, checked like the inputs of a run, as far as they are given.

    Without a geography the run has no blocks, and so no regions. Raises: InputError with every problem.
    """
    found: list[Problem] = []
    read = attempt(found, lambda: public_parameters(parameters))
    blocks = None if geography is None else attempt(found, lambda: public_source("geography", geography))
    lists = attempt(found, lambda: code_lists_of(parameters, code_lists, read))
    columns = attempt(found, lambda: presumed_columns(read) if read and geography is None else [])
    if found or read is None or lists is None or columns is None:
        raise InputError(found)
    public = lists if blocks is None else {"geography": blocks, **lists}
    with opened_inputs((read, public, ()), resources, SILENT) as intake:
        if blocks is None:
            texts = dict.fromkeys([*columns, readers.PART_COLUMN], pa.string())
            intake.database.set_values(readers.geography_values("geography", [], [texts], read))
            intake.database.hand_over("geography_rows", pa.schema(list(texts.items())).empty_table())
            intake.database.create(sql_files()["geography_areas"])
        yield intake


def public_parameters(parameters: str | Path, records: Confidential = ()) -> Parameters:
    """The parameters in a file that passed the gate. Raises: InputError with every problem."""
    public_file("parameters", parameters, records)
    return load_parameters(parameters)


def attempt(problems: list[Problem], step: Callable[[], T]) -> T | None:
    """The result of `step`; if it refuses its input, None, and its problems are added to `problems`."""
    try:
        return step()
    except InputError as error:
        problems.extend(error.problems)
        return None


def default_code_lists(path: Path) -> Path | None:
    """The code lists of parameters: in a folder code-lists beside them, or in their production directory."""
    beside = path.parent / CODE_LISTS
    if not path.is_dir() and beside.is_dir():
        return beside
    folder = path if path.is_dir() else path.parent
    is_production = path.is_dir() or path.name == CONFIG
    has_lists = any(folder.glob("race-and-ethnicity-codes.*"))
    return folder if is_production and has_lists and (folder / CONFIG).is_file() else None


def _asks_the_census(path: Path) -> bool:
    """Whether parameters with problems have the lists of the 2020 Census, as far as their file can be read."""
    with suppress(InputError):
        return general(parameter_document(path)[0])[0].tables.get("lists") == read_toml(CENSUS).tables["lists"]
    return path.is_dir()


def code_lists_of(
    parameters: str | Path, given: str | Path | None, read: Parameters | None = None, records: Confidential = ()
) -> dict[str, Public]:
    """The code lists that the parameters name: in the folder `given`, or beside production's parameters.

    read: the parameters, if they have no problem; otherwise the lists are the 2020 Census lists, or unknown.
    records: of the command.
    """
    asked = read or (census() if _asks_the_census(Path(parameters)) else None)
    if asked is None or not asked.questions.lists:
        return {}
    folder = default_code_lists(Path(parameters)) if given is None else given
    if folder is None:
        fix = "give their folder as --code-lists"
        raise InputError([Problem(str(parameters), "no code lists stand beside the parameters", fix)])
    return public_code_lists(folder, asked.questions.lists, records)


@contextmanager
def opened_inputs(
    found: FoundInputs, resources: Resources, progress: Progress, made: Sequence[SqlFile] | None = None
) -> Iterator[Intake]:
    """The inputs in a new database, after every check that can be made on them.

    made: the checks that are made, where not all. Raises: InputError with every problem of the data.
    """
    parameters, sources, told = found
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
        places = places_of(parameters, sources)
        leave_out, each = parameters.unit.leave_out, checked_parts(parameters, places)
        checks = Checks(database, frozenset(), places, {}, log, leave_out, each, made or folder_files("checks"))
        intake = Intake(parameters, sources, stamps(sources.values()), database, scratch, stage, checks)
        try:
            intake, findings = _read_and_checked(intake)
            warnings = (*told, *findings.warnings)
            for warning in warnings:
                log(f"warning: {warning}")
                progress.warn(str(warning))
            refuse_found(intake, findings.problems)
            yield replace(intake, warnings=warnings)
        except duckdb.Error as error:
            if changed := changed_inputs(intake):
                raise InputError(changed) from error
            raise


def refuse_found(intake: Intake, problems: list[Problem]) -> None:
    """Log `problems`, and problems of inputs that changed while they were read. Raises: InputError if there are any."""
    found = problems + (changed_inputs(intake) if problems else [])
    for problem in found:
        intake.checks.log(str(problem))
    refuse(found)


def _read_and_checked(intake: Intake) -> tuple[Intake, Findings]:
    """Read every input that has the right columns, and check what was read.

    Screened checks are made here only if there is a problem: then nobody is counted, and all problems are told at once.
    """
    problems: list[Problem] = []
    originals: dict[str, str] = {}
    types: dict[str, StoredTypes] = {}
    values = {**parameter_values(intake.parameters), **readers.value_lists(intake.parameters, intake.scratch)}
    intake.database.hand_over(readers.GIVEN_NAMES, readers.no_region_names())
    for name in intake.sources:
        originals |= attempt(problems, lambda name=name: _read(intake, name, values, types)) or {}  # type: ignore[misc]
    shared = _read_shared(intake.parameters, values, types)
    intake.database.set_values(values | readers.read_together(values, intake.parameters.questions))
    tables = {readers.GIVEN_NAMES}
    for file in folder_files("run/1_inputs"):
        is_spared = file.zone == "confidential" and not intake.parameters.geography.other
        needed = {*file.tables_read} - ({"geography_rows"} if is_spared else set())  # by views of persons
        if file.kind != "file" and {*file.parameters} <= intake.database.values.keys() and tables >= needed:
            intake.database.create(file)
            tables.add(file.name)
    each = {**intake.checks.each, "shared_columns": [Each({"shared_name": one}, {"column": one}) for one in shared]}
    checks = replace(intake.checks, tables=frozenset(tables), originals=originals, each=each)
    findings = checks.findings(screened=False)
    problems += findings.problems
    if problems:
        problems += checks.findings(screened=True).problems
    return replace(intake, checks=checks), Findings(problems, findings.warnings)


def read_lists(database: Database, lists: Mapping[str, Source], scratch: Path, parameters: Parameters) -> None:
    """Set the values with which statements read these code lists. Raises: InputError where one cannot be read."""
    values = readers.value_lists(parameters, scratch)
    for name, source in lists.items():
        files = parquet_files(database, source, scratch, name)
        values |= readers.list_values(name, source.given, [*map(str, files)], stored_types(source, files), parameters)
    database.set_values(question_values(parameters) | values | readers.read_together(values, parameters.questions))


def _read(intake: Intake, name: str, values: dict[str, Any], types: dict[str, StoredTypes]) -> dict[str, str]:
    """Add the values that read input `name`, and its stored types; returns the user's file for each file that is read.

    Raises: InputError if the input cannot be read as its table.
    """
    source = intake.sources[name]
    files = parquet_files(intake.database, source, intake.scratch, name)
    stored = stored_types(source, files)
    arguments = (source.given, list(map(str, files)), stored, intake.parameters)
    if name == readers.REGION_NAMES:
        intake.database.hand_over(readers.GIVEN_NAMES, readers.region_names_table(source.given, files))
    elif name == PERSONS:
        values |= readers.person_values(*arguments)
    elif name == readers.TOTALS:
        values |= readers.totals_values(*arguments)
    elif name == GEOGRAPHY:
        refuse(region_expression_problems(intake.parameters, list(stored[0])))
        if not any(footer_of(file).num_rows for file in files):
            raise InputError([Problem(source.given, "holds no row", "give each place one row")])
        values |= readers.geography_values(*arguments)
    else:
        values |= readers.list_values(name, *arguments)
    types[name] = stored
    return dict(zip(map(str, files), map(str, source.files), strict=True))


def _read_shared(parameters: Parameters, values: dict[str, Any], types: Mapping[str, StoredTypes]) -> list[str]:
    """Read columns of the geography that stand unread in records too, in whatever capitals; their names there."""
    read, shared = {readers.PART_COLUMN, *readers.person_columns(parameters)}, []
    unread = {name.upper(): name for name in types.get(PERSONS, [{}])[0] if name not in read}
    for name in [name for name in types.get(GEOGRAPHY, [{}])[0] if name.upper() in unread]:
        with suppress(InputError):  # of a type that has no one spelling
            of_records = column_expressions(PERSONS, types[PERSONS], {unread[name.upper()]: PLAIN})
            of_places = column_expressions(GEOGRAPHY, types[GEOGRAPHY], {name: PLAIN})
            values["place_columns"] |= dict.fromkeys([name], *of_records.values())
            values["geography_columns"] = of_places | values["geography_columns"]
            shared.append(name)
    return shared
