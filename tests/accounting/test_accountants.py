"""The accountants side by side: which apply, what is a bound, and the published figures."""

from fractions import Fraction

import pytest

from safetab_sql.accounting.accountants import NO_BOUND, GroupCalls, either, formula_totals, merged, zcdp_of_pure_dp
from safetab_sql.accounting.conversions import Total
from tests.accounting.settings import DELTA, GAUSSIAN, GEOMETRIC, calls


def test_gaussian_noise_has_three_zcdp_bounds_the_papers_among_them():
    totals = formula_totals("zcdp", calls(*GAUSSIAN), DELTA)
    assert [round(total.epsilon, 3) for total in totals] == [12.177, 12.177, 12.806]
    assert {total.caveat for total in totals} == {""}


def test_geometric_noise_has_pure_renyi_and_zcdp_bounds():
    totals = formula_totals("puredp", calls(*GEOMETRIC), DELTA)
    assert [round(total.epsilon, 2) for total in totals] == [15.29, 14.16, 14.16, 13.55, 17.98, 17.98, 18.75]
    assert [total.delta for total in totals] == [0, *[DELTA] * 6]


def test_the_printed_renyi_formula_alone_is_called_no_bound():
    totals = formula_totals("puredp", calls(*GEOMETRIC), DELTA)
    assert [total.caveat for total in totals] == ["", "", "", NO_BOUND, "", "", ""]


def test_the_zcdp_of_pure_dp_is_half_the_squares_of_the_worse_kind():
    (call,) = calls("0.9", groups=3, gamma="0.5")
    assert zcdp_of_pure_dp([call]) == 3 * Fraction("0.3") ** 2 / 2


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
@pytest.mark.parametrize("budget", ["1e-20", "1e12"])
def test_extreme_budgets_have_totals(definition, budget):
    totals = formula_totals(definition, calls(budget), DELTA)
    assert all(0 <= total.epsilon < 1e25 for total in totals if not total.caveat)


def test_groups_of_equal_budgets_are_put_together():
    together = merged(calls("0.534", "0.159", "0.534"))
    assert sorted(call.groups for call in together) == [9, 18]
    assert merged(together) == together


def test_the_order_of_levels_does_not_matter():
    one, other = calls("0.5", "0.2"), calls("0.2", "0.5")
    assert formula_totals("zcdp", one, DELTA) == formula_totals("zcdp", other, DELTA)


def test_a_person_in_one_of_two_parts_loses_the_larger():
    known, more = Total("rule", 2.0, DELTA), Total("rule", 3.0, DELTA)
    assert either([known], [more]) == either([more], [known]) == (more,)


def test_a_part_whose_loss_is_unknown_makes_that_of_one_person_unknown():
    known, unknown = Total("rule", 2.0, DELTA), Total("rule", None, DELTA, "why")
    assert either([known], [unknown]) == either([unknown], [known]) == (unknown,)


def test_calls_are_what_they_are():
    (call,) = calls("0.9")
    assert call == GroupCalls(9, call.budgets)
    assert call.budgets.stage_1 + call.budgets.stage_2 == call.budgets.total_only == Fraction("0.1")
