"""Whatever a command makes of exact counts says so in its own bytes, wherever it is moved."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.cli import parser
from safetab_sql.kit.marks import is_marked
from tests.cli.command import call, inputs
from tests.histograms.tables import SPEC, people
from tests.rules.test_completeness import commands

EPSILON = ("--epsilon", "1", "--replicates", "2")
# The commands whose help says EXACT, each with what it is given; {folder} is made once for all.
EXACT = {
    "ground-truth": ("INPUTS", "--out", "{folder}/truth"),
    "evaluate": ("--runs", "1", "INPUTS", "--out", "{folder}/evaluation", "--json"),
    "epl": (
        *("--table", "{folder}/pairs.parquet", "--noisy", "NOISY", "--exact", "EXACT", "--epsilon", "1"),
        *("--figures", "{folder}/figures", "--json"),
    ),
    "bottom-up curve": ("DATA", *EPSILON, "--out", "{folder}/curve", "--json"),
    "synthesize score": (
        *("--data", "{folder}/people.parquet", "--synthetic", "{folder}/people.parquet"),
        *("--ways", "2", "--sets", "2", "--json"),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marks")
    pq.write_table(pa.Table.from_pylist(people(50)), folder / "people.parquet")
    (folder / "spec.toml").write_text(SPEC)
    numbers = [number * number % 97 for number in range(3_000)]
    pq.write_table(pa.table({"EXACT": numbers, "NOISY": [n + n % 5 % 3 for n in numbers]}), folder / "pairs.parquet")
    data = ("--spec", folder / "spec.toml", "--data", folder / "people.parquet")
    assert call("bottom-up", "run", *data, "--out", folder / "margins", "--quiet").code == 0
    return folder


def line(said: tuple[str, ...], folder: Path, nation: Path) -> Iterator[str | Path]:
    for word in said:
        if word == "INPUTS":
            yield from inputs(nation)
        elif word == "DATA":
            yield from ("--spec", folder / "spec.toml", "--data", folder / "people.parquet")
        else:
            yield word.format(folder=folder)


def unmarked(place: Path) -> list[str]:
    files = [file for file in place.rglob("*") if file.is_file()]
    assert files
    return [file.name for file in files if not is_marked(file)]


def test_every_command_whose_help_says_exact_is_among_these():
    said = {name for name, command in commands(parser()) if "EXACT" in (command.description or "")}
    assert {name.removeprefix("safetab-sql ") for name in said} == EXACT.keys()


@pytest.mark.parametrize("command", EXACT)
@pytest.mark.each_time("bottom-up", "synthesize score")
def test_what_a_command_makes_of_exact_counts_is_marked(command, folder, nation):
    said = EXACT[command]
    done = call(*command.split(), *line(said, folder, nation))
    assert done.code in (0, 1), done.stderr
    if "--json" in said:
        (folder / "answer.json").write_text(done.stdout)
        assert is_marked(folder / "answer.json")
    for word in said:
        if word.startswith("{folder}/") and said[said.index(word) - 1] in ("--out", "--figures"):
            assert unmarked(Path(word.format(folder=folder))) == []


@pytest.mark.slow
def test_a_report_with_exact_counts_is_marked(folder, nation):
    for name in ("truth", "evaluation"):
        shutil.rmtree(folder / name, ignore_errors=True)
    assert call("run", *inputs(nation), "--out", folder / "release", "--quiet").code == 0
    assert call("ground-truth", *inputs(nation), "--out", folder / "truth", "--quiet").code == 0
    given = ("--ground-truth", folder / "truth", "--code-lists", nation / "code-lists", "--out", folder / "evaluation")
    assert call("evaluate", "--out-dirs", folder / "release", *given, "--quiet").code == 0
    page = folder / "page.html"
    drawn = ("--evaluation", folder / "evaluation", "--figures", folder / "charts")
    assert call("report", folder / "release", *drawn, "--out", page).code == 0
    assert (is_marked(page), unmarked(folder / "charts")) == (True, [])


def test_a_release_is_not_marked(folder):
    assert not any(is_marked(file) for file in (folder / "margins").rglob("*") if file.is_file())
