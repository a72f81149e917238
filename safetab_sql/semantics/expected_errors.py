"""Expected errors of stated uses: by the table that a group gets, and over the tables that noise may pick for it.

A use is a weighted sum of the cells of a table, in a matrix with one row a count that is wanted. Its variance is the
one of least squares from all measurements of the group, and is proportional to 1/rho or 1/epsilon^2 of the group.
Variances and chances are of the continuous Gaussian and Laplace laws; integer noise has no larger variances.
Source: accounting.md section 5.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import erf, log, sqrt

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.settings.budgets import PrivacyDefinition

MARGIN = 1.959963984540054  # standard deviations: what a wanted 95 % margin is divided by
_EXACT, _WIDTH = 50, 0.04  # sizes below are kept apart; of others, logarithms within this are taken together
_SPREAD = 0.22  # of the logarithm of a size, to both sides
_FINER = 60  # times as fine next to where uses begin


@dataclass(frozen=True, slots=True)
class Sizes:
    """The groups of a level by size. people: float64[n], rising. groups: float64[n], how many have so many people."""

    people: Floats
    groups: Floats


def about_sizes(people: Int64s, groups: Int64s, starts: Sequence[int] = ()) -> Sizes:
    """Sizes as they may be of other people: each of 50 and more spread evenly, by its logarithm, 25 % to both sides.

    What is found for them then does not hang on single groups, whose sizes are from a simulation or an earlier count.
    people: int64[n]. groups: int64[n], how many groups have each size. starts: where uses begin or end: sizes
    next to them are told apart more finely, for there a threshold must tell them apart.
    """
    is_small = people < _EXACT
    large, number = np.log(np.maximum(people[~is_small], 1)), groups[~is_small].astype(float)
    edges = _edges(float(people.max(initial=0)), starts)
    below = np.array([(number * np.clip((edge - large) / (2 * _SPREAD) + 0.5, 0, 1)).sum() for edge in edges])
    spread = np.diff(below)
    sizes = np.concatenate([people[is_small], np.exp((edges[1:] + edges[:-1]) / 2)])
    return Sizes(sizes, np.concatenate([groups[is_small], spread]))


def _edges(largest: float, starts: Sequence[int]) -> Floats:
    """Between which sizes are taken together, in logarithms, rising."""
    first, last = log(_EXACT) - _SPREAD, log(max(largest, _EXACT)) + _SPREAD + _WIDTH
    edges = np.arange(first, last + _WIDTH, _WIDTH)
    for start in (log(each) for each in starts if each >= _EXACT):
        near = np.linspace(start - _WIDTH, start + _WIDTH, 2 * _FINER + 1)
        edges = np.concatenate([edges[np.abs(edges - start) > _WIDTH * (1 + 1e-9)], near[near <= last + _WIDTH]])
    return np.unique(edges)


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
