"""Noisy cells adjusted to public totals, in integers; this module sees only noisy counts and public totals.

Least squares: the difference between the total of a set and the sum of its cells is spread evenly over the cells. So
the noise keeps a known variance, and small cells are not biased; with proportional fitting neither would hold. In whole
numbers each cell gets the quotient, and each unit of the remainder goes to a different cell. The cells that get a unit
are drawn uniformly by a generator whose seed is a digest of the noisy counts, so equal noisy counts give equal cells.
"""

import hashlib

import numpy as np

from safetab_sql.histograms.published.sampling import generator
from safetab_sql.kit.arrays import Int64s


def calibrated_cells(noisy_counts: Int64s, sets: Int64s, totals: Int64s) -> Int64s:
    """The adjusted cells; each set adds up to its total exactly: int64[cells].

    sets: the set of each cell, or -1 for a cell in no set, which stays as it is. totals: int64[sets]; every set has a
    cell. Source: histograms.md section 2.4.
    """
    seed = int.from_bytes(hashlib.sha256(noisy_counts.tobytes()).digest())
    order = np.lexsort((generator(seed).permutation(sets.size), sets))
    order = order[np.searchsorted(sets[order], 0) :]
    set_of, cells = sets[order], np.bincount(sets[order], minlength=totals.size)
    sums = np.zeros(totals.size, dtype=np.int64)
    np.add.at(sums, set_of, noisy_counts[order])
    each, left = np.divmod(totals - sums, cells)
    places = np.arange(order.size) - (np.cumsum(cells) - cells)[set_of]
    adjusted = noisy_counts.copy()
    adjusted[order] += each[set_of] + (places < left[set_of])
    return adjusted


def parts_of_rows(rows: Int64s, row_count: int, sets: Int64s) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Number of cells of each row that are in no set, int64[row_count], and numbers of cells that rows share with sets.

    rows, sets: row and set of each cell, -1 for no set. The latter numbers come as three arrays int64[pairs]: row, set,
    and number of shared cells.
    """
    is_free = sets < 0
    free = np.bincount(rows[is_free], minlength=row_count)
    set_count = int(sets.max()) + 1
    pairs, counts = _counted(rows[~is_free] * set_count + sets[~is_free], row_count * set_count)
    return free, pairs // max(1, set_count), pairs % max(1, set_count), counts


def _counted(numbers: Int64s, end: int) -> tuple[Int64s, Int64s]:
    """The distinct numbers from 0 to below `end`, and how often each occurs."""
    if end > 2 * numbers.size:
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers, minlength=end)
    found = np.flatnonzero(counts)
    return found, counts[found]
