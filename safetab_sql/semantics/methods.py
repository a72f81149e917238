"""Ways to measure a workload, by name, and what each costs: named tables, free noise, hierarchies, cells and sums."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.semantics.balanced import Blocks, Part, least_cost
from safetab_sql.semantics.cells_and_sums import cells_and_sums
from safetab_sql.semantics.hierarchies import Family, family
from safetab_sql.semantics.products import Cut, Product, cut
from safetab_sql.semantics.strategies import strategy_of
from safetab_sql.semantics.table_weights import Weights, best_weights, weights_cost
from safetab_sql.settings.budgets import PrivacyDefinition

CORRELATED, LEAST_TOTAL = "any strategy, correlated noise", "least total variance, any strategy"
SUMS, EQUAL_SUMS = "hierarchy of sums, best weights", "hierarchy of sums, equal weights (Qardaji 2013)"
WAVELETS, EQUAL_WAVELETS = "wavelets, best weights", "wavelets, equal weights (Privelet)"
MARGINALS, CELLS_AND_SUMS = "all marginals, best weights (HDMM)", "cells and a few weighted sums (HDMM)"
SQUARE_ROOT = "square root of the sums (Henzinger 2023)"
_BRANCHINGS = (2, 3, 4, 6, 8, 16)
_MOST_LEVELS = 300
_SMALLEST = 1e-11  # of an eigenvalue that is not 0
_MOST_CELLS = 1_024  # of which a matrix is made
_MOST_ROWS = 40_000_000  # factors of the queries, for cells and sums
_FEW = ((16, (1, 2, 4)), (64, (2, 4, 8)), (256, (8, 16)), (_MOST_CELLS, (8,)))


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """One way to measure. cost, least: as in `balanced`; least of the same kind, None where it is not known.

    worst: float64[tables], the variance of the worst query of each table, times the squared sensitivity. weights: of
    named tables. matrix: makes what noise is added to, float64[rows, cells]; None where it is too large.
    """

    name: str
    cost: float
    worst: Floats
    least: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    matrix: Callable[[], Floats] | None = None


def free(queries: Sequence[Product], *, is_every_query_alike: bool = False, progress: Progress = SILENT) -> Method:
    """The best Gaussian noise of any shape: for the worst query, or for the sum of all variances."""
    wanted = [each.variance for each in queries]
    found = cut([Product(each.factors) for each in queries] if is_every_query_alike else queries)
    blocks = found.blocks
    optimum = least_cost(blocks, is_every_query_alike=is_every_query_alike, progress=progress)
    variances = blocks.variances(_inverses(optimum.precisions))
    sensitivity = float((blocks.shares @ np.diagonal(optimum.precisions, axis1=1, axis2=2)).max())
    worst = sensitivity * _worst(found.queries, blocks.parts, variances)
    matrix = partial(_free_matrix, found, optimum.precisions) if prod(found.sizes) <= _MOST_CELLS else None
    if is_every_query_alike:
        return Method(LEAST_TOTAL, float((worst / wanted).max()), worst, None, {}, matrix)
    return Method(CORRELATED, float((worst / wanted).max()), worst, optimum.least, {}, matrix)


def of_tables(
    queries: Sequence[Product],
    tables: Mapping[str, Product],
    definition: PrivacyDefinition,
    weights: Sequence[float] | None,
    *,
    progress: Progress = SILENT,
) -> Method:
    """Named tables with the given weights, or with the best. Raises: ValueError where they do not give every query."""
    found = cut(queries, list(tables.values()))
    blocks, measured = found.blocks, [found.table(each, definition) for each in tables.values()]
    if weights is None:
        best = best_weights(blocks, measured, definition, progress=progress)
    else:
        best = weights_cost(blocks, measured, np.array(weights), definition)
    matrix = partial(_table_matrix, list(tables.values()), best) if prod(found.sizes) <= _MOST_CELLS else None
    said = {name: float(weight) for name, weight in zip(tables, best.weights, strict=True)}
    return Method("", best.cost, _scaled(queries, blocks, best), best.least, said, matrix)


def families(
    queries: Sequence[Product], definition: PrivacyDefinition, *, progress: Progress = SILENT
) -> tuple[Method, ...]:
    """What is known to be good for marginals, prefix sums and ranges, and what was published for them."""
    found = cut(queries)
    if not found.plain:
        one = family(queries, 2) if 2 ** len(found.symmetric) <= _MOST_LEVELS else None
        return (
            () if definition == "zcdp" or one is None else (_of_family(MARGINALS, one, queries, definition, progress),)
        )
    return tuple([*_hierarchies(queries, found, definition, progress), *_others(queries, found, definition, progress)])


def _hierarchies(
    queries: Sequence[Product], found: Cut, definition: PrivacyDefinition, progress: Progress
) -> Iterator[Method]:
    """Sums and wavelets, of the best branching, with the best weights and with equal ones."""
    longest = max(found.sizes[axis] for axis in found.plain)
    made = [family(queries, branching) for branching in _BRANCHINGS if branching <= max(longest, 2)]
    sums = [each for each in made if len(each.tables) <= _MOST_LEVELS]
    wavelet = [each for each in [family(queries, 2, is_wavelet=True)] if len(each.tables) <= _MOST_LEVELS]
    for tried, best, equal in ((sums, SUMS, EQUAL_SUMS), (wavelet, WAVELETS, EQUAL_WAVELETS)):
        if tried and definition == "puredp":
            yield min(
                (_of_family(best, each, queries, definition, progress) for each in tried), key=lambda each: each.cost
            )
        if tried and (definition == "puredp" or best == SUMS):
            yield min(
                (_of_family(equal, each, queries, definition, None) for each in tried), key=lambda each: each.cost
            )


def _others(
    queries: Sequence[Product], found: Cut, definition: PrivacyDefinition, progress: Progress
) -> Iterator[Method]:
    """The square root of prefix sums (zCDP), cells and a few weighted sums (pure DP)."""
    factors = queries[0].factors
    if definition == "zcdp" and len(queries) == len(factors) == 1 and factors[0].is_prefix:
        root = _square_root(factors[0].values)
        cost = float((root[-1] ** 2).sum()) ** 2
        yield Method(SQUARE_ROOT, cost / queries[0].variance, np.array([cost]), None, {}, lambda: root)
    cells = prod(found.sizes)
    plain = Cut(tuple(queries), (), tuple(range(len(found.sizes))), (frozenset(),), found.sizes)
    if definition == "puredp" and cells <= _MOST_CELLS and found.blocks.copies.sum() * cells <= _MOST_ROWS:
        yield _cells_and_sums(queries, plain.blocks.parts, progress)


def _cells_and_sums(queries: Sequence[Product], parts: Sequence[Part], progress: Progress) -> Method:
    rows = [each.rows if len(parts) == 1 else _expanded(each) for each in parts]
    asked = Part(np.ones((1, 1)), np.vstack(rows), is_pairs=len(parts) == 1 and parts[0].is_pairs)
    cells = asked.rows.shape[1]
    few = next(numbers for most, numbers in _FEW if cells <= most)
    tried = few if len(queries[0].factors) == 1 else tuple(sorted({min(cells // n + 1, 32) for n in (8, 4)}))
    best = min((cells_and_sums(asked, number, progress=progress) for number in tried), key=lambda each: each.cost)
    matrix = best.matrix
    inverses = np.asarray(np.linalg.inv(matrix.T @ matrix))[None]
    variances = Blocks(np.ones(1), tuple(parts)).variances(inverses)
    return Method(CELLS_AND_SUMS, best.cost, _worst(queries, parts, variances), None, {}, lambda: matrix)


def _expanded(part: Part) -> Floats:
    if not part.is_pairs:
        return part.rows
    first, second = np.triu_indices(len(part.rows), 1)
    return np.asarray(part.rows[second] - part.rows[first])


def _square_root(values: int) -> Floats:
    """The lower triangle whose square sums the first values: float64[values, values]."""
    ratios = [(2 * k - 1) / (2 * k) for k in range(1, values)]
    column = np.cumprod([1.0, *ratios])
    places = np.subtract.outer(np.arange(values), np.arange(values))
    return np.where(places >= 0, column[np.abs(places)], 0.0)


def _of_family(
    name: str, one: Family, queries: Sequence[Product], definition: PrivacyDefinition, progress: Progress | None
) -> Method:
    """With the best weights; without progress, with equal ones."""
    if progress is None:
        best = weights_cost(one.blocks, one.tables, np.ones(len(one.tables)), definition)
    else:
        best = best_weights(
            one.blocks, one.tables, definition, most_starts=60 if name == MARGINALS else 6, progress=progress
        )
    cells = prod(factor.values for factor in queries[0].factors)
    matrix = partial(one.matrix, best.weights) if cells <= _MOST_CELLS else None
    return Method(name, best.cost, one.worst(best.weights, definition), None, {}, matrix)


def _worst(queries: Sequence[Product], parts: Sequence[Part], variances: Floats) -> Floats:
    """The variance of the worst query of each table, where every query wants 1: float64[tables], as they want it."""
    ends = np.cumsum([part.count for part in parts])
    found = [each.max() for each in np.split(variances, ends[:-1])]
    return np.array(found) * [each.variance for each in queries]


def _scaled(queries: Sequence[Product], blocks: Blocks, best: Weights) -> Floats:
    return np.asarray(best.cost / best.variances.max() * _worst(queries, blocks.parts, best.variances))


def _inverses(precisions: Floats) -> Floats:
    """Of each block, where it is not 0."""
    return np.asarray(np.linalg.pinv(precisions, rcond=_SMALLEST, hermitian=True))


def _free_matrix(found: Cut, precisions: Floats) -> Floats:
    return strategy_of(found.precision(precisions))


def _table_matrix(tables: Sequence[Product], best: Weights) -> Floats:
    chosen = [weight * table.matrix for table, weight in zip(tables, best.weights, strict=True) if weight > 0]
    return np.asarray(np.vstack(chosen))
