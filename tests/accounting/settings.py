"""The paper's setting as calls, and exact values of its losses, computed apart from the package."""

from fractions import Fraction
from math import comb

import mpmath

from safetab_sql.accounting.accountants import GroupCalls
from safetab_sql.accounting.charges import Charge
from safetab_sql.accounting.ledger_file import LedgerFile, right_to_draw
from safetab_sql.mechanisms.bits import generator, system_bits
from safetab_sql.settings.budgets import stage_budgets

DELTA = Fraction(1, 10**10)
GEOMETRIC = ("4.27", "4.27", "2.49", "2.49", "0.59", "0.59", "0.59")  # paper Table 1, epsilon
GAUSSIAN = ("0.534", "0.534", "0.159", "0.159", "0.008", "0.008", "0.008")  # paper Table 1, rho


def reserve(ledger_file: LedgerFile, charge: Charge) -> None:
    """Enter a run that draws nothing."""
    right_to_draw(ledger_file, charge, generator(system_bits))


def calls(*budgets: str, groups: int = 9, gamma: str = "0.1") -> tuple[GroupCalls, ...]:
    """The calls of levels with these budgets."""
    return tuple(GroupCalls(groups, stage_budgets(Fraction(budget), groups, Fraction(gamma))) for budget in budgets)


def randomised_responses_delta(epsilons: dict[Fraction, int], epsilon: mpmath.mpf) -> mpmath.mpf:
    """The exact delta at `epsilon` of so many randomised responses of each epsilon, by all counts of positive losses.

    Two-sided geometric noise on a count that one person changes by 1 is randomised response: see geometric_rdp.
    """
    losses = [(mpmath.mpf(0), mpmath.mpf(1))]
    for each, times in epsilons.items():
        one = mpmath.mpf(each.numerator) / each.denominator
        positive = 1 / (1 + mpmath.exp(-one))
        step = [
            (one * (2 * k - times), comb(times, k) * positive**k * (1 - positive) ** (times - k))
            for k in range(times + 1)
        ]
        losses = [(loss + more, chance * other) for loss, chance in losses for more, other in step]
    return hockey_stick(losses, epsilon)


def hockey_stick(losses: list[tuple[mpmath.mpf, mpmath.mpf]], epsilon: mpmath.mpf | float) -> mpmath.mpf:
    """The delta at `epsilon` of losses with their chances."""
    return mpmath.fsum(chance * (1 - mpmath.exp(epsilon - loss)) for loss, chance in losses if loss > epsilon)


def gaussian_chances(rho: Fraction, reach: int) -> dict[int, mpmath.mpf]:
    """P(k) of the discrete Gaussian for |k| <= reach, which has to hold all but a negligible chance."""
    weights = {k: mpmath.exp(-mpmath.mpf(rho.numerator) / rho.denominator * k * k) for k in range(-reach, reach + 1)}
    total = mpmath.fsum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


def gaussian_delta(rhos: list[Fraction], epsilon: float, reach: int = 60) -> mpmath.mpf:
    """The exact delta at `epsilon` of one discrete Gaussian call for each of `rhos`, by all noises."""
    losses = [(mpmath.mpf(0), mpmath.mpf(1))]
    for rho in rhos:
        exact = mpmath.mpf(rho.numerator) / rho.denominator
        step = [(exact * (1 - 2 * k), chance) for k, chance in gaussian_chances(rho, reach).items()]
        losses = [(loss + more, chance * other) for loss, chance in losses for more, other in step]
    return hockey_stick(losses, epsilon)
