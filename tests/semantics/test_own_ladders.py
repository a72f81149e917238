"""What a budget means for one person where tables are not sex by age: each attribute costs the ladders that use it."""

import json
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.ledger import DELTA, run_statement
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.semantics.profiles import Profile, run_profile
from safetab_sql.settings.parameters import Parameters, load_parameters
from tests.cli.command import call
from tests.plans import ledger_at

CONFIGS = packaged_folder("configs")


def profile(parameters: Parameters, stability: int) -> Profile:
    return run_profile(run_statement(ledger_at(parameters, stability), delta=DELTA, totals={}), parameters, "release")


# Stage 2 spends 0.8 of the two levels of OUTCOMES (1), and all of SEX (0.1); one changed record costs twice as much.
STAYS = {
    "the whole record, replaced by another": "2.2",
    "the answers to all questions": "2.2",
    "OUTCOME": "1.6",
    "AGE": "1.6",
    "SEX": "1.8",
    "OUTCOME, AGE and SEX": "1.8",
    "where": "2.2",
}


def test_an_attribute_costs_the_cells_of_the_ladders_that_use_it() -> None:
    found = profile(load_parameters(CONFIGS / "ladders.toml"), 1)
    assert dict(found.secrets) == {name: Fraction(budget) for name, budget in STAYS.items()}
    assert [name for name, _ in found.levels] == ["OUTCOMES ALL-1", "OUTCOMES HOSPITAL-1", "SEX ALL-1"]


def test_a_table_that_no_noise_picks_is_one_call_of_the_whole_budget() -> None:
    """T3 and T4 spend nothing on a choice: a household meets 9 calls a level, and what changes one spares the other."""
    found = profile(load_parameters(CONFIGS / "dhcb-2020.toml"), 9)
    secrets = dict(found.secrets)
    whole = Fraction("8.895302")
    assert (found.budget, found.changed) == (whole, 2 * whole)
    assert (secrets["HOUSEHOLD_TYPE"], secrets["TEN"], secrets["HOUSEHOLD_TYPE and TEN"]) == (whole, whole, 2 * whole)
    (calls,) = found.compositions
    assert sum(call.times for call in calls) == 2 * 11 * 9
    assert (found.groups, sum(call.times * call.law.rho for call in calls)) == ((), whole)


def test_both_kinds_of_ladder_are_composed_together() -> None:
    found = profile(load_parameters(CONFIGS / "ladders.toml"), 1)
    assert [len(calls) for calls in found.compositions] == [5, 3]
    assert [call.law.epsilon for call in found.calls] == [Fraction("0.1")]
    assert {sum(call.times * call.law.epsilon for call in calls) for calls in found.compositions} == {Fraction("1.1")}


def test_the_loss_of_a_person_is_stated_where_a_record_is_a_household(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(
        """privacy_definition = "puredp"
unit = { one = "household", many = "households", person_replaces = true }
place.key = { TOWN = "text" }
region_types.ALL.id = "'all'"
attributes.TENURE.values = ["owner", "renter"]
[ladders.TENURE]
choose = "always"
statistics = [{ name = "tenure", cells = { TENURE = "each" } }]
levels = [{ each = ["ALL-ALL"], budget = 0.75 }]
"""
    )
    done = call("semantics", "--parameters", tmp_path / "small.toml", "--json")
    said = json.loads(done.stdout)
    assert (said["one_record"]["exact"], said["one_person"]["exact"]) == ("3/4", "3/2")
    assert "one household added or removed" in said["neighbours"]
