"""Population groups that a sum asks for but that have no row in it: suppressed groups, and groups without a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from safetab_sql.kit.sqlfiles import render, sql_files
from safetab_sql.statistics.named_groups import NamedGroups
from safetab_sql.statistics.predicates import Predicate

_GROUP = "REGION_TYPE, REGION_ID, ITERATION_CODE"


@dataclass(frozen=True, slots=True)
class AbsentGroups:
    """Population groups that one condition asks for but that have no row among the rows it chose.

    suppressed: without any row in the release. other: published with other rows: a total alone, or another table.
    unnamed_types: region types in which it may ask for groups that are not known; then both numbers are lower bounds.
    """

    suppressed: int
    other: int
    unnamed_types: tuple[str, ...]


def together(found: Sequence[AbsentGroups]) -> AbsentGroups:
    """Those of several ladders."""
    names = sorted({name for one in found for name in one.unnamed_types})
    return AbsentGroups(sum(one.suppressed for one in found), sum(one.other for one in found), tuple(names))


def numbered(table: pa.Table, name: str) -> pa.Table:
    """The table with the number of each row as column `name`."""
    return table.append_column(name, pa.array(np.arange(table.num_rows, dtype=np.int64)))


class PossibleRows:
    """The rows that a release could have had, as relations of the connection that holds `row_shapes` and `t1`."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        rows: duckdb.DuckDBPyRelation,
        named: NamedGroups,
        suppressed_types: frozenset[str],
        values: Mapping[str, object],
    ) -> None:
        """rows: relation of `summed_rows`. named: the groups that are known of. values: those of the ladder."""
        columns = {name: values[name] for name in ("ladder_columns", "other_columns")}
        connection.register("named_regions", numbered(named.regions, "region_number"))
        connection.register("named_iterations", numbered(named.iterations, "iteration_number"))
        self._rows = rows
        self._are_all = named.are_all
        self._suppressed_types = suppressed_types
        self._possible = connection.sql(render(sql_files()["possible_rows"], columns).inlined)
        unnamed = render(sql_files()["unnamed_rows"], {"suppressed_types": sorted(suppressed_types), **columns})
        self._unnamed = connection.sql(unnamed.inlined)

    def absent(self, condition: Predicate) -> AbsentGroups:
        """The groups that `condition` asks for but that have no such row. It must be valid for the published rows."""
        asked = self._possible.filter(condition.text)
        published = asked.filter("is_published").project(_GROUP).distinct()
        chosen = self._rows.filter(condition.text).project(_GROUP).distinct()
        unpublished = asked.filter("not is_published").aggregate("REGION_TYPE, count(distinct group_number)").fetchall()
        return AbsentGroups(
            sum(number for region_type, number in unpublished if region_type in self._suppressed_types),
            published.except_(chosen).count("*").fetchall()[0][0],
            tuple(self._unnamed_types(condition)),
        )

    def _unnamed_types(self, condition: Predicate) -> Iterator[str]:
        """The suppressed region types in which `condition` may ask for groups that are not known."""
        if self._suppressed_types and (not self._are_all or condition.reads_count):
            try:
                found = self._unnamed.filter(f"{condition.text} is not false").project("REGION_TYPE").distinct()
                yield from sorted(name for (name,) in found.fetchall())
            except duckdb.Error:  # the condition fails on these rows, so it may ask for groups of any type
                yield from sorted(self._suppressed_types)
