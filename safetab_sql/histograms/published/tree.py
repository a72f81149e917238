"""Synthetic rows along a tree of pairs of fields, after the noise: fields, rows, and the tables of pairs.

Sees noisy counts alone: all of it is post-processing. Which tables of pairs a budget can pay for, what noisy ones say,
and the chances to draw rows stand last. Source: histograms.md sections 7.2 to 7.5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, log, sqrt

import numpy as np

from safetab_sql.accounting.loss import loss_of, said_loss
from safetab_sql.histograms.public.domains import Domain, size
from safetab_sql.histograms.public.tree_plan import BinnedPair, Comparison, Pair, TreePlan
from safetab_sql.histograms.published.sampling import Generator, generator
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.text_tables import aligned, exact_text
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.settings.budgets import UNITS

# What noisy histograms of single fields say of them: smooth counts that are not negative, and bins of equal weight.
# Sees noisy counts alone: all of it is post-processing. Source: histograms.md section 7.2.

MOST_BINS = 64  # of one field in the table of a pair
_STRETCH = 256  # values that are smoothed together
_CHANGE = 0.7  # a change between two neighbouring values is as likely as n^-0.7, of n values


@dataclass(frozen=True, slots=True, eq=False)
class NoisyField:
    """The histogram of one field after noise: int64[values], and the law of the noise in each count."""

    noisy_counts: Int64s
    law: Law

    @property
    def variance(self) -> float:
        """Of the noise in each count, records squared."""
        return float(variance(self.law))


def record_total(fields: Sequence[NoisyField], counted: Sequence[tuple[int, Law]] = ()) -> float:
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

    Every division of the values into stretches of equal counts is possible; each change costs a factor n^-0.7, and
    heights are normal with the variance of the counts. The mean over all divisions, weighed by how well each explains
    the counts, is exact: sums over stretches run forwards and backwards as in a hidden Markov model. Longer lists of
    values are smoothed in parts.
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
    evidence = 0.5 * (ratio * sums**2 / variance - np.log1p(length * height / variance)) - _CHANGE * np.log(n)
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
    bins of about equal counts.
    """
    if counts.size <= wanted:
        return np.arange(counts.size)
    is_large = counts >= counts.sum() / wanted
    target = counts[~is_large].sum() / max(1, wanted - int(is_large.sum()))
    bins = np.zeros(counts.size, dtype=np.int64)
    current, held = -1, np.inf
    for value, count in enumerate(counts):
        if is_large[value] or held + count / 2 >= target:
            current, held = current + 1, np.inf if is_large[value] else count
        else:
            held += count
        bins[value] = current
    return bins


# Rows drawn along a tree of pairs of fields: each field by the bin that its neighbour in the tree has in the row.
# Sees noisy counts alone. Values are not drawn one by one: where a row stands decides, so that every count is as near
# to its expectation as whole rows can be. Source: histograms.md section 7.5.

_BLOCK = 2**20  # rows that are drawn together
_GOLDEN = (np.sqrt(5.0) - 1) / 2  # its multiples are spread most evenly between whole numbers


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A field that is drawn given another one. parent: its place, drawn before; None for the first field of a tree.

    parent_bins: the bin of each value of the parent. chances: for each of these bins, weights of the values of the
    field, at least 0 and not all 0: float64[bins, values].
    """

    field: int
    parent: int | None
    parent_bins: Int64s
    chances: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Edge(BinnedPair):
    """The table of a pair as it is estimated: float64[bins, bins]. bins: the bin of each value of either field."""

    counts: Floats

    def seen_from(self, field: int) -> tuple[Int64s, int, Int64s, Floats]:
        """The bins of `field`, the other field and its bins, and the table with a row for each bin of `field`."""
        side = self.pair.index(field)
        counts = self.counts if side == 0 else self.counts.T
        return self.bins[side], self.pair[1 - side], self.bins[1 - side], counts


def branches(fields: Sequence[Floats], edges: Sequence[Edge]) -> list[Branch]:
    """All fields, every one after its parent. fields: expected records of each value, not all 0; edges: no circle."""
    found: list[Branch] = []
    drawn: set[int] = set()
    for root in range(len(fields)):
        waiting: list[Branch] = []
        if root not in drawn:
            waiting = [Branch(root, None, np.zeros(1, dtype=np.int64), fields[root][None, :])]
        while waiting:
            branch = waiting.pop(0)
            found.append(branch)
            drawn.add(branch.field)
            for edge in [edge for edge in edges if branch.field in edge.pair]:
                bins, other, other_bins, counts = edge.seen_from(branch.field)
                if other not in drawn:
                    chances = _chances(fields[other], other_bins, counts)
                    waiting.append(Branch(other, branch.field, bins, chances))
    return found


def drawn_codes(tree: Sequence[Branch], rows: int, *, seed: int) -> Iterator[list[Int64s]]:
    """The codes of all fields, in the order of their places, block by block of rows; at least one block."""
    for block, first in enumerate(range(0, max(1, rows), _BLOCK)):
        yield _block(tree, min(_BLOCK, rows - first), generator(seed, block))


def _block(tree: Sequence[Branch], rows: int, generator: Generator) -> list[Int64s]:
    """Codes of one block: rows are kept sorted by the fields drawn last, so neighbours are alike in many fields."""
    codes = [np.zeros(rows, dtype=np.int64) for _ in tree]
    order = np.arange(rows)
    for branch in tree:
        group = np.zeros(rows, dtype=np.int64)
        if branch.parent is not None:
            group = branch.parent_bins[codes[branch.parent]]
        order = _sorted(order, group)
        ends = np.searchsorted(group[order], np.arange(len(branch.chances)), side="right")
        for bin_, (first, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            codes[branch.field][order[first:end]] = _spread(branch.chances[bin_], end - first, generator)
        order = _sorted(order, codes[branch.field])
    shuffled = generator.permutation(rows)
    return [column[shuffled] for column in codes]


def _sorted(order: Int64s, keys: Int64s) -> Int64s:
    """`order`, sorted by the keys of its rows; rows with equal keys keep their order."""
    is_narrow = keys.size == 0 or keys.max() < 2**16  # such keys are sorted by radix, ten times as fast
    return order[np.argsort(keys[order].astype(np.uint16 if is_narrow else np.int64), kind="stable")]


def _spread(chances: Floats, rows: int, generator: Generator) -> Int64s:
    """A code for each of `rows` rows that stand next to one another: int64[rows].

    Row k gets the code in which the fraction of (start + k times the golden ratio) falls. So any stretch of rows holds
    nearly as many of each code as it should, and not only all rows together; the start is random.
    """
    ends = np.cumsum(chances)
    points = (generator.random() + _GOLDEN * np.arange(rows)) % 1.0
    codes = np.searchsorted(ends, points * ends[-1], side="right")
    last = np.flatnonzero(chances)[-1]
    drawn: Int64s = np.minimum(codes, last).astype(np.int64)
    return drawn


def _chances(field: Floats, bins: Int64s, counts: Floats) -> Floats:
    """Weights of a field's values for each bin of its parent: bins by the table, values within a bin by the field.

    A bin of the parent of which the table holds nothing has the field's own weights; so has a bin of values that the
    field holds nothing of, each value alike.
    """
    held, values = np.bincount(bins, field), np.bincount(bins)
    within = np.where(held[bins] > 0, field / np.where(held > 0, held, 1.0)[bins], 1 / values[bins])
    by_bin = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, held)
    return by_bin[:, bins] * within


_STEPS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, MOST_BINS)  # about how many bins of a field a table may have
_NOISES = (0.1, 0.3, 1.0)  # the sum of the noise in a table, as a part of all records: one table for each
_NAMED_NOISE = (0.3,)  # likewise where the spec names the pairs
_MEAN_NOISE = 0.8  # mean absolute noise in standard deviations; sqrt(2 / pi) of a normal law
_COST = 0.3  # of the noise in a table, set against what the table tells
_SWEEPS = 60

Counted = Sequence[tuple[int, Law]]  # the noisy number of records with the law of its noise, if it was asked for


@dataclass(frozen=True, slots=True, eq=False)
class NoisyPair(NoisyField):
    """The table of a pair after noise: int64[bins, bins]."""

    table: BinnedPair


@dataclass(frozen=True, slots=True, eq=False)
class NoisyTree:
    """All that was drawn: the histogram of each field, the number of records if it was, and the tables of pairs.

    bins: of each field, the finest bin of each value: see `finest_bins`.
    """

    fields: tuple[NoisyField, ...]
    counted: tuple[tuple[int, Law], ...]
    bins: tuple[Int64s, ...]
    pairs: tuple[NoisyPair, ...]


def possible_tables(finest: Sequence[Floats], deviation: float, named: Sequence[Pair] = ()) -> list[Comparison]:
    """The tables among which pairs are chosen; or one table for each pair that the spec names.

    finest: expected records in the finest bins of each field. deviation: standard deviation of the noise in a cell. A
    pair has one table for each amount of noise that it might bear: as many bins as keep its noise below it. cost: 0.3
    of the sum of its expected noise, in records.
    """
    total = float(finest[0].sum())
    binnings = [list(_binnings(counts)) for counts in finest]
    tables: list[Comparison] = []
    for pair in named or combinations(range(len(finest)), 2):
        one, other = (binnings[field] for field in pair)
        shapes: dict[tuple[int, int], None] = {}
        for noise in _NAMED_NOISE if named else _NOISES:
            most = max(4.0, noise * total / (_MEAN_NOISE * deviation))
            shapes |= dict.fromkeys(_largest_shape(one, other, most) if one and other else ())
        for first, second in shapes:
            (bins, counts), (other_bins, other_counts) = one[first], other[second]
            cost = int(_COST * _MEAN_NOISE * deviation * counts.size * other_counts.size)
            tables.append(Comparison(BinnedPair(pair, (bins, other_bins)), (counts, other_counts), cost))
    return tables


def consistent_fields(
    fields: Sequence[NoisyField], finest: Sequence[Int64s], pairs: Sequence[NoisyPair]
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
        for pair in [pair for pair in pairs if place in pair.table.pair]:
            side = pair.table.pair.index(place)
            sums = pair.noisy_counts.sum(axis=1 - side)
            joined = np.eye(sums.size)[pair.table.bins[side]].T  # one row per bin of the table
            weight = 1 / (pair.variance * pair.noisy_counts.shape[1 - side])
            precision = precision + weight * joined.T @ joined
            told = told + weight * joined.T @ sums
        gained = np.linalg.solve(precision, told) - own
        found.append(field.noisy_counts + (gained / values)[bins])
    return found


def consistent_table(pair: NoisyPair, finest: tuple[Floats, Floats]) -> Floats:
    """The counts of a pair's table: at least 0, with the sums that its fields have: float64[bins, bins].

    finest: expected records in the finest bins of the two fields. The noisy table is moved to these sums by least
    squares; what it then says beyond independent fields is shrunk as James and Stein do, so that a table of noise
    becomes the table of independent fields; then the nearest table without negative counts is found.
    """
    rows, columns = (summed(bins, counts) for bins, counts in zip(pair.table.bins, finest, strict=True))
    independent = np.outer(rows, columns) / rows.sum()
    beyond = _with_sums(pair.noisy_counts.astype(np.float64), rows, columns) - independent
    freedom = (rows.size - 1) * (columns.size - 1)
    squares = float((beyond**2).sum())
    kept = max(0.0, 1 - max(0, freedom - 2) * pair.variance / squares) if squares else 0.0
    return _nearest_table(independent + kept * beyond, rows, columns)


def _nearest_table(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """A table without negative counts and with these sums, near `table`: Dykstra's projections, then raking."""
    correction = np.zeros_like(table)
    for _ in range(_SWEEPS):
        positive = np.maximum(table + correction, 0.0)
        correction = table + correction - positive
        table = _with_sums(positive, rows, columns)
    table = np.maximum(table, 0.0)
    for _ in range(_SWEEPS):
        table = table * _ratio(rows, table.sum(axis=1))[:, None]
        table = table * _ratio(columns, table.sum(axis=0))[None, :]
    return table


def _with_sums(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """The table nearest to `table` by least squares among those with these sums, which have one total."""
    table = table + ((rows - table.sum(axis=1)) / columns.size)[:, None]
    moved: Floats = table + ((columns - table.sum(axis=0)) / rows.size)[None, :]
    return moved


def _ratio(wanted: Floats, found: Floats) -> Floats:
    return wanted * (found > 0) / np.where(found > 0, found, 1.0)


def _binnings(finest: Floats) -> Iterator[tuple[Int64s, Floats]]:
    """Ever more bins of a field: the bin of each finest bin, and the records in each; at least two bins."""
    most = 1
    for step in _STEPS:
        bins = bins_of(finest, step)
        if (number := int(bins[-1]) + 1) > most:
            most = number
            yield bins, summed(bins, finest)


def _largest_shape(
    one: Sequence[tuple[Int64s, Floats]], other: Sequence[tuple[Int64s, Floats]], most: float
) -> Iterator[tuple[int, int]]:
    """Places in two lists of binnings with at most `most` cells, if any has; the side with fewer bins grows first."""
    sizes = [[counts.size for _, counts in binnings] for binnings in (one, other)]
    at = [0, 0]
    if sizes[0][0] * sizes[1][0] > most:
        return
    while True:
        for side in sorted((0, 1), key=lambda side: sizes[side][at[side]]):
            if at[side] + 1 < len(sizes[side]) and sizes[side][at[side] + 1] * sizes[1 - side][at[1 - side]] <= most:
                at[side] += 1
                break
        else:
            yield at[0], at[1]
            return


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


def estimated_tree(noisy: NoisyTree) -> tuple[list[Branch], int]:
    """The chances of the values of all fields, every field after its parent, and the number of records."""
    total = public_total(noisy.fields, noisy.counted)
    combined = consistent_fields(noisy.fields, noisy.bins, noisy.pairs)
    fields = [
        expected_counts(counts, field.variance, total) for counts, field in zip(combined, noisy.fields, strict=True)
    ]
    finest = [summed(one, counts) for one, counts in zip(noisy.bins, fields, strict=True)]
    edges = []
    for pair in noisy.pairs:
        one, other = pair.table.pair
        table_bins = (pair.table.bins[0][noisy.bins[one]], pair.table.bins[1][noisy.bins[other]])
        edges.append(Edge(pair.table.pair, table_bins, consistent_table(pair, (finest[one], finest[other]))))
    return branches(fields, edges), max(0, round(record_total(noisy.fields, noisy.counted)))


def tree_plan_text(plan: TreePlan, domains: Sequence[Domain]) -> str:
    """The plan as a text table of the fields, sentences about the pairs, and whose loss the budget is."""
    unit = UNITS[plan.budget.definition]
    rows = [("field", "values", unit, "MOE95 of a count", "rows misplaced")]
    for domain, part in zip(domains, plan.fields, strict=True):
        law = plan.budget.law(part)
        wrong = min(1.0, _misplaced(law, size(domain), plan.rows))
        rows.append(
            (domain.name, f"{size(domain):,}", f"{float(part):.4g}", f"± {margin_of_error(law):,}", f"≤ {wrong:.1%}")
        )
    head = f"{plan.rows:,} rows, {unit} {exact_text(plan.budget.amount)}"
    budget = plan.budget
    loss = said_loss(budget.unit, loss_of(budget.unit, budget.definition, budget.amount))
    return "\n".join([head, aligned(rows), *_pairs(plan, len(domains), unit), loss])


def _pairs(plan: TreePlan, fields: int, unit: str) -> list[str]:
    """What the pairs cost, and how well they are chosen."""
    if not plan.most_pairs:
        return [
            "No pair of fields gets a table: the budget is too small for so few rows. All of it goes to the fields, "
            "which are drawn independently."
        ]
    law = plan.budget.law(plan.tables / plan.most_pairs)
    cells = plan.rows / (_MEAN_NOISE * sqrt(variance(law)))
    lines = [
        f"Pairs of fields: at most {plan.most_pairs}, which share {unit} {float(plan.tables):.4g}. A count in such "
        f"a table is within ± {margin_of_error(law):,}, so a table has at most about {max(4, int(cells)):,} cells."
    ]
    if plan.choice:
        missed = 2 * log(comb(fields, 2)) / float(plan.choice_epsilon)
        lines.append(
            f"They are chosen with {unit} {float(plan.choice * plan.most_pairs):.4g}: a chosen pair tells of at most "
            f"about {missed / plan.rows:.1%} of the rows less than the best one."
        )
    return lines


def _misplaced(law: Law, values: int, rows: int) -> float:
    """The part of the rows that noise puts on a wrong value, before counts are smoothed."""
    return values * _MEAN_NOISE * sqrt(variance(law)) / (2 * rows)
