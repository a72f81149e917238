"""What a record is called, and how many records a person has."""

import re
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError, refuse
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.reading import Document, read_as
from safetab_sql.settings.tables import table
from safetab_sql.settings.unit import RECORDS, AnyRecords, Unit


@table
class UnitAlone:
    unit: Unit = Unit()


@table
class UnitOfRecords:
    unit: AnyRecords = RECORDS


def read(kind: type = UnitAlone, **unit: object) -> Unit:
    found = read_as(kind, Document(Path("parameters.toml"), {"unit": unit}))
    refuse(found.problems)
    return found.found.unit


of_records = partial(read, UnitOfRecords)  # as `read`, for a method that counts records


@pytest.mark.parametrize(
    ("said", "one", "most"),
    [
        ({}, "person", 1),
        ({"one": "person", "many": "persons"}, "person", 1),
        ({"one": "stay", "many": "stays"}, "stay", None),
        ({"one": "stay", "many": "stays", "records_of_a_person": 5}, "stay", 5),
        ({"records_of_a_person": 5}, "record", 5),
    ],
)
def test_a_record_is_a_person_only_where_it_is_all_that_there_is_of_one(
    said: dict[str, object], one: str, most: int | None
) -> None:
    assert (read(**said).one, read(**said).records_of_a_person) == (one, most)


@pytest.mark.parametrize("value", [0, -1, 1.0, "5", True, 10**10])
def test_the_most_records_of_a_person_is_a_whole_number_of_at_least_one(value: object) -> None:
    with pytest.raises(InputError, match=r"\[unit\]: records_of_a_person is .*\n    write the most records"):
        read(one="stay", many="stays", records_of_a_person=value)


def test_a_record_that_is_not_all_of_a_person_is_not_called_one() -> None:
    with pytest.raises(InputError, match="is not all that there is of one person"):
        read(one="person", many="people", records_of_a_person=5)
    with pytest.raises(ValueError, match="called a person"):
        Unit(records_of_a_person=5)


def test_the_records_of_other_methods_are_of_nobody_known() -> None:
    assert of_records() == RECORDS
    assert asdict(of_records(records_of_a_person=1)) == asdict(Unit("record", "records", 1))
    assert asdict(of_records(one="visit", many="visits", records_of_a_person=3)) == asdict(Unit("visit", "visits", 3))
    assert asdict(of_records(one="person", many="persons")) == asdict(Unit())


def test_other_methods_bound_the_records_of_a_person_by_the_same_keys() -> None:
    said = {"person": "P", "most_records": 5, "keep": {"order": ["DATE desc"]}, "one": "stay", "many": "stays"}
    assert asdict(of_records(**said)) == asdict(read(**said))
    assert asdict(of_records(person="P", most_records=5)) == asdict(read(person="P", most_records=5))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"where": {"A": ["1"]}}, "unknown key 'where'\n    remove it; known keys are one, many"),
        ({"most_record": 3}, "unknown key 'most_record'\n    did you mean 'most_records'?"),
        ({"most_records": 0}, "most_records is 0\n    write a whole number from 1 to 10,000"),
        ({"records_of_a_person": 5}, "person and records_of_a_person stand together"),
        ({"one": "person", "many": "persons"}, "a person is not all that there is of one person"),
    ],
    ids=str,
)
def test_what_other_methods_do_not_know_is_refused(said: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        of_records(**{"person": "P", "most_records": 5, **said})


def test_a_person_of_several_records_has_words_of_what_is_counted() -> None:
    said = {"person": "PATIENT", "most_records": 5}
    assert (read(**said).one, read(**{**said, "most_records": 1}).one) == ("record", "person")


def test_what_is_kept_is_ordered_by_columns_whose_names_may_have_spaces() -> None:
    keep = {"order": ["DATE desc", "day of stay", "NO asc"]}
    found = read(person="PATIENT", most_records=2, keep=keep)
    assert found.keep.columns == (("DATE", True), ("day of stay", False), ("NO", False))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"person": "P"}, "missing key 'most_records'"),
        ({"most_records": 5}, "most_records stands without person"),
        ({"keep": {"order": ["DATE"]}}, "keep stands without person"),
        ({"person": "P", "most_records": 5, "records_of_a_person": 5}, "stand together"),
        ({"person": "P", "most_records": 0}, "most_records is 0"),
        ({"person": "P", "most_records": 5, "keep": {"order": ["A", "A desc"]}}, "order has the column A 2 times"),
        ({"person": "P", "most_records": 5, "keep": {"order": []}}, "write a list of columns"),
        ({"person": "P", "most_records": 5, "one": "person", "many": "persons"}, "not all that there is of one person"),
    ],
)
def test_a_bound_that_says_too_little_or_too_much_is_a_problem(said: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        read(**said)


@pytest.mark.parametrize(("definition", "bound"), [("puredp", 9 * 5), ("zcdp", 9 * 25)])
def test_the_bound_of_a_level_follows_from_the_records_of_a_person(definition: PrivacyDefinition, bound: int) -> None:
    assert Unit("stay", "stays", person="P", most_records=5).bound(9, definition) == bound


def test_without_a_person_the_bound_of_a_level_is_its_stability() -> None:
    assert Unit().bound(9, "zcdp") == 9
