"""Every interval, margin and p-value that a command publishes, and how often it holds what it says, given its row.

The columns are those of the headers of the statements that write files, and of the classes that commands answer with,
so a new one has no case until one is written. A case draws noise with a seeded generator and calls what computes it.
"""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from itertools import chain

import duckdb
import numpy as np
import pyarrow as pa

from safetab_sql.histograms.public.domains import Domain
from safetab_sql.histograms.published.sampling import NoisyHistogram, field_counts, kept_bins
from safetab_sql.histograms.published.tree import NoisyField
from safetab_sql.kit.sqlfiles import render, sql_files
from safetab_sql.laws.noise import Law, quantile
from safetab_sql.laws.selection import largest_suppressed
from safetab_sql.published.margins import Cuts, NoiseTerm, margin_of_terms, selected_totals_table, uncertainty_table
from safetab_sql.published.measurements import combined_totals
from safetab_sql.settings.ladders import PopulationGroupLevel
from safetab_sql.statistics.evaluator import adjusted_level, adjusted_p_values
from safetab_sql.statistics.intervals import Intervals, edge_margins, intervals_of_ends, quantiles, ratios, sum_ends
from safetab_sql.statistics.ratios import Counted, Shape, Term, ends_of_differences, equal_ratio_chances
from safetab_sql.statistics.sums import PublishedRatio, PublishedSum
from safetab_sql.statistics.wanted import ADJUSTED, ANSWERS
from tests.conftest import REPOSITORY
from tests.plans import PlannedLevel, plan_with
from tests.published.total_coverage import chances, count, counted, county_law, difference, pair, ratio

LEVEL = Fraction(95, 100)
PACKAGE = REPOSITORY / "safetab_sql"
DEFINITIONS = ("zcdp", "puredp")
_CLASSES = (PublishedSum, PublishedRatio)
_LONG = 10_000  # replicates, from which on a run has all points
_COLUMNS = ("MOE95", "LOW95", "HIGH95")
_ENDS = ("low", "high", "margin", "moe95", "p_value")
ELSEWHERE = {  # columns whose coverage other tests hold
    "measurements": "tests/published/test_measurements.py",
    "reconciled_t1": "tests/published/test_reconcile_coverage.py",
    "reconciled_t2": "tests/published/test_reconcile_coverage.py",
    "histograms.published.calibration": "tests/histograms/test_bottom_up.py",
}
_T1 = "as in t1 and t2, whose rows it shows"
_REPORTED = "of the page of a report: medians, counts and rows of t1 and t2"
SHOWN = {  # published statements that state nothing of their own
    **dict.fromkeys(
        ("released_totals", "published_rows", "summed_rows", "wanted_cells", "api_groups", "example_rows"), _T1
    ),
    **dict.fromkeys(("exported_rows", "labelled_t1", "labelled_t2", "sdmx_rows"), _T1),
    "sdmx_suppressed": "as in suppressed",
    **{name: f"as in {name.replace('whole', 'reconciled')}" for name in ("whole_t1", "whole_t2")},
    **dict.fromkeys(("nested_groups", "stage_1_gains"), "as in measurements"),
    "wanted_reconciled": "as in reconciled_t1 and reconciled_t2",
    **{name: _REPORTED for name in sql_files() if name.startswith("reported_")},
}
_UNITS = {"release/folder.py", "published/file_notes.py"}  # what columns are called and mean, and no values


@lru_cache
def columns() -> set[tuple[str, str]]:
    """Every statement, module or class that makes what is published, and each interval, margin and p-value in it.

    Statements and classes say so themselves; a module does where it makes a column of such a name.
    """
    files = {
        (file.name, column.name)
        for file in sql_files().values()
        if file.zone == "published" and file.name not in SHOWN
        for column in file.columns
        if "95 %" in column.meaning
    }
    files |= {
        (".".join(path.relative_to(PACKAGE).with_suffix("").parts), name)
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).as_posix() not in _UNITS
        for name in _made_columns(path.read_text(encoding="utf-8"))
    }
    answers = {("statistics", name) for name in (*ANSWERS, *ADJUSTED) if name not in ("ESTIMATE", "NOTE")}
    members = {
        (kind.__name__, field.name) for kind in _CLASSES for field in fields(kind) if field.name.startswith(_ENDS)
    }
    return files | answers | members


def _made_columns(text: str) -> Iterator[str]:
    """Columns of intervals and margins that are keys of a dict of a module, or are put into one."""
    for node in ast.walk(ast.parse(text)) if any(name in text for name in _COLUMNS) else ():
        found = node.keys if isinstance(node, ast.Dict) else []
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            found = [node.slice]
        yield from (key.value for key in found if isinstance(key, ast.Constant) and key.value in _COLUMNS)


@dataclass(frozen=True, slots=True)
class Point:
    """held: for each replicate whose row is printed, whether the column holds what it says. where: the point."""

    column: tuple[str, str]
    definition: str
    is_clipped: bool
    where: str
    held: np.ndarray


@dataclass(frozen=True, slots=True)
class Setting:
    """A definition, whether counts below 0 become 0, replicates of a point, and the generator of their noise."""

    definition: str
    is_clipped: bool
    draws: int
    random: np.random.Generator

    def some(self, values: Iterable[int]) -> list[int]:
        """Every value in a long run, else every second one."""
        return sorted(set(values))[:: 1 if self.draws >= _LONG else 2]

    @property
    def few(self) -> int:
        """Replicates of what is computed one by one."""
        return self.draws // (10 if self.draws >= _LONG else 20)

    @property
    def law(self) -> Law:
        return county_law(self.definition, 0).stage_2

    @property
    def above(self) -> int:
        return quantile(self.law, Fraction(9999, 10000))

    @property
    def deviation(self) -> float:
        values, odds = _law(self.law)
        return float(np.sqrt(odds @ values**2))

    def noise(self, law: Law, *shape: int) -> np.ndarray:
        values, odds = _law(law)
        return values[np.searchsorted(np.cumsum(odds), self.random.random(shape))]

    def counts(self, true: int, size: int = 1) -> np.ndarray:
        """int64[draws, size]: published counts of cells of so many people."""
        noisy = true + self.noise(self.law, self.draws, size)
        return np.maximum(noisy, 0) if self.is_clipped else noisy

    def totals(self, true: int, size: int = 1) -> np.ndarray:
        """int64[draws, size]: published totals of so many people, given that they exceed the limit."""
        return self.between(true, self.law, self.above + 1, 2**60, size)

    def between(self, true: int, law: Law, first: int, end: int, size: int) -> np.ndarray:
        """int64[draws, size]: noisy counts of so many people, given that they are at least `first` and below `end`."""
        values, odds = _law(law)
        shown = np.where((true + values >= first) & (true + values < end), odds, 0)
        return true + values[np.searchsorted(np.cumsum(shown / shown.sum()), self.random.random((self.draws, size)))]


@lru_cache(maxsize=16)
def _law(law: Law) -> tuple[np.ndarray, np.ndarray]:
    first, odds = chances(law)
    return first + np.arange(odds.size), odds / odds.sum()


def points(setting: Setting) -> Iterator[Point]:
    """Every point of every case of a definition; in short runs without those that other tests sum up exactly."""
    for place, case in CASES.items():
        if (setting.is_clipped and place in _UNCLIPPED) or (setting.draws < _LONG and place in ELSEWHERE):
            continue
        for column, where, held in case(setting):
            if held.size:
                yield Point((place, column), setting.definition, setting.is_clipped, where, held)


Held = tuple[str, str, np.ndarray]  # name of a column, point, and `held` of a Point
Found = Iterator[Held]
Case = Callable[[Setting], Iterable[Held]]


def _ends(where: str, found: Intervals, true: float, names: tuple[str, str] = ("LOW", "HIGH")) -> Found:
    """An interval misses at either of its ends; both columns share the chance. What is NaN is not printed."""
    held = (found.lows <= true + 1e-12) & (true - 1e-12 <= found.highs)
    printed = ~np.isnan(found.lows)
    yield from ((name, where, held[printed]) for name in names)


@lru_cache(maxsize=16)
def _published(setting: Setting, table: str) -> tuple[Held, ...]:
    """What `_of_statement` finds, once for all formats."""
    return tuple(_of_statement(setting, table))


def _of_statement(setting: Setting, table: str) -> Found:
    """Rows as the statements t1 and t2 write them: cells, sums of cells, and totals near the limit of publication."""
    plan = plan_with(
        PlannedLevel(1, PopulationGroupLevel("COUNTY", "2"), 1, 1, 0, {1: np.zeros(1, np.bool_)}, 1, True),
        [setting.law] * 3,
        setting.above,
    )
    cuts = Cuts(is_clipped=setting.is_clipped)
    deviation, limit = setting.deviation, setting.above
    rows: list[tuple[str, int, np.ndarray, int, bool]] = []
    for cell in setting.some([0, 1, *(round(each * deviation) for each in (0.5, 1, 2, 3))]):
        rows.append((f"a cell of {cell}", cell, setting.counts(cell)[:, 0], 1, False))
        rows += [
            (f"{size} cells of {cell}", size * cell, setting.counts(cell, size).sum(1), size, False) for size in (4, 8)
        ]
    for total in setting.some([0, 3, *(limit + round(each * deviation) for each in range(-2, 4))]):
        rows.append((f"a total of {total}, limit {limit}", total, setting.totals(total)[:, 0], 1, True))
    uncertainty = uncertainty_table([plan], [1, 4, 8], cuts)
    groups = sum(noisy.size for _, _, noisy, _, _ in rows)
    made = _statement_rows(table, rows, uncertainty, selected_totals_table([plan], cuts), groups)
    firsts = np.cumsum([0, *(noisy.size for _, _, noisy, _, _ in rows)])
    for (where, true, noisy, _, _), first in zip(rows, firsts, strict=False):
        moe95, low95, high95 = (
            made[name].to_numpy()[first : first + noisy.size] for name in ("MOE95", "LOW95", "HIGH95")
        )
        for name in ("LOW95", "HIGH95"):
            yield name, where, (low95 <= true) & (true <= high95)
        if not np.isnan(moe95).all():
            yield "MOE95", where, np.abs(noisy - true) <= moe95


def _statement_rows(table: str, rows: list, uncertainty: pa.Table, selected: pa.Table, groups: int) -> pa.Table:
    """The rows that a statement writes of these counts, in their order; a total alone is a row of t2 as well."""
    noisy = np.concatenate([row[2] for row in rows])
    sizes, totals = (np.concatenate([np.full(row[2].size, row[place]) for row in rows]) for place in (3, 4))
    ids, zeros = np.arange(groups), np.zeros(groups, dtype=np.int64)
    # selected_totals belong to totals alone: cells are counts of another level without them
    level_ids = np.where(totals, 1, 2)
    both = pa.concat_tables(
        [uncertainty, uncertainty.set_column(0, "level_id", pa.array([2] * len(uncertainty), pa.int32()))]
    )
    group_keys = dict.fromkeys(("first_population_group_id", "region_key", "region_id"), ids)
    iterations = {"iteration_position": [0, 0], "iteration_id": [1, 1], "iteration_code": ["1", "1"]}
    counts = {"level_id": level_ids, "population_group_id": ids, "noisy_count": noisy, "summed_counts": sizes}
    counts |= dict.fromkeys(("row_id", "iteration_position"), zeros)
    counts |= {"stat_level": np.where(totals, 0, 1), "is_marginal": sizes > 1}
    given = {
        "count_uncertainty": both,
        "selected_totals": selected,
        "published_regions": pa.table({"level_id": level_ids, **group_keys, "region_type": zeros}),
        "published_iterations": pa.table({"level_id": [1, 2], **iterations, "is_total_only": [False, False]}),
        "level_sizes": pa.table({"level_id": [1, 2], "first_population_group_id": [0, 0], "iterations": [1, 1]}),
        "ladder_rows": pa.table({"row_id": [0]}),
        "ladder_statistics": pa.table({"stat_level": [0, 1], "statistic_name": ["total", "table"]}),
        "ladder_counts": pa.table(counts),
        "noisy_totals": _counts(level_ids, ids, noisy, sizes == 1),
        "noisy_cells": _counts(*_cells(level_ids, ids, noisy, sizes)),
    }
    with duckdb.connect() as connection:
        for name, values in given.items():
            connection.register(name, values)
        asked = {"t1": {"counted": ["COUNT"]}, "t2": {"counted": ["COUNT"], "ladder_columns": [], "number_columns": []}}
        statement = render(sql_files()[table], asked[table])
        return connection.sql(statement.inlined).to_arrow_table()


def _counts(level_ids: np.ndarray, ids: np.ndarray, noisy: np.ndarray, chosen: np.ndarray) -> pa.Table:
    columns = {"level_id": level_ids, "population_group_id": ids, "noisy_count": noisy}
    return pa.table({name: values[chosen] for name, values in columns.items()})


def _cells(
    level_ids: np.ndarray, ids: np.ndarray, noisy: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Cells that add up to sums: all of a sum in its first one. The last: which of them belong to a sum."""
    repeated = np.repeat(np.arange(ids.size), sizes)
    is_first = np.diff(repeated, prepend=-1) > 0
    return level_ids[repeated], ids[repeated], np.where(is_first, noisy[repeated], 0), sizes[repeated] > 1


def _measurements(setting: Setting) -> Found:
    """Totals from both stages at thresholds of tables, given the table."""
    for stat_level in (1, 3):
        law = county_law(setting.definition, stat_level)
        spread = float(np.sqrt(_law(law.stage_1)[1] @ _law(law.stage_1)[0] ** 2))
        for distance in (-3, -1.5, -0.5, 0, 1, 3):
            true = (law.first or 0) + round(distance * spread)
            stage_1 = setting.between(true, law.stage_1, law.first or 0, law.end or 2**60, 1)[:, 0]
            summed = true + setting.noise(law.stage_2, setting.draws, law.counts).sum(axis=1)
            made = combined_totals(law, stage_1, summed)
            held = (made.lows <= true) & (true <= made.highs)
            where = f"{law.counts} cells, {distance:+g} sd from the threshold"
            yield from ((name, where, held) for name in ("LOW95", "HIGH95"))


def _suppressed(setting: Setting) -> Found:
    """A group of more people than HIGH95 is without a row in at most 5 %."""
    most = largest_suppressed(setting.law, setting.above)
    noisy = most + 1 + setting.noise(setting.law, setting.draws)
    yield "HIGH95", f"{most + 1} people", noisy > setting.above


def _histograms(setting: Setting) -> Found:
    """Bins along a tree, all of which are published."""
    margin = field_counts(_domain(1), NoisyField(np.zeros(1, np.int64), setting.law))[1]["MOE95"][0].as_py()
    yield "MOE95", "a bin", np.abs(setting.noise(setting.law, setting.draws)) <= margin


def _kept_bins(setting: Setting) -> Found:
    """Bins that the cut kept, empty ones too."""
    for true in setting.some([0, 3, *(setting.above + round(each * setting.deviation) for each in (-2, -1, 0, 1, 4))]):
        noisy = setting.totals(true)[:, 0]
        yield "MOE95", f"a bin of {true}", np.abs(noisy - true) <= _kept(setting, noisy)


def _kept(setting: Setting, counts: np.ndarray) -> np.ndarray:
    kept = setting.above + 1, np.arange(counts.size), counts
    histogram = NoisyHistogram((_domain(counts.size),), counts.size, setting.law, *kept)
    return kept_bins(histogram)[1]["MOE95"].to_numpy()


def _domain(size: int) -> Domain:
    return Domain("BIN", ("BIN",), minimum=0, maximum=size - 1)


def _denominators(setting: Setting) -> list[int]:
    return setting.some(max(1, round(each * setting.deviation)) for each in (0.5, 1, 2, 3, 5))


def _statistics(setting: Setting) -> Found:
    yield from _counts_and_differences(setting)
    yield from _ratios(setting)
    yield from _medians(setting)
    yield from _families(setting)


def _families(setting: Setting) -> Found:
    """Ten differences at once, none of which there is: each replicate is a family."""
    one, other, shape = setting.counts(12, 10).ravel(), setting.counts(12, 10).ravel(), pair(setting.law, 1, 1)
    p_values = difference(shape, one, other, LEVEL).p_values.reshape(-1, 10)
    adjusted = np.array([adjusted_p_values(row, "holm") for row in p_values])
    yield "P_ADJUSTED", "ten differences", (adjusted > 0.05).all(axis=1)
    found = difference(shape, one, other, adjusted_level(adjusted[0], "holm", LEVEL))
    held = ((found.lows <= 0) & (found.highs >= 0)).reshape(-1, 10).all(axis=1)
    yield from ((name, "ten differences", held) for name in ("LOW_ADJUSTED", "HIGH_ADJUSTED"))


def _medians(setting: Setting) -> Found:
    by_bin = np.array([3, 2, 0, 4, 1, 0, 2, 0, 1])
    noisy = (by_bin[:, None] + setting.noise(setting.law, setting.draws, 9, 2)).sum(axis=2) - by_bin
    edges = np.array([0, 5, 18, 25, 35, 45, 55, 65, 75, 116])
    margins = edge_margins(setting.law, 2, Fraction(1, 2), 9, LEVEL)
    found = quantiles(Fraction(1, 2), noisy, edges, margins)
    held = (found.lows <= 25) & (found.highs >= 35)  # seven of 13 people are younger than 35, five than 25
    yield from ((name, "a median of 13 people", held) for name in ("LOW", "HIGH"))


def _counts_and_differences(setting: Setting) -> Found:
    law, above = setting.law, setting.above
    for true in setting.some([0, 3, 12, above, 2 * above]):
        yield from _ends(f"a cell of {true}", count(law, setting.counts(true)[:, 0], LEVEL), true)
        shown = setting.totals(true)[:, 0]
        yield from _ends(f"a total of {true}", count(law, shown, LEVEL, above), true)
        for name, limits, other in (
            ("a total less a cell", (above, None), setting.counts(true)[:, 0]),
            ("two totals", (above, above), setting.totals(true)[:, 0]),
            ("two cells", (None, None), None),
        ):
            both = (shown, other) if other is not None else (setting.counts(true)[:, 0], setting.counts(true)[:, 0])
            found = difference(pair(law, 1, 1, above=limits), *both, LEVEL)
            yield from _ends(f"{name} of {true}", found, 0)
            if not np.isnan(found.p_values).all():
                yield "P_VALUE", f"{name} of {true}", found.p_values[~np.isnan(found.p_values)] > 0.05


@lru_cache(maxsize=2)
def _ratios(setting: Setting) -> tuple[Held, ...]:
    """What `_of_ratios` finds, once for `statistics` and `moe`."""
    return tuple(_of_ratios(setting))


def _of_ratios(setting: Setting) -> Found:
    """Of two cells, of a part of a table, of totals; differences of two of the same ratio, and their p-values."""
    law, half = setting.law, (1 + LEVEL) / 2
    shapes = pair(law, 1, 1), pair(law, 1, 3, 1)
    for other in _denominators(setting):
        for one in (0, other // 2, other, 10 * other):
            x, y = setting.counts(one)[:, 0], setting.counts(other)[:, 0]
            where = f"{one} / {other}"
            first = ratio(shapes[0], x, y, LEVEL)
            yield from _ends(where, first, one / other)
            if one > other:
                continue
            whole = x + setting.counts(other - one, 1)[:, 0] + setting.counts(0)[:, 0]
            yield from _ends(f"{where}, a part", ratio(shapes[1], x, whole, LEVEL), one / other)
            second = setting.counts(one)[:, 0], setting.counts(other)[:, 0]
            both = [ratio(shapes[0], *each, half) for each in ((x, y), second)]
            yield from _ends(f"{where} twice", intervals_of_ends("difference", *both), 0)
            noisy = [Counted(shapes[0], a, b, np.zeros((a.size, 0), dtype=np.int64)) for a, b in ((x, y), second)]
            for apart in (False, True):
                chance = equal_ratio_chances(*noisy, apart=apart)
                yield "P_VALUE", f"{where} twice, apart: {apart}", chance[~np.isnan(chance)] > 0.05
            for many in (0, 1, 2):  # the share of another group of 40, of which none, half or all are of the part
                part, *rest = (setting.counts(size)[:, 0] for size in (20 * many, 40 - 20 * many, 0))
                sides = counted(shapes[1], x, whole), counted(shapes[1], part, part + sum(rest))
                ends = ends_of_differences(*sides, 0.05)
                made = first._replace(lows=ends[0], highs=ends[1])
                yield from _ends(f"{where}, a part, less {20 * many} / 40", made, one / other - many / 2)
        totals = pair(law, 1, 1, above=(setting.above, None))
        found = ratio(totals, setting.totals(other)[:, 0], setting.counts(other)[:, 0], LEVEL)
        yield from _ends(f"a total by a cell of {other}", found, 1)


def _drawn(setting: Setting, terms: list[tuple[Term, np.ndarray]]) -> Counted:
    """Replicates of two sums. terms: with their published counts, int64[replicates, draws]."""
    one, other = (
        np.sum([times * noisy.sum(axis=1) for times, noisy in sides], axis=0)
        for sides in zip(*(((term.one, noisy), (term.other, noisy)) for term, noisy in terms), strict=True)
    )
    chosen = [noisy for term, noisy in terms if term.above is not None] or [np.zeros((one.size, 0), dtype=np.int64)]
    shape = Shape(tuple(term for term, _ in terms), setting.is_clipped)
    return Counted(shape, one, other, np.concatenate(chosen, axis=1))


def _sum(setting: Setting) -> Found:
    """Sums of cells and of totals, and differences."""
    law, above = setting.law, setting.above
    for true in setting.some([0, 20, 60]):
        for name, kinds in (
            ("a total", ((above, 1, 1),)),
            ("five totals", ((above, 1, 5),)),
            ("40 cells", ((None, 1, 40),)),
            ("three totals and 20 cells less two totals", ((above, 1, 3), (None, 1, 20), (above, -1, 2))),
            ("40 cells less three cells", ((None, 1, 40), (None, -1, 3))),
        ):
            terms = [
                (Term(law, times, 0, size, limit), (setting.counts if limit is None else setting.totals)(true, size))
                for limit, times, size in kinds
            ]
            lows, highs = sum_ends(_drawn(setting, [(term, noisy[: setting.few]) for term, noisy in terms]), LEVEL)
            wanted = true * sum(times * size for _, times, size in kinds)
            held = (lows <= wanted) & (wanted <= highs)
            yield from ((end, f"{name} of {true}", held) for end in ("low", "high"))
    for true in (0, 3, 20):
        margin = margin_of_terms((NoiseTerm(law, 1, 1),), LEVEL).moe95
        yield from (
            (name, f"a cell of {true}", np.abs(setting.counts(true)[:, 0] - true) <= margin)
            for name in ("moe95", "margin")
        )
        if not setting.is_clipped:
            both = setting.counts(true, 3).sum(axis=1) + 2 * true, setting.counts(true, 5).sum(axis=1)
            yield (
                "p_value",
                f"three cells and five of {true}",
                difference(pair(law, 3, 5), *both, LEVEL).p_values > 0.05,
            )


def _sum_ratio(setting: Setting) -> Found:
    """With a total that was published for its size, or of clipped counts; else Fieller's interval, as `statistics`."""
    for other in _denominators(setting):
        for is_part in (False, True):
            shown, cells = setting.totals(other, 1)[: setting.few], setting.counts(other, 4)[: setting.few]
            true = 1 / 5 if is_part else 1 / 4
            terms = [(Term(setting.law, 1, int(is_part), 1, setting.above), shown), (Term(setting.law, 0, 1, 4), cells)]
            found = ratios(_drawn(setting, terms), LEVEL)
            held = (found.lows <= true) & (true <= found.highs)
            yield from ((name, f"a total by cells of {other}, part {is_part}", held) for name in ("low", "high"))


def _as(names: dict[str, str], case: Case) -> Case:
    """A case whose columns have other names in an answer; columns without a name are not in it."""

    def renamed(setting: Setting) -> Found:
        yield from ((names[name], where, held) for name, where, held in case(setting) if name in names)

    return renamed


CASES: dict[str, Case] = {
    "t1": lambda setting: _published(setting, "t1"),
    "t2": lambda setting: _published(setting, "t2"),
    "t1_api": _as({"MOE95": "T01001_001M"}, lambda setting: _published(setting, "t1")),
    "t2_api": _as({"MOE95": "{{ api_margins }}"}, lambda setting: _published(setting, "t2")),
    "measurements": _measurements,
    "suppressed": _suppressed,
    "histograms.published.sampling": lambda setting: chain(_histograms(setting), _kept_bins(setting)),
    "statistics": _statistics,
    "PublishedSum": _sum,
    "PublishedRatio": _sum_ratio,
}
_UNCLIPPED = {"histograms.published.sampling", "measurements", "statistics", "suppressed"}  # or alike
