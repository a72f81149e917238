"""Every option of every command that names a file has its place here; where it is public, what is exact is refused.

A new option fails the first test until it is given a place; a public one, until its command refuses what is marked.
"""

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from safetab_sql.cli import parser
from safetab_sql.commands.option_problems import CONFIDENTIAL_OUTPUTS
from safetab_sql.kit.marks import PHRASE, marked_columns, marked_json, marked_table
from tests.cli.command import call, refusal
from tests.histograms.tables import SPEC, people

# Options and arguments by their names in the program.
PUBLIC = {
    *("parameters", "code_lists", "geography", "totals", "region_names", "spec", "shapes", "wanted"),
    *("groups", "names", "allocation"),
}
RECORDS = {"persons", "data", "persons_table"}
RELEASES = {"release", "releases", "earlier", "out_dirs", "folder", "manifest", "synthetic"}
EXACT = {"ground_truth", "evaluation", "curve", "table"}
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
    assert {action.dest for _, action in FILES} - PUBLIC - RECORDS - RELEASES - EXACT - MADE == set()
    assert {action.dest for _, action in actions(parser())} >= PUBLIC | set(CONFIDENTIAL_OUTPUTS)


NATION = {
    "parameters": "parameters.toml",
    "persons": "persons",
    "geography": "geography.parquet",
    "code-lists": "code-lists",
}


@pytest.fixture(scope="module")
def given(nation: Path, release: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A value of every option and argument that some command needs."""
    folder = tmp_path_factory.mktemp("given")
    pq.write_table(pa.Table.from_pylist(people(50)), folder / "people.parquet")
    (folder / "spec.toml").write_text(SPEC)
    synthesis = SPEC.partition("[margins]")[0].replace("publish_cells = true\n", "")
    (folder / "synthesis.toml").write_text(synthesis)
    values = {name.replace("-", "_"): str(nation / file) for name, file in NATION.items()}
    data = {"data": folder / "people.parquet", "spec": folder / "spec.toml"}
    others = {"out": folder / "out", "work": folder / "work", "release": release, "releases": release}
    return {
        **values,
        **{name: str(path) for name, path in {**data, **others}.items()},
        "synthesis": str(folder / "synthesis.toml"),
        **{"sum": "true", "parts": "1", "runs": "1", "max_bins": "10", "people": "1000", "rows": "100"},
        **{
            "name": "t1",
            "synthetic": str(folder / "people.parquet"),
            "rho": "1",
            "epsilon": "1",
            "folder": str(release),
        },
        **{"what": "totals", "part": "1", "answers": "", "wanted": "x.csv", "groups": "x.csv"},
        "format": "csv",
    }


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
    names |= {"exact.parquet": ("geography", "region_names", "totals", "shapes")}
    names |= {"lists": ("code_lists",)}
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
