"""Hierarchies and wavelets: strategies whose levels are sums of 1, b, b^2, ... values, with a weight for each level.

They are cut into numbers, one for each level of each axis, so that even long axes cost nothing.
Source: Hay et al. 2010; Qardaji, Yang, Li 2013 (hierarchies); Xiao, Wang, Gehrke 2010 (wavelets).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.semantics.balanced import Blocks, Part
from safetab_sql.semantics.products import Product, cut, kronecker
from safetab_sql.semantics.table_weights import Table
from safetab_sql.settings.budgets import PrivacyDefinition


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Tables that are cut into numbers, one for each product of levels of the axes.

    energies: of the queries by table, float64[queries, products]: the squared length of what each product of levels
    adds to the coarser ones. levels: rows by axis and level, uncut.
    """

    blocks: Blocks
    tables: tuple[Table, ...]
    energies: tuple[Floats, ...]
    levels: tuple[tuple[Floats, ...], ...]

    def worst(self, weights: Floats, definition: PrivacyDefinition) -> Floats:
        """The variance of the worst query of each table, times the squared sensitivity: float64[tables]."""
        precision = (weights**2) @ np.array([each.gains for each in self.tables])
        used = precision > 0  # no query needs the others
        squared = float((weights**2).sum()) if definition == "zcdp" else float(weights.sum()) ** 2
        return squared * np.array(
            [float((each[:, used] / precision[used]).sum(axis=1).max()) for each in self.energies]
        )

    def matrix(self, weights: Floats) -> Floats:
        """What is measured, with the weights of the tables: float64[rows, cells], the last axis fastest."""
        chosen = zip(weights, product(*self.levels), strict=True)
        found = np.vstack([weight * kronecker(rows) for weight, rows in chosen if weight > 0])
        return np.asarray(found[found.any(axis=1)])


def family(queries: Sequence[Product], branching: int, *, is_wavelet: bool = False) -> Family:
    """All products of levels of the axes, for one branching: a level sums 1, b, b^2, ... values that follow another.

    A symmetric axis has two levels: its total and its values. is_wavelet: the differences of the halves of each sum, in
    place of the sums (Haar; Xiao, Wang, Gehrke 2010). Axes are padded to a power of the branching by values that nobody
    has.
    """
    found = cut(queries)
    spans = [
        (1, size) if axis in found.symmetric and size > 1 else _spans(size, branching)
        for axis, size in enumerate(found.sizes)
    ]
    is_detail = [is_wavelet and axis not in found.symmetric for axis in range(len(spans))]
    values = [_eigenvalues(span, is_detail=detail) for span, detail in zip(spans, is_detail, strict=True)]
    energies = tuple(_energies(each, spans, found.symmetric) for each in queries)
    wanted = [some / each.variance for some, each in zip(energies, queries, strict=True)]
    unlike = np.unique(np.vstack(wanted).round(12), axis=0)
    blocks = Blocks(np.ones(unlike.shape[1]), (Part(unlike, np.ones((len(unlike), 1))),))
    gains = [np.asarray(reduce(np.multiply.outer, rows)).ravel() for rows in product(*values)]
    tables = tuple(Table(row, np.ones((1, 1)), np.ones(1)) for row in gains)
    levels = tuple(
        _levels(size, span, is_detail=detail) for size, span, detail in zip(found.sizes, spans, is_detail, strict=True)
    )
    return Family(blocks, tables, energies, levels)


def _spans(size: int, branching: int) -> tuple[int, ...]:
    """How many values each level sums, from 1 to at least `size`."""
    found = [1]
    while found[-1] < size:
        found.append(found[-1] * branching)
    return tuple(found)


def _eigenvalues(spans: tuple[int, ...], *, is_detail: bool) -> Floats:
    """The precision that each level gives to what each span adds to the coarser one: float64[levels, spans]."""
    sizes = np.array(spans, dtype=np.float64)
    if not is_detail:
        return np.asarray(np.triu(np.repeat(sizes[:, None], sizes.size, axis=1)))
    # The differences of the halves of sums of span s say what the span s / 2 adds; the total is the last.
    return np.diag([*sizes[1:], sizes[-1]])


def _energies(table: Product, spans: Sequence[tuple[int, ...]], symmetric: tuple[int, ...]) -> Floats:
    """The squared length of each query's part at each span of each axis: float64[queries, spans]."""
    found = np.ones((1, 1))
    for axis, (factor, span) in enumerate(zip(table.factors, spans, strict=True)):
        rows = factor.rows[:1] if axis in symmetric else factor.rows
        part = Part(np.ones((1, 1)), rows, is_pairs=factor.is_pairs)
        padded = np.pad(rows, ((0, 0), (0, span[-1] - factor.values)))
        sums = [padded.reshape(len(rows), -1, size).sum(axis=2) for size in span]
        lengths = np.array([part.spread(each, each) / size for each, size in zip(sums, span, strict=True)])
        by_span = np.vstack([lengths[:-1] - lengths[1:], lengths[-1:]]).T
        found = (found[:, None, :, None] * by_span[None, :, None, :]).reshape(
            len(found) * len(by_span), found.shape[1] * by_span.shape[1]
        )
    return np.asarray(np.maximum(found, 0.0))


def _levels(size: int, spans: tuple[int, ...], *, is_detail: bool) -> tuple[Floats, ...]:
    """The rows of each level, without the values that nobody has: float64[rows, size] each."""
    sums: list[Floats] = [
        np.asarray(np.kron(np.eye(spans[-1] // span), np.ones((1, span))))[:, :size] for span in spans
    ]
    if not is_detail:
        return tuple(sums)
    return (*(finer[0::2] - finer[1::2] for finer in sums[:-1]), sums[-1])
