"""Looking at the SQL: values to show it with, and an empty database."""

from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.sql import display_values, example_parameters, find_statement, listing, script, shown
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import macro_files, sql_files
from safetab_sql.public.columns import GEOGRAPHY
from tests.empty_tables import empty_database


@pytest.fixture(scope="module")
def values() -> dict[str, object]:
    """Values as the command line shows them when nothing is named."""
    return display_values()


@pytest.fixture
def schools(tmp_path: Path) -> Path:
    """The example's parameters with a region type of one's own."""
    own = '\n[region_types.SCHOOL]\nid = "TABBLKST || SDELM"\nwithout = "DETAILED_ONLY"\nsuppress = true\n'
    level = "[levels.SCHOOL-1]\nbudget = 1\nthresholds = [1, 2, 3]\n"
    path = tmp_path / "schools.toml"
    path.write_text(example_parameters().read_text(encoding="utf-8") + own + level, encoding="utf-8")
    return path


def test_there_is_a_value_for_everything_a_statement_asks_for(values):
    asked = {(file.name, wanted) for file in sql_files().values() for wanted in file.parameters}
    assert {(name, wanted) for name, wanted in asked if wanted not in values} == set()


def test_a_named_input_is_shown_with_its_stored_types(tmp_path):
    blocks = tmp_path / "blocks.parquet"
    columns = "1 as TABBLKST, '001' as TABBLKCOU, '0' as TABTRACTCE, '0' as TABBLK, 'x' as PLACEFP, 'x' as AIANNHCE"
    duckdb.sql(f"copy (select {columns}) to '{blocks}'")
    values = display_values(geography=str(blocks))
    assert values["geography"] == [str(blocks.resolve())]
    assert 'code_from_number("TABBLKST", 2) as "TABBLKST"' in shown(find_statement("geography_rows"), values)


def test_a_named_input_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="no file is there"):
        display_values(persons=str(tmp_path / "none.parquet"))


def test_a_column_that_a_region_type_of_ones_own_reads_is_shown_once_the_geography_is_named(schools, tmp_path):
    blocks = tmp_path / "blocks.parquet"
    columns = ", ".join(f"'1' as {column}" for column in [*GEOGRAPHY, "SDELM"])
    duckdb.sql(f"copy (select {columns}) to '{blocks}'")
    text = shown(find_statement("geography_rows"), display_values(schools, geography=str(blocks)))
    assert '"SDELM" as "SDELM"' in text


def test_a_region_type_of_ones_own_is_a_column_of_the_regions_of_a_block(schools):
    assert "cast(TABBLKST || SDELM as varchar)" in shown(find_statement("area_regions"), display_values(schools))


def test_the_listing_says_the_zone_of_every_statement():
    zones = [line.split()[1] for line in listing().splitlines()]
    assert zones == [file.zone for file in [*sql_files().values(), *macro_files().values()]]


def test_the_empty_database_has_every_table_and_no_row(values):
    connection = empty_database(values)
    made = {row[0] for row in connection.execute("show tables").fetchall()}
    rows = [connection.execute(f'select count(*) from "{name}"').fetchall()[0][0] for name in made]
    connection.close()
    assert made == {file.name for file in sql_files().values() if file.columns and file.folder != "checks"}
    assert set(rows) == {0}


def test_a_macro_is_shown_by_its_name(values):
    macro = macro_files()["code_from_text"]
    assert shown(find_statement("code_from_text"), values) == f"{macro.header}\n{macro.body.strip()};\n"


def test_a_shown_statement_brings_the_macros_that_it_calls_and_no_others(values):
    lines = shown(find_statement("codes"), values).splitlines()
    assert [line for line in lines if "macro" in line] == [
        "create or replace temporary macro code_from_text(given, width) as"
    ]


def test_the_script_makes_each_macro_of_a_run_once_before_anything_else(values):
    made = [line for line in script(values).splitlines() if line.startswith("create or replace")]
    macros = [line for line in made if " macro " in line]
    assert made[: len(macros)] == macros == list(dict.fromkeys(macros)) != []
