"""Population groups that a sum asks for but that have no row in it: suppressed groups, and groups without a table.

Which groups a release could have published is known from the public files it was made with, or from itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import folder_files, render, sql_files
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.gate import public_source
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.readers import GIVEN_NAMES, no_region_names
from safetab_sql.public.sources import Source
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.release.folder import code_lists_of_release, public_problems, read_geography
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.predicates import Predicate

_GROUP = "REGION_TYPE, REGION_ID, ITERATION_CODE"
_REGION = ["REGION_TYPE", "REGION_ID"]
_ITERATION = ["REGION_TYPE", "ITERATION_CODE"]


@dataclass(frozen=True, slots=True)
class NamedGroups:
    """Population groups that are known to exist: every region of a region type, by every iteration of that type.

    regions: REGION_TYPE, REGION_ID. iterations: REGION_TYPE, ITERATION_CODE. are_all: whether these are all groups, or
    only the groups that a release names: regions and iterations that were suppressed everywhere are missing there.
    """

    regions: pa.Table
    iterations: pa.Table
    are_all: bool


def groups_of_release(t1: duckdb.DuckDBPyRelation) -> NamedGroups:
    """The groups that the totals of a release name."""
    regions, iterations = (t1.project(", ".join(names)).distinct().to_arrow_table() for names in (_REGION, _ITERATION))
    return NamedGroups(regions, iterations, are_all=False)


def groups_of_public_files(
    facts: ReleaseFacts, geography: str | Path | None, code_lists: str | Path | None
) -> NamedGroups | None:
    """The groups that the run of a release tabulated, with people or without; None where neither file is given.

    Raises: InputError where one of the two is missing, cannot be read, or is not what the run was made with.
    """
    if geography is None and code_lists is None:
        return None
    if geography is None or (code_lists is None and facts.parameters.questions.lists):
        missing = "--geography" if geography is None else "--code-lists"
        fix = "suppressed groups are counted from both; give both, or neither"
        raise InputError([Problem(missing, "not given", fix)])
    public = {"geography": public_source("geography", geography), **code_lists_of_release(code_lists, facts.parameters)}
    refuse(public_problems(public, facts))
    sources = {name: each.source for name, each in public.items()}
    readable = [file for source in sources.values() for file in source.files]
    with scratch_folder(None) as scratch, open_database(scratch, readable, [], Resources()) as database:
        return _catalog_groups(database, facts.parameters, sources, scratch)


def _catalog_groups(
    database: Database, parameters: Parameters, sources: Mapping[str, Source], scratch: Path
) -> NamedGroups:
    read_geography(database, sources["geography"], parameters, scratch)
    read_lists(database, sources, parameters.questions.lists, scratch, parameters)
    database.hand_over(GIVEN_NAMES, no_region_names())
    for file in folder_files("run/1_inputs"):
        if file.zone == "public" and database.has_values(file):
            database.create(file)
    build_catalog(database, parameters)
    levels = database.table("levels").select(["level_id", "region_type"])
    iterations = database.table("level_iterations").join(
        database.table("iterations", columns=["iteration_id", "iteration_code"]), "iteration_id", join_type="inner"
    )
    tabulated = levels.join(iterations.select(["level_id", "iteration_code"]), "level_id", join_type="inner")
    regions = database.table("regions").join(levels.select(["region_type"]), "region_type", join_type="left semi")
    return NamedGroups(
        regions.select(["region_type", "region_id"]).rename_columns(_REGION),
        tabulated.select(["region_type", "iteration_code"]).rename_columns(_ITERATION),
        are_all=True,
    )


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
    """The absent groups of several ladders."""
    names = sorted({name for one in found for name in one.unnamed_types})
    return AbsentGroups(sum(one.suppressed for one in found), sum(one.other for one in found), tuple(names))


def numbered(table: pa.Table, name: str) -> pa.Table:
    """The table with the number of each row as column `name`."""
    return table.append_column(name, pa.array(np.arange(table.num_rows, dtype=np.int64)))


def with_columns(rows: duckdb.DuckDBPyRelation, more: Mapping[str, str | None]) -> duckdb.DuckDBPyRelation:
    """The rows with a text in each of these columns."""
    texts = [duckdb.ConstantExpression(text).cast(duckdb.sqltype("VARCHAR")).alias(name) for name, text in more.items()]
    return rows.select(duckdb.StarExpression(), *texts) if texts else rows


def absent_groups(
    connection: duckdb.DuckDBPyConnection,
    rows: duckdb.DuckDBPyRelation,
    conditions: Iterable[Predicate],
    named: NamedGroups,
    suppressed_types: frozenset[str],
    values: Mapping[str, object],
    more: Mapping[str, str | None],
) -> Iterator[AbsentGroups]:
    """The groups that each condition asks for but that have no such row. They must be valid for the published rows.

    connection: holds `row_shapes` and `t1`. rows: relation of `summed_rows`. named: the groups that are known of.
    values: of the ladder. more: columns that `rows` has and statements have not.
    """
    columns = {name: values[name] for name in ("ladder_columns", "other_columns")}
    connection.register("named_regions", numbered(named.regions, "region_number"))
    connection.register("named_iterations", numbered(named.iterations, "iteration_number"))
    possible = with_columns(connection.sql(render(sql_files()["possible_rows"], columns).inlined), more)
    statement = render(sql_files()["unnamed_rows"], {"suppressed_types": sorted(suppressed_types), **columns})
    unnamed = with_columns(connection.sql(statement.inlined), more)
    for condition in conditions:
        asked = possible.filter(condition.text)
        published = asked.filter("is_published").project(_GROUP).distinct()
        chosen = rows.filter(condition.text).project(_GROUP).distinct()
        unpublished = asked.filter("not is_published").aggregate("REGION_TYPE, count(distinct group_number)").fetchall()
        types: Iterable[str] = ()  # the suppressed region types in which it may ask for groups that are not known
        if suppressed_types and (not named.are_all or condition.reads_count):
            try:
                found = unnamed.filter(f"{condition.text} is not false").project("REGION_TYPE").distinct()
                types = [name for (name,) in found.fetchall()]
            except duckdb.Error:  # the condition fails on these rows, so it may ask for groups of any type
                types = suppressed_types
        yield AbsentGroups(
            sum(number for region_type, number in unpublished if region_type in suppressed_types),
            published.except_(chosen).count("*").fetchall()[0][0],
            tuple(sorted(types)),
        )
