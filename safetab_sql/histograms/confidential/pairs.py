"""Exact tables of all pairs of fields, and the scores by which pairs are chosen.

A score never leaves this room but for the exponential mechanism. Source: histograms.md section 7.3.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from safetab_sql.histograms.confidential.counts import CodedTable, code_columns
from safetab_sql.histograms.public.tree_plan import BinnedPair, Comparison, Pair
from safetab_sql.kit.arrays import Int64s

_ROWS = 2**18  # records that are counted at a time


def count_pairs(table: CodedTable, finest: Sequence[Int64s], pairs: Sequence[Pair] = ()) -> dict[Pair, Int64s]:
    """The exact table of each of these pairs, or of all: int64[bins, bins], records. finest: the bin of each code.

    The engine has coded the records; the tables are counted here, because one statement a pair takes five times as
    long, and there are thousands of pairs. A record changes one cell of each table, by 1.
    """
    names = code_columns(table)
    sizes = [int(bins.max()) + 1 for bins in finest]
    counts = {
        pair: np.zeros(sizes[pair[0]] * sizes[pair[1]], dtype=np.int64)
        for pair in pairs or combinations(range(len(names)), 2)
    }
    for batch in table.database.batches("table_codes", names, _ROWS):
        codes = [bins[batch[name].to_numpy()] for bins, name in zip(finest, names, strict=True)]
        for (one, other), cells in counts.items():
            counts[one, other] += np.bincount(codes[one] * sizes[other] + codes[other], minlength=cells.size)
    return {(one, other): cells.reshape(sizes[one], sizes[other]) for (one, other), cells in counts.items()}


def table_counts(table: BinnedPair, counts: Mapping[Pair, Int64s]) -> Int64s:
    """The exact counts of a pair's table, from those in the finest bins: int64[bins, bins]."""
    joined = np.zeros((table.shape[0], counts[table.pair].shape[1]), dtype=np.int64)
    np.add.at(joined, table.bins[0], counts[table.pair])
    cells = np.zeros(table.shape, dtype=np.int64)
    np.add.at(cells.T, table.bins[1], joined.T)
    return cells


def scores(comparisons: Iterable[Comparison], counts: Mapping[Pair, Int64s]) -> Int64s:
    """Of each table: how far the records are from independent fields, less what its noise costs: int64[tables].

    The distance is the sum over cells of |records - records if the fields were independent|, in whole records; the
    latter follows from noisy counts. A record more or less changes one cell by 1, so it changes a score by at most 1.
    """
    return np.array(
        [np.abs(table_counts(one.table, counts) - one.independent_counts).sum() - one.cost for one in comparisons],
        dtype=np.int64,
    )
