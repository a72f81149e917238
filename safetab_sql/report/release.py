"""What the report reads of a release: its manifest, and summaries of its tables that sql/tools/report makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.gate import public_code_lists
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.sources import Source
from safetab_sql.published.quality import Check, has_nation, quality_checks
from safetab_sql.published.release import open_folder, public_problems, released_codes, released_table, table_files
from safetab_sql.published.release_facts import RELEASE_FIX, ReleaseFacts
from safetab_sql.report.intervals_section import read_intervals
from safetab_sql.report.kinds import Kind, Span, in_order, span_of, span_of_one
from safetab_sql.report.names import Names
from safetab_sql.report.own_intervals import own_intervals_section
from safetab_sql.report.own_tables import OwnTables, read_own_tables, show_index
from safetab_sql.report.sections import Section
from safetab_sql.settings.ladders import GROUP_INDEX, MEASUREMENTS
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

_GROUP = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE")
_COLUMNS = (*_GROUP, "COUNT", "VARIANCE", "MOE95", "LOW95", "HIGH95")
_TABLES = {"t1": _COLUMNS, "t2": (*_COLUMNS, "AGESTART", "AGEEND", "SEX")}
_RECONCILED_COLUMN = "NOISY_COUNT"
_ITERATION = "ITERATION_CODE"
_LADDER = "T2"  # of a release of sex by age
MOST_GROUPS = 30_000  # that a page shows one by one: about a megabyte


@dataclass(frozen=True, slots=True)
class Reported:
    """What a report shows. groups: reported_groups. names: of iterations, and of the regions that are shown.

    hidden_types: the region types whose groups are too many to be shown one by one; `groups` has all others. intervals:
    the section on intervals, where counts are as noise left them. own_tables: those of every ladder, where they are not
    totals and sex by age. quality: of totals and sex by age.
    """

    facts: ReleaseFacts
    kinds: tuple[Kind, ...]
    groups: pa.Table
    names: Names
    hidden_types: tuple[str, ...] = ()
    intervals: Section | None = None
    own_tables: tuple[OwnTables, ...] = ()
    quality: tuple[Check, ...] = ()

    @property
    def unit(self) -> Unit:
        """What a record is."""
        return self.facts.parameters.unit


def read_release(out: Path, code_lists: Path | None = None) -> Reported:
    """The release in folder `out`, or what `reconcile` made of one, with the names of its iterations.

    code_lists: a folder of those that the release was made with; without it the names are those in the release.
    Raises: InputError where either is not what it should be.
    """
    opened = open_folder(out, or_reconciled=True)
    refuse(list(opened.problems))
    facts = opened.facts
    public = {} if code_lists is None else public_code_lists(code_lists, facts.parameters.questions.lists)
    refuse(public_problems(public, facts))
    lists = {name: each.source for name, each in public.items()}
    files = [file for source in lists.values() for file in source.files]
    files += [file for table in (*facts.folders, MEASUREMENTS, GROUP_INDEX) for file in table_files(out / table)]
    with scratch_folder(None) as scratch, open_database(scratch, files, [], Resources()) as database:
        codes = _listed_names(database, lists, scratch, facts.parameters) if lists else released_codes(out, _ITERATION)
        show_index(database, out)
        if facts.own_ladders:
            own, left_out = read_own_tables(database, out, facts)
            names = Names(codes, _region_names(database))
            kinds = tuple(kind for tables in own for kind in tables.kinds)
            intervals = own_intervals_section(facts, own, names)
            return Reported(facts, kinds, pa.table({}), names, tuple(left_out), intervals, own)
        shown, hidden = _shown_types(out, facts)
        database.set_values({"picked_types": shown, "table_name": _LADDER})
        database.create(sql_files()["group_levels"])
        names = Names(codes, _region_names(database))
        try:
            kinds, groups = _tables(database, out, facts)
            intervals = read_intervals(database, out, facts, names)
            is_as_drawn = facts.reconciled is None and not facts.is_clipped
            quality = quality_checks(database, is_as_drawn, has_nation(facts.parameters.region_types))
        except duckdb.ConversionException as error:
            raise InputError([Problem(str(out), f"not the tables of a release: {error}", RELEASE_FIX)]) from error
    return Reported(facts, kinds, groups, names, hidden, intervals, quality=quality)


def _shown_types(out: Path, facts: ReleaseFacts) -> tuple[list[str], tuple[str, ...]]:
    """The region types whose groups are shown one by one, and those whose groups are not.

    All are shown, as far as a page has room for their groups.
    Those that suppress nothing come first, like nation and states; they always have room.
    """
    files = [str(file) for file in table_files(out / "t1")]
    counted = pc.value_counts(pq.read_table(files, columns=["REGION_TYPE"])["REGION_TYPE"]).to_pylist()
    groups = {each["values"]: each["counts"] for each in counted}
    kinds = sorted(facts.parameters.region_types, key=lambda kind: kind.suppress)
    shown: list[str] = []
    for kind in [kind for kind in kinds if kind.name in groups]:
        if not kind.suppress or sum(groups[name] for name in [*shown, kind.name]) <= MOST_GROUPS:
            shown.append(kind.name)
    return shown, tuple(kind.name for kind in kinds if kind.name in groups and kind.name not in shown)


def _tables(database: Database, out: Path, facts: ReleaseFacts) -> tuple[tuple[Kind, ...], pa.Table]:
    """The kinds of published groups, and reported_groups."""
    is_reconciled = facts.reconciled is not None
    more = (_RECONCILED_COLUMN,) if is_reconciled else ()
    for table, columns in _TABLES.items():
        released_table(out / table, [*columns, *more])  # refuses what is no such table
        for name in (table, f"reconciled_{table}") if is_reconciled else (table,):
            database.show(name, table_files(out / table))
    kinds = "reconciled_kinds" if is_reconciled else "reported_kinds"
    for statement in (kinds, "reported_groups"):
        database.create(sql_files()[statement])
    found = database.table(kinds).to_pylist()
    made = _reconciled_kinds(found, facts) if is_reconciled else _kinds(found, facts)
    return made, database.table("reported_groups")


def _region_names(database: Database) -> dict[tuple[str, str], str]:
    """Names of the regions that are shown, by type and id."""
    database.create(sql_files()["reported_region_names"])
    rows = database.table("reported_region_names").to_pylist()
    return {(row["region_type"], row["region_id"]): row["region_name"] for row in rows}


def _listed_names(
    database: Database, lists: Mapping[str, Source], scratch: Path, parameters: Parameters
) -> dict[str, str]:
    """Names of the iterations in code lists, by their codes."""
    read_lists(database, lists, [each.source for each in parameters.questions.all], scratch, parameters)
    for name in ("iteration_rows", "iteration_names"):
        database.create(sql_files()[name])
    rows = database.table("iteration_names").to_pylist()
    return {row["iteration_code"]: row["iteration_name"] for row in rows}


def _reconciled_kinds(rows: Sequence[Mapping[str, Any]], facts: ReleaseFacts) -> tuple[Kind, ...]:
    """The rows of reconciled_kinds, in the order of the levels. Raises: as `ReleaseFacts.level_called`."""
    kinds = [
        Kind(
            level=facts.level_called(_LADDER, row["level_name"]).name,
            cells=row["cells"],
            is_total_only=row["is_total_only"],
            count_moe95=span_of(row, "cell" if row["cells"] else "total"),
            total_moe95=span_of(row, "total"),
            population_groups=row["population_groups"],
            changed=row["changed_groups"],
            within_10=row["groups_within_10"],
            within_30=row["groups_within_30"],
            within_100=row["groups_within_100"],
        )
        for row in rows
    ]
    return in_order(kinds, facts)


def _kinds(rows: Sequence[Mapping[str, Any]], facts: ReleaseFacts) -> tuple[Kind, ...]:
    """The rows of reported_kinds, in the order of the levels. Raises: as `ReleaseFacts.level_called`."""
    kinds = [
        Kind(
            level=facts.level_called(_LADDER, row["level_name"]).name,
            cells=row["cells"],
            is_total_only=row["is_total_only"],
            count_moe95=Span(*[row["count_moe95"]] * 3),
            total_moe95=span_of_one(row["total_moe95"]),
            population_groups=row["population_groups"],
            changed=0,
            within_10=row["groups_within_10"],
            within_30=row["groups_within_30"],
            within_100=row["groups_within_100"],
        )
        for row in rows
    ]
    return in_order(kinds, facts)
