"""The rows of a statement, handed on a stretch at a time while DuckDB still reads them."""

from collections.abc import Iterator
from itertools import islice

import duckdb
import pyarrow as pa

from safetab_sql.kit.sqlfiles import Statement

_BATCHES = 8  # of a stretch, so that several threads can read it
_ERRORS = {name.lower(): error for name, error in vars(duckdb).items() if name.endswith("Exception")}


def stretches(connection: duckdb.DuckDBPyConnection, statement: Statement, rows: int) -> Iterator[pa.Table]:
    """The rows of a statement in its order, at most `rows` at a time; without rows one stretch, of none.

    Raises: duckdb.Error, of the class that a statement raises which is not handed on.
    """
    is_empty = True
    try:
        some = connection.sql(statement.text, params=statement.bound).to_arrow_reader(max(1, rows // _BATCHES))
        while batches := list(islice(some, _BATCHES)):
            together = pa.Table.from_batches(batches)
            for first in range(0, together.num_rows, rows):
                is_empty = False
                yield together.slice(first, rows)
    except (pa.ArrowException, OSError) as error:
        raise _as_by_duckdb(str(error)) from error
    if is_empty:
        yield some.schema.empty_table()


def _as_by_duckdb(text: str) -> duckdb.Error:
    """The error that Arrow only has the text of. Its class stands before the text, if it is of more than one kind."""
    kind, _, rest = text.partition(" Error: ")
    if (error := _ERRORS.get(f"{kind.replace(' ', '').lower()}exception")) is not None:
        return error(text)  # type: ignore[no-any-return]
    return duckdb.Error(rest if kind == "Invalid" else text)
