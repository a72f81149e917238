"""Shared by the tests: where things lie, and statements of sql/ run on literal tables."""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import duckdb
import pytest

from safetab_sql.kit.sqlfiles import macro_files, render, sql_files
from tests.literal_tables import create_table, literal_table

REPOSITORY = Path(__file__).parents[1]
SHARED = REPOSITORY / ".." / "shared"

Row = tuple[object, ...]


def pytest_configure() -> None:
    """A hundred processes start in these tests: where bytecode may not be written, each compiles the package again."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_unconfigure() -> None:
    """Hypothesis' callback of the garbage collector keeps modules alive until DuckDB reports them as leaks."""
    gc.callbacks.clear()


class RunSql(Protocol):
    """Runs one statement of sql/ on literal tables."""

    def __call__(self, name: str, /, given: Mapping[str, str] | None = None, **values: object) -> list[Row]:
        """The rows of statement `name` on the tables `given`, exactly those it reads, with exactly its `values`."""


@pytest.fixture(scope="session")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One empty database for every statement: to open one takes longer than to run most of them."""
    with duckdb.connect(":memory:", config={"threads": 1}) as opened:
        yield opened


@pytest.fixture(scope="session")
def run_sql_in_order(connection: duckdb.DuckDBPyConnection) -> RunSql:
    """The rows of a statement as they come; what the CLI shows, the inlined text, must give the same rows."""

    def run(name: str, /, given: Mapping[str, str] | None = None, **values: object) -> list[Row]:
        return _rows(connection, name, given, **values)

    return run


@pytest.fixture(scope="session")
def run_sql(run_sql_in_order: RunSql) -> RunSql:
    """The rows of a statement, sorted (NULL last); what the CLI shows, the inlined text, must give the same rows."""

    def run(name: str, /, given: Mapping[str, str] | None = None, **values: object) -> list[Row]:
        return _sorted(run_sql_in_order(name, given, **values))

    return run


@pytest.fixture
def write_parquet(tmp_path: Path) -> Callable[..., str]:
    """Writes literal tables to Parquet: text, and a file name -> path of the file."""

    def write(text: str, name: str = "input.parquet") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with duckdb.connect(":memory:") as connection:
            create_table(connection, "drawn", literal_table(text))
            connection.execute("copy drawn to $path (format parquet)", {"path": str(path)})
        return str(path)

    return write


def _rows(
    connection: duckdb.DuckDBPyConnection, name: str, /, given: Mapping[str, str] | None = None, **values: object
) -> list[Row]:
    file = sql_files()[name]
    assert set(given or {}) == set(file.tables_read), "give the tables that the statement reads, and no others"
    assert set(values) == set(file.parameters), "give the values that the statement asks for, and no others"
    try:
        for table, text in (given or {}).items():
            create_table(connection, table, literal_table(text, declared_columns(table, values)))
        statement = render(file, values)
        pasted = connection.execute(statement.pasteable).fetchall()  # it brings the macros that it calls
        for macro in macro_files().values():
            connection.execute(macro.body)
        rows = connection.execute(statement.text, dict(statement.bound)).fetchall()
    finally:
        for table in given or {}:
            connection.execute(f'drop table if exists "{table}"')
        for macro in macro_files():
            connection.execute(f"drop macro if exists {macro}")
    assert _sorted(pasted) == _sorted(rows), "the text to be pasted does something else"
    return rows


def declared_columns(table: str, values: Mapping[str, object]) -> dict[str, str]:
    """Columns and types of a table as its header declares them; one column a region type where it says so."""
    declared: dict[str, str] = {}
    for column in sql_files()[table].columns:
        declared |= {name: column.type for name in _names(column.name, values)}
    return declared


def _names(column: str, values: Mapping[str, object]) -> Sequence[str]:
    """The column itself, or those that a templated one stands for; none if the statement does not ask for them."""
    if not column.startswith("{{"):
        return [column]
    return [region_type["name"] for region_type in values.get(column.strip("{ }"), [])]


def _sorted(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: [(value is None, 0 if value is None else value) for value in row])
