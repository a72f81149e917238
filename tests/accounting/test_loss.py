"""The loss of one record and of one person: made in one place, and unknown where nothing bounds it."""

import re
from fractions import Fraction

import pytest

from safetab_sql.accounting.conversions import members_of, zcdp_to_approximate_dp
from safetab_sql.accounting.statement import DELTA, loss_of, person_rule, run_statement, said_loss
from safetab_sql.jobs.plan import plan_of_lists
from safetab_sql.settings.unit import Unit
from tests.conftest import REPOSITORY

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
    assert (loss_of(unit, "zcdp", HALF).of_person, loss_of(unit, "puredp", HALF).of_person) == (rho, epsilon)


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
    text = said_loss(unit, loss_of(unit, "zcdp", HALF))
    assert said in text
    assert text.startswith("One person") == (unit.records_of_a_person is not None)


def test_the_rule_of_an_unknown_loss_says_how_it_grows():
    assert person_rule(STAYS, "puredp") == "a person with k stays loses up to k times as much"


def test_epsilon_of_a_person_is_converted_from_the_rho_of_a_person():
    configs = REPOSITORY / "configs"
    entries = plan_of_lists(configs / "dhcb-2020.toml", None).ledger
    said = members_of(run_statement(entries))
    rho = Fraction(said["totals"]["one_person"]["exact"])
    assert rho == 4 * Fraction(said["totals"]["one_record"]["exact"])
    first = said["approximate_dp"]["one_person"][0]["epsilon_upper_bound"]
    assert first == zcdp_to_approximate_dp(rho, DELTA)
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
