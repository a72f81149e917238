"""The header of every statement says what the engine says of it (CONTRIBUTING.md section 4.2); macros: test_macros."""

import re
from collections.abc import Iterator, Mapping

import duckdb
import pytest

from safetab_sql.jobs.sql import display_values, empty_database
from safetab_sql.kit.sqlfiles import SqlFile, bound_names, render, sql_files, templated_names
from safetab_sql.public.columns import GEOGRAPHY, person_columns
from safetab_sql.public.sources import LIST_FILES
from safetab_sql.public.statement_values import LIST_COLUMNS
from tests.conftest import declared_columns
from tests.literal_tables import LiteralTable, create_table
from tests.rules import parsed_sql

FILES = list(sql_files().values())
EVERY_FILE = pytest.mark.parametrize("file", FILES, ids=[f"{file.folder}-{file.name}" for file in FILES])
CHECKS = [file for file in FILES if file.folder == "checks"]
TABLES = [file for file in FILES if file.folder != "checks"]
FIELDS = (
    "zone",
    "kind",
    "reads",
    "writes",
    "gives",
    "drops",
    "where",
    "problem",
    "fix",
    "params",
    "seconds",
    "source",
    "why",
)
ZONES = ("public", "confidential", "noisy", "published")


@EVERY_FILE
def test_reads_names_the_tables_and_files_that_the_statement_reads(file: SqlFile) -> None:
    assert sorted(file.reads) == sorted(parsed_sql.tables_read(file.name) | parsed_sql.files_read(file.name))


@EVERY_FILE
def test_reads_says_of_each_table_what_the_table_says_of_itself(file: SqlFile) -> None:
    said = dict(re.findall(r"^-- (?:reads )? +(\w+) +(one row .*)$", file.header, re.MULTILINE))
    # either may go on after the other has ended: "...; handed over by the mechanisms"
    differing = [name for name in file.tables_read if not _is_beginning(said[name], _grain(name))]
    assert [(said[name], _grain(name)) for name in differing] == []


@pytest.mark.parametrize("file", [file for file in TABLES if file.columns], ids=lambda file: file.name)
def test_writes_names_the_columns_of_the_statement_with_their_types_in_order(
    file: SqlFile, database: duckdb.DuckDBPyConnection, values: Mapping[str, object]
) -> None:
    # made into a table as a run makes it: `describe <select>` forgets the case of some names
    database.execute(f"create or replace temporary table described as {render(file, values).inlined}")
    described = database.execute("describe described").fetchall()
    declared = list(declared_columns(file.name, values).items())
    assert [(name, type_.lower()) for name, type_, *_ in described] == declared


@pytest.mark.parametrize("file", CHECKS, ids=lambda file: file.name)
def test_every_check_runs_on_tables_as_their_headers_declare_them(
    file: SqlFile, database: duckdb.DuckDBPyConnection, values: Mapping[str, object]
) -> None:
    without_persons_or_blocks = [("01",)] if "$states" in file.body and file.name.startswith("states") else []
    found = database.execute(render(file, {**values, "states": ["01"]}).inlined).fetchall()
    assert found == without_persons_or_blocks


@EVERY_FILE
def test_params_names_the_values_that_the_statement_asks_for(file: SqlFile) -> None:
    asked = set(bound_names(file.body)) | set(templated_names(file.body))
    assert sorted(file.parameters) == sorted(asked)


@EVERY_FILE
def test_the_fields_of_a_header_come_in_one_order(file: SqlFile) -> None:
    assert [name for name in FIELDS if name in file.fields] == list(file.fields)


@EVERY_FILE
def test_a_kind_is_one_that_the_program_knows(file: SqlFile) -> None:
    tables = {"table", "view", "file", "slice", "slices", "python"}
    assert file.kind in ({"table", "warning", "note"} if file.folder == "checks" else tables)


@EVERY_FILE
def test_every_header_names_a_zone_and_a_source(file: SqlFile) -> None:
    assert file.zone in ZONES
    assert file.fields["source"]


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.name)
def test_every_table_says_one_row_per_what(file: SqlFile) -> None:
    assert file.grain.startswith("one row per ")


@pytest.mark.parametrize("file", CHECKS, ids=lambda file: file.name)
def test_every_check_says_where_the_problem_is_and_what_to_do(file: SqlFile) -> None:
    assert {"where", "problem", "fix"} <= file.fields.keys()


@pytest.mark.parametrize("file", CHECKS, ids=lambda file: file.name)
def test_every_check_says_how_many_rows_it_returned(file: SqlFile) -> None:
    assert "{n} " in file.fields["problem"]


@pytest.mark.parametrize("file", CHECKS, ids=lambda file: file.name)
def test_every_check_names_places_that_inputs_have(file: SqlFile) -> None:
    places = {name: name for name in ("persons", "geography", *LIST_FILES)}
    texts = [file.fields[name].format_map({**places, "n": "3"}) for name in ("where", "problem", "fix")]
    assert "{" not in "".join(texts)


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, object]:
    """What every statement asks for, with input files that exist and hold nobody."""
    folder = tmp_path_factory.mktemp("inputs")
    t2 = [column.name for column in sql_files()["t2"].columns]
    inputs = {
        "persons": person_columns(8),
        "geography": GEOGRAPHY,
        "t2": t2,
        **{LIST_FILES[name]: columns for name, (_, columns) in LIST_COLUMNS.items()},
    }
    types = {column.name: column.type for column in sql_files()["t2"].columns}
    with duckdb.connect(":memory:") as connection:
        for name, columns in inputs.items():
            kinds = tuple((column, types[column] if name == "t2" else "varchar") for column in columns)
            create_table(connection, name, LiteralTable(kinds, ()))
            connection.execute(f'copy "{name}" to $path (format parquet)', {"path": str(folder / f"{name}.parquet")})
    found = display_values(None, str(folder / "persons.parquet"), str(folder / "geography.parquet"), folder)
    persons = [str(folder / "persons.parquet")]
    return {**found, "t2_files": [str(folder / "t2.parquet")], "table_files": persons, "synthetic_files": persons}


@pytest.fixture(scope="module")
def database(values: Mapping[str, object]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table of a run, empty."""
    connection = empty_database(values)
    yield connection
    connection.close()


def _is_beginning(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _grain(table: str) -> str:
    return sql_files()[table].grain
