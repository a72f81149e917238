"""Privacy loss distributions: above the exact loss, whichever kinds of group a person is in, and not far above."""

import sys
from fractions import Fraction
from functools import cache

import mpmath
import pytest

from safetab_sql.accounting.accountants import GroupCalls, formula_totals
from safetab_sql.accounting.loss_distribution import loss_distribution_epsilon, loss_distribution_total, unavailable
from safetab_sql.settings.budgets import stage_budgets
from tests.accounting.settings import (
    DELTA,
    GAUSSIAN,
    GEOMETRIC,
    calls,
    gaussian_delta,
    randomised_responses_delta,
)

PAPER_GROUPS = {Fraction("4.27") / 9: 18, Fraction("2.49") / 9: 18, Fraction("0.59") / 9: 27}


@cache
def paper_epsilon(definition: str, delta: Fraction = DELTA) -> float:
    """Our figure for the paper's setting."""
    met = calls(*(GAUSSIAN if definition == "zcdp" else GEOMETRIC))
    return loss_distribution_total(definition, met, delta, formula_totals(definition, met, delta)).epsilon


@pytest.mark.slow
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
    [
        ("1.5", Fraction(1, 10**8)),
        pytest.param("0.2", Fraction(1, 10**3), marks=pytest.mark.slow),
        pytest.param("0.2", Fraction(1, 10**8), marks=pytest.mark.slow),
        pytest.param("1.5", Fraction(1, 10**3), marks=pytest.mark.slow),
    ],
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


@pytest.mark.slow
def test_two_groups_of_different_kinds_are_bounded():
    """What the larger of two totals of one kind each would not promise."""
    (call,) = calls("2", groups=2, gamma="0.5")
    epsilon = loss_distribution_epsilon("zcdp", (call,), Fraction(1, 10**6), 15.0)
    mixed = [call.budgets.total_only, call.budgets.stage_1, call.budgets.stage_2]
    assert gaussian_delta(mixed, epsilon, reach=14) <= 1e-6


@pytest.mark.slow
def test_a_finer_grid_changes_little(monkeypatch):
    coarse = paper_epsilon("zcdp")
    monkeypatch.setattr("safetab_sql.accounting.loss_distribution.CELLS", 100_000)
    assert abs(paper_epsilon.__wrapped__("zcdp") - coarse) < 1e-4


@pytest.mark.slow
def test_the_bound_is_below_that_of_the_formulas():
    for definition, budgets in (("zcdp", GAUSSIAN), ("puredp", GEOMETRIC)):
        formulas = formula_totals(definition, calls(*budgets), DELTA)
        assert paper_epsilon(definition) < min(total.epsilon for total in formulas if not total.caveat)


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


def test_noise_too_wide_for_the_library_is_noticed_whichever_stage_has_it():
    """With most of the budget for stage 1, stage 2 has the wide noise: it took minutes."""
    budgets = stage_budgets(Fraction("0.001"), 1, Fraction("0.9999999"))
    assert "sigma above 20,000" in unavailable("zcdp", [GroupCalls(1, budgets)], DELTA, 10.0)


def test_without_the_library_the_row_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.pld_pmf", None)
    met = calls(*GAUSSIAN)
    total = loss_distribution_total("zcdp", met, DELTA, formula_totals("zcdp", met, DELTA))
    assert (total.epsilon, total.caveat) == (None, "not computed: pip install 'safetab-sql[accounting]'")
