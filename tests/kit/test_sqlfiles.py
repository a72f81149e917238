"""Statements: their headers are data, their values are bound, their text can be pasted."""

from dataclasses import replace
from pathlib import Path

import duckdb
import jinja2
import pytest

from safetab_sql.kit import sqlfiles
from safetab_sql.kit.sqlfiles import Column, SqlFile, Statement, _read, macro_files, render, sql_files

EXAMPLE = """\
-- group_cells: exact counts of
-- one level.
--
-- zone    confidential
-- kind    view
-- reads   members   one row per person
--         $persons  one row per person
-- writes  one row per population group
--           group_id     bigint   key of groups
--           exact_count  bigint   persons,
--                                 at least 1
-- params  $persons   varchar[]  paths
--         {{ columns }}  expressions
-- seconds 65
-- why     Because.
--         And more.
select members.group_id
from members
"""


@pytest.fixture
def example(tmp_path: Path) -> SqlFile:
    """A statement whose header has every field."""
    path = tmp_path / "run" / "4_totals" / "group_cells.sql"
    path.parent.mkdir(parents=True)
    path.write_text(EXAMPLE)
    return _read(path, tmp_path)


HEADER = {
    "name": "group_cells",
    "folder": "run/4_totals",
    "zone": "confidential",
    "kind": "view",
    "reads": ("members", "$persons"),
    "tables_read": ("members",),
    "grain": "one row per population group",
    "columns": (Column("group_id", "bigint", "key of groups"), Column("exact_count", "bigint", "persons,")),
    "seconds": 65.0,
    "parameters": ("persons", "columns"),  # without their marks
    "body": "select members.group_id\nfrom members\n",
}


@pytest.mark.parametrize("field", HEADER)
def test_a_header_is_read_field_by_field(example: SqlFile, field: str) -> None:
    assert getattr(example, field) == HEADER[field]


def test_a_header_that_does_not_begin_with_its_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.sql"
    path.write_text(EXAMPLE)
    with pytest.raises(ValueError, match="the first line must be '-- other"):
        _read(path, tmp_path)


def test_a_table_comes_after_the_tables_it_reads() -> None:
    seen: set[str] = set()
    early = []
    for file in sql_files().values():
        early += [read for read in file.tables_read if read in sql_files() and read not in seen]
        seen.add(file.name)
    assert early == []


def test_every_file_below_sql_is_a_statement_or_a_macro() -> None:
    files = {path.stem for path in sqlfiles.packaged_folder("sql").glob("*/**/*.sql")}
    assert (files, set(sql_files()) & set(macro_files())) == (set(sql_files()) | set(macro_files()), set())


def test_a_text_to_be_pasted_begins_with_the_macros_that_it_calls() -> None:
    text = Statement("select flag_from_text(given), $age from t", {"age": 7}).pasteable
    assert text == f"{macro_files()['flag_from_text'].body.strip()};\n\nselect flag_from_text(given), 7 from t"
    assert Statement("select as_text, count(*) from t", {}).pasteable == "select as_text, count(*) from t"


def statement(body: str) -> SqlFile:
    """A statement with this body."""
    return replace(next(iter(sql_files().values())), body=body)


def test_values_are_bound_and_templates_filled_in() -> None:
    rendered = render(statement("select {{ column }} from people where age > $age\n"), {"column": "sex", "age": 17})
    assert rendered == Statement("select sex from people where age > $age", {"age": 17})


@pytest.mark.parametrize(("one", "other"), [("a as a,", "b as b,"), ("", "b as b,"), ("a as a,", ""), ("", "")])
def test_slots_behind_one_another_at_the_head_of_a_list_are_filled_in(one: str, other: str) -> None:
    values = {"one": {"a": "a"} if one else {}, "other": {"b": "b"} if other else {}}
    rendered = render(statement("select\n    {{ one | named }},\n    {{ other | named }},\n    c\nfrom t\n"), values)
    assert rendered.text == "\n    ".join(filter(None, ("select", one, other, "c"))) + "\nfrom t"


@pytest.mark.parametrize(
    ("body", "values", "error"),
    [
        ("select {{ column }}", {}, jinja2.UndefinedError),
        ("select {{ column.name }}", {"column": {}}, jinja2.UndefinedError),
        ("select $age", {}, KeyError),
    ],
    ids=["templated", "part of a value", "bound"],
)
def test_a_missing_value_is_an_error(body: str, values: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error, match=r"column|name|age"):
        render(statement(body), values)


TEXTS = {
    "in order, each once": ("select $b, $a, $b", ["b", "a"]),
    "not in text": ("select '$a', $b", ["b"]),
    "not in a text with quotes": ("select 'it''s $a', $b", ["b"]),
    "not in a quoted name": ('select "$a", $b', ["b"]),
    "not in a comment": ("select $b -- of $a\n", ["b"]),
    "not a price": ("select '1' || $b || '$5'", ["b"]),
}


@pytest.mark.parametrize(("text", "names"), TEXTS.values(), ids=TEXTS)
def test_bound_names_are_found(text: str, names: list[str]) -> None:
    assert sqlfiles.bound_names(text) == names


VALUES = [True, False, 0, -7, 2**62, "", "it's", 'a "name"', "a\nb", "$a", "--", [], [1, 2], ["a", "it's"], [True]]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_literal_is_read_back_as_its_value(value: bool | int | str | list[int]) -> None:
    assert duckdb.sql(f"select {sqlfiles.literal(value)}").fetchall()[0][0] == value


def test_an_inlined_statement_has_its_values_written_out() -> None:
    rendered = Statement("select $name, '$name', $ages -- $name", {"name": "it's", "ages": [1, 2]})
    assert rendered.inlined == "select 'it''s', '$name', [1, 2] -- $name"
