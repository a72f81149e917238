"""Who may read what: a file's zone, its folder, and the tables it names (CONTRIBUTING.md section 4.2)."""

import pytest

from safetab_sql.kit.sqlfiles import folder_files, sql_files
from safetab_sql.published.tables import PUBLIC_TABLES

FILES = list(sql_files().values())
READABLE = {
    "public": {"public"},
    "confidential": {"public", "confidential", "noisy", "published"},  # evaluation holds a release beside the truth
    "published": {"public", "noisy", "published"},
}
CONFIDENTIAL_FILES = {"$persons", "$text_file", "$table_files"}
RUN = [file for file in FILES if file.folder.startswith("run/")]
READABLE["noisy"] = set()  # filled by Python


def test_a_statement_reads_tables_of_zones_that_its_own_may_see():
    reads = [(file, sql_files()[table]) for file in FILES for table in file.tables_read]
    assert [(file.name, read.name) for file, read in reads if read.zone not in READABLE[file.zone]] == []


def test_only_a_confidential_statement_reads_person_files():
    reading = [file for file in FILES if CONFIDENTIAL_FILES & set(file.reads)]
    assert [file.name for file in reading if file.zone != "confidential"] == []


def test_a_statement_that_reads_person_files_lies_where_inputs_are_read():
    reading = [file for file in FILES if CONFIDENTIAL_FILES & set(file.reads)]
    assert {file.folder.partition("/")[0] for file in reading if file.folder != "run/1_inputs"} == {"histograms"}


def test_nothing_reads_from_a_later_folder():
    reads = [(file, sql_files()[table]) for file in RUN for table in file.tables_read]
    assert [(file.name, read.name) for file, read in reads if read.folder > file.folder] == []


def test_a_check_reads_inputs_alone():
    reads = [(file, sql_files()[table]) for file in FILES if file.folder == "checks" for table in file.tables_read]
    assert [(file.name, read.name) for file, read in reads if read.folder != "run/1_inputs"] == []


@pytest.mark.parametrize(
    ("name", "zones"),
    [
        ("run/1_inputs", {"public", "confidential"}),
        ("run/2_catalog", {"public"}),
        ("run/3_people", {"confidential"}),
        ("run/4_totals", {"confidential"}),
        ("run/5_tables", {"noisy", "confidential"}),
        ("run/6_publish", {"public", "noisy", "published"}),
        ("export", {"public", "published"}),
        ("tools/reconcile", {"public", "noisy", "published"}),
        ("tools/report", {"public", "published"}),
        ("tools/quality", {"published"}),
    ],
)
def test_a_folder_holds_statements_of_its_zones_alone(name, zones):
    assert {file.zone for file in FILES if file.folder == name} <= zones


def test_noise_enters_a_run_at_two_folders_and_nowhere_else():
    entering = {file.folder: set() for file in RUN if file.zone == "noisy"}
    for file in RUN:
        if file.zone == "noisy":
            entering[file.folder].add(file.name)
    published = {"noisy_totals", "noisy_cells", "noisy_measurements"}
    assert entering == {"run/5_tables": {"stat_levels"}, "run/6_publish": published}


def test_the_publisher_gets_exactly_the_public_tables_that_its_statements_read():
    read = {table for file in folder_files("run/6_publish") for table in file.tables_read}
    assert {table for table in read if sql_files()[table].folder != "run/6_publish"} == set(PUBLIC_TABLES)


def test_every_table_that_python_fills_is_read_by_some_statement():
    read = {table for file in FILES for table in file.tables_read}
    assert {file.name for file in FILES if file.kind == "python"} - read == set()
