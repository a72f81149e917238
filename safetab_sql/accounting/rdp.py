"""Renyi differential privacy of two-sided geometric noise: the exact divergence, and the one that the paper prints."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from safetab_sql.accounting.calls import GroupCalls, merged
from safetab_sql.accounting.conversions import (
    PAPER_ALPHAS,
    as_decimal,
    best_excess_order,
    decimal_above,
    log_inverse,
    precise,
    rdp_to_approximate_dp,
)


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

    tau = 1 / (alpha - 1) * log[(e^epsilon - 1) / (e^epsilon + 1) * (2 alpha / (epsilon (2 alpha - 1)) *
    e^((alpha - 1) epsilon) + 2 (alpha - 1) / (epsilon (2 alpha - 1)) * e^(-alpha epsilon))].
    Source: paper Corollary 1, eq. 17.
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
    return sum((call.groups * _worse_group(call, alpha) for call in merged(calls)), Fraction(0))


def _worse_group(call: GroupCalls, alpha: Fraction) -> Fraction:
    whole, first, second = (geometric_rdp(epsilon, alpha) for epsilon in _epsilons(call))
    return max(whole, first + second)


def geometric_rdp_to_approximate_dp(calls: Sequence[GroupCalls], delta: Fraction) -> float:
    """The least epsilon of eq. 6 over all orders alpha > 1, for `calls` with budgets in epsilon. Source: eqs. 39, 40.

    The search for alpha uses floats; any alpha it finds is a valid order, so the result is a bound.
    """
    together = merged(calls)
    center = _log_center(calls, delta)
    # Far above the center tau nears the pure loss, which is the best answer where that is large.
    alpha = 1 + best_excess_order(lambda order: _float_total(together, order), delta, center - 5, center + 30)
    return rdp_to_approximate_dp(geometric_total(calls, alpha), alpha, delta)


def geometric_rdp_to_approximate_dp_paper(calls: Sequence[GroupCalls], delta: Fraction) -> float:
    """The least epsilon of eq. 6 over the paper's orders 1.01 to 10.00."""
    together = merged(calls)
    alpha = min(
        PAPER_ALPHAS,
        key=lambda order: _float_total(together, float(order)) + conversion_term(float(order), log_inverse(delta)),
    )
    return rdp_to_approximate_dp(geometric_total(calls, alpha), alpha, delta)


def printed_rdp_to_approximate_dp(calls: Sequence[GroupCalls], delta: Fraction) -> float:
    """The least epsilon of eqs. 17, 39 and 40 over the orders 1.01 to 10.00. NOT an upper bound: see eq. 17 above."""
    together, orders = merged(calls), list(map(float, PAPER_ALPHAS))
    totals = [_float_total(together, alpha, printed_geometric_rdp) for alpha in orders]
    terms = [conversion_term(alpha, log_inverse(delta)) for alpha in orders]
    return min(total + term for total, term in zip(totals, terms, strict=True))


def conversion_term(alpha: float, log_inverse_delta: float) -> float:
    """The term that eq. 6 adds to tau, in floats: [log(1 / delta) - log(alpha)] / (alpha - 1) + log(1 - 1 / alpha)."""
    return (log_inverse_delta - math.log(alpha)) / (alpha - 1) + math.log1p(-1 / alpha)


def _float_rdp(epsilon: float, alpha: float) -> float:
    logs = math.log1p(math.exp(-(2 * alpha - 1) * epsilon)) - math.log1p(math.exp(-epsilon))
    return epsilon + logs / (alpha - 1)


def _float_total(
    calls: Sequence[GroupCalls], alpha: float, divergence: Callable[[float, float], float] = _float_rdp
) -> float:
    """`geometric_total` in floats, to search with. calls: merged."""
    total = 0.0
    for call in calls:
        whole, first, second = (divergence(float(epsilon), alpha) for epsilon in _epsilons(call))
        total += call.groups * max(whole, first + second)
    return total


def _epsilons(call: GroupCalls) -> tuple[Fraction, Fraction, Fraction]:
    return call.budgets.total_only, call.budgets.stage_1, call.budgets.stage_2


def _log_center(calls: Sequence[GroupCalls], delta: Fraction) -> float:
    """The logarithm of the best alpha - 1 if tau were alpha * rho, rho = sum of epsilon^2 / 2: see eq. 8."""
    rho = sum(call.groups * float(call.budgets.total_only) ** 2 / 2 for call in calls)
    return (math.log(log_inverse(delta)) - math.log(rho)) / 2
