"""Noisy arrays become the files of ladders, on a database connection that never saw an exact count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources, open_database, stacked_table
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.values import publishing_values
from safetab_sql.published.file_notes import ladder_files, table_notes
from safetab_sql.settings.parameters import Parameters

# The public tables that name population groups and cells; besides these, sql/run/6_publish reads only noisy tables.
PUBLIC_TABLES = ("levels", "level_sizes", "level_regions", "ladder_iterations", "regions", "iterations", "region_names")
# How the rows of one ladder are made of its cells; made anew for each.
_ROWS = ("ladder_rows", "ladder_statistics", "statistic_cells", "statistic_sums")
_NAMES = ("published_regions", "published_iterations")
_OPTIONS = "format parquet, compression zstd"


@dataclass(frozen=True, slots=True)
class PublishedTotals:
    """Totals to publish, of groups of one level: ids and noisy persons, int64[n] both."""

    plan: LevelPlan
    population_group_ids: Int64s
    noisy_counts: Int64s


@dataclass(frozen=True, slots=True)
class PublishedCells:
    """Cells to publish, of groups of one level and stat level: int64[g] and int64[g, cells]."""

    plan: LevelPlan
    stat_level: int
    population_group_ids: Int64s
    noisy_counts: Int64s


def write_tables(
    folder: Path,
    parameters: Parameters,
    public: Mapping[str, pa.Table],
    noisy: Mapping[str, Mapping[str, pa.Table]],
    notes: Mapping[str, str] | None,
    resources: Resources,
    scratch: Path,
) -> None:
    """Write the tables of every ladder into folders below `folder`.

    public: the PUBLIC_TABLES. noisy: as `noisy_tables` makes them. notes: what each Parquet file says of itself, if it
    is to be published.
    """
    with open_database(scratch, [], [folder], resources) as database:
        for name, table in public.items():
            database.hand_over(name, table)
        for ladder in parameters.ladders:
            database.set_values(publishing_values(parameters, ladder))
            for name, table in noisy[ladder.name].items():
                database.hand_over(name, table)
            for name in (*_ROWS, *_NAMES, "ladder_counts"):
                database.create(sql_files()[name])
            for place, name in ladder_files(parameters, ladder).items():
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                said = None if notes is None else table_notes(notes, name, parameters, ladder)
                database.copy(sql_files()[name], folder / place, _OPTIONS, said)


def is_published(noisy_totals: Int64s, suppression_threshold: int | None) -> npt.NDArray[np.bool_]:
    """Whether each total is kept: it is above the threshold, or the threshold is None. int64[n] -> bool[n], persons.

    Source: tabulation.md section 6.1.
    """
    if suppression_threshold is None:
        return np.ones(noisy_totals.size, dtype=np.bool_)
    return noisy_totals > suppression_threshold


def published_counts(noisy_counts: Int64s, *, allow_negative_counts: bool) -> Int64s:
    """The counts; negative counts become 0 unless they are allowed. int64[n] -> int64[n], persons.

    Source: tabulation.md section 6.2.
    """
    return noisy_counts if allow_negative_counts else np.maximum(noisy_counts, 0)


def totals_table(totals: Sequence[PublishedTotals]) -> pa.Table:
    """Table `noisy_totals` of sql/run/6_publish: one row per published noisy total. No array is copied."""
    levels = (np.full(part.noisy_counts.size, part.plan.catalog.level_id) for part in totals)
    parts = ((level, part.population_group_ids, part.noisy_counts) for level, part in zip(levels, totals, strict=True))
    return stacked_table("noisy_totals", parts)


def cells_table(cells: Sequence[PublishedCells]) -> pa.Table:
    """Table `noisy_cells` of sql/run/6_publish: one row per population group with a table and cell."""

    def columns(part: PublishedCells) -> tuple[Int64s, ...]:
        groups, size = part.noisy_counts.shape
        kinds = (np.full(groups * size, part.plan.catalog.level_id), np.repeat(part.population_group_ids, size))
        places = (np.full(groups * size, part.stat_level), np.tile(np.arange(size), groups))
        return (*kinds, *places, part.noisy_counts.ravel())

    return stacked_table("noisy_cells", map(columns, cells))
