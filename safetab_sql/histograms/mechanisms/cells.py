"""Noise on every cell of a histogram, of which most are empty: only non-zero results are kept.

Cells with rows get noise one by one. If few empty cells would be non-zero, or above a threshold, we sample directly
which empty cells are, and their noise (empty_groups.py): the distribution is the same as drawing every cell, and the
cost grows only with the number of cells kept. Otherwise every cell is drawn. Stretches bound the memory.
"""

from collections.abc import Iterator

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.noise import Law
from safetab_sql.mechanisms.bits import BitSource
from safetab_sql.mechanisms.draw import add_noise
from safetab_sql.mechanisms.empty_groups import empty_group_ids, exceeding_draws

Cells = tuple[Int64s, Int64s]  # of one stretch of a histogram: sorted ids, and counts; int64[n] each

_STRETCH = 2**21  # cells that are drawn at a time, or that a sparse stretch is expected to keep: 16 MiB for each array
_SPARSE = 32  # sampling directly is faster if fewer than one empty cell in so many is kept


def noisy_cells(exact: Cells, cells: int, law: Law, bits: BitSource, *, above: int | None = None) -> Iterator[Cells]:
    """Every cell whose noisy count is greater than `above` >= 0, or is not 0, stretch by stretch in the order of ids.

    exact: ids (sorted, 0 to cells - 1) and counts of the cells with rows. cells: of the whole domain, at most 2^62.
    law: of the noise on each cell; tabulable (laws/noise.py). above: None for every cell that is not 0.
    """
    tail = tail_bounds(law, above or 0, 64)[1] * (2 if above is None else 1)
    is_sparse = tail * _SPARSE < 1 << 64
    stretch = max(_STRETCH, (_STRETCH << 64) // tail) if is_sparse else _STRETCH
    for first in range(0, cells, stretch):
        end = min(first + stretch, cells)
        low, high = np.searchsorted(exact[0], [first, end])
        here = exact[0][low:high], exact[1][low:high]
        ids, counts = _sparse(here, first, end, law, above, bits) if is_sparse else _dense(here, first, end, law, bits)
        kept = counts != 0 if above is None else counts > above
        yield ids[kept], counts[kept]


def _dense(exact: Cells, first: int, end: int, law: Law, bits: BitSource) -> Cells:
    """Every cell from `first` to before `end`."""
    counts = np.zeros(end - first, dtype=np.int64)
    counts[exact[0] - first] = exact[1]
    return np.arange(first, end, dtype=np.int64), add_noise(counts, law, bits)


def _sparse(exact: Cells, first: int, end: int, law: Law, above: int | None, bits: BitSource) -> Cells:
    """The kept cells from `first` to before `end`; kept cells without rows are sampled directly."""
    ids, counts = exact
    empty = end - first - ids.size
    ranks, noise = exceeding_draws(law, above or 0, empty, bits, tails=2 if above is None else 1)
    found = np.concatenate([ids, empty_group_ids(ranks, ids, first)])
    noisy = np.concatenate([add_noise(counts, law, bits), noise])
    order = np.argsort(found, kind="stable")
    return found[order], noisy[order]
