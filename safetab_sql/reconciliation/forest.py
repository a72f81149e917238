"""The published counts of a release as a forest: which counts are sums of which others, and at which statistic.

A node is an iteration in a region, whether or not it was measured. A family is the nodes of one iteration in all
regions of one type within a parent region; the parent is the same iteration in the parent region:

    parent    state           total 120
    family    county A 50     county B 40     county C: suppressed, unknown

Which families bind, and at which statistic: reconciliation.md section 3. If one county has only a total, only the
totals bind. Iterations that make up another one, in one region, are a family where no family of regions binds its
nodes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import Database
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.sources import Source
from safetab_sql.settings.parameters import Parameters

Row: TypeAlias = Mapping[str, Any]  # of a table, by column

# The statistics of a ladder as nested partitions: which fine cells make up each coarser cell, and each published row.
# Cells are in nested order here: the cells of every coarser statistic are runs of them.

Int8s: TypeAlias = npt.NDArray[np.int8]

NOTHING = -1  # in place of a stat level (0 a total, 1 the coarsest table, ...) that is not known or not needed
TOTAL = -1  # row of a total that stands in a table of totals


@dataclass(frozen=True, slots=True)
class Statistics:
    """The cells of stat levels 0, 1, ... of a ladder; every level splits cells of the level before.

    starts[fine][coarse]: positions among the cells of level `fine` where the cells of level `coarse` begin.
    cells[level]: how many cells there are. order[level]: the published position of each cell. row_ids[level]: of its
    published rows, int64[rows]. weights[level]: which cells each of these adds up, float64[rows, cells].
    """

    starts: tuple[tuple[Int64s, ...], ...]
    cells: tuple[int, ...]
    order: tuple[Int64s, ...]
    row_ids: tuple[Int64s, ...]
    weights: tuple[Floats, ...]


def statistics(finest: Sequence[Int64s], rows: Sequence[Mapping[int, Sequence[int]]]) -> Statistics | None:
    """The statistics of stat levels 0, 1, ...; None where one does not split cells of the one before.

    finest[level]: the published position of the cell of each finest cell, int64[finest cells]. rows[level]: published
    rows by their ids, and the published positions of the cells that they add up.
    """
    places: list[Int64s] = []  # by level, the nested place of the cell of each finest cell
    order = []
    for cells in finest:
        keys = np.column_stack([*places, cells])
        distinct, numbers = np.unique(keys, axis=0, return_inverse=True)
        if distinct.shape[0] != np.unique(cells).size:
            return None
        places.append(numbers.ravel().astype(np.int64))
        order.append(distinct[:, -1].astype(np.int64))
    return Statistics(
        starts=tuple(
            tuple(np.array([fine[coarse == one].min() for one in np.unique(coarse)]) for coarse in places[: level + 1])
            for level, fine in enumerate(places)
        ),
        cells=tuple(map(len, order)),
        order=tuple(order),
        row_ids=tuple(np.array(list(published), dtype=np.int64) for published in rows),
        weights=tuple(
            np.array([np.isin(own, each) for each in published.values()], dtype=np.float64).reshape(-1, own.size)
            for own, published in zip(order, rows, strict=True)
        ),
    )


def summed(values: Floats, starts: Int64s) -> Floats:
    """The sums of runs of columns that begin at `starts`: float64[n, fine] -> float64[n, coarse]."""
    return np.add.reduceat(values, starts, axis=1)


def run_lengths(starts: Int64s, size: int) -> Int64s:
    """How many of `size` columns each run has."""
    return np.diff(np.append(starts, size))


# What the code lists prove of iterations: which make up which others, and which totals cannot exceed which others.
# Sums are enforced (reconciliation.md section 3); totals in the wrong order are reported, not corrected.


def read_nesting(database: Database, lists: Mapping[str, Source], scratch: Path, parameters: Parameters) -> None:
    """Make table `iteration_nesting` and the tables of code lists. Raises: InputError if lists cannot be read."""
    read_lists(database, {name: lists[name] for name in parameters.questions.lists}, scratch, parameters)
    for name in (
        *("iteration_rows", "code_iteration_rows", "codes", "code_numbers", "iteration_kinds"),
        *("iterations", "code_iterations", "nested_iterations", "iteration_nesting"),
    ):
        database.create(sql_files()[name])


def broken_orders(database: Database) -> list[Row]:
    """Rows of broken_orders.sql, of the totals in `reconciled_t1`. The tables of `read_nesting` must exist."""
    for name in ("implied_orders", "broken_orders"):
        database.create(sql_files()[name])
    names = ["region_type", "narrow_level", "narrow_kind", "wide_level", "wide_kind"]
    return list(database.table("broken_orders", order_by=names).to_pylist())


@dataclass(frozen=True, slots=True)
class RegionTree:
    """Which region types divide which, completely. Region types are numbered so that children come before parents.

    parent_types[t]: the region type that t divides, or -1. region_types, parents: of each region, int64[regions]; the
    parent of a region is one of the parent type, or -1. names: of the region types, where they are told. Keys of
    regions are 0, 1, ... here, and 1, 2, ... in tables.
    """

    parent_types: tuple[int, ...]
    region_types: Int64s
    parents: Int64s
    names: tuple[str, ...] = ()

    def children(self, region_type: int) -> Int64s:
        """How many regions of `region_type` each region is divided into: int64[regions]."""
        own = self.parents[(self.region_types == region_type) & (self.parents >= 0)]
        return np.bincount(own, minlength=self.parents.size)

    @property
    def divisions(self) -> dict[str, str]:
        """Region type -> the region type that it divides."""
        pairs = zip(self.names, self.parent_types, strict=True)
        return {name: self.names[parent] for name, parent in pairs if parent >= 0}


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

    variances, margin_variances: of the sums, right on average, and for weights and margins. pulls: what a sum moves,
    persons, lest weights that rest on it pull it. lows, highs: ends of the 95 % intervals of the true totals.
    is_better: whether stage 1 says something of the group.
    """

    variances: Floats
    margin_variances: Floats
    pulls: Floats
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


def forest(groups: Groups, tree: RegionTree, nesting: Nesting = NO_NESTING) -> Forest:
    """The forest of some published groups; for each iteration, all its groups must be among them, and its parts."""
    depths = _by_iteration(nesting.depths, groups.iterations, 0)
    region_types = tree.region_types[groups.regions]
    layers = [
        (depth, region_type)
        for depth in range(int(depths.max(initial=0)), -1, -1)
        for region_type in range(len(tree.parent_types))
    ]
    numbers = {layer: number for number, layer in enumerate(layers)}
    keys = groups.iterations * tree.parents.size + groups.regions
    nodes: list[Nodes] = []
    edges: list[Edge] = []  # in the order of their children; of one child, the region edge first
    bound: list[Families] = []  # of each edge, of parents by their keys
    for number, (depth, region_type) in enumerate(layers):
        own = np.flatnonzero((region_types == region_type) & (depths == depth))
        below = [one for one, edge in zip(bound, edges, strict=True) if edge.parent == number]
        found, known = _nodes(keys, own, groups, below)
        parent_type = tree.parent_types[region_type]
        above = [Edge(number, numbers[depth, parent_type], by_region=True)] if parent_type >= 0 else []
        above += [Edge(number, numbers[depth - 1, region_type], by_region=False)] if depth else []
        for edge in above:
            parents, sizes = _parents(found.keys, region_type, edge, tree, nesting)
            free = np.where(found.edges < 0, parents, -1)
            bound.append(_bound(found, known, free, sizes, len(bound)))
        nodes.append(found)
        edges += above
    families = tuple(
        Families(np.searchsorted(nodes[edge.parent].keys, one.parents), one.stat_levels)
        for one, edge in zip(bound, edges, strict=True)
    )
    for number, one in enumerate(nodes):
        _need(one, [families[place] for place, edge in enumerate(edges) if edge.parent == number], groups.combined)
    return Forest(tuple(nodes), tuple(edges), families)


def _by_iteration(values: Int64s, iterations: Int64s, otherwise: int) -> Int64s:
    """The values of some iterations; the same for all where nothing is known of iterations."""
    return values[iterations] if values.size else np.full(iterations.size, otherwise)


def _parents(
    keys: Int64s, region_type: int, edge: Edge, tree: RegionTree, nesting: Nesting
) -> tuple[Int64s, Callable[[Int64s], Int64s]]:
    """The key of the parent of each node on an edge, or -1; and how many parts the parents of some keys have."""
    regions = tree.parents.size
    iterations, places = np.divmod(keys, regions)
    if edge.by_region:
        above, children = tree.parents[places], tree.children(region_type)
        return np.where(above >= 0, iterations * regions + above, -1), lambda parents: children[parents % regions]
    above = _by_iteration(nesting.parents, iterations, -1)
    return np.where(above >= 0, above * regions + places, -1), lambda parents: nesting.parts[parents // regions]


def _nodes(keys: Int64s, own: Int64s, groups: Groups, below: Sequence[Families]) -> tuple[Nodes, Int8s]:
    """The groups `own` and the parents of families `below`, bound by no family yet; and stat levels known of them."""
    node_keys = np.unique(np.concatenate([keys[own], *(one.parents for one in below)]))
    places = np.full(node_keys.size, -1, dtype=np.int64)
    places[np.searchsorted(node_keys, keys[own])] = own
    published = np.where(places >= 0, groups.stat_levels[places], NOTHING).astype(np.int8)
    evidence = np.where(groups.are_evidence[places], published, NOTHING).astype(np.int8)
    known, above, needed = evidence.copy(), *(np.full(places.size, NOTHING, dtype=np.int8) for _ in range(2))
    for one in below:
        np.maximum.at(known, np.searchsorted(node_keys, one.parents), one.stat_levels)
    edges, families = (np.full(places.size, -1, dtype=np.int64) for _ in range(2))
    return Nodes(node_keys, places, published, evidence, above, needed, edges, families), known


def _bound(nodes: Nodes, known: Int8s, parents: Int64s, parts: Callable[[Int64s], Int64s], edge: int) -> Families:
    """The families of which every part is known; `nodes` are told. parents: keys, or -1. parts: how many one has."""
    able = np.flatnonzero((known > NOTHING) & (parents >= 0))
    parent_keys, places, sizes = np.unique(parents[able], return_inverse=True, return_counts=True)
    coarsest = np.full(parent_keys.size, np.iinfo(np.int8).max, dtype=np.int8)
    np.minimum.at(coarsest, places, known[able])
    is_whole = sizes == parts(parent_keys)
    number = np.where(is_whole, np.cumsum(is_whole) - 1, -1)
    members, chosen = able[is_whole[places]], places[is_whole[places]]
    nodes.edges[members], nodes.families[members], nodes.above[members] = edge, number[chosen], coarsest[chosen]
    return Families(parent_keys[is_whole], coarsest[is_whole])


def _need(nodes: Nodes, below: Sequence[Families], combined: Combined | None) -> None:
    """Tell nodes which stat levels they need, now that it is known which families bind them."""
    if combined is not None:
        published = np.flatnonzero(nodes.groups >= 0)
        nodes.needed[published[combined.is_better[nodes.groups[published]]]] = 0
    np.maximum(nodes.needed, nodes.above, out=nodes.needed)
    for one in below:
        np.maximum.at(nodes.needed, one.parents, one.stat_levels)


# Which regions divide which: from the geography that the release was made with, or from the regions in the release.

# Digits of the ids of standard region types, finest first; the id of a coarser region is a prefix of the finer one.
_DIGITS: Mapping[str, int] = {"TRACT": 11, "COUNTY": 5, "STATE": 2, "USA": 0}
_NATION = "1"


def read_released_regions(database: Database, is_suppressed: Mapping[str, bool]) -> None:
    """Make table `geo_units` from a release: one row per region of the finest type of which nothing was suppressed.

    is_suppressed: by region type, whether small totals are missing, and perhaps whole regions with them. The ids of
    nations, states, counties and tracts show which region lies in which; other region types are left out.
    Raises: InputError where no region type is left.
    """
    database.create(sql_files()["released_regions"])
    released = database.table("released_regions", order_by=["region_type", "region_id"]).to_pylist()
    parts = []
    for part in ("", "PR-"):
        whole = [name for name in _DIGITS if is_suppressed.get(part + name) is False]
        ids = [row["region_id"] for row in released if whole and row["region_type"] == part + whole[0]]
        of_ids = {part + name: [text[: _DIGITS[name]] if _DIGITS[name] else _NATION for text in ids] for name in whole}
        parts += [pa.table({name: pa.array(column, pa.string()) for name, column in of_ids.items()})] if whole else []
    if not parts:
        what = (
            "which regions lie in which is known from their ids only for nations, states, counties and tracts of which "
            "no total was suppressed, where everybody has a place, and it has none"
        )
        raise InputError([Problem("the release", what, "name the geography that it was made with: --geography")])
    found = pa.concat_tables(parts, promote_options="default")
    database.set_values({"region_types": found.column_names})
    numbers = pa.array(range(found.num_rows), pa.int32())
    database.hand_over("geo_units", found.add_column(0, "geo_unit_id", numbers))


def region_tree(database: Database) -> RegionTree:
    """Make table `tree_regions` from `geo_units` and `released_totals`, and the tree that it describes."""
    for name in ("regions", "geo_unit_regions", "region_parents", "tree_regions"):
        database.create(sql_files()[name])
    found = database.table("tree_regions", order_by=["region_key"]).to_pydict()
    types = found["region_type"]
    parents = [-1 if key is None else key - 1 for key in found["parent_region_key"]]
    outer = {types[place]: types[parent] for place, parent in enumerate(parents) if parent >= 0}
    names = tuple(sorted(set(types), key=lambda name: (-_depth(name, outer), name)))
    numbers = {name: number for number, name in enumerate(names)}
    return RegionTree(
        tuple(numbers[outer[name]] if name in outer else -1 for name in names),
        np.array([numbers[name] for name in types], dtype=np.int64),
        np.array(parents, dtype=np.int64),
        names,
    )


def _depth(name: str, outer: Mapping[str, str]) -> int:
    return 1 + _depth(outer[name], outer) if name in outer else 0
