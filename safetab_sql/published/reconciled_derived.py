"""Margins of reconciled counts, and intervals of what analysts compute from several.

Reconciled counts share noise in ways that their folder does not tell. The error of a sum of counts is at most as wide
as if all errors went the same way. Source: accuracy.md section 5; reconciliation.md section 7.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.published.derived import Intervals, quotient_estimates, quotients
from safetab_sql.settings.budgets import PrivacyDefinition

_HALF = 0.5  # person: noise is on whole numbers
_USUAL = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Reconciled:
    """Reconciled counts or sums of them, float64[n]: estimates, and deviations that margins are made from, persons.

    deviations: see `deviations_of_rows`; of a sum, at least. lows, highs: ends of the 95 % intervals of single
    published rows; NaN elsewhere.
    """

    estimates: Floats
    deviations: Floats
    lows: Floats
    highs: Floats


def reconciled_counts(one: Reconciled, definition: PrivacyDefinition, level: Fraction) -> Intervals:
    """Counts and their intervals; at 95 %, those that stand beside single rows."""
    reached = margins(one.deviations, definition, level)
    is_stated = ~np.isnan(one.lows) & (level == _USUAL)
    lows = np.where(is_stated, one.lows, one.estimates - reached)
    highs = np.where(is_stated, one.highs, one.estimates + reached)
    return Intervals(one.estimates, lows, highs, np.full(lows.size, np.nan))


def reconciled_differences(
    one: Reconciled, other: Reconciled, definition: PrivacyDefinition, level: Fraction
) -> Intervals:
    """One count less another, as if their errors went opposite ways."""
    reached = margins(one.deviations + other.deviations, definition, level)
    found = one.estimates - other.estimates
    return Intervals(found, found - reached, found + reached, np.full(found.size, np.nan))


def reconciled_ratios(one: Reconciled, other: Reconciled, definition: PrivacyDefinition, level: Fraction) -> Intervals:
    """One count by another: all ratios of what two intervals allow, each with half the chance to miss.

    Infinite above where the other count may be 0; NaN where there is no count.
    """
    half = (1 + level) / 2
    first, second = (reconciled_counts(each, definition, half) for each in (one, other))
    lows, highs = quotients((first.lows, first.highs), (second.lows, second.highs))
    none = np.isnan(one.estimates) | np.isnan(other.estimates)
    lows, highs = (np.where(none, np.nan, ends) for ends in (lows, highs))
    return Intervals(quotient_estimates(one.estimates, other.estimates), lows, highs, np.full(lows.size, np.nan))


def width(definition: PrivacyDefinition, level: Fraction = _USUAL) -> float:
    """Half-width of the interval of a weighted sum of many wide noises, in standard deviations.

    For discrete Gaussian noises, the value of the normal law. For two-sided geometric noises, the value of one Laplace
    noise, which exceeds log(20) scales with chance 1/20; a sum of several Laplace noises exceeds as many of its
    standard deviations less often.
    """
    miss = float(1 - level)
    return NormalDist().inv_cdf(1 - miss / 2) if definition == "zcdp" else log(1 / miss) / sqrt(2)


def margins(deviations: Floats, definition: PrivacyDefinition, level: Fraction = _USUAL) -> Floats:
    """Half-widths, persons: a number of standard deviations plus half a person and at least one person, or less.

    Because noise is in whole numbers: if one noise dominates, the error takes only a few values. Without this, 77 %
    would be covered in the worst case (a standard deviation of 0.25 persons), and 94 % at 1 person. If the bound of
    Chebyshev's inequality is smaller, it is used. Source: reconciliation.md section 7.
    """
    chebyshev = deviations / sqrt(float(1 - level))
    return np.asarray(np.minimum(chebyshev, np.maximum(1, width(definition, level) * deviations + _HALF)))


def deviations_of_rows(variances: Floats, moe95s: Floats, definition: PrivacyDefinition) -> Floats:
    """At least the standard deviations, persons, from which `margins` makes MOE95 of reconciled rows.

    Near a limit of what stage 1 chose, VARIANCE is too small for margins, and MOE95 was made from a larger one; where
    suppression chose a total that stays as released, MOE95 is wider than its noise.
    """
    reached = np.where(moe95s < 1, moe95s * sqrt(1 - _USUAL), (moe95s - _HALF) / width(definition))
    return np.maximum(np.sqrt(variances), reached)
