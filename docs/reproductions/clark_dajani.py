"""Bottom-up and top-down noise on the same people at the same epsilon: clark_dajani.md.

Bottom-up (Clark and Dajani): noise on every cell of every block, and sums. Top-down (Abowd and others, and Hay and
others for the least squares): epsilon is divided over nation, states, tracts and blocks, each is measured, and
measurements are made consistent.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from docs.reproductions.markdown import table
from safetab_sql.histograms.published.tree import on_simplex
from safetab_sql.simulation.simulate import simulate

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

PEOPLE, RUNS, EPSILONS = 300_000, 10, (0.25, 1.0, 4.0)
LEVELS = ("nation", "state", "tract", "block")
AGES = (0, 18, 45, 65)
_PLACES = (("TABBLKST",), ("TABBLKCOU", "TABTRACTCE"), ("TABBLK",))  # codes within the level above


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Areas level by level, coarsest first: of each but the nation, its parent; and exact counts by sex and age.

    parents: int64[areas], by level from the second on. counts: int64[areas, 8], by level.
    """

    parents: tuple[Ints, ...]
    counts: tuple[Ints, ...]


def nation(people: int) -> Tree:
    """A simulated nation; every area in it has somebody."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(Path(folder) / "nation", people=people)
        records = pq.read_table(Path(folder) / "nation" / "persons", columns=["QAGE", "QSEX", *chain(*_PLACES)])
    columns = {name: records[name].to_numpy() for name in records.column_names}
    ages = np.searchsorted(AGES, columns["QAGE"].astype(np.int64), side="right") - 1
    cells = (columns["QSEX"].astype(np.int64) - 1) * len(AGES) + ages
    parents, counts = [], []
    area = np.zeros(cells.size, dtype=np.int64)
    for names in ((), *_PLACES):
        if names:
            text = np.array(
                ["/".join(codes) for codes in zip(*(columns[name].astype(str) for name in names), strict=True)]
            )
            codes = np.unique(text, return_inverse=True)[1]
            joint, within = np.unique(area * (codes.max() + 1) + codes, return_inverse=True)
            parents.append(joint // (codes.max() + 1))
            area = within
        counted = np.zeros((int(area.max()) + 1, 2 * len(AGES)), dtype=np.int64)
        np.add.at(counted, (area, cells), 1)
        counts.append(counted)
    return Tree(tuple(parents), tuple(counts))


def noise(shape: tuple[int, ...], epsilon: float, generator: np.random.Generator) -> Ints:
    """Two-sided geometric noise."""
    chance = -np.expm1(-epsilon)
    return generator.geometric(chance, shape) - generator.geometric(chance, shape)


def bottom_up(tree: Tree, epsilon: float, generator: np.random.Generator) -> list[Floats]:
    """Noisy cells of the finest areas, and their sums: counts by level."""
    found: list[Floats] = [(tree.counts[-1] + noise(tree.counts[-1].shape, epsilon, generator)).astype(np.float64)]
    for parents in reversed(tree.parents):
        found.insert(0, summed(found[0], parents))
    return found


def measured(tree: Tree, epsilon: float, generator: np.random.Generator) -> list[Floats]:
    """Noisy cells of every level, each with its share of epsilon."""
    each = epsilon / len(tree.counts)
    return [(counts + noise(counts.shape, each, generator)).astype(np.float64) for counts in tree.counts]


def least_squares(tree: Tree, noisy: Sequence[Floats]) -> list[Floats]:
    """The consistent counts nearest to what was measured, with equal variances: one pass up, one pass down.

    Source: Hay and others 2010, section 4.
    """
    best, spread = passed_up(tree, noisy)
    found = [best[0]]
    for parents, own, variances in zip(tree.parents, best[1:], spread[1:], strict=True):
        total = summed(own, parents)
        share = variances / summed(variances, parents)[parents]
        found.append(own + share[:, None] * (found[-1] - total)[parents])
    return found


def never_negative(tree: Tree, noisy: Sequence[Floats]) -> list[Floats]:
    """As `least_squares`, but going down the parts of each area are moved to counts that are not negative."""
    best, _ = passed_up(tree, noisy)
    found = [np.maximum(best[0], 0.0)]
    for parents, own in zip(tree.parents, best[1:], strict=True):
        here = np.zeros_like(own)
        for parent in np.unique(parents):
            parts = np.flatnonzero(parents == parent)
            for cell, total in enumerate(found[-1][parent]):
                if total > 0:
                    here[parts, cell] = on_simplex(own[parts, cell], float(total))
        found.append(here)
    return found


def passed_up(tree: Tree, noisy: Sequence[Floats]) -> tuple[list[Floats], list[Floats]]:
    """Of each area: the best estimate from itself and all below it, and its variance in units of one measurement."""
    best, spread = [noisy[-1]], [np.ones(len(noisy[-1]))]
    for parents, own in zip(reversed(tree.parents), reversed(noisy[:-1]), strict=True):
        below, variances = summed(best[0], parents), summed(spread[0], parents)
        weight = (variances / (variances + 1))[:, None]
        best.insert(0, weight * own + (1 - weight) * below)
        spread.insert(0, variances / (variances + 1))
    return best, spread


def summed(values: Floats, parents: Ints) -> Floats:
    """The sum of the values of the parts of each area."""
    found = np.zeros((int(parents.max()) + 1, *values.shape[1:]))
    np.add.at(found, parents, values)
    return found


def _least_squares(tree: Tree, epsilon: float, generator: np.random.Generator) -> list[Floats]:
    return least_squares(tree, measured(tree, epsilon, generator))


def _never_negative(tree: Tree, epsilon: float, generator: np.random.Generator) -> list[Floats]:
    return never_negative(tree, measured(tree, epsilon, generator))


METHODS = {
    "bottom-up": bottom_up,
    "top-down, measurements": measured,
    "top-down, least squares": _least_squares,
    "top-down, never negative": _never_negative,
}


def errors(tree: Tree, epsilon: float, runs: int) -> dict[str, list[tuple[float, float]]]:
    """Of each method and level: root mean squared error of a cell, and mean error of cells with nobody; persons."""
    found = {}
    for name, method in METHODS.items():
        generator = np.random.default_rng(2020)
        made = [method(tree, epsilon, generator) for _ in range(runs)]
        off = [np.array([one[level] - counts for one in made]) for level, counts in enumerate(tree.counts)]
        found[name] = [
            (float(np.sqrt((error**2).mean())), float(error[:, counts == 0].mean()) if (counts == 0).any() else 0.0)
            for error, counts in zip(off, tree.counts, strict=True)
        ]
    return found


def blocks() -> dict[str, str]:
    """What is computed of the page."""
    tree = nation(PEOPLE)
    _, states, tracts, areas = (f"{len(counts):,}" for counts in tree.counts)
    empty = float((tree.counts[-1] == 0).mean())
    found = {
        "people": f"The people are simulated: {PEOPLE:,} in {states} states, {tracts} tracts and {areas} blocks; "
        f"{empty:.0%} of the cells of blocks are empty.",
        "accuracies": "; ".join(accuracies(tree)) + ".",
    }
    for epsilon in EPSILONS:
        rows = [
            (name, *(value for value, _ in levels), f"{levels[-1][1]:+.2f}")
            for name, levels in errors(tree, epsilon, RUNS).items()
        ]
        found[f"epsilon_{epsilon:g}".replace(".", "")] = table(("method", *LEVELS, "empty cells of blocks"), rows)
    return found


def accuracies(tree: Tree) -> Iterator[str]:
    """A1 and A2 of the cells of states by bottom-up, at each epsilon, of one run."""
    exact, generator = tree.counts[1], np.random.default_rng(2020)
    for epsilon in (0.01, *EPSILONS):
        off = np.abs(bottom_up(tree, epsilon, generator)[1] - exact)
        one, two = 1 - off.sum() / exact.sum(), 1 - (off**2).sum() / (exact.astype(np.float64) ** 2).sum()
        yield f"epsilon {epsilon:g}: {one:.4f} and {two:.4f}"
