"""Population groups that a sum asks for and that have no row in it: suppressed ones, and those without such a table."""

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb

from safetab_sql.jobs.named_groups import NamedGroups
from safetab_sql.kit.sqlfiles import render, sql_files
from safetab_sql.published.predicates import Predicate

_GROUP = "REGION_TYPE, REGION_ID, ITERATION_CODE"


@dataclass(frozen=True, slots=True)
class AbsentGroups:
    """Population groups that one condition asks for and that have no row among those it chose.

    suppressed: without any row in the release. other: published, but with no such row: with a total alone, or another
    table. unnamed_types: region types of which it may ask for more groups than are known of; then both are the least.
    """

    suppressed: int
    other: int
    unnamed_types: tuple[str, ...]


class PossibleRows:
    """The rows that a release could have had, as relations of the connection that holds `published_rows`."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        rows: duckdb.DuckDBPyRelation,
        named: NamedGroups,
        suppressed_types: frozenset[str],
    ) -> None:
        """rows: relation of `published_rows`. named: the groups that are known of."""
        connection.register("named_regions", named.regions)
        connection.register("named_iterations", named.iterations)
        self._rows = rows
        self._are_all = named.are_all
        self._suppressed_types = suppressed_types
        self._possible = connection.sql(render(sql_files()["possible_rows"], {}).text)
        unnamed = render(sql_files()["unnamed_rows"], {"suppressed_types": sorted(suppressed_types)})
        self._unnamed = connection.sql(unnamed.inlined)

    def absent(self, condition: Predicate) -> AbsentGroups:
        """The groups that `condition`, which fits the published rows, asks for in vain."""
        asked, chosen = (
            rows.filter(condition.text).project(_GROUP).distinct() for rows in (self._possible, self._rows)
        )
        published = self._rows.filter("SEX is null").project(_GROUP).distinct()
        missing = asked.except_(chosen)
        suppressed = missing.except_(published).aggregate("REGION_TYPE, count(*)").fetchall()
        return AbsentGroups(
            sum(number for region_type, number in suppressed if region_type in self._suppressed_types),
            missing.intersect(published).count("*").fetchall()[0][0],
            tuple(self._unnamed_types(condition)),
        )

    def _unnamed_types(self, condition: Predicate) -> Iterator[str]:
        """The suppressed region types of which `condition` may ask for groups that are not known of."""
        if self._suppressed_types and (not self._are_all or condition.reads_count):
            try:
                found = self._unnamed.filter(f"{condition.text} is not false").project("REGION_TYPE").distinct()
                yield from sorted(name for (name,) in found.fetchall())
            except duckdb.Error:  # it fails on names that it does not expect, so who knows
                yield from sorted(self._suppressed_types)
