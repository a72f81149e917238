"""The section of the report, its figures and its sentences: complete, drawn, and of the numbers of the summary."""

import math
from fractions import Fraction

import pytest

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.statement import RunStatement, run_statement
from safetab_sql.report.privacy_sections import FIGURES, chance_text, semantics_section
from safetab_sql.report.sections import Section
from safetab_sql.semantics.profiles import CHANGED, Profile, budget_profile, run_profile
from safetab_sql.semantics.summary import Summary, gaussian_power, percent, sentences, summary, zcdp_power
from safetab_sql.settings.parameters import Parameters, load_parameters
from safetab_sql.settings.unit import Unit
from tests.conftest import REPOSITORY
from tests.plans import ledger_at


def stated(config: str) -> tuple[RunStatement, Parameters]:
    parameters = load_parameters(REPOSITORY / "configs" / config)
    return run_statement(ledger_at(parameters), totals={}), parameters


@pytest.fixture(scope="module")
def run() -> Section:
    return semantics_section(*stated("paper-zcdp.toml"), "release")


@pytest.fixture(scope="module", params=["zcdp", "puredp"])
def alone(request) -> Summary:
    return summary(budget_profile(request.param, Fraction("1.5")), (0.02, 0.2))


def test_the_section_of_a_run_has_sentences_four_tables_and_four_charts(run):
    assert run.id == "privacy-semantics"
    assert len(run.paragraphs) == 5
    assert [table.columns[0] for table in run.tables] == ["wrongly accused", "times", "level", "secret"]
    assert tuple(chart.name for chart in run.figures) == FIGURES


def test_the_levels_of_a_run_stand_with_their_budgets_and_powers(run):
    rows = {row[0]: row[1:] for row in run.tables[2].rows}
    assert rows["USA-2"] == ("0.534", f"{gaussian_power(0.05, 0.534):.4f}", chance_text(zcdp_power(0.05, 0.534)))
    assert len(rows) == 7


def test_a_secret_of_a_run_that_nothing_measures_is_told_by_guessing_alone(run):
    """The paper's levels hold neither tracts nor places."""
    rows = {row[0]: row[1:] for row in run.tables[3].rows}
    assert rows["where in the county"][0] == rounded_up(2 * Fraction("0.159"))  # AIANNH areas
    assert rows["the whole record, replaced by another"][0] == rounded_up(2 * Fraction("1.41") + 0)


@pytest.mark.parametrize("config", ["paper-zcdp.toml", "paper-puredp.toml"])
def test_no_figure_of_the_noise_is_above_the_bound_of_any_mechanism(config):
    """At the last epsilons the grid's rounding alone is larger than the bound."""
    found = summary(run_profile(*stated(config), "release"))
    assert all(row.noise <= row.bound for row in found.deltas)
    assert all(row.noise.upper <= row.bound for row in (*found.curve, *found.powers))


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0.74161, "0.7417"), (1.0, "1.0000"), (0.99999, "1.0000"), (0, "0"), (1.23e-7, "1.3e-7"), (1e-5, "1.0e-5")],
)
def test_chances_in_tables_are_rounded_up(chance, text):
    assert chance_text(chance) == text


def found(definition: str, budget: str, **more: object) -> Summary:
    profile = budget_profile(definition, Fraction(budget))
    values = {name: getattr(profile, name) for name in ("title", "definition", "neighbours", "budget", "changed")}
    return summary(Profile(**{**values, **more}))


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        *((0.05, "5 %"), (0.741706, "74.2 %"), (0.7420, "74.2 %"), (0.74201, "74.3 %"), (0.9999, "99.99 %")),
        *((0.99999, "99.999 %"), (1.0, "100 %"), (0.00013, "0.013 %"), (1e-30, "0.0000001 %"), (1 - 1e-14, "100 %")),
    ],
)
def test_chances_are_rounded_up_to_as_many_digits_as_they_take(chance, text):
    assert percent(chance) == text
    assert float(percent(chance).removesuffix(" %")) / 100 >= chance * (1 - 1e-12)


SAID = [  # of a budget, in which sentence
    ("zcdp", "2.63", {}, 0, "wrongly accuses 5 % of the people whose record was not used"),
    ("zcdp", "2.63", {}, 0, "at most 94.7 % of the people whose record was used, whatever the noise, and 74.2 % if it"),
    *(("zcdp", "2.63", {}, 1, "at most 69.1 %"), ("zcdp", "2.63", {}, -1, "rho 2.63 was computed")),
    *(("puredp", "1", {}, 0, "at most 13.6 %"), ("puredp", "1", {}, 1, "at most 2.72 times")),
    *(("puredp", "1", {}, 1, "rightly or wrongly"), ("zcdp", "5", {}, 1, "does not rule out")),
    ("zcdp", "1", {"neighbours": CHANGED}, 0, "used or another put in its place"),
    ("zcdp", "1", {"neighbours": CHANGED}, 0, "the people whose record was replaced"),
]


@pytest.mark.parametrize(("definition", "budget", "more", "place", "words"), SAID)
def test_a_budget_alone_is_explained_by_bounds_that_follow_from_it(definition, budget, more, place, words):
    assert words in sentences(found(definition, budget, **more))[place]


def test_the_chance_of_a_hundredfold_belief_is_that_of_the_theorem():
    rho = 0.5
    wanted = math.exp(-((math.log(100) - rho) ** 2) / (4 * rho))
    assert f"at most {percent(wanted)}." in sentences(found("zcdp", "0.5"))[1]


def test_the_best_and_the_least_protected_part_of_a_record_are_named():
    budgets = {"the roof": "0.1", "the door": "0.7", "the key": "0", "all": "1"}
    secrets = tuple((name, Fraction(budget)) for name, budget in budgets.items())
    said = sentences(found("zcdp", "1", secrets=secrets))[2]
    assert 'if that part is "the roof"' in said
    assert 'if it is "the door"' in said
    assert "key" not in said and "all" not in said  # noqa: PT018


def test_records_that_are_called_records_have_none():
    said = " ".join(sentences(found("zcdp", "1", unit=Unit(one="record", many="records"))))
    assert "whether a record was used" in said
    assert "of the records that were not used rightly accuses at most" in said
    assert "his belief in a true record" in said
    assert "record's" not in said
