"""The names of regions: a public file that somebody gives, with a row for each region."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.errors import Problem, refuse

REGION_NAMES = "region_names"  # what the input is called, and the table
_COLUMNS = {"REGION_TYPE": "region_type", "REGION_ID": "region_id", "NAME": "region_name"}
_MOST_EXAMPLES = 3


def no_region_names() -> pa.Table:
    """Table `region_names` of sql/run/2_catalog where nobody gives names."""
    return pa.schema([(name, pa.string()) for name in _COLUMNS.values()]).empty_table()


def region_names_table(where: str, files: Sequence[Path]) -> pa.Table:
    """Table `region_names` of Parquet files with these columns. Raises: InputError with every problem."""
    fix = "give the columns REGION_TYPE, REGION_ID and NAME as text, as the tables of a release write the first two"
    schemas = [pq.read_schema(file) for file in files]
    whats = [f"has no column {name}" for name in _COLUMNS if any(name not in schema.names for schema in schemas)]
    for name in [name for name in _COLUMNS if all(name in schema.names for schema in schemas)]:
        stored = {schema.field(name).type for schema in schemas}
        whats += [f"{name} is stored as {kind}" for kind in stored if not _is_text(kind)]
    refuse([Problem(where, what, fix) for what in whats])
    text = pa.schema([(name, pa.string()) for name in _COLUMNS])
    named = pa.concat_tables([pq.read_table(file, columns=list(_COLUMNS)).cast(text) for file in files])
    refuse(_row_problems(where, named))
    return named.rename_columns(list(_COLUMNS.values()))


def _row_problems(where: str, named: pa.Table) -> list[Problem]:
    missing = sum(bool(named[name].null_count) for name in _COLUMNS)
    rows = Counter(zip(named["REGION_TYPE"].to_pylist(), named["REGION_ID"].to_pylist(), strict=True))
    twice = [f"{kind} {region}" for (kind, region), count in rows.items() if count > 1]
    shown = ", ".join(twice[:_MOST_EXAMPLES])
    return [
        *([Problem(where, "a row without type, id or name", "leave such rows out")] if missing else []),
        *([Problem(where, f"{len(twice):,} region(s) stand more than once: {shown}", "keep one row")] if twice else []),
    ]


def _is_text(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_string_view(value))
