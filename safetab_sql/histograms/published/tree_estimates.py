"""From noisy histograms of fields and noisy tables of pairs to the chances with which rows are drawn along the tree.

Sees noisy counts alone: all of it is post-processing. Source: histograms.md sections 7.2 and 7.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from safetab_sql.histograms.published.tree_fields import (
    MOST_BINS,
    NoisyField,
    bins_of,
    expected_counts,
    record_total,
    summed,
)
from safetab_sql.histograms.published.tree_pairs import NoisyPair, consistent_fields, consistent_table
from safetab_sql.histograms.published.tree_rows import Branch, Edge, branches
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law

Counted = Sequence[tuple[int, Law]]  # the noisy number of records with the law of its noise, if it was asked for


@dataclass(frozen=True, slots=True, eq=False)
class NoisyTree:
    """All that was drawn: the histogram of each field, the number of records if it was, and the tables of pairs.

    bins: of each field, the finest bin of each value: see `finest_bins`.
    """

    fields: tuple[NoisyField, ...]
    counted: tuple[tuple[int, Law], ...]
    bins: tuple[Int64s, ...]
    pairs: tuple[NoisyPair, ...]


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedTree:
    """The chances of the values of all fields, every field after its parent, and the number of records."""

    branches: list[Branch]
    rows: int


def public_total(fields: Sequence[NoisyField], counted: Counted) -> float:
    """The number of records as noisy counts tell it, and at least 1."""
    return max(1.0, record_total(fields, counted))


def finest_bins(fields: Sequence[NoisyField], total: float) -> tuple[tuple[Int64s, ...], list[Floats]]:
    """Of each field: the finest bin of each value, and the expected records in each of these bins.

    They follow from the field's own histogram, so that a table can be chosen before any was counted.
    """
    expected = [expected_counts(field.noisy_counts.astype(np.float64), field.variance, total) for field in fields]
    bins = tuple(bins_of(counts, MOST_BINS) for counts in expected)
    return bins, [summed(one, counts) for one, counts in zip(bins, expected, strict=True)]


def estimated_tree(noisy: NoisyTree) -> EstimatedTree:
    """The chances with which rows are drawn."""
    total = public_total(noisy.fields, noisy.counted)
    combined = consistent_fields(noisy.fields, noisy.bins, noisy.pairs)
    fields = [
        expected_counts(counts, field.variance, total) for counts, field in zip(combined, noisy.fields, strict=True)
    ]
    finest = [summed(one, counts) for one, counts in zip(noisy.bins, fields, strict=True)]
    edges = []
    for pair in noisy.pairs:
        one, other = pair.table.pair
        table_bins = (pair.table.bins[0][noisy.bins[one]], pair.table.bins[1][noisy.bins[other]])
        edges.append(Edge(pair.table.pair, table_bins, consistent_table(pair, (finest[one], finest[other]))))
    return EstimatedTree(branches(fields, edges), max(0, round(record_total(noisy.fields, noisy.counted))))
