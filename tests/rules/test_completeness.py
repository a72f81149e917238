"""Nothing is left over: every statement is tested and run, every command and option documented."""

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from safetab_sql import InputPaths, Resources, run
from safetab_sql.cli import parser
from safetab_sql.kit import database
from safetab_sql.kit.sqlfiles import Statement, folder_files, macro_files, sql_files
from safetab_sql.simulation.simulate import simulate
from tests.conftest import REPOSITORY
from tests.rules.package import modules, strings

TESTS = REPOSITORY / "tests" / "sql"
WHOLE_FOLDERS = {"catalog_as_a_whole", "macros"}
FILES = list(sql_files().values())
# Run when somebody asks for production's formats.
ON_DEMAND = {"delimited_text", "t1_census", "t2_census"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_statement_has_a_test_module_that_runs_it(file) -> None:
    path = TESTS / f"test_{file.name}.py"
    assert path.is_file(), f"write {path.relative_to(REPOSITORY)}"
    assert f'"{file.name}"' in path.read_text(encoding="utf-8")


def test_every_test_module_tests_a_statement_that_exists() -> None:
    tested = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert tested - WHOLE_FOLDERS - sql_files().keys() == set()


def test_every_macro_is_called_by_a_string_of_the_program_or_by_a_statement() -> None:
    texts = [node.value for module in modules() for node in strings(module)] + [file.body for file in FILES]
    assert [name for name in macro_files() if not any(f"{name}(" in text for text in texts)] == []


@pytest.mark.parametrize("file", [file for file in FILES if file.folder == "checks"], ids=lambda file: file.name)
def test_every_check_is_tested_on_bad_rows_and_on_good_ones(file) -> None:
    tree = ast.parse((TESTS / f"test_{file.name}.py").read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert [any(f"_{word}" in name for name in names) for word in ("returned", "fine")] == [True, True]


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The statements that a run executes, seen where every one is rendered."""
    folder = tmp_path_factory.mktemp("executed")
    nation = folder / "nation"
    simulate(nation, people=1_000)
    seen: set[str] = set()

    def render(file: database.SqlFile, values: dict[str, object]) -> Statement:
        seen.add(file.name)
        return render_it(file, values)

    render_it = database.render
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "render", render)
        inputs = InputPaths(
            nation / "parameters.toml", nation / "persons", nation / "geography.parquet", nation / "code-lists"
        )
        run(inputs, folder / "release", resources=Resources(threads=1))
    return seen


def test_a_run_executes_every_statement_of_its_folders(executed: set[str]) -> None:
    assert {file.name for file in folder_files("run")} - executed <= ON_DEMAND


def test_a_run_executes_every_check(executed: set[str]) -> None:
    assert {file.name for file in FILES if file.folder == "checks"} <= executed


def test_a_run_executes_no_statement_of_the_tools(executed: set[str]) -> None:
    assert not {file.name for file in folder_files("tools")} & executed


def commands(top: argparse.ArgumentParser, path: str = "safetab-sql") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command with its parser, such as `safetab-sql sql show`."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                deeper = list(commands(below, f"{path} {name}"))
                yield from deeper or [(f"{path} {name}", below)]


COMMANDS = dict(commands(parser()))
OPTIONS = sorted(
    {
        option
        for command in COMMANDS.values()
        for action in command._actions
        for option in action.option_strings
        if option.startswith("--") and option != "--help"
    }
)


@pytest.fixture(scope="module")
def reference() -> str:
    return Path(REPOSITORY / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(reference: str, command: str) -> None:
    assert re.search(rf"{re.escape(command)}\b", reference)


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_is_documented(reference: str, option: str) -> None:
    assert re.search(rf"{re.escape(option)}(?![\w-])", reference)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example_of_itself(command: str) -> None:
    assert f"example: {command}" in COMMANDS[command].format_help()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_long_and_explained(command: str) -> None:
    actions = [action for action in COMMANDS[command]._actions if action.option_strings != ["-h", "--help"]]
    unclear = [action.dest for action in actions if not action.help]
    short = [name for action in actions for name in action.option_strings if not name.startswith("--") and name != "-o"]
    assert unclear + short == []
