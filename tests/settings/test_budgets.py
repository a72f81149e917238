"""Budgets split exactly, and the noise bound."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.settings.budgets import StageBudgets, noise_is_countable, stage_budgets

POSITIVE = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9)
SHARE = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000))


def test_production_budgets_of_a_county_group():
    budgets = stage_budgets(Fraction("0.159"), 9, Fraction("0.1"))
    assert budgets == StageBudgets(Fraction(53, 3000), Fraction(53, 30000), Fraction(159, 10000))


@given(POSITIVE, st.integers(1, 100), SHARE)
def test_the_two_stages_spend_exactly_what_a_total_alone_spends(budget, stability, gamma):
    budgets = stage_budgets(budget, stability, gamma)
    assert budgets.stage_1 + budgets.stage_2 == budgets.total_only


@given(POSITIVE, st.integers(1, 100), SHARE)
def test_a_person_in_as_many_groups_as_possible_costs_exactly_the_level_budget(budget, stability, gamma):
    assert stage_budgets(budget, stability, gamma).total_only * stability == budget


@pytest.mark.parametrize(
    ("definition", "smallest"),
    [("zcdp", Fraction(1, 2 * 10**24)), ("puredp", Fraction(2 * 10**12, 1414213562373) * Fraction(1, 10**12))],
)
@pytest.mark.parametrize("gamma", [Fraction(1, 10), Fraction(9, 10)])
def test_noise_is_countable_down_to_the_stage_that_spends_least(definition, smallest, gamma):
    level_budget = smallest * 10
    assert noise_is_countable(level_budget * Fraction(101, 100), gamma, definition)
    assert not noise_is_countable(level_budget * Fraction(99, 100), gamma, definition)
