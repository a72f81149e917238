"""unit.id: where a column names each person, nobody may stand twice, and no value of it is published."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import Result, call, inputs, refusal
from tests.cli.nations import PERSONS, append_line, copied, replace_text, rewrite

UNIT = '[unit]\nid = "CASE_ID"'
IDS = "select * exclude (number), 'canary-' || number as CASE_ID from rows"


@pytest.fixture(scope="module")
def named(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The nation with a name for each of its people."""
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
@pytest.mark.each_time("[run", "[validate")
def test_a_repeated_person_is_refused_by_every_command_that_reads_people(
    repeating: Path, tmp_path: Path, command: str
) -> None:
    out = () if command == "validate" else ("--out", tmp_path / "out")
    runs = ("--runs", "1") if command == "evaluate" else ()
    refused = call(*command.split(), *inputs(repeating), *out, *runs, "--quiet")
    assert (refused.code, refused.stdout, (tmp_path / "out").exists()) == (2, "", False)
    assert [words for words in SAID if words not in refused.stderr] == []


@pytest.mark.parametrize("command", ["bottom-up run", "bottom-up curve"])
def test_a_repeated_person_is_refused_by_histograms(repeating: Path, tmp_path: Path, command: str) -> None:
    files = ("--spec", repeating / "bottom-up.toml", "--data", repeating / "persons", "--out", tmp_path / "out")
    said = refusal(*command.split(), *files, "--quiet")
    assert "persons [CASE_ID]: 3 record(s) whose id is missing or occurs more than once" in said
    assert "record_id=canary-1" in said
    assert "leave unit.id out, and write under [unit] one, many and records_of_a_person" in said


@pytest.mark.slow
def test_a_repeated_person_is_refused_by_synthesis(tmp_path: Path) -> None:
    spec, data = tmp_path / "rows.toml", tmp_path / "rows.parquet"
    spec.write_text('epsilon = 1\n[domains]\nSEX = { values = ["1", "2"] }\n' + UNIT, encoding="utf-8")
    pq.write_table(pa.table({"SEX": ["1", "2"] * 500, "CASE_ID": [7] * 1000}), data)
    files = ("--spec", spec, "--data", data)
    assert "[CASE_ID]: 1,000 record(s) whose id" in refusal(
        "synthesize", "run", *files, "--out", tmp_path / "out", "--quiet"
    )


@pytest.mark.slow
def test_people_with_names_of_their_own_are_fine(named: Path) -> None:
    done = call("validate", *inputs(named), "--quiet")
    assert done == Result(0, "no errors\n", "")


def test_without_it_nothing_looks_at_names(repeating: Path) -> None:
    replace_text(repeating / "parameters.toml", UNIT, "")
    assert call("validate", *inputs(repeating), "--quiet").code == 0


def test_a_column_that_is_not_there_is_refused(repeating: Path) -> None:
    replace_text(repeating / "parameters.toml", "CASE_ID", "CASEID")
    assert "persons: missing column CASEID" in refusal("validate", *inputs(repeating), "--quiet")


def test_no_name_is_published(named: Path, tmp_path: Path) -> None:
    done = call("run", *inputs(named), "--out", tmp_path / "out")
    told = (
        done.stdout
        + done.stderr
        + "".join(file.read_bytes().decode("latin-1") for file in (tmp_path / "out").rglob("*") if file.is_file())
    )
    assert (done.code, "canary" in told) == (0, False)
