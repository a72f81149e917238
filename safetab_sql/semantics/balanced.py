"""The least loss of any Gaussian noise, and of weighted tables: upper and lower bounds that meet.

A workload is cut into blocks by its symmetries, so that what looks like millions of cells is a few small matrices. The
precision of a strategy B is B^T B; here it is one matrix for each block. `cost` is everywhere the variance of the worst
query, as a share of what is wanted, times the squared sensitivity: rho is cost / 2, epsilon the root of 2 cost.

Source: Edmonds, Nikolov, Ullman 2020 (the nuclear norm); Xiao et al. 2023, ResidualPlanner (the blocks of marginals).
"""

from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.progress import SILENT, Progress, counted_rounds

_SMALLEST = 1e-10  # of a weight, where the largest is 1
_SMALLEST_VALUE = 1e-7  # of a singular value, where the largest is 1
_REMEMBERED = 6  # rounds from which the next weights are extrapolated
_FARTHEST = 1.0  # that one round moves the logarithm of a weight


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Queries that are alike but for their rows. rows: float64[n, size], over the cells of one block.

    gains: float64[1, blocks] or, where blocks have one cell, float64[n, blocks]: how much of the variance in each block
    a query has. copies: how many queries of the workload each one here stands for. is_pairs: the queries are not the
    rows but the differences of any two of them, as all ranges are differences of prefix sums.
    """

    gains: Floats
    rows: Floats
    copies: int = 1
    is_pairs: bool = False

    @property
    def count(self) -> int:
        """How many queries there are."""
        rows = len(self.rows)
        return rows * (rows - 1) // 2 if self.is_pairs else rows

    def spread(self, left: Floats, right: Floats) -> Floats:
        """The variance of each query, where the covariance of the rows is left right^T: float64[queries]."""
        if not self.is_pairs:
            return np.asarray((left * right).sum(axis=1))
        found = left @ right.T
        diagonal = np.diag(found)
        return np.asarray((diagonal[:, None] + diagonal - 2 * found)[np.triu_indices(len(found), 1)])

    def weighted(self, weights: Floats, rows: Floats) -> Floats:
        """With it, rows^T times what is returned is the sum of the squares of the queries, each with its weight."""
        if not self.is_pairs:
            return weights[:, None] * rows
        between = np.zeros((len(rows), len(rows)))
        between[np.triu_indices(len(rows), 1)] = weights
        between += between.T
        return np.asarray(between.sum(axis=1)[:, None] * rows - between @ rows)


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """A workload, cut by its symmetries. Every query wants a variance of at most 1.

    shares: float64[blocks], what precision 1 in a block adds to the diagonal of the precision matrix.
    """

    shares: Floats
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """How many cells each block has."""
        return int(self.parts[0].rows.shape[1])

    @property
    def copies(self) -> Floats:
        """How many queries of the workload each query here stands for: float64[queries]."""
        return np.concatenate([np.full(part.count, float(part.copies)) for part in self.parts])

    def variances(self, inverses: Floats) -> Floats:
        """Of every query, from the inverse of the precision in each block: float64[blocks, size, size] -> [queries]."""
        return np.concatenate([_part_variances(part, inverses) for part in self.parts])

    def moments(self, weights: Floats) -> Floats:
        """The weighted sum of the squares of the queries by block: float64[queries] -> [blocks, size, size]."""
        ends = pairwise(accumulate((part.count for part in self.parts), initial=0))
        found = [_part_moments(part, weights[start:stop]) for part, (start, stop) in zip(self.parts, ends, strict=True)]
        return np.asarray(sum(found[1:], start=found[0]))


def whole(workload: Floats, targets: Floats) -> Blocks:
    """One block, without any symmetry, for queries float64[queries, cells] that want the variances `targets`."""
    return Blocks(np.ones(1), (Part(np.ones((1, 1)), workload / np.sqrt(targets)[:, None]),))


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """cost: what is reached. least: no Gaussian noise costs less. precisions: float64[blocks, size, size]."""

    cost: float
    least: float
    precisions: Floats


def least_cost(
    blocks: Blocks,
    *,
    rounds: int = 500,
    gap: float = 1e-3,
    is_every_query_alike: bool = False,
    progress: Progress = SILENT,
) -> Optimum:
    """The best precision of all: twice the least rho is the square of the workload's factorisation norm.

    That norm is the largest nuclear norm of diag(a)^(1/2) V diag(b)^(1/2) over weights a of queries and b of cells that
    sum to 1; any weights give a lower bound, and their optimal precision gives an upper bound. Weights are multiplied
    by how much each query and cell exceeds the average, and extrapolated, until the bounds differ by less than the
    share `gap`, or for so many rounds. is_every_query_alike: for the least sum of variances, in place of the worst.
    """
    alike = blocks.copies / blocks.copies.sum()
    logs, count = np.zeros(alike.size + blocks.size), alike.size
    kept = _kept(blocks.moments(alike))
    best, path, apart = Optimum(np.inf, 0.0, np.empty(0)), Extrapolation(), [np.inf]
    for _ in counted_rounds("best noise of any shape", rounds, progress, apart):
        of_queries = alike if is_every_query_alike else normalised(logs[:count])
        of_cells = normalised(logs[count:])
        nuclear, precisions, inverses = _weighted_optimum(blocks, blocks.moments(of_queries), of_cells, kept)
        diagonal = blocks.shares @ np.diagonal(precisions, axis1=1, axis2=2)
        variances = blocks.variances(inverses)
        worst = float(alike @ variances if is_every_query_alike else variances.max())
        cost, least = float(diagonal.max()) * worst, max(best.least, nuclear**2)
        best = (
            Optimum(cost, least, precisions * worst) if cost < best.cost else Optimum(best.cost, least, best.precisions)
        )
        apart[:] = [best.cost / least - 1]
        if apart[0] <= gap:
            break
        step = np.log(np.maximum(np.concatenate([variances, diagonal]) / nuclear, _SMALLEST))
        logs = path.following(logs, step, np.concatenate([of_queries, of_cells]))
    return Optimum(best.cost, best.least, _inside(best.precisions, blocks.moments(alike), kept))


def _inside(precisions: Floats, moments: Floats, kept: Floats) -> Floats:
    """Without what rounding has put outside the space of the queries."""
    if kept.all():
        return precisions
    vectors = np.linalg.eigh(moments)[1] * kept[:, None, :]
    onto = vectors @ vectors.transpose(0, 2, 1)
    return np.asarray(onto @ precisions @ onto)


def _part_variances(part: Part, inverses: Floats) -> Floats:
    if inverses.shape[1] == 1:
        return np.asarray((part.gains @ inverses[:, 0, 0]) * part.rows[:, 0] ** 2)
    return part.spread(part.rows @ np.tensordot(part.gains[0], inverses, 1), part.rows)


def _part_moments(part: Part, weights: Floats) -> Floats:
    if part.rows.shape[1] == 1:
        return np.asarray(((weights * part.rows[:, 0] ** 2) * part.gains.T).sum(axis=1))[:, None, None]
    return np.asarray(np.multiply.outer(part.gains[0], part.rows.T @ part.weighted(weights, part.rows)))


def normalised(logs: Floats) -> Floats:
    """Weights that sum to 1, none of them 0."""
    found = np.maximum(np.exp(logs - logs.max()), _SMALLEST)
    return np.asarray(found / found.sum())


def _kept(moments: Floats) -> Floats:
    """Which eigenvalues, in rising order, are not 0, whatever the weights: bool[blocks, size]."""
    ranks = np.linalg.matrix_rank(moments, hermitian=True)
    return np.asarray(np.arange(moments.shape[1]) >= moments.shape[1] - np.atleast_1d(ranks)[:, None])


def _weighted_optimum(blocks: Blocks, moments: Floats, of_cells: Floats, kept: Floats) -> tuple[float, Floats, Floats]:
    """The nuclear norm, and the precisions of least weighted cost and their inverses: float64[blocks, size, size].

    The least of tr(b X) tr(M X^-1), M the moments, is at X = b^(-1/2) (b^(1/2) M b^(1/2))^(1/2) b^(-1/2).
    """
    roots = np.sqrt(of_cells)
    squares, vectors = np.linalg.eigh(roots[:, None] * moments * roots)
    values = np.sqrt(np.maximum(squares, 0.0))
    nuclear = float((np.sqrt(blocks.shares) * (values * kept).sum(axis=1)).sum())
    raised = np.maximum(values, _SMALLEST_VALUE * values.max(axis=1, keepdims=True))
    turned, scale = vectors.transpose(0, 2, 1), np.sqrt(blocks.shares)[:, None, None]
    precisions = (vectors * (raised * kept)[:, None, :]) @ turned / np.multiply.outer(roots, roots) / scale
    inverses = (vectors * (kept / raised)[:, None, :]) @ turned * np.multiply.outer(roots, roots) * scale
    return nuclear, precisions, inverses


class Extrapolation:
    """Speeds up weights that converge: the next are extrapolated from the last few. Source: Anderson 1965.

    Where a step is no shorter than the last one, the past is forgotten and the plain step is taken.
    """

    def __init__(self) -> None:
        self._points: list[Floats] = []
        self._steps: list[Floats] = []
        self._length = np.inf

    def following(self, point: Floats, step: Floats, mass: Floats) -> Floats:
        """The next logarithms after `point`, from which the plain method takes `step`. mass: how much each counts."""
        root, last = np.sqrt(mass), self._length
        self._length = float(np.linalg.norm(step * root))
        remembered = _REMEMBERED - 1 if self._length < last else 0
        self._points = [*self._points[max(len(self._points) - remembered, 0) :], point]
        self._steps = [*self._steps[max(len(self._steps) - remembered, 0) :], step]
        moved = step
        if len(self._steps) > 1:
            steps, points = np.diff(self._steps, axis=0), np.diff(self._points, axis=0)
            factors = np.linalg.lstsq((steps * root).T, step * root, rcond=1e-8)[0]
            moved = step - factors @ (points + steps)
        return np.asarray(point + np.clip(moved, -_FARTHEST, _FARTHEST))
