"""What a record is called, and how many records a person has."""

import re
from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError, refuse
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.reading import Document, read_as
from safetab_sql.settings.tables import table
from safetab_sql.settings.unit import RECORDS, Count, Records, Unit


@table
class UnitAlone:
    unit: Unit = Unit()


def read(**unit: object) -> Unit:
    found = read_as(UnitAlone, Document(Path("parameters.toml"), {"unit": unit}))
    refuse(found.problems)
    return found.found.unit


@pytest.mark.parametrize(
    ("said", "one", "most"),
    [
        ({}, "person", 1),
        ({"one": "person", "many": "persons"}, "person", 1),
        ({"one": "stay", "many": "stays"}, "stay", None),
        ({"one": "stay", "many": "stays", "records_of_a_person": 5}, "stay", 5),
        ({"records_of_a_person": 5}, "record", 5),
        ({"one": "household", "many": "households", "person_replaces": True}, "household", 1),
        ({"person_replaces": True}, "record", 1),
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


@pytest.mark.parametrize("more", [{"records_of_a_person": 5}, {"person_replaces": True}])
def test_a_record_that_is_not_all_of_a_person_is_not_called_one(more: dict[str, object]) -> None:
    with pytest.raises(InputError, match="is not all that there is of one person"):
        read(one="person", many="people", **more)
    with pytest.raises(ValueError, match="called a person"):
        Unit(**more)  # type: ignore[arg-type]


def test_capitals_do_not_make_something_else_of_a_person() -> None:
    assert Unit("Person", "Persons").is_person
    assert not Unit("single-person household", "single-person households", None).is_person


def test_the_records_of_other_methods_are_of_nobody_known() -> None:
    said = {"one": "visit", "many": "visits", "records_of_a_person": 3}
    found = [read_as(Records, Document(Path("spec.toml"), each)).found.unit for each in ({}, said)]
    assert found == [RECORDS, Unit("visit", "visits", 3)]


def test_a_person_of_several_records_has_words_of_what_is_counted() -> None:
    said = {"person": "PATIENT", "most_records": 5}
    assert (read(**said).one, read(**said, count="persons").one) == ("record", "person")
    assert read(person="PATIENT", most_records=1).one == "person"


def test_what_is_kept_is_ordered_by_columns_whose_names_may_have_spaces() -> None:
    keep = {"order": ["DATE desc", "day of stay", "NO asc"]}
    found = read(person="PATIENT", most_records=2, keep=keep)
    assert found.keep.columns == (("DATE", True), ("day of stay", False), ("NO", False))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"person": "P"}, "missing key 'most_records'"),
        ({"most_records": 5}, "most_records stands without person"),
        ({"count": "persons"}, "count stands without person"),
        ({"keep": {"order": ["DATE"]}}, "keep stands without person"),
        ({"person": "P", "most_records": 5, "most_groups": 3}, "most_groups stands without count"),
        ({"person": "P", "most_records": 5, "records_of_a_person": 5}, "stand together"),
        ({"person": "P", "most_records": 0}, "most_records is 0"),
        ({"person": "P", "most_records": 5, "count": "stays"}, "write one of 'records', 'persons'"),
        ({"person": "P", "most_records": 5, "keep": {"order": ["A", "A desc"]}}, "order has the column A 2 times"),
        ({"person": "P", "most_records": 5, "keep": {"order": []}}, "write a list of columns"),
        ({"person": "P", "most_records": 5, "one": "person", "many": "persons"}, "not all that there is of one person"),
    ],
)
def test_a_bound_that_says_too_little_or_too_much_is_a_problem(said: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        read(**said)


@pytest.mark.parametrize(
    ("count", "definition", "most_groups", "bound"),
    [
        ("records", "puredp", None, 9 * 5),
        ("records", "zcdp", None, 9 * 25),
        ("persons", "puredp", None, 9 * 5),
        ("persons", "zcdp", None, 9 * 5),
        ("persons", "zcdp", 8, 8),
        ("persons", "puredp", 100, 9 * 5),
    ],
)
def test_the_bound_of_a_level_follows_from_what_is_counted_of_a_person(
    count: Count, definition: PrivacyDefinition, most_groups: int | None, bound: int
) -> None:
    unit = Unit("stay", "stays", person="P", most_records=5, count=count, most_groups=most_groups)
    assert unit.bound(9, definition) == bound


def test_without_a_person_the_bound_of_a_level_is_its_stability() -> None:
    assert Unit().bound(9, "zcdp") == 9
