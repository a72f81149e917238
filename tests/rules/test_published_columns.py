"""A column that is added to a published table reaches what is made of it, or this list says where it does not."""

import pytest

from safetab_sql.export import cubes
from safetab_sql.kit.database import TYPES
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.published import file_notes
from safetab_sql.settings import attributes

_GROUP = {"REGION_TYPE", "REGION_ID", "ITERATION_CODE"}
_INTERVAL = {"LOW95", "HIGH95"}
_MARGINS = {"VARIANCE", "MOE95", *_INTERVAL}
_RENAMED = {"{{ counted }}"}  # COUNT there
_OF_CELLS = {"{{ ladder_columns }}", "{{ number_columns }}"}
# What is made of a published table -> the columns of the table that it leaves out.
LEFT_OUT: dict[tuple[str, str], set[str]] = {
    ("t1", "labelled_t1"): set(),  # csv, duckdb, excel
    ("t2", "labelled_t2"): set(),
    ("t1", "t1_census"): _MARGINS | _RENAMED,  # production's columns, and no others
    ("t2", "t2_census"): _MARGINS | _RENAMED | {"IS_MARGINAL", "STATISTIC", "{{ number_columns }}"},
    ("t1", "t1_api"): _GROUP | _MARGINS | _RENAMED,  # variables of the Census API stand for all columns
    ("t2", "t2_api"): _GROUP | _MARGINS | _RENAMED | _OF_CELLS | {"IS_MARGINAL", "STATISTIC"},
    ("t1", "exported_rows"): _RENAMED,  # json-stat, px, sdmx; the place in a cube stands for what a cell is of
    ("t2", "exported_rows"): _RENAMED | _OF_CELLS,
    ("exported_rows", "sdmx_rows"): _GROUP | {"COUNT", "row_id"},  # REGION, ITERATION, OBS_VALUE
    ("t1", "reconciled_t1"): _RENAMED,
    ("t2", "reconciled_t2"): _RENAMED,
    ("t1", "released_totals"): _RENAMED,
    ("t1", "whole_t1"): _RENAMED,
    ("t2", "whole_t2"): _RENAMED,
    ("t1", "published_rows"): _INTERVAL | _RENAMED,  # moe, statistics, report: these make intervals of their own
    ("t2", "published_rows"): _INTERVAL | _RENAMED | {"IS_MARGINAL", "{{ number_columns }}"},
    ("group_index", "exported_index"): set(),
    ("suppressed", "sdmx_suppressed"): {"ITERATION_CODE", "SUPPRESSED_UP_TO"},  # ITERATION, OBS_VALUE
}


@pytest.mark.parametrize(("table", "made"), LEFT_OUT)
def test_a_column_of_a_published_table_reaches_what_is_made_of_it(table, made):
    columns = {name: {column.name for column in sql_files()[name].columns} for name in (table, made)}
    assert columns[table] - columns[made] == LEFT_OUT[table, made]


@pytest.mark.parametrize("table", ["t1", "t2"])
def test_a_reconciled_folder_has_every_column_that_exports_read(table):
    assert LEFT_OUT[table, f"reconciled_{table}"] <= LEFT_OUT[table, f"labelled_{table}"] | _RENAMED
    assert LEFT_OUT[table, f"reconciled_{table}"] <= LEFT_OUT[table, "exported_rows"]


def test_cubes_have_every_measure():
    columns = {column.name for column in sql_files()["exported_rows"].columns if "{" not in column.name}
    measures = columns - _GROUP - {"row_id", "STATISTIC", "COUNT"}
    assert set(cubes._MEASURES) == {*measures, "NOISY_COUNT"}  # NOISY_COUNT: {{ noisy_counts }}
    body = sql_files()["cube_lines"].body
    assert [name for name in measures if f"exported_rows.{name}" not in body] == []


def test_no_attribute_may_be_published_as_a_column_that_we_add():
    made = ("t1", "t2", "labelled_t1", "labelled_t2", "exported_rows", "exported_index", "published_rows")
    columns = {column.name for name in made for column in sql_files()[name].columns}
    assert {name for name in columns if name.isupper()} <= set(attributes._OURS)


def test_every_type_of_whole_numbers_texts_and_flags_has_a_word_in_every_metadata():
    wanted = TYPES.keys() - {"varchar[]"}
    assert (file_notes._TYPES.keys(), cubes._TYPES.keys()) == (wanted, wanted)
