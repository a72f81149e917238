"""Budgets as exact rationals: read from text, checked against the noise they ask for, split over calls."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

PrivacyDefinition = Literal["zcdp", "puredp"]
UNITS: Mapping[PrivacyDefinition, str] = {"zcdp": "rho", "puredp": "epsilon"}
DELTA = Fraction(1, 10**10)  # of the (epsilon, delta) that follows from a loss, where parameters name no other

# A noisy count must fit into int64 (9.2e18): 1e12 leaves room for a million standard deviations.
LARGEST_STANDARD_DEVIATION = 10**12
# Above it the chance of any noise at all is too small to compute, and nobody is protected.
LARGEST_BUDGET = 10**12
# Long enough for every sensible number, and short enough that no exponent makes a rational of gigabytes.
_LONGEST_NUMBER = 50
_LARGEST_EXPONENT = 40
DECIMAL = r"^[+-]?[0-9](_?[0-9])*(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9]+)?$"


def exact_decimal(value: object) -> Fraction | None:
    """The exact value of an integer or of the text of a decimal number; None if it is neither.

    Binary floats, booleans, "nan", "inf" and "1/3" are not decimals. Readers pass the *text* of a decimal literal:
    turning a literal such as 1e999999999 into a rational directly would never end.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int):
        return Fraction(value) if abs(value) < 10**_LONGEST_NUMBER else None
    match = re.fullmatch(DECIMAL, value) if len(value) <= _LONGEST_NUMBER else None
    if match is None or abs(int((match[4] or "e0")[1:])) > _LARGEST_EXPONENT:
        return None
    return Fraction(value.replace("_", ""))


class StageBudgets(NamedTuple):
    """Budgets of the calls on one population group, in rho (zcdp) or epsilon (puredp).

    total_only: the only noisy total of a group that never gets a table. stage_1: the noisy total that picks
    the statistic, 0 where nothing picks it. stage_2: the statistic itself.
    """

    total_only: Fraction
    stage_1: Fraction
    stage_2: Fraction


def stage_budgets(level_budget: Fraction, bound: int, gamma: Fraction) -> StageBudgets:
    """Budgets of the calls on one population group; stage_1 + stage_2 == total_only exactly.

    bound: by how much what is protected can change the level, its stability where that is a record.
    Source: paper Algorithm 1, line 11; Algorithm 2, lines 9, 15 and 19.
    """
    per_group = level_budget / bound
    return StageBudgets(total_only=per_group, stage_1=gamma * per_group, stage_2=(1 - gamma) * per_group)


def noise_is_countable(level_budget: Fraction, gamma: Fraction, definition: PrivacyDefinition) -> bool:
    """Whether no call's noise has a standard deviation above 1e12 persons, at stability 1.

    The stability of a level (9 with the 2020 lists) is not known here; it widens the noise by at most a factor of
    itself, for which the distance from 1e12 to int64 leaves room. Variance of the noise at budget b: discrete Gaussian
    at most 1 / (2 b); two-sided geometric 1 / (cosh(b) - 1), at most 2 / b^2.
    """
    smallest = level_budget * (min(gamma, 1 - gamma) if gamma else 1)
    variance_bound = 1 / (2 * smallest) if definition == "zcdp" else 2 / smallest**2
    return variance_bound <= LARGEST_STANDARD_DEVIATION**2
