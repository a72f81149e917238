"""Rows drawn along a tree of pairs of fields: each field by the bin that its neighbour in the tree has in the row.

Sees noisy counts alone. Values are not drawn one by one: where a row stands decides, so that every count is as near to
its expectation as whole rows can be. Source: histograms.md section 7.5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from safetab_sql.histograms.published.sampling import Generator, generator
from safetab_sql.kit.arrays import Floats, Int64s

_BLOCK = 2**20  # rows that are drawn together
_GOLDEN = (np.sqrt(5.0) - 1) / 2  # its multiples are spread most evenly between whole numbers


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A field that is drawn given another one. parent: its place, drawn before; None for the first field of a tree.

    parent_bins: the bin of each value of the parent. chances: for each of these bins, weights of the values of the
    field, at least 0 and not all 0: float64[bins, values].
    """

    field: int
    parent: int | None
    parent_bins: Int64s
    chances: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """The table of a pair. pair: places of its fields. bins: the bin of each value of either. counts: [bins, bins]."""

    pair: tuple[int, int]
    bins: tuple[Int64s, Int64s]
    counts: Floats

    def seen_from(self, field: int) -> tuple[Int64s, int, Int64s, Floats]:
        """The bins of `field`, the other field and its bins, and the table with a row for each bin of `field`."""
        side = self.pair.index(field)
        counts = self.counts if side == 0 else self.counts.T
        return self.bins[side], self.pair[1 - side], self.bins[1 - side], counts


def branches(fields: Sequence[Floats], edges: Sequence[Edge]) -> list[Branch]:
    """All fields, every one after its parent. fields: expected records of each value, not all 0; edges: no circle."""
    found: list[Branch] = []
    drawn: set[int] = set()
    for root in range(len(fields)):
        waiting: list[Branch] = []
        if root not in drawn:
            waiting = [Branch(root, None, np.zeros(1, dtype=np.int64), fields[root][None, :])]
        while waiting:
            branch = waiting.pop(0)
            found.append(branch)
            drawn.add(branch.field)
            for edge in [edge for edge in edges if branch.field in edge.pair]:
                bins, other, other_bins, counts = edge.seen_from(branch.field)
                if other not in drawn:
                    chances = _chances(fields[other], other_bins, counts)
                    waiting.append(Branch(other, branch.field, bins, chances))
    return found


def drawn_codes(tree: Sequence[Branch], rows: int, *, seed: int) -> Iterator[list[Int64s]]:
    """The codes of all fields, in the order of their places, block by block of rows; at least one block."""
    for block, first in enumerate(range(0, max(1, rows), _BLOCK)):
        yield _block(tree, min(_BLOCK, rows - first), generator(seed, block))


def _block(tree: Sequence[Branch], rows: int, generator: Generator) -> list[Int64s]:
    """Codes of one block: rows are kept sorted by the fields drawn last, so neighbours are alike in many fields."""
    codes = [np.zeros(rows, dtype=np.int64) for _ in tree]
    order = np.arange(rows)
    for branch in tree:
        group = np.zeros(rows, dtype=np.int64)
        if branch.parent is not None:
            group = branch.parent_bins[codes[branch.parent]]
        order = _sorted(order, group)
        ends = np.searchsorted(group[order], np.arange(len(branch.chances)), side="right")
        for bin_, (first, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            codes[branch.field][order[first:end]] = _spread(branch.chances[bin_], end - first, generator)
        order = _sorted(order, codes[branch.field])
    shuffled = generator.permutation(rows)
    return [column[shuffled] for column in codes]


def _sorted(order: Int64s, keys: Int64s) -> Int64s:
    """`order`, sorted by the keys of its rows; rows with equal keys keep their order."""
    is_narrow = keys.size == 0 or keys.max() < 2**16  # such keys are sorted by radix, ten times as fast
    return order[np.argsort(keys[order].astype(np.uint16 if is_narrow else np.int64), kind="stable")]


def _spread(chances: Floats, rows: int, generator: Generator) -> Int64s:
    """A code for each of `rows` rows that stand next to one another: int64[rows].

    Row k gets the code in which the fraction of (start + k times the golden ratio) falls. So any stretch of rows holds
    nearly as many of each code as it should, and not only all rows together; the start is random.
    """
    ends = np.cumsum(chances)
    points = (generator.random() + _GOLDEN * np.arange(rows)) % 1.0
    codes = np.searchsorted(ends, points * ends[-1], side="right")
    last = np.flatnonzero(chances)[-1]
    drawn: Int64s = np.minimum(codes, last).astype(np.int64)
    return drawn


def _chances(field: Floats, bins: Int64s, counts: Floats) -> Floats:
    """Weights of a field's values for each bin of its parent: bins by the table, values within a bin by the field.

    A bin of the parent of which the table holds nothing has the field's own weights; so has a bin of values that the
    field holds nothing of, each value alike.
    """
    held, values = np.bincount(bins, field), np.bincount(bins)
    within = np.where(held[bins] > 0, field / np.where(held > 0, held, 1.0)[bins], 1 / values[bins])
    by_bin = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, held)
    return by_bin[:, bins] * within
