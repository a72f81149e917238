"""What the report reads of a release: its manifest, and its published tables as sql/reports sum them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import dataset

from safetab_sql.database import Database, Resources, open_database, scratch_folder
from safetab_sql.errors import InputError, Problem, refuse
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.public.sources import find_code_lists, stored_types
from safetab_sql.public.statement_values import list_values
from safetab_sql.published.releases import RELEASE_FIX, read_manifest, release_day, release_facts
from safetab_sql.sqlfiles import sql_files
from safetab_sql.text_files import parquet_files

_NAMED_LISTS = ("race_iterations", "ethnicity_iterations")
_COLUMNS = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT", "VARIANCE", "MOE95")
_TABLES = {"t1": _COLUMNS, "t2": (*_COLUMNS, "AGESTART", "AGEEND", "SEX")}


@dataclass(frozen=True, slots=True)
class Level:
    """A population group level as the manifest has it.

    budget: rho or epsilon. total_only, stage_2: laws of the published noise. thresholds: noisy persons.
    suppression_threshold: a total up to it is not published, persons; None where every total is.
    """

    name: str
    part: str
    budget: Fraction
    stability: int
    thresholds: tuple[int, ...]
    total_only: Law
    stage_2: Law
    suppression_threshold: int | None

    @property
    def region_type(self) -> str:
        """STATE of STATE-2."""
        return self.name.rpartition("-")[0]

    @property
    def cell_moe95(self) -> int:
        """Margin of error of a count of stage 2, persons."""
        return margin_of_error(self.stage_2)


@dataclass(frozen=True, slots=True)
class Kind:
    """Published population groups of one level, all with tables of as many cells; a row of reported_kinds.

    level: its name; the names of all that it may be, where their noise is the same. is_total_only: whether no such
    group could have got a table. within_*: of those population groups, how many have a total whose margin of error is
    at most so many per cent of it.
    """

    level: str
    cells: int
    is_total_only: bool
    count_moe95: float
    total_moe95: float
    population_groups: int
    within_10: int
    within_30: int
    within_100: int


@dataclass(frozen=True, slots=True)
class Release:
    """A release to report on. groups: reported_groups. names: by iteration code, where code lists were named."""

    manifest: Mapping[str, Any]
    levels: tuple[Level, ...]
    kinds: tuple[Kind, ...]
    groups: pa.Table
    names: Mapping[str, str]


def read_release(out: Path, code_lists: Path | None = None) -> Release:
    """The release in folder `out`, with the names of its iterations where `code_lists` is a folder of them.

    Raises: InputError where either is not what it should be.
    """
    manifest = read_manifest(out / "manifest.json")
    release_facts(manifest)
    described, levels, picked_types = _described(manifest)
    with scratch_folder(None) as scratch, open_database(scratch, _list_files(code_lists), [], Resources()) as database:
        names = {} if code_lists is None else _names(database, code_lists, scratch)
        for table in _TABLES:
            database.hand_over(table, _published(out, table))
        database.set_values({"picked_types": picked_types})
        try:
            for statement in ("reported_kinds", "reported_groups"):
                database.create(sql_files()[statement])
        except duckdb.ConversionException as error:
            raise InputError([Problem(str(out), f"not the tables of a release: {error}", RELEASE_FIX)]) from error
        kinds = _kinds(database.table("reported_kinds").to_pylist(), levels)
        return Release(described, levels, kinds, database.table("reported_groups"), names)


def _described(manifest: Any) -> tuple[Mapping[str, Any], tuple[Level, ...], list[str]]:
    """The manifest, its levels, and the region types whose groups are shown one by one: nations and states.

    Raises: InputError where it lacks what the report says of every release.
    """
    try:
        definition, thresholds = manifest["ledger"]["privacy_definition"], manifest["suppression_thresholds"]
        levels = tuple(_level(level, definition, thresholds[level["level"]]) for level in manifest["ledger"]["levels"])
        _ = [manifest[name] for name in ("releasable", "public_inputs", "software")]
        release_day(manifest)
        return (
            manifest,
            levels,
            [kind["name"] for kind in manifest["parameters"]["region_types"] if not kind["is_sub_state"]],
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        what = f"not the manifest of a release: {type(error).__name__} {error}"
        raise InputError([Problem("manifest.json", what, RELEASE_FIX)]) from error


def _level(level: Any, definition: Any, suppression_threshold: int | None) -> Level:
    laws = {call["statistic"]: noise_law(definition, Fraction(call["budget"]["exact"])) for call in level["calls"]}
    return Level(
        name=level["level"],
        part=level["part"],
        budget=Fraction(level["budget"]["exact"]),
        stability=level["stability"],
        thresholds=tuple(level["thresholds"]),
        total_only=laws["total_only"],
        stage_2=laws["stage_2"],
        suppression_threshold=suppression_threshold,
    )


def _published(out: Path, table: str) -> object:
    """The rows of a published table, read as they are needed. Raises: InputError where it is none."""
    files = sorted(map(str, (out / table).glob("*.parquet")))
    refuse([] if files else [Problem(str(out / table), "holds no Parquet file", RELEASE_FIX)])
    try:
        rows = dataset.dataset(files, format="parquet")
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(out / table), f"cannot be read: {error}", RELEASE_FIX)]) from error
    missing = [name for name in _TABLES[table] if name not in rows.schema.names]
    refuse([Problem(str(out / table), f"missing columns {', '.join(missing)}", RELEASE_FIX)] if missing else [])
    return rows.scanner(columns=list(_TABLES[table]))


def _list_files(code_lists: Path | None) -> list[Path]:
    found = {} if code_lists is None else find_code_lists(code_lists)
    return [file for name in found for file in found[name].files]


def _names(database: Database, code_lists: Path, scratch: Path) -> dict[str, str]:
    """Names of the iterations by their codes."""
    for name, source in find_code_lists(code_lists).items():
        if name in _NAMED_LISTS:
            files = parquet_files(database, source, scratch, name)
            types = stored_types(source, files)
            database.set_values(list_values(name, source.given, [str(file) for file in files], types))
    database.create(sql_files()["iteration_names"])
    rows = database.table("iteration_names").to_pylist()
    return {row["iteration_code"]: row["iteration_name"] for row in rows}


def _kinds(rows: Sequence[Mapping[str, Any]], levels: Sequence[Level]) -> tuple[Kind, ...]:
    """The rows of reported_kinds with the names of their levels, in the order of the levels.

    Raises: InputError where a row has noise that no level of the manifest has.
    """
    order = {level.name: place for place, level in enumerate(levels)}
    kinds = [
        Kind(
            level=" or ".join(level.name for level in _levels_of(row, levels)),
            cells=row["cells"],
            is_total_only=not any(_has_noise(row, level.stage_2) for level in _levels_of(row, levels)),
            count_moe95=row["count_moe95"],
            total_moe95=row["total_moe95"],
            population_groups=row["population_groups"],
            within_10=row["groups_within_10"],
            within_30=row["groups_within_30"],
            within_100=row["groups_within_100"],
        )
        for row in rows
    ]
    return tuple(
        sorted(kinds, key=lambda kind: (order[kind.level.partition(" or ")[0]], kind.cells, not kind.is_total_only))
    )


def _levels_of(row: Mapping[str, Any], levels: Sequence[Level]) -> list[Level]:
    """The levels whose noise these counts may have: of a total, either law; of a cell, that of stage 2."""
    found = [
        level
        for level in levels
        if level.region_type == row["region_type"]
        and (_has_noise(row, level.stage_2) or (not row["cells"] and _has_noise(row, level.total_only)))
    ]
    if not found:
        what = (
            f"{row['region_type']} counts with variance {row['count_variance']:g}, which no level of the manifest has"
        )
        raise InputError([Problem("t1, t2", what, RELEASE_FIX)])
    return found


def _has_noise(row: Mapping[str, Any], law: Law) -> bool:
    published = float(row["count_variance"])
    return abs(float(variance(law)) - published) <= 1e-9 * published + 1e-18
