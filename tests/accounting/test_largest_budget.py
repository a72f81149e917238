"""From a wanted (epsilon, delta) to the largest budgets: each is certified, and hardly any more would be."""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.accounting.accountants import formula_totals
from safetab_sql.accounting.conversions import zcdp_to_approximate_dp
from safetab_sql.accounting.loss_distribution import loss_distribution_total
from safetab_sql.accounting.targets import largest_budgets, rounded_down
from safetab_sql.jobs.targets import census_settings, loss_target, loss_target_toml, settings_of
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.settings.parameters import load_parameters
from tests.accounting.settings import DELTA, calls

EPSILON = Fraction("12.177")


@pytest.fixture(scope="module")
def found():
    return {one.rule: one for one in largest_budgets("zcdp", {"us": calls("1")}, EPSILON, DELTA)}


@pytest.mark.slow
def test_the_best_order_allows_what_the_paper_spends(found):
    """The paper's rho of 1.41 costs an epsilon that it prints as 12.2: 12.1773."""
    rho = found["zCDP, best Renyi order (paper eq. 7)"].factor
    assert float(rho) == pytest.approx(1.41, rel=1e-4)
    assert zcdp_to_approximate_dp(rho, DELTA) <= EPSILON < zcdp_to_approximate_dp(rho * Fraction("1.0001"), DELTA)


def test_the_loss_distribution_allows_most_and_is_certified(found):
    """More than the best order; less than the 1.517 of one continuous Gaussian, which is no bound here."""
    best = next(iter(found.values()))
    assert best.rule == "privacy loss distribution"
    assert 1.45 < best.factor < 1.517

    def bound(factor: Fraction) -> float:
        own = calls(str(rounded_down(factor, 9)))
        return loss_distribution_total("zcdp", own, DELTA, formula_totals("zcdp", own, DELTA)).epsilon

    assert bound(best.factor) <= EPSILON < bound(best.factor * Fraction("1.001"))


@pytest.mark.slow
def test_pure_dp_keeps_within_epsilon_to_the_last_digit():
    assert loss_target(census_settings("puredp"), Fraction("0.3"), DELTA).largest == Fraction("0.3")


@pytest.mark.slow
def test_the_loss_is_that_of_the_part_in_which_a_person_loses_most():
    apart = {"us": calls("1"), "pr": calls("0.25")}
    (one, *_), (both, *_) = (largest_budgets("puredp", parts, EPSILON, DELTA) for parts in ({"us": calls("1")}, apart))
    assert both.factor == one.factor == EPSILON


@pytest.mark.parametrize(("value", "digits", "below"), [("1/3", 3, "0.333"), ("2/3", 2, "0.66"), ("1200", 1, "1000")])
def test_budgets_are_rounded_down(value: str, digits: int, below: str):
    assert rounded_down(Fraction(value), digits) == Fraction(below)


@pytest.mark.slow
def test_all_ladders_of_a_file_get_budgets_within_the_loss_of_a_person_who_has_several_records(tmp_path: Path):
    text = (packaged_folder("configs") / "ladders.toml").read_text(encoding="utf-8")
    stated = text.replace("[unit]\n", "[unit]\nrecords_of_a_person = 4\n")
    (tmp_path / "mine.toml").write_text(stated, encoding="utf-8")
    target = loss_target(settings_of(tmp_path / "mine.toml"), Fraction(2), DELTA)
    text = loss_target_toml(target)
    (tmp_path / "over.toml").write_text(text, encoding="utf-8")
    after = load_parameters(tmp_path / "over.toml")
    assert sum(level.budget for level in after.levels) == pytest.approx(Fraction(1, 2), rel=1e-9)
    assert ("with which the loss of one\n# person is at most epsilon 2 " in text, target.total) == (
        True,
        Fraction(22, 5),
    )


@pytest.mark.slow
def test_a_parameter_file_gets_budgets_within_the_loss(tmp_path: Path):
    configs = packaged_folder("configs")
    shutil.copy(configs / "paper-puredp.toml", tmp_path / "mine.toml")
    target = loss_target(settings_of(tmp_path / "mine.toml", configs / "example-lists"), Fraction(2), DELTA)
    (tmp_path / "over.toml").write_text(loss_target_toml(target), encoding="utf-8")
    before, after = (load_parameters(tmp_path / name) for name in ("mine.toml", "over.toml"))
    scaled = {level.level.name: level.budget for level in after.levels}
    assert {level.name: level.scaled for level in target.levels}.items() <= scaled.items()
    assert 2 < sum(level.scaled for level in target.levels) <= target.largest  # many small losses add up to less
    assert after.gamma == before.gamma
