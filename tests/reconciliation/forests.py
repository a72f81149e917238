"""Small random releases as forests, and their least-squares estimates by explicit matrices: slow, obviously right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from scipy.linalg import block_diag

from safetab_sql.reconciliation.forest import TOTAL, Combined, Groups, RegionTree, Statistics, statistics

# Stat levels 1, 2, 3 with two, three and five ages: small enough for explicit matrices, and no two alike.
MALE, FEMALE = -2, -3
AGES = {1: (0, 18), 2: (0, 18, 65), 3: (0, 5, 18, 30, 65)}


def small_statistics() -> Statistics:
    return sex_by_age(AGES)


def sex_by_age(ages: Mapping[int, Sequence[int]]) -> Statistics:
    """Sex by the age groups of each stat level from 1, with rows for each cell, each sex and the total."""
    finest = max(ages.values(), key=len)
    cells = [np.zeros(2 * len(finest), dtype=np.int64)]
    rows: list[Mapping[int, Sequence[int]]] = [{TOTAL: [0]}]
    for starts in ages.values():
        groups = np.searchsorted(starts, finest, side="right") - 1
        size = len(starts)
        cells.append(np.concatenate([groups, groups + size]))
        sexes = {MALE: range(size), FEMALE: range(size, 2 * size), TOTAL: range(2 * size)}
        rows.append({**{cell: [cell] for cell in range(2 * size)}, **sexes})
    found = statistics(cells, rows)
    assert found is not None
    return found


@dataclass(frozen=True, slots=True)
class Drawn:
    """A tree of regions and what was published of them. atoms[r]: which indivisible pieces region r is made of."""

    tree: RegionTree
    groups: Groups
    atoms: list[list[int]]


def drawn_tree(random: Random, *, fan: int = 3, second: bool = False) -> tuple[RegionTree, list[list[int]]]:
    """A nation, states, counties and tracts; with `second`, also districts that divide states another way."""
    names = ["tract", "county", "district", "state", "nation"] if second else ["tract", "county", "state", "nation"]
    number = {name: place for place, name in enumerate(names)}
    types: list[int] = []
    parents: list[int] = []
    atoms: list[list[int]] = []
    size = 0

    def region(name: str, parent: int, its_atoms: list[int]) -> int:
        types.append(number[name])
        parents.append(parent)
        atoms.append(its_atoms)
        return len(types) - 1

    nation = region("nation", -1, [])
    for _ in range(random.randint(1, fan)):
        state = region("state", nation, [])
        tracts = [random.randint(1, fan) for _ in range(random.randint(1, fan))]
        districts = random.randint(1, fan) if second else 1
        pieces = {
            (place, d): size + i
            for i, (place, d) in enumerate((p, d) for p in range(sum(tracts)) for d in range(districts))
        }
        size += len(pieces)
        atoms[state] += list(pieces.values())
        atoms[nation] += list(pieces.values())
        first = 0
        for many in tracts:
            county = region("county", state, [atom for (p, _), atom in pieces.items() if first <= p < first + many])
            for place in range(first, first + many):
                region("tract", county, [atom for (p, _), atom in pieces.items() if p == place])
            first += many
        if second:
            for district in range(districts):
                region("district", state, [atom for (_, d), atom in pieces.items() if d == district])
    parent_of = {"tract": "county", "county": "state", "district": "state", "state": "nation"}
    parent_types = tuple(number[parent_of[name]] if name in parent_of else -1 for name in names)
    return RegionTree(parent_types, np.array(types), np.array(parents)), atoms


def drawn_release(
    seed: int, *, iterations: int = 2, missing: float = 0.1, fan: int = 3, second: bool = False, survived: float = 0
) -> Drawn:
    """A random release of a random tree; each group is missing with chance `missing`.

    survived: chance that a total alone is there because it survived suppression.
    """
    random = Random(seed)
    tree, atoms = drawn_tree(random, fan=fan, second=second)
    cells = small_statistics().cells
    rows = [
        (iteration, region, random.choice([0, 0, 1, 2, 3]), random.choice([0.5, 2.0, 30.0, 625.0]))
        for iteration in range(iterations)
        for region in range(len(atoms))
        if random.random() >= missing
    ]
    sizes = [cells[level] for _, _, level, _ in rows]
    counts = [random.gauss(50, 20) for _ in range(sum(sizes))]
    are_evidence = [row[2] > 0 or random.random() >= survived for row in rows]
    return Drawn(
        tree,
        Groups(
            iterations=np.array([row[0] for row in rows], dtype=np.int64),
            regions=np.array([row[1] for row in rows], dtype=np.int64),
            stat_levels=np.array([row[2] for row in rows], dtype=np.int8),
            variances=np.array([row[3] for row in rows], dtype=np.float64),
            first_counts=np.cumsum([0, *sizes[:-1]]) if rows else np.zeros(0, dtype=np.int64),
            counts=np.array(counts, dtype=np.float64),
            are_evidence=np.array(are_evidence, dtype=np.bool_),
        ),
        atoms,
    )


def published_rows(level: int) -> np.ndarray:
    """What is published of a group, as sums of its cells: cells, then sexes and total (a total is one cell)."""
    cells = small_statistics().cells[level]
    if level == 0:
        return np.ones((1, 1))
    sexes = np.kron(np.eye(2), np.ones(cells // 2))
    return np.vstack([np.eye(cells), sexes, np.ones(cells)])


def dense_answer(drawn: Drawn, of: str = "variances") -> list[tuple[np.ndarray, np.ndarray]]:
    """Estimates and variances of the published rows of each group, by the pseudo-inverse of the normal matrix.

    of: which variances of Combined the sums have.
    """
    groups, known = drawn.groups, small_statistics()
    finest = known.cells[3]
    width = 1 + max(max(atoms) for atoms in drawn.atoms)
    answer: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for iteration in set(groups.iterations.tolist()):
        places = np.flatnonzero(groups.iterations == iteration)
        told = [place for place in places if groups.are_evidence[place]]
        designs = {}
        for place in places:
            level = int(groups.stat_levels[place])
            coarsening = np.zeros((known.cells[level], finest))
            for row, first in enumerate(known.starts[3][level]):
                last = [*known.starts[3][level][1:], finest][row]
                coarsening[row, first:last] = 1
            pieces = np.zeros(width)
            pieces[drawn.atoms[groups.regions[place]]] = 1
            designs[place] = np.kron(pieces, coarsening)
        whitening = {place: np.linalg.inv(np.linalg.cholesky(_covariance(groups, known, place))) for place in told}
        design = np.vstack([whitening[place] @ designs[place] for place in told])
        counts = np.concatenate([whitening[place] @ _counts(groups, known, place) for place in told])
        real = [whitening[place] @ _covariance(groups, known, place, of) @ whitening[place].T for place in told]
        inverse = np.linalg.pinv(design, rcond=1e-11)
        for place in places:
            row = published_rows(int(groups.stat_levels[place])) @ designs[place]
            wanted = row @ inverse
            below = [designs[other] for other in told if _is_below(drawn, other, place)]
            answer[place] = (wanted @ counts, np.diag(wanted @ block_diag(*real) @ wanted.T))
            if groups.are_evidence[place]:
                continue
            span = np.vstack(below or [0 * row])
            is_known = np.abs(row @ np.linalg.pinv(span, rcond=1e-11) @ span - row).max() < 1e-9
            if not is_known or answer[place][1][0] >= groups.variances[place]:  # it stays as released
                answer[place] = (_counts(groups, known, place), groups.variances[place : place + 1])
    return [answer[place] for place in range(groups.iterations.size)]


def _covariance(groups: Groups, known: Statistics, place: int, of: str = "margin_variances") -> np.ndarray:
    """Of the counts of a group: that of weights, or the one that they have."""
    cells = known.cells[groups.stat_levels[place]]
    alone = groups.variances[place] * np.eye(cells)
    if groups.combined is None:
        return alone
    return alone + (getattr(groups.combined, of)[place] - cells * groups.variances[place]) / cells**2


def with_stage_1(drawn: Drawn, seed: int) -> Drawn:
    """The release with sums made better by stage 1, most of them by more than their weights say."""
    random, groups = np.random.default_rng(seed), drawn.groups
    alone = np.array(small_statistics().cells)[groups.stat_levels] * groups.variances
    better = groups.are_evidence & (random.random(alone.size) < 0.7)
    variances = np.where(better, alone * random.uniform(0.2, 0.9, alone.size), alone)
    margins, none = np.minimum(alone, variances * random.uniform(1, 3, alone.size)), np.full(alone.size, np.nan)
    return replace(drawn, groups=replace(groups, combined=Combined(variances, margins, 0 * alone, none, none, better)))


def _is_below(drawn: Drawn, one: int, other: int) -> bool:
    """Whether the region of group `one` is a part, or a part of a part, of that of group `other`."""
    region, regions = int(drawn.tree.parents[drawn.groups.regions[one]]), drawn.groups.regions
    while region not in (-1, int(regions[other])):
        region = int(drawn.tree.parents[region])
    return region >= 0


def _counts(groups: Groups, known: Statistics, place: int) -> np.ndarray:
    first = groups.first_counts[place]
    return groups.counts[first : first + known.cells[groups.stat_levels[place]]]
