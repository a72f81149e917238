"""The bound from one run with canaries: exact, near the stated loss where it can be, and above it where noise lacks."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from scipy import stats

from safetab_sql.accounting import plan
from safetab_sql.laws.cumulative import Law
from safetab_sql.settings.budgets import PrivacyDefinition
from tests.audit.canaries import CanaryAudit, audit_canaries, loss_shown
from tests.conftest import REPOSITORY

TOTALS = """\
privacy_definition = "puredp"
[unit]
one = "stay"
many = "stays"
[place]
key = { HOSPITAL = "text" }
[region_types]
HOSPITAL.id = "HOSPITAL"
[questions.diagnosis]
column = "MDC"
values = ["01", "02", "03", "04", "05", "NA"]
[attributes]
SEX.values = ["F", "M"]
[ladders.TOTALS]
choose = "always"
statistics = [{ name = "sex", cells = { SEX = "each" } }]
levels = [{ each = ["HOSPITAL-1"], budget = 1, total_only = true }]
"""


@pytest.fixture
def totals(tmp_path: Path) -> Path:
    (tmp_path / "totals.toml").write_text(TOTALS)
    return tmp_path / "totals.toml"


def audited(parameters: Path, canaries: int, *budgets: str) -> list[CanaryAudit]:
    return audit_canaries(parameters, canaries, [Fraction(each) for each in budgets])


# --- the bound ---


@pytest.mark.parametrize(("guesses", "right"), [(500, 366), (1_000, 999), (250, 250), (40, 35)])
def test_a_bound_is_the_largest_loss_that_an_exact_binomial_tail_rules_out(guesses: int, right: int) -> None:
    """Against scipy's tail: so many right guesses have the chance under the bound, and more a grid step above it."""
    bound, chance = loss_shown(guesses, right, Fraction(1, 20)), 0.05
    likely = stats.logistic.cdf(bound)
    assert stats.binom.sf(right - 1, guesses, likely) <= chance * (1 + 1e-9)
    assert stats.binom.sf(right - 1, guesses, likely + 2 / 2**16) > chance


@pytest.mark.parametrize("right", [0, 250, 260])
def test_as_many_wrong_guesses_show_nothing(right: int) -> None:
    assert loss_shown(500, right, Fraction(1, 20)) == 0


# --- runs ---


@pytest.mark.slow
def test_pure_totals_show_more_than_half_of_what_is_stated(totals: Path) -> None:
    """At epsilon 1, 1,000 guesses that are right with chance 0.731 show half of it in all but 1 of 10^6 runs.

    Honest noise shows more than is stated in at most 5 of 100 runs, and 1.4 times as much in fewer than 1 of 10^6.
    """
    for audit, epsilon in zip(audited(totals, 1_000, "1", "4", "8"), (1, 4, 8), strict=True):
        assert (audit.stated, audit.delta, audit.canaries) == (epsilon, 0, 1_000)
        assert epsilon / 2 < audit.found < 1.4 * epsilon


@pytest.mark.slow
def test_noise_for_a_fourth_of_the_loss_is_noticed(totals: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original: Callable[[PrivacyDefinition, Fraction], Law] = plan.noise_law
    monkeypatch.setattr(plan, "noise_law", lambda definition, budget: original(definition, 4 * budget))
    (audit,) = audited(totals, 400, "1")
    assert audit.found > 2 > audit.stated


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ladders.toml", "norland/parameters.toml", "paper-puredp.toml"])
def test_the_products_show_no_more_than_they_state(name: str) -> None:
    """Each is far below what it states: its levels share the loss, and a record is alone in few groups of some."""
    (audit,) = audited(REPOSITORY / "configs" / name, 300)
    assert audit.found < 0.7 * audit.stated
    assert audit.delta == (0 if name in ("ladders.toml", "paper-puredp.toml") else Fraction(1, 10**10))
