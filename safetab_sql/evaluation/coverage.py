"""The exact rate at which published margins of error should cover, from laws of noise and publication rules alone."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction
from math import lgamma, log, log1p, sqrt

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.ledger import ReleasedLevel
from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import declared_table, stacked_table
from safetab_sql.laws.cumulative import Law, is_tabulable
from safetab_sql.laws.quantiles import margin_of_error, quantile
from safetab_sql.laws.selection import selected_counts
from safetab_sql.public.measured import Measurement, measurements
from safetab_sql.public.values import rows_of
from safetab_sql.published.count_laws import (
    CountLaw,
    FittedLaw,
    chance_of_moe95,
    laws_of_sums,
    moe95_of,
    shared_noise,
    variance_of,
)
from safetab_sql.published.intervals import margins_above, tails
from safetab_sql.settings.ladder_tables import Statistic
from safetab_sql.settings.ladders import NO_ROW, Ladder
from safetab_sql.settings.parameters import Parameters

FREE = Fraction(1, 1_000_000)  # a count is free where suppression or clipping touches it with at most this chance
LEAST_COVERAGE = 0.95  # of margins of reconciled counts, which are upper bounds
CONFIDENCE = 0.999  # chance that the coverage of honest noise lies in its interval


@dataclass(frozen=True, slots=True)
class PublishedNoise:
    """The law of noise of some published counts of one level, and the rules by which they were published.

    noise: "total only", "stage 2" (totals and cells), or, where a table is measured with others, its name: counts that
    are fitted to several tables have a law for each, and number tells the laws of one table apart.
    suppression_threshold: noisy persons; None keeps every total. is_clipped: whether counts below 0 became 0.
    is_reconciled: whether counts were made consistent after that. publishes_stage_1: whether stage 1 was published, and
    weighed in then.
    """

    level: str
    noise: str
    law: CountLaw
    suppression_threshold: int | None
    is_clipped: bool
    is_reconciled: bool = False
    publishes_stage_1: bool = False
    number: int = 0


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """A published row that has noise of its own: see measured_rows.sql. number: which law of the noise."""

    level: str
    is_total_only: bool
    stat_level: int
    row_id: int
    statistic: str
    noise: str
    number: int
    shared: float


def published_noises(
    parameters: Parameters, levels: Sequence[LevelPlan | ReleasedLevel], *, is_reconciled: bool = False
) -> list[PublishedNoise]:
    """The published noises of a run that is planned, or of a release. is_reconciled: as of `PublishedNoise`."""
    is_clipped = not parameters.allow_negative_counts
    found = []
    for level in levels:
        rules = is_clipped, is_reconciled, level.publishes_stage_1
        for call, threshold in (
            (level.calls.total_only, level.total_only_threshold),
            (level.calls.stage_2, level.suppression_threshold),
        ):
            name = call.statistic.replace("_", " ")
            found.append(PublishedNoise(level.name, name, call.law, threshold, *rules))
        for table in _fitted_tables(parameters, level):
            laws = enumerate(dict.fromkeys(table.laws))
            found += [PublishedNoise(level.name, table.name, law, None, *rules, number) for number, law in laws]
    return found


def measured_rows(
    parameters: Parameters, ladder: Ladder, levels: Sequence[LevelPlan | ReleasedLevel]
) -> list[MeasuredRow]:
    """The rows of a ladder that are measured: totals alone, cells, and rows of tables measured beside these."""
    found, measured = list[MeasuredRow](), rows_of(parameters, ladder).measured
    for level in (each for each in levels if each.ladder in (None, ladder.name)):
        found += [
            MeasuredRow(level.name, True, 0, NO_ROW, "total only", "total only", 0, 1.0),
            MeasuredRow(level.name, False, 0, NO_ROW, ladder.total_name, "stage 2", 0, 1.0),
        ]
        for stat_level, statistic in enumerate(ladder.statistics, start=1):
            if len(level.calls.of_table(stat_level)) == 1:
                rows = [row for own, _, row in measured if own == stat_level]
                found += [
                    MeasuredRow(level.name, False, stat_level, row, statistic.name, "stage 2", 0, 1.0) for row in rows
                ]
        for table in _fitted_tables(parameters, level):
            numbers = {law: number for number, law in enumerate(dict.fromkeys(table.laws))}
            found += [
                MeasuredRow(level.name, False, table.stat_level, row, table.name, table.name, numbers[law], shared)
                for row, law, shared in zip(table.rows, table.laws, table.shared, strict=True)
            ]
    return found


@dataclass(frozen=True, slots=True)
class _FittedTable:
    """The published rows of a table that is measured with others, the law of each, and its `shared_noise`."""

    name: str
    stat_level: int
    rows: tuple[int, ...]
    laws: tuple[CountLaw, ...]
    shared: tuple[float, ...]


def _fitted_tables(parameters: Parameters, level: LevelPlan | ReleasedLevel) -> Iterator[_FittedTable]:
    """The tables of a level that are measured together, as far as rows of them are published."""
    if not level.calls.tables:
        return
    ladder = next(each for each in parameters.ladders if level.ladder in (None, each.name))
    rows, found = rows_of(parameters, ladder).cells_of_rows, measurements(parameters, ladder)
    for stat_level, (statistic, measurement) in enumerate(zip(ladder.statistics, found, strict=True), start=1):
        calls = level.calls.of_table(stat_level)
        if len(calls) > 1:
            own = {frozenset(cells): row for (of, row), cells in rows.items() if of == stat_level}
            for name, tables in _tables_of(statistic, measurement):
                published = {
                    NO_ROW if len(cells) == measurement.cells else own[cells]: cells
                    for cells in tables
                    if cells in own or len(cells) == measurement.cells
                }
                sums = [tuple(sorted(cells)) for cells in published.values()]
                laws = laws_of_sums(measurement, calls, sums)
                shared = shared_noise(measurement, calls, sums).tolist()
                yield _FittedTable(name, stat_level, tuple(published), tuple(laws), tuple(shared))


def _tables_of(statistic: Statistic, measurement: Measurement) -> Iterator[tuple[str, list[frozenset[int]]]]:
    """The tables that are measured with a statistic, by name: the cells of the statistic in each of their cells."""
    members = (*measurement.members, np.arange(measurement.cells, dtype=np.int64))
    for name, of in zip(statistic.names_of_tables, members, strict=True):
        said = statistic.name if name == statistic.name else f"{name} of {statistic.name}"
        yield said, [frozenset(np.flatnonzero(of == cell).tolist()) for cell in range(1 + int(of.max()))]


def measured_rows_table(rows: Sequence[MeasuredRow]) -> pa.Table:
    """Table `measured_rows` of sql/tools/evaluate: one row per level, kind of group, stat level and measured row."""
    return declared_table("measured_rows", map(astuple, rows))


def noise_laws_table(noises: Sequence[PublishedNoise]) -> pa.Table:
    """Table `noise_laws` of sql/tools/evaluate: one row per population group level and law of published noise."""
    rows = []
    for noise in noises:
        expected = LEAST_COVERAGE if noise.is_reconciled else chance_of_moe95(noise.law)
        free = (free_from(noise, is_total=is_total) for is_total in (True, False))
        width = moe95_of(noise.law), float(variance_of(noise.law))
        rows.append((noise.level, noise.noise, noise.number, *width, expected, *free))
    return declared_table("noise_laws", rows)


def small_coverages_table(noises: Sequence[PublishedNoise]) -> pa.Table:
    """Table `small_coverages` of sql/tools/evaluate: one row per level, law, kind of count and small exact size.

    Noise too wide to tabulate (sigma above about 55,000) has no rows: such noise is not published in practice.
    """
    parts = []
    for noise, is_total in ((noise, is_total) for noise in noises for is_total in (True, False)):
        if not isinstance(noise.law, FittedLaw) and is_tabulable(noise.law):
            sizes = free_from(noise, is_total=is_total)
            names = ([value] * sizes for value in (noise.level, noise.noise, is_total))
            parts.append((*names, np.arange(sizes), small_coverages(noise, sizes, is_total=is_total)))
    return stacked_table("small_coverages", parts)


def free_from(noise: PublishedNoise, *, is_total: bool) -> int:
    """Smallest exact count that suppression and clipping touch with a chance of at most FREE, persons."""
    if isinstance(noise.law, FittedLaw):
        return 0  # neither touches it
    # A total n is suppressed if noise <= t - n; by symmetry that is as likely as noise > n - t - 1. It is clipped if
    # noise < -n, as likely as noise > n.
    rare = quantile(noise.law, 1 - FREE)
    threshold = noise.suppression_threshold if is_total else None
    return max(0 if threshold is None else threshold + 1 + rare, rare if noise.is_clipped else 0)


def small_coverages(noise: PublishedNoise, sizes: int, *, is_total: bool) -> Floats:
    """P(|error| <= MOE95, given that the count was published) for exact counts 0, 1, ..., sizes - 1: float64[sizes].

    The error is the noise, or minus the count if clipping makes the result 0. NaN if the count is never published.
    """
    law = _drawn(noise)
    margin = margin_of_error(law)
    counts = np.arange(sizes, dtype=np.int64)
    threshold = noise.suppression_threshold if is_total else None
    if threshold is not None:
        return _selected_coverages(noise, threshold, counts)
    # Covered: -m <= noise <= m, and below -m too where the result is clipped to an error of -n >= -m.
    lowest = np.where(noise.is_clipped & (counts <= margin), np.iinfo(np.int64).min // 2, -margin - 1)
    return np.maximum(0.0, _above(law, lowest) - _above(law, np.full(sizes, margin)))


def _drawn(noise: PublishedNoise) -> Law:
    if isinstance(noise.law, FittedLaw):
        raise TypeError("a fitted count is never suppressed or clipped")
    return noise.law


def _selected_coverages(noise: PublishedNoise, threshold: int, counts: Int64s) -> Floats:
    """The same of totals above a threshold, each of which has a margin of its own near it."""
    law = _drawn(noise)
    last = threshold + len(selected_counts(law, threshold) or ())
    values = np.arange(threshold + 1, last + 1, dtype=np.int64)
    shown = np.maximum(values, 0) if noise.is_clipped else values
    margins = margins_above(law, threshold, shown).astype(np.int64)
    usual = margin_of_error(law)
    beyond = _above(law, np.maximum(last - counts, -usual - 1)) - _above(law, np.full(counts.size, usual))
    covered = np.maximum(0.0, beyond)
    first = threshold + 1 - counts.size
    tail = _above(law, np.arange(first - 1, last + 1, dtype=np.int64))
    chances = tail[:-1] - tail[1:]  # of noise first, first + 1, ..., last
    for value, count, margin in zip(values.tolist(), shown.tolist(), margins.tolist(), strict=True):
        low, high = max(0, count - margin), min(counts.size - 1, count + margin)
        if low <= high:
            covered[low : high + 1] += chances[value - high - first : value - low - first + 1][::-1]
    published = _above(law, threshold - counts)
    found = np.full(counts.size, np.nan)
    np.divide(covered, published, out=found, where=published > 0)
    return found


def coverage_interval(counts: int, chance: float) -> tuple[float, float]:
    """Interval in which the share of successes among `counts` >= 1 trials lies with a chance of at least CONFIDENCE.

    Exact binomial quantiles, with equal chances on both sides. If the trials have different chances, `chance` is their
    mean, and the interval is a little too wide. Source: Hoeffding 1956 (sums of unequal trials are less spread).
    """
    if not 0 < chance < 1:
        return chance, chance
    spread = 12 * sqrt(counts * chance * (1 - chance)) + 12
    first, last = max(0, int(counts * chance - spread)), min(counts, int(counts * chance + spread))
    successes = np.arange(first, last + 1, dtype=np.float64)
    ways = lgamma(counts + 1) - lgamma(first + 1) - lgamma(counts - first + 1)
    growth = np.log((counts - successes[:-1]) / (successes[:-1] + 1)) + log(chance) - log1p(-chance)
    logs = ways + first * log(chance) + (counts - first) * log1p(-chance) + np.append(0.0, np.cumsum(growth))
    up_to = np.cumsum(np.exp(logs))
    lower, upper = np.searchsorted(up_to, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], side="left")
    return (first + int(lower)) / counts, (first + min(int(upper), last - first)) / counts


def _above(law: Law, bounds: Int64s) -> Floats:
    """P(noise > bound) for each bound: int64[n] -> float64[n], to about 15 digits of 1."""
    tail = tails(law, np.where(bounds >= 0, bounds, -bounds - 1))
    return np.where(bounds >= 0, tail, 1 - tail)
