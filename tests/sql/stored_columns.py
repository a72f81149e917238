"""How the program reads the columns of a Parquet file, by the types that they are stored in."""

from collections.abc import Mapping

import pyarrow.parquet as pq

from safetab_sql.public.columns import Kind, column_expressions
from safetab_sql.public.readers import list_values
from tests.sql.parameters import parameters


def stored_columns(path: str, wanted: Mapping[str, Kind]) -> dict[str, str]:
    """The expression that reads each wanted column of the file at `path`."""
    types = {field.name: field.type for field in pq.read_schema(path)}
    return column_expressions(path, [types], wanted)


def read_lists(**paths: str) -> list[object]:
    """How the program reads the code lists at these paths, by their names."""
    found = []
    for name, path in paths.items():
        types = {field.name: field.type for field in pq.read_schema(path)}
        found.append(list_values(name, path, [path], [types], parameters("USA-1"))[name])
    return found
