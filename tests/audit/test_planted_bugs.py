"""What catches a bug that lets one person change more than the noise hides. Each test plants one.

Bad inputs are caught twice: validation refuses them, and where it is switched off the audit sees them. A bad statement
has no validation before it: the audit, which runs statements as they are rendered, is what catches it.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from safetab_sql.jobs.validate import validate
from safetab_sql.kit import sqlfiles
from safetab_sql.kit.errors import InputError
from safetab_sql.public.checks import Checks, Findings
from tests.audit.stability import StabilityAudit, audit_stability
from tests.nations import BLOCK_COLUMNS, RACE_PLACES, Nation, sample_nation, write_nation

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
        "and person_numbers.{{ attribute.number | quoted }} = finest_values.{{ attribute.number | quoted }}",
        "",
        *("USA-1", TOTALS_BY_OTHER_THAN_ONE),
    ),
    "an iteration counts each code of a person with three": (
        *("several_tallies", "list_distinct(cast([", "(cast(["),
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
    plant("several_tallies", "and slots_2.one_{{ slot }} is distinct from slots_1.one_{{ other }}", "")
    nation = sample_nation()
    nation = replace(nation, parameters={**nation.parameters, "max_race_codes": 2})
    assert "USA-1" in levels_of(audited(nation, tmp_path, 12), TOTALS_BY_OTHER_THAN_ONE)


def with_broad_regions(nation: Nation) -> Nation:
    """The nation with so many tracts that nation and states are counted as broad regions are."""
    more = [{**nation.blocks[0], "TABTRACTCE": f"9{number:05}"} for number in range(80)]
    return replace(nation, blocks=[*nation.blocks, *more])


def test_the_same_nation_passes_without_a_bug(tmp_path):
    assert audited(with_broad_regions(sample_nation()), tmp_path).violations == ()


BLOCKS = {"the same twice": {}, "in two places": {"PLACEFP": "00200"}}
ONE_BLOCK = [pytest.param(BLOCKS["the same twice"], marks=pytest.mark.slow), BLOCKS["in two places"]]


def with_a_block_twice(difference: dict[str, str]) -> Nation:
    nation = sample_nation()
    return replace(nation, blocks=[*nation.blocks, {**nation.blocks[0], **difference}])


@pytest.mark.parametrize("difference", BLOCKS.values(), ids=BLOCKS)
def test_validation_catches_a_block_that_stands_twice(tmp_path, difference):
    with pytest.raises(InputError, match=r"1 place\(s\) listed more than once"):
        validate(write_nation(with_a_block_twice(difference), tmp_path))


@pytest.mark.usefixtures("without_validation")
@pytest.mark.parametrize("difference", ONE_BLOCK, ids=BLOCKS)
@pytest.mark.planted("duplicates")
def test_the_audit_catches_a_block_that_stands_twice(tmp_path, difference):
    """Caught by the replay: totals of the nation change by two."""
    caught = audited(with_a_block_twice(difference), tmp_path)
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
    ("nation", "refusal"),
    [
        pytest.param(with_a_code_mapped_twice(), "mapped to two iterations of the same level", id="code-mapped-twice"),
        pytest.param(with_an_overlapping_level(), "listed more than once", id="overlapping-level"),
    ],
)


@LISTS
def test_validation_catches_a_bad_iteration_list(tmp_path, nation, refusal):
    with pytest.raises(InputError, match=refusal):
        validate(write_nation(nation, tmp_path))


@pytest.mark.slow
@pytest.mark.usefixtures("without_validation")
@LISTS
def test_the_stability_follows_a_bad_iteration_list(tmp_path, nation, refusal):
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
def test_the_audit_catches_a_bad_iteration_list_under_a_stability_that_trusts_it(plant, tmp_path, nation, refusal):
    """Caught by the replay: more totals of USA-2 change than a stability that is one too small allows."""
    plant("level_answers", "max(answer_sizes.iterations)", "max(answer_sizes.iterations) - 1")
    assert "USA-2" in levels_of(audited(nation, tmp_path), "population groups change; the bound is")
