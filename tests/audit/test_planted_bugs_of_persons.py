"""What catches a bug in what is counted of people with several records. Each test plants one in a statement."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.audit.stability import StabilityAudit, audit_stability
from tests.audit.test_planted_bugs import plant
from tests.nations import Nation
from tests.properties import test_persons
from tests.properties.persons_oracle import Bound
from tests.properties.test_persons import nation_of_stays, unit_of, write_stays

__all__ = ["plant"]  # a fixture


def stays() -> Nation:
    """Stays whose bounds are met: people with several codes, and people who move."""
    nation = nation_of_stays(30, 8)
    moving = [stay for stay in nation_of_stays(30, 9).persons if int(stay["PATIENT"]) % 3 == 0]
    some = [{**stay, "PATIENT": "1"} for stay in moving]
    same = [{**moving[0], "PATIENT": "2", "QRACE1": "1010", "QRACE2": "1020", "QRACE3": "2000"} for _ in range(9)]
    elsewhere = [{**stay, "TABBLKST": "72", "QAGE": age} for age, stay in enumerate([*moving[:1] * 40], start=1)]
    abroad = [{**stay, "PATIENT": name} for name in ("3", "4", "5") for stay in (*elsewhere, *moving[:4])]
    return replace(nation, persons=[*nation.persons, *some, *same, *abroad])


def audited(bound: Bound, folder: Path, definition: str = "zcdp", people: int = 3) -> StabilityAudit:
    inputs = write_stays(stays().with_parameters(privacy_definition=definition), folder, unit_of(bound))
    return audit_stability(inputs, people)


@pytest.mark.parametrize("definition", ["zcdp", pytest.param("puredp", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "bound", [Bound(3), pytest.param(Bound(2, kinds=("I",), order=(("DAY", True),)), marks=pytest.mark.slow)], ids=str
)
def test_whole_persons_change_a_level_by_its_bound_at_most_and_some_person_does(bound, definition, tmp_path):
    audit = audited(bound, tmp_path, definition, people=6)
    assert audit.violations == ()
    assert any(level.most_changed == level.bound for level in audit.levels)


BY_HASH = "countable_records.record_hash"


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        ("kept_records", BY_HASH, "rowid_of_file"),
        ("kept_records", BY_HASH, "hash(countable_records.person_key)"),
        (
            "kept_records",
            "partition by countable_records.person_key\n        order",
            "partition by countable_records.person_key, countable_records.geo_unit_id\n        order",
        ),
    ],
    ids=["by the order of the files", "by a hash with ties by position", "a geo unit merged after truncation"],
)
@pytest.mark.planted("truncation-forgotten", "order-and-position")
@pytest.mark.each_time("by the order of the files")
def test_a_wrong_choice_of_the_records_that_are_kept_is_found(statement, old, new, plant, tmp_path):
    plant(statement, old, new.replace("rowid_of_file", "1"))
    assert audited(Bound(3), tmp_path).violations != ()


@pytest.mark.parametrize(
    ("statement", "old", "new", "said"),
    [
        ("person_universe", "    true\n    {%- for rows", "    file_row_number <> 3\n    {%- for rows", "records"),
        ("person_records", "{{ record_keys[column] }} as", "left({{ record_keys[column] }}::text, 1) as", "persons"),
    ],
    ids=["a record that the reader loses", "ids that the reader merges"],
)
@pytest.mark.planted("truncation-forgotten")
def test_records_and_persons_that_another_reader_finds_are_missed(statement, old, new, said, plant, tmp_path):
    plant(statement, old, new)
    assert f"{said}, and another reader" in audited(Bound(3), tmp_path, people=1).violations[0]


@pytest.mark.planted("truncation-forgotten")
@pytest.mark.slow
def test_records_that_are_bounded_before_the_universe_are_found(plant, tmp_path):
    old = "inner join block_geo_units on person_numbers.block_key = block_geo_units.block_key"
    plant("countable_records", old, old.replace("inner", "left"))
    with pytest.raises(AssertionError):
        test_persons.test_what_is_counted_of_a_person_is_what_plain_loops_count(Bound(3), tmp_path)
