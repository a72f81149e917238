"""What catches a bug that lets one person change more than the noise hides: of records, persons and sums."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from safetab_sql.kit import sqlfiles
from safetab_sql.public.checks import Checks, Findings
from tests.audit.stability import StabilityAudit, audit_stability
from tests.golden.sums import MOST, stays, written
from tests.nations import BLOCK_COLUMNS, RACE_PLACES, Nation, sample_nation, write_nation
from tests.properties import test_persons
from tests.properties.persons_oracle import Bound
from tests.properties.test_persons import nation_of_stays, unit_of, write_stays

PEOPLE = 4
Plant = Callable[[str, str, str], None]


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    """Makes the package read a copy of sql/ in which one statement says something else."""
    folder = tmp_path / "planted" / "sql"

    def plant_it(name: str, old: str, new: str) -> None:
        shutil.copytree(sqlfiles.packaged_folder("sql"), folder)
        (path,) = folder.glob(f"**/{name}.sql")
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, "the bug is planted in one place"
        path.write_text(text.replace(old, new), encoding="utf-8")
        monkeypatch.setattr(sqlfiles, "packaged_folder", lambda _: folder)
        _forget()

    yield plant_it
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    """What was read of sql/ is read anew."""
    sqlfiles.sql_files.cache_clear()
    sqlfiles.macro_files.cache_clear()


@pytest.fixture
def without_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checks, "findings", lambda *_, **__: Findings())


def audited(nation: Nation, folder: Path, people: int = PEOPLE) -> StabilityAudit:
    return audit_stability(write_nation(nation, folder), people)


def levels_of(audit: StabilityAudit, words: str) -> set[str]:
    return {text.partition(":")[0] for text in audit.violations if words in text}


TOTALS_BY_OTHER_THAN_ONE = "the totals of"
CELLS_BY_OTHER_THAN_ONE = "cells of"
NOT_ONE_CELL = "do not change by as much as the total"
STATEMENTS = {
    "people meet the values of everybody": (
        "persons",
        '{{ attribute_numbers | equal("person_numbers", "finest_values") }}',
        "true",
        *("USA-1", TOTALS_BY_OTHER_THAN_ONE),
    ),
    "an iteration counts each code of a person": (
        "several_tallies",
        "each_once(people_of_many.tally_ids)",
        "people_of_many.tally_ids",
        *("USA-1", TOTALS_BY_OTHER_THAN_ONE),
    ),
    "regions meet the iterations of every level": (
        "slice_totals",
        "level_regions.level_id = level_iterations.level_id\n        and ",
        "",
        *("AIANNH-1", TOTALS_BY_OTHER_THAN_ONE),
    ),
    "a group meets the cells of every statistic": (
        "group_cells",
        "stat_levels.statistic_id = statistic_finest_cells.statistic_id\n        and ",
        "",
        *("USA-2", NOT_ONE_CELL),
    ),
    "a group meets people of other counting units": (
        *("group_finest_cells", "unit_finest_cells.unit_id = unit_groups.unit_id\n        and ", ""),
        *("TRACT-2", CELLS_BY_OTHER_THAN_ONE),
    ),
    "broad groups are counted as local ones too": (
        *("unit_regions", "where not region_breadth.is_broad", "where region_breadth.is_broad is not null"),
        *("USA-1", TOTALS_BY_OTHER_THAN_ONE),
    ),
}


@pytest.mark.parametrize(("name", "old", "new", "level", "words"), STATEMENTS.values(), ids=STATEMENTS)
@pytest.mark.each_time("regions meet the iterations")
@pytest.mark.slow
@pytest.mark.planted("joins-that-multiply")
def test_the_audit_catches_a_join_that_fans_out(plant, tmp_path, name, old, new, level, words):
    """Caught by the replay: the words say which of its checks speaks up, at one of the levels it happens to."""
    plant(name, old, new)
    assert level in levels_of(audited(with_broad_regions(sample_nation()), tmp_path), words)


@pytest.mark.slow
@pytest.mark.planted("joins-that-multiply")
def test_the_audit_catches_an_iteration_that_counts_both_codes_of_a_person(plant, tmp_path):
    """Two codes are compared by another statement than three: nobody has more here."""
    each = "slots_1.one_1 + 1, slots_2.one_1 + 1, slots_1.one_2 + 1, slots_2.one_2 + 1"
    plant("several_tallies", '{{ tally_slots | tallies_of_two("slots_1", "slots_2") }}', each)
    nation = sample_nation()
    nation = replace(nation, parameters={**nation.parameters, "max_race_codes": 2})
    assert "USA-1" in levels_of(audited(nation, tmp_path, 12), TOTALS_BY_OTHER_THAN_ONE)


def with_broad_regions(nation: Nation) -> Nation:
    """The nation with so many tracts that nation and states are counted as broad regions are."""
    more = [{**nation.blocks[0], "TABTRACTCE": f"9{number:05}"} for number in range(80)]
    return replace(nation, blocks=[*nation.blocks, *more])


@pytest.mark.slow
def test_the_same_nation_passes_without_a_bug(tmp_path):
    assert audited(with_broad_regions(sample_nation()), tmp_path).violations == ()


BLOCKS = {"the same twice": {}, "in two places": {"PLACEFP": "00200"}}


def with_a_block_twice(difference: dict[str, str]) -> Nation:
    nation = sample_nation()
    return replace(nation, blocks=[*nation.blocks, {**nation.blocks[0], **difference}])


@pytest.mark.usefixtures("without_validation")
@pytest.mark.parametrize("difference", BLOCKS.values(), ids=BLOCKS)
@pytest.mark.slow
@pytest.mark.planted("duplicates")
def test_the_audit_catches_a_block_that_stands_twice(tmp_path, difference):
    """Caught by the replay: totals of the nation change by two."""
    caught = audited(with_a_block_twice(difference), tmp_path, 2)
    assert "USA-1" in levels_of(caught, TOTALS_BY_OTHER_THAN_ONE)


def with_somebody_of_three_codes() -> Nation:
    """Her codes lead to three combination iterations, and her ethnicity to one more: four groups of USA-2."""
    nation = sample_nation()
    races = dict(zip(RACE_PLACES, ["1010", "1020", "2000", *[None] * 5], strict=True))
    at_home = {name: nation.blocks[0][name] for name in BLOCK_COLUMNS[:4]}
    somebody = {**nation.persons[0], **at_home, **races, "QSPAN": "3010"}
    return replace(nation, persons=[somebody, *nation.persons])


def with_a_code_mapped_twice() -> Nation:
    """Each race code leads to a second combination iteration of level 2."""
    nation = with_somebody_of_three_codes()
    second = {**nation.iterations[-1], "ITERATION_CODE": "2140", "KIND": "combination", "LEVEL": 2}
    links = {("2140", code) for code in ("1000", "1010", "1020", "2000")}
    return replace(nation, iterations=[*nation.iterations, second], links=nation.links | links)


def with_an_overlapping_level() -> Nation:
    nation = with_somebody_of_three_codes()
    regional = next(row for row in nation.iterations if row["ITERATION_CODE"] == "1110")
    return replace(nation, iterations=[*nation.iterations, {**regional, "LEVEL": 2}])


LISTS = pytest.mark.parametrize(
    "nation", [with_a_code_mapped_twice(), with_an_overlapping_level()], ids=["code-mapped-twice", "overlapping-level"]
)


@pytest.mark.slow
@pytest.mark.usefixtures("without_validation")
@LISTS
def test_the_stability_follows_a_bad_iteration_list(tmp_path, nation):
    """Past validation, level_stability counts what the list says: the noise grows, and the audit holds."""
    audit = audited(nation, tmp_path)
    (level,) = [level for level in audit.levels if level.name == "USA-2"]
    good = audited(sample_nation(), tmp_path / "good")
    assert level.bound > next(other.bound for other in good.levels if other.name == "USA-2")
    assert audit.violations == ()


@pytest.mark.usefixtures("without_validation")
@LISTS
@pytest.mark.each_time("code-mapped-twice")
@pytest.mark.slow
@pytest.mark.planted("sensitivity")
def test_the_audit_catches_a_bad_iteration_list_under_a_stability_that_trusts_it(plant, tmp_path, nation):
    """Caught by the replay: more totals of USA-2 change than a stability that is one too small allows."""
    plant("level_answers", "max(answer_sizes.iterations)", "max(answer_sizes.iterations) - 1")
    assert "USA-2" in levels_of(audited(nation, tmp_path), "population groups change; the bound is")


def moved_stays() -> Nation:
    """Stays whose bounds are met: people with several codes, and people who move."""
    nation = nation_of_stays(30, 8)
    moving = [stay for stay in nation_of_stays(30, 9).persons if int(stay["PATIENT"]) % 3 == 0]
    some = [{**stay, "PATIENT": "1"} for stay in moving]
    same = [{**moving[0], "PATIENT": "2", "QRACE1": "1010", "QRACE2": "1020", "QRACE3": "2000"} for _ in range(9)]
    elsewhere = [{**stay, "TABBLKST": "72", "QAGE": age} for age, stay in enumerate([*moving[:1] * 40], start=1)]
    abroad = [{**stay, "PATIENT": name} for name in ("3", "4", "5") for stay in (*elsewhere, *moving[:4])]
    return replace(nation, persons=[*nation.persons, *some, *same, *abroad])


def audited_of_persons(bound: Bound, folder: Path, definition: str = "zcdp", people: int = 3) -> StabilityAudit:
    inputs = write_stays(moved_stays().with_parameters(privacy_definition=definition), folder, unit_of(bound))
    return audit_stability(inputs, people)


@pytest.mark.usefixtures("without_validation")
@pytest.mark.parametrize("definition", ["zcdp", pytest.param("puredp", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "bound", [Bound(3), pytest.param(Bound(2, kinds=("I",), order=(("DAY", True),)), marks=pytest.mark.slow)], ids=str
)
def test_whole_persons_change_a_level_by_its_bound_at_most_and_some_person_does(bound, definition, tmp_path):
    audit = audited_of_persons(bound, tmp_path, definition, people=6)
    assert audit.violations == ()
    assert any(level.most_changed == level.bound for level in audit.levels)


BY_HASH = "countable_records.record_hash"


@pytest.mark.usefixtures("without_validation")
@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        ("kept_records", BY_HASH, "rowid_of_file"),
        ("kept_records", BY_HASH, "hash(countable_records.person_key)"),
        (
            *("kept_records", "partition by countable_records.person_key\n        order"),
            "partition by countable_records.person_key, countable_records.geo_unit_id\n        order",
        ),
    ],
    ids=["by the order of the files", "by a hash with ties by position", "a geo unit merged after truncation"],
)
@pytest.mark.planted("truncation-forgotten", "order-and-position")
@pytest.mark.each_time("by the order of the files")
def test_a_wrong_choice_of_the_records_that_are_kept_is_found(statement, old, new, plant, tmp_path):
    plant(statement, old, new.replace("rowid_of_file", "1"))
    assert audited_of_persons(Bound(3), tmp_path, people=1).violations != ()


@pytest.mark.parametrize(
    ("statement", "old", "new", "said"),
    [
        ("person_universe", "{{ part_read | met }}", "file_row_number <> 3", "records"),
        ("person_records", "{{ record_keys | named }}", '{{ record_keys | named("0 * hash") }}', "persons"),
    ],
    ids=["a record that the reader loses", "ids that the reader merges"],
)
@pytest.mark.planted("truncation-forgotten")
@pytest.mark.slow
def test_records_and_persons_that_another_reader_finds_are_missed(statement, old, new, said, plant, tmp_path):
    plant(statement, old, new)
    assert f"{said}, and another reader" in audited_of_persons(Bound(3), tmp_path, people=0).violations[0]


@pytest.mark.planted("truncation-forgotten")
@pytest.mark.slow
def test_records_that_are_bounded_before_the_universe_are_found(plant, tmp_path):
    old = "inner join block_geo_units on person_numbers.block_key = block_geo_units.block_key"
    plant("countable_records", old, old.replace("inner", "left"))
    with pytest.raises(AssertionError):
        test_persons.test_what_is_counted_of_a_person_is_what_plain_loops_count(Bound(3), tmp_path)


WARDS, MOST_STAYS = 4, 3
EXTREME = {"WARD": "w1", "GROUP": "b", "OUTCOME": "died", "SEX": "M", "DAYS": 10_000, "PATIENT": "longest"}
UNIT = f'person = "PATIENT"\nmost_records = {MOST_STAYS}'


def audited_of_sums(folder: Path, definition: str = "zcdp") -> StabilityAudit:
    records = [*stays(200, WARDS), *[EXTREME] * 9]
    inputs = written(records, WARDS, folder, UNIT, definition=definition)
    return audit_stability(inputs, 2)


BOUNDS = {"zcdp": (MOST_STAYS**2, (MOST_STAYS * MOST) ** 2), "puredp": (MOST_STAYS, MOST_STAYS * MOST)}


@pytest.mark.usefixtures("without_validation")
@pytest.mark.parametrize("definition", BOUNDS)
@pytest.mark.each_time("zcdp")
def test_an_extreme_amount_reaches_the_bound_of_a_sum_and_nobody_goes_beyond(definition, tmp_path):
    audit = audited_of_sums(tmp_path, definition)
    assert audit.violations == ()
    counts, sums = BOUNDS[definition]
    found = {level.name: (level.bound, level.most_changed) for level in audit.levels}
    assert found == {
        **dict.fromkeys(("ALL-1", "WARD-1"), (counts, counts)),
        **dict.fromkeys(("DAYS ALL-1", "DAYS WARD-1"), (sums, sums)),
    }


@pytest.mark.slow
def test_amounts_with_decimals_are_counted_without_somebody_as_they_are_with_everybody(tmp_path):
    """The audit reads again what was read, in units of the last decimal."""
    records = [{**record, "DAYS": str(record["DAYS"] / 8).replace(".", ",")} for record in stays(40, WARDS)]
    inputs = written(records, WARDS, tmp_path, UNIT)
    file = Path(inputs.parameters)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("sum = { clamp", "sum = { decimals = 2, clamp"), encoding="utf-8")
    assert "decimals = 2" in file.read_text(encoding="utf-8")
    assert audit_stability(inputs, 1).violations == ()


BUGS = {
    "no clamp": (*("person_numbers", "{{ clamped_amounts | named }}", "{{ amount_reads | named }}", "DAYS WARD-1: "),),
    "an amount counts twice in a total": (
        *("unit_tallies", '{{ amounts | summed("geo_unit_finest_cells") }}'),
        '2 * {{ amounts | summed("geo_unit_finest_cells") }}',
        "do not change by as much as the total",
    ),
    "all records of a person are added up": ("kept_records", "<= $most_records", "<= 9", "DAYS ALL-1: "),
}


@pytest.mark.parametrize(("statement", "old", "new", "what"), BUGS.values(), ids=BUGS)
@pytest.mark.slow
def test_a_bug_in_a_sum_is_found(statement, old, new, what, plant, tmp_path):
    plant(statement, old, new)
    assert any(what in text for text in audited_of_sums(tmp_path / "stays").violations)
