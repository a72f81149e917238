"""A region type of the file's own may divide states, counties and tracts, whether it suppresses or not: it counts."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.ledger import run_statement
from safetab_sql.jobs.semantics import summary_json
from safetab_sql.report.semantics_section import section_of
from safetab_sql.semantics.profiles import run_profile
from safetab_sql.semantics.summary import Summary, gaussian_power, summary
from safetab_sql.settings.parameters import load_parameters
from tests.cli.command import call
from tests.plans import ledger_at

HEAD = """privacy_definition = "zcdp"
max_race_codes = 8
gamma = 0.1
allow_negative_counts = true
run_us = true
run_pr = true
state_filter_us = ["01"]
"""
LEVEL = "budget = {budget}\nthresholds = [471, 971, 6971]\n"


def own(name: str, expression: str, part: str = "US", *, is_sub_state: bool) -> str:
    table = f'[region_types.{name}]\nid = "{expression}"\npart = "{part}"\n'
    rules = 'without = "DETAILED_ONLY"\nsuppress = true\n' if is_sub_state else 'without = "COARSE_ONLY"\n'
    return table + rules


def levels(budgets: Mapping[str, str]) -> str:
    return "".join(f"[levels.{name}]\n{LEVEL.format(budget=budget)}" for name, budget in budgets.items())


# What protects "where in the state", the county and the tract: twice the budgets of the levels that may change.
CASES = {
    "a metropolitan area, never suppressed": (
        HEAD.replace("run_pr = true", "run_pr = false")
        + own("METRO", "substr(TABBLKCOU, 1, 1)", is_sub_state=False)
        + levels({"STATE-1": "1", "METRO-1": "3", "COUNTY-1": "0.2", "TRACT-1": "0.03"}),
        ("6.46", "6.06", "6"),
    ),
    "another country, all in one state": (
        HEAD.replace("run_pr = true", "run_pr = false")
        + own("COUNTRY", "'1'", is_sub_state=False)
        + own("PROVINCE", "substr(TABBLKCOU, 1, 1)", is_sub_state=False)
        + own("DISTRICT", "TABBLKCOU", is_sub_state=True)
        + levels({"COUNTRY-1": "1", "PROVINCE-1": "1", "DISTRICT-1": "1"}),
        ("6", "6", "6"),
    ),
    "Puerto Rico": (
        HEAD.replace("run_us = true", "run_us = false")
        + own("PR-REGION", "substr(TABBLKCOU, 1, 1)", "PR", is_sub_state=False)
        + levels({"PR-STATE-1": "1", "PR-REGION-1": "3", "PR-COUNTY-1": "0.2"}),
        ("6.4", "6", "6"),
    ),
}
PLACES = ("where in the state", "where in the county", "where in the tract")


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES)
def case(request, tmp_path_factory) -> tuple[Path, Summary, dict[str, Fraction]]:
    """A parameter file, what is said of it, and what protects each place in it."""
    text, budgets = request.param
    path = tmp_path_factory.mktemp("own") / "parameters.toml"
    path.write_text(text, encoding="utf-8")
    parameters = load_parameters(path)
    entries = ledger_at(parameters)
    ledger = run_statement(entries, delta=Fraction(1, 10**10), totals={})
    found = summary(run_profile(ledger, parameters, "release"))
    return path, found, dict(zip(PLACES, map(Fraction, budgets), strict=True))


@pytest.mark.each_time("a metropolitan area")
@pytest.mark.slow
def test_the_json_counts_every_level_of_ones_own_against_every_place(case):
    _, found, budgets = case
    rows = {row["name"]: row for row in summary_json(found)["secrets"]}
    assert {place: Fraction(rows[place]["budget"]["exact"]) for place in PLACES} == budgets
    for place, budget in budgets.items():
        (power,) = [power for power in rows[place]["powers"] if power["level"] == 0.05]
        assert power["bound"] > power["gaussian"] == pytest.approx(gaussian_power(0.05, float(budget)))


@pytest.mark.slow
def test_the_text_says_no_smaller_power_than_the_noise_has(case):
    path, _, budgets = case
    lines = call("semantics", "--parameters", path).stdout.splitlines()
    for place, budget in budgets.items():
        (words,) = [line.removeprefix(place).split() for line in lines if line.startswith(place)]
        assert words[:2] == [rounded_up(budget), f"{gaussian_power(0.05, float(budget)):.4f}"]


@pytest.mark.slow
def test_the_section_of_the_report_counts_them_too(case):
    _, found, budgets = case
    rows = {row[0]: row[1] for row in section_of(found).tables[3].rows}
    assert {place: rows[place] for place in PLACES} == {place: rounded_up(budget) for place, budget in budgets.items()}
