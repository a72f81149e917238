"""Who may read what: a file's zone, its folder, and the tables it names (design.md section 2.2)."""

import pytest

from safetab_sql.handed_over import HANDED_OVER
from safetab_sql.published.tables import PUBLIC_TABLES
from safetab_sql.sqlfiles import RUN_FOLDERS, SIBLING_FOLDERS, SqlFile, sql_files

FILES = list(sql_files().values())
READABLE = {
    "public": {"public"},
    "confidential": {"public", "confidential", "noisy"},
    "published": {"public", "noisy", "published"},
}
CONFIDENTIAL_FILES = {"$persons", "$text_file", "$table_files"}
# Where each table that Python hands over first stands.
HANDED_OVER_BEFORE = {
    "stat_levels": "4_count",
    "noisy_totals": "5_publish",
    "noisy_cells": "5_publish",
    "count_uncertainty": "5_publish",
    "named_regions": "reports",
    "named_iterations": "reports",
}
ORDER = (*RUN_FOLDERS, "reports")


def zone(table: str) -> str:
    return HANDED_OVER[table].zone if table in HANDED_OVER else sql_files()[table].zone


def folder(table: str) -> str:
    return HANDED_OVER_BEFORE[table] if table in HANDED_OVER else sql_files()[table].folder


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_statement_reads_tables_of_zones_that_its_own_may_see(file: SqlFile) -> None:
    assert {zone(table) for table in file.tables_read} <= READABLE[file.zone]


@pytest.mark.parametrize("file", [file for file in FILES if file.zone != "confidential"], ids=lambda file: file.name)
def test_only_a_confidential_statement_reads_person_files(file: SqlFile) -> None:
    assert not CONFIDENTIAL_FILES & set(file.reads)


@pytest.mark.parametrize(
    "file", [file for file in FILES if CONFIDENTIAL_FILES & set(file.reads)], ids=lambda file: file.name
)
def test_a_statement_that_reads_person_files_is_confidential_and_lies_where_inputs_are_read(file: SqlFile) -> None:
    assert file.zone == "confidential"
    assert file.folder in ("1_inputs", *SIBLING_FOLDERS)


@pytest.mark.parametrize("file", [file for file in FILES if file.folder in ORDER], ids=lambda file: file.name)
def test_nothing_reads_from_a_later_folder(file: SqlFile) -> None:
    assert all(ORDER.index(folder(table)) <= ORDER.index(file.folder) for table in file.tables_read)


@pytest.mark.parametrize("file", [file for file in FILES if file.folder == "checks"], ids=lambda file: file.name)
def test_a_check_reads_inputs_alone(file: SqlFile) -> None:
    assert {folder(table) for table in file.tables_read} == {"1_inputs"}


@pytest.mark.parametrize(
    ("name", "zones"),
    [
        ("1_inputs", {"public", "confidential"}),
        ("2_catalog", {"public"}),
        ("3_explode", {"confidential"}),
        ("4_count", {"public", "confidential"}),
        ("5_publish", {"published"}),
    ],
)
def test_a_folder_holds_statements_of_its_zones_alone(name: str, zones: set[str]) -> None:
    assert {file.zone for file in FILES if file.folder == name} <= zones


def test_the_publisher_gets_exactly_the_public_tables_that_its_statements_read() -> None:
    read = {table for file in FILES if file.folder == "5_publish" for table in file.tables_read}
    assert {table for table in read if table not in HANDED_OVER and folder(table) != "5_publish"} == set(PUBLIC_TABLES)


@pytest.mark.parametrize("table", HANDED_OVER)
def test_every_table_that_python_hands_over_is_read_by_some_statement(table: str) -> None:
    assert any(table in file.tables_read for file in FILES)
