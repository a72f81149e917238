"""What noisy histograms of single fields say of them: smooth counts that are not negative, and bins of equal weight.

Sees noisy counts alone: all of it is post-processing. Source: histograms.md section 7.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law, variance

MOST_BINS = 64  # of one field in the table of a pair
_STRETCH = 256  # values that are smoothed together


Counted = Sequence[tuple[int, Law]]  # the noisy number of records with the law of its noise, if it was asked for


@dataclass(frozen=True, slots=True, eq=False)
class NoisyField:
    """The histogram of one field after noise: int64[values], and the law of the noise in each count."""

    noisy_counts: Int64s
    law: Law

    @property
    def variance(self) -> float:
        """Of the noise in each count, records squared."""
        return float(variance(self.law))


def record_total(fields: Sequence[NoisyField], counted: Counted = ()) -> float:
    """The number of records: the mean of all noisy totals, each weighed by the inverse of its variance.

    counted: the noisy number of records with its law, if it was asked for.
    """
    totals = [float(field.noisy_counts.sum()) for field in fields] + [float(count) for count, _ in counted]
    variances = [field.variance * field.noisy_counts.size for field in fields]
    weights = 1 / np.array(variances + [float(variance(law)) for _, law in counted])
    return float(weights @ np.array(totals) / weights.sum())


def expected_counts(counts: Floats, variance: float, total: float) -> Floats:
    """The counts of a field as its noisy ones suggest them: smoothed, at least 0, and `total` together."""
    return on_simplex(smoothed(counts, variance), total)


def smoothed(counts: Floats, variance: float) -> Floats:
    """The expected counts if neighbouring values mostly have equal counts, given noise of this variance: float64[n].

    Every division of the values into stretches of equal counts is as likely as any other; heights are normal with the
    variance of the counts. The mean over all divisions, weighed by how well each explains the counts, is exact: sums
    over stretches run forwards and backwards as in a hidden Markov model. Longer lists of values are smoothed in parts.
    """
    parts = range(0, counts.size, _STRETCH)
    return np.concatenate([_smoothed_part(counts[first : first + _STRETCH], variance) for first in parts])


def summed(bins: Int64s, counts: Floats) -> Floats:
    """The sum of the counts of the values of each bin: float64[bins]."""
    return np.bincount(bins, counts).astype(np.float64)


def _smoothed_part(counts: Floats, variance: float) -> Floats:
    n = counts.size
    if n < 3:
        return counts
    mean = counts.mean()
    centred = counts - mean
    height = max(float((centred**2).mean()), variance)
    length = np.arange(n + 1)[None, :] - np.arange(n + 1)[:, None]  # of the stretch from row to before column
    is_stretch = length > 0
    length = np.maximum(length, 1)
    before = np.concatenate([[0.0], np.cumsum(centred)])
    sums = before[None, :] - before[:, None]
    ratio = height / (variance + length * height)
    evidence = 0.5 * (ratio * sums**2 / variance - np.log1p(length * height / variance))
    evidence = np.where(is_stretch, evidence, -np.inf)
    forwards, backwards = np.full(n + 1, -np.inf), np.full(n + 1, -np.inf)
    forwards[0] = backwards[n] = 0.0
    for end in range(1, n + 1):
        forwards[end] = np.logaddexp.reduce(forwards[:end] + evidence[:end, end])
    for first in range(n - 1, -1, -1):
        backwards[first] = np.logaddexp.reduce(evidence[first, first + 1 :] + backwards[first + 1 :])
    chance = np.exp(forwards[:, None] + evidence + backwards[None, :] - forwards[n])
    steps = np.where(is_stretch, chance * sums * ratio, 0.0)
    found: Floats = mean + np.cumsum(steps.sum(axis=1) - steps.sum(axis=0))[:n]
    return found


def on_simplex(counts: Floats, total: float) -> Floats:
    """The nearest counts that are at least 0 and sum to `total` > 0: float64[n]. Source: Duchi 2008, Figure 1."""
    ordered = np.sort(counts)[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, counts.size + 1)
    found: Floats = np.maximum(counts - excess[np.flatnonzero(ordered > excess)[-1]], 0.0)
    return found


def bins_of(counts: Floats, wanted: int) -> Int64s:
    """The bin of each value: int64[n], from 0 on; about `wanted` bins of neighbouring values, or one for each value.

    A value that holds its share of all counts has a bin of its own; the others are joined, neighbour by neighbour, to
    bins of about equal counts. Where the others hold nothing, those between two such values are one bin.
    """
    if counts.size <= wanted:
        return np.arange(counts.size)
    is_large = counts >= counts.sum() / wanted
    target = counts[~is_large].sum() / max(1, wanted - int(is_large.sum())) or np.inf
    bins = np.zeros(counts.size, dtype=np.int64)
    current, held = -1, np.inf
    for value, count in enumerate(counts):
        if is_large[value] or held + count / 2 >= target:
            current, held = current + 1, np.inf if is_large[value] else count
        else:
            held += count
        bins[value] = current
    return bins


def public_total(fields: Sequence[NoisyField], counted: Counted) -> float:
    """The number of records as noisy counts tell it, and at least 1."""
    return max(1.0, record_total(fields, counted))


def finest_bins(fields: Sequence[NoisyField], total: float) -> tuple[tuple[Int64s, ...], list[Floats]]:
    """Of each field: the finest bin of each value, and the expected records in each of these bins.

    They follow from the field's own histogram, so that a table can be chosen before any was counted.
    """
    expected = [expected_counts(field.noisy_counts.astype(np.float64), field.variance, total) for field in fields]
    bins = tuple(bins_of(counts, MOST_BINS) for counts in expected)
    return bins, [summed(one, counts) for one, counts in zip(bins, expected, strict=True)]
