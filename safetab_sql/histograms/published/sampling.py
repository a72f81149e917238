"""Synthetic rows: drawn from noisy histograms, and the files of these rows, histograms and tables.

This is the only module outside the simulation that holds a fast generator with a seed. Its draws do not change the
privacy loss, because it sees only noisy counts of the data: post-processing. Along a tree, each field is drawn given up
to two others, by the bins that they have in the row; where a row stands decides, so that every count is as near to its
expectation as whole rows can be. Source: histograms.md sections 4.4 and 7.6.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from math import comb, floor
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from safetab_sql.histograms.public.domains import Domain, codes_of_cells, decoded, integers, values_of_cells
from safetab_sql.histograms.published.tree import Estimate, Estimates, NoisyField, NoisyTree
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.laws.noise import Law, margin_of_error, variance
from safetab_sql.published.file_notes import described_counts
from safetab_sql.published.margins import margins_above

Generator = np.random.Generator

_LISTED = 100_000  # up to so many sets are listed to choose from; among more, two draws are hardly ever equal
_BLOCK = 2**20  # rows that are drawn together
_GOLDEN = (np.sqrt(5.0) - 1) / 2  # its multiples are spread most evenly between whole numbers


def generator(seed: int, *stream: int) -> Generator:
    """A separate generator for each `seed` and `stream`, both >= 0; equal arguments give equal draws."""
    return np.random.default_rng([seed, *stream])


def sampled_cells(cell_ids: Int64s, noisy_counts: Int64s, bins: int, rows: int, generator: Generator) -> Int64s:
    """A cell for each of `rows` rows, drawn independently with chances in proportion to noisy counts: int64[rows].

    cell_ids, noisy_counts: int64[n] both, the cells that the cut kept, with counts >= 1; every other of the `bins`
    cells has chance 0. If the cut kept no cell, all cells have equal chances. Draws are of whole numbers, so the
    chances are exact. Source: histograms.md section 4.4.
    """
    if not cell_ids.size:
        return generator.integers(bins, size=rows)
    ends = np.cumsum(noisy_counts)
    return cell_ids[np.searchsorted(ends, generator.integers(ends[-1], size=rows), side="right")]


def default_rows(noisy_totals: Sequence[int]) -> int:
    """Number of rows to sample: the median of the groups' noisy totals, with halves rounded up, and at least 0."""
    return max(0, floor(median(map(Fraction, noisy_totals)) + Fraction(1, 2)))


def random_sets(items: int, size: int, sets: int, generator: Generator) -> list[tuple[int, ...]]:
    """`sets` distinct sets of `size` of the numbers 0 to items - 1, drawn uniformly; all sets if no more exist.

    Each set is sorted, and so is the list. size: 1 to items.
    """
    if comb(items, size) <= max(_LISTED, sets):
        every = list(combinations(range(items), size))
        chosen = generator.choice(len(every), min(sets, len(every)), replace=False)
        return [every[place] for place in np.sort(chosen)]
    found: set[tuple[int, ...]] = set()
    while len(found) < sets:
        found.add(tuple(sorted(generator.choice(items, size, replace=False).tolist())))
    return sorted(found)


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A field that is drawn given up to two others, its parents.

    parents: their places, drawn before; none for the first field of a tree. parent_bins: of each parent, the bin of
    each of its values. weights: for each bin of the first parent, of the values of the field, at least 0 and not all 0:
    float64[bins, values]; one row without a parent. factors: of these weights, by bin of the first parent, of the
    second one and of the field; ones without a second parent: float64[bins, bins, bins]. field_bins: of each value.
    """

    field: int
    parents: tuple[int, ...]
    parent_bins: tuple[Int64s, ...]
    weights: Floats
    factors: Floats
    field_bins: Int64s

    def groups(self, codes: Sequence[Int64s]) -> Int64s:
        """The number of the parents' bins in each row, of which each has chances of its own: int64[rows]."""
        group = np.zeros(codes[self.field].size, dtype=np.int64)
        for parent, bins, number in zip(self.parents, self.parent_bins, self.factors.shape, strict=False):
            group = group * number + bins[codes[parent]]
        return group

    def chances(self) -> Iterator[Floats]:
        """Weights of the values in each group: float64[values]. Where the triple holds nothing, one parent decides."""
        for weights, factors in zip(self.weights, self.factors, strict=True):
            for factor in factors:
                found = weights * factor[self.field_bins]
                yield found if found.any() else weights


def branches(known: Estimates) -> list[Branch]:
    """All fields, every one after its parents. Wherever a triple ends in two drawn fields, it gives the third one."""
    found: list[Branch] = []
    drawn: set[int] = set()
    pairs: set[frozenset[int]] = set()  # both fields were drawn by a table that holds them
    while len(found) < len(known.fields):
        branch = _next_branch(known, drawn, pairs)
        found.append(branch)
        drawn.add(branch.field)
        fields = {branch.field, *branch.parents}
        pairs |= {frozenset((one, other)) for one in fields for other in fields - {one}}
    return found


def drawn_codes(tree: Sequence[Branch], rows: int, *, seed: int) -> Iterator[list[Int64s]]:
    """The codes of all fields, in the order of their places, block by block of rows; at least one block.

    While a block is drawn, its rows are sorted by the fields drawn last, so neighbours are alike in many fields.
    """
    for block, start in enumerate(range(0, max(1, rows), _BLOCK)):
        drawing, order = generator(seed, block), np.arange(min(_BLOCK, rows - start))
        codes = [np.zeros(order.size, dtype=np.int64) for _ in tree]
        for branch in tree:
            group = branch.groups(codes)
            order = _sorted(order, group)
            ends = np.cumsum(np.bincount(group, minlength=branch.factors.shape[0] * branch.factors.shape[1]))
            for chances, first, end in zip(branch.chances(), [0, *ends[:-1]], ends, strict=True):
                codes[branch.field][order[first:end]] = _spread(chances, end - first, drawing)
            order = _sorted(order, codes[branch.field])
        shuffled = drawing.permutation(order.size)
        yield [column[shuffled] for column in codes]


def _next_branch(known: Estimates, drawn: set[int], pairs: set[frozenset[int]]) -> Branch:
    """A field that a triple, or else a pair, joins to drawn ones; or the first field of another tree."""
    for triple in known.triples:
        left = set(triple.table.fields) - drawn
        if len(left) == 1 and frozenset(triple.table.fields) - left in pairs:
            return _of_triple(known, triple, *left)
    for pair in known.tree:
        if len(left := set(pair) - drawn) == 1:
            (field,) = left
            parent = pair[1 - pair.index(field)]
            bins, weights = _weights(known, parent, field)
            return _plain(field, (parent,), (bins[known.bins[parent]],), weights)
    first = next(field for field in range(len(known.fields)) if field not in drawn)
    return _plain(first, (), (), known.fields[first][None, :])


def _plain(field: int, parents: tuple[int, ...], bins: tuple[Int64s, ...], weights: Floats) -> Branch:
    """A field that is drawn given one other, or none."""
    return Branch(field, parents, bins, weights, np.ones((len(weights), 1, 1)), np.zeros(weights.shape[1], np.int64))


def _of_triple(known: Estimates, triple: Estimate, field: int) -> Branch:
    """The field of a triple whose two others were drawn.

    By Bayes' rule: weights given the first parent, by their table, whose bins are finer, times the chance of the second
    parent's bin given the two, by the triple.
    """
    others = [other for other in triple.table.fields if other != field]
    first, second = sorted(others, key=lambda other: tuple(sorted((other, field))) not in known.tree)
    bins = dict(zip(triple.table.fields, triple.table.bins, strict=True))
    counts = triple.counts.transpose([triple.table.fields.index(one) for one in (first, second, field)])
    pairs = counts.sum(axis=1, keepdims=True)
    alone = counts.sum(axis=2, keepdims=True) / np.maximum(counts.sum(axis=(1, 2), keepdims=True), 1e-300)
    factors = np.where(pairs > 0, counts / np.where(pairs > 0, pairs, 1.0), alone)
    fine, weights = _weights(known, first, field)
    both, joint = np.unique(np.stack([fine, bins[first]]), axis=1, return_inverse=True)
    parent_bins = (joint[known.bins[first]], bins[second][known.bins[second]])
    return Branch(
        field, (first, second), parent_bins, weights[both[0]], factors[both[1]], bins[field][known.bins[field]]
    )


def _weights(known: Estimates, given: int, field: int) -> tuple[Int64s, Floats]:
    """The bins of the field `given` in the table of two fields, and weights of the other's values for each of them.

    Bins by the table, values within a bin by the field. A bin of the parent of which the table holds nothing has the
    field's own weights; so has a bin of values that the field holds nothing of, each value alike.
    """
    table, counts = known.pairs[given, field].table, known.pairs[given, field].counts
    given_bins, finest = table.bins
    bins, alone = finest[known.bins[field]], known.fields[field]
    held, values = np.bincount(bins, alone), np.bincount(bins)
    within = np.where(held[bins] > 0, alone / np.where(held > 0, held, 1.0)[bins], 1 / values[bins])
    by_bin = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, held)
    return given_bins, by_bin[:, bins] * within


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


# Files: of rows, and of the histograms and tables they are drawn from.

_SIGNS = r'[",\r\n]'  # with one of these, text has to stand in quotation marks
_ROWS = "Synthetic rows, drawn from noisy counts. No row is a record, and no margin covers counts of rows."
Columns = dict[str, pa.Array]

_ROWS_OF_GROUPS = 2**18  # rows at a time: bounds memory; a row group of the file


@dataclass(frozen=True, slots=True, eq=False)
class NoisyHistogram:
    """The cells of one group's histogram that the cut kept: sorted ids, and counts >= 1; int64[n] both.

    bins: of the whole histogram. law: of the noise in each count, before the cut. least_kept: by the cut.
    """

    domains: tuple[Domain, ...]
    bins: int
    law: Law
    least_kept: int
    cell_ids: Int64s
    noisy_counts: Int64s


def synthetic_schema(domains: Sequence[Domain], stored: Mapping[str, pa.DataType], where: str) -> pa.Schema:
    """The columns of the domains in their order, with their stored types in the input, or else types of their values.

    Raises: InputError with every domain with values that the type cannot hold.
    """
    fields, problems = [], []
    for domain in domains:
        for column, values in _extremes(domain).items():
            kind = stored.get(column, values.type)
            plain = kind.value_type if pa.types.is_dictionary(kind) else kind
            fields.append(pa.field(column, plain))
            try:
                values.cast(plain)
            except pa.ArrowException:
                what = f"holds values that the stored type of {column}, {kind}, cannot hold"
                problems.append(Problem(f"{where} [domains.{domain.name}]", what, "name values as they are stored"))
    refuse(problems)
    return pa.schema(fields)


CountFile = tuple[str, pa.Table]  # what its rows are, and the rows


def kept_bins(histogram: NoisyHistogram) -> CountFile:
    """The cells of a group that the cut kept. MOE95 holds given that it kept them; VARIANCE is of all the noise."""
    names, counts, law = ", ".join(domain.name for domain in histogram.domains), histogram.noisy_counts, histogram.law
    columns = values_of_cells(histogram.cell_ids, histogram.domains)
    table = _table(columns, counts, law, margins_above(law, histogram.least_kept - 1, counts))
    return f"Bins of {names} that the cut kept. One row per bin.", table


def field_counts(domain: Domain, field: NoisyField) -> CountFile:
    """The noisy histogram of a field: one row per value, zeros included."""
    values = decoded(domain, np.arange(field.noisy_counts.size))
    return f"Histogram of {domain.name}. One row per value.", _table(values, field.noisy_counts, field.law)


def tree_counts(domains: Sequence[Domain], noisy: NoisyTree) -> Iterator[CountFile]:
    """The noisy tables of pairs and of triples: one row per cell, of bins from FIELD_FIRST to FIELD_LAST, as text."""
    for one in noisy.tables:
        columns: Columns = {}
        codes = np.indices(one.table.shape).reshape(len(one.table.shape), -1)
        for place, bins, of_cells in zip(one.table.fields, one.table.bins, codes, strict=True):
            columns |= _bin_ends(domains[place], bins[noisy.bins[place]], of_cells)
        names = " and ".join(domains[place].name for place in one.table.fields)
        table = _table(columns, one.noisy_counts.ravel(), one.law)
        yield f"Table of {names}. One row per combination of bins.", table


def _table(columns: Columns, counts: Int64s, law: Law, margins: Floats | None = None) -> pa.Table:
    """The rows of a file. COUNT: records, noisy. VARIANCE (records squared) is of the noise, MOE95 its margin."""
    every = {"VARIANCE": variance(law), "MOE95": margin_of_error(law)}
    said = {name: np.full(counts.size, float(value)) for name, value in every.items()}
    return pa.table({**columns, "COUNT": counts, **said, **({} if margins is None else {"MOE95": margins})})


def _bin_ends(domain: Domain, bins: Int64s, codes: Int64s) -> Columns:
    """The first and the last value of the bin of each cell, as text."""
    ends = {"FIRST": np.searchsorted(bins, codes), "LAST": np.searchsorted(bins, codes, side="right") - 1}
    return {
        f"{column}_{end}": values.cast(pa.string())
        for end, at in ends.items()
        for column, values in decoded(domain, at).items()
    }


def write_counts(folder: Path, files: Iterable[CountFile], notes: Mapping[str, str]) -> None:
    """Write `folder`/1.parquet and so on. notes: what each file says of itself."""
    folder.mkdir()
    for number, (rows, table) in enumerate(files, start=1):
        path = folder / f"{number}.parquet"
        with pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False) as writer:
            writer.write_table(table)
            writer.add_key_value_metadata(described_counts(notes, rows))


def write_rows(path: Path, blocks: Iterable[Columns], schema: pa.Schema, notes: Mapping[str, str]) -> None:
    """Write synthetic rows to a Parquet or CSV file. notes: what a Parquet file says of itself."""
    tables = (pa.table([block[field.name].cast(field.type) for field in schema], schema=schema) for block in blocks)
    if path.suffix == ".csv":
        _write_text(path, tables, schema)
        return
    # Without the Arrow schema, dictionary-encoded text reads back as plain text.
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1, store_schema=False) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=max(1, table.num_rows))
        writer.add_key_value_metadata({**notes, "description": _ROWS})


def _write_text(path: Path, tables: Iterable[pa.Table], schema: pa.Schema) -> None:
    """Comma-separated text. Text stands in quotation marks only in blocks of rows of which some text needs them."""
    with path.open("wb") as stream:
        for table in chain([pa.table({name: [name] for name in schema.names})], tables):
            texts = [column for column in table.columns if pa.types.is_string(column.type)]
            is_needed = any(pc.any(pc.match_substring_regex(column, _SIGNS)).as_py() for column in texts)
            quoting = "needed" if is_needed else "none"
            csv.write_csv(table, stream, csv.WriteOptions(include_header=False, quoting_style=quoting))


def rows_along_tree(domains: Sequence[Domain], tree: Sequence[Branch], rows: int, *, seed: int) -> Iterator[Columns]:
    """`rows` rows, block by block, at least one; the same for a seed. Source: histograms.md section 7.6."""
    for block, drawn in enumerate(drawn_codes(tree, rows, seed=seed)):
        columns: Columns = {}
        for place, (domain, codes) in enumerate(zip(domains, drawn, strict=True)):
            columns |= _columns(domain, codes, generator(seed, block, place))
        yield columns


def rows_of_groups(histograms: Sequence[NoisyHistogram], rows: int, *, seed: int) -> Iterator[Columns]:
    """`rows` rows, block by block, at least one; each group's values are drawn independently of all others.

    The same histograms and seed give the same rows. Source: histograms.md section 4.4.
    """
    for block, start in enumerate(range(0, max(1, rows), _ROWS_OF_GROUPS)):
        columns: Columns = {}
        for place, histogram in enumerate(histograms):
            drawing, here = generator(seed, block, place), min(_ROWS_OF_GROUPS, rows - start)
            cells = sampled_cells(histogram.cell_ids, histogram.noisy_counts, histogram.bins, here, drawing)
            for domain, codes in zip(histogram.domains, codes_of_cells(cells, histogram.domains), strict=True):
                columns |= _columns(domain, codes, drawing)
        yield columns


def _columns(domain: Domain, codes: Int64s, generator: Generator) -> Columns:
    """The value of each code; for a bin of integers, one of its integers, drawn uniformly."""
    if not domain.bins:
        return decoded(domain, codes)
    lows, highs = (np.array(ends) for ends in zip(*domain.bins, strict=True))
    of_bin = np.minimum(codes, len(domain.bins) - 1)
    values = generator.integers(lows[of_bin], highs[of_bin], endpoint=True)
    return {domain.columns[0]: integers(domain, values, codes)}


def _extremes(domain: Domain) -> Columns:
    """Values by column that a type can hold only if it can hold the whole domain; for integers, the two ends."""
    if domain.values:
        return decoded(domain, np.arange(domain.size))
    if domain.bins:
        ends = [domain.bins[0][0], domain.bins[-1][1], *(domain.other or ())]
        return {domain.columns[0]: pa.array(ends, pa.int64())}
    return decoded(domain, np.unique([0, domain.listed_size - 1, domain.size - 1]))
