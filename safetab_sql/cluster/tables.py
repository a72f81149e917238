"""Persons in a table that Spark alone can read: the driver opens it, and tasks write its rows for DuckDB to read.

pyspark is imported where it is used; workers get rows, and need no pandas.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.cluster.parts import RecordPart, person_files
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.sources import Source

_ROWS_AT_A_TIME = 2**14  # so that memory does not grow with the partition
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_FIX = "name a table or view that the catalog of the session knows and you may read: DATABASE.TABLE"


@dataclass(frozen=True, slots=True)
class SparkTable:
    """What stands in `InputPaths.persons` where Spark reads them. name: of a table or view of the session's catalog."""

    name: str

    def __str__(self) -> str:
        """What messages call it; no path that anybody would have."""
        return f"Spark table {self.name}"


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that was opened. rows: a DataFrame of the columns that are read. schema: of these.

    others: the names of its other columns.
    """

    table: SparkTable
    rows: Any
    schema: pa.Schema
    others: tuple[str, ...]

    def nobody(self) -> pa.Table:
        """The table without its rows, for the checks of columns; columns that are not read have no type."""
        return pa.schema([*self.schema, *(pa.field(name, pa.null()) for name in self.others)]).empty_table()

    def partitions(self) -> Any:
        """Its rows as an RDD. Raises: InputError where Spark cannot plan how to read them."""
        with _refused(self.table):
            return self.rows.rdd


def opened_table(table: SparkTable, wanted: Sequence[str]) -> ReadTable:
    """The table in the catalog of the session that runs; of its columns those of `wanted` that it has are read.

    Capitals do not matter where no column has just that name: Hive knows none. Raises: InputError where Spark cannot
    read the table.
    """
    with _refused(table):
        frame = import_module("pyspark.sql").SparkSession.builder.getOrCreate().table(table.name)
        columns = list(frame.columns)
        found = {name: own for name in wanted if (own := _own_name(columns, name)) is not None}
        rows = frame.select([frame[_quoted(own)].alias(name) for name, own in found.items()])
        schema = rows.limit(0).toArrow().schema if found else pa.schema([])
    return ReadTable(table, rows, schema, tuple(name for name in columns if name not in found.values()))


def part_of_rows(rows: Iterator[Sequence[object]], schema: pa.Schema, file: Path, called: str) -> RecordPart:
    """Write the rows of a partition to a new Parquet file; the part that they are. called: what messages call it."""
    with pq.ParquetWriter(file, schema) as writer:
        while some := list(islice(rows, _ROWS_AT_A_TIME)):
            values = zip(zip(*some, strict=True), schema.types, strict=True)
            writer.write_batch(pa.RecordBatch.from_arrays([pa.array(*each) for each in values], schema=schema))
    (written,) = person_files(Source(called, (file,), is_text=False))
    return RecordPart((replace(written, called=called),))


@contextmanager
def _refused(table: SparkTable) -> Iterator[None]:
    """Make what Spark says of a table our own problem, which holds the name of Spark's error and nothing it quotes."""
    pyspark, said = import_module("pyspark.errors"), ""
    for name in _LOGGERS:  # which write values of records to stderr
        import_module("pyspark.logger").PySparkLogger.getLogger(name).disabled = True
    try:
        yield
    except pyspark.PySparkException as error:
        said = error.getCondition() or type(error).__name__
    except import_module("py4j.protocol").Py4JJavaError as error:
        said = error.java_exception.getClass().getSimpleName()
    if said:
        raise InputError([Problem(str(table), f"cannot be read by Spark: {said}", _FIX)])


def _own_name(columns: Sequence[str], name: str) -> str | None:
    """The column that has this name, or the only one that has it but for capitals."""
    alike = [column for column in columns if column.upper() == name.upper()]
    return name if name in columns else alike[0] if len(alike) == 1 else None


def _quoted(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"
