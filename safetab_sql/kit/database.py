"""A DuckDB connection that is locked to named files and to a scratch folder of its own, removed on any exit.

It knows no statement and no data, so every zone may use a connection: the confidential connection counts people, the
published connection sees only noisy and public tables, and neither sees a table of the other.
"""

import hashlib
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem, printable, refuse
from safetab_sql.kit.progress import Line, Step, ignore
from safetab_sql.kit.sqlfiles import SqlFile, Statement, literal, macros_called, quoted_name, render, sql_files
from safetab_sql.kit.stops import submit_each, thread_pool
from safetab_sql.kit.whole_folders import check_new_folder, claimed_name, given_away, private_folder

_PREFIX = "safetab-sql-scratch-"
_BATCHES = 8  # of a stretch, so that several threads can read it
_ERRORS = {name.lower(): error for name, error in vars(duckdb).items() if name.endswith("Exception")}
TYPES = {  # of Arrow, by their names in headers
    **{"varchar": pa.string(), "varchar[]": pa.list_(pa.string()), "boolean": pa.bool_(), "double": pa.float64()},
    **{"tinyint": pa.int8(), "smallint": pa.int16(), "integer": pa.int32(), "bigint": pa.int64()},
    "usmallint": pa.uint16(),
}


@dataclass(frozen=True, slots=True)
class Resources:
    """What a run may use, and where it keeps confidential files.

    threads: None for all cores. memory_limit: DuckDB's notation, e.g. 8GB; None for 80 % of memory. scratch: folder to
    spill to; None for the system's. confidential_log: file (mode 0600) for row counts, timings and offending records.
    """

    threads: int | None = None
    memory_limit: str | None = None
    scratch: str | Path | None = None
    confidential_log: str | Path | None = None


def configuration(folder: Path, resources: Resources) -> dict[str, str | bool | int | float | list[str]]:
    """The settings of a connection that spills to `folder`."""
    limits = {"threads": resources.threads, "memory_limit": resources.memory_limit}
    return {
        "temp_directory": str(folder / "spill"),
        "fsync_mode": "NONE",  # nobody opens the file again, so nothing has to outlast the machine
        "checkpoint_threshold": "256MB",  # at its default, small tables of a small run are written twice
        "preserve_insertion_order": True,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
        **{name: limit for name, limit in limits.items() if limit is not None},
    }


@contextmanager
def claimed_folder(
    out: Path, contents: Collection[str], resources: Resources, *, overwrite: bool
) -> Iterator[list[Problem]]:
    """Claims `out` until the block ends; yields the problems that prevent making it with `contents` and `resources`.

    A log or a scratch folder does not lie inside it, as it is given away. Finished releases refuse them too.
    """
    named = {"--confidential-log": resources.confidential_log, "--scratch": resources.scratch}
    given = [(option, Path(path).resolve()) for option, path in named.items() if path is not None]
    what, fix = f"lies in --out {out}", "keep it elsewhere: a release is given away, this is not"
    within = [Problem(f"{option} {path}", what, fix) for option, path in given if path.is_relative_to(out.resolve())]
    with claimed_name(out) as taken:
        yield check_new_folder(out, contents, overwrite=overwrite) + within + taken


@contextmanager
def scratch_folder(parent: str | Path | None) -> Iterator[Path]:
    """A folder as `private_folder`, also in the system's folder. Raises: InputError where `parent` is given away."""
    refuse([] if parent is None else given_away(Path(parent)))
    with private_folder(Path(parent or tempfile.gettempdir()), _PREFIX) as folder:
        yield folder


@dataclass(frozen=True, eq=False)
class Database:
    """Runs statements of sql/ on one connection; made by `open_database`."""

    _connection: duckdb.DuckDBPyConnection
    _folder: Path
    _log: Line
    _step: Step
    resources: Resources
    values: dict[str, object] = field(default_factory=dict)  # that statements may need
    _macros: set[str] = field(default_factory=set)  # the statements that made them

    def create(self, file: SqlFile) -> None:
        """Make the table (or view) that `file` describes, under its name."""
        statement = self._render(file)
        if file.kind == "view":  # DuckDB binds no values in views
            self._connection.execute(f"create or replace view {quoted_name(file.name)} as {statement.inlined}")
            return
        self._log(_made(self._connection, file, "create or replace table {} as", statement))
        self._step(file.name, 1)

    def create_by_slices(
        self, files: Sequence[SqlFile], slices: Iterable[Mapping[str, object]], number: int, at_a_time: int
    ) -> None:
        """Make the tables of `files` for the values of each slice, one or more, so many slices at a time.

        slices: values of $parameters, and Arrow tables by the name that statements read; a slice is asked for when it
        can be made, the second when the tables are there; what that raises ends the others. number: about how many.

        A table of kind `slice` lasts as long as its slice, in memory as far as it fits. A table of kind `slices`
        collects the rows of all slices: in their order if they are made one at a time.
        """
        with thread_pool(at_a_time) as pool:
            making: deque[Future[list[str]]] = deque()

            def finish_one() -> None:
                for file, line in zip(files, making.popleft().result(), strict=True):
                    self._log(line)
                    self._step(file.name, number)

            for place, values in enumerate(slices):
                beginning = "insert into {}" if place else "create or replace table {} as"
                making += submit_each(pool, partial(self._slice, files, beginning), [values])
                if place == 0 or len(making) >= at_a_time:  # the first slice makes the tables
                    finish_one()
            while making:
                finish_one()

    def _slice(self, files: Sequence[SqlFile], beginning: str, values: Mapping[str, object]) -> list[str]:
        """Make or, as `beginning` says, add one slice of the tables of `files`; a line for the log about each."""
        lines, macros = [], set[str]()
        with self._connection.cursor() as connection:  # its temporary tables and macros are its own
            for name, value in values.items():
                if isinstance(value, pa.Table):
                    connection.register(name, value)
            for file in files:
                statement = render(file, {**self.values, **values})
                _make_macros(connection, statement, macros)
                begun = "create temporary table {} as" if file.kind == "slice" else beginning
                lines.append(_made(connection, file, begun, statement))
            return lines

    def close(self) -> None:
        """End the connection and free its memory. It cannot be used any more."""
        self._connection.close()

    def drop(self, name: str) -> None:
        """Free the space of a table that nothing reads any more."""
        self._connection.execute(f"drop table {quoted_name(name)}")

    def hand_over(self, name: str, table: pa.Table | pa.RecordBatchReader) -> None:
        """Make table `name` from an Arrow table, or from batches that are read once."""
        self._connection.register("handed_over", table)
        self._connection.execute(f"create or replace table {quoted_name(name)} as select * from handed_over")
        self._connection.unregister("handed_over")

    def call(self, name: str, other: str) -> None:
        """Let statements read table `other` under the name `name`."""
        self._connection.execute(f"create or replace view {quoted_name(name)} as from {quoted_name(other)}")

    def show(self, name: str, files: Sequence[Path], called: Mapping[str, str] = MappingProxyType({})) -> None:
        """Make view `name` of Parquet files, which stay where they are. called: other names of some columns."""
        rows = self._connection.read_parquet(list(map(str, files)))
        columns = (duckdb.ColumnExpression(each).alias(called.get(each, each)) for each in rows.columns)
        (rows.select(*columns) if called else rows).create_view(name)

    def rows(self, name: str) -> int:
        """How many rows table `name` has."""
        return int(self._connection.execute(f"select count(*) from {quoted_name(name)}").fetchall()[0][0])

    def table(self, name: str, order_by: Sequence[str] = (), columns: Sequence[str] = ()) -> pa.Table:
        """Table `name` as Arrow, sorted by `order_by`; all its columns where none are named."""
        order = f" order by {', '.join(map(quoted_name, order_by))}" if order_by else ""
        return self._connection.sql(f"{_selected(name, columns)}{order}").to_arrow_table()

    def batches(self, name: str, columns: Sequence[str], rows: int) -> pa.RecordBatchReader:
        """Table `name` as Arrow, about `rows` rows at a time, so that memory does not grow with it."""
        return self._connection.sql(_selected(name, columns)).to_arrow_reader(rows)

    def select(self, file: SqlFile, values: Mapping[str, object]) -> pa.Table:
        """The rows of statement `file` for these values as Arrow, in its order."""
        self.set_values(values)
        statement = self._render(file)
        return self._connection.sql(statement.text, params=statement.bound).to_arrow_table()

    def stretches(self, file: SqlFile, rows: int) -> Iterator[pa.Table]:
        """The rows of statement `file` in its order, at most `rows` at a time, while other statements run.

        Without rows there is one stretch, of none. The macros of views that it reads must have been made.
        """
        statement = self._render(file)
        with self._connection.cursor() as connection:
            for macro in self._macros:
                connection.execute(macro)
            for stretch in _stretches(connection, statement, rows):
                self._log(f"{file.folder}/{file.name}: {stretch.num_rows:,} rows")
                yield stretch

    def by_buckets(
        self, stretches: Iterable[pa.Table], schema: pa.Schema, bucket_of: Callable[[pa.Table], Int64s], rows: int
    ) -> Iterator[pa.Table]:
        """The rows of all stretches, bucket after bucket, at most `rows` at a time: first all are written to a file.

        bucket_of: the bucket of each row of a stretch, 0 to 65,535.
        """
        places = defaultdict[int, list[int]](list)  # of each bucket: its batches in the file
        path, start, written = Path(tempfile.mkdtemp(dir=self._folder)) / "rows.arrow", time.monotonic(), 0
        options, rest = pa.ipc.IpcWriteOptions(compression="lz4"), iter(stretches)
        with pa.ipc.new_file(path, schema, options=options) as file, thread_pool(1) as pool:
            coming = submit_each(pool, partial(next, rest), [None])  # the next stretch is read meanwhile
            while (stretch := coming.pop().result()) is not None:
                coming = submit_each(pool, partial(next, rest), [None])
                buckets = bucket_of(stretch).astype(np.uint16)  # numbers that are sorted by radix
                order = np.argsort(buckets, kind="stable")
                ordered = stretch.combine_chunks().take(order)
                numbers, firsts = np.unique(buckets[order], return_index=True)
                spans = pairwise([*firsts.tolist(), len(order)])
                for bucket, (first, end) in zip(numbers.tolist(), spans, strict=True):
                    for batch in ordered.slice(first, end - first).to_batches():
                        file.write_batch(batch)
                        places[bucket].append(written)
                        written += 1
        self._log(f"rows in no order: {len(places):,} buckets in {time.monotonic() - start:.2f} s")
        with pa.OSFile(str(path)) as source:  # read and not mapped: pages of a mapped file would stay in memory
            file = pa.ipc.open_file(source)
            for _, batches in sorted(places.items()):
                bucket_rows = pa.Table.from_batches(map(file.get_batch, batches), schema).combine_chunks()
                yield from (bucket_rows.slice(first, rows) for first in range(0, len(bucket_rows), rows))
        path.unlink()

    @contextmanager
    def file(self, target: Path) -> Iterator["DatabaseFile"]:
        """A database file to fill, in a format that DuckDB 1.0 and later read."""
        self._connection.execute(f"attach {literal(str(target))} as stored (storage_version 'v1.0.0')")
        yield DatabaseFile(self._connection)
        self._connection.execute("checkpoint stored")  # else a second file would stay beside it
        self._connection.execute("detach stored")

    def copy(self, rows: SqlFile | str, target: Path, options: str, metadata: Mapping[str, str] | None = None) -> None:
        """Write a table of this name, in the order it was made, or the rows of a statement to `target`.

        options: as in DuckDB's copy. metadata: key-value metadata of a Parquet file.
        """
        read = Statement(f"from {quoted_name(rows)}", {}) if isinstance(rows, str) else self._render(rows)
        said = ", kv_metadata $copy_metadata" if metadata else ""
        values = {"copy_target": str(target), **({"copy_metadata": dict(metadata)} if metadata else {})}
        self._connection.execute(f"copy ({read.text}) to $copy_target ({options}{said})", {**read.bound, **values})

    def found(self, file: SqlFile) -> int:
        """How many rows a check returns."""
        statement, start = self._render(file), time.monotonic()
        count = self._connection.execute(f"select count(*) from ({statement.text})", statement.bound).fetchall()
        self._log(f"{file.folder}/{file.name}: {count[0][0]:,} rows in {time.monotonic() - start:.2f} s")
        self._step(file.name, 1)
        return int(count[0][0])

    def examples(self, file: SqlFile, most: int, shown: Callable[[dict[str, object]], str]) -> tuple[str, ...]:
        """The first `most` rows that a check returns, written by `shown`; 20 go to the confidential log."""
        statement = self._render(file)
        rows = self._connection.execute(f"select * from ({statement.text}) limit {max(most, 20)}", statement.bound)
        names = [column[0] for column in rows.description]
        texts = [shown(dict(zip(names, row, strict=True))) for row in rows.fetchall()]
        for text in texts:
            self._log(f"{file.folder}/{file.name}: {printable(text)}")
        return tuple(texts[:most])

    def set_values(self, values: Mapping[str, object]) -> None:
        """Add values that statements may need."""
        self.values.update(values)

    def _render(self, file: SqlFile) -> Statement:
        """The statement of `file`; the connection has the macros that it calls."""
        statement = render(file, self.values)
        _make_macros(self._connection, statement, self._macros)
        return statement


class DatabaseFile(NamedTuple):
    """A database file that is being filled from tables of the connection that made it."""

    connection: duckdb.DuckDBPyConnection

    def make(self, kind: str, name: str, rows: str, comment: str, columns: Mapping[str, str]) -> None:
        """Make a table or a view, as `kind` says, of what stands behind `from`, with comments on it and its columns."""
        made = f"stored.{quoted_name(name)}"
        self.connection.execute(f"create {kind} {made} as from {rows}")
        self.connection.execute(f"comment on {kind} {made} is {literal(comment)}")
        for column, text in columns.items():
            self.connection.execute(f"comment on column {made}.{quoted_name(column)} is {literal(text)}")


def declared_schema(name: str, values: Mapping[str, object] = MappingProxyType({})) -> pa.Schema:
    """The columns of table `name` and their types, as its header declares them; one may stand for those in a value."""
    columns = [(values.get(each.name.strip("{ }"), [each]), each.type) for each in sql_files()[name].columns]
    return pa.schema([(each.name, TYPES[kind]) for named, kind in columns for each in cast(Sequence[Any], named)])


def declared_table(name: str, rows: Iterable[Sequence[object]]) -> pa.Table:
    """Table `name` of these rows, whose values are in the order of its header."""
    schema = declared_schema(name)
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


def stacked_table(name: str, parts: Iterable[Sequence[object]]) -> pa.Table:
    """Table `name` of parts, one after another: the columns of each, arrays, in the order of its header."""
    schema = declared_schema(name)
    tables = (pa.table(dict(zip(schema.names, columns, strict=True)), schema) for columns in parts)
    return pa.concat_tables([schema.empty_table(), *tables])


def _selected(name: str, columns: Sequence[str]) -> str:
    return f"select {', '.join(map(quoted_name, columns)) or '*'} from {quoted_name(name)}"


def _make_macros(connection: duckdb.DuckDBPyConnection, statement: Statement, made: set[str]) -> None:
    """Make the macros that `statement` calls but for those `made`, and add the statements that make them to these."""
    for macro in macros_called(statement.text):
        if macro.body not in made:
            connection.execute(macro.body)
            made.add(macro.body)


def _made(connection: duckdb.DuckDBPyConnection, file: SqlFile, beginning: str, statement: Statement) -> str:
    """Run `beginning`, with the name of `file`, and `statement`; the line for the log."""
    start = time.monotonic()
    made = connection.execute(f"{beginning.format(quoted_name(file.name))} {statement.text}", statement.bound)
    rows = made.fetchall()[0][0]
    return f"{file.folder}/{file.name}: {rows:,} rows in {time.monotonic() - start:.2f} s"


def _stretches(connection: duckdb.DuckDBPyConnection, statement: Statement, rows: int) -> Iterator[pa.Table]:
    """The rows of a statement in its order, at most `rows` at a time; without rows one stretch, of none.

    Raises: duckdb.Error, of the class that a statement raises which is not handed on.
    """
    try:
        some = connection.sql(statement.text, params=statement.bound).to_arrow_reader(max(1, rows // _BATCHES))
        waiting = some.schema.empty_table()
        for batch in some:  # of any size: the batches of a file may be much smaller
            waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
            while waiting.num_rows > rows:
                yield waiting.slice(0, rows)
                waiting = waiting.slice(rows)
    except (pa.ArrowException, OSError) as error:
        # Of DuckDB's errors Arrow only has the text; the class stands before it, if it is of more than one kind.
        kind, _, rest = str(error).partition(" Error: ")
        found = _ERRORS.get(f"{kind.replace(' ', '').lower()}exception", duckdb.Error)
        raise found(rest if kind == "Invalid" else str(error)) from error
    yield waiting


def lock(connection: duckdb.DuckDBPyConnection, folders: Iterable[Path], files: Iterable[Path]) -> None:
    """Let a connection read and write below `folders`, read `files`, and nothing else, and show no progress."""
    connection.execute("set allowed_directories = $folders", {"folders": [f"{folder}/" for folder in folders]})
    connection.execute("set allowed_paths = $paths", {"paths": list(map(str, files))})
    connection.execute("set enable_progress_bar = false")  # DuckDB would write it to stdout, with its duration
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


@contextmanager
def open_database(
    scratch: Path,
    readable: Sequence[Path],
    writable: Sequence[Path],
    resources: Resources,
    log: Line = ignore,
    step: Step = ignore,
) -> Iterator[Database]:
    """A connection that reads `readable`, and reads and writes below `scratch` and `writable` alone.

    No extension is installed or loaded, nothing is fetched, and none of this can be changed afterwards.
    """
    folder = Path(tempfile.mkdtemp(prefix="database-", dir=scratch))
    with closing(duckdb.connect(str(folder / "work.duckdb"), config=configuration(folder, resources))) as connection:
        connection.execute("pragma disable_checkpoint_on_shutdown")  # the file ends with the connection
        # Summing before a join costs more than it saves here: our joins keep few of the rows that they meet.
        connection.execute("set disabled_optimizers = 'partial_aggregate_pushdown'")
        lock(connection, (scratch, *writable), readable)
        yield Database(connection, folder, log, step, resources)


def reading_connection(
    files: Sequence[Path], spill: Path | None = None, resources: Resources = Resources()
) -> duckdb.DuckDBPyConnection:
    """A connection in memory that reads these files, loads no extension and sees nothing else.

    spill: a folder to make for what memory does not hold; None: nothing is ever written. The connection ends when it is
    closed, or with the last relation of it that is in use.
    """
    config = configuration(spill or Path(), resources) | {"temp_directory": str(spill or "")}
    connection = duckdb.connect(":memory:", config=config)
    connection.execute("set python_enable_replacements = false")
    lock(connection, (), files)
    return connection


# Tables and views of a DuckDB database of the user's, which is opened to be read only.

Table = tuple[str, str]  # schema and name
_MOST_DIGITS = 38  # of a decimal


def find_table(file: Path, name: str) -> Table:
    """The table or view called `name`, or `schema.name`, of the database `file`.

    Raises: InputError where the database cannot be opened, or has no such table, or several.
    """
    with _opened(file, file.parent, Resources(), writable=[]) as connection:
        found = connection.sql("select table_schema, table_name from information_schema.tables order by all").fetchall()
    alike = [(schema, table) for schema, table in found if name in (table, f"{schema}.{table}")]
    if len(alike) == 1:
        return alike[0]
    tables = ", ".join(table if schema == "main" else f"{schema}.{table}" for schema, table in found) or "none"
    what = f"has no table or view called '{name}'" if name else "is a database; it takes the name of a table too"
    what = f"has {len(alike)} tables called '{name}'" if alike else what
    raise InputError([Problem(str(file), what, f"write {file.name}::TABLE; its tables and views are {tables}")])


def table_schema(file: Path, table: Table) -> pa.Schema:
    """The columns of a table or view, and their types. Raises: InputError as `copy_table_of`."""
    with _opened(file, file.parent, Resources(), writable=[]) as connection:
        return connection.sql(f"from {_qualified(table)} limit 0").to_arrow_table().schema


def copy_table_of(file: Path, table: Table, target: Path, resources: Resources) -> None:
    """Write a table or view of the database `file` to the Parquet file `target`.

    Raises: InputError where it cannot be read: also where a view reads files, which nobody named.
    """
    with _opened(file, target.parent, resources, writable=[target.parent]) as connection:
        rows = connection.sql(f"from {_qualified(table)}")
        rows.select(*map(partial(_exactly, rows), rows.columns, rows.types)).write_parquet(str(target))


def _exactly(rows: duckdb.DuckDBPyRelation, name: str, kind: object) -> duckdb.Expression:
    """A column of a table with all its digits: of numbers of 128 bits, DuckDB would write doubles."""
    column = duckdb.ColumnExpression(name)
    if str(kind) not in ("HUGEINT", "UHUGEINT"):
        return column
    ends = rows.aggregate(f"min({quoted_name(name)}), max({quoted_name(name)})").fetchall()[0]
    is_decimal = all(abs(end or 0) < 10**_MOST_DIGITS for end in ends)
    return column.cast(duckdb.sqltype(f"DECIMAL({_MOST_DIGITS}, 0)" if is_decimal else "VARCHAR")).alias(name)


def table_digest(file: Path, table: Table) -> str:
    """SHA-256 of the columns and rows of a table or view, whatever the order of its rows.

    The file of the database may hold person records in another table. Raises: InputError as `copy_table_of`.
    """
    digest = hashlib.sha256()
    with scratch_folder(None) as scratch, _opened(file, scratch, Resources(), writable=[]) as connection:
        texts = connection.sql(f"from {_qualified(table)}").project("columns(*)::varchar")
        rows = texts.order("all").to_arrow_reader()
        digest.update("|".join(map(quoted_name, rows.schema.names)).encode())
        for batch in rows:
            text = BytesIO()
            pc.write_csv(batch, text, pc.WriteOptions(include_header=False, quoting_style="all_valid"))
            digest.update(text.getbuffer())
    return digest.hexdigest()


def _qualified(table: Table) -> str:
    return ".".join(map(quoted_name, table))


@contextmanager
def _opened(
    file: Path, scratch: Path, resources: Resources, writable: list[Path]
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads the database `file`, writes to the folders `writable`, and touches nothing else.

    Raises: InputError where the database cannot be opened or read.
    """
    try:
        with duckdb.connect(str(file), read_only=True, config=configuration(scratch, resources)) as connection:
            lock(connection, writable, ())
            yield connection
    except duckdb.Error as error:
        what = f"cannot be read as a DuckDB database: {str(error).splitlines()[0]}"
        fix = "close other programs that have it open; make a table of a view that reads files"
        raise InputError([Problem(str(file), what, fix)]) from error
