"""The published counts of a release as a forest: which counts are sums of which others, and at which statistic.

A node is an iteration in a region, whether or not it was measured. A family is the nodes of one iteration in all
regions of one type within a parent region; the parent is the same iteration in the parent region:

    parent    state           total 120
    family    county A 50     county B 40     county C: suppressed, unknown

A family binds if every region in it is known, at some statistic: then, at the coarsest of those statistics, the
parent's cells are the sums of the children's cells. Above, county C could have any count, so the family says nothing
about the state, and the state says nothing about the family. If one county has only a total, only the totals bind.

Not every published count is evidence. A total that was published only because suppression kept it is too large on
average, and so would be any estimate that used it: it binds nothing, neither its parent nor its children, as if it
had been suppressed. Tables are evidence: stage 1 chose the group and the detail of its table, by noise that is
independent of the noise in the cells. So stage 1 and public facts alone decide which families bind, and at which
statistic. Given these, every count that is used has its stated mean and variance, so least squares is as unbiased, and
its margins cover as often, as if the families had been fixed beforehand.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.reconciliation.statistics import NOTHING, Floats, Int8s, Int64s


@dataclass(frozen=True, slots=True)
class RegionTree:
    """Which region types divide which, completely. Region types are numbered so that children come before parents.

    parent_types[t]: the region type that t divides, or -1. region_types, parents: of each region, int64[regions]; the
    parent of a region is one of the parent type, or -1.
    """

    parent_types: tuple[int, ...]
    region_types: Int64s
    parents: Int64s

    def children(self, region_type: int) -> Int64s:
        """How many regions of `region_type` each region is divided into: int64[regions]."""
        own = self.parents[(self.region_types == region_type) & (self.parents >= 0)]
        return np.bincount(own, minlength=self.parents.size)


@dataclass(frozen=True, slots=True)
class Groups:
    """Published population groups of tree regions: arrays with one entry for each group, except `counts`.

    iterations, regions: numbers. stat_levels: 0-3. variances: of each noisy count of the group, persons squared.
    first_counts: where its counts begin in `counts` (persons), which has one count for each cell of its statistic.
    are_evidence: whether its counts would have been published whatever their values: a table, or a total that cannot be
    suppressed.
    """

    iterations: Int64s
    regions: Int64s
    stat_levels: Int8s
    variances: Floats
    first_counts: Int64s
    counts: Floats
    are_evidence: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of one region type, sorted by key (iteration * regions + region): arrays with one entry for each node.

    groups: its position in Groups, or -1 if nothing was published. own: its published stat level, or NOTHING. evidence:
    its published stat level if that is evidence, or NOTHING. above: stat level at which its family binds it, or
    NOTHING. needed: finest stat level at which its family or the families below bind it, or NOTHING. families: number
    of its family, or -1.
    """

    keys: Int64s
    groups: Int64s
    own: Int8s
    evidence: Int8s
    above: Int8s
    needed: Int8s
    families: Int64s


@dataclass(frozen=True, slots=True)
class Families:
    """The families of one region type that bind. parents: positions in the nodes of the parent type."""

    parents: Int64s
    stat_levels: Int8s


@dataclass(frozen=True, slots=True)
class Forest:
    """Nodes and families by region type, children before parents. child_types[t]: the region types that divide t."""

    nodes: tuple[Nodes, ...]
    families: tuple[Families, ...]
    child_types: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class _Unbound:
    """Nodes before their families are known. known: stat level known by their evidence or by a family below."""

    keys: Int64s
    groups: Int64s
    own: Int8s
    evidence: Int8s
    known: Int8s


@dataclass(frozen=True, slots=True)
class _Bound:
    """Families before the positions of their parents are known. members: node -> family or -1."""

    parent_keys: Int64s
    stat_levels: Int8s
    members: Int64s


def forest(groups: Groups, tree: RegionTree) -> Forest:
    """The forest of some published groups; for each iteration, all its groups must be among them."""
    size = len(tree.parent_types)
    child_types = tuple(
        tuple(child for child in range(size) if tree.parent_types[child] == parent) for parent in range(size)
    )
    keys = groups.iterations * tree.parents.size + groups.regions
    unbound: list[_Unbound] = []
    bound: list[_Bound] = []
    for region_type in range(size):
        below = [bound[child] for child in child_types[region_type]]
        own = np.flatnonzero(tree.region_types[groups.regions] == region_type)
        unbound.append(_nodes(keys, own, groups, below))
        bound.append(_bound(unbound[-1].keys, unbound[-1].known, region_type, tree))
    families = tuple(
        Families(
            np.searchsorted(unbound[parent].keys, one.parent_keys) if parent >= 0 else one.members[:0], one.stat_levels
        )
        for one, parent in zip(bound, tree.parent_types, strict=True)
    )
    return Forest(
        tuple(
            _bound_nodes(unbound[number], bound[number], [families[child] for child in child_types[number]])
            for number in range(size)
        ),
        families,
        child_types,
    )


def _nodes(keys: Int64s, own: Int64s, groups: Groups, below: Sequence[_Bound]) -> _Unbound:
    """The groups `own` and the parents of families `below`."""
    node_keys = np.unique(np.concatenate([keys[own], *(one.parent_keys for one in below)]))
    places = np.full(node_keys.size, -1, dtype=np.int64)
    places[np.searchsorted(node_keys, keys[own])] = own
    is_published = places >= 0
    published, evidence = _nothing(places.size), _nothing(places.size)
    published[is_published] = groups.stat_levels[places[is_published]]
    is_evidence = is_published.copy()
    is_evidence[is_published] = groups.are_evidence[places[is_published]]
    evidence[is_evidence] = published[is_evidence]
    known = evidence.copy()
    for one in below:
        np.maximum.at(known, np.searchsorted(node_keys, one.parent_keys), one.stat_levels)
    return _Unbound(node_keys, places, published, evidence, known)


def _bound(keys: Int64s, known: Int8s, region_type: int, tree: RegionTree) -> _Bound:
    """The families in which every region is known."""
    members = np.full(keys.size, -1, dtype=np.int64)
    regions = tree.parents.size
    parents = tree.parents[keys % regions]
    able = np.flatnonzero((known > NOTHING) & (parents >= 0))
    parent_keys, places, sizes = np.unique(
        keys[able] // regions * regions + parents[able], return_inverse=True, return_counts=True
    )
    coarsest = np.full(parent_keys.size, np.iinfo(np.int8).max, dtype=np.int8)
    np.minimum.at(coarsest, places, known[able])
    is_whole = sizes == tree.children(region_type)[parent_keys % regions]
    number = np.where(is_whole, np.cumsum(is_whole) - 1, -1)
    members[able] = number[places]
    return _Bound(parent_keys[is_whole], coarsest[is_whole], members)


def _bound_nodes(found: _Unbound, bound: _Bound, below: Sequence[Families]) -> Nodes:
    """The nodes, now that it is known which families bind them and at which stat levels."""
    above = _nothing(found.keys.size)
    is_bound = bound.members >= 0
    above[is_bound] = bound.stat_levels[bound.members[is_bound]]
    needed = above.copy()
    for families in below:
        np.maximum.at(needed, families.parents, families.stat_levels)
    return Nodes(found.keys, found.groups, found.own, found.evidence, above, needed, bound.members)


def _nothing(size: int) -> Int8s:
    return np.full(size, NOTHING, dtype=np.int8)
