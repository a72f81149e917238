"""unit.id: where a column names each person, nobody may stand twice, and no value of it is published."""

from pathlib import Path

import pytest

from tests.cli.command import call, inputs, refusal
from tests.cli.nations import PERSONS, append_line, copied, rewrite

UNIT = '[unit]\nid = "CASE_ID"'
IDS = "select * exclude (number), 'canary-' || number as CASE_ID from rows"


@pytest.fixture(scope="module")
def named(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied(nation, tmp_path_factory.mktemp("ids") / "nation")
    rewrite(folder / PERSONS, IDS)
    for name in ("parameters.toml", "bottom-up.toml"):
        append_line(folder / name, UNIT)
    return folder


@pytest.fixture
def repeating(named: Path, tmp_path: Path) -> Path:
    """A copy in which a second file repeats the first person in other bytes, and holds one without a name."""
    folder = copied(named, tmp_path / "nation")
    second = folder / "persons" / "second.parquet"
    second.write_bytes((folder / PERSONS).read_bytes())
    rewrite(
        second,
        "select * exclude (number) replace (if(number = 2, null, CASE_ID) as CASE_ID) from rows where number < 3",
    )
    return folder


SAID = (
    "[unit.id]: 3 record(s) whose id is missing or occurs more than once",
    "PERSON_ID=canary-1",
    "PERSON_ID=NULL",
    "name a column with an id of each record, not of each person",
    "leave unit.id out, and write under [unit] one, many and records_of_a_person",
)


@pytest.mark.parametrize("command", ["validate", "run", "ground-truth", "evaluate"])
@pytest.mark.each_time("[run")
def test_a_repeated_person_is_refused_by_every_command_that_reads_people(repeating, tmp_path, command):
    out = () if command == "validate" else ("--out", tmp_path / "out")
    runs = ("--runs", "1") if command == "evaluate" else ()
    refused = call(*command.split(), *inputs(repeating), *out, *runs, "--quiet")
    assert (refused.code, refused.stdout, (tmp_path / "out").exists()) == (2, "", False)
    assert [words for words in SAID if words not in refused.stderr] == []


@pytest.mark.parametrize("command", ["bottom-up run", "bottom-up curve"])
def test_a_repeated_person_is_refused_by_histograms(repeating, tmp_path, command):
    files = ("--spec", repeating / "bottom-up.toml", "--data", repeating / "persons", "--out", tmp_path / "out")
    said = refusal(*command.split(), *files, "--quiet")
    assert "persons [CASE_ID]: 3 record(s) whose id is missing or occurs more than once" in said
    assert "record_id=canary-1" in said
    assert "leave unit.id out, and write under [unit] one, many and records_of_a_person" in said


def test_no_name_is_published(named, tmp_path):
    done = call("run", *inputs(named), "--out", tmp_path / "out")
    told = (
        done.stdout
        + done.stderr
        + "".join(file.read_bytes().decode("latin-1") for file in (tmp_path / "out").rglob("*") if file.is_file())
    )
    assert (done.code, "canary" in told) == (0, False)
