"""Whole numbers that keep every sum and equal their estimates on average.

Systematic rounding, from the top down:

1. The rounding error of a parent is spread evenly over its children, so that their estimates add up to it.
2. One number u is drawn, uniform in [0, 1).
3. Child k gets floor(S_k + u) - floor(S_(k-1) + u), where S_k is the sum of the first k estimates.

The children then add up to the parent, and each equals its estimate on average.
Source: W. G. Madow (1949), On the Theory of Systematic Sampling, II.
"""

import hashlib
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from safetab_sql.reconciliation.forest import Forest
from safetab_sql.reconciliation.least_squares import ByStatLevel, Solution, kinds
from safetab_sql.reconciliation.statistics import (
    Floats,
    Int64s,
    Statistics,
    run_lengths,
    summed,
)

Uniforms: TypeAlias = Callable[[int], Floats]  # takes how many, returns that many numbers in [0, 1)
Rounded: TypeAlias = dict[int, Int64s]  # by stat level: whole numbers int64[n, cells] of the nodes that need that level


def uniforms(seed: str, name: str) -> Uniforms:
    """A stream of uniform numbers fixed by `seed` and `name` (SHAKE-256). It is no secret: estimates are public."""
    requests = iter(range(2**62))

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
    """Whole numbers for n rows of cells, given whole numbers for the runs of cells that begin at `starts`.

    float64[n, cells], int64[n, runs] -> int64[n, cells].
    """
    rows, cells = means.shape
    runs = np.arange(rows * starts.size)
    numbers = np.repeat(runs.reshape(rows, -1), run_lengths(starts, cells), axis=1)
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
            wholes = _wholes(families.parents[chosen], found[parent], whole[parent], level, statistics)
            is_bound = (nodes.edges == edge) & (nodes.above == level)
            places, means = _at_level(is_bound, found[layer], level, statistics)
            numbers = np.searchsorted(chosen, nodes.families[places])
            order = np.argsort(numbers, kind="stable")
            rounded = np.empty(means.shape, dtype=np.int64)
            for cell in range(means.shape[1]):
                rounded[order, cell] = rounded_parts(means[order, cell], numbers[order], wholes[:, cell], draw)
            given[edge, level] = places, rounded
    return given


def _at_level(
    is_bound: npt.NDArray[np.bool_], estimates: ByStatLevel, level: int, statistics: Statistics
) -> tuple[Int64s, Floats]:
    """The nodes that a family binds, sorted, and the estimates of their cells at the stat level of the family."""
    places, means = [], []
    for needed, one in estimates.items():
        chosen = np.flatnonzero(is_bound[one.places])
        if chosen.size:
            places.append(one.places[chosen])
            means.append(summed(one.means[chosen], statistics.starts[needed][level]))
    order = np.argsort(np.concatenate(places))
    return np.concatenate(places)[order], np.concatenate(means)[order]


def _wholes(parents: Int64s, estimates: ByStatLevel, whole: Rounded, level: int, statistics: Statistics) -> Int64s:
    """Whole numbers for the cells of some parents at `level`."""
    wholes = np.zeros((parents.size, statistics.cells[level]), dtype=np.int64)
    for needed, one in estimates.items():
        rows = np.flatnonzero(np.isin(parents, one.places))
        if rows.size:
            cells = whole[needed][np.searchsorted(one.places, parents[rows])]
            wholes[rows] = np.add.reduceat(cells, statistics.starts[needed][level], axis=1)
    return wholes
