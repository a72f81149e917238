"""The files of synthetic rows, and of the histograms and tables they are drawn from; sees only noisy counts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from safetab_sql.histograms.public.domains import Domain, codes_of_cells, decoded, integers, values_of_cells
from safetab_sql.histograms.published.sampling import Branch, Generator, drawn_codes, generator, sampled_cells
from safetab_sql.histograms.published.tree import NoisyField, NoisyTree
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.laws.noise import Law, margin_of_error, variance
from safetab_sql.published.file_notes import described_counts
from safetab_sql.published.intervals import margins_above

_SIGNS = r'[",\r\n]'  # with one of these, text has to stand in quotation marks
_ROWS = "Synthetic rows, drawn from noisy counts. No row is a record, and no margin covers counts of rows."
Columns = dict[str, pa.Array]

_BLOCK = 2**18  # rows at a time: bounds memory; a row group of the file


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
    for block, start in enumerate(range(0, max(1, rows), _BLOCK)):
        columns: Columns = {}
        for place, histogram in enumerate(histograms):
            drawing, here = generator(seed, block, place), min(_BLOCK, rows - start)
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
