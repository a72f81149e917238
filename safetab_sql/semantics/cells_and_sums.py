"""Strategies of every cell and a few weighted sums, under pure DP: McKenna et al. 2018, HDMM, "p-Identity".

B is [I; T] with columns divided by their sums 1 + sum T, T >= 0 of a few rows; so one record changes the answers by 1.
The variance of the worst query is made small: by a norm of high power in its place, a quasi-Newton method (L-BFGS, Liu
and Nocedal 1989) and powers that rise. The problem is not convex: what is found is attainable, no proved optimum.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.progress import SILENT, Progress, counted_rounds
from safetab_sql.semantics.balanced import Part

_POWERS = (8.0, 64.0, 512.0, 4096.0)
_MEMORY, _STEPS, _TRIALS, _ENOUGH = 12, 300, 30, 1e-8
_GOLDEN = 0.6180339887498949

Slope = Callable[[Floats], tuple[float, Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class CellsAndSums:
    """sums: float64[few, cells], T. cost: the variance of the worst query, for noise of variance 1."""

    sums: Floats
    cost: float

    @property
    def matrix(self) -> Floats:
        """What is measured: float64[cells + few, cells]; one record changes the answers by at most 1."""
        cells = self.sums.shape[1]
        return np.asarray(np.vstack([np.eye(cells), self.sums]) / (1 + self.sums.sum(axis=0)))


def cells_and_sums(asked: Part, few: int, *, progress: Progress = SILENT) -> CellsAndSums:
    """The best sums found for queries over cells without symmetries that each want a variance of at most 1."""
    cells = asked.rows.shape[1]
    point = np.sqrt((np.arange(1, few * cells + 1) * _GOLDEN) % 1.0)
    best = CellsAndSums(point.reshape(few, cells) ** 2, np.inf)
    for number in counted_rounds("cells and weighted sums", len(_POWERS), progress, [np.inf]):
        point = descended(partial(_slope, asked, few, _POWERS[number]), point)
        sums = point.reshape(few, cells) ** 2
        cost = float(_variances(asked, sums)[0].max())
        best = CellsAndSums(sums, cost) if cost < best.cost else best
    return best


def _variances(asked: Part, sums: Floats) -> tuple[Floats, Floats]:
    """Of every query, for noise of variance 1, float64[queries]; and each row by cell after least squares.

    (I + T'T)^-1 = I - T' (I + T T')^-1 T.
    """
    scaled = asked.rows * (1 + sums.sum(axis=0))
    answers = scaled - (scaled @ sums.T) @ np.linalg.inv(np.eye(len(sums)) + sums @ sums.T) @ sums
    return asked.spread(answers, scaled), answers


def _slope(asked: Part, few: int, power: float, point: Floats) -> tuple[float, Floats]:
    """The logarithm of the norm of all variances, and its derivatives by the roots of T."""
    roots = point.reshape(few, -1)
    sums = roots**2
    variances, answers = _variances(asked, sums)
    shares = (variances / variances.max()) ** power
    norm = np.log(variances.max()) + np.log(shares.sum()) / power
    weighted = asked.weighted(shares / shares.sum() / variances, answers)
    by_sums = 2 * (weighted * asked.rows).sum(axis=0) - 2 * (sums @ answers.T) @ weighted
    return float(norm), (by_sums * 2 * roots).ravel()


def descended(slope: Slope, point: Floats) -> Floats:
    """A point of small value, by L-BFGS from `point`; each step falls, and flattens the slope (Lewis, Overton 2013)."""
    value, gradient = slope(point)
    moves: list[tuple[Floats, Floats]] = []
    direction = -gradient / max(float(np.abs(gradient).sum()), 1e-300)
    for _ in range(_STEPS):
        change, after, turned = _step(slope, point, value, gradient, direction)
        if after > value - _ENOUGH:
            if not moves:
                break
            moves, direction = [], -gradient / max(float(np.abs(gradient).sum()), 1e-300)
            continue
        turn = turned - gradient
        if change @ turn > 0:
            moves = [*moves, (change, turn)][-_MEMORY:]
        point, value, gradient = point + change, after, turned
        direction = -_newton(gradient, moves)
    return point


def _step(
    slope: Slope, point: Floats, value: float, gradient: Floats, direction: Floats
) -> tuple[Floats, float, Floats]:
    """A step along `direction`, the value after it and the gradient there."""
    fall, least, most, step = float(direction @ gradient), 0.0, np.inf, 1.0
    after, turned = slope(point + direction)
    for _ in range(_TRIALS):
        if after > value + 1e-4 * step * fall:
            most = step
        elif turned @ direction < 0.9 * fall:
            least = step
        else:
            break
        step = (least + most) / 2 if most < np.inf else 2 * least
        after, turned = slope(point + step * direction)
    return step * direction, after, turned


def _newton(gradient: Floats, moves: list[tuple[Floats, Floats]]) -> Floats:
    """The gradient times about the inverse of the second derivatives, as the last moves show them."""
    found, factors = gradient.copy(), []
    for change, turn in reversed(moves):
        factor = float(change @ found) / float(change @ turn)
        factors.append(factor)
        found -= factor * turn
    if moves:
        change, turn = moves[-1]
        found *= float(change @ turn) / float(turn @ turn)
    for (change, turn), factor in zip(moves, reversed(factors), strict=True):
        found += change * (factor - float(turn @ found) / float(change @ turn))
    return found
