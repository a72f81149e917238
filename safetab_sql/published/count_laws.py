"""The exact law of the noise of a published count: one draw, or a sum of draws where it is fitted to several tables.

A fitted count is its exact count plus a fixed combination of independent draws, in whole numbers of `parts` of a person
(public/measured.py). All that is said of it follows from that combination. Source: tabulation.md section 5.10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from safetab_sql.accounting.plan import MechanismCall
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.public.measured import Measurement
from safetab_sql.published.intervals import (
    Terms,
    chance_within,
    chances_by_step,
    chances_of,
    fitted_terms,
    scaled_margin,
    tails,
    variance_of_terms,
)


@dataclass(frozen=True, slots=True)
class FittedLaw:
    """The law of a fitted count: the sum of `terms`, in parts of a person, of which `parts` make one."""

    terms: Terms
    parts: int


CountLaw: TypeAlias = Law | FittedLaw


def variance_of(law: CountLaw) -> Fraction:
    """The variance of the noise, persons squared."""
    return variance_of_terms(law.terms) / law.parts**2 if isinstance(law, FittedLaw) else variance(law)


def moe95_of(law: CountLaw) -> float:
    """The half-width of the published 95 % margin of error, persons."""
    return scaled_margin(law.terms) / law.parts if isinstance(law, FittedLaw) else float(margin_of_error(law))


def chance_of_moe95(law: CountLaw) -> float:
    """The chance that the noise is within `moe95_of`: at least 95 %, because noise is in whole numbers."""
    if isinstance(law, FittedLaw):
        return chance_within(law.terms, scaled_margin(law.terms))
    return 1 - 2 * float(tails(law, np.array([margin_of_error(law)]))[0])


def draws_of(law: CountLaw) -> tuple[Law, ...]:
    """The laws of the draws that the noise is made of."""
    return tuple(term.law for term in law.terms) if isinstance(law, FittedLaw) else (law,)


def chances_in_persons(law: CountLaw) -> tuple[Int64s, Floats]:
    """Whole persons, ascending, and the chance of each: of the noise, where it is fitted rounded to whole persons.

    A count that is rounded so moves by one where its exact count does. Halves are rounded up.
    """
    return chances_by_step(law.terms, law.parts) if isinstance(law, FittedLaw) else chances_of(law)


def laws_of_sums(
    measurement: Measurement | None, calls: Sequence[MechanismCall], sums: Sequence[Sequence[int]]
) -> list[CountLaw]:
    """The law of each of some sums of cells of a group: of one cell each, where the cells are measured alone.

    measurement: of the statistic; None where its cells are measured alone. calls: `LevelCalls.of_table`.
    """
    if measurement is None:
        return [calls[-1].law] * len(sums)
    return [FittedLaw(fitted_terms(measurement, calls, cells), measurement.parts) for cells in sums]


def covariance(measurement: Measurement, calls: Sequence[MechanismCall]) -> Floats:
    """The covariance of the fitted cells of a group: float64[cells, cells], persons squared."""
    spread = np.array([float(variance(call.law)) for call in calls])[measurement.table_of_draws]
    weights = measurement.weights / measurement.parts
    return np.asarray((weights * spread) @ weights.T)


def shared_noise(
    measurement: Measurement | None, calls: Sequence[MechanismCall], sums: Sequence[Sequence[int]]
) -> Floats:
    """How much some sums of cells of a group share of their noise, one with all of them: float64[sums], at least 1.

    n sums whose entries add up to s tell as much of their law as n^2 / s independent ones, at least. With correlations
    r, functions of two near normal sums have correlations that are series in r: none is larger than the first two
    terms allow. Source: evaluation.md section 2.4.
    """
    if measurement is None:
        return np.ones(len(sums))
    places = np.zeros((len(sums), measurement.cells))
    for place, cells in enumerate(sums):
        places[place, list(cells)] = 1
    spread = places @ covariance(measurement, calls) @ places.T
    deviations = np.sqrt(np.diag(spread))
    correlations = spread / np.outer(deviations, deviations)
    return np.asarray(np.maximum(correlations.sum(axis=1), (correlations**2).sum(axis=1)))
