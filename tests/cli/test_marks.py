"""What is made of exact counts says so and is no public input; what is published knows its day and no other clock."""

import argparse
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from safetab_sql.cli import parser
from safetab_sql.commands.options import CONFIDENTIAL_OUTPUTS
from safetab_sql.kit.whole_folders import PHRASE, is_marked, marked_columns, marked_json, marked_table
from tests.cli.command import call, inputs, refusal
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
@pytest.mark.each_time("synthesize score")
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


# Options and arguments by their names in the program.
PUBLIC = {
    *("parameters", "code_lists", "geography", "totals", "region_names", "spec", "shapes", "wanted"),
    *("groups", "names", "allocation"),
}
RECORDS = {"persons", "data", "persons_table"}
RELEASES = {"release", "releases", "earlier", "out_dirs", "folder", "manifest", "synthetic"}
PUBLIC_EXACT = {"ground_truth", "evaluation", "curve", "table"}
MADE = {"out", "figures", *CONFIDENTIAL_OUTPUTS}
_LOG = "confidential_log"
METAVARS = {"F", "P", "S", "G", "DIR", "FILE", "OUT"}


def actions(
    top: argparse.ArgumentParser, command: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], argparse.Action]]:
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from actions(below, (*command, name))
        else:
            yield command, action


FILES = [
    (command, action)
    for command, action in actions(parser())
    if action.type is Path or action.metavar in METAVARS or "Path" in str(getattr(action.type, "__annotations__", ""))
]
OPENED = sorted(
    {(" ".join(command), action.dest) for command, action in FILES if action.dest in PUBLIC}
    - {("epl", "code_lists")}  # read after the exact tables, which are none of a test of options
)


def test_every_option_that_names_a_file_has_its_place():
    assert {action.dest for _, action in FILES} - PUBLIC - RECORDS - RELEASES - PUBLIC_EXACT - MADE == set()
    assert {action.dest for _, action in actions(parser())} >= PUBLIC | set(CONFIDENTIAL_OUTPUTS)


@pytest.fixture(scope="module")
def given(nation: Path, release: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A value of every option and argument that some command needs."""
    folder = tmp_path_factory.mktemp("given")
    pq.write_table(pa.Table.from_pylist(people(50)), folder / "people.parquet")
    (folder / "spec.toml").write_text(SPEC)
    synthesis = SPEC.partition("[margins]")[0].replace("publish_cells = true\n", "")
    (folder / "synthesis.toml").write_text(synthesis)
    named = ("parameters.toml", "persons", "geography.parquet", "code-lists")
    paths = {name.partition(".")[0].replace("-", "_"): nation / name for name in named}
    paths |= {"data": folder / "people.parquet", "synthetic": folder / "people.parquet", "out": folder / "out"}
    paths |= {"spec": folder / "spec.toml", "synthesis": folder / "synthesis.toml", "work": folder / "work"}
    paths |= dict.fromkeys(("release", "releases", "folder"), release)
    texts = {"sum": "true", "people": "1000", "max_bins": "10", "rows": "100", "what": "totals", "name": "t1"}
    texts |= dict.fromkeys(("parts", "runs", "rho", "epsilon", "part"), "1") | {"format": "csv", "answers": ""}
    return {**{name: str(path) for name, path in paths.items()}, **texts, "wanted": "x.csv", "groups": "x.csv"}


@pytest.fixture(scope="module")
def marked(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("marked")
    table = pa.table({"A": ["1"]})
    pq.write_table(marked_table(table), folder / "exact.parquet")
    csv.write_csv(marked_columns(table), folder / "exact.csv")
    (folder / "exact.toml").write_text(f"# {PHRASE}\n")
    lists = shutil.copytree(nation / "code-lists", folder / "lists")
    first = next(iter(sorted(lists.iterdir())))
    first.write_text(f"{PHRASE}|{first.read_text()}")
    names = {"exact.toml": ("parameters", "spec", "allocation"), "exact.csv": ("wanted", "groups", "names")}
    names |= {"exact.parquet": ("geography", "region_names", "totals", "shapes"), "lists": ("code_lists",)}
    return {option: folder / file for file, options in names.items() for option in options}


# What else a command needs so that it comes to read the option.
BESIDE = {
    "evaluate": ["--runs", "--parameters", "--persons", "--geography", "--code-lists"],
    "account": ["--parameters"],
    "semantics": ["--parameters"],
    "semantics allocation": [],
    "simulate": ["--people"],
    "targets": ["--parameters", "--epsilon"],
}


def command_line(command: str, option: str, given: dict[str, str], value: Path) -> list[str]:
    wanted = [action for name, action in FILES_OF[command]]
    given = {**given, "out": f"{given['out']}.csv"} if command == "statistics" else given
    values = {**given, **({"spec": given["synthesis"]} if command.startswith("synthesize") else {})}
    line = command.split()
    said = set(BESIDE.get(f"{command} {option}", BESIDE.get(command, [])))
    for action in wanted:
        flag = action.option_strings[-1] if action.option_strings else None
        if action.dest == option:
            line += [str(value)] if flag is None else [flag, str(value)]
        elif flag is None:
            line.append(values[action.dest])
        elif action.required or flag in said:
            line += [flag] if action.nargs == 0 else [flag, values[action.dest]]
    if command in ("run", "validate"):
        line += ["--persons", values["persons"]] if "--persons" not in line else []
    return line


FILES_OF = {
    command: [(name, action) for name, action in actions(parser()) if " ".join(name) == command]
    for command in {" ".join(name) for name, _ in actions(parser())}
}


@pytest.mark.parametrize(("command", "option"), OPENED)
@pytest.mark.each_time("run", "strategy", "statistics-wanted", "new-groups")
def test_a_public_option_refuses_what_was_made_from_exact_counts(command, option, given, marked):
    assert "made from exact counts" in refusal(*command_line(command, option, given, marked[option]))


@pytest.mark.parametrize("option", CONFIDENTIAL_OUTPUTS)
def test_what_is_confidential_is_put_into_no_finished_release(option, given, release):
    """Of every command that has the option, whatever else is wrong with its command line."""
    flag, before = f"--{option.replace('_', '-')}", sorted(release.rglob("*"))
    having = [" ".join(command) for command, action in actions(parser()) if action.dest == option]
    assert having
    for command in having:
        line = command_line(command, option, given, release / "t1" / "here")
        done = call(*line)
        assert (done.code, f"{flag} {release}/t1/here: lies in {release}" in done.stderr) == (2, True), done.stderr
    assert sorted(release.rglob("*")) == before


def test_nothing_is_added_to_a_file_that_is_no_log(given, tmp_path):
    """In no command that has a log: a ledger that got lines of a log would be lost."""
    ledger, having = tmp_path / "ledger", {" ".join(each) for each, action in actions(parser()) if action.dest == _LOG}
    ledger.write_text('{"ledger": 3}\n')
    for command in sorted(having):
        line = command_line(command, _LOG, given, ledger)
        done = call(*(str(tmp_path / "made") if word == given["out"] else word for word in line))
        assert (done.code, "is no log of this program" in done.stderr) == (2, True), (command, done.stderr)
        assert list(tmp_path.iterdir()) == [ledger]
    assert ledger.read_text() == '{"ledger": 3}\n'


def test_a_folder_made_from_exact_counts_is_never_said_to_be_given_away(given, tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps(marked_json({"tables": []})))
    line = command_line("run", "confidential_log", given, tmp_path / "log.txt")
    done = call(*line)
    assert (done.code, "it is confidential, and nothing is added to it" in done.stderr) == (2, True), done.stderr
    assert "given away" not in done.stderr


SYNTHESIS = 'epsilon = 1\n[domains.QSEX]\nvalues = ["1", "2"]\n[domains.TABBLKST]\nvalues = ["01"]\nother = ["99"]\n'
CLOCK_MADE = {
    "run": "",  # the release that other tests read too
    "bottom-up run": "--spec NATION/bottom-up.toml --data NATION/persons",
    "synthesize run": "--spec synthesis.toml --data NATION/persons",
    "reconcile": "RELEASE",
    "ground-truth": "INPUTS",
    "evaluate": "--runs 1 INPUTS",
    "bottom-up curve": "--replicates 2 --epsilon 1 --spec NATION/bottom-up.toml --data NATION/persons",
}
Made = Callable[[str], Path]


@pytest.fixture(scope="module")
def made(nation: Path, release: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The folder that a command makes, made once."""
    folder = tmp_path_factory.mktemp("clock")
    (folder / "synthesis.toml").write_text(SYNTHESIS, encoding="utf-8")
    names = {"NATION": str(nation), "RELEASE": str(release), "synthesis": str(folder / "synthesis")}

    def make(name: str) -> Path:
        out = release if name == "run" else folder / name.replace(" ", "-")
        if not out.exists():
            words: list[str] = []
            for word in f"{name} {CLOCK_MADE[name]}".split():
                words += inputs(nation) if word == "INPUTS" else [re.sub("[A-Z]+|synthesis", _named, word)]
            done = call(*words, "--out", out, "--quiet")
            assert done.code == 0, done.stderr
        return out

    def _named(found: re.Match[str]) -> str:
        return names.get(found[0], found[0])

    return make


def days(out: Path) -> set[str]:
    """Every day, time and count of seconds since 1970 in any file of a folder."""
    day = r"(?<![\w-])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[:\d.]*)?|\b[012]\d:[0-5]\d:[0-5]\d\b"
    seconds = rf"(?<![\w.]){int(time.time()) // 10**5}\d{{5}}(?:\d{{3}}|\d{{6}}|\d{{9}})?(?!\w)"
    files = sorted(file for file in out.rglob("*") if file.is_file())
    return {found for file in files for found in re.findall(f"{day}|{seconds}", file.read_bytes().decode("latin-1"))}


@pytest.mark.parametrize("name", [name for name in CLOCK_MADE if name != "reconcile"])
@pytest.mark.each_time("ground-truth", "[bottom-up run]")
@pytest.mark.slow
def test_a_folder_holds_the_day_on_which_it_was_made_and_no_other_value_of_a_clock(made, name):
    out = made(name)
    assert days(out) == {json.loads((out / "manifest.json").read_text(encoding="utf-8"))["date"]}


@pytest.mark.parametrize("name", CLOCK_MADE)
@pytest.mark.each_time("[run]")
def test_all_files_of_a_folder_were_last_changed_at_midnight_of_that_day(made, name):
    out = made(name)
    day = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["date"]
    midnight = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    assert {path.stat().st_mtime_ns for path in [out, *out.rglob("*")]} == {int(midnight) * 10**9}


def test_a_reconciled_folder_holds_its_own_day_and_that_of_the_release(made, release):
    of_release = json.loads((release / "manifest.json").read_text(encoding="utf-8"))["date"]
    own = json.loads((made("reconcile") / "manifest.json").read_text(encoding="utf-8"))["date"]
    assert days(made("reconcile")) == {of_release, own}


def test_values_of_a_clock_are_noticed(tmp_path):
    now = int(time.time())
    told = f'"2026-11-21T10:11:12Z" 2026-11-21 10:11 23:59:59 {now} {now}123 1.{now} a2026-11-21'
    (tmp_path / "file").write_text(told, encoding="utf-8")
    assert days(tmp_path) == {"2026-11-21T10:11:12", "2026-11-21 10:11", "23:59:59", str(now), f"{now}123"}
