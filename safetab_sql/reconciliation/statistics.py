"""The sex-by-age statistics of a release as nested partitions: which fine cells make up each coarser cell."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Int64s: TypeAlias = npt.NDArray[np.int64]
Int8s: TypeAlias = npt.NDArray[np.int8]
Floats: TypeAlias = npt.NDArray[np.float64]

NOTHING = -1  # in place of a stat level (0 a total, 1 age4, 2 age9, 3 age23) that is not known or not needed


@dataclass(frozen=True, slots=True)
class Statistics:
    """The cells of stat levels 0, 1, ... by sex, then age; every level splits cells of the level before.

    starts[fine][coarse]: positions among the cells of level `fine` where the cells of level `coarse` begin.
    cells[level]: how many cells there are.
    """

    starts: tuple[tuple[Int64s, ...], ...]
    cells: tuple[int, ...]


def statistics(statistic_cells: pa.Table) -> Statistics:
    """From table `statistic_cells` of sql/run/6_publish, whose stat levels 1, 2 and 3 nest; level 0 is the total."""
    found = zip(*(map(int, statistic_cells[name].to_pylist()) for name in _COLUMNS), strict=True)
    rows = sorted(row for row in found if row[0])
    levels = sorted({row[0] for row in rows})
    edges = [[(0, 0)], *([row[1:] for row in rows if row[0] == level] for level in levels)]
    return Statistics(
        starts=tuple(
            tuple(_places(fine, coarse) if position else np.zeros(1, dtype=np.int64) for position, coarse in before)
            for fine, before in ((edges[level], list(enumerate(edges[: level + 1]))) for level in range(len(edges)))
        ),
        cells=tuple(map(len, edges)),
    )


_COLUMNS = ("stat_level", "SEX", "AGESTART")


def _places(fine: list[tuple[int, int]], coarse: list[tuple[int, int]]) -> Int64s:
    return np.array([fine.index(edge) for edge in coarse], dtype=np.int64)


def summed(values: Floats, starts: Int64s) -> Floats:
    """The sums of runs of columns that begin at `starts`: float64[n, fine] -> float64[n, coarse]."""
    return np.add.reduceat(values, starts, axis=1)


def summed_covariances(covariances: Floats, starts: Int64s) -> Floats:
    """The covariances of sums of runs of columns: float64[n, fine, fine] -> float64[n, coarse, coarse]."""
    return np.add.reduceat(np.add.reduceat(covariances, starts, axis=1), starts, axis=2)


def run_lengths(starts: Int64s, size: int) -> Int64s:
    """How many of `size` columns each run has."""
    return np.diff(np.append(starts, size))
