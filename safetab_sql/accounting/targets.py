"""From wanted 95 % margins of error to budgets: the paper's formulas, the values its tables print, and exact ones."""

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.settings.budgets import PrivacyDefinition, stage_budgets

Rule = Literal["exact", "paper"]

_DIGITS = 4  # significant digits of an exact level budget, which is at most a thousandth larger than necessary
_TABLE_LOG_20 = Fraction("2.99")
_TABLE_SQUARE = Fraction("1.9208")


def table_call_budget(definition: PrivacyDefinition, moe: int) -> Fraction:
    """The budget of a call in the paper's Tables 1 and 4, as recovered from the numbers that they print.

    rho: 1.9208 / moe^2 (1.96^2 / 2, which eq. 37 prints as 1.92) to 4 decimals. epsilon: 2.99 / (moe + 1) (which
    eq. 38 prints as log(20), 2.9957) to 3 decimals. Both to the nearest. May be 0 for a large `moe`.
    """
    if definition == "zcdp":
        return Fraction(round(_TABLE_SQUARE / moe**2 * 10**4), 10**4)
    return Fraction(round(_TABLE_LOG_20 / (moe + 1) * 10**3), 10**3)


def level_budget(call_budget: Fraction, bound: int, gamma: Fraction) -> Fraction:
    """The budget of a level whose stage-2 calls have `call_budget` each: bound * call_budget / (1 - gamma).

    Source: paper Appendix F, whose text prints 1 / gamma; its numbers use 1 / (1 - gamma), as does Algorithm 2.
    """
    return bound * call_budget / (1 - gamma)


def paper_level_budget(definition: PrivacyDefinition, moe: int, bound: int, gamma: Fraction) -> Fraction:
    """The level budget of the paper's Tables 1 and 4, column "total"; rounded up to 12 decimals if it has more."""
    budget = level_budget(table_call_budget(definition, moe), bound, gamma)
    return Fraction(-(-budget * 10**12 // 1), 10**12)


def exact_level_budget(definition: PrivacyDefinition, moe: int, bound: int, gamma: Fraction) -> Fraction:
    """The smallest level budget of 4 significant digits whose stage-2 noise has an exact MOE95 of at most `moe`.

    moe: persons, >= 0.
    """

    def is_enough(budget: Fraction) -> bool:
        call = stage_budgets(budget, bound, gamma).stage_2
        return margin_of_error(noise_law(definition, call)) <= moe

    exponent = _first(0, lambda power: is_enough(_power_of_ten(power)))
    unit = _power_of_ten(exponent - _DIGITS)
    return unit * _bisect(10 ** (_DIGITS - 1), 10**_DIGITS, lambda count: is_enough(count * unit))


def _power_of_ten(exponent: int) -> Fraction:
    return Fraction(10) ** exponent


def _first(start: int, is_enough: Callable[[int], bool]) -> int:
    """The smallest integer that is enough; `is_enough` is monotone."""
    number = start
    while is_enough(number):
        number -= 1
    while not is_enough(number):
        number += 1
    return number


def _bisect(short: int, enough: int, is_enough: Callable[[int], bool]) -> int:
    """The smallest integer above `short` that is enough, where `short` is not and `enough` is."""
    while enough - short > 1:
        middle = (short + enough) // 2
        if is_enough(middle):
            enough = middle
        else:
            short = middle
    return enough
