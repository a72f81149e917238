"""Noisy cells adjusted to public totals, in integers; sees noisy counts and public totals alone.

Least squares: what is missing to the total of a set of cells is spread over them evenly, so that the noise keeps a
known variance and no cell is biased for being small; proportional fitting would do neither. Evenly in whole numbers:
each cell gets the quotient, and as many cells as there are units left, one more (largest remainders, all alike).
Which of them get the unit is drawn by a generator whose seed is a digest of the noisy counts: each cell is as likely as
any other, and the same noisy counts give the same cells.
"""

import hashlib

import numpy as np
import numpy.typing as npt

from safetab_sql.histograms.published.sampling import generator

Int64s = npt.NDArray[np.int64]


def calibrated_cells(noisy_counts: Int64s, sets: Int64s, totals: Int64s) -> Int64s:
    """The cells, each set of them adding up to its total exactly: int64[cells].

    sets: of each cell the set it is in, -1 for none: such a cell stays as it is. totals: int64[sets]; every set has a
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
    """How many cells in no set each row has, int64[row_count]; and of each row and set that share cells, how many.

    rows, sets: of each cell its row and its set, -1 for none. The rows, sets and numbers of shared cells: int64[pairs].
    """
    is_free = sets < 0
    free = np.bincount(rows[is_free], minlength=row_count)
    set_count = int(sets.max()) + 1
    pairs, counts = _counted(rows[~is_free] * set_count + sets[~is_free], row_count * set_count)
    return free, pairs // max(1, set_count), pairs % max(1, set_count), counts


def _counted(numbers: Int64s, end: int) -> tuple[Int64s, Int64s]:
    """Which numbers from 0 to below `end` there are, and how many of each."""
    if end > 2 * numbers.size:
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers, minlength=end)
    found = np.flatnonzero(counts)
    return found, counts[found]
