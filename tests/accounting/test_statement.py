"""The ledger: exact budgets, noise named by its law, totals of the parts."""

import math
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.accounting import statement
from safetab_sql.accounting.conversions import Total, exact_json, members_of, zcdp_to_approximate_dp
from safetab_sql.accounting.statement import Loss, run_statement, standard_deviation
from safetab_sql.jobs.plan import plan_of_lists
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.settings.unit import Unit
from tests.conftest import REPOSITORY
from tests.plans import ledger_at

CONFIGS = Path(__file__).parents[2] / "configs"


def entries(name: str, stability: int = 9) -> statement.RunSpending:
    parameters = load_parameters(CONFIGS / f"{name}.toml")
    return ledger_at(parameters, stability)


def test_the_2020_run_spends_what_the_bureau_published():
    spent = entries("ddhca-2020")
    parts = {name: loss.of_person for name, loss in spent.parts.items()}
    assert parts == {"US": Fraction("4.944"), "PR": Fraction("2.643")}
    assert (spent.loss.of_person, run_statement(spent).loss.totals["sum"]) == (Fraction("4.944"), Fraction("7.587"))


def test_a_part_that_is_not_run_spends_nothing():
    both = load_parameters(CONFIGS / "ddhca-2020.toml")
    parameters = replace(both, geography=replace(both.geography, run=("PR",)))
    spent = ledger_at(parameters)
    assert (spent.parts["US"].of_person, spent.loss.of_person) == (0, Fraction("2.643"))
    assert {level.part for level in spent.levels} == {"PR"}


def test_a_county_level_with_gaussian_noise():
    county = next(level for level in entries("paper-zcdp").levels if level.name == "COUNTY-2")
    total_only, stage_1, stage_2 = county.calls.all
    assert total_only.budget == Fraction(159, 9000)
    assert stage_1.budget == Fraction(159, 90000)
    assert stage_2.budget == Fraction("0.0159")
    assert stage_2.law == DiscreteGaussian(Fraction("0.0159"))
    assert math.isclose(standard_deviation(stage_2.law), 5.6077, abs_tol=1e-4)
    assert county.thresholds == (971, 4971, 19971)
    assert {(one.suppression_threshold, one.total_only_threshold) for one in entries("ddhca-2020").levels} > {(21, 20)}


@pytest.mark.parametrize(
    ("budget", "least", "order", "wanted"),
    [
        ("0.159", None, 1, (880, 1980, 5060)),  # of 8, 18 and 46 cells, each +-11
        ("0.159", 1000, 1, (1000, 1980, 5060)),
        ("0.159", None, -1, (5060, 5060, 5060)),
        ("1000", None, 1, (1, 1, 1)),
    ],
)
def test_thresholds_in_margins_follow_the_margin_and_the_number_of_cells_and_rise(budget, least, order, wanted):
    read = load_parameters(CONFIGS / "paper-zcdp.toml")
    levels = [each for each in read.levels if each.level.name == "COUNTY-2"]
    levels = [replace(each, thresholds=(), margins=10, budget=Fraction(budget)) for each in levels]
    ladder = replace(read.ladders[0], statistics=read.ladders[0].statistics[::order], levels=tuple(levels))
    (county,) = ledger_at(replace(read, ladders=(ladder,), suppress_below=least)).levels
    assert county.thresholds == wanted


def test_a_nation_level_with_geometric_noise():
    nation = next(level for level in entries("paper-puredp").levels if level.name == "USA-2")
    stage_2 = nation.calls.stage_2
    assert stage_2.budget == Fraction("0.427")
    assert stage_2.law == TwoSidedGeometric(Fraction("0.427"))
    t = math.exp(-0.427)
    assert math.isclose(standard_deviation(stage_2.law), math.sqrt(2 * t) / (1 - t), rel_tol=1e-12)


@pytest.mark.parametrize("name", ["paper-zcdp", "paper-puredp", "ddhca-2020", "example"])
@pytest.mark.parametrize("stability", [1, 9, 25])
def test_the_calls_on_one_person_cost_exactly_the_level_budget(name, stability):
    spent = entries(name, stability)
    alone = [stability * level.calls.total_only.budget for level in spent.levels]
    adaptive = [stability * (level.calls.stage_1.budget + level.calls.stage_2.budget) for level in spent.levels]
    assert alone == adaptive == [level.budget for level in spent.levels]


def test_the_rendering_converts_the_totals_to_epsilon_and_delta():
    read = members_of(run_statement(entries("paper-zcdp")))
    bounds = [round(bound["epsilon_upper_bound"], 1) for bound in read["approximate_dp"]["us"]]
    assert bounds == [12.2, 12.2, 12.8]
    assert "pr" not in read["approximate_dp"]


def test_the_rendering_calls_no_figure_a_bound_that_is_none():
    rows = members_of(run_statement(entries("paper-puredp")))["approximate_dp"]["us"]
    (printed,) = [row for row in rows if "epsilon_upper_bound" not in row]
    assert round(printed["epsilon_not_a_bound"], 2) == 13.55
    assert "not an upper bound" in printed["caveat"]


def test_the_calls_of_two_parts_are_apart_and_together():
    calls = statement.group_calls(entries("ddhca-2020"))
    assert [len(calls[name]) for name in ("us", "pr", "sum")] == [11, 8, 19]
    assert sum(call.groups * call.budgets.total_only for call in calls["pr"]) == Fraction("2.643")


def test_one_person_loses_what_the_larger_part_costs():
    spent = entries("ddhca-2020")
    totals = statement.with_losses(spent, statement.approximate_totals(spent))
    assert totals["one_record"] == totals["one_person"] == totals["us"]
    assert totals["sum"][0].epsilon > totals["us"][0].epsilon > totals["pr"][0].epsilon
    known = Total("rule", 2.0, statement.DELTA)
    for other in (replace(known, epsilon=3.0), replace(known, epsilon=None)):  # or nobody knows what
        parts = {"us": [other], "pr": [known], "sum": [other]}, {"us": [known], "pr": [other], "sum": [other]}
        assert [statement.with_losses(spent, each)["one_record"] for each in parts] == [(other,), (other,)]


@given(st.fractions(min_value=0, max_value=10**9))
def test_a_decimal_for_people_is_never_below_the_rational(value):
    shown = exact_json(value)
    assert Fraction(shown["exact"]) == value
    assert value <= Fraction(Decimal(shown["decimal"])) <= value * (1 + Fraction(1, 10**11))


def test_a_level_says_whether_somebody_can_be_in_as_many_groups_as_its_stability():
    parameters = load_parameters(REPOSITORY / "configs" / "paper-zcdp.toml")
    names = [level.level.name for level in parameters.levels]
    levels = members_of(run_statement(ledger_at(parameters, not_exact=names[:1])))["levels"]
    rules = [level["stability_rule"].partition("by the code lists: ")[2] for level in levels]
    assert rules == [statement.BOUND_RULE, *[statement.EXACT_RULE] * (len(names) - 1)]


# The loss of one record and of one person: made in one place, and unknown where nothing bounds it.


HALF = Fraction(1, 2)
STAYS, FIVE = Unit("stay", "stays", None), Unit("stay", "stays", 5)
HOUSEHOLDS = Unit("household", "households", 2)


@pytest.mark.parametrize(
    ("unit", "rho", "epsilon"),
    [
        (Unit(), HALF, HALF),
        (Unit("resident", "residents", 1), HALF, HALF),
        (FIVE, 25 * HALF, 5 * HALF),
        (HOUSEHOLDS, 4 * HALF, 2 * HALF),
        (STAYS, None, None),
    ],
)
def test_a_person_with_k_records_loses_k_or_k_squared_times_as_much(unit, rho, epsilon):
    assert (Loss(unit, "zcdp", HALF).of_person, Loss(unit, "puredp", HALF).of_person) == (rho, epsilon)


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (Unit(), "One person loses at most rho 0.5."),
        (
            STAYS,
            "One stay loses at most rho 0.5. The loss of a person is unknown: a person with k stays loses up to k^2",
        ),
        (FIVE, "One person loses at most rho 12.5: a person has at most 5 stays, and loses at most 25 times"),
        (HOUSEHOLDS, "One person loses at most rho 2: a person has at most 2 households, and loses at most 4 times"),
        (Unit("resident", "residents", 1), "a person has at most one resident, and loses at most as much as one res"),
    ],
)
def test_the_loss_in_words_is_of_a_person_only_where_it_is_known(unit, said):
    text = statement.said_loss(Loss(unit, "zcdp", HALF))
    assert said in text
    assert text.startswith("One person") == (unit.records_of_a_person is not None)


def test_the_rule_of_an_unknown_loss_says_how_it_grows():
    assert statement.person_rule(STAYS, "puredp") == "a person with k stays loses up to k times as much"


def test_epsilon_of_a_person_is_converted_from_the_rho_of_a_person():
    configs = REPOSITORY / "configs"
    entries = plan_of_lists(configs / "dhcb-2020.toml", None).ledger
    said = members_of(run_statement(entries))
    rho = Fraction(said["totals"]["one_person"]["exact"])
    assert rho == 4 * Fraction(said["totals"]["one_record"]["exact"])
    first = said["approximate_dp"]["one_person"][0]["epsilon_upper_bound"]
    assert first == zcdp_to_approximate_dp(rho, statement.DELTA)
    assert first < 4 * said["approximate_dp"]["one_record"][0]["epsilon_upper_bound"]


SOURCES = {
    file.relative_to(REPOSITORY / "safetab_sql").as_posix(): file.read_text(encoding="utf-8")
    for file in sorted((REPOSITORY / "safetab_sql").rglob("*.py"))
}


@pytest.mark.parametrize(
    ("named", "free"),
    [
        # A part may not be called like a key.
        (r"[\"']one_(record|person)[\"']", {"accounting/statement.py", "settings/geography.py"}),
        (r"\.records_of_a_person\b", {"accounting/statement.py", "published/new_release.py", "settings/unit.py"}),
    ],
)
def test_one_module_names_the_keys_of_a_loss_and_derives_the_loss_of_a_person(named, free):
    """Others take the keys and the figures from it, so that a figure stands under the key that it belongs to."""
    assert {file for file, text in SOURCES.items() if re.search(named, text)} <= free
