"""Household records of a synthetic nation: one for each householder, with type and tenure, from its person records."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from safetab_sql.kit.arrays import Int64s
from safetab_sql.simulation.parquet import write_parquet
from safetab_sql.simulation.states import random_stream

_STREAM = 5  # of random numbers: another one than any other part of the nation draws from
_OF_PERSONS = ("QAGE", "QSEX", "HOUSEHOLDER", "CENRACE")  # what a household record has not
LIVES_ALONE, MARRIED, NOT_ALONE = 4, 1, 5
# P(married couple), and P(married couple or other family); others are no family. Of households of two or more.
_MARRIED, _FAMILY = 0.62, 0.88
_OWNERS_AT_18, _OWNERS_A_YEAR = 0.2, 0.009  # P(owner) by the age of the householder
_CLEAR_AT_18, _CLEAR_A_YEAR = 0.02, 0.012  # P(without a mortgage), of owners
_WITHOUT_RENT = 0.05  # of those who own nothing


def write_households(target: Path, persons: Path, *, seed: int) -> None:
    """Write a file of household records for each file of person records, which write_persons made.

    Source: docs/specification/tabulation.md section 5.8 (HOUSEHOLD_TYPE, TEN).
    """
    target.mkdir()
    for file in sorted(persons.glob("*.parquet")):
        stream = random_stream(seed, file.stem, _STREAM)
        write_parquet(target / file.name, _tables(file, stream))


def _tables(file: Path, stream: np.random.Generator) -> Iterator[pa.Table]:
    """The households of each row group, which holds whole households, each beginning with its householder."""
    with pq.ParquetFile(file) as people:
        for number in range(people.num_row_groups):
            table = people.read_row_group(number)
            first = np.flatnonzero(table["HOUSEHOLDER"].to_numpy())
            size = np.diff(first, append=table.num_rows)
            head = table.take(pa.array(first))
            kinds = _types(stream, size, head["QSEX"].to_numpy() == "2")
            tenures = _tenures(stream, head["QAGE"].to_numpy().astype(np.int64))
            kept = head.drop_columns(list(_OF_PERSONS))
            yield kept.append_column("HOUSEHOLD_TYPE", pa.array(kinds)).append_column("TEN", pa.array(tenures))


def _types(stream: np.random.Generator, size: Int64s, head_is_female: NDArray[np.bool_]) -> NDArray[np.int8]:
    """HOUSEHOLD_TYPE of households of these sizes: int8[household]."""
    drawn = stream.random(size.size)
    family = np.where(head_is_female, 3, 2)
    several = np.where(drawn < _MARRIED, MARRIED, np.where(drawn < _FAMILY, family, NOT_ALONE))
    return np.where(size == 1, LIVES_ALONE, several).astype(np.int8)


def _tenures(stream: np.random.Generator, head_age: Int64s) -> NDArray[np.int8]:
    """TEN of households whose householders are of these ages: int8[household]."""
    owns, second = stream.random(head_age.size), stream.random(head_age.size)
    years = np.minimum(head_age, 90) - 18
    owner = np.where(second < _CLEAR_AT_18 + _CLEAR_A_YEAR * years, 2, 1)
    other = np.where(second < _WITHOUT_RENT, 4, 3)
    return np.where(owns < _OWNERS_AT_18 + _OWNERS_A_YEAR * years, owner, other).astype(np.int8)
