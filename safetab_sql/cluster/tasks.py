"""Parts of the person records, and what a worker of a cluster does with one. No noise is near.

A part holds whole files, or some of the rows of one file. The first pass counts who is in it, the second one of these
the chosen tables. Records leave a worker as compressed counts, or as the examples of what the checks found. An
exception that leaves it holds the name of its class alone, because clusters write exceptions to logs, and engines'
exceptions quote values.
"""

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import metadata
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.confidential.counts import count_finest_cells, count_people, leaves_out
from safetab_sql.kit.database import Database, Resources, declared_schema, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import ignore
from safetab_sql.kit.sqlfiles import SqlFile, folder_files, macro_files, sql_files
from safetab_sql.kit.stops import leave_no_core
from safetab_sql.public.checks import Checks, Found, checked_parts, checks_made
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.public.readers import person_values
from safetab_sql.public.sources import Source, stamp_of, stored_types
from safetab_sql.public.text_files import parquet_files
from safetab_sql.public.values import parameter_values
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.settings.unit import Unit

Control = tuple[int, str]  # records of a part, and the sum of their hashes
_EVERY_GROUP = {"first_population_group_id": 0, "end_population_group_id": 2**63 - 1}
_ROWS_AT_A_TIME = 2**14  # so that memory does not grow with the partition
_SAME_SOFTWARE = "install the same software on the driver and on all workers"
_USUAL_RECORDS = 2_000_000  # of a part


@dataclass(frozen=True, slots=True)
class PersonFile:
    """A file of persons, as it was when the parts were planned.

    stamp: what every machine sees of it, size and time. records: how many it holds; None of text and of databases,
    which have to be read to tell. called: what messages call it, if not by its path.
    """

    path: str
    stamp: tuple[int, ...]
    records: int | None
    called: str | None = None


@dataclass(frozen=True, slots=True)
class RecordPart:
    """Some of the person records. first, end: the rows of its only file, from 0; end is None where it has all rows.

    share: where a person may have several records, its number, from 0, and how many parts share the persons of all
    files; then it holds all records of its persons, whatever files they are in.
    """

    files: tuple[PersonFile, ...]
    first: int = 0
    end: int | None = None
    share: tuple[int, int] | None = None


def person_files(persons: Source) -> tuple[PersonFile, ...]:
    """The files of the persons, in their order."""
    return tuple(
        PersonFile(str(file), _seen(file), pq.read_metadata(file).num_rows if persons.is_parquet else None)
        for file in persons.files
    )


def planned_parts(
    files: Sequence[PersonFile], number: int | None, *, whole_persons: bool = False
) -> tuple[RecordPart, ...]:
    """About so many parts, in the order of the files; None for one for every two million records.

    whole_persons: each part reads all files, and counts a share of the persons. Otherwise a part holds whole files or a
    stretch of one; a file that does not tell its records is one. People of one file live near each other in most
    extracts, so that a part has few counts.
    """
    total = sum(file.records or 0 for file in files)
    most = _USUAL_RECORDS if number is None else max(1, -(-total // number))
    if whole_persons:
        number = number or max(1, -(-total // most))
        return tuple(RecordPart(tuple(files), share=(place, number)) for place in range(number))
    parts, together, left = list[RecordPart](), list[PersonFile](), most
    for file in files:
        if together and (file.records is None or file.records > left):
            parts.append(RecordPart(tuple(together)))
            together, left = [], most
        if file.records is None:
            parts.append(RecordPart((file,)))
        elif file.records <= most:
            together.append(file)
            left -= file.records
        else:
            stretches = -(-file.records // most)
            bounds = [file.records * place // stretches for place in range(stretches + 1)]
            parts += [RecordPart((file,), first, end) for first, end in pairwise(bounds)]
    return (*parts, *([RecordPart(tuple(together))] if together else []))


def changes(part: RecordPart) -> list[Problem]:
    """A problem for each file of a part that is not as it was when the parts were planned."""
    what = "was changed or removed since the parts were planned"
    fix = "run again when nothing writes to the persons any more"
    return [Problem(file.path, what, fix) for file in part.files if _seen(Path(file.path)) != file.stamp]


def _seen(file: Path) -> tuple[int, ...]:
    """Size and time of the last change; nothing of a file that is gone."""
    return (stamp_of(file) or ())[1:]


@dataclass(frozen=True, slots=True)
class Job:
    """How every part is counted, from public inputs alone.

    parameters: their file. persons: without their files. places: of the `Checks`. catalog: the public tables that
    statements read, each a Parquet file. parts: none where rows of a table are counted, with the columns of `schema`.
    resources: of one task.
    """

    parameters: str
    persons: Source
    places: Mapping[str, str]
    catalog: Mapping[str, bytes]
    parts: tuple[RecordPart, ...] = ()
    schema: pa.Schema | None = None
    resources: Resources = field(default_factory=Resources)


def new_job(intake: Intake, paths: InputPaths) -> Job:
    """The job of an intake whose catalog of the run has been built, without parts."""
    folders = ("run/3_kept", "run/3_people", "run/4_totals", "run/5_tables")
    absent = sql_files()["parts_without_persons"]
    files = [*_record_views(), *checks_made(in_parts=True), *folder_files(*folders), absent]
    catalog = {name: b"" for file in files for name in file.tables_read if sql_files()[name].zone == "public"}
    for name in catalog:
        copy = intake.scratch / f"{name}_of_job.parquet"
        intake.database.copy(name, copy, "format parquet, compression zstd")
        catalog[name] = copy.read_bytes()
    return Job(
        parameters=str(Path(paths.parameters).absolute()),
        persons=replace(intake.sources["persons"], files=()),
        places=dict(intake.checks.places),
        catalog=catalog,
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker tells of one part, as confidential as its records.

    number: of the part, from 0. problems: why it could not be counted; then the rest is empty. records: how many were
    read. seconds: of the processor. found: by the checks. totals: rows of slice_totals, units: of unit_finest_cells,
    none where a record is refused; cells: of group_finest_cells; each packed. Of rows of a table alone:
    control, to compare them when they are read again; absent, what `parts_without_persons` finds in them, packed.
    """

    number: int
    problems: tuple[Problem, ...] = ()
    records: int = 0
    seconds: float = 0.0
    found: tuple[Found, ...] = ()
    totals: bytes = b""
    units: bytes = b""
    cells: bytes = b""
    control: Control | None = None
    absent: bytes = b""


class PartFailedError(Exception):
    """A part could not be counted; the text names the class of the error, and no value."""


# software: of the driver. sent: a broadcast of the job, which is unpacked where its value is asked for: after the
# software was compared. Raises: PartFailedError, for the cluster to try again.


def answer_totals(software: Mapping[str, str], sent: Any, number: int) -> Answer:
    """The first pass of a part."""
    return _answered(software, sent, number, lambda job, scratch: _first_pass(job, scratch, number, job.parts[number]))


def answer_rows(
    software: Mapping[str, str], sent: Any, number: int, rows: Iterator[Sequence[object]]
) -> Iterator[Answer]:
    """The first pass of a partition of a table: its rows rest in scratch while they are counted."""

    def counted(job: Job, scratch: Path) -> Answer:
        file, schema = scratch / "rows.parquet", cast(pa.Schema, job.schema)
        with pq.ParquetWriter(file, schema) as writer:
            while some := list(islice(rows, _ROWS_AT_A_TIME)):
                values = zip(zip(*some, strict=True), schema.types, strict=True)
                writer.write_batch(pa.RecordBatch.from_arrays([pa.array(*each) for each in values], schema=schema))
        called = f"{job.persons.given}, partition {number + 1}"
        (written,) = person_files(Source(called, (file,), is_text=False))
        return _first_pass(job, scratch, number, RecordPart((replace(written, called=called),)))

    yield _answered(software, sent, number, counted)


def answer_cells(software: Mapping[str, str], sent: Any, stat_levels: Any, first: Answer) -> Answer:
    """The second pass of a part, with the answer of the first one. stat_levels: a broadcast of the packed table."""
    if first.problems:
        return first

    def counted(job: Job, scratch: Path) -> Answer:
        with _opened(job, scratch, []) as database:
            database.set_values(parameter_values(load_parameters(job.parameters)))
            database.hand_over("unit_finest_cells", unpacked(first.units))
            database.hand_over("stat_levels", unpacked(stat_levels.value))
            count_finest_cells(database)
            cells = database.table("group_finest_cells", order_by=["population_group_id", "finest_position"])
        return Answer(first.number, cells=packed(cells), control=first.control)

    return _answered(software, sent, first.number, counted)


def packed(table: pa.Table) -> bytes:
    """A table as compressed bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def unpacked(data: bytes) -> pa.Table:
    """The table of `packed`."""
    return pa.ipc.open_stream(data).read_all()


def installed_software() -> dict[str, str]:
    """The versions that counts depend on, and a digest of the statements."""
    statements = [f"{name}\n{file.body}" for files in (sql_files(), macro_files()) for name, file in files.items()]
    digest = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    return {"safetab-sql": metadata.version("safetab-sql"), "duckdb": metadata.version("duckdb"), "sql": digest}


def _answered(software: Mapping[str, str], sent: Any, number: int, counted: Callable[[Job, Path], Answer]) -> Answer:
    """What `counted` makes of the job in a private folder, which holds the public tables, or why it cannot."""
    start, ours = time.process_time(), installed_software()
    if other := sorted(name for name, version in ours.items() if software.get(name) != version):
        what = f"have another version of {', '.join(other)} than the driver"
        return Answer(number, (Problem("the workers", what, _SAME_SOFTWARE),))
    leave_no_core()
    try:
        job: Job = sent.value
        # A disk of the worker: one that the cluster empties when the application ends, even if its process is killed.
        named = [each for each in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if each and Path(each).is_dir()]
        with scratch_folder(Path(named[number % len(named)] if named else tempfile.gettempdir())) as folder:
            for name, content in job.catalog.items():
                (folder / f"{name}.parquet").write_bytes(content)
            return replace(counted(job, folder), seconds=time.process_time() - start)
    except InputError as error:
        return Answer(number, error.problems)
    except Exception as error:
        name = type(error).__name__
    raise PartFailedError(f"part {number + 1} could not be counted: {name}")  # here, where nothing is its cause


@contextmanager
def _opened(job: Job, scratch: Path, files: Sequence[Path]) -> Iterator[Database]:
    """A database that shows the public tables of a job and may read `files`."""
    shown = {name: scratch / f"{name}.parquet" for name in job.catalog}
    with open_database(scratch, [*files, *shown.values()], [], job.resources) as database:
        for name, file in shown.items():
            database.show(name, [file])
        yield database


def _first_pass(job: Job, scratch: Path, number: int, part: RecordPart) -> Answer:
    """Check and count the records of a part. Raises: InputError where a file changed since it was planned."""
    refuse(changes(part))
    with _opened(job, scratch, [Path(file.path) for file in part.files]) as database:
        try:
            checks = _read(job, part, database, scratch)
            answer = _counted(checks, load_parameters(job.parameters).unit, Answer(number))
            if job.schema is not None:
                (control,) = database.select(sql_files()["part_control"], {}).to_pylist()
                absent = packed(database.select(sql_files()["parts_without_persons"], {}))
                answer = replace(answer, control=(control["records"], control["hash_sum"]), absent=absent)
        except duckdb.Error as error:
            if changed := changes(part):
                raise InputError(changed) from error
            raise
        refuse(changes(part))
    return answer


def _record_views() -> list[SqlFile]:
    """The statements of sql/run/1_inputs that read person files."""
    return [file for file in folder_files("run/1_inputs") if file.zone == "confidential" and file.kind != "file"]


def _read(job: Job, part: RecordPart, database: Database, scratch: Path) -> Checks:
    """Make the views of the part's records; the checks that can be made on them."""
    parameters = load_parameters(job.parameters)
    source = replace(job.persons, files=tuple(Path(file.path) for file in part.files))
    files = parquet_files(database, source, scratch, "persons")
    paths, types = list(map(str, files)), stored_types(source, files)
    database.set_values(parameter_values(parameters))
    values = person_values(source.given, paths, types, parameters)
    database.set_values(values)
    conditions = [] if part.end is None else [f"file_row_number >= {part.first}", f"file_row_number < {part.end}"]
    if part.share is not None:
        (number, of), keys = part.share, cast(Mapping[str, str], values["record_keys"])
        conditions.append(f"share_of_person({keys['person_key']}, {of}) = {number}")
    database.set_values({"part_read": conditions})
    for file in _record_views():
        database.create(file)
    tables = frozenset({*job.catalog, *(file.name for file in _record_views())})
    called = dict(zip(paths, (file.called or file.path for file in part.files), strict=True))
    leave_out, each = parameters.unit.leave_out, checked_parts(parameters, job.places)
    return Checks(database, tables, job.places, called, ignore, leave_out, each, checks_made(in_parts=True))


def _counted(checks: Checks, unit: Unit, answer: Answer) -> Answer:
    """The counts of the part, and what the checks found; `screened` checks are made where a record needs it."""
    database, found = checks.database, list(checks.found(screened=False))
    is_refused = bool(checks.judged(found).problems)
    if not is_refused:
        count_people(database, unit, checks.log)
    if is_refused or leaves_out(database):
        screened = list(checks.found(screened=True))
        is_refused |= bool(checks.judged(screened).problems)
        found += screened
    answer = replace(answer, records=database.rows("person_universe"), found=tuple(found))
    if is_refused:
        return replace(answer, totals=packed(declared_schema("slice_totals", database.values).empty_table()))
    totals, units = database.select(sql_files()["group_totals"], _EVERY_GROUP), database.table("unit_finest_cells")
    return replace(answer, totals=packed(totals), units=packed(units))
