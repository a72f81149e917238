"""Exact counts: runs sql/run/3_people, 4_totals and 5_tables, and returns the counts as integer arrays."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Database
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import Line, Progress
from safetab_sql.kit.sqlfiles import folder_files, sql_files
from safetab_sql.public.catalog import Catalog, Selected, tally_slots
from safetab_sql.public.inputs import Intake, refuse_found
from safetab_sql.settings.unit import Unit

PEOPLE_A_SLICE = 2**20  # whose counts nearly fit into a processor's cache
CELLS_A_RANGE = 2**25  # likewise the groups of the counting units of so many cells
SLICES_AT_A_TIME = 2  # while a statement of one ends, on one core, a statement of the other keeps all cores busy
GROUPS_AT_A_TIME = 2**20  # that are read together
MANY_PEOPLE = 20_000  # in each geo unit of a slice: then its counts are few, wherever else the people live


@dataclass(frozen=True, slots=True)
class GroupTotals:
    """Ids of groups with people, sorted, and how many each has: int64[n] both. sums: of each amount, by its column."""

    population_group_ids: Int64s
    exact_counts: Int64s
    sums: Mapping[str, Int64s] = field(default_factory=dict)

    def between(self, first: int, end: int) -> "GroupTotals":
        """The groups whose ids are from `first` to before `end`."""
        ours = slice(*np.searchsorted(self.population_group_ids, [first, end]))
        sums = {name: each[ours] for name, each in self.sums.items()}
        return GroupTotals(self.population_group_ids[ours], self.exact_counts[ours], sums)

    def of(self, measure: str) -> Int64s:
        """What a ladder counts, or adds up: see `LevelPlan.measure`."""
        return self.sums.get(measure, self.exact_counts)


class GroupCells(NamedTuple):
    """Cells with people of one statistic, sorted by group id: int64[n] each."""

    population_group_ids: Int64s
    cell_positions: Int64s
    exact_counts: Int64s


@dataclass(frozen=True, slots=True)
class Here:
    """Counts the people of a run in this process."""

    data: Intake

    def totals(self) -> None:
        """Count the people of every population group that has any, for `totals_between`. The catalog must exist.

        Raises: InputError with every record that cannot be counted.
        """
        self.data.stage("counting population groups")
        database, checks, is_checked = self.data.database, self.data.checks, False

        def check_those_left_out() -> None:
            nonlocal is_checked
            if not is_checked and leaves_out(database):
                is_checked = True
                checks.log("not every record is counted as it is; the checks that follow say why")
                refuse_found(self.data, checks.findings(screened=True).problems)

        count_people(database, self.data.parameters.unit, checks.log, check_those_left_out)

    def tables(self, _: pa.Table) -> None:
        """Count the people of every finest cell of the groups in table `stat_levels`, which must exist."""
        self.data.stage("counting tables")
        count_finest_cells(self.data.database)


def leaves_out(database: Database) -> bool:
    """Whether some record cannot be counted as it is, of those that `count_people` has seen."""
    return any(database.table("people_left_out")["records"].to_pylist())


def count_people(database: Database, unit: Unit, log: Line, look: Callable[[], None] = lambda: None) -> None:
    """Count the people of the person files of `database`, or of a part of them: counts of parts add up.

    unit: whose records are bounded, if it names the person; then a part holds whole persons. log: the confidential log.
    look: called between slices and at the end, to look at what is counted; what it raises ends the rest.
    """
    if unit.person is not None:
        database.create(sql_files()["countable_records"])
        keep_records(database, log)
    database.set_values({"tally_slots": tally_slots(database)})
    files = [file for file in folder_files("run/3_people", "run/4_totals") if file.kind.startswith("slice")]
    slices = 1 + database.rows("person_records") // PEOPLE_A_SLICE

    def people() -> Iterator[dict[str, pa.Table]]:
        for rows in _slices(database, slices):
            yield {"persons": rows}
            look()

    database.create_by_slices(files, people(), slices, SLICES_AT_A_TIME)
    look()


def keep_records(database: Database, log: Line) -> None:
    """Make `kept_records`, of the persons with more records than are counted.

    They are chosen from `countable_records`, and counted in `person_numbers`; a histogram calls tables of its own so.
    """
    for file in folder_files("run/3_kept"):
        if file.kind != "view":
            database.create(file)
    (cut,) = database.select(sql_files()["records_cut"], {}).to_pylist()
    most = f"; the most frequent id(s): {', '.join(cut['most'])}" if cut["most"] else ""
    log(f"bound of a person: {cut['persons']:,} persons have more records, {cut['records']:,} are not counted{most}")


def _slices(database: Database, slices: int) -> Iterator[pa.Table]:
    """All people of table `persons`, slice by slice, in the order of the files as long as neighbours are together.

    Where they are scattered, those who are left are first sorted into buckets of geo units. slices: about how many;
    nobody is left after a single one.
    """
    people = database.stretches(sql_files()["persons"], PEOPLE_A_SLICE)
    seen, units, repeated = set[int | None](), 0, 0
    for rows in people:
        yield rows
        here = set(rows["geo_unit_id"].unique().to_pylist()) if slices > 1 else set[int | None]()
        units, repeated, seen = units + len(here), repeated + len(here & seen), seen | here
        if are_scattered(rows.num_rows, len(here), units, repeated):
            yield from _slices_of_buckets(database, rows.schema, people, slices)


def are_scattered(people: int, here: int, units: int, repeated: int) -> bool:
    """Whether slices hold people of the same geo units again and again, and few of each.

    people, here: people and geo units of the last slice. units, repeated: geo units of all slices, each as often as it
    comes, and those among them that had come before.
    """
    return repeated * 2 >= units and people < MANY_PEOPLE * here


def _slices_of_buckets(
    database: Database, schema: pa.Schema, people: Iterator[pa.Table], buckets: int
) -> Iterator[pa.Table]:
    """All people who are left, slice by slice of one bucket after another: a bucket is a run of geo units.

    Where people wait before they are counted changes the time it takes, never the count.
    """
    units = max(1, database.rows("geo_units"))

    def bucket_of(rows: pa.Table) -> Int64s:
        geo_unit_ids = rows["geo_unit_id"].fill_null(1).to_numpy().astype(np.int64)  # NULL: whoever cannot be counted
        return (geo_unit_ids - 1) * buckets // units  # type: ignore[no-any-return]

    return database.by_buckets(people, schema, bucket_of, 2 * PEOPLE_A_SLICE)  # most buckets are one slice


def totals_between(database: Database, first: int, end: int) -> GroupTotals:
    """The totals of the groups with people whose ids are from `first` to before `end`, after `Here.totals`."""
    return _group_totals(database.select(sql_files()["group_totals"], _ids(first, end)))


def totals_reader(database: Database) -> Callable[[int, int], GroupTotals]:
    """`totals_between` of a database; where the groups with people are few, they are read once."""
    if database.rows("slice_totals") <= GROUPS_AT_A_TIME:
        return totals_between(database, 0, 2**63 - 1).between
    return lambda first, end: totals_between(database, first, end)


def warn_of_nobody(intake: Intake, plans: Sequence[LevelPlan], selected: Selected, progress: Progress) -> None:
    """Warn where no group that is tabulated has people: then all that would be published is noise.

    The people of every group must have been counted. selected: groups that published totals list.
    """
    if any(_holds_somebody(intake.database, plan, selected) for plan in plans):
        return
    fix = "if that is a mistake, look whether the geography, the code lists and the totals belong to them"
    warning = Problem(intake.sources["persons"].given, "no population group that is tabulated holds any of them", fix)
    intake.checks.log(f"warning: {warning}")
    progress.warn(str(warning))


def _holds_somebody(database: Database, plan: LevelPlan, selected: Selected) -> bool:
    """Whether some group of a level has people; the first that are found end the search."""
    level = plan.catalog
    for start in range(level.first_population_group_id, level.end_population_group_id, GROUPS_AT_A_TIME):
        end = min(start + GROUPS_AT_A_TIME, level.end_population_group_id)
        ids = totals_between(database, start, end).population_group_ids
        if plan.choose == "published":
            ids = np.intersect1d(ids, selected[plan.ladder_id, level.level_id][0])
        if ids.size:
            return True
    return False


def make_group_totals(database: Database, catalog: Catalog) -> None:
    """Make `group_totals`, of every group with people, a table, after `Here.totals`."""
    database.set_values(_ids(0, max((level.end_population_group_id for level in catalog), default=0)))
    database.create(sql_files()["group_totals"])


def _ids(first: int, end: int) -> dict[str, int]:
    return {"first_population_group_id": first, "end_population_group_id": end}


def _group_totals(totals: pa.Table) -> GroupTotals:
    ids, counts, *sums = (_int64s(totals, name) for name in totals.column_names)
    return GroupTotals(ids, counts, dict(zip(totals.column_names[2:], sums, strict=True)))


def count_finest_cells(database: Database) -> None:
    """Count the people of every finest cell of the groups in table `stat_levels`, which must exist."""
    database.create(sql_files()["chosen_groups"])
    files = [file for file in folder_files("run/5_tables") if file.kind.startswith("slice")]
    units = database.table("unit_regions", columns=["unit_id"])["unit_id"].to_numpy()
    first, end = (int(units.min()), int(units.max()) + 1) if units.size else (0, 1)
    number = min(end - first, 1 + database.rows("unit_finest_cells") // CELLS_A_RANGE)
    edges = [first + (end - first) * each // number for each in range(number + 1)]
    ranges = [{"first_unit_id": one, "end_unit_id": other} for one, other in pairwise(edges)]
    database.create_by_slices(files, ranges, number, SLICES_AT_A_TIME)


def cells_of_tables(database: Database, plans: Sequence[LevelPlan]) -> dict[int, GroupCells]:
    """The cells of the tables in `stat_levels` that have people, by statistic, after `count_finest_cells`."""
    database.create(sql_files()["group_cells"])
    cells = database.table("group_cells", order_by=["population_group_id", "statistic_id", "cell_position"])
    statistic_ids = _int64s(cells, "statistic_id")
    return {
        statistic: _group_cells(cells, measure, np.flatnonzero(statistic_ids == statistic))
        for statistic, measure in _statistics(plans).items()
    }


def _group_cells(cells: pa.Table, measure: str, places: Int64s) -> GroupCells:
    """The cells of one statistic. places: of its rows, sorted by group. measure: their column."""
    return GroupCells(*(_int64s(cells, name)[places] for name in ("population_group_id", "cell_position", measure)))


def set_aside(database: Database, folder: Path) -> None:
    """Write the totals of all groups and the cells of the tables in `stat_levels` to files of a private folder.

    So the database can be closed, whose memory may be needed. After `make_group_totals` and `count_finest_cells`.
    """
    database.create(sql_files()["group_cells"])
    for name in ("group_totals", "group_cells"):
        database.copy(name, folder / f"{name}.parquet", "format parquet")


def counts_set_aside(folder: Path, plans: Sequence[LevelPlan]) -> tuple[GroupTotals, dict[int, GroupCells]]:
    """The totals that `set_aside` wrote, and the cells, by statistic, read one after the other."""

    def read(statistic: int, measure: str) -> GroupCells:
        cells = pq.read_table(folder / "group_cells.parquet", filters=[("statistic_id", "==", statistic)])
        return _group_cells(cells, measure, np.argsort(cells["population_group_id"].to_numpy(), kind="stable"))

    totals = _group_totals(pq.read_table(folder / "group_totals.parquet"))
    return totals, {each: read(each, measure) for each, measure in _statistics(plans).items()}


def _statistics(plans: Sequence[LevelPlan]) -> dict[int, str]:
    """The statistics of the plans in the order of their ids, and the column that each measures."""
    return {
        plan.first_statistic + place: plan.measure
        for plan in sorted(plans, key=lambda plan: plan.first_statistic)
        for place in range(len(plan.sizes))
    }


def _int64s(table: pa.Table, name: str) -> Int64s:
    return table[name].to_numpy().astype(np.int64, copy=False)  # type: ignore[no-any-return]
