"""`sql list`, `sql show` and `sql explain`: every statement can be looked at and pasted."""

import re
from pathlib import Path

import duckdb
import pytest

from safetab_sql.kit.sqlfiles import macro_files, sql_files
from safetab_sql.public.published_totals import BY_TOTALS
from tests.cli.command import Result, call, inputs
from tests.cli.nations import CODES, ETHNICITIES, MAPPING, RACES, as_text


@pytest.fixture
def parquet_lists(spoilt: Path) -> Path:
    """A nation whose code lists are Parquet too, as a script at a DuckDB prompt wants them."""
    for list_file in (CODES, RACES, ETHNICITIES, MAPPING):
        text = spoilt / list_file
        duckdb.sql(
            f"copy (from read_csv('{text}', delim = '|', all_varchar = true, quote = '')) "
            f"to '{text.with_suffix('.parquet')}'"
        )
    return spoilt


def test_the_list_names_every_statement_once() -> None:
    listed = [line.split()[0] for line in call("sql", "list").stdout.splitlines()]
    assert listed == [f"{file.folder}/{file.name}" for file in [*sql_files().values(), *macro_files().values()]]


@pytest.fixture(scope="module")
def shown() -> dict[str, Result]:
    """What `sql show` says of each statement."""
    return {name: call("sql", "show", name) for name in sql_files()}


@pytest.mark.slow
def test_every_statement_is_shown_without_a_word_on_stderr(shown: dict[str, Result]) -> None:
    assert {name: said for name, said in shown.items() if (said.code, said.stderr) != (0, "")} == {}


def test_a_shown_statement_begins_with_its_header(shown: dict[str, Result]) -> None:
    assert [name for name, said in shown.items() if not said.stdout.startswith(sql_files()[name].header)] == []


def test_a_shown_statement_has_no_gaps(shown: dict[str, Result]) -> None:
    bodies = {name: said.stdout.removeprefix(sql_files()[name].header) for name, said in shown.items()}
    assert [name for name, body in bodies.items() if any(mark in body for mark in ("{{", "{%", " $"))] == []


def test_a_shown_statement_parses_as_one_statement_after_the_macros_that_it_calls(shown: dict[str, Result]) -> None:
    parsed = {name: duckdb.extract_statements(said.stdout) for name, said in shown.items()}
    types = {name: [str(one.type).removeprefix("StatementType.") for one in found] for name, found in parsed.items()}
    wrong = {name: found for name, found in types.items() if found[-1] != "SELECT" or set(found[:-1]) - {"CREATE"}}
    assert wrong == {}


@pytest.mark.parametrize("name", ["level_regions", "unit_groups", "group_totals", "group_cells", "t2"])
@pytest.mark.each_time("group_cells", "t2")
def test_a_statement_of_tables_alone_is_explained(name: str) -> None:
    explained = call("sql", "explain", name)
    assert (explained.code, "│" in explained.stdout) == (0, True), explained.stderr


def test_a_statement_that_reads_files_is_explained_once_they_are_named(parquet_lists: Path) -> None:
    explained = call("sql", "explain", "person_records", *inputs(parquet_lists))
    assert (explained.code, "READ_PARQUET" in explained.stdout.upper()) == (0, True), explained.stderr


def test_a_statement_that_reads_files_which_are_not_there_says_which_options_to_give() -> None:
    explained = call("sql", "explain", "person_records")
    assert (explained.code, "name the inputs: --persons" in explained.stderr) == (2, True)


def test_the_whole_script_makes_every_table_of_a_run() -> None:
    script = call("sql", "show", "--all").stdout
    made = [line.split('"')[1] for line in script.splitlines() if re.match("create or replace (table|view)", line)]
    expected = [file.name for file in sql_files().values() if file.folder.startswith("run/") and file.kind != "file"]
    assert made == [name for name in expected if name not in BY_TOTALS]


def test_the_whole_script_runs_at_a_duckdb_prompt(parquet_lists: Path) -> None:
    script = call("sql", "show", "--all", *inputs(parquet_lists)).stdout
    with duckdb.connect() as connection:
        connection.execute(script)
        people = connection.execute("select sum(exact_count) from group_totals").fetchall()[0][0]
    assert people > 0


def test_text_inputs_are_shown_as_the_parquet_that_a_run_makes_of_them(spoilt: Path) -> None:
    as_text(str(spoilt / "geography.parquet"), spoilt / "GRF-C.txt")
    shown = call("sql", "show", "geography_rows", "--geography", spoilt / "GRF-C.txt")
    assert "read_parquet(['GRF-C.parquet']" in shown.stdout


def test_a_mistyped_statement_is_guessed() -> None:
    refused = call("sql", "show", "group_cell")
    assert (refused.code, "did you mean 'group_cells'?" in refused.stderr) == (2, True)


def test_a_statement_like_no_other_points_to_the_list() -> None:
    refused = call("sql", "explain", "xyzzy")
    assert (refused.code, "see `safetab-sql sql list`" in refused.stderr) == (2, True)


@pytest.mark.parametrize("arguments", [[], ["t1", "--all"]], ids=["neither", "both"])
def test_a_name_or_all_but_not_both(arguments: list[str]) -> None:
    refused = call("sql", "show", *arguments)
    assert (refused.code, "one of NAME and --all" in refused.stderr) == (2, True)


def test_parameters_of_your_own_are_shown(spoilt: Path) -> None:
    shown = call("sql", "show", "geography_rows", "--parameters", spoilt / "parameters.toml")
    assert "['01', '02', '06', '56']" in shown.stdout


def test_parameters_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    refused = call("sql", "show", "blocks", "--parameters", tmp_path / "none.toml")
    assert (refused.code, "none.toml: cannot be read" in refused.stderr) == (2, True)
