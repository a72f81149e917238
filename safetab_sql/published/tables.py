"""Noisy arrays become T1 and T2 files, on a database connection that never saw an exact count."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources, open_database
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.parameters import Parameters

Format = Literal["parquet", "census"]

# The public tables that name population groups and cells; besides these, sql/run/6_publish reads only noisy tables.
PUBLIC_TABLES = (
    "levels",
    "level_sizes",
    "level_regions",
    "level_iterations",
    "regions",
    "iterations",
    "statistic_cells",
)
_OPTIONS = {
    "parquet": "format parquet, compression zstd",
    "census": "format csv, delimiter '|', header true, quote '', escape ''",
}


SUPPRESSED, MEASUREMENTS = "suppressed", "measurements"  # tables beside t1 and t2


@dataclass(frozen=True, slots=True)
class PublishedTotals:
    """Totals to publish: level and group ids and noisy persons, int64[n] each."""

    level_ids: Int64s
    population_group_ids: Int64s
    noisy_counts: Int64s


@dataclass(frozen=True, slots=True)
class PublishedCells:
    """Sex-by-age cells to publish, of groups of one level and stat level: int64[g] and int64[g, cells]."""

    level_id: int
    stat_level: int
    population_group_ids: Int64s
    noisy_counts: Int64s


def format_problems(format_: Format, parameters: Parameters) -> list[Problem]:
    """Why a release with these parameters cannot have this format."""
    if not parameters.publish_stage_1 or format_ == "parquet":
        return []
    what = "publish_stage_1 is true, and the census format has no place for stage-1 totals"
    return [Problem("--format census", what, "use --format parquet, or take publish_stage_1 out")]


def beside_tables(parameters: Parameters) -> tuple[str, ...]:
    """The tables that a release in Parquet has beside t1 and t2."""
    return (SUPPRESSED, MEASUREMENTS) if parameters.publish_stage_1 else (SUPPRESSED,)


def write_tables(
    folder: Path,
    format_: Format,
    tables: Mapping[str, pa.Table],
    resources: Resources,
    scratch: Path,
    *,
    beside: Sequence[str] = (SUPPRESSED,),
) -> None:
    """Write `folder`/t1 and `folder`/t2, and the tables `beside` them where the format has a place for them.

    tables: PUBLIC_TABLES and the noisy tables of sql/run/6_publish.
    """
    with open_database(scratch, [], [folder], resources) as database:
        for name, table in tables.items():
            database.hand_over(name, table)
        for name in ("published_groups", "t1", "t2", SUPPRESSED, MEASUREMENTS):
            database.create(sql_files()[name])
        for name in ("t1", "t2"):
            (folder / name).mkdir()
            if format_ == "parquet":
                database.copy_table(name, folder / name / f"{name}.parquet", _OPTIONS[format_])
            else:
                database.copy(sql_files()[f"{name}_census"], folder / name / f"{name}.csv", _OPTIONS[format_])
        for name in beside if format_ == "parquet" else ():
            (folder / name).mkdir()
            database.copy_table(name, folder / name / f"{name}.parquet", _OPTIONS[format_])


def totals_table(totals: list[PublishedTotals]) -> pa.Table:
    """Table `noisy_totals` of sql/run/6_publish: one row per published noisy total."""
    return pa.table(
        {
            "level_id": _joined([part.level_ids for part in totals]).astype(np.int32),
            "population_group_id": _joined([part.population_group_ids for part in totals]),
            "noisy_count": _joined([part.noisy_counts for part in totals]),
        }
    )


def cells_table(cells: list[PublishedCells]) -> pa.Table:
    """Table `noisy_cells` of sql/run/6_publish: one row per population group with a sex-by-age table and cell."""

    def column(of: Callable[[PublishedCells], Int64s]) -> Int64s:
        return _joined([of(part) for part in cells])

    return pa.table(
        {
            "level_id": column(lambda part: np.full(part.noisy_counts.size, part.level_id)).astype(np.int32),
            "stat_level": column(lambda part: np.full(part.noisy_counts.size, part.stat_level)).astype(np.int8),
            "population_group_id": column(
                lambda part: np.repeat(part.population_group_ids, part.noisy_counts.shape[1])
            ),
            "cell_position": column(
                lambda part: np.tile(np.arange(part.noisy_counts.shape[1]), part.population_group_ids.size)
            ).astype(np.int32),
            "noisy_count": column(lambda part: part.noisy_counts.ravel()),
        }
    )


def _joined(arrays: list[Int64s]) -> Int64s:
    return np.concatenate([np.empty(0, dtype=np.int64), *arrays])
