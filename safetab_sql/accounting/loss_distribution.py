"""The privacy loss of the exact mechanisms of a run, composed numerically: an upper bound, tighter than any formula.

How it is composed, and why it is a bound: accounting.md section 6. The package `dp-accounting`, an optional extra,
rounds pessimistically. Both noises are symmetric, so adding and removing a record have the same hockey-stick curve
delta(epsilon). For geometric noise the curve of one call is never below: it is randomised response, the worst of all
epsilon-DP mechanisms. Chords in e^epsilon ("connect the dots"): Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022.
Fourier transforms in doubles err by about 1e-16 a cell.
"""

import importlib
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from safetab_sql.accounting.accountants import GroupCalls, merged
from safetab_sql.accounting.conversions import Total
from safetab_sql.settings.budgets import PrivacyDefinition, StageBudgets

RULE = "privacy loss distribution"
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
    return Total(RULE, epsilon, delta, caveat)


def unavailable(definition: PrivacyDefinition, calls: Sequence[GroupCalls], delta: Fraction, bound: float) -> str:
    """Why the loss distribution of `calls` cannot be composed; '' if it can be. bound: an epsilon known to hold."""
    if _library("pld_pmf") is None:
        return f"not computed: {INSTALL}"
    if delta < SMALLEST_DELTA:
        return f"not computed: below delta {float(SMALLEST_DELTA):g} the library's floats say nothing"
    if not SMALLEST_LOSS <= bound <= LARGEST_LOSS:
        return f"not computed: an epsilon outside {SMALLEST_LOSS} to {LARGEST_LOSS} is beyond the library's floats"
    if definition == "zcdp" and any(_widest(call.budgets) > LARGEST_SIGMA for call in calls):
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


def _widest(budgets: StageBudgets) -> float:
    return _sigma(min(budget for budget in (budgets.stage_1, budgets.stage_2) if budget))


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
