"""Expected errors of stated uses: by the table that a group gets, and over the tables that noise may pick for it.

A use is a weighted sum of the cells of a table, in a matrix with one row a count that is wanted. Its variance is the
one of least squares from all measurements of the group, and is proportional to 1/rho or 1/epsilon^2 of the group.
Variances and chances are of the continuous Gaussian and Laplace laws; integer noise has no larger variances.
Source: accounting.md section 5.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import erf, sqrt

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.settings.budgets import PrivacyDefinition

MARGIN = 1.959963984540054  # standard deviations: what a wanted 95 % margin is divided by
_EXACT, _RATIO = 50, np.log(1.02)  # sizes below are kept apart; others are taken together within this ratio


@dataclass(frozen=True, slots=True)
class Sizes:
    """The groups of a level by size. people: float64[n], rising. groups: float64[n], how many have so many people."""

    people: Floats
    groups: Floats


def together(people: Int64s, groups: Int64s) -> Sizes:
    """Sizes within 2 % of one another as one, their mean: some hundred of them. people: int64[n], rising; groups."""
    where = np.where(people < _EXACT, people, _EXACT + np.floor(np.log(np.maximum(people, 1) / _EXACT) / _RATIO))
    starts = np.flatnonzero(np.concatenate([[True], np.diff(where) != 0])) if people.size else np.zeros(0, dtype=int)
    number = np.add.reduceat(groups, starts).astype(float) if people.size else np.zeros(0)
    sums = np.add.reduceat(people * groups, starts) if people.size else np.zeros(0)
    return Sizes(sums / np.maximum(number, 1), number)


@dataclass(frozen=True, slots=True)
class UseAtLevel:
    """A use of the groups of one level.

    queries: by table, the total alone first: float64[counts, cells], or None where the table does not serve the use.
    shares: float64[sizes], of the groups that are meant, how many have the size; 0 where nobody is meant. per_variance:
    float64[sizes], 1 / (wanted standard deviation)^2. nothing: float64[sizes], the squared error of a table that does
    not serve the use, by the square of the wanted deviation; of totals also the error of one that is suppressed.
    """

    name: str
    level: str
    weight: float
    queries: tuple[Floats | None, ...]
    shares: Floats
    per_variance: Floats
    nothing: Floats

    @property
    def is_of_some(self) -> bool:
        """Whether there is a group that is meant."""
        return bool(self.shares.any())


def unit_variance(definition: PrivacyDefinition, budget: float) -> float:
    """The variance of a count with this budget: 1 / (2 rho), 2 / epsilon^2."""
    return 1 / (2 * budget) if definition == "zcdp" else 2 / budget**2


def query_variance(queries: Floats, cell: float, sums: Sequence[tuple[Floats, float]] = ()) -> float:
    """The mean variance of sums of cells, by least squares. queries: float64[counts, cells], weights.

    cell: the variance of a measured cell. sums: what is measured beside the cells, independently: float64[rows, cells]
    and the variance of each row. By Woodbury's identity only a matrix of these rows is inverted.
    """
    own = cell * (queries**2).sum(axis=1)
    if not sums:
        return float(own.mean())
    rows = np.vstack([each for each, _ in sums])
    noise = np.repeat([variance for _, variance in sums], [len(each) for each, _ in sums])
    moved = queries @ rows.T
    inner = np.diag(noise) + cell * (rows @ rows.T)
    gained = cell**2 * (moved * np.linalg.solve(inner, moved.T).T).sum(axis=1)
    return float((own - gained).mean())


@cache
def _normal() -> tuple[Floats, Floats]:
    places = np.linspace(-8.5, 8.5, 8501)
    return places, np.array([0.5 * (1 + erf(place / sqrt(2))) for place in places])


def at_least(definition: PrivacyDefinition, away: Floats, budget: float) -> Floats:
    """P(noise >= away) with this budget, of any shape. Source: mechanisms.md section 1, for whole numbers."""
    if definition == "zcdp":
        places, chances = _normal()
        return np.asarray(np.interp((0.5 - away) * sqrt(2 * budget), places, chances))
    decay = np.exp(-budget * np.abs(away)) / (1 + np.exp(-budget))
    return np.asarray(np.where(away > 0, decay, 1 - decay * np.exp(-budget)))
