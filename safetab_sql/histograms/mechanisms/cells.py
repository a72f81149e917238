"""Noise on every cell of a histogram, most of them empty: only what comes out different from nothing is ever kept.

Cells with rows get noise one by one. Where few of the empty ones come out non-zero, or above a threshold, those that do
are drawn directly (empty_groups.py): equal in law to drawing every cell, at a cost that grows with the cells that come
out. Elsewhere every cell is drawn. A histogram is worked through in stretches, so that memory does not grow with it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.mechanisms.bits import BitSource
from safetab_sql.mechanisms.draw import add_noise
from safetab_sql.mechanisms.empty_groups import (
    empty_group_ids,
    empty_groups_before,
    exceeding_draws,
    nonzero_draws,
)

Int64s = npt.NDArray[np.int64]

_STRETCH = (
    2**21
)  # cells that are drawn at a time, or that are expected to come out of a sparse stretch: 16 MiB an array
_SPARSE = 32  # drawing survivors pays where fewer than one empty cell in so many survives


@dataclass(frozen=True, slots=True)
class NoisyCells:
    """Cells of one stretch of a histogram: ids, sorted, and noisy counts; int64[n]. All others of it are left out."""

    cell_ids: Int64s
    noisy_counts: Int64s


def nonzero_cells(exact: tuple[Int64s, Int64s], cells: int, law: Law, bits: BitSource) -> Iterator[NoisyCells]:
    """Every cell whose noisy count is not 0, stretch by stretch in the order of ids.

    exact: ids (sorted, 0 to cells - 1) and counts of the cells with rows. cells: of the whole domain, at most 2^62.
    law: of the noise on each cell; tabulable (laws/cumulative.py).
    """
    return _surviving_cells(exact, cells, law, None, bits)


def cells_above(
    exact: tuple[Int64s, Int64s], cells: int, law: Law, above: int, bits: BitSource
) -> Iterator[NoisyCells]:
    """Every cell whose noisy count is greater than `above` >= 0; otherwise like `nonzero_cells`."""
    return _surviving_cells(exact, cells, law, above, bits)


def _surviving_cells(
    exact: tuple[Int64s, Int64s], cells: int, law: Law, above: int | None, bits: BitSource
) -> Iterator[NoisyCells]:
    """Cells above `above`, or, where it is None, those that are not 0."""
    tail = tail_bounds(law, above or 0, 64)[1] * (2 if above is None else 1)
    is_sparse = tail * _SPARSE < 1 << 64
    stretch = max(_STRETCH, (_STRETCH << 64) // tail) if is_sparse else _STRETCH
    for first in range(0, cells, stretch):
        end = min(first + stretch, cells)
        low, high = np.searchsorted(exact[0], [first, end])
        here = exact[0][low:high], exact[1][low:high]
        found = _sparse(here, first, end, law, above, bits) if is_sparse else _dense(here, first, end, law, bits)
        kept = found.noisy_counts != 0 if above is None else found.noisy_counts > above
        yield NoisyCells(found.cell_ids[kept], found.noisy_counts[kept])


def _dense(exact: tuple[Int64s, Int64s], first: int, end: int, law: Law, bits: BitSource) -> NoisyCells:
    """Every cell from `first` to before `end`."""
    counts = np.zeros(end - first, dtype=np.int64)
    counts[exact[0] - first] = exact[1]
    return NoisyCells(np.arange(first, end, dtype=np.int64), add_noise(counts, law, bits))


def _sparse(
    exact: tuple[Int64s, Int64s], first: int, end: int, law: Law, above: int | None, bits: BitSource
) -> NoisyCells:
    """Every cell with rows from `first` to before `end`, and the empty ones there that survive."""
    ids, counts = exact
    empty = end - first - ids.size
    if above is None:
        ranks, noise = nonzero_draws(law, empty, bits)
    else:
        ranks, noise = exceeding_draws(law, above, empty, bits)
    found = np.concatenate([ids, empty_group_ids(ranks, empty_groups_before(ids, first), first)])
    noisy = np.concatenate([add_noise(counts, law, bits), noise])
    order = np.argsort(found, kind="stable")
    return NoisyCells(found[order], noisy[order])
