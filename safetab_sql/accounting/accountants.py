"""The loss of a run in (epsilon, delta), under every accountant that applies to its noise.

Their input is the mechanism calls whose counts one record can change, and nothing else. Most are formulas. One composes
the losses of the exact mechanisms numerically: an upper bound, tighter than any formula.
"""

import importlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from safetab_sql.accounting.conversions import (
    PAPER_ALPHAS,
    Total,
    as_decimal,
    best_excess_order,
    decimal_above,
    log_inverse,
    precise,
    pure_dp_to_approximate_dp,
    pure_dp_to_zcdp,
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
    """The results of the accountants that need only a formula, and no library. calls: at least one."""
    spent = sum((call.groups * call.budgets.total_only for call in calls), Fraction(0))
    if definition == "zcdp":
        return zcdp_totals(spent, delta, "zCDP")
    exact = "RDP, exact divergence"
    _, order = _best_paper_order(calls, delta, _float_rdp)
    of_paper = rdp_to_approximate_dp(geometric_total(calls, order), order, delta)
    printed, _ = _best_paper_order(calls, delta, printed_geometric_rdp)
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
    return sum((call.groups * pure_dp_to_zcdp(call.budgets.total_only) for call in calls), Fraction(0))


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


def _best_paper_order(
    calls: Sequence[GroupCalls], delta: Fraction, divergence: Callable[[float, float], float]
) -> tuple[float, Fraction]:
    """The least epsilon of eq. 6 over the paper's orders 1.01 to 10.00, in floats, and its order."""
    together, log_inverse_delta = merged(calls), log_inverse(delta)

    def epsilon(alpha: float) -> float:
        added = (log_inverse_delta - math.log(alpha)) / (alpha - 1) + math.log1p(-1 / alpha)
        return _float_total(together, alpha, divergence) + added

    return min((epsilon(float(alpha)), alpha) for alpha in PAPER_ALPHAS)


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


# The privacy loss distribution: how it is composed, and why it is a bound, says accounting.md section 6. The package
# `dp-accounting`, an optional extra, rounds pessimistically. Both noises are symmetric, so adding and removing a record
# have the same hockey-stick curve delta(epsilon). For geometric noise the curve of one call is never below: it is
# randomised response, the worst of all epsilon-DP mechanisms. Chords in e^epsilon ("connect the dots"): Doroshenko,
# Ghazi, Kamath, Kumar, Manurangsi 2022. Fourier transforms in doubles err by about 1e-16 a cell.

LOSS_DISTRIBUTION = "privacy loss distribution"
INSTALL = "pip install 'safetab-sql[accounting]'"
CELLS = 20_000  # cells of the grid, up to a loss that is known to hold; ten times as many change no printed digit
SMALLEST_DELTA = Fraction(1, 10**12)  # a hundredth of it is a hundred times the error of the convolutions
LARGEST_SIGMA = 20_000  # persons; the library walks through every value of the noise
SMALLEST_LOSS, LARGEST_LOSS = 1e-3, 500  # epsilon: a float must resolve the step of the grid, and hold e^epsilon
_REACH = 11.6  # sigmas; discrete Gaussian noise beyond has a chance below 1e-30 (the library's own truncation)


def loss_distribution_total(
    definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction, known: Sequence[Total]
) -> Total:
    """The result of this accountant, if it applies. known: results of the others."""
    bound = min(total.epsilon for total in known if total.epsilon is not None and not total.caveat)
    caveat = unavailable(definition, calls, delta, bound)
    epsilon = None if caveat else loss_distribution_epsilon(definition, tuple(calls), delta, bound)
    return Total(LOSS_DISTRIBUTION, epsilon, delta, caveat)


def unavailable(definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction, bound: float) -> str:
    """Why the loss distribution of `calls` cannot be composed; '' if it can be. bound: an epsilon known to hold."""
    if _library("pld_pmf") is None:
        return f"not computed: {INSTALL}"
    if delta < SMALLEST_DELTA:
        return f"not computed: below delta {float(SMALLEST_DELTA):g} the library's floats say nothing"
    if not SMALLEST_LOSS <= bound <= LARGEST_LOSS:
        return f"not computed: an epsilon outside {SMALLEST_LOSS} to {LARGEST_LOSS} is beyond the library's floats"
    stages = [budget for call in calls for budget in call.budgets[1:] if budget]
    if definition == "zcdp" and max(map(_sigma, stages)) > LARGEST_SIGMA:
        return f"not computed: noise of sigma above {LARGEST_SIGMA:,} takes the library too long"
    return ""


@lru_cache(maxsize=8)
def loss_distribution_epsilon(
    definition: PrivacyDefinition, calls: tuple[GroupCalls, ...], delta: Fraction, bound: float
) -> float:
    """An epsilon so that `calls` are (epsilon, delta)-differentially private: an upper bound.

    bound: an epsilon known to hold, which sets the grid: its losses are bound / 20,000 apart.
    """
    step = bound / CELLS
    truncation = float(delta) * 1e-6  # probability that a convolution may move to an infinite loss
    total = _library("privacy_loss_distribution").identity(value_discretization_interval=step)
    for call in merged(calls):
        group = _dominating(definition, call.budgets, step, truncation)
        groups = group.self_compose(call.groups, tail_mass_truncation=truncation)
        total = total.compose(groups, tail_mass_truncation=truncation)
    epsilon = total.get_epsilon_for_delta(float(delta * Fraction(99, 100)))
    return math.nextafter(float(epsilon), math.inf)


def _dominating(definition: PrivacyDefinition, budgets: StageBudgets, step: float, truncation: float) -> Any:
    """The library's loss distribution of a pair that dominates a group with one call and a group with two calls.

    Where no noise picks the statistic, every group has one call.
    """
    one_call = _single(definition, budgets.total_only, step)
    if not budgets.stage_1:  # then a table costs one call too, of the same budget
        return one_call
    first, second = (_single(definition, budget, step) for budget in (budgets.stage_1, budgets.stage_2))
    two_calls = first.compose(second, tail_mass_truncation=truncation)
    last = math.ceil(_largest_loss(definition, budgets) / step) + 1
    epsilons = np.arange(-last, last + 1) * step
    larger = np.maximum(one_call.get_delta_for_epsilon(epsilons), two_calls.get_delta_for_epsilon(epsilons))
    # The curve decreases; if rounding makes it increase, the larger value is kept.
    falling = np.maximum.accumulate(np.clip(larger, 0.0, 1.0)[::-1])[::-1]
    masses = _library("pld_pmf").create_pmf_pessimistic_connect_dots_fixed_gap(step, -last, last, falling)
    return _library("privacy_loss_distribution").PrivacyLossDistribution(masses)


def _single(definition: PrivacyDefinition, budget: Fraction, step: float) -> Any:
    """The library's loss distribution of one call with `budget` on a count that one record changes by 1."""
    library = _library("privacy_loss_distribution")
    settings = {"value_discretization_interval": step, "use_connect_dots": True, "pessimistic_estimate": True}
    if definition == "zcdp":
        return library.from_discrete_gaussian_mechanism(_sigma(budget), **settings)
    return library.from_discrete_laplace_mechanism(float(budget), **settings)


def _largest_loss(definition: PrivacyDefinition, budgets: StageBudgets) -> float:
    """A loss that one group exceeds with a chance of at most 1e-30."""
    if definition == "puredp":
        return float(budgets.total_only)
    # The loss at noise k is rho |2 k + 1| at most.
    stages = [budget for budget in (budgets.stage_1, budgets.stage_2) if budget]
    return sum(float(rho) * (2 * math.ceil(_REACH * _sigma(rho)) + 1) for rho in stages)


def _sigma(rho: Fraction) -> float:
    return math.sqrt(1 / (2 * rho))


def _library(module: str) -> Any:
    """The module of dp-accounting, or None where it is not installed. Imported late: it takes a second."""
    found: ModuleType | None
    try:
        found = importlib.import_module(f"dp_accounting.pld.{module}")
    except ModuleNotFoundError:
        found = None
    return found
