"""Exact counts: runs sql/run/3_people, 4_totals and 5_tables, and returns the counts as integer arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import SqlFile, folder_files, sql_files
from safetab_sql.public.catalog import Catalog
from safetab_sql.public.inputs import Intake, refuse_found

Int64s = npt.NDArray[np.int64]

# Geo units of a slice: about a million people, whose counts nearly fit into a processor's cache.
GEO_UNITS_A_SLICE = 512
# While a statement of one slice ends, on one core, a statement of the other keeps all cores busy.
SLICES_AT_A_TIME = 2


@dataclass(frozen=True, slots=True)
class GroupTotals:
    """Population groups with people, sorted by id, and how many people each has: int64[n] both."""

    population_group_ids: Int64s
    exact_counts: Int64s

    def between(self, first: int, end: int) -> "GroupTotals":
        """Those of the groups whose ids are from `first` to before `end`."""
        low, high = np.searchsorted(self.population_group_ids, [first, end])
        return GroupTotals(self.population_group_ids[low:high], self.exact_counts[low:high])


@dataclass(frozen=True, slots=True)
class GroupCells:
    """Sex-by-age cells with people of one stat level, sorted by group id: int64[n] each."""

    population_group_ids: Int64s
    cell_positions: Int64s
    exact_counts: Int64s


def read_people(intake: Intake) -> None:
    """Make table `persons` of sql/run/3_people. The tables of the catalog must exist.

    Raises: InputError with every record that cannot be counted.
    """
    intake.database.create(sql_files()["persons"])
    intake.database.create(sql_files()["people_left_out"])
    if records := intake.database.table("people_left_out")["records"][0].as_py():
        intake.checks.log(f"{records:,} record(s) are not counted as they are; the checks that follow say why")
        refuse_found(intake, intake.checks.findings(screened=True).problems)


def count_totals(intake: Intake) -> None:
    """Count the people of every population group that has any, for `totals_between`. The catalog must exist.

    Raises: InputError with every record that cannot be counted.
    """
    read_people(intake)
    made = ("persons", "people_left_out")
    files = [file for file in folder_files("run/3_people", "run/4_totals") if file.name not in made]
    _create(intake.database, [file for file in files if file.kind != "range"])


def totals_between(database: Database, first: int, end: int) -> GroupTotals:
    """The totals of the groups with people whose ids are from `first` to before `end`, after `count_totals`."""
    return _group_totals(database.select(sql_files()["group_totals"], _ids(first, end)))


def make_group_totals(database: Database, catalog: Catalog) -> None:
    """Make `group_totals`, of every group with people, a table, after `count_totals`."""
    database.set_values(_ids(0, max((level.end_population_group_id for level in catalog.levels), default=0)))
    database.create(sql_files()["group_totals"])


def all_totals(database: Database) -> GroupTotals:
    """The totals of every group with people, after `make_group_totals`: for data of a size that fits into memory."""
    return _group_totals(database.table("group_totals", order_by=["population_group_id"]))


def _ids(first: int, end: int) -> dict[str, int]:
    return {"first_population_group_id": first, "end_population_group_id": end}


def _group_totals(totals: pa.Table) -> GroupTotals:
    return GroupTotals(_int64s(totals, "population_group_id"), _int64s(totals, "exact_count"))


def count_cells(database: Database) -> dict[int, GroupCells]:
    """Count the people of every sex-by-age cell that has any, by stat level. Table `stat_levels` must exist."""
    _create(database, folder_files("run/5_tables"))
    cells = database.table("group_cells", order_by=["population_group_id", "stat_level", "cell_position"])
    stat_levels = _int64s(cells, "stat_level")
    columns = [_int64s(cells, name) for name in ("population_group_id", "cell_position", "exact_count")]
    return {
        stat_level: GroupCells(*(column[stat_levels == stat_level] for column in columns)) for stat_level in (1, 2, 3)
    }


def _create(database: Database, files: Sequence[SqlFile]) -> None:
    """Make the tables of `files` in order; consecutive files in slices are made together, slice by slice."""
    for is_sliced, group in groupby(files, key=lambda file: file.kind in ("slice", "slices")):
        together = list(group)
        if is_sliced:
            database.create_by_slices(together, geo_unit_slices(database.rows("geo_units")), SLICES_AT_A_TIME)
        else:
            for file in together:
                database.create(file)
        for name in chain.from_iterable(file.drops for file in together):
            database.drop(name)


def geo_unit_slices(geo_units: int) -> list[dict[str, int]]:
    """The values of each slice of geo units 1 to `geo_units`; one slice, of no geo units, if there are none."""
    firsts = range(1, max(geo_units, 1) + 1, GEO_UNITS_A_SLICE)
    return [{"first_geo_unit_id": first, "last_geo_unit_id": first + GEO_UNITS_A_SLICE - 1} for first in firsts]


def every_stat_level(catalog: Catalog, totals: GroupTotals) -> pa.Table:
    """Table `stat_levels` with each stat level 1-3 of every group with people that may get a table."""
    level_ids, ids = [], []
    for level in catalog.levels:
        first = level.first_population_group_id
        here = totals.between(first, level.end_population_group_id).population_group_ids
        here = here[~level.is_total_only[(here - first) % max(1, level.iterations)]]
        level_ids.append(np.full(here.size, level.level_id))
        ids.append(here)
    groups = np.concatenate([np.empty(0, dtype=np.int64), *ids])
    return pa.table(
        {
            "level_id": np.tile(np.concatenate([np.empty(0, dtype=np.int64), *level_ids]), 3).astype(np.int32),
            "population_group_id": np.tile(groups, 3),
            "stat_level": np.repeat([1, 2, 3], groups.size).astype(np.int8),
        }
    )


def _int64s(table: pa.Table, name: str) -> Int64s:
    return table[name].to_numpy().astype(np.int64, copy=False)  # type: ignore[no-any-return]
