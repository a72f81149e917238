"""The exact rate at which published margins of error should cover, from laws of noise and publication rules alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lgamma, log, log1p, sqrt

import numpy as np
import pyarrow as pa

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.accounting.statement import ReleasedLevel
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import declared_table, stacked_table
from safetab_sql.laws.noise import Law, is_tabulable, margin_of_error, quantile, variance
from safetab_sql.laws.selection import selected_counts
from safetab_sql.published.margins import margins_above, tails

FREE = Fraction(1, 1_000_000)  # a count is free where suppression or clipping touches it with at most this chance
LEAST_COVERAGE = 0.95  # of margins of reconciled counts, which are upper bounds
CONFIDENCE = 0.999  # chance that the coverage of honest noise lies in its interval


@dataclass(frozen=True, slots=True)
class PublishedNoise:
    """The noise that the published counts of one level share, and the rules by which they were published.

    noise: "total only", or "stage 2" (totals and cells). suppression_threshold: noisy persons; None keeps every total.
    is_clipped: whether counts below 0 became 0. is_reconciled: whether counts were made consistent after that.
    publishes_stage_1: whether stage 1 was published, and weighed in then.
    """

    level: str
    noise: str
    law: Law
    suppression_threshold: int | None
    is_clipped: bool
    is_reconciled: bool = False
    publishes_stage_1: bool = False


def published_noises(
    levels: Sequence[LevelPlan | ReleasedLevel], *, is_clipped: bool, is_reconciled: bool = False
) -> list[PublishedNoise]:
    """The published noises of a run that is planned, or of a release. is_reconciled: as of `PublishedNoise`."""
    found = []
    for level in levels:
        thresholds = level.total_only_threshold, level.suppression_threshold
        for call, threshold in zip((level.calls.total_only, level.calls.stage_2), thresholds, strict=True):
            of = call.statistic.replace("_", " "), call.law, threshold
            found.append(PublishedNoise(level.name, *of, is_clipped, is_reconciled, level.publishes_stage_1))
    return found


def noise_laws_table(noises: Sequence[PublishedNoise]) -> pa.Table:
    """Table `noise_laws` of sql/tools/evaluate: one row per population group level and law of published noise."""
    rows = []
    for noise in noises:
        margin = margin_of_error(noise.law)
        expected = LEAST_COVERAGE if noise.is_reconciled else 1 - 2 * float(tails(noise.law, np.array([margin]))[0])
        free = (free_from(noise, is_total=is_total) for is_total in (True, False))
        rows.append((noise.level, noise.noise, float(margin), sqrt(variance(noise.law)), expected, *free))
    return declared_table("noise_laws", rows)


def small_coverages_table(noises: Sequence[PublishedNoise]) -> pa.Table:
    """Table `small_coverages` of sql/tools/evaluate: one row per level, law, kind of count and small exact size.

    Noise too wide to tabulate (sigma above about 55,000) has no rows: such noise is not published in practice.
    """
    parts = []
    for noise, is_total in ((noise, is_total) for noise in noises for is_total in (True, False)):
        if is_tabulable(noise.law):
            sizes = free_from(noise, is_total=is_total)
            names = ([value] * sizes for value in (noise.level, noise.noise, is_total))
            parts.append((*names, np.arange(sizes), small_coverages(noise, sizes, is_total=is_total)))
    return stacked_table("small_coverages", parts)


def free_from(noise: PublishedNoise, *, is_total: bool) -> int:
    """Smallest exact count that suppression and clipping touch with a chance of at most FREE, persons."""
    # A total n is suppressed if noise <= t - n; by symmetry that is as likely as noise > n - t - 1. It is clipped if
    # noise < -n, as likely as noise > n.
    rare = quantile(noise.law, 1 - FREE)
    threshold = noise.suppression_threshold if is_total else None
    return max(0 if threshold is None else threshold + 1 + rare, rare if noise.is_clipped else 0)


def small_coverages(noise: PublishedNoise, sizes: int, *, is_total: bool) -> Floats:
    """P(|error| <= MOE95, given that the count was published) for exact counts 0, 1, ..., sizes - 1: float64[sizes].

    The error is the noise, or minus the count if clipping makes the result 0. NaN if the count is never published.
    """
    margin, law = margin_of_error(noise.law), noise.law
    counts = np.arange(sizes, dtype=np.int64)
    threshold = noise.suppression_threshold if is_total else None
    if threshold is not None:
        return _selected_coverages(noise, threshold, counts)
    # Covered: -m <= noise <= m, and below -m too where the result is clipped to an error of -n >= -m.
    lowest = np.where(noise.is_clipped & (counts <= margin), np.iinfo(np.int64).min // 2, -margin - 1)
    return np.maximum(0.0, tails(law, lowest) - tails(law, np.full(sizes, margin)))


def _selected_coverages(noise: PublishedNoise, threshold: int, counts: Int64s) -> Floats:
    """The same of totals above a threshold, each of which has a margin of its own near it."""
    last = threshold + len(selected_counts(noise.law, threshold) or ())
    values = np.arange(threshold + 1, last + 1, dtype=np.int64)
    shown = np.maximum(values, 0) if noise.is_clipped else values
    margins = margins_above(noise.law, threshold, shown).astype(np.int64)
    usual = margin_of_error(noise.law)
    beyond = tails(noise.law, np.maximum(last - counts, -usual - 1)) - tails(noise.law, np.full(counts.size, usual))
    covered = np.maximum(0.0, beyond)
    first = threshold + 1 - counts.size
    tail = tails(noise.law, np.arange(first - 1, last + 1, dtype=np.int64))
    chances = tail[:-1] - tail[1:]  # of noise first, first + 1, ..., last
    for value, count, margin in zip(values.tolist(), shown.tolist(), margins.tolist(), strict=True):
        low, high = max(0, count - margin), min(counts.size - 1, count + margin)
        if low <= high:
            covered[low : high + 1] += chances[value - high - first : value - low - first + 1][::-1]
    published = tails(noise.law, threshold - counts)
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
