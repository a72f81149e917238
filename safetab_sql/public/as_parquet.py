"""Text, and tables of DuckDB databases, rewritten as Parquet in the scratch folder before anything reads them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.database import Database
from safetab_sql.kit.database_tables import copy_table_of
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.sources import Source, stored_types
from safetab_sql.public.text_files import text_header, text_tables

_NAMES_OF_PLACES = ("geography", "region_names")  # inputs in which people write what a place is called


def parquet_files(database: Database, source: Source, scratch: Path, name: str) -> list[Path]:
    """The files of `source` as Parquet: Parquet files themselves, and for all others a rewritten file in `scratch`.

    Raises: InputError that names every text file that is not a table, or a database that cannot be read.
    """
    if source.is_parquet:
        return list(source.files)
    if source.table is not None:
        target = scratch / f"{name}-0.parquet"
        copy_table_of(source.files[0], source.table, target, database.resources)
        return [target]
    rewritten, problems = [], list[Problem]()
    for number, file in enumerate(source.files):
        rewritten.append(scratch / f"{name}-{number}.parquet")
        problems += _rewritten(file, rewritten[-1], database.resources.threads, folds=name in _NAMES_OF_PLACES)
    refuse(problems)
    return rewritten


def _rewritten(file: Path, target: Path, threads: int | None, *, folds: bool) -> list[Problem]:
    """Write a text file as Parquet to `target`; what is wrong with it."""
    # Fast to write and to read again; few columns have more values than fit into a small dictionary.
    fast = {"compression": "lz4", "write_statistics": False, "dictionary_pagesize_limit": 2**16}
    try:
        header = text_header(file)
        with pq.ParquetWriter(target, header.schema, **fast) as writer:
            for table in text_tables(file, header, threads, folds=folds):
                writer.write_table(table)
    except InputError as error:
        return list(error.problems)
    return []


def source_columns(source: Source, *, is_checked: bool = False) -> Mapping[str, pa.DataType]:
    """The columns of an input and their types, of its first file. Raises: InputError where they cannot be read.

    is_checked: whether the first lines of a text are read too, of which nothing is used.
    """
    if not source.is_text:
        return stored_types(replace(source, files=source.files[:1]), source.files[:1])[0]
    header = text_header(source.files[0])
    if is_checked:
        next(text_tables(source.files[0], header, threads=1), None)
    return dict.fromkeys(header.schema.names, pa.string())
