"""Tables that Python hands over: Arrow's, or of anything that gives Arrow data, such as relations and frames."""

import duckdb
import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem

_FIX = (
    "give a path, an Arrow table or record batch reader, a DuckDB relation, or a DataFrame of pandas (2.2 or later) or "
    "Polars (1.0 or later)"
)


def described(name: str, given: object) -> str:
    """What messages call a table that was given for argument `name`: `persons (a DataFrame)`."""
    return f"{name} (a {type(given).__name__})"


def arrow_table(name: str, given: object) -> pa.Table:
    """All rows of a table, given for argument `name`. Raises: InputError where it is none."""
    if not hasattr(given, "__arrow_c_stream__"):
        raise InputError([Problem(described(name, given), "is neither a path nor a table", _FIX)])
    try:
        return pa.RecordBatchReader.from_stream(given).read_all()
    except (pa.ArrowException, duckdb.Error, TypeError, ValueError) as error:
        said = next(iter(str(error).splitlines()), type(error).__name__)
        what = f"cannot be read: {said}"
        raise InputError([Problem(described(name, given), what, "each column needs values of one type")]) from error
