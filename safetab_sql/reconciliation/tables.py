"""From the tables of a ladder to reconciled tables: SQL reads and joins the rows, and arrays do the algebra.

At the end: the files of a new folder, and what reconciling changed in their rows.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import dataset

from safetab_sql.accounting.statement import ReleasedLevel
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.laws.noise import variance
from safetab_sql.public.values import publishing_values, rows_of, statistic_finest_cells
from safetab_sql.published.both_stages import Chosen, better_sums
from safetab_sql.published.file_notes import table_notes, write_reconciled_csvw
from safetab_sql.published.measurements import table_limits
from safetab_sql.reconciliation import forest
from safetab_sql.reconciliation.forest import Combined, Groups, Nesting, RegionTree, Row, Statistics
from safetab_sql.reconciliation.least_squares import ReconciledRows, reconciled_rows, solution, uniforms
from safetab_sql.release.folder import level_among
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladders import CODES, GROUP_INDEX, Ladder, finest_cells
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.intervals import margins

_LARGEST_PART = 2 * 10**7  # numbers in the covariance matrices of the groups that are reconciled together: 160 MB
_LARGEST_GROUPS = 10**6
_GROUP_COLUMNS = (
    *("iteration_number", "root_code", "region_key", "region_type", "stat_level", "variance", "is_evidence"),
    *("stage_1", "level_name", "low95", "high95"),
)
_STEPS = 32  # in a standard deviation of stage 1: to find how fast weights change
_CENTS = 100  # a margin is stated to a hundredth of a person, rounded up


@dataclass(frozen=True, slots=True)
class Reconciled:
    """How a ladder is reconciled. levels: its levels in the ledger of the release.

    rounding_seed: None if estimates are not rounded. from_zero: whether intervals are cut at 0.
    """

    known: Statistics
    definition: PrivacyDefinition
    levels: tuple[ReleasedLevel, ...]
    rounding_seed: str | None
    from_zero: bool


def ladder_statistics(parameters: Parameters, ladder: Ladder) -> Statistics | None:
    """The statistics of a ladder; None where one does not split the cells of the one before."""
    finest, rows = finest_cells(parameters.attributes, parameters.ladders), rows_of(parameters, ladder)
    cells = [np.zeros(finest.cells, dtype=np.int64)]
    for statistic in ladder.statistics:
        own = statistic_finest_cells(parameters.attributes, finest, statistic.cells)
        cells.append(np.array([cell for _, cell in own], dtype=np.int64))
    published: list[dict[int, list[int]]] = [{} for _ in cells]
    for level, cell, row in (*rows.measured, *rows.sums):
        published[level].setdefault(row, []).append(cell)
    if ladder.totals is not None:
        for level, own_cells in enumerate(cells):
            published[level][forest.TOTAL] = np.unique(own_cells).tolist()
    return forest.statistics(cells, published)


def ladder_tables(database: Database, parameters: Parameters, ladder: Ladder, known: Statistics) -> None:
    """Make the tables that say which rows a ladder has. Cells come in nested order."""
    values = publishing_values(parameters, ladder)
    places = [{int(cell): place for place, cell in enumerate(order)} for order in known.order]
    measured = rows_of(parameters, ladder).measured
    nested = [places[level][cell] for level, cell, _ in measured]
    total = next((row for level, _, row in measured if level == 0), forest.TOTAL)
    database.set_values({**values, "measured_cells": nested, "total_row": total})
    for name in ("ladder_rows", "ladder_statistics", "statistic_cells"):
        database.create(sql_files()[name])


def reconciled_counts(
    database: Database, tree: RegionTree, spool: Path, how: Reconciled, step: Callable[[str], None]
) -> None:
    """Make table `reconciled_counts`. spool: an empty folder. step: called after each part."""
    suppressed = {level.region_type for level in how.levels if level.suppression_threshold is not None}
    database.set_values({"suppressed_types": sorted(suppressed)})
    for name in ("nested_groups", "nested_counts"):
        database.create(sql_files()[name])
    groups = database.table("nested_groups", ["group_id"], _GROUP_COLUMNS)
    nesting = _nesting(database)
    pq.write_table(counts_table([], 0, how), spool / "none.parquet")
    for number, (first, end) in enumerate(_parts(groups, how.known)):
        measured = _groups(database, groups, first, end, how)
        trees = forest.forest(measured, tree, nesting)
        draw = None if how.rounding_seed is None else uniforms(how.rounding_seed, str(number))
        found = solution(measured, trees, how.known)
        rows = list(reconciled_rows(measured, trees, found, how.known, draw))
        pq.write_table(counts_table(rows, first, how), spool / f"{number:06}.parquet")
        step(f"part {number}")
    database.hand_over("reconciled_counts", dataset.dataset(spool, format="parquet"))


def _nesting(database: Database) -> Nesting:
    table = database.table("iteration_nesting").to_pylist()
    if not table:
        return forest.NO_NESTING
    named = database.table("nested_groups", columns=("iteration_number", "iteration_code"))
    numbers = dict(zip(named["iteration_code"].to_pylist(), named["iteration_number"].to_pylist(), strict=True))
    size = max(numbers.values(), default=0) + 1
    parents, parts, depths = np.full(size, -1), np.zeros(size), np.zeros(size)
    for row in table:
        if row["iteration_code"] in numbers:
            number = numbers[row["iteration_code"]]
            parents[number] = numbers.get(row["parent_code"], -1)
            parts[number] = row["parts"]
            depths[number] = row["levels_above"] if parents[number] >= 0 else 0
    return Nesting(*(each.astype(np.int64) for each in (parents, parts, depths)))


def _parts(groups: pa.Table, known: Statistics) -> Iterator[tuple[int, int]]:
    """First group and end of parts that fit into memory, by iteration; iterations of one root stay together."""
    roots = groups["root_code"].combine_chunks().dictionary_encode().indices.to_numpy()
    starts = np.append(np.flatnonzero(np.diff(roots, prepend=-1)), roots.size)
    cells = np.array(known.cells)[groups["stat_level"].to_numpy()]
    costs = np.append(0, np.cumsum(cells**2))
    first = 0
    for here, after in pairwise(starts[1:]):
        if costs[after] - costs[first] > _LARGEST_PART or after - first > _LARGEST_GROUPS:
            yield first, int(here)
            first = int(here)
    if first < roots.size:
        yield first, int(roots.size)


def _groups(database: Database, groups: pa.Table, first: int, end: int, how: Reconciled) -> Groups:
    database.set_values({"first_group": first, "last_group": end - 1})
    database.create(sql_files()["nested_part_counts"])
    counts = database.table("nested_part_counts", order_by=["group_id", "cell_position"])
    chosen = groups.slice(first, end - first)
    stat_levels = chosen["stat_level"].to_numpy()
    cells = np.array(how.known.cells)[stat_levels]
    found = Groups(
        iterations=chosen["iteration_number"].to_numpy(),
        regions=chosen["region_key"].to_numpy().astype(np.int64) - 1,
        stat_levels=stat_levels,
        variances=chosen["variance"].to_numpy(),
        first_counts=np.cumsum(cells) - cells,
        counts=counts["noisy_count"].to_numpy().astype(np.float64),
        are_evidence=chosen["is_evidence"].to_numpy(),
    )
    return _with_stage_1(found, chosen, how) if chosen["stage_1"].null_count < chosen.num_rows else found


def _with_stage_1(groups: Groups, chosen: pa.Table, how: Reconciled) -> Groups:
    """The groups, their counts moved alike so that they add up to what both stages say of their sum."""
    cells = np.array(how.known.cells)[groups.stat_levels]
    alone = cells * groups.variances
    variances, margin_variances, pulls = alone.copy(), alone.copy(), np.zeros(alone.size)
    better = np.zeros(alone.size, dtype=np.bool_)
    sums, moves = np.add.reduceat(groups.counts, groups.first_counts), np.zeros(alone.size)
    kinds = ("level_name", "stat_level")
    is_usable = groups.are_evidence & chosen["stage_1"].is_valid().to_numpy()
    numbered = chosen.select(kinds).append_column("place", pa.array(np.arange(alone.size)))
    stage_1 = chosen["stage_1"].to_numpy().astype(np.float64)
    for kind in numbered.filter(pa.array(is_usable)).group_by(kinds).aggregate([("place", "list")]).to_pylist():
        places = np.array(kind["place_list"], dtype=np.int64)
        level = level_among(how.levels, kind["level_name"])
        if level.calls.stage_1 is None:
            continue
        limits = table_limits(level.thresholds, kind["stat_level"])
        law = Chosen(float(variance(level.calls.stage_1.law)), float(alone[places[0]]), *limits)
        step = law.stage_1_variance**0.5 / _STEPS
        found, more, less = (better_sums(law, stage_1[places] + by, sums[places] + by) for by in (0, step, -step))
        change = (more.margin_variances - less.margin_variances) / found.margin_variances
        pulls[places] = found.usual_variance * change / (2 * step)
        variances[places], margin_variances[places], better[places] = found.variances, found.margin_variances, True
        moves[places] = (found.sums - sums[places]) / cells[places]
    lows, highs = (np.where(better, chosen[name].to_numpy().astype(np.float64), np.nan) for name in ("low95", "high95"))
    combined = Combined(variances, margin_variances, pulls, lows, highs, better)
    return replace(groups, counts=groups.counts + np.repeat(moves, cells), combined=combined)


def margins_of_rows(variances: Floats, definition: PrivacyDefinition) -> Floats:
    """MOE95 of reconciled rows, persons, rounded up. variances: those that margins rest on."""
    return np.asarray(np.ceil(margins(np.sqrt(variances), definition) * _CENTS - 1e-9) / _CENTS)


def counts_table(rows: Sequence[ReconciledRows], first_group: int, how: Reconciled) -> pa.Table:
    """Table `reconciled_counts`: see sql/tools/reconcile/reconciled_counts.sql.

    True counts are whole numbers, so intervals end at the whole numbers inside, and hold the one nearest to COUNT.
    """

    def column(name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in rows]) if rows else np.empty(0)

    estimates, own_lows, own_highs = column("estimates"), column("lows"), column("highs")
    moe95s = margins_of_rows(column("margin_variances"), how.definition)
    lows = np.where(np.isnan(own_lows), np.ceil(estimates - moe95s), own_lows)
    highs = np.where(np.isnan(own_highs), np.floor(estimates + moe95s), own_highs)
    least = 0 if how.from_zero else -(2**62)
    return pa.table(
        {
            "group_id": column("groups").astype(np.int64) + first_group,
            "row_id": column("row_ids").astype(np.int32),
            "estimate": estimates,
            "variance": column("variances"),
            "moe95": moe95s,
            "low95": np.maximum(np.minimum(lows, np.rint(estimates)), least).astype(np.int64),
            "high95": np.maximum(np.maximum(highs, np.rint(estimates)), least).astype(np.int64),
        }
    )


@dataclass(frozen=True, slots=True)
class Writing:
    """How tables are written. folder: below which. integers: whether counts are whole numbers."""

    folder: Path
    notes: Mapping[str, str]
    integers: bool


def written_tables(database: Database, parameters: Parameters, ladder: Ladder, writing: Writing) -> Iterator[Row]:
    """Write the tables of a ladder; what changed in them, rows of reconciled_region_types.sql by folder."""
    written = {"t1": ladder.totals_folder, "t2": ladder.folder}
    for name, own in written.items():
        database.create(sql_files()[f"reconciled_{name}"])
        if own is None:
            continue
        (writing.folder / own).mkdir()
        target = writing.folder / own / f"{own}.parquet"
        file = sql_files()[f"{'whole' if writing.integers else 'reconciled'}_{name}"]
        notes = table_notes(writing.notes, file.name, parameters, ladder)
        rows = file if writing.integers else file.name
        database.copy(rows, target, "format parquet, compression zstd", notes)
    database.create(sql_files()["reconciled_region_types"])
    for row in database.table("reconciled_region_types", order_by=["published_table", "region_type"]).to_pylist():
        own = written[row["published_table"].lower()]
        if own is not None:
            yield {**row, "published_table": own.upper()}


def write_beside(release: Path, parameters: Parameters, writing: Writing) -> None:
    """Copy from a release its code lists and its index of groups, which reconciling does not change; describe all.

    A release that was made before releases had code lists leaves the new folder without them and a description.
    """
    litter = shutil.ignore_patterns(".*", "*.db", "*.ini")  # of file managers
    has_lists = (release / CODES).is_dir()
    for name in (CODES, GROUP_INDEX) if has_lists else (GROUP_INDEX,):
        shutil.copytree(release / name, writing.folder / name, copy_function=shutil.copyfile, ignore=litter)
    if has_lists:
        write_reconciled_csvw(writing.folder, parameters, integers=writing.integers)
