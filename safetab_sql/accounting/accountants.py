"""The loss of a run in (epsilon, delta), under every accountant that applies to its noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from safetab_sql.accounting import loss_distribution, rdp
from safetab_sql.accounting.calls import GroupCalls
from safetab_sql.accounting.conversions import (
    pure_dp_to_approximate_dp,
    pure_dp_to_zcdp,
    zcdp_to_approximate_dp,
    zcdp_to_approximate_dp_analytic,
    zcdp_to_approximate_dp_paper,
)
from safetab_sql.settings.budgets import PrivacyDefinition

# Why the epsilon of the paper's eq. 17 is not a bound.
NO_BOUND = "not an upper bound: eq. 17 integrates over the reals, the noise is on the integers"
LOSS_DISTRIBUTION = "privacy loss distribution"


@dataclass(frozen=True, slots=True)
class Total:
    """The result of one accountant.

    epsilon: None if the accountant has no result. caveat: why epsilon is not an upper bound; '' if it is. exact: the
    exact value that epsilon bounds, if it is rational.
    """

    rule: str
    epsilon: float | None
    delta: Fraction
    caveat: str = ""
    exact: Fraction | None = None


def formula_totals(definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction) -> tuple[Total, ...]:
    """The results of the accountants that need only a formula, and no library. calls: at least one."""
    spent = sum((call.groups * call.budgets.total_only for call in calls), Fraction(0))
    if definition == "zcdp":
        return _zcdp_totals(spent, delta, "zCDP")
    pure = pure_dp_to_approximate_dp(spent)
    printed = rdp.printed_rdp_to_approximate_dp(calls, delta)
    return (
        Total(pure.rule, pure.epsilon, pure.delta, exact=pure.exact),
        Total(
            "RDP, exact divergence, best order (eqs. 39, 40)", rdp.geometric_rdp_to_approximate_dp(calls, delta), delta
        ),
        Total("RDP, exact divergence, paper's orders", rdp.geometric_rdp_to_approximate_dp_paper(calls, delta), delta),
        Total("RDP as printed (eq. 17), paper's orders", printed, delta, NO_BOUND),
        *_zcdp_totals(zcdp_of_pure_dp(calls), delta, "zCDP of pure DP"),
    )


def totals_of_a_loss(definition: PrivacyDefinition, loss: Fraction, delta: Fraction) -> tuple[Total, ...]:
    """The results of the accountants that rest on the loss alone: it may be of several records, which no call shows."""
    if definition == "zcdp":
        return _zcdp_totals(loss, delta, "zCDP")
    pure = pure_dp_to_approximate_dp(loss)
    return (Total(pure.rule, pure.epsilon, pure.delta, exact=pure.exact),)


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
    """The larger epsilon of each accountant: the loss of a person who is in one of two parts, unknown which."""
    return tuple(_larger(*pair) for pair in zip(first, second, strict=True))


def _larger(first: Total, second: Total) -> Total:
    if first.epsilon is None or (second.epsilon is not None and second.epsilon <= first.epsilon):
        return first
    return second


def _zcdp_totals(rho: Fraction, delta: Fraction, name: str) -> tuple[Total, Total, Total]:
    return (
        Total(f"{name}, best Renyi order (paper eq. 7)", zcdp_to_approximate_dp(rho, delta), delta),
        Total(f"{name}, paper's orders (eq. 7)", zcdp_to_approximate_dp_paper(rho, delta), delta),
        Total(f"{name}, closed form (paper eq. 8)", zcdp_to_approximate_dp_analytic(rho, delta), delta),
    )
