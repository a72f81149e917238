"""Every console block of the README runs, in order, in one folder; a command's exit code is 0 or the one stated."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

import safetab_sql.jobs.example
import safetab_sql.simulation.simulate
from safetab_sql.kit.errors import Extra
from safetab_sql.public.inputs import InputPaths
from safetab_sql.simulation.simulate import FEWEST_PEOPLE
from tests.cli.command import call
from tests.cli.nations import keep_levels, replace_text, simulate_few_states

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT_CODE = re.compile(r"# exit code (\d+)")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the README. shown: the lines below it, which it is said to print (all, or the last of them)."""

    line: str
    code: int
    shown: str


def commands(text: str) -> list[Command]:
    """The commands of all console blocks, in order; those of make are left to CI."""
    found = []
    for block in _BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            end = next(i for i, line in enumerate(lines) if not line.endswith("\\")) + 1
            line = "\n".join(lines[:end])
            stated = _EXIT_CODE.search(line)
            if not line.startswith("make "):
                found.append(Command(line, int(stated[1]) if stated else 0, "\n".join(lines[end:])))
    return found


COMMANDS = commands(README)
AMOUNTS = ["few people", pytest.param("as printed", marks=pytest.mark.slow)]


def simulate_less(out: str | Path, *, people: int, **_: object) -> InputPaths:
    """Four states of a fortieth of the people; nation, states and counties alone; every regional group has a table."""
    made = simulate_few_states(out, people=max(people // 40, FEWEST_PEOPLE))
    replace_text(Path(out) / "parameters.toml", "4971, 19971, 149971", "-900, -800, 149971")
    keep_levels(Path(out), "USA-1", "USA-2", "STATE-1", "STATE-2", "COUNTY-2")
    return made


@contextmanager
def few_people(folder: Path) -> Iterator[None]:
    """Within, commands and Python run in `folder`, simulate few people, and draw no report that nobody asked for."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (safetab_sql.jobs.example, safetab_sql.simulation.simulate):
            patch.setattr(module, "simulate", simulate_less)
        patch.setattr(safetab_sql.jobs.example, "DRAWING", Extra("report", "no_such_module", "", ""))
        patch.chdir(folder)
        yield


@pytest.fixture(scope="module", params=AMOUNTS)
def followed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[tuple[int, str]]]:
    """A folder in which every command was run in order; exit code and output (stdout and stderr) of each.

    As printed: in a shell. With few people: in this process where a command is the program with options, and no more.
    """
    folder = tmp_path_factory.mktemp("readme")
    if request.param == "as printed":
        return folder, [in_a_shell(command.line, folder) for command in COMMANDS]
    with few_people(folder):
        return folder, [in_this_process(command.line, folder) for command in COMMANDS]


@pytest.fixture(scope="module")
def outcomes(followed: tuple[Path, list[tuple[int, str]]]) -> list[tuple[int, str]]:
    return followed[1]


def test_the_script_of_the_readme_counts_the_people_of_the_demo(followed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        connection.execute((followed[0] / "run.sql").read_text(encoding="utf-8"))
        people = connection.read_parquet(f"{followed[0]}/demo/nation/persons/**/*.parquet").count("*").fetchall()
        assert connection.table("persons").count("*").fetchall() == people != [(0,)]


def in_a_shell(line: str, folder: Path) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(["bash", "-c", line], cwd=folder, env={**os.environ, "PATH": path}, check=False, **both)
    return done.returncode, done.stdout


def in_this_process(line: str, folder: Path) -> tuple[int, str]:
    """The same without a shell; its output may go to a file. What asks for more of a shell is run in one."""
    words, _, target = line.replace("\\\n", " ").partition(" > ")
    program, *arguments = shlex.split(words, comments=True)
    if program != "safetab-sql" or re.search(r"[|&;<>`$*?]", re.sub(r"""'[^']*'|"[^"]*"|#.*""", "", words)):
        return in_a_shell(line, folder)
    done = call(*arguments)
    if target:
        (folder / target.split()[0]).write_text(done.stdout, encoding="utf-8")
    return done.code, done.stderr + ("" if target else done.stdout)


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=[command.line.split("\n")[0] for command in COMMANDS])
def test_a_command_of_the_readme_ends_as_stated(outcomes, number):
    code, output = outcomes[number]
    assert code == COMMANDS[number].code, output


SHOWN = [number for number, command in enumerate(COMMANDS) if command.shown]


@pytest.mark.parametrize("number", SHOWN, ids=[COMMANDS[number].line.split("\n")[0] for number in SHOWN])
def test_a_command_of_the_readme_prints_what_is_shown(outcomes, number):
    """None of the outputs that the blocks show has noise in it."""
    assert outcomes[number][1].rstrip("\n").endswith(COMMANDS[number].shown)


def test_the_readme_is_short_names_places_that_exist_and_no_machine_nor_does_the_changelog():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
    places = re.findall(r"`((?:safetab_sql|configs)/[\w./]+)`", README)
    assert [place for place in places if not (ROOT / place).exists()] == []
    assert len(README.splitlines()) <= 110
    both = README + (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"/(?:home|root|tmp|work|Users)\b", both) == []


def test_the_changelog_has_its_headings_in_the_agreed_order_and_the_version_of_the_package():
    order = ["Privacy", "Removed", "Changed", "Added", "Fixed"]
    for release in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        headings = re.findall(r"^### (\w+)$", release, flags=re.MULTILINE)
        assert headings == [heading for heading in order if heading in headings]
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    assert f"\n## {version[1]} - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
