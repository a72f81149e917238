"""Pairs of fields whose values are joined to bins: what the counting of a pair's table needs to know of it."""

from dataclasses import dataclass

from safetab_sql.kit.arrays import Int64s

Pair = tuple[int, int]  # places of two fields, the smaller first


@dataclass(frozen=True, slots=True, eq=False)
class BinnedPair:
    """The bins of a pair's table. bins: of each of the two fields, the bin in the table of each of its finest bins."""

    pair: Pair
    bins: tuple[Int64s, Int64s]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of bins of the two fields."""
        return int(self.bins[0][-1]) + 1, int(self.bins[1][-1]) + 1

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.shape[0] * self.shape[1]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What a pair's table is compared with: whole records in each cell if the fields were independent.

    independent_counts: int64[bins, bins]. cost: records that the score loses because of the noise in the table.
    """

    table: BinnedPair
    independent_counts: Int64s
    cost: int
