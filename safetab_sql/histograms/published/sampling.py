"""Rows drawn from noisy histograms: post-processing, so a fast generator with a seed will do.

The only module outside the simulation that holds such a generator. What it draws adds nothing to the privacy loss and
takes nothing from it, for all it sees of the data are counts with noise.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]
Generator = np.random.Generator

_LISTED = 100_000  # sets that are listed to choose among; of more, two are hardly ever drawn alike


def generator(seed: int, *stream: int) -> Generator:
    """A generator of its own for each `seed` and `stream`, both >= 0; the same ones give the same draws."""
    return np.random.default_rng([seed, *stream])


def sampled_cells(cell_ids: Int64s, noisy_counts: Int64s, bins: int, rows: int, generator: Generator) -> Int64s:
    """A cell for each of `rows` rows, independently, each with a chance in proportion to its noisy count: int64[rows].

    cell_ids, noisy_counts: int64[n] both, the cells that the cut left, counts >= 1; any other of the `bins` cells has
    chance 0. Where the cut left none, every cell is as likely as any other. The draws are of whole numbers, so the
    chances are exact. Source: histograms.md section 4.4.
    """
    if not cell_ids.size:
        return generator.integers(bins, size=rows)
    ends = np.cumsum(noisy_counts)
    return cell_ids[np.searchsorted(ends, generator.integers(ends[-1], size=rows), side="right")]


def default_rows(noisy_totals: Sequence[int]) -> int:
    """How many rows to sample: the median of the groups' noisy totals, half a row rounded up, and never below 0."""
    ordered = sorted(noisy_totals)
    middle = len(ordered) // 2
    doubled = ordered[middle] * 2 if len(ordered) % 2 else ordered[middle - 1] + ordered[middle]
    return max(0, (doubled + 1) // 2)


def random_sets(items: int, size: int, sets: int, generator: Generator) -> list[tuple[int, ...]]:
    """`sets` distinct sets of `size` of the numbers 0 to items - 1, each as likely as any other; all, if no more exist.

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
