"""How the program reads the columns of a Parquet file, by the types that they are stored in."""

from collections.abc import Mapping

import pyarrow.parquet as pq

from safetab_sql.public.columns import Kind, column_expressions


def stored_columns(path: str, wanted: Mapping[str, Kind]) -> dict[str, str]:
    """The expression that reads each wanted column of the file at `path`."""
    types = {field.name: field.type for field in pq.read_schema(path)}
    return column_expressions(path, [types], wanted)
