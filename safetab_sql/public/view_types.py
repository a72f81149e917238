"""Whether a person view fits the tables that it reads: their columns, and the type of everything that it computes.

A type is accepted if values that are equal are the same. Floating-point numbers are not (0.0 equals -0.0, and a sum
depends on the order of its terms), nor are intervals (a day equals 24 hours): which of two equal values stands for a
group would depend on the records of others. The statement is bound to empty tables here; no record is read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import quoted_name
from safetab_sql.public.expressions import CLOSED, first_line, serialized
from safetab_sql.public.person_views import PersonView
from safetab_sql.settings.records import ViewTable

Columns = Mapping[str, pa.DataType]

_EXACT = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    *("DECIMAL", "INTEGER_LITERAL"),
)
# STRUCT is the type of a row, which only an `order by` may name.
_KNOWN = {*_EXACT, "BOOLEAN", "VARCHAR", "STRING_LITERAL", "DATE", "TIMESTAMP", "TIME", "NULL", "SQLNULL", "STRUCT"}
_FLOATING = ("FLOAT", "DOUBLE")
_NUMBERED = re.compile(r"(.+)_\d+")  # what the engine calls the second of two columns of one name


def view_problems(
    view: PersonView, tables: Sequence[ViewTable], columns: Mapping[str, Columns], where: str
) -> list[Problem]:
    """Why a view does not fit its tables. columns: of each table, by name; where: what messages call the view."""
    found = [problem for each in tables for problem in _column_problems(view, each, tables, columns[each.name])]
    found += [] if found else _key_problems(tables, columns)
    names = dict.fromkeys(name for each in columns.values() for name in each)
    for name in [name for name in names if name.lower() in view.tables]:
        what = f"{name}: a table of the statement and a column of a table have this name"
        found.append(Problem(where, what, "give the table another name: as NAME"))
    known = {name.lower() for each in columns.values() for name in each} | view.given
    for name in sorted(view.read - known - view.tables):
        found.append(
            Problem(where, f"{name}: no table has this column", "name a column of a table, or of a query before")
        )
    return found or _type_problems(view, columns, where)


def _column_problems(
    view: PersonView, of: ViewTable, tables: Sequence[ViewTable], columns: Columns
) -> Iterator[Problem]:
    """What is wrong with the columns of one table."""
    lower, where = [name.lower() for name in columns], f"[records.tables.{of.name}]"
    persons = {each.person.lower() for each in tables if each.person is not None} | {view.person.lower()}
    if of.person is not None and of.person not in columns:
        yield Problem(where, f"its files have no column {of.person}", f"columns: {', '.join(columns)}")
    for name in columns:
        if lower.count(name.lower()) > 1:
            yield Problem(where, f"column {name} is there twice, but for capitals", "rename one")
        if name.lower() in persons and name != of.person:
            what = f"column {name} is called like the column of a person, and holds no person of this table"
            yield Problem(where, what, "rename it in the files: a name that means the person means it everywhere")
        if pa.types.is_nested(columns[name]):
            yield Problem(where, f"column {name} is of type {columns[name]}", "leave it out of the files")
    for person in persons:
        if (numbered := _NUMBERED.fullmatch(person)) and numbered[1] in lower:
            what = f"column {numbered[1]} may be called {person}, like a column of a person, where it stands twice"
            yield Problem(where, what, "rename one of the two")


def _key_problems(tables: Sequence[ViewTable], columns: Mapping[str, Columns]) -> Iterator[Problem]:
    """Columns of persons that no comparison of theirs would tell apart: 1 equals '01' as a number."""
    kinds = {each.name: columns[each.name][each.person] for each in tables if each.person is not None}
    for name, kind in kinds.items():
        if not (_is_text(kind) or pa.types.is_integer(kind)):
            what = f"the column of the person is of type {kind}"
            yield Problem(f"[records.tables.{name}]", what, "write persons as text, or as whole numbers")
    if len({_is_text(kind) for kind in kinds.values()}) > 1:
        said = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
        what = f"the column of the person has different types: {said}"
        yield Problem("[records.tables]", what, "write it with one type in all files: '01' and '1' are the same number")


def _is_text(kind: pa.DataType) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner))


def _type_problems(view: PersonView, columns: Mapping[str, Columns], where: str) -> list[Problem]:
    """What a view computes that is of no type with one value for equal ones."""
    with duckdb.connect(":memory:", config={**CLOSED}) as connection:
        for name, types in columns.items():
            rows = pa.table({column: pa.array([], kind) for column, kind in types.items()})
            connection.from_arrow(rows).create(quoted_name(name))
        try:
            connection.sql(view.text)
            planned = serialized(connection, "json_serialize_plan($1, optimize := false)", view.text)
        except (duckdb.Error, ValueError) as error:
            return [Problem(where, first_line(error), "correct the statement")]
    return [
        Problem(where, f"{piece}: type {kind} has equal values that are not the same", _fix(kind, piece))
        for kind, piece in dict.fromkeys(_unknown_types(planned["plans"], is_cast=False))
    ]


def _unknown_types(node: Any, *, is_cast: bool) -> Iterator[tuple[str, str]]:
    """Type and name of what has a type that is not known; is_cast: a fraction becomes an exact number at once here.

    A row as a whole is passed over: it only orders rows, and of its columns no other use is made with such a type.
    """
    if isinstance(node, list):
        for each in node:
            yield from _unknown_types(each, is_cast=is_cast)
    elif isinstance(node, Mapping):
        kind = str(node.get("return_type", {}).get("id", "NULL")) if "expression_class" in node else "NULL"
        if kind == "STRUCT":
            return
        to_exact = node.get("type") == "OPERATOR_CAST" and kind in _EXACT
        below = [_unknown_types(each, is_cast=to_exact and member == "children") for member, each in node.items()]
        inside = [problem for problems in below for problem in problems]
        is_column = node.get("expression_class") == "BOUND_REF"
        if not inside and kind not in _KNOWN and not (is_cast and is_column and kind in _FLOATING):
            inside = [(kind, str(node.get("alias") or "something that it computes"))]
        yield from inside


def _fix(kind: str, piece: str) -> str:
    if kind in _FLOATING:
        return f"cast the column to an exact number at once, such as {piece}::decimal(18, 2), and name columns, not *"
    return "use whole numbers, text, decimals, dates or timestamps; date_diff gives days between dates"
