"""The commands, statements and Python of the tutorial and the how-to pages run, in order, in one folder."""

import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import duckdb
import pytest

import safetab_sql.jobs.example
from safetab_sql.simulation.simulate import simulate
from tests.cli.test_readme import AMOUNTS, commands, few_people, in_a_shell, in_this_process
from tests.conftest import REPOSITORY

DOCS = REPOSITORY / "docs"
PAGES = (
    *("tutorial.md", "how-to/analyst.md", "how-to/custodian.md", "how-to/sign.md", "how-to/reviewer.md"),
    "how-to/export.md",
    "reference/python.md",
)
_NOT_INSTALLED = ("pandas",)
# `epl` says so, with exit code 1, of honest noise too: of at most one release in a hundred.
_FALSE_ALARM = "the residuals show a loss of at least"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module", params=AMOUNTS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current folder of all examples: of few people, or of as many as are printed."""
    made = tmp_path_factory.mktemp("examples")
    (made / "configs").symlink_to(REPOSITORY / "configs")  # as in a checkout
    with few_people(made) if request.param == "few people" else chdir(made):
        yield made


@pytest.fixture(scope="module")
def failures(folder: Path) -> list[str]:
    lines = [command.line for page in PAGES for command in commands((DOCS / page).read_text(encoding="utf-8"))]
    run = in_a_shell if safetab_sql.jobs.example.simulate is simulate else in_this_process
    outcomes = [(line, *run(line, folder)) for line in lines]
    failed = [(line, output) for line, code, output in outcomes if code > (_FALSE_ALARM in output)]
    return [f"{line}\n{output}" for line, output in failed]


@pytest.mark.slow
def test_every_command_of_the_pages_ends_well(failures):
    assert failures == []


@pytest.mark.usefixtures("failures")  # the files that the commands make
@pytest.mark.slow
def test_every_statement_of_the_pages_returns_rows():
    statements = [statement for page in PAGES for statement in blocks(page, "sql")]
    assert [statement for statement in statements if not duckdb.sql(statement).fetchall()] == []
    assert len(statements) >= 5


@pytest.mark.usefixtures("failures")
@pytest.mark.slow
def test_the_python_of_the_pages_runs(folder):
    for block in [block for page in PAGES for block in blocks(page, "python")]:
        if not any(f"import {name}" in block for name in _NOT_INSTALLED):
            exec(compile(block, "page", "exec"), {})
    assert (folder / "from-python" / "manifest.json").is_file()
