"""Rows drawn from noisy histograms: post-processing, so a fast generator with a seed is enough.

This is the only module outside the simulation that holds such a generator. Its draws do not change the privacy loss,
because it sees only noisy counts of the data.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, floor
from statistics import median

import numpy as np

from safetab_sql.kit.arrays import Int64s

Generator = np.random.Generator

_LISTED = 100_000  # up to so many sets are listed to choose from; among more, two draws are hardly ever equal


def generator(seed: int, *stream: int) -> Generator:
    """A separate generator for each `seed` and `stream`, both >= 0; equal arguments give equal draws."""
    return np.random.default_rng([seed, *stream])


def sampled_cells(cell_ids: Int64s, noisy_counts: Int64s, bins: int, rows: int, generator: Generator) -> Int64s:
    """A cell for each of `rows` rows, drawn independently with chances in proportion to noisy counts: int64[rows].

    cell_ids, noisy_counts: int64[n] both, the cells that the cut kept, with counts >= 1; every other of the `bins`
    cells has chance 0. If the cut kept no cell, all cells have equal chances. Draws are of whole numbers, so the
    chances are exact. Source: histograms.md section 4.4.
    """
    if not cell_ids.size:
        return generator.integers(bins, size=rows)
    ends = np.cumsum(noisy_counts)
    return cell_ids[np.searchsorted(ends, generator.integers(ends[-1], size=rows), side="right")]


def default_rows(noisy_totals: Sequence[int]) -> int:
    """Number of rows to sample: the median of the groups' noisy totals, with halves rounded up, and at least 0."""
    return max(0, floor(median(map(Fraction, noisy_totals)) + Fraction(1, 2)))


def random_sets(items: int, size: int, sets: int, generator: Generator) -> list[tuple[int, ...]]:
    """`sets` distinct sets of `size` of the numbers 0 to items - 1, drawn uniformly; all sets if no more exist.

    Each set is sorted, and so is the list. size: 1 to items.
    """
    if comb(items, size) <= max(_LISTED, sets):
        every = list(combinations(range(items), size))
        chosen = generator.choice(len(every), min(sets, len(every)), replace=False)
        return [every[place] for place in np.sort(chosen)]
    found: set[tuple[int, ...]] = set()
    while len(found) < sets:
        found.add(tuple(sorted(generator.choice(items, size, replace=False).tolist())))
    return sorted(found)
