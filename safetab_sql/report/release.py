"""What the report reads of a release: its manifest, and its published tables as sql/tools/report sum them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import dataset

from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.public.about import About
from safetab_sql.public.pipe_delimited import parquet_files
from safetab_sql.public.sources import Source, find_code_lists, stored_types
from safetab_sql.public.statement_values import list_values
from safetab_sql.published.public_inputs import public_problems
from safetab_sql.published.release import RELEASE_FIX, read_manifest, release_day, release_facts
from safetab_sql.report.about import Reconciliation, described, taken_apart

_NAMED_LISTS = ("race_iterations", "ethnicity_iterations")
_COLUMNS = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT", "VARIANCE", "MOE95")
_TABLES = {"t1": _COLUMNS, "t2": (*_COLUMNS, "AGESTART", "AGEEND", "SEX")}
_RECONCILED_COLUMN = "NOISY_COUNT"


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
class Span:
    """Margins of error of several counts, persons: the least, the median, the largest."""

    least: float
    median: float
    most: float


@dataclass(frozen=True, slots=True)
class Kind:
    """Published population groups of one level, all with tables of as many cells; a row of reported_kinds.

    level: its name; the names of all that it may be, where their noise is the same; of a reconciled release, the
    region type. is_total_only: whether no such group could have got a table. count_moe95, total_moe95: of one count, a
    cell or a total without a table, and of a total. changed: groups whose total reconciling moved. within_*: of those
    population groups, how many have a total whose margin of error is at most so many per cent of it.
    """

    level: str
    cells: int
    is_total_only: bool
    count_moe95: Span
    total_moe95: Span
    population_groups: int
    changed: int
    within_10: int
    within_30: int
    within_100: int


@dataclass(frozen=True, slots=True)
class Release:
    """A release to report on. groups: reported_groups. names: by iteration code, where code lists were named.

    manifest: of the release, also where its counts were reconciled. date: of the run, YYYY-MM-DD.
    """

    manifest: Mapping[str, Any]
    about: About
    date: str
    reconciliation: Reconciliation | None
    levels: tuple[Level, ...]
    kinds: tuple[Kind, ...]
    groups: pa.Table
    names: Mapping[str, str]


def read_release(out: Path, code_lists: Path | None = None) -> Release:
    """The release in folder `out`, or what `reconcile` made of one, with the names of its iterations.

    code_lists: a folder of those that the release was made with; without it there are no names.
    Raises: InputError where either is not what it should be.
    """
    manifest, reconciliation = taken_apart(read_manifest(out / "manifest.json"))
    release_facts(manifest)
    described_manifest, levels, picked_types = _described(manifest)
    lists = {} if code_lists is None else find_code_lists(code_lists)
    refuse(public_problems(lists, manifest, out / "manifest.json"))
    files = [file for source in lists.values() for file in source.files]
    with scratch_folder(None) as scratch, open_database(scratch, files, [], Resources()) as database:
        names = _names(database, lists, scratch) if lists else {}
        database.set_values({"picked_types": picked_types})
        try:
            kinds, groups = _tables(database, out, levels, is_reconciled=reconciliation is not None)
        except duckdb.ConversionException as error:
            raise InputError([Problem(str(out), f"not the tables of a release: {error}", RELEASE_FIX)]) from error
    return Release(
        manifest=described_manifest,
        about=described(manifest),
        date=release_day(manifest),
        reconciliation=reconciliation,
        levels=levels,
        kinds=kinds,
        groups=groups,
        names=names,
    )


def _tables(
    database: Database, out: Path, levels: Sequence[Level], *, is_reconciled: bool
) -> tuple[tuple[Kind, ...], pa.Table]:
    """The kinds of published groups, and reported_groups."""
    more = (_RECONCILED_COLUMN,) if is_reconciled else ()
    for table, columns in _TABLES.items():
        rows = _published(out, table, [*columns, *more])
        database.hand_over(table, rows.scanner(columns=list(columns)))
        if is_reconciled:
            database.hand_over(f"reconciled_{table}", rows.scanner(columns=[*columns, *more]))
    kinds = "reconciled_kinds" if is_reconciled else "reported_kinds"
    for statement in (kinds, "reported_groups"):
        database.create(sql_files()[statement])
    found = database.table(kinds).to_pylist()
    made = _reconciled_kinds(found, levels) if is_reconciled else _kinds(found, levels)
    return made, database.table("reported_groups")


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


def _published(out: Path, table: str, columns: Sequence[str]) -> dataset.Dataset:
    """A published table, which has these columns. Raises: InputError where it is none."""
    files = sorted(map(str, (out / table).glob("*.parquet")))
    refuse([] if files else [Problem(str(out / table), "holds no Parquet file", RELEASE_FIX)])
    try:
        rows = dataset.dataset(files, format="parquet")
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(out / table), f"cannot be read: {error}", RELEASE_FIX)]) from error
    missing = [name for name in columns if name not in rows.schema.names]
    refuse([Problem(str(out / table), f"missing columns {', '.join(missing)}", RELEASE_FIX)] if missing else [])
    return rows


def _names(database: Database, lists: Mapping[str, Source], scratch: Path) -> dict[str, str]:
    """Names of the iterations by their codes."""
    for name in _NAMED_LISTS:
        source = lists[name]
        files = parquet_files(database, source, scratch, name)
        types = stored_types(source, files)
        database.set_values(list_values(name, source.given, [str(file) for file in files], types))
    database.create(sql_files()["iteration_names"])
    rows = database.table("iteration_names").to_pylist()
    return {row["iteration_code"]: row["iteration_name"] for row in rows}


def _reconciled_kinds(rows: Sequence[Mapping[str, Any]], levels: Sequence[Level]) -> tuple[Kind, ...]:
    """The rows of reconciled_kinds, in the order of the region types of the levels.

    Raises: InputError where a row is of a region type that no level of the manifest has.
    """
    types = list(dict.fromkeys(level.region_type for level in levels))
    strange = sorted({row["region_type"] for row in rows} - set(types))
    what = f"{', '.join(strange)} counts, which no level of the manifest has"
    refuse([Problem("t1, t2", what, RELEASE_FIX)] if strange else [])
    kinds = [
        Kind(
            level=row["region_type"],
            cells=row["cells"],
            is_total_only=False,
            count_moe95=_span(row, "cell" if row["cells"] else "total"),
            total_moe95=_span(row, "total"),
            population_groups=row["population_groups"],
            changed=row["changed_groups"],
            within_10=row["groups_within_10"],
            within_30=row["groups_within_30"],
            within_100=row["groups_within_100"],
        )
        for row in rows
    ]
    return tuple(sorted(kinds, key=lambda kind: (types.index(kind.level), kind.cells)))


def _span(row: Mapping[str, Any], what: str) -> Span:
    return Span(*(row[f"{end}_{what}_moe95"] for end in ("least", "median", "most")))


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
            count_moe95=Span(*[row["count_moe95"]] * 3),
            total_moe95=Span(*[row["total_moe95"]] * 3),
            population_groups=row["population_groups"],
            changed=0,
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
