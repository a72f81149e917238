"""Intervals of what analysts compute from reconciled counts, which share noise in ways that their folder does not tell.

The error of a sum of counts is at most as wide as if all errors went the same way. Source: accuracy.md section 5.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.public.budgets import PrivacyDefinition
from safetab_sql.published.derived import Intervals, quotient_estimates, quotients

_HALF = 0.5  # person: noise is on whole numbers
_USUAL = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Reconciled:
    """Reconciled counts or sums of them, float64[n]: estimates, and at least the standard deviations, persons.

    lows, highs: ends of the 95 % intervals of single published rows; NaN elsewhere.
    """

    estimates: Floats
    deviations: Floats
    lows: Floats
    highs: Floats


def reconciled_counts(one: Reconciled, definition: PrivacyDefinition, level: Fraction) -> Intervals:
    """Counts and their intervals; at 95 %, those that stand beside single rows."""
    margins = _margins(one.deviations, definition, level)
    is_stated = ~np.isnan(one.lows) & (level == _USUAL)
    lows = np.where(is_stated, one.lows, one.estimates - margins)
    highs = np.where(is_stated, one.highs, one.estimates + margins)
    return Intervals(one.estimates, lows, highs, np.full(lows.size, np.nan))


def reconciled_differences(
    one: Reconciled, other: Reconciled, definition: PrivacyDefinition, level: Fraction
) -> Intervals:
    """One count less another, as if their errors went opposite ways."""
    margins = _margins(one.deviations + other.deviations, definition, level)
    found = one.estimates - other.estimates
    return Intervals(found, found - margins, found + margins, np.full(found.size, np.nan))


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


def _margins(deviations: Floats, definition: PrivacyDefinition, level: Fraction) -> Floats:
    """Half-widths, persons: as MOE95 of reconciled rows, at any level. Source: reconciliation.md section 7."""
    miss = float(1 - level)
    times = NormalDist().inv_cdf(1 - miss / 2) if definition == "zcdp" else log(1 / miss) / sqrt(2)
    return np.asarray(np.minimum(deviations / sqrt(miss), np.maximum(1, times * deviations + _HALF)))
