"""Estimates of published rows from estimates of nodes: cells, the marginal of each sex, and the total."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.reconciliation.forest import Forest, Groups
from safetab_sql.reconciliation.least_squares import Estimates, Solution, kinds, own_counts
from safetab_sql.reconciliation.rounding import Rounded, Uniforms, rounded_cells
from safetab_sql.reconciliation.statistics import NOTHING, Floats, Int64s, Statistics, run_lengths, summed

TOTAL, MALE, FEMALE = -1, -2, -3  # cell positions of rows that are not cells
# Variance, persons squared, that rounding may add to a row for each whole number in it: at most 1/4 from its own
# rounding, at most a quarter of that from its parent's (shared by at least two children), and so on:
# 1/4 (1 + 1/4 + ...).
ROUNDING_VARIANCE = 1 / 3
_SMALLEST_GAIN = 1e-9  # share of the variance; a smaller gain is only an error of floating point


@dataclass(frozen=True, slots=True)
class ReconciledRows:
    """Estimates of published rows: groups (places in Groups) and cell positions int64[n], estimates in persons."""

    groups: Int64s
    cell_positions: Int64s
    estimates: Floats
    variances: Floats


@dataclass(frozen=True, slots=True)
class _Alike:
    """Published nodes of one region type with the same statistic and needs.

    groups: positions in Groups. counts: their published counts, persons. variances: of each count. given: estimates of
    the cells at stat level `level`, the coarser of the published and the needed level. above: stat level at which their
    families bind them.
    """

    groups: Int64s
    counts: Floats
    variances: Floats
    given: Estimates
    own: int
    level: int
    above: int


def reconciled_rows(groups: Groups, trees: Forest, found: Solution, statistics: Statistics) -> Iterator[ReconciledRows]:
    """The rows that families make more precise, and totals that are no evidence but have parts that are evidence.

    The published value of such a total is not used, so its estimate may be less precise than its published margin.
    """
    for _, _, nodes in _published(groups, trees, found, statistics):
        before = nodes.variances[:, None] * _row_weights(nodes.own, nodes.counts.shape[1]).sum(axis=1)
        variances = _variances(nodes, statistics)
        is_changed = (variances < before * (1 - _SMALLEST_GAIN)) | ~groups.are_evidence[nodes.groups][:, None]
        yield _rows(nodes, _means(nodes, statistics), variances, is_changed)


def rounded_rows(
    groups: Groups, trees: Forest, found: Solution, statistics: Statistics, whole: Sequence[Rounded], draw: Uniforms
) -> Iterator[ReconciledRows]:
    """The rows of every group that a family binds, in whole numbers; variances include what rounding may add."""
    for region_type, (needed, places), nodes in _published(groups, trees, found, statistics):
        numbers = whole[region_type][needed][np.searchsorted(found.nodes[region_type][needed].places, places)]
        wholes = np.add.reduceat(numbers, statistics.starts[needed][nodes.level], axis=1)
        cells = _means(nodes, statistics)[:, : statistics.cells[nodes.own]]
        rounded = rounded_cells(cells, wholes, statistics.starts[nodes.own][nodes.level], draw).astype(np.float64)
        shares = _row_weights(nodes.own, cells.shape[1]).mean(axis=1)
        # the numbers of each row that are rounded independently
        own_numbers = np.maximum(1, shares * statistics.cells[max(nodes.above, 0)])
        variances = _variances(nodes, statistics) + ROUNDING_VARIANCE * own_numbers
        yield _rows(nodes, _with_sums(rounded, nodes.own), variances, np.ones(variances.shape, dtype=np.bool_))


def _published(
    groups: Groups, trees: Forest, found: Solution, statistics: Statistics
) -> Iterator[tuple[int, tuple[int, Int64s], _Alike]]:
    """For published nodes that a family binds: region type, (stat level needed, positions), and their estimates."""
    for region_type, nodes in enumerate(trees.nodes):
        bound = np.flatnonzero((nodes.needed > NOTHING) & (nodes.groups >= 0))
        for (needed, own, above), places in kinds(np.column_stack([nodes.needed, nodes.own, nodes.above]), bound):
            level = min(own, needed)
            chosen = nodes.groups[places]
            given = found.nodes[region_type][needed].of(places).at(statistics.starts[needed][level])
            counts = own_counts(groups, chosen, statistics.cells[own])
            alike = _Alike(chosen, counts, groups.variances[chosen], given, own, level, above)
            yield region_type, (needed, places), alike


def _means(nodes: _Alike, statistics: Statistics) -> Floats:
    """Estimates of the rows of each group: cells share the change of their sum evenly, because their noise is alike."""
    starts, size = statistics.starts[nodes.own][nodes.level], statistics.cells[nodes.own]
    sizes = run_lengths(starts, size)
    moves = (nodes.given.means - summed(nodes.counts, starts)) / sizes
    return _with_sums(nodes.counts + np.repeat(moves, sizes, axis=1), nodes.own)


def _with_sums(cells: Floats, own: int) -> Floats:
    """Cells, the sum of the first half (male), of the second half (female), and the total; a total alone is kept."""
    if own == 0:
        return cells
    sexes = summed(cells, np.array([0, cells.shape[1] // 2]))
    return np.hstack([cells, sexes, sexes.sum(axis=1, keepdims=True)])


def _variances(nodes: _Alike, statistics: Statistics) -> Floats:
    """Variances of the estimates of the rows of each group.

    For k of the m cells of a sum with variance S and noise variance v of a cell: k (1 - k / m) v + (k / m)^2 S.
    """
    starts, size = statistics.starts[nodes.own][nodes.level], statistics.cells[nodes.own]
    sizes = run_lengths(starts, size)
    weights = _row_weights(nodes.own, size)
    shares = np.add.reduceat(weights, starts, axis=1) / sizes  # share of the cells of each sum, by row
    within = (shares * (1 - shares) * sizes).sum(axis=1)
    between = np.einsum("rb,nbc,rc->nr", shares, nodes.given.covariances, shares, optimize=True)
    return np.asarray(nodes.variances[:, None] * within + between)


def _row_weights(own: int, size: int) -> Floats:
    """Which cells are in which row of a group: float64[rows, cells], 0 or 1."""
    if own == 0:
        return np.ones((1, 1))
    return np.vstack([np.eye(size), np.kron(np.eye(2), np.ones(size // 2)), np.ones(size)])


def _rows(nodes: _Alike, means: Floats, variances: Floats, is_wanted: npt.NDArray[np.bool_]) -> ReconciledRows:
    """The wanted rows of all groups in one table."""
    size = nodes.counts.shape[1]
    positions = np.array([TOTAL] if nodes.own == 0 else [*range(size), MALE, FEMALE, TOTAL])
    return ReconciledRows(
        np.repeat(nodes.groups, positions.size)[is_wanted.ravel()],
        np.tile(positions, nodes.groups.size)[is_wanted.ravel()],
        means[is_wanted],
        variances[is_wanted],
    )
