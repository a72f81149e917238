"""From margins of error and from a wanted loss to budgets: as the paper prints them, exact, and certified."""

import shutil
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest

from docs.reproductions.haney import PRINTED, paper_epsilon, reproduced
from safetab_sql.accounting.accountants import formula_totals, loss_distribution_total
from safetab_sql.accounting.conversions import rounded_down
from safetab_sql.jobs.targets import loss_target, settings_of, targets, targets_toml
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.laws.noise import margin_of_error, noise_law
from safetab_sql.semantics.targets import exact_level_budget, largest_budgets, level_budget, paper_level_budget
from safetab_sql.settings.budgets import stage_budgets
from safetab_sql.settings.parameters import load_parameters
from tests.accounting.settings import DELTA, calls, gaussian_chances

GAMMA = Fraction("0.1")


def stage_2(budget: Fraction, stability: int = 9) -> Fraction:
    return stage_budgets(budget, stability, GAMMA).stage_2


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: row.name)
def test_tables_1_and_4_come_out_as_printed(row):
    assert reproduced(row, "puredp") == row.epsilon
    assert reproduced(row, "zcdp") == row.rho


@pytest.mark.parametrize("moe", [0, 6, 1000])
def test_equation_38_is_rounded_up_and_by_next_to_nothing(moe):
    with mpmath.workdps(50):
        exact = mpmath.log(20) / (moe + 1)
        bound = paper_epsilon(moe)
        above = mpmath.mpf(bound.numerator) / bound.denominator
        assert exact <= above <= exact * (1 + mpmath.mpf("1e-28"))


def test_stage_2_gets_one_minus_gamma_of_a_group():
    budget = level_budget(Fraction("0.249"), 9, GAMMA)
    assert budget == Fraction("2.49")
    assert stage_2(budget) == Fraction("0.249")


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
@pytest.mark.parametrize("moe", [0, 1, 6, 11, 50, 700])
@pytest.mark.parametrize("stability", [1, 9])
def test_an_exact_budget_keeps_the_margin_and_a_thousandth_less_does_not(definition, moe, stability):
    budget = exact_level_budget(definition, moe, stability, GAMMA)
    assert margin_of_error(noise_law(definition, stage_2(budget, stability))) <= moe
    assert margin_of_error(noise_law(definition, stage_2(budget * Fraction(999, 1000), stability))) > moe


@pytest.mark.parametrize("moe", [1, 6, 50])
def test_an_exact_gaussian_budget_by_adding_chances(moe):
    call = stage_2(exact_level_budget("zcdp", moe, 9, GAMMA))
    within = mpmath.fsum(chance for k, chance in gaussian_chances(call, 20 * moe + 40).items() if abs(k) <= moe)
    assert within >= 0.95


def test_an_exact_geometric_budget_by_its_closed_form():
    """P(|noise| <= m) = 1 - 2 t^(m + 1) / (1 + t)."""
    t = mpmath.exp(-float(stage_2(exact_level_budget("puredp", 6, 9, GAMMA))))
    assert 0.95 <= 1 - 2 * t**7 / (1 + t) < 0.9502


def test_a_budget_without_a_decimal_is_rounded_up_at_the_twelfth():
    budget = paper_level_budget("puredp", 11, 9, Fraction("0.3"))
    exact = 9 * Fraction("0.249") / Fraction("0.7")
    assert exact < budget < exact + Fraction(1, 10**12)
    assert (budget * 10**12).denominator == 1


def test_levels_of_any_parameter_file_get_budgets_in_a_file_laid_over_it(tmp_path):
    parameters = Path(shutil.copy(packaged_folder("configs") / "hospitals.toml", tmp_path))
    made = targets(settings_of(parameters), {"HOSPITAL-1": 9})
    (found,) = made.levels
    (tmp_path / "wanted.toml").write_text(targets_toml(made))
    assert "of at most that many stays.\n" in targets_toml(made)
    assert "#   safetab-sql targets --parameters hospitals.toml --rule exact\n" in targets_toml(made)
    budgets = {level.level.name: level.budget for level in load_parameters(tmp_path / "wanted.toml").levels}
    assert budgets == {"ALL-1": Fraction("0.4"), "HOSPITAL-1": found.budget}
    assert (found.exact_moe, found.budget) == (9, exact_level_budget("puredp", 9, 1, Fraction("0.2")))


def test_levels_of_ladders_get_budgets_beside_those_that_stay(tmp_path):
    """Two ladders have a level ALL-1; nothing is spent on the choice of a table that every group gets."""
    parameters = Path(shutil.copy(packaged_folder("configs") / "ladders.toml", tmp_path))
    made = targets(settings_of(parameters), {"SEX ALL-1": 5, "OUTCOMES ALL-1": 20})
    (tmp_path / "wanted.toml").write_text(targets_toml(made))
    before, after = (load_parameters(tmp_path / name) for name in ("ladders.toml", "wanted.toml"))
    budgets = [(ladder.name, level.level.name, level.budget) for ladder in after.ladders for level in ladder.levels]
    assert budgets == [
        ("OUTCOMES", "ALL-1", exact_level_budget("puredp", 20, 1, Fraction("0.2"))),
        ("OUTCOMES", "HOSPITAL-1", Fraction("0.6")),
        ("SEX", "ALL-1", exact_level_budget("puredp", 5, 1, Fraction(0))),
    ]
    assert [level.thresholds for level in after.levels] == [level.thresholds for level in before.levels]


def test_a_level_that_the_parameter_file_lacks_is_refused_with_those_that_it_has():
    with pytest.raises(InputError, match=r"--moe WARD-1: no such level\n.* are ALL-1, HOSPITAL-1"):
        targets(settings_of(packaged_folder("configs") / "hospitals.toml"), {"WARD-1": 9})


# The largest budgets within a wanted (epsilon, delta): each is certified, and hardly any more would be.

EPSILON = Fraction("12.177")


@pytest.fixture(scope="module")
def found():
    return {one.rule: one for one in largest_budgets("zcdp", {"us": calls("1")}, EPSILON, DELTA)}


def test_the_loss_distribution_allows_most_and_is_certified(found):
    """More than the best order; less than the 1.517 of one continuous Gaussian, which is no bound here."""
    _, best, *_ = found.values()
    assert best.rule == "privacy loss distribution"
    assert 1.45 < best.factor < 1.517

    def bound(factor: Fraction) -> float:
        own = calls(str(rounded_down(factor, 9)))
        return loss_distribution_total("zcdp", own, DELTA, formula_totals("zcdp", own, DELTA)).epsilon

    assert bound(best.factor) <= EPSILON < bound(best.factor * Fraction("1.001"))


@pytest.mark.parametrize(("value", "digits", "below"), [("1/3", 3, "0.333"), ("2/3", 2, "0.66"), ("1200", 1, "1000")])
def test_budgets_are_rounded_down(value, digits, below):
    assert rounded_down(Fraction(value), digits) == Fraction(below)


@pytest.mark.slow
def test_all_ladders_of_a_file_get_budgets_within_the_loss_of_a_person_who_has_several_records(tmp_path):
    text = (packaged_folder("configs") / "ladders.toml").read_text(encoding="utf-8")
    stated = text.replace("[unit]\n", "[unit]\nrecords_of_a_person = 4\n")
    (tmp_path / "mine.toml").write_text(stated, encoding="utf-8")
    target = loss_target(settings_of(tmp_path / "mine.toml"), Fraction(2), DELTA)
    text = targets_toml(target)
    (tmp_path / "over.toml").write_text(text, encoding="utf-8")
    after = load_parameters(tmp_path / "over.toml")
    assert sum(level.budget for level in after.levels) == pytest.approx(Fraction(1, 2), rel=1e-9)
    assert target.total == Fraction(22, 5)
    assert "with which the loss of one\n# person is at most epsilon 2 " in text
