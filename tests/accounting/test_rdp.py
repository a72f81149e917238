"""Renyi divergence of geometric noise: against the sum that defines it, and the paper's figures."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.reproductions.haney import both_stages_epsilon
from safetab_sql.accounting.accountants import (
    geometric_rdp,
    geometric_rdp_to_approximate_dp,
    geometric_rdp_to_approximate_dp_paper,
    geometric_total,
    printed_geometric_rdp,
    printed_rdp_to_approximate_dp,
)
from tests.accounting.settings import DELTA, GEOMETRIC, calls

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


@pytest.mark.parametrize("epsilon", [0.05, 0.427, 2.0])
@pytest.mark.parametrize("alpha", [1.01, 2.5, 10.0])
def test_the_printed_formula_is_equation_17(epsilon, alpha):
    with mpmath.workdps(40):
        e, a = mpmath.mpf(epsilon), mpmath.mpf(alpha)
        first = 2 * a / (e * (2 * a - 1)) * mpmath.exp((a - 1) * e)
        second = 2 * (a - 1) / (e * (2 * a - 1)) * mpmath.exp(-a * e)
        printed = mpmath.log((mpmath.exp(e) - 1) / (mpmath.exp(e) + 1) * (first + second)) / (a - 1)
    assert math.isclose(printed_geometric_rdp(epsilon, alpha), float(printed), rel_tol=1e-9)


def test_the_printed_formula_is_no_upper_bound():
    assert printed_geometric_rdp(0.4, 2.0) < float(geometric_rdp(Fraction("0.4"), Fraction(2)))
    assert printed_geometric_rdp(0.4, 1.0001) < 0


def test_the_printed_formulas_give_13_55_where_the_paper_prints_13_2():
    assert math.isclose(printed_rdp_to_approximate_dp(calls(*GEOMETRIC), DELTA), 13.546347, abs_tol=1e-6)


def test_the_exact_divergence_gives_14_16():
    assert math.isclose(geometric_rdp_to_approximate_dp(calls(*GEOMETRIC), DELTA), 14.164981, abs_tol=1e-6)


def test_the_papers_orders_do_almost_as_well_as_the_best():
    best, grid = (
        convert(calls(*GEOMETRIC), DELTA)
        for convert in (geometric_rdp_to_approximate_dp, geometric_rdp_to_approximate_dp_paper)
    )
    assert best <= grid < best + 1e-6


@pytest.mark.slow
def test_groups_that_take_both_stages_would_cost_12_90():
    assert math.isclose(both_stages_epsilon(calls(*GEOMETRIC)), 12.90, abs_tol=0.005)


@pytest.mark.parametrize("budget", ["0.001", "1", "100", "10000"])
def test_no_order_of_the_paper_beats_the_best_one_found(budget):
    best = geometric_rdp_to_approximate_dp(calls(budget), DELTA)
    assert best <= geometric_rdp_to_approximate_dp_paper(calls(budget), DELTA) * (1 + 1e-12)


@given(st.fractions(min_value=Fraction(1, 100), max_value=20, max_denominator=100), ORDERS)
def test_one_call_costs_at_least_as_much_as_two_that_share_its_budget(budget, alpha):
    """Randomised response is the worst of all mechanisms with its pure loss."""
    (call,) = calls(str(float(budget)))
    assert geometric_total([call], alpha) == call.groups * geometric_rdp(call.budgets.total_only, alpha)
