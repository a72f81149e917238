"""Noisy cells adjusted to public totals, in integers; this module sees only noisy counts and public totals.

Least squares: the difference between the total of a set and the sum of its cells is spread evenly over the cells. So
the noise keeps a known variance, and small cells are not biased; with proportional fitting neither would hold. In whole
numbers each cell gets the quotient, and each unit of the remainder goes to a different cell. The cells that get a unit
are drawn uniformly by a generator whose seed is a digest of the noisy counts, so equal noisy counts give equal cells.

A total that is wrong of the data would be published as if it were exact. One that is farther from the noisy sum than
noise can explain is left out: its cells stay as they are. The noisy sum decides, so nothing else is told of the data.
"""

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, exp2, expm1, log, log1p

import numpy as np

from safetab_sql.histograms.public.domains import Domain
from safetab_sql.histograms.public.invariants import FixedTotals
from safetab_sql.histograms.published.sampling import generator
from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric

_UNEXPLAINED = 1e-9  # chance that a true total is left out, at most


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A total that the counts were not calibrated to, and the noisy sum of its cells, both in units."""

    name: str
    total: int
    noisy_sum: int


def shown_count(units: int, unit: Fraction) -> str:
    """A count of units as records, or as the sum of weights that it stands for."""
    whole = units * unit
    return f"{int(whole):,}" if whole.denominator == 1 else f"{float(whole):,}"


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Calibrated cells, int64[cells]. set_of_cell: the set of each, or -1. cells_of_set: how many each set has.

    left_out: totals that noise does not explain; their cells are in no set.
    """

    cells: Int64s
    set_of_cell: Int64s
    cells_of_set: Int64s
    left_out: tuple[LeftOut, ...]


def calibration(
    noisy_counts: Int64s, fixed: FixedTotals, domains: tuple[Domain, ...], law: TwoSidedGeometric
) -> Calibration:
    """All cells of a histogram, adjusted to the totals that noise can explain. Source: histograms.md section 2.4."""
    sets = fixed.sets_of_cells(domains)
    sums = np.zeros(fixed.totals.size, dtype=np.int64)
    np.add.at(sums, sets[sets >= 0], noisy_counts[sets >= 0])
    limits = {cells: largest_noise(law, cells) for cells in set(fixed.cells.tolist())}
    is_kept = np.abs(sums - fixed.totals) <= np.array([limits[cells] for cells in fixed.cells.tolist()])
    number = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
    kept = np.where(sets >= 0, number[sets], -1)
    left_out = [
        LeftOut(fixed.names[place], int(fixed.totals[place]), int(sums[place])) for place in np.flatnonzero(~is_kept)
    ]
    cells = calibrated_cells(noisy_counts, kept, fixed.totals[is_kept])
    return Calibration(cells, kept, fixed.cells[is_kept], tuple(left_out))


def largest_noise(law: TwoSidedGeometric, draws: int) -> int:
    """Some m with P(|sum of the draws| > m) <= 10^-9: Chernoff's bound, the best of a few."""
    ratio = exp(-float(law.epsilon))

    def log_moment(theta: float) -> float:
        # E e^(theta G) = (1 - t)^2 / ((1 - t e^theta)(1 - t e^-theta)), and 1 - t = -expm1(-epsilon)
        own = 2 * log(-expm1(-float(law.epsilon)))
        return own - log(-expm1(theta - float(law.epsilon))) - log1p(-ratio * exp(-theta))

    thetas = [float(law.epsilon) * (1 - exp2(-step / 4)) for step in range(1, 80)]
    thetas += [float(law.epsilon) * exp2(-step / 2) for step in range(2, 60)]
    return ceil(min((log(2 / _UNEXPLAINED) + draws * log_moment(theta)) / theta for theta in thetas))


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
