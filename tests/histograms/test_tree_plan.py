"""How a budget is divided along a tree, and how many pairs it can pay for."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safetab_sql.accounting.statement import noise_of
from safetab_sql.histograms.public.spending import HistogramNoise, HistogramSpending, tree_statement
from safetab_sql.histograms.public.tree_plan import TreeBudget, TreePlan, choice_epsilon, shares, tree_plan
from safetab_sql.laws.cumulative import variance

SIZES = [2, 5, 16, 100, 3, 9, 42, 2]


def spent(plan: TreePlan) -> Fraction:
    return plan.counted_rows + sum(plan.fields, Fraction(0)) + plan.pairs.amount + plan.triples.amount


@settings(max_examples=30)
@given(
    st.sampled_from(["puredp", "zcdp"]),
    st.fractions(Fraction(1, 1000), 20, max_denominator=1000),
    st.integers(1, 10**6),
)
def test_the_parts_add_up_to_the_budget_exactly(definition, amount, rows):
    plan = tree_plan(TreeBudget(definition, amount), SIZES, rows, counted_rows=amount / 50)
    assert spent(plan) == amount
    assert min(plan.fields) > 0


@settings(max_examples=30)
@given(st.sampled_from(["puredp", "zcdp"]), st.fractions(Fraction(1, 10**6), 20, max_denominator=10**6))
def test_a_choice_costs_no_more_than_its_part(definition, part):
    """epsilon of pure DP; epsilon^2 / 8 of zCDP."""
    epsilon = choice_epsilon(definition, part)
    assert (epsilon if definition == "puredp" else epsilon**2 / 8) <= part
    assert epsilon == part if definition == "puredp" else (epsilon + Fraction(1, 2**60)) ** 2 / 8 > part


@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_more_rows_and_more_budget_never_pay_for_fewer_pairs(definition):
    def pairs(amount: Fraction, rows: int) -> int:
        return tree_plan(TreeBudget(definition, amount), SIZES, rows).pairs.most

    by_rows = [pairs(Fraction(1, 10), 10**power) for power in range(7)]
    by_budget = [pairs(Fraction(10) ** power, 5000) for power in range(-4, 2)]
    assert (by_rows, by_budget) == (sorted(by_rows), sorted(by_budget))
    assert (by_rows[0], by_rows[-1]) == (0, len(SIZES) - 1)


@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_the_loss_that_a_ledger_states_does_not_depend_on_what_was_drawn(definition):
    """Rows that a plan is made for, and the pairs that were chosen, follow from noise."""
    budget = TreeBudget(definition, Fraction(8))
    stated = []
    for rows, pairs in ((100, 0), (10**6, 1), (10**6, 7)):
        plan = tree_plan(budget, SIZES, rows, counted_rows=Fraction(1, 50))
        parts = [*plan.fields, *[plan.pairs.tables / max(1, pairs)] * pairs]
        calls = [HistogramNoise("field", 2, noise_of(budget.law(part), part)) for part in parts]
        stated.append(tree_statement(plan, calls, HistogramSpending(budget=budget)))
    assert stated[0].loss == stated[1].loss == stated[2].loss


@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_triples_are_paid_for_once_a_table_of_128_cells_bears_its_noise(definition):
    """Noise of 4/5 of a deviation in each cell is 3/10 of the rows together; then fields and pairs get less."""
    amounts = [Fraction(number, 100) / (1 if definition == "puredp" else 200) for number in range(10, 100)]
    plans = [tree_plan(TreeBudget(definition, amount), SIZES, 32_000) for amount in amounts]
    first = next(place for place, plan in enumerate(plans) if plan.triples.most)
    assert [plan.triples.most for plan in plans] == [0] * first + [len(SIZES) - 2] * (len(plans) - first)
    before, after = plans[first - 1], plans[first]
    assert after.pairs.tables < before.pairs.tables
    assert sum(after.fields) < sum(before.fields)
    deviation = variance(after.budget.law(after.triples.tables / after.triples.most)) ** 0.5
    assert 128 * 0.8 * deviation == pytest.approx(0.3 * 32_000, rel=0.03)


def test_larger_histograms_get_about_the_square_root_more():
    small, large = shares(Fraction(1), [4, 400])
    assert 5 < large / small < 20
