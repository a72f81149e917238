"""Tables and views of a DuckDB database of the user's, which is opened to be read only."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv as pc

from safetab_sql.kit.database import Resources, configuration, lock, scratch_folder
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import quoted_name

Table = tuple[str, str]  # schema and name
_MOST_DIGITS = 38  # of a decimal


def find_table(file: Path, name: str) -> Table:
    """The table or view called `name`, or `schema.name`, of the database `file`.

    Raises: InputError where the database cannot be opened, or has no such table, or several.
    """
    columns = "table_schema, table_name"
    with _opened(file, file.parent, Resources(), writable=[]) as connection:
        found = connection.sql("from information_schema.tables").project(columns).order(columns).fetchall()
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
