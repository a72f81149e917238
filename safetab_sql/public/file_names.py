"""What the names of files and folders say of the tables in them: their format, and the columns of partitions."""

import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

TEXT_ENDINGS = (".txt", ".csv", ".psv")
PARQUET_ENDINGS = (".parquet", ".parq", ".pq")
_HIVE_SEGMENT = re.compile(r"([^/=]+)=([^/]*)")
_HIVE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})|__HIVE_DEFAULT_PARTITION__")


def partition(folder: Path) -> dict[str, str]:
    """The values that the names of Hive partition folders give to columns."""
    return dict(_HIVE_SEGMENT.findall(str(folder)))


def partition_columns(parquet_files: Sequence[Path]) -> frozenset[str]:
    """The columns whose values stand in the names of Hive partition folders."""
    return frozenset(hive_types(parquet_files))


def hive_types(files: Sequence[Path]) -> dict[str, pa.DataType]:
    """The partition columns in the names of folders, typed as DuckDB types them.

    A column has whole numbers if every value is one and none has a leading zero (01, 02, ..., 56 are text). There are
    no columns if the folders of the files do not name the same ones.
    """
    partitions = [partition(file.parent) for file in files]
    names = partitions[0].keys() if partitions else set()
    if any(one.keys() != names for one in partitions):
        return {}
    numbers = {name for name in names if all(_HIVE_NUMBER.fullmatch(one[name]) for one in partitions)}
    return {name: pa.int64() if name in numbers else pa.string() for name in names}
