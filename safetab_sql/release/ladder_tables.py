"""The published tables of one ladder on a connection of its own, taken apart into independent noisy counts (atoms).

Every published count is a sum of atoms: a cell of a table; a total of a group without a table. A subtotal is the sum of
its cells, and so is the total of a group with a table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import render, sql_files
from safetab_sql.public.values import publishing_values
from safetab_sql.release.folder import RELEASE_FIX, ReleaseFolder, table_files
from safetab_sql.settings.ladders import GROUP_INDEX, Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters


@dataclass(frozen=True, slots=True)
class LadderTables:
    """The files of the tables of a ladder. totals: None where they are rows of the table. index: of groups."""

    ladder: Ladder
    totals: list[Path] | None
    table: list[Path]
    index: list[Path]

    @property
    def files(self) -> list[Path]:
        """The files that the engine reads of them."""
        return [*(self.totals or ()), *self.table, *self.index]


def tables_of_release(release: ReleaseFolder) -> list[LadderTables]:
    """The tables of all ladders of a release."""
    files = {name: table_files(release.folder / name) for name in (*release.facts.folders, GROUP_INDEX)}
    return [
        LadderTables(each, files.get(each.totals_folder or ""), files[each.folder], files[GROUP_INDEX])
        for each in release.facts.parameters.ladders
    ]


def show_ladder(
    connection: duckdb.DuckDBPyConnection, tables: LadderTables, parameters: Parameters
) -> dict[str, object]:
    """Make the public tables of a ladder, `published_rows` and an empty `asked_groups`; values of its statements."""
    values = publishing_values(parameters, tables.ladder)
    _show_tables(connection, tables, parameters)
    for name in ("ladder_rows", "ladder_statistics", "statistic_cells", "statistic_sums", "group_levels"):
        created(connection, name, values)
    connection.sql(statement("published_rows", values)).create_view("published_rows")
    created(connection, "asked_groups", values)
    return values


def create_sums(
    connection: duckdb.DuckDBPyConnection, ladder: Ladder, values: Mapping[str, object]
) -> duckdb.DuckDBPyRelation:
    """Make `summed_groups` and `summed_rows` of the groups in `asked_groups`; the latter.

    Raises: InputError where an atom of a group is missing, or its table is not known.
    """
    groups = created(connection, "summed_groups", values)
    rows = created(connection, "summed_rows", values)
    unknown = groups.filter("stat_level is null").shape[0]
    wanted, found = groups.sum("atoms").fetchall()[0][0] or 0, rows.count("atom").fetchall()[0][0]
    what = "rows are missing, or of a table that the parameters of the release do not have"
    refuse([Problem(ladder.name, what, RELEASE_FIX)] if unknown or found != wanted else [])
    return rows


def statement(name: str, values: Mapping[str, object]) -> str:
    """The text of a statement with the values that it asks for."""
    file = sql_files()[name]
    return render(file, {key: value for key, value in values.items() if key in file.parameters}).inlined


def created(connection: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, object]) -> duckdb.DuckDBPyRelation:
    """A table, made."""
    connection.sql(statement(name, values)).create(name)
    return connection.table(name)


def _show_tables(connection: duckdb.DuckDBPyConnection, tables: LadderTables, parameters: Parameters) -> None:
    """Views t1, of totals, t2 and group_index. Files are read by the engine, which skips what nobody asks for."""
    connection.read_parquet([*map(str, tables.index)]).create_view(GROUP_INDEX)
    _counts(connection.read_parquet([*map(str, tables.table)]), tables.ladder).create_view("t2")
    if tables.totals is not None:
        _counts(connection.read_parquet([*map(str, tables.totals)]), tables.ladder).create_view("t1")
        return
    totals = connection.view("t2")
    for attribute in attributes_of(tables.ladder, parameters.attributes):
        for column in attribute.publish:
            totals = totals.filter(duckdb.ColumnExpression(column) == duckdb.ConstantExpression(attribute.total))
    totals.create_view("t1")


def _counts(rows: duckdb.DuckDBPyRelation, ladder: Ladder) -> duckdb.DuckDBPyRelation:
    """The rows with what the ladder counts, or adds up, as COUNT: each ladder is read by itself."""
    names = {name: "COUNT" if name == ladder.counted else name for name in rows.columns}
    return rows.select(*(duckdb.ColumnExpression(name).alias(called) for name, called in names.items()))
