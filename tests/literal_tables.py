"""Literal tables: `a | b` text becomes rows that a statement under test can read.

    region_key | region_id
             1 |     44007
             2 |      NULL

The first line names the columns, each further line is a row. `NULL` is SQL's NULL (production's text `Null` stays
text). A column's type follows its name after a colon, `age:tinyint`; without one the column has the type that the
table's own header declares, and failing that it is text.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from safetab_sql.kit.sqlfiles import literal, quoted_name


@dataclass(frozen=True, slots=True)
class LiteralTable:
    """Column names with their types, and rows of text (None for NULL)."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str | None, ...], ...]


def literal_table(text: str, declared: Mapping[str, str] | None = None) -> LiteralTable:
    """The table that `text` draws. declared: column -> type; None where no header speaks of the table.

    Raises ValueError where the drawing is crooked or departs from what is declared.
    """
    header, *lines = [line.strip() for line in text.strip().splitlines()]
    columns = tuple(_column(cell, declared) for cell in _cells(header))
    rows = tuple(tuple(None if cell == "NULL" else cell for cell in _cells(line)) for line in lines)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(columns):
            raise ValueError(f"{len(columns)} cells wanted: {line}")
    return LiteralTable(columns, rows)


def create_table(connection: duckdb.DuckDBPyConnection, name: str, table: LiteralTable) -> None:
    if not table.rows:
        columns = ", ".join(f"{quoted_name(column)} {type_}" for column, type_ in table.columns)
        connection.execute(f"create table {quoted_name(name)} ({columns})")
        return
    names = ", ".join(quoted_name(column) for column, _ in table.columns)
    rows = ", ".join(f"({', '.join(map(_value, row, table.columns))})" for row in table.rows)
    connection.execute(f"create table {quoted_name(name)} as from (values {rows}) as drawn ({names})")


def _column(cell: str, declared: Mapping[str, str] | None) -> tuple[str, str]:
    name, _, type_ = (part.strip() for part in cell.partition(":"))
    if declared is None:
        return name, type_ or "varchar"
    if name not in declared and type_:
        return name, type_  # such as a further column of the geography
    if name not in declared:
        raise ValueError(f"no column '{name}' is declared, only {', '.join(declared)}")
    if type_ not in ("", declared[name]):
        raise ValueError(f"column '{name}' is declared {declared[name]}, not {type_}")
    return name, declared[name]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _value(cell: str | None, column: tuple[str, str]) -> str:
    return f"cast({'null' if cell is None else literal(cell)} as {column[1]})"
