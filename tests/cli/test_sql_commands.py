"""`sql list` and `sql show`: every statement can be looked at and pasted."""

import re

import duckdb
import pytest

from safetab_sql.kit.sqlfiles import folder_files, macro_files, sql_files
from safetab_sql.public.catalog import BY_TOTALS
from tests.cli.command import call, refusal
from tests.cli.nations import as_text
from tests.conftest import REPOSITORY


def test_the_list_names_every_statement_once_and_the_script_makes_every_table_of_a_run():
    listed = [line.split()[0] for line in call("sql", "list").stdout.splitlines()]
    assert listed == [f"{file.folder}/{file.name}" for file in [*sql_files().values(), *macro_files().values()]]
    script = call("sql", "show", "--all").stdout
    made = [line.split('"')[1] for line in script.splitlines() if re.match("create or replace (table|view)", line)]
    expected = [file.name for file in sql_files().values() if file.folder.startswith("run/") and file.kind != "file"]
    of_persons = {file.name for file in folder_files("run/3_kept")}  # whom the example does not name
    assert made == [name for name in expected if name not in {*BY_TOTALS, *of_persons}]


EXAMPLE = REPOSITORY / "sql" / "example"
PERSONS = EXAMPLE / "persons.parquet"


def exact_totals(script: str) -> list[tuple[int, int]]:
    with duckdb.connect() as connection:
        connection.execute(script)
        totals = connection.table("group_totals").project("population_group_id, exact_count")
        return totals.order("population_group_id").fetchall()


@pytest.mark.slow
def test_a_script_reads_inputs_of_every_kind_where_they_lie_and_writes_nothing(tmp_path, monkeypatch):
    """The same totals as the script without inputs, which is of the same people in Parquet files."""
    for name in ("lists", "empty"):
        (tmp_path / name).mkdir()
    given = {
        "--parameters": EXAMPLE / "parameters.toml",
        "--persons": tmp_path / "persons.csv",
        "--geography": f"{tmp_path / 'extract.duckdb'}::places of ours",
        "--code-lists": tmp_path / "lists",
    }
    with duckdb.connect(tmp_path / "extract.duckdb") as connection:
        connection.execute(f"create table \"places of ours\" as from '{EXAMPLE / 'geography.parquet'}'")
        connection.execute(f"copy (from '{PERSONS}') to '{given['--persons']}'")
        for of in (EXAMPLE / "code-lists").iterdir():
            text = tmp_path / "lists" / f"{of.stem}.txt"
            connection.execute(f"copy (from '{of}') to '{text}' (delimiter '|', quote '')")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path / "empty")
    script = call("sql", "show", "--all", *(word for pair in given.items() for word in pair)).stdout
    totals = exact_totals(script)
    assert ("copy (" in script, sorted(tmp_path.rglob("*"))) == (False, before)
    assert totals == exact_totals(call("sql", "show", "--all").stdout)
    people = duckdb.sql(f"select count(*) from '{PERSONS}'").fetchall()[0][0]
    assert max(count for _, count in totals) < people < sum(count for _, count in totals)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (("--persons", PERSONS), "--parameters, --geography missing"),
        (("--parameters", REPOSITORY / "configs" / "example.toml"), "--persons, --geography, --code-lists missing"),
        (("--parameters", REPOSITORY / "configs" / "hospitals.toml", "--persons", PERSONS), "--geography missing"),
    ],
)
def test_a_script_of_some_inputs_is_refused(given, missing):
    assert f"sql show --all: {missing}" in refusal("sql", "show", "--all", *given)


def test_a_statement_reads_text_through_a_view(spoilt):
    as_text(str(spoilt / "geography.parquet"), spoilt / "GRF-C.txt")
    shown = call("sql", "show", "geography_rows", "--geography", spoilt / "GRF-C.txt").stdout
    assert "read_parquet" not in shown
    with duckdb.connect() as connection:
        read = connection.sql(shown).count("*").fetchall()
        assert read == connection.read_parquet(str(spoilt / "geography.parquet")).count("*").fetchall()
