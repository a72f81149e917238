"""The privacy ledger of synthetic rows along a tree: noise on histograms and tables, and the choice of the tables."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from safetab_sql.accounting.accountants import Total, formula_totals
from safetab_sql.accounting.calls import GroupCalls
from safetab_sql.accounting.conversions import pure_dp_to_approximate_dp, pure_dp_to_zcdp
from safetab_sql.accounting.ledger import Json, exact_json
from safetab_sql.histograms.public.ledger import NEIGHBOURS, PARTS_RULE
from safetab_sql.histograms.public.tree_plan import TreeBudget, TreePlan
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.budgets import UNITS, PrivacyDefinition, StageBudgets
from safetab_sql.public.levels import WHOLE

COMPOSITION_RULE = (
    "a record is in one cell of each histogram and table and changes it by 1, and changes the score of each pair by at "
    "most 1; losses add; somebody with several records in the table loses as many times as much"
)
CHOICE_RULE = (
    "exponential mechanism on whole scores of sensitivity 1: epsilon pure DP, epsilon^2 / 8 zCDP; it may end early, "
    "and is charged as if it had not"
)


@dataclass(frozen=True, slots=True)
class TreeCall:
    """Noise on every cell of a histogram or table, of which one record changes one cell by 1.

    amount: epsilon or rho of it, exact. law: of the noise.
    """

    name: str
    cells: int
    amount: Fraction
    law: Law


@dataclass(frozen=True, slots=True)
class TreeSpending:
    """What a run along a tree spends: the whole budget of its specification."""

    budget: TreeBudget

    @property
    def privacy_definition(self) -> PrivacyDefinition:
        """Pure DP or zCDP, as the specification says."""
        return self.budget.definition

    @property
    def parts(self) -> dict[str, Fraction]:
        """The loss that a ledger file enters: anybody may be in the table."""
        return {WHOLE: self.budget.amount}

    @property
    def caveat(self) -> str:
        """What the loss does not cover: nothing."""
        return ""


def tree_ledger_json(plan: TreePlan, calls: Sequence[TreeCall], *, delta: Fraction) -> dict[str, Json]:
    """The ledger for the manifest; every Fraction is exact, and has a decimal beside it that is never smaller.

    delta: of the (epsilon, delta) guarantees to which the total is converted.
    """
    budget = plan.budget
    return {
        "neighbours": NEIGHBOURS,
        "privacy_definition": budget.definition,
        "budget_unit": UNITS[budget.definition],
        "composition": COMPOSITION_RULE,
        "parts": PARTS_RULE,
        "totals": {"one_record": exact_json(budget.amount)},
        "approximate_dp": {
            "one_record": [
                {"epsilon_upper_bound": total.epsilon, "delta": exact_json(total.delta), "rule": total.rule}
                for total in _totals(plan, calls, delta)
            ]
        },
        "choice": {
            "rule": CHOICE_RULE,
            "choices": plan.most_pairs if plan.choice else 0,
            "budget_of_each": exact_json(plan.choice),
            "epsilon_of_each": exact_json(plan.choice_epsilon),
        },
        "histograms": [_call_json(call) for call in calls],
    }


def _totals(plan: TreePlan, calls: Sequence[TreeCall], delta: Fraction) -> list[Total]:
    """The loss in (epsilon, delta): of pure DP as it is, and as the zCDP of its parts."""
    if plan.budget.definition == "zcdp":
        return list(_zcdp_totals(plan.budget.amount, delta))
    pure = pure_dp_to_approximate_dp(plan.budget.amount)
    of_noise = sum((pure_dp_to_zcdp(call.amount) for call in calls), Fraction(0))
    of_choices = plan.most_pairs * plan.choice_epsilon**2 / 8
    first = Total(pure.rule, pure.epsilon, pure.delta, exact=pure.exact)
    return [first, *_zcdp_totals(of_noise + of_choices, delta)]


def _zcdp_totals(rho: Fraction, delta: Fraction) -> Sequence[Total]:
    return formula_totals("zcdp", [GroupCalls(1, StageBudgets(rho, rho / 2, rho / 2))], delta)


def _call_json(call: TreeCall) -> Json:
    is_geometric = isinstance(call.law, TwoSidedGeometric)
    return {
        "histogram": call.name,
        "cells": call.cells,
        "distribution": "two-sided geometric" if is_geometric else "discrete Gaussian",
        "budget": exact_json(call.amount),
        "sensitivity": 1,
        "standard_deviation": math.sqrt(variance(call.law)),
        "moe95": margin_of_error(call.law),
    }
