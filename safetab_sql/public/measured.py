"""How the cells of a table are measured together with coarser tables, and fitted to all of them by least squares.

Let x be the exact cells of a table, C x the cells of its coarser tables: the rows of C hold 0 and 1. Noise is added to
both, which gives c = C x + e and y = x + d. The fitted cells are y + K (c - C y), for some matrix K that is public.
They are x + (I - K C) d + K e whatever K is: unbiased, and their noise is a fixed combination of independent whole
numbers. Least squares wants one K. Ours has its entries rounded to whole numbers of `parts`-ths, so every fitted count
is a whole number of `parts`-ths too: exact in integers, and in doubles, as `parts` is a power of 2. The variance of a
sum of all cells grows by a thousandth at most. Source: tabulation.md section 5.10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladder_tables import Cells, Statistic
from safetab_sql.settings.ladders import FinestCells, Ladder, finest_cells, statistic_finest_cells
from safetab_sql.settings.parameters import Parameters

_BITS = 128  # behind the point, of numbers of which the equations are solved
_LOST = Fraction(1, 1000)  # of the variance of a sum, at most, by rounding


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """What is measured of the groups that get one statistic, and how its cells follow from that.

    sizes: number of cells of each coarser table, and, last, of the statistic: each measured cell has one draw of noise.
    members: of each coarser table, which of its cells holds each cell of the statistic, int64[tables, cells]. gains:
    K times parts, int64[cells, cells of coarser tables]. parts: a power of 2; 1 where no coarser table is measured.
    """

    sizes: tuple[int, ...]
    members: Int64s
    gains: Int64s
    parts: int

    @property
    def cells(self) -> int:
        """Cells of the statistic."""
        return self.sizes[-1]

    @property
    def table_of_draws(self) -> Int64s:
        """The table of each draw, from 0: int64[draws]."""
        return np.repeat(np.arange(len(self.sizes), dtype=np.int64), self.sizes)

    def draws_of(self, times: Int64s) -> Int64s:
        """By how many parts each draw moves sums of fitted cells: int64[sums, draws], draws in the order of `sizes`.

        times: how often each cell is in each sum, int64[sums, cells].
        """
        coarser: Int64s = times @ self.gains
        own, firsts = self.parts * times, np.cumsum([0, *self.sizes])
        for first, members in zip(firsts, self.members, strict=False):
            own -= coarser[:, first + members]
        draws: Int64s = np.hstack([coarser, own])
        return draws

    @property
    def weights(self) -> Int64s:
        """By how many parts each draw moves each fitted cell: int64[cells, draws]."""
        return self.draws_of(np.eye(self.cells, dtype=np.int64))

    def sums(self, cells: Int64s) -> list[Int64s]:
        """The cells of each coarser table, of groups: int64[groups, cells] -> int64[groups, size of the table] each."""
        found = []
        for size, members in zip(self.sizes, self.members, strict=False):
            order = np.argsort(members, kind="stable")
            firsts = np.searchsorted(members[order], np.arange(size))
            found.append(np.add.reduceat(cells[:, order], firsts, axis=1))
        return found

    def fitted(self, coarser: Sequence[Int64s], cells: Int64s) -> Int64s:
        """Fitted cells, in parts, of groups: int64[groups, cells].

        coarser: noisy cells of each coarser table, int64[groups, size]. cells: the noisy cells, int64[groups, cells].
        """
        if not coarser:
            return cells
        lacking = [noisy - summed for noisy, summed in zip(coarser, self.sums(cells), strict=True)]
        moved: Int64s = np.hstack(lacking) @ self.gains.T
        return self.parts * cells + moved


def parts_of(parameters: Parameters, ladder: Ladder) -> tuple[int, ...]:
    """In which parts of a record the counts of each stat level are whole numbers, from 0: of totals alone 1."""
    if not ladder.is_fitted:
        return (1,) * (1 + len(ladder.statistics))
    return (1, *(each.parts for each in measurements(parameters, ladder)))


def measurements(parameters: Parameters, ladder: Ladder) -> tuple[Measurement, ...]:
    """What is measured with each statistic of a ladder."""
    own, finest = parameters.attributes, finest_cells(parameters.attributes, parameters.ladders)
    return tuple(
        measurement(each, _coarser_members(ladder, each, own, finest), parameters.privacy_definition)
        for each in ladder.statistics
    )


def _coarser_members(
    ladder: Ladder, statistic: Statistic, attributes: Sequence[Attribute], finest: FinestCells
) -> tuple[tuple[int, ...], ...]:
    """Of each coarser table, which of its cells holds each cell of a statistic; of the statistic itself, last."""
    wanted = [ladder.cells_of(each) for each in statistic.also_measured]
    own = dict(_members(attributes, finest, statistic.cells))
    size = 1 + max(own.values())
    places = [0] * size
    for cell, member in own.items():
        places[member] = cell
    coarser = [dict(_members(attributes, finest, cells)) for cells in wanted if cells is not None]
    return (*(tuple(of[place] for place in places) for of in coarser), tuple(range(size)))


def _members(attributes: Sequence[Attribute], finest: FinestCells, cells: Cells) -> list[tuple[int, int]]:
    return list(statistic_finest_cells(attributes, finest, cells))


@lru_cache(maxsize=64)
def measurement(
    statistic: Statistic, members: tuple[tuple[int, ...], ...], definition: PrivacyDefinition
) -> Measurement:
    """The measurement of a statistic. members: of each table, the last its own, which cell holds each of its cells."""
    sizes = tuple(1 + max(each) for each in members)
    *coarser, _ = members
    if not coarser:
        return Measurement(sizes, np.zeros((0, sizes[-1]), np.int64), np.zeros((sizes[-1], 0), np.int64), 1)
    spread = _variances(statistic.shares_of_tables, definition)
    parts = _parts(sizes, spread)
    array = np.array(coarser, dtype=np.int64)
    return Measurement(sizes, array, _gains(sizes, array, spread, parts), parts)


def _variances(shares: Sequence[Fraction], definition: PrivacyDefinition) -> list[Fraction]:
    """About the variance of the noise of each table, as a multiple of the last one's.

    It goes with 1 / rho, or 1 / epsilon^2. Discrete noise deviates a little where it is small. Then the fit is a little
    worse than the best one.
    """
    power = 1 if definition == "zcdp" else 2
    return [(shares[-1] / share) ** power for share in shares]


def _parts(sizes: Sequence[int], spread: Sequence[Fraction]) -> int:
    """The least power of 2 by which rounding adds at most _LOST to the variance of the sum of all cells.

    An entry of K is moved by at most 1 / (2 parts), on average of its square by 1 / (12 parts^2), and what it is
    multiplied with, c - C y, has the variance of a coarser cell and of the cells in it. Of sums of fewer cells, less
    is added. The variance of the sum is at least 1 / information, by the bound of Cramer and Rao, for a change of all
    cells alike.
    """
    *coarser, cells = sizes
    residuals = sum((size * each for size, each in zip(coarser, spread, strict=False)), Fraction(0))
    residuals += len(coarser) * cells
    information = sum((1 / (size * each) for size, each in zip(sizes, spread, strict=True)), Fraction(0))
    wanted = cells**2 * residuals * information / (12 * _LOST)
    least = isqrt(int(wanted)) + 1
    return 1 << (least - 1).bit_length()


def _gains(sizes: Sequence[int], members: Int64s, spread: Sequence[Fraction], parts: int) -> Int64s:
    """K times parts, rounded: K = C' A^-1, where A = C C' + the variances of coarser cells on its diagonal.

    In whole numbers of 2^-_BITS, so that every machine finds the same K.
    """
    one = 1 << _BITS
    firsts = np.cumsum([0, *sizes[:-1]])
    holds = np.zeros((int(firsts[-1]), members.shape[1]), dtype=np.int64)
    for first, own in zip(firsts, members, strict=False):
        holds[first + own, np.arange(own.size)] = 1
    matrix = (holds @ holds.T).astype(object) * one
    variances = [each * one for each, size in zip(spread, sizes[:-1], strict=False) for _ in range(size)]
    matrix[np.diag_indices_from(matrix)] += np.array([round(each) for each in variances], dtype=object)
    inverse = _inverse(matrix, one)
    exact = sum((inverse[first + own] for first, own in zip(firsts, members, strict=False)), 0 * inverse[members[0]])
    return np.array((2 * parts * exact + one) // (2 * one), dtype=np.int64)


def _inverse(matrix: np.ndarray, one: int) -> np.ndarray:
    """The inverse of a symmetric, positive definite matrix of whole numbers of 1 / one, likewise."""
    size = len(matrix)
    both = np.hstack([matrix, np.eye(size, dtype=np.int64).astype(object) * one])
    for place in range(size):
        end = size + place + 1  # columns behind it are still 0 but on the diagonal
        pivot = both[place, place:end] * one // both[place, place]
        others = np.arange(size) != place
        both[others, place:end] -= np.outer(both[others, place], pivot) // one
        both[place, place:end] = pivot
    return both[:, size:]
