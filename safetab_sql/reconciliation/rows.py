"""Estimates of published rows from estimates of nodes: cells, published sums of cells, and totals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.reconciliation.forest import Forest, Groups
from safetab_sql.reconciliation.least_squares import (
    Estimates,
    Rounded,
    Solution,
    Uniforms,
    kinds,
    own_counts,
    rounded_cells,
)
from safetab_sql.reconciliation.statistics import NOTHING, Floats, Int64s, Statistics, run_lengths, summed

# Variance, persons squared, that rounding may add to a row for each whole number in it: at most 1/4 from its own
# rounding, at most a quarter of that from its parent's (shared by at least two children), and so on:
# 1/4 (1 + 1/4 + ...).
ROUNDING_VARIANCE = 1 / 3
_SMALLEST_GAIN = 1e-9  # share of the variance; a smaller gain is only an error of floating point


@dataclass(frozen=True, slots=True)
class ReconciledRows:
    """Estimates of published rows: groups (places in Groups) and row ids int64[n], estimates in persons.

    lows, highs: ends of the 95 % interval of a total that stage 1 makes better and no family binds; elsewhere NaN.
    margin_variances: those that margins rest on: larger where a stage-1 total may lie near a limit of what it chose.
    """

    groups: Int64s
    row_ids: Int64s
    estimates: Floats
    variances: Floats
    margin_variances: Floats
    lows: Floats
    highs: Floats


@dataclass(frozen=True, slots=True)
class _Alike:
    """Published nodes of one layer with the same statistic and needs.

    groups: positions in Groups. counts: their published counts, persons. variances: of each count. given: estimates of
    the cells at stat level `level`, the coarser of the published and the needed level. above: stat level at which their
    families bind them. needed, places: stat level that they need, and their positions among the nodes of `layer`.
    is_bound: whether a family says something of them.
    """

    groups: Int64s
    counts: Floats
    variances: Floats
    given: Estimates
    own: int
    level: int
    above: int
    needed: int
    layer: int
    places: Int64s
    is_bound: bool


def reconciled_rows(groups: Groups, trees: Forest, found: Solution, statistics: Statistics) -> Iterator[ReconciledRows]:
    """The rows that stage 1 or families make more precise, and totals that are no evidence but have parts that are.

    The published value of such a total is not used, so its estimate may be less precise than its published margin.
    """
    for nodes in _published(groups, trees, found, statistics):
        weights = statistics.rows[nodes.own].weights
        before = nodes.variances[:, None] * weights.sum(axis=1)
        after = _variances(nodes, nodes.given.covariances, statistics)
        is_changed = (after < before * (1 - _SMALLEST_GAIN)) | ~groups.are_evidence[nodes.groups][:, None]
        estimates = _cells(nodes, statistics) @ weights.T
        yield _rows(nodes, (estimates, *_real_variances(nodes, statistics)), statistics, groups, is_changed)


def rounded_rows(
    groups: Groups, trees: Forest, found: Solution, statistics: Statistics, whole: Sequence[Rounded], draw: Uniforms
) -> Iterator[ReconciledRows]:
    """The rows of every estimated group, in whole numbers; variances include what rounding may add."""
    for nodes in _published(groups, trees, found, statistics):
        needed, layer, weights = nodes.needed, nodes.layer, statistics.rows[nodes.own].weights
        numbers = whole[layer][needed][np.searchsorted(found[layer][needed].places, nodes.places)]
        wholes = np.add.reduceat(numbers, statistics.starts[needed][nodes.level], axis=1)
        cells = _cells(nodes, statistics)
        rounded = rounded_cells(cells, wholes, statistics.starts[nodes.own][nodes.level], draw).astype(np.float64)
        shares = weights.mean(axis=1)
        # the numbers of each row that are rounded independently
        own_numbers = np.maximum(1, shares * statistics.cells[max(nodes.above, 0)])
        real = (each + ROUNDING_VARIANCE * own_numbers for each in _real_variances(nodes, statistics))
        is_wanted = np.ones((nodes.groups.size, shares.size), dtype=np.bool_)
        yield _rows(nodes, (rounded @ weights.T, *real), statistics, groups, is_wanted)


def _published(groups: Groups, trees: Forest, found: Solution, statistics: Statistics) -> Iterator[_Alike]:
    """The published nodes that are estimated, those that are alike together."""
    for layer, nodes in enumerate(trees.nodes):
        is_parent = np.zeros(nodes.keys.size, dtype=np.int64)
        for edge in trees.below(layer):
            is_parent[trees.families[edge].parents] = 1
        is_bound = np.maximum(is_parent, nodes.edges >= 0)
        estimated = np.flatnonzero((nodes.needed > NOTHING) & (nodes.groups >= 0))
        columns = np.column_stack([nodes.needed, nodes.own, nodes.above, is_bound])
        for (needed, own, above, bound), places in kinds(columns, estimated):
            level = min(own, needed)
            chosen = nodes.groups[places]
            given = found[layer][needed].of(places).at(statistics.starts[needed][level])
            counts = own_counts(groups, chosen, statistics.cells[own])
            yield _Alike(
                chosen, counts, groups.variances[chosen], given, own, level, above, needed, layer, places, bool(bound)
            )


def _cells(nodes: _Alike, statistics: Statistics) -> Floats:
    """Estimates of the cells of each group: they share the change of their sum evenly, because their noise is alike."""
    starts, size = statistics.starts[nodes.own][nodes.level], statistics.cells[nodes.own]
    sizes = run_lengths(starts, size)
    moves = (nodes.given.means - summed(nodes.counts, starts)) / sizes
    return np.asarray(nodes.counts + np.repeat(moves, sizes, axis=1))


def _variances(nodes: _Alike, covariances: Floats, statistics: Statistics) -> Floats:
    """Variances of the estimates of the rows of each group. covariances: of the cells at stat level `level`.

    For k of the m cells of a sum with variance S and noise variance v of a cell: k (1 - k / m) v + (k / m)^2 S.
    """
    starts, size = statistics.starts[nodes.own][nodes.level], statistics.cells[nodes.own]
    sizes = run_lengths(starts, size)
    shares = np.add.reduceat(statistics.rows[nodes.own].weights, starts, axis=1) / sizes  # of each sum, by row
    within = (shares * (1 - shares) * sizes).sum(axis=1)
    between = np.einsum("rb,nbc,rc->nr", shares, covariances, shares, optimize=True)
    return np.asarray(nodes.variances[:, None] * within + between)


def _real_variances(nodes: _Alike, statistics: Statistics) -> tuple[Floats, Floats]:
    """Variances of the estimates of the rows of each group: right on average, and those that margins rest on."""
    spreads = nodes.given.spreads
    return _variances(nodes, spreads[0], statistics), _variances(nodes, spreads[-1], statistics)


def _rows(
    nodes: _Alike,
    made: tuple[Floats, ...],
    statistics: Statistics,
    groups: Groups,
    is_wanted: npt.NDArray[np.bool_],
) -> ReconciledRows:
    """The wanted rows of all groups in one table. made: of all rows, estimates and both kinds of variances."""
    rows = statistics.rows[nodes.own]
    estimates, variances, margin_variances = made
    ends = np.full((2, *estimates.shape), np.nan)
    if groups.combined is not None and not nodes.is_bound:
        is_total = rows.weights.all(axis=1)
        for end, values in zip(ends, (groups.combined.lows, groups.combined.highs), strict=True):
            end[:, is_total] = values[nodes.groups][:, None]
    return ReconciledRows(
        np.repeat(nodes.groups, rows.ids.size)[is_wanted.ravel()],
        np.tile(rows.ids, nodes.groups.size)[is_wanted.ravel()],
        estimates[is_wanted],
        variances[is_wanted],
        margin_variances[is_wanted],
        ends[0][is_wanted],
        ends[1][is_wanted],
    )
