"""From what is wanted to budgets.

Of wanted 95 % margins of error: the paper's formulas, the values its tables print, and exact ones. Of a wanted
(epsilon, delta): the largest budgets that keep within it, under every accountant that proves it.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import isinf
from typing import Literal

from safetab_sql.accounting.accountants import GroupCalls, formula_totals, loss_distribution_total
from safetab_sql.accounting.conversions import Total, totals_of_a_loss
from safetab_sql.laws.noise import margin_of_error, noise_law
from safetab_sql.settings.budgets import PrivacyDefinition, StageBudgets, stage_budgets

Rule = Literal["exact", "paper"]

_EXACT_DIGITS = 4  # significant digits of an exact level budget, which is at most a thousandth larger than necessary
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
    """The budget of a level whose stage-2 calls have `call_budget` each. Appendix F prints 1 / gamma, and uses this."""
    return bound * call_budget / (1 - gamma)


def paper_level_budget(definition: PrivacyDefinition, moe: int, bound: int, gamma: Fraction) -> Fraction:
    """The level budget of the paper's Tables 1 and 4, column "total"; rounded up to 12 decimals if it has more."""
    budget = level_budget(table_call_budget(definition, moe), bound, gamma)
    return Fraction(-(-budget * 10**12 // 1), 10**12)


def exact_level_budget(definition: PrivacyDefinition, moe: int, bound: int, gamma: Fraction) -> Fraction:
    """The smallest level budget of 4 significant digits whose stage-2 noise has an exact MOE95 of at most `moe`."""

    def is_enough(budget: Fraction) -> bool:
        return margin_of_error(noise_law(definition, stage_budgets(budget, bound, gamma).stage_2)) <= moe

    exponent = 0
    while is_enough(Fraction(10) ** exponent):
        exponent -= 1
    while not is_enough(Fraction(10) ** exponent):
        exponent += 1
    unit = Fraction(10) ** (exponent - _EXACT_DIGITS)
    counts = range(10 ** (_EXACT_DIGITS - 1) + 1, 10**_EXACT_DIGITS + 1)
    return unit * counts[bisect_left(counts[:-1], True, key=lambda count: is_enough(count * unit))]


_STEPS = 10**5  # a total is found to five significant digits, always from below
_FURTHEST = 60  # doublings or halvings of the budgets that are asked about


@dataclass(frozen=True, slots=True)
class LargestBudget:
    """The largest budgets that one accountant certifies, in the proportions that were given.

    factor: what each given budget is multiplied by; None where the accountant cannot say, with the reason in `why`.
    epsilon: the certified bound with that factor, at most the wanted one.
    """

    rule: str
    factor: Fraction | None
    epsilon: float | None
    why: str = ""


def largest_budgets(
    definition: PrivacyDefinition, calls: Mapping[str, Sequence[GroupCalls]], epsilon: Fraction, delta: Fraction
) -> tuple[LargestBudget, ...]:
    """The largest budgets with a bound of at most (epsilon, delta), by accountant, the one that is quoted first.

    Then come the others, the largest first. calls: of one record in each part; a record is in one part. The bound is
    computed anew for the very factor that is returned, so it holds whether or not the accountant's floats grow steadily
    with the budgets. Accountants that give no upper bound are left out. Source: accounting.md section 5.2.
    """

    def formulas(factor: Fraction) -> list[Total]:
        by_part = [formula_totals(definition, _scaled(own, factor), delta) for own in calls.values()]
        bounds = [[total for total in totals if not total.caveat] for totals in by_part]
        return [max(totals, key=lambda total: total.size) for totals in zip(*bounds, strict=True)]

    def by_distribution(factor: Fraction) -> Total:
        scaled = [_scaled(own, factor) for own in calls.values()]
        known = [formula_totals(definition, own, delta) for own in scaled]
        totals = [loss_distribution_total(definition, each, delta, of) for each, of in zip(scaled, known, strict=True)]
        return max(totals, key=lambda total: total.size)

    found = _by_rules(formulas, epsilon)
    if known := [one.factor for one in found if one.factor is not None]:
        found.append(_largest(by_distribution, epsilon, max(known)))
    return _quoted_first(found)


def largest_budgets_of_a_loss(
    definition: PrivacyDefinition, loss: Fraction, epsilon: Fraction, delta: Fraction
) -> tuple[LargestBudget, ...]:
    """The same for a loss in rho or epsilon of which no more is known, such as the loss of a person with two records.

    Of pure DP the bound is epsilon itself; of zCDP it is by the conversions of rho.
    """
    return _quoted_first(_by_rules(lambda factor: totals_of_a_loss(definition, loss * factor, delta), epsilon))


def _quoted_first(found: Sequence[LargestBudget]) -> tuple[LargestBudget, ...]:
    return (found[0], *sorted(found[1:], key=lambda one: one.factor or Fraction(0), reverse=True))


def _by_rules(totals: Callable[[Fraction], Sequence[Total]], epsilon: Fraction) -> list[LargestBudget]:
    """The largest budgets by each rule. totals: what the rules say of a factor, always in one order."""
    kept, one = cache(totals), Fraction(1)
    rules = [partial(lambda place, factor: kept(factor)[place], place) for place in range(len(kept(one)))]
    return [_largest(rule, epsilon, one) for rule in rules]


def _scaled(calls: Sequence[GroupCalls], factor: Fraction) -> tuple[GroupCalls, ...]:
    return tuple(GroupCalls(call.groups, StageBudgets(*(each * factor for each in call.budgets))) for call in calls)


def _largest(bound: Callable[[Fraction], Total], epsilon: Fraction, start: Fraction) -> LargestBudget:
    """The largest factor, to five digits, whose bound is at most epsilon; `start` is where the search begins."""
    total = cache(bound)
    first = total(start)
    if first.epsilon is None:
        return LargestBudget(first.rule, None, None, first.caveat)
    if first.exact is not None:  # the loss is the sum of the budgets
        factor = epsilon / first.exact * start
        return LargestBudget(first.rule, factor, total(factor).epsilon)

    def excess(factor: Fraction) -> float:
        found = total(factor).size
        return found if isinf(found) else float(Fraction(found) - epsilon)

    low = next((start / 2**halving for halving in range(_FURTHEST) if excess(start / 2**halving) <= 0), None)
    if low is None:
        return LargestBudget(first.rule, None, None, "no budget is small enough")
    factor = _last_within(excess, low / _STEPS)
    return LargestBudget(first.rule, factor, total(factor).epsilon)


def _last_within(excess: Callable[[Fraction], float], unit: Fraction) -> Fraction:
    """The largest multiple of `unit` without excess, to five digits; 100,000 times `unit` has none.

    Found by false position: the next guess lies where a straight line between both ends meets 0, and beyond an end that
    is as close to that as asked. The end that stays twice counts half (the Illinois rule), so that it moves too.
    """
    within, beyond = _STEPS, 2 * _STEPS
    below, above = excess(unit * within), excess(unit * beyond)
    while beyond < _STEPS << _FURTHEST and above <= 0:
        within, below, beyond = beyond, above, 2 * beyond
        above = excess(unit * beyond)
    was_within: bool | None = None
    while (gap := beyond - within) > (close := max(1, within // _STEPS)):
        share = 0.5 if isinf(above) else below / (below - above)
        middle = within + min(max(close, round(gap * share)), gap - close)
        found = excess(unit * middle)
        if is_within := found <= 0:
            within, below, above = middle, found, above / (2 if was_within is True else 1)
        else:
            beyond, above, below = middle, found, below / (2 if was_within is False else 1)
        was_within = is_within
    return unit * within
