"""What a person with several records loses: the ledger has the figures of a hand, and the noise is made for them."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.accounting.statement import approximate_totals, group_calls, uncomposed
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric
from safetab_sql.mechanisms.tabulate import range_totals
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit
from tests.plans import ledger_at
from tests.sql.parameters import parameters
from tests.statistics import fits, recorded_bits

S, BUDGET, GAMMA = 9, Fraction(1), Fraction(1, 10)
GROUPS = 20_000
LAWS: dict[str, Callable[[Fraction], Law]] = {"zcdp": DiscreteGaussian, "puredp": TwoSidedGeometric}
# (most_records, definition) -> by what the budget of a level is divided
BY_HAND = [*((k, "puredp", S * k) for k in (1, 3, 5)), *((k, "zcdp", S * k * k) for k in (1, 3, 5))]


def of_persons(most_records: int, definition: PrivacyDefinition, *levels: str) -> Parameters:
    unit = Unit("stay", "stays", person="P", most_records=most_records)
    return replace(parameters(*levels or ("COUNTY-2",), run=("US",)), privacy_definition=definition, unit=unit)


@pytest.mark.parametrize(("most_records", "definition", "bound"), BY_HAND)
def test_the_ledger_divides_the_budget_of_a_level_by_what_a_person_can_change(most_records, definition, bound):
    entries = ledger_at(of_persons(most_records, definition, "COUNTY-2", "STATE-1"), S)
    assert {level.calls.total_only.budget for level in entries.levels} == {BUDGET / bound}
    assert {level.calls.stage_2.budget for level in entries.levels} == {(1 - GAMMA) * BUDGET / bound}
    assert (entries.loss.of_person, {level.budget for level in entries.levels}) == (2 * BUDGET, {BUDGET})
    spent = sum(calls.groups * calls.budgets.total_only for calls in group_calls(entries)["us"])
    assert spent == 2 * BUDGET


@pytest.mark.parametrize(("most_records", "definition", "bound"), BY_HAND)
def test_the_noise_of_totals_is_made_for_what_a_person_can_change(most_records, definition, bound):
    """Of groups with nobody in them, by chi-square: a false alarm in a million each.

    The noise of a run without the bound, or with k in place of k^2, is noticed.
    """
    plan = with_groups(ledger_at(of_persons(most_records, definition), S).levels[0])
    bits, nobody = recorded_bits(f"records-{most_records}-None-{definition}"), np.zeros(0, dtype=np.int64)
    (block,) = range_totals(nobody, nobody, 0, GROUPS, plan, bits)
    noise = block.stat_level_0_counts
    assert noise.size == GROUPS
    assert fits(noise, LAWS[definition]((1 - GAMMA) * BUDGET / bound))
    others = {S * most_records, S * most_records**2, S} - {bound}
    assert not any(fits(noise, LAWS[definition]((1 - GAMMA) * BUDGET / other)) for other in others)


def with_groups(plan: LevelPlan) -> LevelPlan:
    """The plan with groups of one region, whose thresholds no noise reaches."""
    catalog = replace(plan.catalog, regions=1, iterations=GROUPS, total_only={1: np.zeros(GROUPS, np.bool_)})
    return replace(plan, catalog=catalog, thresholds=(10**9,) * 3, is_total_only=catalog.total_only[1])


def test_accountants_that_need_counts_which_change_by_one_have_no_result_where_they_change_by_more():
    entries = ledger_at(of_persons(5, "puredp"), S)
    first, *others = approximate_totals(entries)["us"]
    assert (first.exact, {each.epsilon for each in others}) == (BUDGET, {None})
    assert {each.caveat for each in others} == {"not computed: a person can change a count by 5"}


def test_accountants_know_the_groups_of_a_person_who_changes_each_count_by_one():
    entries = ledger_at(of_persons(1, "puredp"), S)
    assert uncomposed(entries) == ""
    assert group_calls(entries)["us"][0].groups == S
