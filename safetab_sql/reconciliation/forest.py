"""The published counts of a release as a forest: which counts are sums of which others, and at which statistic.

A node is an iteration in a region, whether or not it was measured. A family is the nodes of one iteration in all
regions of one type within a parent region; the parent is the same iteration in the parent region:

    parent    state           total 120
    family    county A 50     county B 40     county C: suppressed, unknown

A family binds if every region in it is known, at some statistic: then, at the coarsest of those statistics, the
parent's cells are the sums of the children's cells. If one county has only a total, only the totals bind.

Iterations that make up another one, in one region, are a family where no family of regions binds any of its nodes.
Not every published count is evidence: a total that was published only because suppression kept it binds nothing. Stage
1 and public facts alone decide which families bind: reconciliation.md section 3.
"""

from collections.abc import Callable, Mapping, Sequence
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
class Nesting:
    """Which iterations make up which others: int64 each, by the number of an iteration.

    parents: the iteration that it is a part of, or -1. parts: how many parts it has. depths: how many iterations it is
    a part of, by way of each other. Empty where nothing is known of iterations.
    """

    parents: Int64s
    parts: Int64s
    depths: Int64s


NO_NESTING = Nesting(*(np.zeros(0, dtype=np.int64) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class Combined:
    """What stage 1 adds to the sums of the counts of groups: arrays with one entry for each group.

    weighed, variances, margin_variances: of the sums, for weights, right on average, and for margins. lows, highs: ends
    of the 95 % intervals of the true totals. is_better: whether stage 1 says something of the group.
    """

    weighed: Floats
    variances: Floats
    margin_variances: Floats
    lows: Floats
    highs: Floats
    is_better: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Groups:
    """Published population groups of tree regions: arrays with one entry for each group, except `counts`.

    iterations, regions: numbers. stat_levels: 0, 1, ... variances: of each noisy count of the group, persons squared.
    first_counts: where its counts begin in `counts` (persons), which has one count for each cell of its statistic.
    are_evidence: whether its counts would have been published whatever their values: a table, or a total that cannot be
    suppressed. combined: None where stage 1 is not known.
    """

    iterations: Int64s
    regions: Int64s
    stat_levels: Int8s
    variances: Floats
    first_counts: Int64s
    counts: Floats
    are_evidence: npt.NDArray[np.bool_]
    combined: Combined | None = None


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of one layer, sorted by key (iteration * regions + region): arrays with one entry for each node.

    groups: its position in Groups, or -1 if nothing was published. own: its published stat level, or NOTHING. evidence:
    its published stat level if that is evidence, or NOTHING. above: stat level at which its family binds it, or
    NOTHING. needed: finest stat level at which its family or the families below bind it, or NOTHING; the total where
    stage 1 makes it better. edges: the edge of its family, or -1. families: number of its family on that edge, or -1.
    """

    keys: Int64s
    groups: Int64s
    own: Int8s
    evidence: Int8s
    above: Int8s
    needed: Int8s
    edges: Int64s
    families: Int64s


@dataclass(frozen=True, slots=True)
class Edge:
    """Layers of nodes of which the one may hold parts of nodes of the other. by_region: parts are regions."""

    child: int
    parent: int
    by_region: bool


@dataclass(frozen=True, slots=True)
class Families:
    """The families of one edge that bind. parents: positions in the nodes of the parent layer."""

    parents: Int64s
    stat_levels: Int8s


@dataclass(frozen=True, slots=True)
class Forest:
    """Nodes by layer, and families by edge. Layers are region types of iterations of one depth, children first."""

    nodes: tuple[Nodes, ...]
    edges: tuple[Edge, ...]
    families: tuple[Families, ...]

    def below(self, layer: int) -> tuple[int, ...]:
        """The edges whose parents are nodes of a layer."""
        return tuple(number for number, edge in enumerate(self.edges) if edge.parent == layer)

    def above(self, layer: int) -> tuple[int, ...]:
        """The edges whose children are nodes of a layer."""
        return tuple(number for number, edge in enumerate(self.edges) if edge.child == layer)


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


@dataclass(frozen=True, slots=True)
class _Layer:
    """Iterations of one depth in the regions of one type."""

    depth: int
    region_type: int


def forest(groups: Groups, tree: RegionTree, nesting: Nesting = NO_NESTING) -> Forest:
    """The forest of some published groups; for each iteration, all its groups must be among them, and its parts."""
    depths = _by_iteration(nesting.depths, groups.iterations, 0)
    region_types = tree.region_types[groups.regions]
    layers = [
        _Layer(depth, region_type)
        for depth in range(int(depths.max(initial=0)), -1, -1)
        for region_type in range(len(tree.parent_types))
    ]
    edges = _edges(layers, tree)
    keys = groups.iterations * tree.parents.size + groups.regions
    unbound: list[_Unbound] = []
    bound: list[_Bound] = []
    for number, layer in enumerate(layers):
        own = np.flatnonzero((region_types == layer.region_type) & (depths == layer.depth))
        below = [one for one, edge in zip(bound, edges, strict=False) if edge.parent == number]
        unbound.append(_nodes(keys, own, groups, below))
        is_free = np.ones(unbound[-1].keys.size, dtype=np.bool_)
        for edge in edges[len(bound) :]:
            if edge.child == number:
                parents, sizes = _parents(unbound[-1].keys, layer, edge, tree, nesting)
                bound.append(_bound(unbound[-1], np.where(is_free, parents, -1), sizes))
                is_free &= bound[-1].members < 0
    families = tuple(
        Families(np.searchsorted(unbound[edge.parent].keys, one.parent_keys), one.stat_levels)
        for one, edge in zip(bound, edges, strict=True)
    )
    return Forest(
        tuple(
            _bound_nodes(
                nodes,
                {place: bound[place] for place, edge in enumerate(edges) if edge.child == number},
                [families[place] for place, edge in enumerate(edges) if edge.parent == number],
                groups.combined,
            )
            for number, nodes in enumerate(unbound)
        ),
        tuple(edges),
        families,
    )


def _edges(layers: Sequence[_Layer], tree: RegionTree) -> list[Edge]:
    """The edges in the order of their children; of one child, that of regions first."""
    numbers = {(layer.depth, layer.region_type): number for number, layer in enumerate(layers)}
    edges = []
    for number, layer in enumerate(layers):
        parent_type = tree.parent_types[layer.region_type]
        edges += [Edge(number, numbers[layer.depth, parent_type], by_region=True)] if parent_type >= 0 else []
        edges += [Edge(number, numbers[layer.depth - 1, layer.region_type], by_region=False)] if layer.depth else []
    return edges


def _by_iteration(values: Int64s, iterations: Int64s, otherwise: int) -> Int64s:
    """The values of some iterations; the same for all where nothing is known of iterations."""
    return values[iterations] if values.size else np.full(iterations.size, otherwise)


def _parents(
    keys: Int64s, layer: _Layer, edge: Edge, tree: RegionTree, nesting: Nesting
) -> tuple[Int64s, Callable[[Int64s], Int64s]]:
    """The key of the parent of each node on an edge, or -1; and how many parts the parents of some keys have."""
    regions = tree.parents.size
    iterations, places = np.divmod(keys, regions)
    if edge.by_region:
        above, children = tree.parents[places], tree.children(layer.region_type)
        return np.where(above >= 0, iterations * regions + above, -1), lambda parents: children[parents % regions]
    above = _by_iteration(nesting.parents, iterations, -1)
    return np.where(above >= 0, above * regions + places, -1), lambda parents: nesting.parts[parents // regions]


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


def _bound(nodes: _Unbound, parents: Int64s, parts: Callable[[Int64s], Int64s]) -> _Bound:
    """The families in which every part is known. parents: keys, or -1. parts: how many parts a parent has."""
    members = np.full(parents.size, -1, dtype=np.int64)
    able = np.flatnonzero((nodes.known > NOTHING) & (parents >= 0))
    parent_keys, places, sizes = np.unique(parents[able], return_inverse=True, return_counts=True)
    coarsest = np.full(parent_keys.size, np.iinfo(np.int8).max, dtype=np.int8)
    np.minimum.at(coarsest, places, nodes.known[able])
    is_whole = sizes == parts(parent_keys)
    number = np.where(is_whole, np.cumsum(is_whole) - 1, -1)
    members[able] = number[places]
    return _Bound(parent_keys[is_whole], coarsest[is_whole], members)


def _bound_nodes(
    found: _Unbound, bound: Mapping[int, _Bound], below: Sequence[Families], combined: Combined | None
) -> Nodes:
    """The nodes, now that it is known which families bind them and at which stat levels. bound: by edge."""
    size = found.keys.size
    above, needed = _nothing(size), _nothing(size)
    edges, families = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    for edge, one in bound.items():
        chosen = one.members >= 0
        above[chosen] = one.stat_levels[one.members[chosen]]
        edges[chosen], families[chosen] = edge, one.members[chosen]
    if combined is not None:
        published = np.flatnonzero(found.groups >= 0)
        needed[published[combined.is_better[found.groups[published]]]] = 0
    needed = np.maximum(needed, above)
    for one_below in below:
        np.maximum.at(needed, one_below.parents, one_below.stat_levels)
    return Nodes(found.keys, found.groups, found.own, found.evidence, above, needed, edges, families)


def _nothing(size: int) -> Int8s:
    return np.full(size, NOTHING, dtype=np.int8)
