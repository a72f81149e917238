"""The loss of a run in (epsilon, delta), under every accountant that applies to its noise."""

from collections.abc import Sequence
from fractions import Fraction

from safetab_sql.accounting import loss_distribution, rdp
from safetab_sql.accounting.calls import GroupCalls
from safetab_sql.accounting.conversions import (
    Total,
    pure_dp_to_approximate_dp,
    pure_dp_to_zcdp,
    zcdp_totals,
)
from safetab_sql.settings.budgets import PrivacyDefinition

# Why the epsilon of the paper's eq. 17 is not a bound.
NO_BOUND = "not an upper bound: eq. 17 integrates over the reals, the noise is on the integers"
LOSS_DISTRIBUTION = "privacy loss distribution"


def formula_totals(definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction) -> tuple[Total, ...]:
    """The results of the accountants that need only a formula, and no library. calls: at least one."""
    spent = sum((call.groups * call.budgets.total_only for call in calls), Fraction(0))
    if definition == "zcdp":
        return zcdp_totals(spent, delta, "zCDP")
    printed = rdp.printed_rdp_to_approximate_dp(calls, delta)
    return (
        pure_dp_to_approximate_dp(spent),
        Total(
            "RDP, exact divergence, best order (eqs. 39, 40)", rdp.geometric_rdp_to_approximate_dp(calls, delta), delta
        ),
        Total("RDP, exact divergence, paper's orders", rdp.geometric_rdp_to_approximate_dp_paper(calls, delta), delta),
        Total("RDP as printed (eq. 17), paper's orders", printed, delta, NO_BOUND),
        *zcdp_totals(zcdp_of_pure_dp(calls), delta, "zCDP of pure DP"),
    )


def zcdp_of_pure_dp(calls: Sequence[GroupCalls]) -> Fraction:
    """The rho of `calls` with budgets in epsilon: epsilon^2 / 2 for each call, with every group of the worse kind.

    A group with one call is the worse kind: the square of a sum of positive numbers exceeds the sum of their squares.
    """
    return sum((call.groups * pure_dp_to_zcdp(call.budgets.total_only) for call in calls), Fraction(0))


def loss_distribution_total(
    definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction, known: Sequence[Total]
) -> Total:
    """The result of the privacy-loss-distribution accountant, if it applies. known: results of the others."""
    bound = min(total.epsilon for total in known if total.epsilon is not None and not total.caveat)
    caveat = loss_distribution.unavailable(definition, calls, delta, bound)
    if caveat:
        return Total(LOSS_DISTRIBUTION, None, delta, caveat)
    epsilon = loss_distribution.loss_distribution_epsilon(definition, tuple(calls), delta, bound)
    return Total(LOSS_DISTRIBUTION, epsilon, delta)


def either(first: Sequence[Total], second: Sequence[Total]) -> tuple[Total, ...]:
    """The larger epsilon of each accountant: the loss of a record that is in one of two parts, unknown which."""
    return tuple(_larger(*pair) for pair in zip(first, second, strict=True))


def _larger(first: Total, second: Total) -> Total:
    if first.epsilon is None or (second.epsilon is not None and second.epsilon <= first.epsilon):
        return first
    return second
