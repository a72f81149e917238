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


def effective_cells(rows: Int64s, row_count: int, sets: Int64s, set_cells: Int64s) -> npt.NDArray[np.float64]:
    """By row of a margin: variance of its calibrated noise over that of one cell, and that of the rounding: [2, rows].

    rows, sets: of each cell its row and its set, -1 for none. s of the n cells of a set bring (s cells - s/n of all n):
    s (n - s) / n times the variance of one. Which cells get a unit more is random: at most a quarter of
    s (n - s) / (n - 1), persons squared.
    """
    is_free = sets < 0
    found = np.zeros((2, row_count))
    found[0] += np.bincount(rows[is_free], minlength=row_count)
    pairs, counts = _counted(rows[~is_free] * set_cells.size + sets[~is_free], row_count * set_cells.size)
    of_set = set_cells[pairs % set_cells.size].astype(np.float64)
    np.add.at(found[0], pairs // set_cells.size, counts * (of_set - counts) / of_set)
    np.add.at(found[1], pairs // set_cells.size, counts * (of_set - counts) / np.maximum(of_set - 1, 1) / 4)
    return found


def _counted(numbers: Int64s, end: int) -> tuple[Int64s, Int64s]:
    """Which numbers from 0 to below `end` there are, and how many of each."""
    if end > 2 * numbers.size:
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers, minlength=end)
    found = np.flatnonzero(counts)
    return found, counts[found]
