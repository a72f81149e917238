"""What a record is called, and what one person loses where a record is something else."""

from dataclasses import dataclass

import pytest

from safetab_sql.accounting.ledger import loss_of_a_person
from safetab_sql.public.unit import Unit, in_words

STAY = Unit(one="stay", many="stays")


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    rows: tuple[tuple[str, int], ...]


def test_a_text_speaks_of_what_a_record_is() -> None:
    assert (
        in_words(STAY, "People: one person of 3 persons, a person's record")
        == "Stays: one stay of 3 stays, a stay's record"
    )


def test_names_of_levels_and_keys_stay_as_they_are() -> None:
    said = {"one_person": Said("of COUNTRY-people", (("persons, noisy", 3),))}
    assert in_words(STAY, said) == {"one_person": Said("of COUNTRY-people", (("stays, noisy", 3),))}


def test_of_people_nothing_changes() -> None:
    assert in_words(Unit(), "people and persons") == "people and persons"


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (Unit(), ""),
        (STAY, "a person with k stays loses up to k^2 times as much"),
        (Unit("household", "households", person_replaces=True), "the loss of one person is twice that of a record"),
    ],
)
def test_the_loss_of_a_person_is_said_where_a_record_is_something_else(unit: Unit, said: str) -> None:
    assert said in loss_of_a_person(unit, "zcdp")
