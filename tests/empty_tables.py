"""Every table of a run and of the other commands, empty: statements are planned over them."""

from collections.abc import Mapping

import duckdb

from safetab_sql.kit.sqlfiles import macro_files, quoted_name, render, sql_files


def empty_database(values: Mapping[str, object]) -> duckdb.DuckDBPyConnection:
    """An in-memory database with every macro and, empty, every table of a run and of the other commands.

    Each table is made by its own statement; where that reads files, by the columns that its header declares.
    """
    connection = duckdb.connect(":memory:")
    for macro in macro_files().values():
        connection.execute(macro.body)
    tables = [file for file in sql_files().values() if file.folder != "checks"]
    for file in sorted(tables, key=lambda file: file.kind != "python"):  # Python's first
        if len(file.tables_read) == len(file.reads) and file.kind != "file":
            statement = render(file, values)
            text = f"create table {quoted_name(file.name)} as from ({statement.text}) limit 0"
            connection.execute(text, dict(statement.bound))
        elif file.columns:
            columns = [
                f"{quoted_name(name)} {column.type}"
                for column in file.columns
                for name in _column_names(column.name, values)
            ]
            connection.execute(f"create table {quoted_name(file.name)} ({', '.join(columns)})")
    return connection


def _column_names(column: str, values: Mapping[str, object]) -> list[str]:
    """The column itself, or the columns that a templated column stands for."""
    if not column.startswith("{{"):
        return [column]
    return [column_name(each) for each in values[column.strip("{ }")]]  # type: ignore[attr-defined]


def column_name(of: object) -> str:
    """What statements call a column, or the column of an attribute, a question or a region type."""
    if isinstance(of, str | Mapping):
        return of if isinstance(of, str) else str(of["name"])
    return next(str(getattr(of, name)) for name in ("number", "code_column", "name") if hasattr(of, name))
