"""Tables of queries as products over the axes of a domain, and the blocks that their symmetries leave.

An axis is symmetric where every table has either all its values or none: then only the number of its values counts, and
the workload falls into one block for each set of symmetric axes (Xiao et al. 2023, ResidualPlanner). The cells of the
other axes stay, in each block.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import prod

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.semantics.balanced import Blocks, Part
from safetab_sql.semantics.table_weights import Table
from safetab_sql.settings.budgets import PrivacyDefinition


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """What a table asks of one axis. rows: float64[n, values]; is_pairs: all differences of two rows in their place."""

    rows: Floats
    is_pairs: bool = False

    @property
    def values(self) -> int:
        """How many values the axis has."""
        return int(self.rows.shape[1])

    @property
    def is_total(self) -> bool:
        """One row that counts every value."""
        return self.rows.shape[0] == 1 and bool((self.rows == 1).all())

    @property
    def is_whole(self) -> bool:
        """One row for every value."""
        return self.rows.shape[0] == self.values > 1 and bool((self.rows == np.eye(self.values)).all())

    @property
    def is_prefix(self) -> bool:
        """The sums of the first values, for every number of values."""
        return self.rows.shape[0] == self.values and bool((self.rows == np.tri(self.values)).all())

    @property
    def expanded(self) -> Floats:
        """Every query of its own: float64[queries, values]."""
        if not self.is_pairs:
            return self.rows
        first, second = np.triu_indices(len(self.rows), 1)
        return self.rows[second] - self.rows[first]


def every_total(values: int) -> Factor:
    """The sum of all values."""
    return Factor(np.ones((1, values)))


def every_value(values: int) -> Factor:
    """Each value alone."""
    return Factor(np.eye(values))


def prefix_sums(values: int) -> Factor:
    """The sums of the first 1, 2, ... values."""
    return Factor(np.tri(values))


def every_range(values: int) -> Factor:
    """The sums of all values that follow one another: the differences of any two prefix sums, of which one is 0."""
    return Factor(np.vstack([np.zeros(values), np.tri(values)]), is_pairs=True)


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """One table: a factor for each axis. variance: that no query may exceed."""

    factors: tuple[Factor, ...]
    variance: float = 1.0

    @property
    def matrix(self) -> Floats:
        """Every query of its own: float64[queries, cells], the last axis fastest."""
        return kronecker([each.expanded for each in self.factors])


def kronecker(matrices: Sequence[Floats]) -> Floats:
    """The product of matrices, the last one fastest."""
    return reduce(lambda left, right: np.asarray(np.kron(left, right)), matrices, np.ones((1, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A workload cut by its symmetries.

    symmetric: axes. plain: the other axes. sets: the symmetric axes of each block. sizes: of all axes.
    """

    queries: tuple[Product, ...]
    symmetric: tuple[int, ...]
    plain: tuple[int, ...]
    sets: tuple[frozenset[int], ...]
    sizes: tuple[int, ...]

    @property
    def blocks(self) -> Blocks:
        """The workload in blocks."""
        cells = prod(self.sizes[axis] for axis in self.symmetric)
        shares = [prod(self.sizes[axis] - 1 for axis in each) / cells for each in self.sets]
        return Blocks(np.array(shares), tuple(self._part(table) for table in self.queries))

    def table(self, measured: Product, definition: PrivacyDefinition) -> Table:
        """What can be measured, cut in the same way."""
        whole = self._whole(measured)
        factor = float(prod(self.sizes[axis] for axis in self.symmetric if axis not in whole))
        rows = kronecker([measured.factors[axis].expanded for axis in self.plain])
        load = rows**2 if definition == "zcdp" else np.abs(rows)
        return Table(np.array([factor * (each <= whole) for each in self.sets]), rows.T @ rows, load.sum(axis=0))

    def precision(self, precisions: Floats) -> Floats:
        """The blocks put together: float64[blocks, size, size] -> [cells, cells], all axes in their order."""
        order = (*self.symmetric, *self.plain)
        found = sum(np.kron(self._projection(each), block) for each, block in zip(self.sets, precisions, strict=True))
        shape = [self.sizes[axis] for axis in order]
        back = np.argsort(order)
        turned = np.asarray(found).reshape(shape * 2).transpose([*back, *(back + len(order))])
        return np.asarray(turned).reshape(np.asarray(found).shape)

    def _projection(self, axes: frozenset[int]) -> Floats:
        """On what changes with each of `axes` and with no other symmetric axis."""
        means = {axis: np.full((self.sizes[axis],) * 2, 1 / self.sizes[axis]) for axis in self.symmetric}
        return kronecker(
            [np.eye(self.sizes[axis]) - means[axis] if axis in axes else means[axis] for axis in self.symmetric]
        )

    def _whole(self, table: Product) -> frozenset[int]:
        return frozenset(axis for axis in self.symmetric if table.factors[axis].is_whole)

    def _part(self, table: Product) -> Part:
        whole, root = self._whole(table), table.variance**-0.5
        gains = [
            prod(_gain(self.sizes[axis], axis in whole, axis in each) for axis in self.symmetric) for each in self.sets
        ]
        copies, many = prod(self.sizes[axis] for axis in whole), [table.factors[axis] for axis in self.plain]
        asked = [each for each in many if len(each.rows) > 1]
        if len(asked) == 1 and asked[0].is_pairs:
            return Part(np.array([gains]), kronecker([each.rows for each in many]) * root, copies, is_pairs=True)
        return Part(np.array([gains]), kronecker([each.expanded for each in many]) * root, copies)


def cut(queries: Sequence[Product], measured: Sequence[Product] = ()) -> Cut:
    """The workload cut by the symmetries that the queries, and what is measured, have in common."""
    sizes = tuple(factor.values for factor in queries[0].factors)
    factors = [[each.factors[axis] for each in (*queries, *measured)] for axis in range(len(sizes))]
    symmetric = tuple(axis for axis, found in enumerate(factors) if all(f.is_total or f.is_whole for f in found))
    plain = tuple(axis for axis in range(len(sizes)) if axis not in symmetric)
    asked = {tuple(axis for axis in symmetric if each.factors[axis].is_whole) for each in queries}
    sets = {frozenset(some) for each in asked for n in range(len(each) + 1) for some in combinations(each, n)}
    return Cut(tuple(queries), symmetric, plain, tuple(sorted(sets, key=lambda each: (len(each), sorted(each)))), sizes)


def _gain(size: int, is_whole: bool, is_in: bool) -> float:
    """The squared length of a row's part in a block, on one axis: of one value, or of all of them."""
    if is_in:
        return (1 - 1 / size) if is_whole else 0.0
    return 1 / size if is_whole else float(size)
