"""The statistics of a ladder as nested partitions: which fine cells make up each coarser cell, and each published row.

Cells are in nested order here: the cells of every coarser statistic are runs of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Floats, Int64s

Int8s: TypeAlias = npt.NDArray[np.int8]

NOTHING = -1  # in place of a stat level (0 a total, 1 the coarsest table, ...) that is not known or not needed
TOTAL = -1  # row of a total that stands in a table of totals


@dataclass(frozen=True, slots=True)
class StatisticRows:
    """The published rows of a statistic. ids: int64[rows]. weights: which cells a row adds up, float64[rows, cells]."""

    ids: Int64s
    weights: Floats


@dataclass(frozen=True, slots=True)
class Statistics:
    """The cells of stat levels 0, 1, ... of a ladder; every level splits cells of the level before.

    starts[fine][coarse]: positions among the cells of level `fine` where the cells of level `coarse` begin.
    cells[level]: how many cells there are. order[level]: the published position of each cell. rows[level]: its rows.
    """

    starts: tuple[tuple[Int64s, ...], ...]
    cells: tuple[int, ...]
    order: tuple[Int64s, ...]
    rows: tuple[StatisticRows, ...]


def statistics(finest: Sequence[Int64s], rows: Sequence[Mapping[int, Sequence[int]]]) -> Statistics | None:
    """The statistics of stat levels 0, 1, ...; None where one does not split cells of the one before.

    finest[level]: the published position of the cell of each finest cell, int64[finest cells]. rows[level]: published
    rows by their ids, and the published positions of the cells that they add up.
    """
    places: list[Int64s] = []  # by level, the nested place of the cell of each finest cell
    order = []
    for cells in finest:
        keys = np.column_stack([*places, cells])
        distinct, numbers = np.unique(keys, axis=0, return_inverse=True)
        if distinct.shape[0] != np.unique(cells).size:
            return None
        places.append(numbers.ravel().astype(np.int64))
        order.append(distinct[:, -1].astype(np.int64))
    return Statistics(
        starts=tuple(
            tuple(_starts(fine, coarse) for coarse in places[: level + 1]) for level, fine in enumerate(places)
        ),
        cells=tuple(map(len, order)),
        order=tuple(order),
        rows=tuple(_rows(own, published) for own, published in zip(order, rows, strict=True)),
    )


def _starts(fine: Int64s, coarse: Int64s) -> Int64s:
    """The first fine cell of each coarse cell: int64[finest cells] both."""
    firsts = np.full(int(coarse.max()) + 1, fine.size, dtype=np.int64)
    np.minimum.at(firsts, coarse, fine)
    return firsts


def _rows(order: Int64s, rows: Mapping[int, Sequence[int]]) -> StatisticRows:
    weights = np.array([np.isin(order, cells) for cells in rows.values()], dtype=np.float64)
    return StatisticRows(np.array(list(rows), dtype=np.int64), weights.reshape(len(rows), order.size))


def summed(values: Floats, starts: Int64s) -> Floats:
    """The sums of runs of columns that begin at `starts`: float64[n, fine] -> float64[n, coarse]."""
    return np.add.reduceat(values, starts, axis=1)


def summed_covariances(covariances: Floats, starts: Int64s) -> Floats:
    """The covariances of sums of runs of columns: float64[..., fine, fine] -> float64[..., coarse, coarse]."""
    return np.add.reduceat(np.add.reduceat(covariances, starts, axis=-2), starts, axis=-1)


def run_lengths(starts: Int64s, size: int) -> Int64s:
    """How many of `size` columns each run has."""
    return np.diff(np.append(starts, size))
