"""Noisy arrays become the files of ladders, on a database connection that never saw an exact count."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Database, Resources, open_database, stacked_table
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.values import counted_words, publishing_values, rows_of, templated_columns
from safetab_sql.published.file_notes import FileNotes, table_notes
from safetab_sql.settings.ladders import BESIDE, GROUP_INDEX, MEASUREMENTS, Ladder
from safetab_sql.settings.parameters import Parameters, census

Format = Literal["parquet", "census", "api"]

# The public tables that name population groups and cells; besides these, sql/run/6_publish reads only noisy tables.
PUBLIC_TABLES = (
    "levels",
    "level_sizes",
    "level_regions",
    "ladder_iterations",
    "regions",
    "iterations",
    "region_names",
)
# How the rows of one ladder are made of its cells; made anew for each.
_ROWS = ("ladder_rows", "ladder_statistics", "statistic_cells", "statistic_sums")
_NAMES = ("published_regions", "published_iterations")
_OPTIONS = {
    "parquet": "format parquet, compression zstd",
    "census": "format csv, delimiter '|', header true, quote '', escape ''",
    "api": "format csv, header true",
}
# What the Census API calls the tables of the 2020 Detailed DHC-A: totals, and sex by 4, 9 and 23 age groups. A variable
# is its table, a number of three digits and N; its margin of error ends in M. The total comes first, then all men, men
# by age, all women, women by age.
_TOTALS_OF_API = "T01001"
_TABLES_OF_API = ("T02001", "T02002", "T02003")
_SEXES = 2
_FIX_OF_API = "use --format parquet"


@dataclass(frozen=True, slots=True)
class PublishedTotals:
    """Totals to publish in a ladder, of groups of one level: ids and noisy persons, int64[n] both."""

    ladder: str
    level_id: int
    population_group_ids: Int64s
    noisy_counts: Int64s


@dataclass(frozen=True, slots=True)
class PublishedCells:
    """Cells to publish in a ladder, of groups of one level and stat level: int64[g] and int64[g, cells]."""

    ladder: str
    level_id: int
    stat_level: int
    population_group_ids: Int64s
    noisy_counts: Int64s


@dataclass(frozen=True, slots=True)
class PublishedLadder:
    """A ladder to publish. tables: the noisy tables of sql/run/6_publish, and what is known of their noise."""

    parameters: Parameters
    ladder: Ladder
    tables: Mapping[str, pa.Table]


@dataclass(frozen=True, slots=True)
class LadderFile:
    """A file of a ladder: its place in a release, the statement whose rows it holds, and values for this file alone."""

    place: str
    statement: str
    values: Mapping[str, object] = field(default_factory=dict)


def format_problems(format_: Format, parameters: Parameters) -> list[Problem]:
    """Why a release with these parameters cannot have this format."""
    if format_ == "parquet":
        return []
    problems = api_problems(parameters) if format_ == "api" else []
    for ladder in parameters.ladders:
        if ladder.sum is not None:
            what = f"{ladder.name} adds up {ladder.sum.column}, and the {format_} format has no place for sums"
            problems.append(Problem(f"--format {format_}", what, _FIX_OF_API))
    if parameters.publish_stage_1:
        what = f"publish_stage_1 is true, and the {format_} format has no place for stage-1 totals"
        problems.append(Problem(f"--format {format_}", what, "use --format parquet, or take publish_stage_1 out"))
    return problems


def beside_tables(parameters: Parameters) -> tuple[str, ...]:
    """The folders that a release in Parquet has beside its tables."""
    return tuple(name for name in BESIDE if name != MEASUREMENTS or parameters.publish_stage_1)


def write_tables(
    folder: Path,
    format_: Format,
    public: Mapping[str, pa.Table],
    ladders: Sequence[PublishedLadder],
    notes: FileNotes | None,
    resources: Resources,
    scratch: Path,
) -> None:
    """Write the tables of every ladder into folders below `folder`. public: the PUBLIC_TABLES.

    notes: what each Parquet file says of itself, if it is to be published.
    """
    with open_database(scratch, [], [folder], resources) as database:
        for name, table in public.items():
            database.hand_over(name, table)
        for ladder in ladders:
            _write_ladder(database, ladder, folder, format_, notes)


def _write_ladder(
    database: Database, own: PublishedLadder, folder: Path, format_: Format, notes: FileNotes | None
) -> None:
    database.set_values(publishing_values(own.parameters, own.ladder))
    for name, table in own.tables.items():
        database.hand_over(name, table)
    for name in (*_ROWS, *_NAMES, "ladder_counts"):
        database.create(sql_files()[name])
    tables = () if format_ == "parquet" else tuple(folders_of(own.ladder))
    for name in (*tables, "api_groups") if format_ == "api" else tables:
        database.create(sql_files()[name])  # for the statements of its files
    columns, words = templated_columns(own.parameters, own.ladder), counted_words(own.parameters.unit, own.ladder)
    for file in ladder_files(format_, own.parameters, own.ladder):
        target, statement = folder / file.place, sql_files()[file.statement]
        target.parent.mkdir(parents=True, exist_ok=True)
        database.set_values(file.values)
        said = table_notes(notes, statement, columns, words) if notes is not None and format_ == "parquet" else None
        database.copy(statement, target, _OPTIONS[format_], said)


def folders_of(ladder: Ladder) -> dict[str, str]:
    """The folders of a ladder's totals, if these are no rows of its table, and table: by what statements call these."""
    return ({} if ladder.totals_folder is None else {"t1": ladder.totals_folder}) | {"t2": ladder.folder}


def ladder_files(format_: Format, parameters: Parameters, ladder: Ladder, made: str = "") -> Iterator[LadderFile]:
    """The files of one ladder in a release, those beside its tables included.

    made: of what `reconcile` makes of a release, what the statements of its tables begin with.
    """
    for name, folder in folders_of(ladder).items():
        if format_ == "parquet":
            yield LadderFile(f"{folder}/{folder}.parquet", f"{made}{name}")
        elif format_ == "census":
            yield from _census_files(name, folder, ladder)
        elif name == "t1":
            yield LadderFile(f"{folder}/{_TOTALS_OF_API}.csv", "t1_api")
        else:
            statistics = [statistic.name for statistic in ladder.statistics]
            for table, values in _api_values(statistics, rows_of(parameters, ladder).sizes).items():
                yield LadderFile(f"{folder}/{table}.csv", "t2_api", values)
    if format_ == "parquet":
        for folder in (GROUP_INDEX,) if made else beside_tables(parameters):
            yield LadderFile(f"{folder}/{ladder.totals_folder or ladder.folder}.parquet", folder)


def _census_files(name: str, folder: str, ladder: Ladder) -> Iterator[LadderFile]:
    """The files of one folder of a ladder in production's format.

    Tables whose totals stand apart are one file; others are one file a statistic, in a folder of its own.
    """
    statistics = [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
    places = {f"{each}/{each}.csv": [each] for each in statistics}
    for place, held in ({f"{folder}.csv": statistics} if ladder.totals_folder is not None else places).items():
        yield LadderFile(f"{folder}/{place}", f"{name}_census", {"published_statistics": held})


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
    return stacked_table(
        "noisy_totals",
        (
            (np.full(part.noisy_counts.size, part.level_id), part.population_group_ids, part.noisy_counts)
            for part in totals
        ),
    )


def cells_table(cells: Sequence[PublishedCells]) -> pa.Table:
    """Table `noisy_cells` of sql/run/6_publish: one row per population group with a table and cell."""

    def columns(part: PublishedCells) -> tuple[Int64s, ...]:
        groups, size = part.noisy_counts.shape
        kinds = (np.full(groups * size, part.level_id), np.repeat(part.population_group_ids, size))
        places = (np.full(groups * size, part.stat_level), np.tile(np.arange(size), groups))
        return (*kinds, *places, part.noisy_counts.ravel())

    return stacked_table("noisy_cells", map(columns, cells))


def api_problems(parameters: Parameters) -> list[Problem]:
    """Why the Census API has no names for tables with these parameters."""
    problems = []
    if not parameters.is_sex_by_age:
        ladders = ", ".join(ladder.name for ladder in parameters.ladders)
        what = f"has names for totals and sex by age, and none for {ladders}"
        problems.append(Problem("--format api", what, _FIX_OF_API))
    levels = {level.level.region_type for level in parameters.levels}
    own = [kind.name for kind in parameters.region_types if kind.name in levels and kind not in census().region_types]
    if own:
        what = f"has no summary level for the region types {', '.join(own)}"
        problems.append(Problem("--format api", what, f"{_FIX_OF_API}, or leave out their levels"))
    return problems


def _api_values(statistics: Sequence[str], cells: Sequence[int]) -> dict[str, dict[str, object]]:
    """By table, the values of statement t2_api. statistics: age4, age9, age23. cells: how many each has, both sexes."""
    found: dict[str, dict[str, object]] = {}
    for table, statistic, size in zip(_TABLES_OF_API, statistics, cells, strict=True):
        names = [f"{table}_{place:03}" for place in range(1, 2 + _SEXES + size)]  # of the variables
        counts, margins = ({f"{name}{end}": place for place, name in enumerate(names, start=1)} for end in "NM")
        found[table] = {"published_statistic": statistic, "api_counts": counts, "api_margins": margins}
    return found
