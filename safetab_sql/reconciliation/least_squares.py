"""Exact generalised least squares on a forest: no other linear unbiased estimates have smaller variances.

Source: M. Hay, V. Rastogi, G. Miklau, D. Suciu (2010): Boosting the Accuracy of Differentially Private Histograms
Through Consistency, section 4: one pass up, one pass down. In the paper every node is measured, with the same variance.
Here each count has its own variance, and sex-by-age cells are known for some nodes only. A pass therefore carries the
covariance matrix of a node's cells instead of a weight, as the smoother of Rauch, Tung and Striebel does, here on a
tree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from safetab_sql.reconciliation.forest import Forest, Groups
from safetab_sql.reconciliation.statistics import (
    NOTHING,
    Floats,
    Int64s,
    Statistics,
    run_lengths,
    summed,
    summed_covariances,
)


@dataclass(frozen=True, slots=True)
class Estimates:
    """Estimates of the cells of n nodes or families at one stat level, with d cells each.

    places: positions of the nodes, sorted; means: float64[n, d], persons; covariances: float64[n, d, d].
    """

    places: Int64s
    means: Floats
    covariances: Floats

    def of(self, places: Int64s) -> "Estimates":
        """The estimates of some of the nodes, in the order of `places`."""
        found = np.searchsorted(self.places, places)
        return Estimates(places, self.means[found], self.covariances[found])

    def at(self, starts: Int64s) -> "Estimates":
        """The estimates of coarser cells, which begin at `starts`."""
        return Estimates(self.places, summed(self.means, starts), summed_covariances(self.covariances, starts))


ByStatLevel: TypeAlias = Mapping[int, Estimates]


@dataclass(frozen=True, slots=True)
class Solution:
    """The estimates of the nodes that some family binds, by region type and by the stat level that they need."""

    nodes: tuple[ByStatLevel, ...]


def solution(groups: Groups, trees: Forest, statistics: Statistics) -> Solution:
    """The least-squares estimates given every count that is evidence and every family that binds."""
    upward: list[ByStatLevel] = []
    sums: list[ByStatLevel] = []
    for region_type in range(len(trees.nodes)):
        upward.append(_from_below(region_type, groups, trees, sums, statistics))
        sums.append(_family_sums(region_type, trees, upward[-1], statistics))
    smoothed: list[ByStatLevel] = list(upward)
    for region_type in reversed(range(len(trees.nodes))):
        for child_type in trees.child_types[region_type]:
            smoothed[child_type] = _from_above(
                trees, child_type, (upward[child_type], sums[child_type], smoothed[region_type]), statistics
            )
    return Solution(tuple(smoothed))


def own_counts(groups: Groups, places: Int64s, cells: int) -> Floats:
    """The noisy counts of groups of one stat level: float64[n, cells]."""
    return np.asarray(groups.counts[groups.first_counts[places][:, None] + np.arange(cells)])


def _from_below(
    region_type: int, groups: Groups, trees: Forest, sums: Sequence[ByStatLevel], statistics: Statistics
) -> ByStatLevel:
    """The estimate of each node from its own counts, if they are evidence, and from all counts below it."""
    nodes = trees.nodes[region_type]
    below = {child: _family_of_parent(trees, child, nodes.keys.size) for child in trees.child_types[region_type]}
    levels = {
        child: np.where(family >= 0, trees.families[child].stat_levels[family], NOTHING)
        if trees.families[child].parents.size
        else np.full(family.size, NOTHING)
        for child, family in below.items()
    }
    columns = np.column_stack([nodes.needed, nodes.evidence, *levels.values()])
    parts: dict[int, list[Estimates]] = {}
    for kind, places in kinds(columns, np.flatnonzero(nodes.needed > NOTHING)):
        evidence = [
            (level, sums[child][level].of(below[child][places]))
            for child, level in zip(below, kind[2:], strict=True)
            if level > NOTHING
        ]
        if kind[1] > NOTHING:
            evidence.append(_own_evidence(groups, nodes.groups[places], kind[1], kind[0], statistics))
        parts.setdefault(kind[0], []).append(_combined(places, kind[0], evidence, statistics))
    return {level: _joined(estimates) for level, estimates in parts.items()}


def _family_of_parent(trees: Forest, child_type: int, size: int) -> Int64s:
    """The number of the family of `child_type` below each node, or -1."""
    families = np.full(size, -1, dtype=np.int64)
    families[trees.families[child_type].parents] = np.arange(trees.families[child_type].parents.size)
    return families


def _own_evidence(
    groups: Groups, places: Int64s, own: int, needed: int, statistics: Statistics
) -> tuple[int, Estimates]:
    """The counts of groups with statistic `own`, no finer than `needed`; they are independent of one another."""
    level = min(own, needed)
    starts = statistics.starts[own][level]
    means = summed(own_counts(groups, places, statistics.cells[own]), starts)
    sizes = run_lengths(starts, statistics.cells[own])
    covariances = groups.variances[places][:, None, None] * np.diag(sizes)
    return level, Estimates(places, means, covariances)


def _combined(
    places: Int64s, needed: int, evidence: Sequence[tuple[int, Estimates]], statistics: Statistics
) -> Estimates:
    """One estimate from independent estimates of the same nodes; the finest of them is at stat level `needed`."""
    (_, first), *others = sorted(evidence, key=lambda one: -one[0])
    means, covariances = first.means, first.covariances
    for level, other in others:
        starts = statistics.starts[needed][level]
        with_sums = np.add.reduceat(covariances, starts, axis=2)  # covariances of cells with sums of cells
        total = np.add.reduceat(with_sums, starts, axis=1) + other.covariances
        gains: Floats = np.linalg.solve(total, with_sums.transpose(0, 2, 1)).transpose(0, 2, 1).astype(np.float64)
        means = means + _times(gains, other.means - summed(means, starts))
        covariances = _symmetric(covariances - gains @ with_sums.transpose(0, 2, 1))
    return Estimates(places, means, covariances)


def _family_sums(region_type: int, trees: Forest, upward: ByStatLevel, statistics: Statistics) -> ByStatLevel:
    """The sums of the members of each family, by the stat level at which it binds."""
    nodes, families = trees.nodes[region_type], trees.families[region_type]
    sums = {}
    for level in sorted(set(families.stat_levels.tolist())):
        places = np.flatnonzero(families.stat_levels == level)
        size = statistics.cells[level]
        found = Estimates(places, np.zeros((places.size, size)), np.zeros((places.size, size, size)))
        for needed, members in upward.items():
            chosen = members.places[nodes.above[members.places] == level]
            if chosen.size:
                part = members.of(chosen).at(statistics.starts[needed][level])
                rows = np.searchsorted(places, nodes.families[chosen])
                np.add.at(found.means, rows, part.means)
                np.add.at(found.covariances, rows, part.covariances)
        sums[level] = found
    return sums


def _from_above(
    trees: Forest, child_type: int, known: tuple[ByStatLevel, ByStatLevel, ByStatLevel], statistics: Statistics
) -> ByStatLevel:
    """Estimates of the nodes of `child_type` from all counts.

    known: estimates of these nodes from below, of their family sums from below, and of their parents from all counts.
    """
    upward, sums, parents = known
    nodes, families = trees.nodes[child_type], trees.families[child_type]
    smoothed = {
        needed: Estimates(one.places, one.means.copy(), one.covariances.copy()) for needed, one in upward.items()
    }
    for level, of_sums in sums.items():
        moves, spreads = np.zeros_like(of_sums.means), np.zeros_like(of_sums.covariances)
        for needed, one in parents.items():
            rows = np.flatnonzero(np.isin(families.parents[of_sums.places], one.places))
            if rows.size:
                given_all = one.of(families.parents[of_sums.places[rows]]).at(statistics.starts[needed][level])
                weights: Floats = np.linalg.inv(of_sums.covariances[rows]).astype(np.float64)
                moves[rows] = _times(weights, given_all.means - of_sums.means[rows])
                spreads[rows] = weights @ (given_all.covariances - of_sums.covariances[rows]) @ weights
        for needed, one in upward.items():
            chosen = np.flatnonzero(nodes.above[one.places] == level)
            if not chosen.size:
                continue
            rows = np.searchsorted(of_sums.places, nodes.families[one.places[chosen]])
            with_sums = np.add.reduceat(one.covariances[chosen], statistics.starts[needed][level], axis=2)
            smoothed[needed].means[chosen] += _times(with_sums, moves[rows])
            smoothed[needed].covariances[chosen] += with_sums @ spreads[rows] @ with_sums.transpose(0, 2, 1)
    return smoothed


def kinds(columns: Int64s, places: Int64s) -> Iterator[tuple[list[int], Int64s]]:
    """Each distinct row of `columns`, and the places that have it."""
    kinds, numbers = np.unique(columns[places], axis=0, return_inverse=True)
    for number, kind in enumerate(kinds.tolist()):
        yield kind, places[numbers.ravel() == number]


def _joined(parts: Sequence[Estimates]) -> Estimates:
    places = np.concatenate([part.places for part in parts])
    order = np.argsort(places)
    means = np.concatenate([part.means for part in parts])
    return Estimates(places[order], means[order], np.concatenate([part.covariances for part in parts])[order])


def _times(matrices: Floats, vectors: Floats) -> Floats:
    return np.asarray(np.einsum("nij,nj->ni", matrices, vectors), dtype=np.float64)


def _symmetric(matrices: Floats) -> Floats:
    return np.asarray((matrices + matrices.transpose(0, 2, 1)) / 2)
