"""The commands of pages and help texts run."""

import re
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import duckdb
import pytest

import safetab_sql.jobs.example
from docs.generate import commands as all_commands
from safetab_sql.cli import parser
from safetab_sql.simulation.simulate import simulate
from tests.cli.command import call
from tests.cli.nations import ROWS, simulate_few_states
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


EXAMPLES = {name: (command.epilog or "").removeprefix("example: ") for name, command in all_commands(parser())}
TEXTS = {
    "rows.toml": ROWS,
    "people.csv": "area,district,sex,age,group_1\n1000,1,M,33,1\n1001,2,F,,2\n",
    "places.csv": "area,district,province\n1000,1,1\n1001,2,1\n1002,3,2\n",
    "groups.csv": "code,name,family\n1,One,Low\n2,Two,Low\n3,Three,High\n",
    "wanted.csv": "KIND,REGION_TYPE,REGION_ID,ITERATION_CODE\ncount,USA,1,6004\n",
}


@pytest.fixture(scope="module")
def folder_of_help(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small nation as `sim` and as that of `demo`, a release, its exact tables and a histogram of it."""
    made = tmp_path_factory.mktemp("help")
    simulate_few_states(made / "sim", people=20_000)
    shutil.copytree(made / "sim", made / "demo" / "nation")
    shutil.copytree(REPOSITORY / "configs", made / "configs")
    for name, text in TEXTS.items():
        (made / name).write_text(text, encoding="utf-8")
    with few_people(made), pytest.MonkeyPatch.context() as patch:
        patch.setattr(safetab_sql.jobs.example, "PEOPLE", 20_000)
        for command in ("run", "ground-truth", "bottom-up run", "synthesize run"):
            done = call(*EXAMPLES[f"safetab-sql {command}"].split()[1:], "--quiet")
            assert done.code == 0, done.stderr
        shutil.copytree("release", "demo/release")
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("command", EXAMPLES)
def test_the_example_in_the_help_of_a_command_runs(command, folder_of_help):
    """What it makes goes elsewhere: other examples need the files that it would replace."""
    line = EXAMPLES[command]
    target = "--out made-by-" + command.replace(" ", "-")
    before, option, after = line.partition("--out ")
    suffix = Path(after).suffix
    code, output = in_this_process(f"{before}{target}{suffix}" if option else line, folder_of_help)
    is_false_alarm = command == "safetab-sql epl" and "the residuals show a loss" in output
    assert code == is_false_alarm, output
