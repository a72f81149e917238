"""The header of every macro says what the engine says of it; a macro is one expression of its arguments."""

import json
import re
from collections.abc import Iterator

import duckdb
import pytest

from safetab_sql.kit.sqlfiles import SqlFile, macro_files, macros_called
from tests.rules import parsed_sql
from tests.rules.test_headers import FIELDS
from tests.rules.test_sql_style import UNDETERMINED

MACROS = list(macro_files().values())
TYPES = r"any|varchar|u?bigint|integer|boolean|double|usmallint|decimal\(28,9\)|map\(varchar, boolean\)"


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        for macro in MACROS:
            connection.execute(macro.body)
        yield connection


def declared(macro: SqlFile) -> list[tuple[str, str]]:
    """The arguments that the header declares, with their types."""
    lines = re.findall(rf"^-- (?:params)? +(\w+) {{2,}}((?:{TYPES})(?:\[\])?) ", macro.header, re.MULTILINE)
    assert tuple(name for name, _ in lines) == macro.parameters
    return lines


def expression(macro: SqlFile) -> str:
    """What the macro stands for, below the line that begins its definition."""
    first, _, rest = macro.body.partition("\n")
    assert first == f"create or replace temporary macro {macro.name}({', '.join(macro.parameters)}) as"
    return rest


def test_a_macro_has_the_arguments_type_and_fields_that_its_header_declares(database):
    made = "select function_name, parameters from duckdb_functions() where not internal"
    found = database.execute(made).fetchall()
    for macro in MACROS:
        names, kinds = zip(*declared(macro), strict=True)
        assert [own for name, own in found if name == macro.name] == [[*names]]
        values = ["null" if kind == "any" else f"cast(null as {kind})" for kind in kinds]
        (row,) = database.execute(f"select typeof({macro.name}({', '.join(values)}))").fetchall()
        assert row[0].lower() == macro.fields["gives"], macro.name
    for macro in MACROS:
        assert [name for name in FIELDS if name in macro.fields] == list(macro.fields)
        assert {"zone", "kind", "gives", "params", "source"} <= set(macro.fields), macro.name
        assert (macro.zone, macro.kind, macro.folder) == ("public", "macro", "macros")


@pytest.mark.parametrize("macro", MACROS, ids=lambda macro: macro.name)
def test_a_macro_is_an_expression_of_its_arguments_alone(macro):
    asked = duckdb.execute("values (json_serialize_sql($text))", {"text": f"select {expression(macro)}"})
    nodes = list(parsed_sql.nodes(json.loads(asked.fetchall()[0][0])))
    columns = {name for node in nodes if node.get("class") == "COLUMN_REF" for name in node["column_names"]}
    heads = [head for node in nodes if node.get("class") == "LAMBDA" for head in parsed_sql.nodes(node["lhs"])]
    own = {name for head in heads for name in head.get("column_names", ())}
    functions = {str(node["function_name"]).lower() for node in nodes if node.get("class") == "FUNCTION"}
    assert columns - own == set(macro.parameters)
    assert not [name for name in functions if UNDETERMINED.fullmatch(name)]
    assert not [node for node in nodes if node.get("type") in ("BASE_TABLE", "SUBQUERY", "TABLE_FUNCTION")]
    assert macros_called(expression(macro)) == []


def test_no_macro_has_the_name_of_a_function_of_duckdb_nor_a_semicolon_or_long_line():
    theirs = {row[0] for row in duckdb.execute("select function_name from duckdb_functions()").fetchall()}
    assert theirs & macro_files().keys() == set()
    assert [macro.name for macro in MACROS if ";" in macro.body] == []
    lines = [line for macro in MACROS for line in [*macro.header.splitlines(), *macro.body.splitlines()]]
    assert max(map(len, lines)) <= 120
