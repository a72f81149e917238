"""Exact generalised least squares on a forest: no other linear unbiased estimates have smaller variances.

Source: reconciliation.md section 5; M. Hay, V. Rastogi, G. Miklau, D. Suciu (2010): Boosting the Accuracy of
Differentially Private Histograms Through Consistency, section 4: one pass up, one pass down. Here each count has its
own variance, and cells are known for some nodes only. A pass therefore carries the covariance matrix of a node's cells
instead of a weight, as the smoother of Rauch, Tung and Striebel does, here on a tree. Beside `covariances`, of which
weights and margins are made, `spreads` are carried: right on average, never larger, and the same without stage 1.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.reconciliation import forest
from safetab_sql.reconciliation.forest import NOTHING, Families, Forest, Groups, Nodes, Statistics


class Estimates(NamedTuple):
    """Estimates of the cells of n nodes or families at one stat level, with d cells each.

    places: positions of the nodes, sorted; means: float64[n, d], persons; covariances, which make weights, and spreads,
    the covariances of `means` on average: float64[n, d, d].
    """

    places: Int64s
    means: Floats
    covariances: Floats
    spreads: Floats

    def of(self, places: Int64s) -> "Estimates":
        """The estimates of some of the nodes, in the order of `places`."""
        found = np.searchsorted(self.places, places)
        return Estimates(places, *(each[found] for each in self[1:]))

    def at(self, starts: Int64s) -> "Estimates":
        """The estimates of coarser cells, which begin at `starts`."""
        means, *matrices = (np.add.reduceat(each, starts, axis=1) for each in self[1:])
        return Estimates(self.places, means, *(np.add.reduceat(each, starts, axis=2) for each in matrices))


ByStatLevel: TypeAlias = Mapping[int, Estimates]
Solution: TypeAlias = tuple[ByStatLevel, ...]  # by layer: estimates of its nodes, by the stat level that they need


def solution(groups: Groups, trees: Forest, statistics: Statistics) -> Solution:
    """The least-squares estimates given every count that is evidence and every family that binds.

    Weights that rest on stage 1 pull estimates to one side: counts are moved against that. Source: section 5 (Stein).
    """
    found = _solved(groups, trees, statistics)
    if groups.combined is None:
        return found
    cells, kept = np.array(statistics.cells)[groups.stat_levels], np.ones(groups.regions.size)
    for nodes, by_level in zip(trees.nodes, found, strict=True):
        for one in by_level.values():
            own = nodes.groups[one.places]
            kept[own[own >= 0]] = one.covariances.sum(axis=(1, 2))[own >= 0]
    moves = groups.combined.pulls * (1 - kept / groups.combined.margin_variances)
    return _solved(replace(groups, counts=groups.counts + np.repeat(moves / cells, cells)), trees, statistics)


def _solved(groups: Groups, trees: Forest, statistics: Statistics) -> Solution:
    upward: list[ByStatLevel] = []
    sums: list[ByStatLevel] = []
    for layer in range(len(trees.nodes)):
        upward.append(_from_below(layer, groups, trees, sums, statistics))
        sums += [_family_sums(edge, trees, upward[-1], statistics) for edge in trees.above(layer)]
    smoothed = deepcopy(upward)
    for layer in reversed(range(len(trees.nodes))):
        for edge in trees.below(layer):
            child = trees.edges[edge].child
            known = upward[child], sums[edge], smoothed[layer]
            _smooth(trees, edge, known, smoothed[child], statistics)
    return tuple(smoothed)


def own_counts(groups: Groups, places: Int64s, cells: int) -> Floats:
    """The noisy counts of groups of one stat level: float64[n, cells]."""
    return np.asarray(groups.counts[groups.first_counts[places][:, None] + np.arange(cells)])


def _from_below(
    layer: int, groups: Groups, trees: Forest, sums: Sequence[ByStatLevel], statistics: Statistics
) -> ByStatLevel:
    """The estimate of each node from its own counts, if they are evidence, and from all counts below it."""
    nodes = trees.nodes[layer]
    below = {edge: np.full(nodes.keys.size, -1) for edge in trees.below(layer)}  # the family of each node, if any
    for edge, family in below.items():
        family[trees.families[edge].parents] = np.arange(trees.families[edge].parents.size)
    levels = [np.append(trees.families[edge].stat_levels, NOTHING)[family] for edge, family in below.items()]
    columns = np.column_stack([nodes.needed, nodes.evidence, *levels])
    parts: dict[int, list[Estimates]] = {}
    for kind, places in kinds(columns, np.flatnonzero(nodes.needed > NOTHING)):
        evidence = [
            (level, sums[edge][level].of(below[edge][places]))
            for edge, level in zip(below, kind[2:], strict=True)
            if level > NOTHING
        ]
        if kind[1] > NOTHING:
            evidence.append(_evidence(groups, nodes.groups[places], kind[1], kind[0], statistics))
        parts.setdefault(kind[0], []).append(_joint(places, kind[0], evidence, statistics))
    found = {}
    for level, own in parts.items():
        every = [np.concatenate(each) for each in zip(*own, strict=True)]
        found[level] = Estimates(*(each[np.argsort(every[0])] for each in every))
    return found


def _evidence(groups: Groups, places: Int64s, own: int, needed: int, statistics: Statistics) -> tuple[int, Estimates]:
    """The counts of groups with statistic `own`, no finer than `needed`.

    They are independent of one another, but for what stage 1 says of their sum, which they share evenly.
    """
    level = min(own, needed)
    starts, cells = statistics.starts[own][level], statistics.cells[own]
    means = forest.summed(own_counts(groups, places, cells), starts)
    sizes = forest.run_lengths(starts, cells).astype(np.float64)
    independent = groups.variances[places][:, None, None] * np.diag(sizes)
    if groups.combined is None:
        return level, Estimates(places, means, independent, independent)
    shared = np.outer(sizes, sizes) / cells**2
    alone = cells * groups.variances[places]
    covariances, spreads = (
        independent + (variances[places] - alone)[:, None, None] * shared
        for variances in (groups.combined.margin_variances, groups.combined.variances)
    )
    return level, Estimates(places, means, covariances, spreads)


def _joint(places: Int64s, needed: int, evidence: Sequence[tuple[int, Estimates]], statistics: Statistics) -> Estimates:
    """One estimate from independent estimates of the same nodes; the finest of them is at stat level `needed`."""
    (_, first), *others = sorted(evidence, key=lambda one: -one[0])
    means, covariances, spreads = first.means, first.covariances, first.spreads
    for level, other in others:
        starts = statistics.starts[needed][level]
        with_sums = np.add.reduceat(covariances, starts, axis=2)  # covariances of cells with sums of cells
        total = np.add.reduceat(with_sums, starts, axis=1) + other.covariances
        gains: Floats = np.linalg.solve(total, with_sums.transpose(0, 2, 1)).transpose(0, 2, 1).astype(np.float64)
        means = means + _times(gains, other.means - forest.summed(means, starts))
        covariances = covariances - gains @ with_sums.transpose(0, 2, 1)
        covariances = (covariances + covariances.transpose(0, 2, 1)) / 2  # symmetric but for rounding
        spread_sums = np.add.reduceat(spreads, starts, axis=-1)
        moved = gains @ spread_sums.swapaxes(-1, -2)
        of_moves = np.add.reduceat(spread_sums, starts, axis=-2) + other.spreads
        spreads = spreads - moved - moved.swapaxes(-1, -2) + gains @ of_moves @ gains.transpose(0, 2, 1)
    return Estimates(places, means, covariances, spreads)


def _family_sums(edge: int, trees: Forest, upward: ByStatLevel, statistics: Statistics) -> ByStatLevel:
    """The sums of the members of each family on an edge, by the stat level at which it binds."""
    nodes, families = trees.nodes[trees.edges[edge].child], trees.families[edge]
    sums = {}
    for level in sorted(set(families.stat_levels.tolist())):
        places = np.flatnonzero(families.stat_levels == level)
        size = statistics.cells[level]
        square = (places.size, size, size)
        found = Estimates(places, np.zeros((places.size, size)), np.zeros(square), np.zeros(square))
        for needed, members in _by_need(upward, _bound(nodes, edge, level)):
            part = upward[needed].of(members).at(statistics.starts[needed][level])
            rows = np.searchsorted(places, nodes.families[members])
            for summed, own in zip(found[1:], part[1:], strict=True):
                np.add.at(summed, rows, own)
        sums[level] = found
    return sums


def _bound(nodes: Nodes, edge: int, level: int) -> Int64s:
    """The nodes that families of an edge bind at a stat level, sorted."""
    return np.flatnonzero((nodes.edges == edge) & (nodes.above == level))


def _by_need(estimates: ByStatLevel, places: Int64s) -> Iterator[tuple[int, Int64s]]:
    """Some nodes by the stat level that they need, in their order; no stat level that none of them needs."""
    for needed, one in estimates.items():
        own = places[np.isin(places, one.places)]
        if own.size:
            yield needed, own


def _smooth(
    trees: Forest, edge: int, known: Sequence[ByStatLevel], smoothed: ByStatLevel, statistics: Statistics
) -> None:
    """Put the estimates from all counts of the nodes that the families of an edge bind into `smoothed`.

    known: estimates of these nodes from below, of their family sums from below, and of their parents from all counts.
    """
    upward, sums, parents = known
    nodes, families = trees.nodes[trees.edges[edge].child], trees.families[edge]
    for level, of_sums in sums.items():
        moves, weights = _moves(level, of_sums, families, parents, statistics)
        for needed, members in _by_need(upward, _bound(nodes, edge, level)):
            one, starts = upward[needed], statistics.starts[needed][level]
            chosen = np.searchsorted(one.places, members)
            rows = np.searchsorted(of_sums.places, nodes.families[members])
            with_sums = np.add.reduceat(one.covariances[chosen], starts, axis=2)
            smoothed[needed].means[chosen] += _times(with_sums, moves.means[rows])
            smoothed[needed].covariances[chosen] += with_sums @ moves.covariances[rows] @ with_sums.transpose(0, 2, 1)
            spread_sums = np.add.reduceat(one.spreads[chosen], starts, axis=-1)
            crossed = spread_sums @ weights[rows] @ with_sums.transpose(0, 2, 1)
            smoothed[needed].spreads[chosen] += (
                with_sums @ moves.spreads[rows] @ with_sums.transpose(0, 2, 1) + crossed + crossed.swapaxes(-1, -2)
            )


def _moves(
    level: int, of_sums: Estimates, families: Families, parents: ByStatLevel, statistics: Statistics
) -> tuple[Estimates, Floats]:
    """What parents tell the families of one stat level: V^-1 (P - M), with matrices that go with it.

    Of families whose sums have mean M, covariance V and spread E, and parents P with Q and F, given all counts. P moves
    with M by Q V^-1: the covariance of an estimate given all counts, times the weight of the evidence M. And what the
    spread of a member with its family's sum is multiplied by: float64[families, d, d].
    """
    crossed, *matrices = (np.zeros_like(of_sums.covariances) for _ in range(3))
    found = Estimates(of_sums.places, np.zeros_like(of_sums.means), *matrices)
    own = families.parents[of_sums.places]
    for needed, some in _by_need(parents, own):
        rows = np.searchsorted(own, some)
        given = parents[needed].of(some).at(statistics.starts[needed][level])
        weights: Floats = np.linalg.inv(of_sums.covariances[rows]).astype(np.float64)
        spreads = of_sums.spreads[rows]
        followed = given.covariances @ weights @ spreads
        found.means[rows] = _times(weights, given.means - of_sums.means[rows])
        found.covariances[rows] = weights @ (given.covariances - of_sums.covariances[rows]) @ weights
        found.spreads[rows] = weights @ (given.spreads + spreads - followed - followed.swapaxes(-1, -2)) @ weights
        crossed[rows] = weights @ given.covariances @ weights - weights
    return found, crossed


def kinds(columns: Int64s, places: Int64s) -> Iterator[tuple[list[int], Int64s]]:
    """Each distinct row of `columns`, and the places that have it."""
    kinds, numbers = np.unique(columns[places], axis=0, return_inverse=True)
    for number, kind in enumerate(kinds.tolist()):
        yield kind, places[numbers.ravel() == number]


def _times(matrices: Floats, vectors: Floats) -> Floats:
    return np.asarray(np.einsum("nij,nj->ni", matrices, vectors), dtype=np.float64)


# Whole numbers that keep every sum and equal their estimates on average: reconciliation.md section 8.
# Source: W. G. Madow (1949), On the Theory of Systematic Sampling, II.

Uniforms: TypeAlias = Callable[[int], Floats]  # takes how many, returns that many numbers in [0, 1)
_Number = TypeVar("_Number", np.int64, np.float64)
Rounded: TypeAlias = dict[int, Int64s]  # by stat level: whole numbers int64[n, cells] of the nodes that need that level


def uniforms(seed: str, name: str) -> Uniforms:
    """A stream of uniform numbers fixed by `seed` and `name` (SHAKE-256). It is no secret: estimates are public."""
    requests = count()

    def stream(size: int) -> Floats:
        text = f"{seed}/{name}/{next(requests)}".encode()
        words = np.frombuffer(hashlib.shake_256(text).digest(8 * size), dtype="<u8")
        return (words >> np.uint64(11)).astype(np.float64) / 2.0**53

    return stream


def rounded_nodes(trees: Forest, found: Solution, statistics: Statistics, draw: Uniforms) -> list[Rounded]:
    """Whole numbers for the cells that each node needs, by layer; families and cells add up exactly."""
    whole: list[Rounded] = [{} for _ in trees.nodes]
    for layer in reversed(range(len(trees.nodes))):
        given = _given_by_parents(layer, trees, found, whole, statistics, draw)
        nodes = trees.nodes[layer]
        for needed, one in found[layer].items():
            whole[layer][needed] = np.zeros(one.means.shape, dtype=np.int64)
            bounds = np.column_stack([nodes.edges[one.places], nodes.above[one.places]])
            for (edge, level), chosen in kinds(bounds, np.arange(one.places.size)):
                means = one.means[chosen]
                if edge < 0:
                    wholes = np.floor(means.sum(axis=1) + draw(chosen.size)).astype(np.int64)[:, None]
                else:
                    places, numbers = given[edge, level]
                    wholes = numbers[np.searchsorted(places, one.places[chosen])]
                starts = statistics.starts[needed][max(level, 0)]
                whole[layer][needed][chosen] = rounded_cells(means, wholes, starts, draw)
    return whole


def rounded_cells(means: Floats, wholes: Int64s, starts: Int64s, draw: Uniforms) -> Int64s:
    """Whole numbers for rows of cells, int64[n, cells], given wholes of runs of cells, which begin at `starts`."""
    rows, cells = means.shape
    runs = np.arange(rows * starts.size)
    numbers = np.repeat(runs.reshape(rows, -1), forest.run_lengths(starts, cells), axis=1)
    return rounded_parts(means.ravel(), numbers.ravel(), wholes.ravel(), draw).reshape(rows, cells)


def rounded_parts(means: Floats, numbers: Int64s, wholes: Int64s, draw: Uniforms) -> Int64s:
    """Whole numbers for parts, given the wholes that they add up to: float64[n], int64[n], int64[m] -> int64[n].

    numbers: number of the whole of each part, sorted; every whole has parts, which share its rounding error evenly.
    """
    first = np.searchsorted(numbers, np.arange(wholes.size))
    sizes = np.diff(np.append(first, numbers.size))
    shared = (wholes - np.add.reduceat(means, first)) / sizes
    shifted = means + shared[numbers]
    floors = np.floor(shifted)
    running = np.cumsum(shifted - floors)
    running -= np.append(0.0, running)[first][numbers]
    wanted = wholes - np.add.reduceat(floors, first).astype(np.int64)  # how many parts of each whole are rounded up
    cut = np.clip(np.floor(running + draw(wholes.size)[numbers]).astype(np.int64), 0, wanted[numbers])
    cut[first + sizes - 1] = wanted
    earlier = np.append(0, cut[:-1])
    earlier[first] = 0
    return np.asarray(floors.astype(np.int64) + cut - earlier)


def _given_by_parents(
    layer: int, trees: Forest, found: Solution, whole: list[Rounded], statistics: Statistics, draw: Uniforms
) -> dict[tuple[int, int], tuple[Int64s, Int64s]]:
    """By edge and stat level: the nodes that a family binds there, sorted, and whole numbers for their cells."""
    nodes = trees.nodes[layer]
    given: dict[tuple[int, int], tuple[Int64s, Int64s]] = {}
    for edge in trees.above(layer):
        families, parent = trees.families[edge], trees.edges[edge].parent
        for level in sorted(set(families.stat_levels.tolist())):
            chosen = np.flatnonzero(families.stat_levels == level)
            wholes = _at_level(whole[parent], found[parent], families.parents[chosen], level, statistics)
            places, cells = _bound(nodes, edge, level), {needed: one.means for needed, one in found[layer].items()}
            means = _at_level(cells, found[layer], places, level, statistics)
            numbers = np.searchsorted(chosen, nodes.families[places])
            order = np.argsort(numbers, kind="stable")
            rounded = np.empty(means.shape, dtype=np.int64)
            for cell in range(means.shape[1]):
                rounded[order, cell] = rounded_parts(means[order, cell], numbers[order], wholes[:, cell], draw)
            given[edge, level] = places, rounded
    return given


def _at_level(
    cells: Mapping[int, npt.NDArray[_Number]], estimates: ByStatLevel, places: Int64s, level: int, known: Statistics
) -> npt.NDArray[_Number]:
    """What the cells of some nodes, sorted, add up to at a stat level: [nodes, cells]. cells: by what nodes need."""
    needs: dict[int, Int64s] = dict(_by_need(estimates, places))
    parts: list[npt.NDArray[_Number]] = []
    for needed, own in needs.items():
        rows = cells[needed][np.searchsorted(estimates[needed].places, own)]
        parts.append(np.add.reduceat(rows, known.starts[needed][level], axis=1))
    return np.concatenate(parts)[np.argsort(np.concatenate([*needs.values()]))]


# Estimates of published rows from estimates of nodes: cells, published sums of cells, and totals.

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


class _Alike(NamedTuple):
    """Published nodes of one layer with the same statistic and needs: see `Nodes`.

    places: their positions among the nodes of the layer. groups: positions in Groups. is_bound: whether a family says
    something of them.
    """

    layer: int
    places: Int64s
    groups: Int64s
    needed: int
    own: int
    above: int
    is_bound: int


def reconciled_rows(
    groups: Groups, trees: Forest, found: Solution, statistics: Statistics, draw: Uniforms | None = None
) -> Iterator[ReconciledRows]:
    """The rows that stage 1 or families make more precise.

    A total that is no evidence is among them where its parts say more of it than its own noise does, even without
    stage 1. draw: where rows are to be whole numbers: then of every estimated group that is evidence, too, and
    variances include rounding.
    """
    whole = None if draw is None else rounded_nodes(trees, found, statistics, draw)
    is_choice = groups.combined is not None and not groups.are_evidence.all()
    alone = solution(replace(groups, combined=None), trees, statistics) if is_choice else found
    for nodes in _published(trees):
        level, variances = min(nodes.own, nodes.needed), groups.variances[nodes.groups][:, None]
        counts, weights = own_counts(groups, nodes.groups, statistics.cells[nodes.own]), statistics.weights[nodes.own]
        starts, coarser = statistics.starts[nodes.own][level], statistics.starts[nodes.needed][level]
        given, own = (each[nodes.layer][nodes.needed].of(nodes.places).at(coarser) for each in (found, alone))
        sizes = forest.run_lengths(starts, statistics.cells[nodes.own])
        moves = (given.means - forest.summed(counts, starts)) / sizes
        cells = counts + np.repeat(moves, sizes, axis=1)  # they share a move evenly: their noise is alike
        shares = np.add.reduceat(weights, starts, axis=1) / sizes  # of each sum, by row
        # For k of the m cells of a sum with variance S and noise variance v of a cell: k (1 - k / m) v + (k / m)^2 S.
        between = (
            np.einsum("rb,nbc,rc->nr", shares, each, shares, optimize=True)
            for each in (given.spreads, given.covariances, own.spreads)
        )
        *real, most = (variances * (shares * (1 - shares) * sizes).sum(axis=1) + each for each in between)
        is_evidence, before = groups.are_evidence[nodes.groups][:, None], variances * weights.sum(axis=1)
        is_wanted = np.where(is_evidence, real[0], most) < before * (1 - _SMALLEST_GAIN)
        if whole is not None and draw is not None:
            numbers = whole[nodes.layer][nodes.needed]
            numbers = numbers[np.searchsorted(found[nodes.layer][nodes.needed].places, nodes.places)]
            wholes = np.add.reduceat(numbers, coarser, axis=1)
            cells = rounded_cells(cells, wholes, starts, draw).astype(np.float64)
            # the numbers of each row that are rounded independently
            own_numbers = np.maximum(1, weights.mean(axis=1) * statistics.cells[max(nodes.above, 0)])
            real = [each + ROUNDING_VARIANCE * own_numbers for each in real]
            is_wanted |= is_evidence
        yield _rows(nodes, (cells @ weights.T, *real), statistics, groups, is_wanted)


def _published(trees: Forest) -> Iterator[_Alike]:
    """The published nodes that are estimated, those that are alike together."""
    for layer, nodes in enumerate(trees.nodes):
        is_parent = np.zeros(nodes.keys.size, dtype=np.int64)
        for edge in trees.below(layer):
            is_parent[trees.families[edge].parents] = 1
        estimated = np.flatnonzero((nodes.needed > NOTHING) & (nodes.groups >= 0))
        columns = np.column_stack([nodes.needed, nodes.own, nodes.above, np.maximum(is_parent, nodes.edges >= 0)])
        for kind, places in kinds(columns, estimated):
            yield _Alike(layer, places, nodes.groups[places], *kind)


def _rows(
    nodes: _Alike, made: tuple[Floats, ...], statistics: Statistics, groups: Groups, is_wanted: npt.NDArray[np.bool_]
) -> ReconciledRows:
    """The wanted rows of all groups in one table. made: of all rows, estimates and both kinds of variances."""
    ids, weights = statistics.row_ids[nodes.own], statistics.weights[nodes.own]
    ends = np.full((2, *is_wanted.shape), np.nan)
    if groups.combined is not None and not nodes.is_bound:
        is_total = weights.all(axis=1)
        for end, values in zip(ends, (groups.combined.lows, groups.combined.highs), strict=True):
            end[:, is_total] = values[nodes.groups][:, None]
    keys = np.repeat(nodes.groups, ids.size), np.tile(ids, nodes.groups.size)
    own, row_ids = (each[is_wanted.ravel()] for each in keys)
    return ReconciledRows(own, row_ids, *(each[is_wanted] for each in (*made, *ends)))
