"""Nothing is left over: every statement is tested and run, every command and option documented."""

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import safetab_sql
from safetab_sql import Resources
from safetab_sql.cli import command, parser
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.kit import database
from safetab_sql.kit.sqlfiles import SqlFile, Statement, folder_files, macro_files, sql_files
from safetab_sql.public.catalog import BY_TOTALS
from tests.conftest import REPOSITORY
from tests.nations import published, sample_nation
from tests.rules.package import modules, strings
from tests.sql.test_checks import CHECKS

TESTS = REPOSITORY / "tests" / "sql"
FILES = list(sql_files().values())
MADE_BY_SQL = [file for file in FILES if file.kind != "python"]  # the others: see test_python_tables.py
# These make exact tables, and tables without noise: tests/golden and tests/properties compare them, of any nation, with
# an oracle that shares no line with us. Tests of their own hold what such tables do not show.
HELD_BY_THE_ORACLE = {file.folder for file in folder_files("run", "tools/ground_truth") if file.folder != "run/3_kept"}
# Run for stage-1 totals, published totals that pick tables, or persons of records.
ON_DEMAND = {*("measurements", "delimited_text"), *BY_TOTALS, *(file.name for file in folder_files("run/3_kept"))}


def test_every_statement_is_run_by_a_test_on_literal_tables_unless_the_oracle_holds_it():
    tests = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.glob("test_*.py"))
    wanted = [file for file in MADE_BY_SQL if file.folder not in {"checks", *HELD_BY_THE_ORACLE}]
    assert [file.name for file in wanted if f'"{file.name}"' not in tests] == []


def test_every_macro_is_called_by_a_string_of_the_program_or_by_a_statement():
    texts = [node.value for module in modules() for node in strings(module)] + [file.body for file in FILES]
    called = "\n".join(texts)
    assert [name for name in macro_files() if f"{name}(" not in called and f'("{name}")' not in called] == []


def test_every_check_is_tested_on_bad_rows_and_on_good_ones():
    assert {file.name for file in FILES if file.folder == "checks"} == CHECKS.keys()
    assert [name for name, check in CHECKS.items() if not check.bad or not check.fine] == []


@contextmanager
def rendered() -> Iterator[set[str]]:
    """The statements that are executed, seen where every one is rendered."""
    seen: set[str] = set()

    def render(file: SqlFile, values: dict[str, object]) -> Statement:
        seen.add(file.name)
        return render_it(file, values)

    render_it = database.render
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "render", render)
        yield seen


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """The folder with the files of a run and OUT in it, and the statements that it executes."""
    folder = tmp_path_factory.mktemp("executed")
    with rendered() as seen:
        published(sample_nation(200), folder)
    return folder, seen


def test_a_run_executes_every_statement_and_check_of_its_folders_and_none_of_the_tools(executed):
    _, seen = executed
    assert {file.name for file in folder_files("run")} - seen <= ON_DEMAND
    always = [file for file in FILES if file.folder == "checks" and not {*file.tables_read} & {*BY_TOTALS}]
    checks = {file.name: file.kind for file in always if "each" not in file.fields}  # these have columns to look at
    assert checks.keys() & seen == {name for name, kind in checks.items() if not kind.startswith("screened")}
    assert not {file.name for file in folder_files("tools", "export")} & seen


def test_reconcile_executes_every_statement_of_its_folder_and_none_that_sees_people(executed, tmp_path):
    """With and without a geography: it is post-processing (its imports: see pyproject.toml)."""
    folder, _ = executed
    (folder / "person-records.txt").unlink(missing_ok=True)
    given: dict[str, Any] = {"code_lists": folder, "resources": Resources(threads=1)}
    with rendered() as seen:
        reconcile(folder / "out", tmp_path / "without", integers=True, **given)
        reconcile(folder / "out", tmp_path / "with", geography=folder / "GRF-C.txt", **given)
    own = folder_files("tools/reconcile")
    assert {file.name for file in own} <= seen
    assert {file.zone for file in own} <= {"public", "published"}
    assert {name for name in seen if sql_files()[name].zone == "confidential"} == set()


def commands(top: argparse.ArgumentParser, path: str = "safetab-sql") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command with its parser, such as `safetab-sql sql show`."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                deeper = list(commands(below, f"{path} {name}"))
                yield from deeper or [(f"{path} {name}", below)]


COMMANDS = dict(commands(parser()))
OPTIONS = sorted(
    {option for each in COMMANDS.values() for option in each._option_string_actions if option not in ("-h", "--help")}
)


@pytest.fixture(scope="module")
def reference() -> str:
    return Path(REPOSITORY / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")


def test_every_command_and_long_option_is_documented_explained_and_shown(reference):
    assert [command for command in COMMANDS if not re.search(rf"{re.escape(command)}\b", reference)] == []
    assert [option for option in OPTIONS if not re.search(rf"{re.escape(option)}(?![\w-])", reference)] == []
    assert [name for name, command in COMMANDS.items() if f"example: {name}" not in command.format_help()] == []
    actions = [(name, action) for name, command in COMMANDS.items() for action in command._actions]
    assert [(name, action.dest) for name, action in actions if not action.help] == []
    options = [(name, option) for name, command in COMMANDS.items() for option in command._option_string_actions]
    assert [(name, option) for name, option in options if not option.startswith("--") and option != "-h"] == []
    beside = [(name, re.match(r"with(?:out)? (--[^: ]+)", action.help or "")) for name, action in actions]
    needed = [(name, found[1]) for name, found in beside if found]
    assert len(needed) > 20
    assert [pair for pair in needed if pair[1] not in COMMANDS[pair[0]]._option_string_actions] == []


def test_the_work_of_a_command_has_its_name_in_the_package_or_in_jobs_and_commands_hold_commands_alone():
    names = {command.split()[1].replace("-", "_") for command in COMMANDS} - {*safetab_sql.__all__}
    assert {name for name in names if not (REPOSITORY / "safetab_sql" / "jobs" / f"{name}.py").is_file()} == {"epl"}
    names = {path.stem for path in (REPOSITORY / "safetab_sql" / "commands").glob("*.py")}
    found = [command(path.split()[1]) for path in COMMANDS]
    holding = {(each.__name__ if isinstance(each, ModuleType) else each.__module__).split(".")[-1] for each in found}
    assert names - holding == {*("__init__", "options", "unloaded")}
