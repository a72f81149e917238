"""Parquet files of the synthetic nation: one row group a table, plain text columns."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray


def write_parquet(path: Path, tables: Iterator[pa.Table]) -> None:
    """Write one row group a table, as the tables come; there must be one or more."""
    first = next(tables)
    # Without the Arrow schema, dictionary-encoded text reads back as plain text.
    options = {"compression": "zstd", "compression_level": 1, "store_schema": False}
    with pq.ParquetWriter(path, first.schema, **options) as writer:
        for table in chain([first], tables):
            writer.write_table(table, row_group_size=table.num_rows)


def coded_text(numbers: NDArray[np.int64], width: int) -> pa.DictionaryArray:
    """Numbers as zero-padded text of `width` digits, at most six. int64[n] -> dictionary-encoded text[n]."""
    is_present = np.zeros(10**width, dtype=bool)
    is_present[numbers] = True
    present = np.flatnonzero(is_present)
    index = np.empty(10**width, dtype=np.int32)
    index[present] = np.arange(present.size)
    text = [f"{number:0{width}d}" for number in present.tolist()]
    return pa.DictionaryArray.from_arrays(index[numbers], pa.array(text, pa.string()))
