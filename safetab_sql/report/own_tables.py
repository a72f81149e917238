"""What the report reads of tables of one's own: kinds of groups of each ladder, and groups with their tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import literal, quoted_name, sql_files
from safetab_sql.public.attributes import Attribute
from safetab_sql.public.ladders import Cells, Ladder, attributes_of
from safetab_sql.published.release import released_table, table_files
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.report.kinds import Kind, Span

MOST_ROWS = 1_000_000  # of tables that a page shows group by group: some megabytes
_COUNTS = ("COUNT", "VARIANCE", "MOE95", "LOW95", "HIGH95")
_GROUP = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE")
_STATEMENTS = ("reported_tables", "reported_table_kinds")


@dataclass(frozen=True, slots=True)
class OwnTables:
    """The published tables of one ladder. kinds: in the order of levels, then of statistics.

    groups: rows of reported_table_counts, of the region types that are shown.
    """

    ladder: Ladder
    attributes: tuple[Attribute, ...]
    kinds: tuple[Kind, ...]
    groups: Sequence[Mapping[str, Any]]


def read_own_tables(database: Database, out: Path, facts: ReleaseFacts) -> tuple[tuple[OwnTables, ...], list[str]]:
    """The tables of every ladder of the release in folder `out`, and the region types whose groups are not shown.

    Raises: InputError where a table is not what it should be.
    """
    parameters = facts.parameters
    kinds = {ladder.name: _kinds(database, out, facts, ladder) for ladder in parameters.ladders}
    sizes: dict[str, int] = {}
    for found in kinds.values():
        for kind in found:
            sizes[kind.region_type] = sizes.get(kind.region_type, 0) + kind.population_groups * max(kind.cells, 1)
    shown: list[str] = []
    for each in sorted(parameters.region_types, key=lambda each: each.suppress):
        if each.name in sizes and sum(sizes[name] for name in [*shown, each.name]) <= MOST_ROWS:
            shown.append(each.name)
    database.set_values({"picked_types": shown})
    tables = []
    for ladder in parameters.ladders:
        _show(database, out, facts, ladder)
        database.create(sql_files()["reported_table_counts"])
        groups = database.table("reported_table_counts").to_pylist()
        own = attributes_of(ladder, parameters.attributes)
        tables.append(OwnTables(ladder, own, kinds[ladder.name], groups))
    return tuple(tables), [name for name in sizes if name not in shown]


def _show(database: Database, out: Path, facts: ReleaseFacts, ladder: Ladder) -> None:
    """Make reported_tables and reported_table_kinds of one ladder."""
    own = attributes_of(ladder, facts.parameters.attributes)
    codes = [
        {"quoted": quoted_name(column), "code": literal(attribute.total)}
        for attribute in own
        for column in attribute.publish
    ]
    names = [column for attribute in own for column in attribute.publish]
    released_table(out / ladder.folder, [*_GROUP, "STATISTIC", *names, *_COUNTS])
    totals = ladder.totals_folder or ladder.folder
    released_table(out / totals, [*_GROUP, *_COUNTS])
    database.show("t1", table_files(out / totals))
    database.show("t2", table_files(out / ladder.folder))
    is_apart = ladder.totals_folder is not None
    values = {"total_name": ladder.total_name, "columns_of_totals": [] if is_apart else codes, "row_columns": codes}
    database.set_values(values)
    for name in _STATEMENTS:
        database.create(sql_files()[name])


def _kinds(database: Database, out: Path, facts: ReleaseFacts, ladder: Ladder) -> tuple[Kind, ...]:
    """The rows of reported_table_kinds with the names of their levels.

    Raises: InputError where a row has noise that no level of the manifest has.
    """
    _show(database, out, facts, ladder)
    order = {level.name: place for place, level in enumerate(facts.levels)}
    names = [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
    cells = {statistic.name: _size(facts, statistic.cells) for statistic in ladder.statistics}
    kinds = []
    for row in database.table("reported_table_kinds").to_pylist():
        is_total = row["statistic"] == ladder.total_name
        calls = facts.calls_with(
            row["region_type"], row["count_variance"], ("total_only", "stage_2") if is_total else ("stage_2",)
        )
        levels = [level for level, _ in calls if level.ladder in (None, ladder.name)]
        kinds.append(
            Kind(
                level=" or ".join(dict.fromkeys(level.name for level in levels)),
                cells=cells.get(row["statistic"], 0),
                is_total_only=False,
                count_moe95=Span(*[row["count_moe95"]] * 3),
                total_moe95=Span(*[row["total_moe95"]] * 3),
                population_groups=row["population_groups"],
                changed=0,
                within_10=row["groups_within_10"],
                within_30=row["groups_within_30"],
                within_100=row["groups_within_100"],
                statistic=row["statistic"],
                region_type=row["region_type"],
            )
        )
    return tuple(sorted(kinds, key=lambda kind: (order[kind.level.partition(" or ")[0]], names.index(kind.statistic))))


def _size(facts: ReleaseFacts, cells: Cells) -> int:
    """How many cells a table has."""
    by_name = {attribute.name: attribute for attribute in facts.parameters.attributes}
    size = 1
    for name, grouping in cells:
        size *= len(by_name[name].grouping(grouping).codes)
    return size
