"""The loss of a run in (epsilon, delta), under every accountant that applies to its noise.

Their input is the mechanism calls whose counts one record can change, and nothing else. Those here are formulas; a
tighter bound composes the losses themselves: see loss_distribution.py.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from safetab_sql.accounting.conversions import (
    Total,
    as_decimal,
    best_excess_order,
    best_paper_order,
    decimal_above,
    log_inverse,
    precise,
    pure_dp_to_approximate_dp,
    rdp_to_approximate_dp,
    zcdp_totals,
)
from safetab_sql.settings.budgets import PrivacyDefinition, StageBudgets

# Why the epsilon of the paper's eq. 17 is not a bound.
NO_BOUND = "not an upper bound: eq. 17 integrates over the reals, the noise is on the integers"


@dataclass(frozen=True, slots=True)
class GroupCalls:
    """The calls on the population groups of one level that one record can be in.

    groups: the number of groups, which is the level's stability. budgets: of the calls on each group, in rho or
    epsilon: a group takes either one total_only call, or one stage_1 and one stage_2 call. The kind of each group is
    public, and may differ between groups; accountants assume the kind that costs more. Each call adds noise to counts
    of which one record changes one, by 1.
    """

    groups: int
    budgets: StageBudgets


def merged(calls: Iterable[GroupCalls]) -> tuple[GroupCalls, ...]:
    """The same calls, with calls of equal budgets merged: composition does not depend on the level of a group."""
    groups: Counter[StageBudgets] = Counter()
    for call in calls:
        groups[call.budgets] += call.groups
    return tuple(GroupCalls(count, budgets) for budgets, count in groups.items())


def formula_totals(definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction) -> tuple[Total, ...]:
    """The results of the accountants that are formulas. calls: at least one."""
    spent = sum((call.groups * call.budgets.total_only for call in calls), Fraction(0))
    if definition == "zcdp":
        return zcdp_totals(spent, delta, "zCDP")
    exact = "RDP, exact divergence"
    together = merged(calls)
    _, order = best_paper_order(lambda alpha: _float_total(together, alpha), delta)
    of_paper = rdp_to_approximate_dp(geometric_total(calls, order), order, delta)
    printed, _ = best_paper_order(lambda alpha: _float_total(together, alpha, printed_geometric_rdp), delta)
    return (
        pure_dp_to_approximate_dp(spent),
        Total(f"{exact}, best order (eqs. 39, 40)", geometric_rdp_to_approximate_dp(calls, delta), delta),
        Total(f"{exact}, paper's orders", of_paper, delta),
        Total("RDP as printed (eq. 17), paper's orders", printed, delta, NO_BOUND),
        *zcdp_totals(zcdp_of_pure_dp(calls), delta, "zCDP of pure DP"),
    )


def zcdp_of_pure_dp(calls: Sequence[GroupCalls]) -> Fraction:
    """The rho of `calls` with budgets in epsilon: epsilon^2 / 2 for each call, with every group of the worse kind.

    A group with one call is the worse kind: the square of a sum of positive numbers exceeds the sum of their squares.
    """
    return sum((call.groups * call.budgets.total_only**2 / 2 for call in calls), Fraction(0))


def either(first: Sequence[Total], second: Sequence[Total]) -> tuple[Total, ...]:
    """The larger epsilon of each accountant: the loss of a record that is in one of two parts, unknown which."""
    return tuple(max(pair, key=lambda total: total.size) for pair in zip(first, second, strict=True))


def geometric_rdp(epsilon: Fraction, alpha: Fraction) -> Fraction:
    """The Renyi divergence of order `alpha` > 1 between two-sided geometric noise and the noise moved by 1, rounded up.

    tau = 1 / (alpha - 1) * log[(t^(1 - alpha) + t^alpha) / (1 + t)] with t = e^-epsilon: the sum over the integers.
    Moved by 1, P(k) / Q(k) is e^epsilon or e^-epsilon, whatever k. Source: accounting.md section 3.
    """
    if epsilon < 0 or alpha <= 1:
        raise ValueError(f"epsilon has to be at least 0 and alpha above 1, they are {epsilon} and {alpha}")
    with localcontext(precise()):
        # The factor t^(1 - alpha) is taken out of the sum, so that nothing overflows.
        terms = (
            as_decimal((alpha - 1) * epsilon),
            (1 + (-as_decimal((2 * alpha - 1) * epsilon)).exp()).ln(),
            -(1 + (-as_decimal(epsilon)).exp()).ln(),
        )
        bound = decimal_above(sum(terms, Decimal(0)), max(map(abs, terms)))
    return Fraction(bound) / (alpha - 1)


def printed_geometric_rdp(epsilon: float, alpha: float) -> float:
    """The formula that the paper prints for that divergence; NOT an upper bound: it integrates over the reals.

    tau = 1 / (alpha - 1) * log[(e^epsilon - 1) / (e^epsilon + 1) * (2 alpha / (epsilon (2 alpha - 1)) * e^((alpha - 1)
    epsilon) + 2 (alpha - 1) / (epsilon (2 alpha - 1)) * e^(-alpha epsilon))]. Source: paper Corollary 1, eq. 17.
    """
    if not epsilon:  # no call
        return 0.0
    scale = 2 / (epsilon * (2 * alpha - 1))
    total = scale * (alpha + (alpha - 1) * math.exp(-(2 * alpha - 1) * epsilon))
    return epsilon + (math.log(math.tanh(epsilon / 2)) + math.log(total)) / (alpha - 1)


def geometric_total(calls: Sequence[GroupCalls], alpha: Fraction) -> Fraction:
    """The Renyi divergence of order `alpha` of all `calls` (epsilon), with every group of the worse kind, rounded up.

    Source: paper Theorem 2, eq. 39, with the exact divergence.
    """
    total = Fraction(0)
    for call in merged(calls):
        whole, first, second = (geometric_rdp(epsilon, alpha) for epsilon in call.budgets)
        total += call.groups * max(whole, first + second)
    return total


def geometric_rdp_to_approximate_dp(calls: Sequence[GroupCalls], delta: Fraction) -> float:
    """The least epsilon of eq. 6 over all orders alpha > 1, for `calls` with budgets in epsilon. Source: eqs. 39, 40.

    The search for alpha uses floats; any alpha it finds is a valid order, so the result is a bound.
    """
    together = merged(calls)
    # The best alpha - 1 would be at the center if tau were alpha * rho, rho = sum of epsilon^2 / 2: see eq. 8. Far
    # above the center tau nears the pure loss, which is the best answer where that is large.
    rho = sum(call.groups * float(call.budgets.total_only) ** 2 / 2 for call in calls)
    center = (math.log(log_inverse(delta)) - math.log(rho)) / 2
    alpha = 1 + best_excess_order(lambda order: _float_total(together, order), delta, center - 5, center + 30)
    return rdp_to_approximate_dp(geometric_total(calls, alpha), alpha, delta)


def _float_rdp(epsilon: float, alpha: float) -> float:
    logs = math.log1p(math.exp(-(2 * alpha - 1) * epsilon)) - math.log1p(math.exp(-epsilon))
    return epsilon + logs / (alpha - 1)


def _float_total(
    calls: Sequence[GroupCalls], alpha: float, divergence: Callable[[float, float], float] = _float_rdp
) -> float:
    """`geometric_total` in floats, to search with. calls: merged."""
    total = 0.0
    for call in calls:
        whole, first, second = (divergence(float(epsilon), alpha) for epsilon in call.budgets)
        total += call.groups * max(whole, first + second)
    return total
