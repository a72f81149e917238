"""What noisy histograms of fields, and noisy tables of two and of three fields along a tree, say of the records.

Sees noisy counts alone: all is post-processing. Fields have smooth counts that are not negative. A table compares two
fields with independent ones: of all records; in the table of a triple, in each bin of a third field.
Source: histograms.md sections 7.2 to 7.5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

import numpy as np

from safetab_sql.histograms.public.synthesis_spec import BinnedTable, Pair
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.noise import Law, variance

# Of a table: expected records by bin of the field that is given (one, in the table of a pair) and by bin of each of the
# other two: float64[given, bins] each.
Margins = tuple[Floats, Floats]

MOST_BINS = 64  # of one field in the table of a pair
_STRETCH = 256  # values that are smoothed together
_STEPS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, MOST_BINS)  # about how many bins of a field a table may have
_NOISES = (0.1, 0.3, 1.0)  # the sum of the noise in a table, as a part of all records: one table for each
_NOISE_OF_TRIPLES = 0.3  # likewise of a triple
_MEAN_NOISE = 0.8  # mean absolute noise in standard deviations; sqrt(2 / pi) of a normal law
_COST = 0.3  # of the noise in a table, set against what the table tells
_SWEEPS = 60
_MOST_TRIPLES = 3_000  # tables that are counted to choose triples from
_MOST_CELLS = 2**25  # of all these tables together: 256 MiB


@dataclass(frozen=True, slots=True, eq=False)
class NoisyField:
    """The histogram of one field after noise: int64[values], and the law of the noise in each count.

    Or the number of records after noise: of one value.
    """

    noisy_counts: Int64s
    law: Law

    @property
    def variance(self) -> float:
        """Of the noise in each count, records squared."""
        return float(variance(self.law))


def record_total(fields: Sequence[NoisyField]) -> float:
    """The number of records: the mean of all noisy totals, each weighed by the inverse of its variance."""
    totals = np.array([float(field.noisy_counts.sum()) for field in fields])
    weights = 1 / np.array([field.variance * field.noisy_counts.size for field in fields])
    return float(weights @ totals / weights.sum())


def expected_counts(
    fields: Sequence[NoisyField], counted: Sequence[NoisyField], counts: Sequence[Floats]
) -> list[Floats]:
    """The counts of each field, smoothed, at least 0, and together the number of records, which is at least 1."""
    total = max(1.0, record_total((*fields, *counted)))
    return [on_simplex(smoothed(each, field.variance), total) for field, each in zip(fields, counts, strict=True)]


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
    means, squares = np.zeros((2, n + 1, n + 1))  # of each stretch; squares: of its counts less their mean, summed
    for end in range(1, n + 1):  # count by count: differences of sums of squares would lose little noise to rounding
        off = centred[end - 1] - means[:end, end - 1]
        means[:end, end] = means[:end, end - 1] + off / length[:end, end]
        squares[:end, end] = squares[:end, end - 1] + off * (centred[end - 1] - means[:end, end])
    width = variance + length * height
    evidence = -0.5 * (squares / variance + means**2 * length / width + np.log1p(length * height / variance))
    evidence = np.where(is_stretch, evidence, -np.inf)
    forwards, backwards = np.full(n + 1, -np.inf), np.full(n + 1, -np.inf)
    forwards[0] = backwards[n] = 0.0
    for end in range(1, n + 1):
        forwards[end] = np.logaddexp.reduce(forwards[:end] + evidence[:end, end])
    for first in range(n - 1, -1, -1):
        backwards[first] = np.logaddexp.reduce(evidence[first, first + 1 :] + backwards[first + 1 :])
    chance = np.exp(forwards[:, None] + evidence + backwards[None, :] - forwards[n])
    steps = np.where(is_stretch, chance * means * length * height / width, 0.0)
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


def finest_bins(fields: Sequence[NoisyField], counted: Sequence[NoisyField]) -> tuple[tuple[Int64s, ...], list[Floats]]:
    """Of each field: the finest bin of each value, and the expected records in each of these bins.

    They follow from the field's own histogram, so that a table can be chosen before any was counted.
    """
    expected = expected_counts(fields, counted, [field.noisy_counts.astype(np.float64) for field in fields])
    bins = tuple(bins_of(counts, MOST_BINS) for counts in expected)
    return bins, [summed(one, counts) for one, counts in zip(bins, expected, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class NoisyTable(NoisyField):
    """A table after noise: int64 in the shape of the table."""

    table: BinnedTable


@dataclass(frozen=True, slots=True, eq=False)
class NoisyTree:
    """All that was drawn: the histogram of each field, the number of records if it was, and the tables.

    bins: of each field, the finest bin of each value: see `finest_bins`. tables: of pairs, then of triples.
    """

    fields: tuple[NoisyField, ...]
    counted: tuple[NoisyField, ...]
    bins: tuple[Int64s, ...]
    tables: tuple[NoisyTable, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A table as it is estimated. counts: expected records, at least 0, in the shape of the table."""

    table: BinnedTable
    counts: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """What noisy counts say of fields and tables.

    fields: expected records of each value, not all 0. bins: of each field, the finest bin of each value. finest:
    expected records in these bins. tree: the pairs that got a table, which form no circle. pairs: the table of each of
    them, and of any two fields of a triple, by the two in either order. groups: likewise, a number that pairs share
    which triples join.
    """

    fields: tuple[Floats, ...]
    bins: tuple[Int64s, ...]
    finest: tuple[Floats, ...]
    tree: tuple[Pair, ...]
    pairs: dict[Pair, Estimate]
    groups: dict[Pair, int]
    triples: tuple[Estimate, ...] = ()

    def records(self, one: int, other: int, bins: tuple[Int64s, Int64s]) -> Floats:
        """Expected records in each cell of other bins of two fields: float64[bins, bins].

        Within the bins of their own table, the finest bins of the two fields are independent.
        """
        found = self.pairs[one, other]
        counts = found.counts
        for field, had, wanted in zip((one, other), found.table.bins, bins, strict=True):
            held = summed(had, self.finest[field])
            moved = np.zeros((int(wanted[-1]) + 1, held.size))
            np.add.at(moved, (wanted, had), self.finest[field] / np.where(held > 0, held, 1.0)[had])
            counts = (moved @ counts).T
        return counts

    def margins(self, table: BinnedTable) -> Margins:
        """The margins of the table of a triple, by which its last two fields are compared given the first one."""
        given, one, other = table.fields
        first, *bins = table.bins
        return self.records(given, one, (first, bins[0])), self.records(given, other, (first, bins[1]))

    def is_possible(self, table: BinnedTable) -> bool:
        """Whether a triple joins two known pairs that no triples join yet."""
        given, one, other = table.fields
        groups = [self.groups.get((given, field)) for field in (one, other)]
        return None not in groups and groups[0] != groups[1]

    def with_triple(self, noisy: NoisyTable) -> "Estimates":
        """The same with a triple, and the two fields that it compares as a pair."""
        given, one, other = noisy.table.fields
        counts = consistent_table(noisy, self.margins(noisy.table))
        both = Estimate(BinnedTable((one, other), noisy.table.bins[1:]), counts.sum(axis=0))
        kept, joined = (self.groups[given, field] for field in (one, other))
        groups = {old: kept if group == joined else group for old, group in self.groups.items()}
        return replace(
            self,
            pairs={**self.pairs, **_either_way(both)},
            groups={**groups, (one, other): kept, (other, one): kept},
            triples=(*self.triples, Estimate(noisy.table, counts)),
        )


def possible_tables(finest: Sequence[Floats], deviation: float) -> list[BinnedTable]:
    """The tables among which pairs are chosen.

    finest: expected records in the finest bins of each field. deviation: standard deviation of the noise in a cell. A
    pair has one table for each amount of noise that it might bear: as many bins as keep its noise below it.
    """
    binnings, total = [list(_binnings(counts)) for counts in finest], float(finest[0].sum())
    most = [noise * total / (_MEAN_NOISE * deviation) for noise in _NOISES]
    return [table for pair in combinations(range(len(finest)), 2) for table in _tables(pair, binnings, most)]


def margins_of_pair(table: BinnedTable, finest: Sequence[Floats]) -> Margins:
    """The margins of the table of a pair. finest: expected records in the finest bins of each field."""
    one, other = (summed(bins, finest[field])[None] for field, bins in zip(table.fields, table.bins, strict=True))
    return one, other


def independent_counts(rows: Floats, columns: Floats) -> Floats:
    """Records in each cell if two fields with these margins were independent: float64[given, bins, bins]."""
    totals = rows.sum(axis=1)[:, None, None]
    return rows[:, :, None] * columns[:, None, :] / np.where(totals > 0, totals, 1.0)


def compared_counts(table: BinnedTable, margins: Margins) -> Int64s:
    """What the counts of a table are compared with: counts of independent fields, in whole records, in its shape."""
    return np.rint(independent_counts(*margins)).astype(np.int64).reshape(table.shape)


def cost_of(table: BinnedTable, deviation: float) -> int:
    """What noise of this standard deviation in each cell takes from the score of a table: whole records."""
    return int(_COST * _MEAN_NOISE * deviation * table.cells)


def possible_triples(known: Estimates, deviation: float) -> list[BinnedTable]:
    """The tables of three fields from which triples are chosen, each with as many bins as its noise allows.

    Given a field, two others are compared: one that shares a pair of the tree with it, and one that does, or is a
    neighbour's neighbour, so that another triple may connect the two. Triples of the pairs that were chosen first come
    first; so many as may be counted.
    """
    wanted = _triples(known.tree)[:_MOST_TRIPLES]
    binnings, total = [list(_binnings(counts)) for counts in known.finest], float(known.finest[0].sum())
    most = min(_NOISE_OF_TRIPLES * total / (_MEAN_NOISE * deviation), _MOST_CELLS / max(1, len(wanted)))
    return [table for fields in wanted for table in _tables(fields, binnings, [most])]


def _triples(tree: Sequence[Pair]) -> list[tuple[int, int, int]]:
    """A field that is given and two to compare, for every such choice along a tree."""
    place = {pair: number for number, (one, other) in enumerate(tree) for pair in ((one, other), (other, one))}
    near: dict[int, list[int]] = {}
    for one, other in place:
        near.setdefault(one, []).append(other)
    found: dict[tuple[int, int, int], int] = {}
    for given, fields in near.items():
        for one, other in combinations(fields, 2):
            found[given, one, other] = max(place[given, one], place[given, other])
        for field in fields:
            for between in [between for between in fields if between != field]:
                for far in [far for far in near[between] if far != given]:
                    pairs = ((given, field), (given, between), (between, far))
                    found[given, far, field] = max(place[pair] for pair in pairs)
    return sorted(found, key=lambda fields: found[fields])


def _either_way(pair: Estimate) -> dict[Pair, Estimate]:
    """The table of a pair, by its fields in either order."""
    one, other = pair.table.fields
    turned = Estimate(BinnedTable((other, one), pair.table.bins[::-1]), pair.counts.T)
    return {(one, other): pair, (other, one): turned}


def estimated_pairs(noisy: NoisyTree) -> Estimates:
    """What noisy histograms of fields and noisy tables of pairs say, before there are triples."""
    combined = consistent_fields(noisy.fields, noisy.bins, noisy.tables)
    fields = expected_counts(noisy.fields, noisy.counted, combined)
    finest = [summed(one, counts) for one, counts in zip(noisy.bins, fields, strict=True)]
    pairs: dict[Pair, Estimate] = {}
    for pair in noisy.tables:
        pairs |= _either_way(Estimate(pair.table, consistent_table(pair, margins_of_pair(pair.table, finest))))
    groups = {fields: place // 2 for place, fields in enumerate(pairs)}
    return Estimates(tuple(fields), noisy.bins, tuple(finest), tuple(pairs)[::2], pairs, groups)


def consistent_fields(
    fields: Sequence[NoisyField], finest: Sequence[Int64s], tables: Sequence[NoisyTable]
) -> list[Floats]:
    """The counts of each field by least squares from its own histogram and the tables that it is in: float64[values].

    finest: the finest bin of each value of each field. A table tells of sums of finest bins alone, so what a bin gains
    is spread evenly over its values. Weights are inverse variances.
    """
    found = []
    for place, (field, bins) in enumerate(zip(fields, finest, strict=True)):
        values = np.bincount(bins)
        own = np.bincount(bins, field.noisy_counts)
        precision, told = np.diag(1 / (values * field.variance)), own / (values * field.variance)
        for pair in [pair for pair in tables if place in pair.table.fields]:
            side = pair.table.fields.index(place)
            sums = pair.noisy_counts.sum(axis=1 - side)
            joined = np.eye(sums.size)[pair.table.bins[side]].T  # one row per bin of the table
            weight = 1 / (pair.variance * pair.noisy_counts.shape[1 - side])
            precision = precision + weight * joined.T @ joined
            told = told + weight * joined.T @ sums
        gained = np.linalg.solve(precision, told) - own
        found.append(field.noisy_counts + (gained / values)[bins])
    return found


def consistent_table(noisy: NoisyTable, margins: Margins) -> Floats:
    """The counts of a table: at least 0, with the sums of its margins; in the shape of the table.

    The noisy table is moved to these sums by least squares; what it then says beyond independent fields is shrunk as
    James and Stein do, so that a table of noise becomes the table of independent fields; then the nearest table without
    negative counts is found.
    """
    rows, columns = margins
    independent = independent_counts(rows, columns)
    beyond = _with_sums(noisy.noisy_counts.reshape(independent.shape).astype(np.float64), rows, columns) - independent
    freedom = rows.shape[0] * (rows.shape[1] - 1) * (columns.shape[1] - 1)
    squares = float((beyond**2).sum())
    kept = max(0.0, 1 - max(0, freedom - 2) * noisy.variance / squares) if squares else 0.0
    return _nearest_table(independent + kept * beyond, rows, columns).reshape(noisy.table.shape)


def _nearest_table(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """A table without negative counts and with these sums, near `table`: Dykstra's projections, then raking."""
    correction = np.zeros_like(table)
    for _ in range(_SWEEPS):
        positive = np.maximum(table + correction, 0.0)
        correction = table + correction - positive
        table = _with_sums(positive, rows, columns)
    table = np.maximum(table, 0.0)
    for _ in range(_SWEEPS):
        table = table * _ratio(rows, table.sum(axis=2))[:, :, None]
        table = table * _ratio(columns, table.sum(axis=1))[:, None, :]
    return table


def _with_sums(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """The table nearest to `table` by least squares among those with these sums, which have one total."""
    table = table + ((rows - table.sum(axis=2)) / columns.shape[1])[:, :, None]
    moved: Floats = table + ((columns - table.sum(axis=1)) / rows.shape[1])[:, None, :]
    return moved


def _ratio(wanted: Floats, found: Floats) -> Floats:
    return wanted * (found > 0) / np.where(found > 0, found, 1.0)


def _binnings(finest: Floats) -> Iterator[Int64s]:
    """Ever more bins of a field: the bin of each finest bin; at least two bins."""
    last = 0
    for bins in (bins_of(finest, step) for step in _STEPS):
        if bins[-1] > last:
            last = bins[-1]
            yield bins


def _tables(
    fields: tuple[int, ...], binnings: Sequence[Sequence[Int64s]], most: Sequence[float]
) -> Iterator[BinnedTable]:
    """For each of these numbers of cells the largest table of these fields, if it is another one; at least 2 bins."""
    lists = [binnings[field] for field in fields]
    shapes: dict[tuple[int, ...], None] = {}
    for cells in most:
        shapes |= dict.fromkeys(_largest_shape(lists, max(2.0 ** len(fields), cells)) if all(lists) else ())
    for shape in shapes:
        yield BinnedTable(fields, tuple(one[place] for one, place in zip(lists, shape, strict=True)))


def _largest_shape(lists: Sequence[Sequence[Int64s]], most: float) -> Iterator[tuple[int, ...]]:
    """Places in lists of binnings with at most `most` cells, if any has; the side with the fewest bins grows first."""
    sizes = [[int(bins[-1]) + 1 for bins in binnings] for binnings in lists]
    at = [0] * len(lists)
    cells = prod(one[0] for one in sizes)
    if cells > most:
        return
    while True:
        for side in sorted(range(len(lists)), key=lambda side: sizes[side][at[side]]):
            if at[side] + 1 < len(sizes[side]):
                more = cells // sizes[side][at[side]] * sizes[side][at[side] + 1]
                if more <= most:
                    at[side], cells = at[side] + 1, more
                    break
        else:
            yield tuple(at)
            return
