"""The accountants: which apply, what is a bound, the published figures, and that none is below the exact loss."""

import math
from fractions import Fraction
from functools import cache
from importlib import import_module

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.accounting.accountants import (
    CELLS,
    NO_BOUND,
    GroupCalls,
    formula_totals,
    geometric_rdp,
    geometric_total,
    loss_distribution_epsilon,
    loss_distribution_total,
    merged,
    printed_geometric_rdp,
    unavailable,
    zcdp_of_pure_dp,
)
from safetab_sql.settings.budgets import stage_budgets
from tests.accounting.settings import DELTA, GAUSSIAN, GEOMETRIC, calls, gaussian_delta, randomised_responses_delta


def test_gaussian_noise_has_three_zcdp_bounds_the_papers_among_them():
    totals = formula_totals("zcdp", calls(*GAUSSIAN), DELTA)
    assert [round(total.epsilon, 3) for total in totals] == [12.177, 12.177, 12.806]
    assert {total.caveat for total in totals} == {""}


def test_geometric_noise_has_pure_renyi_and_zcdp_bounds_and_the_printed_formula_is_called_none():
    totals = formula_totals("puredp", calls(*GEOMETRIC), DELTA)
    assert [round(total.epsilon, 2) for total in totals] == [15.29, 14.16, 14.16, 13.55, 17.98, 17.98, 18.75]
    assert [total.delta for total in totals] == [0, *[DELTA] * 6]
    assert [total.caveat for total in totals] == ["", "", "", NO_BOUND, "", "", ""]  # of the printed formula alone


def test_the_zcdp_of_pure_dp_is_half_the_squares_of_the_worse_kind():
    (call,) = calls("0.9", groups=3, gamma="0.5")
    assert zcdp_of_pure_dp([call]) == 3 * Fraction("0.3") ** 2 / 2


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
@pytest.mark.parametrize("budget", ["1e-20", "1e12"])
def test_extreme_budgets_have_totals(definition, budget):
    totals = formula_totals(definition, calls(budget), DELTA)
    assert all(0 <= total.epsilon < 1e25 for total in totals if not total.caveat)


EPSILONS = st.fractions(min_value=Fraction(1, 10**4), max_value=50, max_denominator=10**6)
ORDERS = st.fractions(min_value=Fraction(1001, 1000), max_value=1000, max_denominator=10**4)


def divergence(epsilon: float, alpha: float) -> mpmath.mpf:
    """The definition: 1 / (alpha - 1) * log of the sum over k of P(k)^alpha Q(k)^(1 - alpha), Q(k) = P(k - 1)."""
    with mpmath.workdps(40):
        t = mpmath.exp(-mpmath.mpf(epsilon))

        def chance(k: int) -> mpmath.mpf:
            return (1 - t) / (1 + t) * t ** abs(k)

        reach = 20 + int(60 / epsilon)  # beyond it lies less than e^-60 of the sum
        terms = (chance(k) ** alpha * chance(k - 1) ** (1 - mpmath.mpf(alpha)) for k in range(-reach, reach + 1))
        total = mpmath.fsum(terms)
        return mpmath.log(total) / (mpmath.mpf(alpha) - 1)


@pytest.mark.parametrize("epsilon", [0.0625, 0.25, 1.0, 4.0])
@pytest.mark.parametrize("alpha", [1.0625, 1.5, 2.0, 9.75])
@pytest.mark.each_time("2.0-0.25", "1.0625-4.0")
def test_the_exact_divergence_is_the_sum_over_the_integers(epsilon, alpha):
    computed = float(geometric_rdp(Fraction(epsilon), Fraction(alpha)))
    assert math.isclose(computed, float(divergence(epsilon, alpha)), rel_tol=1e-14)


@given(EPSILONS, ORDERS)
def test_the_exact_divergence_is_rounded_up_and_by_next_to_nothing(epsilon, alpha):
    with mpmath.workdps(80):
        e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        a = mpmath.mpf(alpha.numerator) / alpha.denominator
        exact = mpmath.log((mpmath.exp(e * (a - 1)) + mpmath.exp(-e * a)) / (1 + mpmath.exp(-e))) / (a - 1)
        bound = geometric_rdp(epsilon, alpha)
        above = mpmath.mpf(bound.numerator) / bound.denominator
        assert exact <= above <= exact + mpmath.mpf("1e-24")


@given(EPSILONS, ORDERS)
def test_the_divergence_lies_below_the_pure_loss_and_below_its_zcdp(epsilon, alpha):
    bound = geometric_rdp(epsilon, alpha)
    assert bound <= epsilon + Fraction(1, 10**20)
    assert bound <= alpha * epsilon**2 / 2 + Fraction(1, 10**20)


@pytest.mark.parametrize(("epsilon", "alpha"), [(Fraction(-1), Fraction(2)), (Fraction(1), Fraction(1))])
def test_a_negative_loss_or_an_order_of_one_is_refused(epsilon, alpha):
    with pytest.raises(ValueError, match="epsilon has to be at least 0 and alpha above 1"):
        geometric_rdp(epsilon, alpha)


def test_the_printed_formula_is_no_upper_bound():
    assert printed_geometric_rdp(0.4, 2.0) < float(geometric_rdp(Fraction("0.4"), Fraction(2)))
    assert printed_geometric_rdp(0.4, 1.0001) < 0


@given(st.fractions(min_value=Fraction(1, 100), max_value=20, max_denominator=100), ORDERS)
def test_one_call_costs_at_least_as_much_as_two_that_share_its_budget(budget, alpha):
    """Randomised response is the worst of all mechanisms with its pure loss."""
    (call,) = calls(str(float(budget)))
    assert geometric_total([call], alpha) == call.groups * geometric_rdp(call.budgets.total_only, alpha)


# Privacy loss distributions: above the exact loss, whichever kinds of group a person is in, and not far above.

PAPER_GROUPS = {Fraction("4.27") / 9: 18, Fraction("2.49") / 9: 18, Fraction("0.59") / 9: 27}


@cache
def paper_epsilon(definition: str, delta: Fraction = DELTA) -> float:
    """Our figure for the paper's setting."""
    met = calls(*(GAUSSIAN if definition == "zcdp" else GEOMETRIC))
    return loss_distribution_total(definition, met, delta, formula_totals(definition, met, delta)).epsilon


def test_the_papers_gaussian_setting_lies_between_the_continuous_limit_and_the_formulas():
    """11.68: what continuous Gaussian noise of rho 1.41 costs (accounting.md section 6)."""
    assert 11.68 < paper_epsilon("zcdp") < 11.72


@pytest.mark.parametrize("delta", [Fraction(1, 10**6), DELTA, Fraction(1, 10**12)])
@pytest.mark.slow
def test_the_papers_geometric_setting_is_bounded_and_tightly(delta):
    """Exact by counting: 63 randomised responses, the worst of the two kinds of group everywhere."""
    epsilon = paper_epsilon("puredp", delta)
    assert randomised_responses_delta(PAPER_GROUPS, mpmath.mpf(epsilon)) <= float(delta)
    assert randomised_responses_delta(PAPER_GROUPS, mpmath.mpf(epsilon) * 0.999) > float(delta)


@pytest.mark.parametrize(
    ("budget", "delta"),
    [(budget, delta) for budget in ("0.2", "1.5") for delta in (Fraction(1, 10**3), Fraction(1, 10**8))],
)
@pytest.mark.slow
def test_one_group_of_either_kind_is_bounded(budget, delta):
    """Exact by summing over all noises; the budget is that of one group."""
    (call,) = calls(budget, groups=1, gamma="0.3")
    epsilon = loss_distribution_epsilon("zcdp", (call,), delta, 15.0)
    kinds = ([call.budgets.total_only], [call.budgets.stage_1, call.budgets.stage_2])
    exact = [gaussian_delta(kind, epsilon) for kind in kinds]
    assert max(exact) <= float(delta)
    below = [gaussian_delta(kind, epsilon * 0.99) for kind in kinds]
    assert max(below) > float(delta)


@pytest.mark.parametrize(("definition", "budgets"), [("zcdp", GAUSSIAN), ("puredp", GEOMETRIC), ("zcdp", ("40",))])
@pytest.mark.slow
def test_groups_of_one_kind_cost_what_another_accountant_says(definition, budgets):
    library = import_module("dp_accounting.pld.privacy_loss_distribution")
    groups, grid, cut = merged(calls(*budgets, gamma="0")), 20.0 / CELLS, {"tail_mass_truncation": 1e-16}
    total = library.identity(value_discretization_interval=grid)
    for call in groups:
        law, width = library.from_discrete_laplace_mechanism, float(call.budgets.stage_2)
        if definition == "zcdp":
            law, width = library.from_discrete_gaussian_mechanism, math.sqrt(1 / (2 * call.budgets.stage_2))
        one = law(width, value_discretization_interval=grid, use_connect_dots=True)
        total = total.compose(one.self_compose(call.groups, **cut), **cut)
    found = loss_distribution_epsilon(definition, groups, DELTA, 20.0)
    assert math.isclose(found, total.get_epsilon_for_delta(float(DELTA) * 0.99), rel_tol=1e-6)


@pytest.mark.parametrize(
    ("definition", "budget", "delta", "bound", "reason"),
    [
        ("zcdp", "1", Fraction(1, 10**13), 10.0, "below delta 1e-12"),
        ("zcdp", "1", DELTA, 501.0, "outside 0.001 to 500"),
        ("puredp", "1", DELTA, 0.0005, "outside 0.001 to 500"),
        ("zcdp", "0.00000001", DELTA, 10.0, "sigma above 20,000"),
    ],
)
def test_what_floats_cannot_tell_is_not_computed(definition, budget, delta, bound, reason):
    assert reason in unavailable(definition, calls(budget), delta, bound)


def test_noise_too_wide_is_noticed_whichever_stage_has_it():
    """With most of the budget for stage 1, stage 2 has the wide noise."""
    budgets = stage_budgets(Fraction("0.001"), 1, Fraction("0.9999999"))
    assert "sigma above 20,000" in unavailable("zcdp", [GroupCalls(1, budgets)], DELTA, 10.0)
