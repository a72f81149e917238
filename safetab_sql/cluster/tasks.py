"""What a worker of a cluster does: it counts one part, and returns what the driver merges. No noise is near.

Records leave a worker as compressed counts, or as the examples of what the checks found. An exception that leaves it
holds the name of its class alone, because clusters write exceptions to logs, and engines' exceptions quote values.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.cluster.counting import (
    Control,
    CountedPart,
    Job,
    control_part,
    count_chosen,
    count_part,
    other_software,
)
from safetab_sql.cluster.parts import RecordPart, person_files
from safetab_sql.kit.database import Resources, scratch_folder
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.exit_codes import leave_no_core
from safetab_sql.public.checks import Found
from safetab_sql.public.sources import Source

Thing_co = TypeVar("Thing_co", covariant=True)
_ROWS_AT_A_TIME = 2**14  # so that memory does not grow with the partition
_SAME_SOFTWARE = "install the same software on the driver and on all workers"


@dataclass(frozen=True, slots=True)
class Shipment:
    """What every task needs, from public inputs alone.

    catalog: the public tables of the job, each a Parquet file. parts: none where the rows of a table are counted, with
    the columns of `schema`. resources: of one task.
    """

    job: Job
    catalog: Mapping[str, bytes]
    parts: tuple[RecordPart, ...]
    resources: Resources
    schema: pa.Schema | None = None


class Sent(Protocol[Thing_co]):
    """What the driver sends to all workers. It is unpacked where it is asked for: after the software was compared."""

    @property
    def value(self) -> Thing_co:
        """What was sent."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker tells of one part, as confidential as its records.

    number: of the part, from 0. problems: why it could not be counted; then the rest is empty. records: how many were
    read. seconds: of the processor. found: by the checks. totals, units: as of `CountedPart`, cells: rows of
    group_finest_cells; each packed. control, absent: as of `control_part`, of rows of a table alone; absent is packed.
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


def answer_totals(software: Mapping[str, str], shipped: Sent[Shipment], number: int) -> Answer:
    """The first pass of a part. software: of the driver. Raises: PartFailedError, for the cluster to try again."""

    def counted(shipment: Shipment) -> Answer:
        return _first_answer(number, count_part(shipment.job, shipment.parts[number], shipment.resources))

    return _answered(software, shipped, number, counted)


def answer_rows(
    software: Mapping[str, str], shipped: Sent[Shipment], number: int, rows: Iterator[Sequence[object]]
) -> Iterator[Answer]:
    """The first pass of a partition of a table: its rows rest in scratch while they are counted. Raises: the same."""

    def counted(shipment: Shipment) -> Answer:
        job, called = shipment.job, f"{shipment.job.persons.given}, partition {number + 1}"
        written = _part_of_rows(rows, shipment.schema, job.catalog / "rows.parquet", called)
        control, absent = control_part(job, written, shipment.resources)
        answer = _first_answer(number, count_part(job, written, shipment.resources))
        return replace(answer, control=control, absent=packed(absent))

    yield _answered(software, shipped, number, counted)


def _part_of_rows(rows: Iterator[Sequence[object]], schema: pa.Schema, file: Path, called: str) -> RecordPart:
    """Write the rows of a partition to a new Parquet file; the part that they are. called: what messages call it."""
    with pq.ParquetWriter(file, schema) as writer:
        while some := list(islice(rows, _ROWS_AT_A_TIME)):
            values = zip(zip(*some, strict=True), schema.types, strict=True)
            writer.write_batch(pa.RecordBatch.from_arrays([pa.array(*each) for each in values], schema=schema))
    (written,) = person_files(Source(called, (file,), is_text=False))
    return RecordPart((replace(written, called=called),))


def _first_answer(number: int, part: CountedPart) -> Answer:
    return Answer(number, (), part.records, 0.0, part.found, packed(part.totals), packed(part.units))


def answer_cells(
    software: Mapping[str, str], shipped: Sent[Shipment], stat_levels: Sent[bytes], first: Answer
) -> Answer:
    """The second pass of a part, with the answer of the first one. Raises: as `answer_totals`."""
    if first.problems:
        return first

    def counted(shipment: Shipment) -> Answer:
        cells = count_chosen(shipment.job, unpacked(first.units), unpacked(stat_levels.value), shipment.resources)
        return Answer(first.number, cells=packed(cells), control=first.control)

    return _answered(software, shipped, first.number, counted)


def without_units(answer: Answer) -> Answer:
    """The answer as the driver needs it: `units` stay in the memory of the workers."""
    return replace(answer, units=b"")


def packed(table: pa.Table) -> bytes:
    """A table as compressed bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def unpacked(data: bytes) -> pa.Table:
    """The table of `packed`."""
    return pa.ipc.open_stream(data).read_all()


def _answered(
    software: Mapping[str, str], shipped: Sent[Shipment], number: int, counted: Callable[[Shipment], Answer]
) -> Answer:
    """What `counted` makes of the shipment, whose public tables lie in a private folder, or why it cannot."""
    start = time.process_time()
    if other := other_software(software):
        what = f"have another version of {', '.join(other)} than the driver"
        return Answer(number, (Problem("the workers", what, _SAME_SOFTWARE),))
    leave_no_core()
    try:
        shipment = shipped.value
        with scratch_folder(_scratch(number)) as folder:
            for name, content in shipment.catalog.items():
                (folder / f"{name}.parquet").write_bytes(content)
            job, resources = replace(shipment.job, catalog=folder), replace(shipment.resources, scratch=folder)
            answer = counted(replace(shipment, job=job, resources=resources))
    except InputError as error:
        return Answer(number, error.problems)
    except Exception as error:
        name = type(error).__name__
    else:
        return replace(answer, seconds=time.process_time() - start)
    raise PartFailedError(f"part {number + 1} could not be counted: {name}")  # here, where nothing is its cause


def _scratch(number: int) -> Path:
    """A disk of the worker: one that the cluster empties when the application ends, even if its process is killed."""
    folders = [Path(each) for each in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if Path(each).is_dir() and each]
    return folders[number % len(folders)] if folders else Path(tempfile.gettempdir())
