"""Tables and views of a DuckDB database of the user's, which is opened to be read only."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv as pc

from safetab_sql.kit.database import Resources, configuration, lock, scratch_folder
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import quoted_name

Table = tuple[str, str]  # schema and name
_WIDE, _DECIMAL = ("HUGEINT", "UHUGEINT"), "try_cast({} as decimal(38, 0))"


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
        copied = f"from {_qualified(table)} select * {_replaced(connection, table)}"
        connection.execute(f"copy ({copied}) to $target (format parquet)", {"target": str(target)})


def _replaced(connection: duckdb.DuckDBPyConnection, table: Table) -> str:
    """What keeps all digits of numbers of 128 bits, of which DuckDB would make doubles in Parquet."""
    rows = connection.sql(f"from {_qualified(table)}")
    wide = [quoted_name(name) for name, kind in zip(rows.columns, rows.types, strict=True) if str(kind) in _WIDE]
    if not wide:
        return ""
    fits = rows.aggregate(", ".join(f"count({_DECIMAL.format(name)}) = count({name})" for name in wide)).fetchall()[0]
    kinds = [_DECIMAL if is_decimal else "cast({} as varchar)" for is_decimal in fits]
    return f"replace ({', '.join(f'{kind.format(name)} as {name}' for kind, name in zip(kinds, wide, strict=True))})"


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
