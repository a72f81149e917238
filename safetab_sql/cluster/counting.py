"""Counts of one part: who is in it (first pass), and of these the chosen tables (second pass). No noise is near.

A job says how persons are read, and holds the public tables that people are joined to.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import cast

import duckdb
import pyarrow as pa

from safetab_sql.cluster.parts import RecordPart, changes
from safetab_sql.confidential.counts import count_finest_cells, count_people, leaves_out
from safetab_sql.kit.confidential_log import confidential_log
from safetab_sql.kit.database import Database, Line, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import SqlFile, folder_files, macro_files, sql_files
from safetab_sql.public.as_parquet import parquet_files
from safetab_sql.public.checks import Checks, Found, checked_parts, checks_of_parts
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.public.readers import person_values
from safetab_sql.public.sources import Source, stored_types
from safetab_sql.public.values import parameter_values
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.settings.unit import Unit

Control = tuple[int, str]  # records of a part, and the sum of their hashes
_EVERY_GROUP = {"first_population_group_id": 0, "end_population_group_id": 2**63 - 1}


@dataclass(frozen=True, slots=True)
class Job:
    """How every part is counted, from public inputs alone.

    parameters: their file. persons: without their files. places: of the
    `Checks`. tables: the public tables that statements read, each a Parquet file of its name in the folder `catalog`.
    """

    parameters: str
    persons: Source
    places: Mapping[str, str]
    tables: tuple[str, ...]
    catalog: Path


def new_job(intake: Intake, paths: InputPaths) -> Job:
    """The job of an intake whose catalog of the run has been built; its public tables go into its scratch folder."""
    catalog = intake.scratch / "catalog"
    catalog.mkdir()
    folders = ("run/3_kept", "run/3_people", "run/4_totals", "run/5_tables")
    files = [*record_views(), *checks_of_parts(), *folder_files(*folders)]
    files.append(sql_files()["parts_without_persons"])
    read = {name for file in files for name in file.tables_read}
    tables = tuple(name for name in sorted(read) if sql_files()[name].zone == "public")
    for name in tables:
        intake.database.copy(name, catalog / f"{name}.parquet", "format parquet, compression zstd")
    return Job(
        parameters=str(Path(paths.parameters).absolute()),
        persons=replace(intake.sources["persons"], files=()),
        places=dict(intake.checks.places),
        tables=tables,
        catalog=catalog,
    )


def record_views() -> list[SqlFile]:
    """The views of sql/run/1_inputs that read person files."""
    return [file for file in folder_files("run/1_inputs") if (file.zone, file.kind) == ("confidential", "view")]


@dataclass(frozen=True, slots=True)
class CountedPart:
    """One part after the first pass; it stays as confidential as its records.

    records: how many were read. found: what the checks found. totals: rows of slice_totals, units: rows of
    unit_finest_cells (see sql/run/4_totals); both empty where a record is refused.
    """

    records: int
    found: tuple[Found, ...]
    totals: pa.Table
    units: pa.Table


def count_part(job: Job, part: RecordPart, resources: Resources) -> CountedPart:
    """Check and count the records of a part. Raises: InputError where a file changed since it was planned."""
    refuse(changes(part))
    with _opened(job, [Path(file.path) for file in part.files], resources) as (database, scratch, log):
        try:
            checks = _read(job, part, database, scratch, log)
            counted = _counted(checks, database, load_parameters(job.parameters).unit)
        except duckdb.Error as error:
            if changed := changes(part):
                raise InputError(changed) from error
            raise
        refuse(changes(part))
    if part.records not in (None, counted.records):
        what = "does not hold as many records as its footer says"
        raise InputError([Problem(part.files[0].path, what, "write the file again, and prepare the parts again")])
    return counted


def control_part(job: Job, part: RecordPart, resources: Resources) -> tuple[Control, pa.Table]:
    """Control numbers of a part, to compare it when it is read again, and what `parts_without_persons` finds in it."""
    with _opened(job, [Path(file.path) for file in part.files], resources) as (database, scratch, log):
        _read(job, part, database, scratch, log)
        (control,) = database.select(sql_files()["part_control"], {}).to_pylist()
        return (control["records"], control["hash_sum"]), absent_values(database)


def absent_values(database: Database) -> pa.Table:
    """Values of the requested parts that no record has: rows of the check `parts_without_persons`."""
    return database.select(sql_files()["parts_without_persons"], {})


def count_chosen(job: Job, units: pa.Table, stat_levels: pa.Table, resources: Resources) -> pa.Table:
    """Rows of group_finest_cells of one part, sorted: the second pass. units: of the first pass."""
    with _opened(job, [], resources) as (database, _, _):
        database.set_values(parameter_values(load_parameters(job.parameters)))
        database.hand_over("unit_finest_cells", units)
        database.hand_over("stat_levels", stat_levels)
        count_finest_cells(database)
        return database.table("group_finest_cells", order_by=["population_group_id", "finest_position"])


@contextmanager
def _opened(job: Job, files: Sequence[Path], resources: Resources) -> Iterator[tuple[Database, Path, Line]]:
    """A database that shows the public tables of a job and may read `files`."""
    shown = {name: job.catalog / f"{name}.parquet" for name in job.tables}
    with (
        confidential_log(resources.confidential_log) as log,
        scratch_folder(resources.scratch) as scratch,
        open_database(scratch, [*files, *shown.values()], [], resources, log) as database,
    ):
        for name, file in shown.items():
            database.show(name, [file])
        yield database, scratch, log


def _read(job: Job, part: RecordPart, database: Database, scratch: Path, log: Line) -> Checks:
    """Make the views of the part's records; the checks that can be made on them."""
    parameters = load_parameters(job.parameters)
    source = replace(job.persons, files=tuple(Path(file.path) for file in part.files))
    files = parquet_files(database, source, scratch, "persons")
    paths, types = list(map(str, files)), stored_types(source, files)
    database.set_values(parameter_values(parameters))
    values = person_values(source.given, paths, types, parameters)
    database.set_values(values)
    if part.share is not None:
        (number, of), keys = part.share, cast(Mapping[str, str], values["record_keys"])
        database.set_values({"person_shares": [{"person": keys["person_key"], "number": number, "of": of}]})
    if part.end is not None:
        database.set_values({"row_ranges": [{"first": part.first, "end": part.end}]})
    for file in record_views():
        database.create(file)
    return Checks(
        database,
        frozenset({*job.tables, *(file.name for file in record_views())}),
        job.places,
        dict(zip(paths, (file.called or file.path for file in part.files), strict=True)),
        log,
        parameters.unit.leave_out,
        checked_parts(parameters, job.places),
        checks_of_parts(),
    )


def _counted(checks: Checks, database: Database, unit: Unit) -> CountedPart:
    """The counts of the part, and what the checks found; `screened` checks are made where a record needs it."""
    records = database.rows("person_universe")
    found = list(checks.found(screened=False))
    is_refused = bool(checks.judged(found).problems)
    if not is_refused:
        count_people(database, unit, checks.log)
    if is_refused or leaves_out(database):
        screened = list(checks.found(screened=True))
        is_refused |= bool(checks.judged(screened).problems)
        found += screened
    if is_refused:
        nothing = [database.declared_schema(name).empty_table() for name in ("slice_totals", "unit_finest_cells")]
        return CountedPart(records, tuple(found), *nothing)
    totals = database.select(sql_files()["group_totals"], _EVERY_GROUP)
    return CountedPart(records, tuple(found), totals, database.table("unit_finest_cells"))


def installed_software() -> dict[str, str]:
    """The versions that counts depend on, and a digest of the statements."""
    statements = [f"{name}\n{file.body}" for files in (sql_files(), macro_files()) for name, file in files.items()]
    digest = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    return {"safetab-sql": metadata.version("safetab-sql"), "duckdb": metadata.version("duckdb"), "sql": digest}


def other_software(expected: Mapping[str, str]) -> list[str]:
    """The names of what is installed here in another version than expected."""
    return sorted(name for name, version in installed_software().items() if expected.get(name) != version)
