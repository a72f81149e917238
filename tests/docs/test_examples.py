"""The commands, statements and Python of the tutorial and the how-to pages run, in order, in one folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.cli.test_readme import commands
from tests.conftest import REPOSITORY

DOCS = REPOSITORY / "docs"
PAGES = ("tutorial.md", "how-to/analyst.md", "how-to/custodian.md", "how-to/reviewer.md", "reference/python.md")
_NOT_INSTALLED = ("pandas",)

pytestmark = pytest.mark.xdist_group("examples")  # the commands build on one another


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(scope="module")
def failures(folder: Path) -> list[str]:
    """The commands that did not end with 0, with their output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    lines = [command.line for page in PAGES for command in commands((DOCS / page).read_text(encoding="utf-8"))]
    found = []
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            found.append(f"{line}\n{done.stdout}")
    return found


def test_every_command_of_the_pages_ends_well(failures: list[str]) -> None:
    assert failures == []


def test_every_statement_of_the_pages_returns_rows(
    failures: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    statements = [statement for page in PAGES for statement in blocks(page, "sql")]
    assert [statement for statement in statements if not duckdb.sql(statement).fetchall()] == []
    assert len(statements) >= 5


def test_the_python_of_the_pages_runs(failures: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for block in [block for page in PAGES for block in blocks(page, "python")]:
        if not any(f"import {name}" in block for name in _NOT_INSTALLED):
            exec(compile(block, "page", "exec"), {})
    assert (folder / "from-python" / "manifest.json").is_file()
