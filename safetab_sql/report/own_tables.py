"""What the report reads of tables of one's own: kinds of groups of each ladder, and groups with their tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.values import publishing_values, rows_of
from safetab_sql.published.empty_tables import INDEXED
from safetab_sql.published.release import released_table, table_files
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.report.kinds import Kind, Span, span_of, span_of_one
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import GROUP_INDEX, MEASUREMENTS, Cells, Ladder, attributes_of

MOST_ROWS = 1_000_000  # of tables that a page shows group by group: some megabytes
_COUNTS = ("COUNT", "VARIANCE", "MOE95", "LOW95", "HIGH95")
_GROUP = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE")
Rows = Sequence[Mapping[str, Any]]
Codes = tuple[str, ...]  # of a row, one for each column of attributes
_PUBLIC = ("ladder_rows", "ladder_statistics", "statistic_cells")


@dataclass(frozen=True, slots=True)
class OwnTables:
    """The published tables of one ladder. kinds: in the order of levels, then of statistics.

    groups: rows of reported_table_counts, of the region types that are shown. intervals, gains: rows of
    reported_intervals and stage_1_gains; none of reconciled tables, and no gains without measurements of stage 1.
    """

    ladder: Ladder
    attributes: tuple[Attribute, ...]
    kinds: tuple[Kind, ...]
    groups: Rows
    intervals: Rows
    gains: Rows


def read_own_tables(database: Database, out: Path, facts: ReleaseFacts) -> tuple[tuple[OwnTables, ...], list[str]]:
    """The tables of every ladder of the release in folder `out`, and the region types whose groups are not shown.

    Raises: InputError where a table is not what it should be.
    """
    parameters = facts.parameters
    kinds_of = _kinds if facts.reconciled is None else _reconciled_kinds
    kinds = {}
    for ladder in parameters.ladders:
        _show(database, out, facts, ladder)
        kinds[ladder.name] = kinds_of(database, facts, ladder)
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
        groups = _made(database, "reported_table_counts")
        is_reconciled = facts.reconciled is not None
        intervals = [] if is_reconciled else _made(database, "reported_intervals")
        measured = [] if is_reconciled else measured_files(out, ladder)
        if measured:
            database.show("measured_groups", measured)
        gains = _made(database, "stage_1_gains") if measured else []
        own = attributes_of(ladder, parameters.attributes)
        tables.append(OwnTables(ladder, own, kinds[ladder.name], groups, intervals, gains))
    return tuple(tables), [name for name in sizes if name not in shown]


def show_index(database: Database, out: Path) -> None:
    """Show the index of the groups of the release in folder `out`. Raises: InputError where it has none."""
    released_table(out / GROUP_INDEX, (*INDEXED, "REGION_ID", "REGION_NAME"))
    database.show(GROUP_INDEX, table_files(out / GROUP_INDEX))


def measured_files(out: Path, ladder: Ladder) -> list[Path]:
    """The files of the stage-1 totals of a ladder; none where they are not published."""
    return [file for file in table_files(out / MEASUREMENTS) if file.stem in ladder.folders]


def cell_rows(attributes: Sequence[Attribute], cells: Cells) -> Iterator[tuple[tuple[Codes, ...], Codes]]:
    """Each row with these cells, first attribute slowest: the codes of each of their attributes, and of all columns."""
    by_name = {attribute.name: attribute for attribute in attributes}
    groups = [by_name[name].grouping(grouping).codes for name, grouping in cells]
    for combination in product(*groups):
        of = dict(zip((name for name, _ in cells), combination, strict=True))
        codes = (code for each in attributes for code in of.get(each.name, (each.total,) * len(each.publish)))
        yield combination, tuple(codes)


def _made(database: Database, name: str) -> list[dict[str, Any]]:
    """The rows of a statement of sql/tools/report."""
    database.create(sql_files()[name])
    rows: list[dict[str, Any]] = database.table(name).to_pylist()
    return rows


def _show(database: Database, out: Path, facts: ReleaseFacts, ladder: Ladder) -> None:
    """Make reported_tables of one ladder."""
    own = attributes_of(ladder, facts.parameters.attributes)
    codes = {column: attribute.total for attribute in own for column in attribute.publish}
    counts = _COUNTS if facts.reconciled is None else (*_COUNTS, "NOISY_COUNT")
    released_table(out / ladder.folder, [*_GROUP, "STATISTIC", *codes, *counts])
    totals = ladder.totals_folder or ladder.folder
    released_table(out / totals, [*_GROUP, *counts])
    for prefix in ("",) if facts.reconciled is None else ("", "reconciled_"):
        database.show(f"{prefix}t1", table_files(out / totals))
        database.show(f"{prefix}t2", table_files(out / ladder.folder))
    is_apart = ladder.totals_folder is not None
    values = {
        "total_name": ladder.total_name,
        "table_name": ladder.name,
        "columns_of_totals": {} if is_apart else codes,
        "row_columns": codes,
    }
    database.set_values(values)
    for name in ("group_levels", "reported_tables"):
        database.create(sql_files()[name])


def _reconciled_kinds(database: Database, facts: ReleaseFacts, ladder: Ladder) -> tuple[Kind, ...]:
    """The rows of reconciled_table_kinds, in the order of levels. Raises: as `ReleaseFacts.level_called`."""
    database.set_values(publishing_values(facts.parameters, ladder))
    for name in _PUBLIC:
        database.create(sql_files()[name])
    rows = _made(database, "reconciled_table_kinds")
    names, cells = table_names(ladder), _sizes(facts, ladder)
    kinds = [
        Kind(
            level=facts.level_called(ladder.name, row["level_name"]).name,
            cells=cells.get(row["statistic"], 0),
            is_total_only=row["is_total_only"],
            count_moe95=span_of(row, "cell"),
            total_moe95=span_of(row, "total"),
            population_groups=row["population_groups"],
            changed=row["changed_groups"],
            within_10=row["groups_within_10"],
            within_30=row["groups_within_30"],
            within_100=row["groups_within_100"],
            statistic=row["statistic"],
            region_type=row["region_type"],
        )
        for row in rows
    ]
    return _in_order(kinds, facts, names)


def table_names(ladder: Ladder) -> list[str]:
    """The names of the tables of a ladder, of a total alone first."""
    return [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]


def _sizes(facts: ReleaseFacts, ladder: Ladder) -> dict[str, int]:
    """How many cells each of its tables has."""
    sizes = rows_of(facts.parameters, ladder).sizes
    return {statistic.name: size for statistic, size in zip(ladder.statistics, sizes, strict=True)}


def _kinds(database: Database, facts: ReleaseFacts, ladder: Ladder) -> tuple[Kind, ...]:
    """The rows of reported_table_kinds, in the order of levels. Raises: as `ReleaseFacts.level_called`."""
    names, cells = table_names(ladder), _sizes(facts, ladder)
    kinds = [
        Kind(
            level=facts.level_called(ladder.name, row["level_name"]).name,
            cells=cells.get(row["statistic"], 0),
            is_total_only=row["is_total_only"],
            count_moe95=Span(*[row["count_moe95"]] * 3),
            total_moe95=span_of_one(row["total_moe95"]),
            population_groups=row["population_groups"],
            changed=0,
            within_10=row["groups_within_10"],
            within_30=row["groups_within_30"],
            within_100=row["groups_within_100"],
            statistic=row["statistic"],
            region_type=row["region_type"],
        )
        for row in _made(database, "reported_table_kinds")
    ]
    return _in_order(kinds, facts, names)


def _in_order(kinds: Sequence[Kind], facts: ReleaseFacts, names: Sequence[str]) -> tuple[Kind, ...]:
    """Kinds in the order of the levels; of a level, in the order of its tables. names: of these, in their order."""
    order = {level.name: place for place, level in enumerate(facts.levels)}
    return tuple(sorted(kinds, key=lambda kind: (order[kind.level], names.index(kind.statistic))))
