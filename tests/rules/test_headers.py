"""The header of every statement says what the engine says of it (CONTRIBUTING.md section 4.2); macros: test_macros."""

import re
from collections.abc import Iterator, Mapping

import duckdb
import pytest
from jinja2 import meta

from safetab_sql.jobs.sql import display_values, example_parameters
from safetab_sql.kit.sqlfiles import ENVIRONMENT, SqlFile, bound_names, render, sql_files
from safetab_sql.public.columns import GEOGRAPHY
from safetab_sql.public.readers import list_kinds, person_columns
from safetab_sql.settings.parameters import load_parameters
from tests.census import list_files
from tests.conftest import declared_columns
from tests.empty_tables import empty_database
from tests.literal_tables import LiteralTable, create_table
from tests.rules import parsed_sql

FILES = list(sql_files().values())
CHECKS = [file for file in FILES if file.folder == "checks"]
TABLES = [file for file in FILES if file.folder != "checks"]
EXAMPLE = load_parameters(example_parameters())
FIELDS = (
    *("zone", "kind", "each", "reads", "writes", "gives", "where", "problem", "fix", "leave", "whole", "params"),
    *("seconds", "source", "why"),
)
# What checks may name in braces: the inputs, and what the parameters say of them.
NAMES = (
    *("parameters", "persons", "geography", "place", "answers", "at_most", "iterations", "levels", "code_column"),
    *("totals", "universe", "person", "attribute", "column", "values", "leave", "listed", "table"),
    *("ladder", "clamp", "no_amount", "an_amount", "of_list"),
)
ZONES = ("public", "confidential", "noisy", "published")
KINDS = {"table", "view", "file", "stream", "slice", "slices", "range", "python"}


def test_reads_names_what_the_statement_reads_and_says_of_each_table_what_it_says_of_itself():
    read = {file.name: parsed_sql.tables_read(file.name) | parsed_sql.files_read(file.name) for file in FILES}
    said = {file.name: file.reads for file in FILES}
    for file in FILES:  # a table that statements read for some parameters alone
        read[file.name] |= {name for name in file.reads if name[1:] in file.parameters and "list.files" in file.body}
        read[file.name] |= {table for table in file.reads if f" {table} as {{{{" in file.body}
    assert {name: said[name] for name in said if sorted(said[name]) != sorted(read[name])} == {}
    assert {file.name: differing for file in FILES if (differing := _said_otherwise(file))} == {}


def _said_otherwise(file: SqlFile) -> list[tuple[str, str]]:
    """Of tables that the statement reads: what its header says of them, and what they say of themselves."""
    said = dict(re.findall(r"^-- (?:reads )? +(\w+) +(one row .*)$", file.header, re.MULTILINE))
    # either may go on after the other has ended: "...; handed over by the mechanisms"
    pairs = [(said[name], sql_files()[name].grain) for name in file.tables_read]
    return [(one, other) for one, other in pairs if not (one.startswith(other) or other.startswith(one))]


def test_writes_names_the_columns_of_the_statement_with_their_types_in_order(database, values):
    written = [file for file in TABLES if file.columns]
    described = {file.name: _described(database, file, values) for file in written}
    declared = {file.name: list(declared_columns(file.name, values).items()) for file in written}
    assert {name: found for name, found in described.items() if found != declared[name]} == {}


def _described(
    database: duckdb.DuckDBPyConnection, file: SqlFile, values: Mapping[str, object]
) -> list[tuple[str, str]]:
    """Columns and types of a statement, made into a table as a run makes it: `describe <select>` forgets some cases."""
    database.execute(f"create or replace temporary table described as {render(file, values).inlined}")
    return [(name, type_.lower()) for name, type_, *_ in database.execute("describe described").fetchall()]


def test_every_check_runs_on_tables_as_their_headers_declare_them(database, values):
    """Where there is nobody, the values of parts without records and without places are all that is found."""
    listed = [{"name": "TABBLKST", "listed": ["01"]}]
    asked = {**values, "part_values": listed, "record_part_values": listed}
    of_amounts = ("amounts", "clamped_amounts")  # which the tables have not: see tests/sql
    checks = [file for file in CHECKS if file.fields.get("each") not in of_amounts]
    found = {file.name: database.execute(render(file, asked).inlined).fetchall() for file in checks}
    assert {name: rows for name, rows in found.items() if rows} == {
        "parts_without_blocks": [("TABBLKST", "01")],
        "parts_without_persons": [("TABBLKST", "01")],
        "universe_without_persons": [("values that count, together",)],
    }


def test_params_names_the_values_that_the_statement_asks_for():
    templated = {file.name: meta.find_undeclared_variables(ENVIRONMENT.parse(file.body)) for file in FILES}
    asked = {file.name: {*bound_names(file.body), *templated[file.name]} for file in FILES}
    assert {file.name: asked[file.name] for file in FILES if sorted(file.parameters) != sorted(asked[file.name])} == {}


def test_a_header_has_its_fields_in_order_a_known_kind_and_zone_a_grain_and_what_to_do():
    in_order = {file.name: [name for name in FIELDS if name in file.fields] for file in FILES}
    assert {file.name: in_order[file.name] for file in FILES if in_order[file.name] != list(file.fields)} == {}
    unknown = [file for file in TABLES if file.kind not in KINDS]
    unknown += [file for file in CHECKS if {*file.kind.split()} - {"table", "screened", "warning", "note"}]
    assert {file.name: file.kind for file in unknown} == {}
    assert [file.name for file in FILES if file.zone not in ZONES or not file.fields["source"]] == []
    assert {file.name: file.grain for file in TABLES if not file.grain.startswith("one row per ")} == {}
    assert [file.name for file in CHECKS if not {"where", "problem", "fix"} <= file.fields.keys()] == []
    assert [file.name for file in CHECKS if "{n} " not in file.fields["problem"]] == []


def test_every_check_names_places_that_inputs_have():
    places = {name: name for name in (*NAMES, *list_files())}
    texts = {
        file.name: "".join(file.fields[name].format_map({**places, "n": "3"}) for name in ("where", "problem", "fix"))
        for file in CHECKS
    }
    assert {name: text for name, text in texts.items() if "{" in text} == {}


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, object]:
    """What every statement asks for, with input files that exist and hold nobody."""
    folder = tmp_path_factory.mktemp("inputs")
    types = declared_columns("t2", {})
    inputs = {
        "persons": person_columns(EXAMPLE),
        "geography": GEOGRAPHY,
        "t2": types,
        "totals": ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT"),
        **{stem: list_kinds(name, EXAMPLE) for name, stem in list_files().items()},
    }
    with duckdb.connect(":memory:") as connection:
        for name, columns in inputs.items():
            kinds = tuple((column, types[column] if name == "t2" else "varchar") for column in columns)
            create_table(connection, name, LiteralTable(kinds, ()))
            connection.execute(f'copy "{name}" to $path (format parquet)', {"path": str(folder / f"{name}.parquet")})
    found = display_values(None, str(folder / "persons.parquet"), str(folder / "geography.parquet"), folder)
    files = {"totals": "totals", "t2_files": "t2", "table_files": "persons", "synthetic_files": "persons"}
    named = {name: [str(folder / f"{file}.parquet")] for name, file in files.items()}
    return {**found, **named, **parsed_sql.PERSONS}


@pytest.fixture(scope="module")
def database(values: Mapping[str, object]) -> Iterator[duckdb.DuckDBPyConnection]:
    connection = empty_database(values)
    yield connection
    connection.close()
