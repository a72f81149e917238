"""The files of a release along a tree: its manifest, and the noisy histograms and tables that rows were drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.histograms.public.domains import Domain, decoded
from safetab_sql.histograms.public.synthesis_spec import SynthesisSpec
from safetab_sql.histograms.public.tree_plan import TreePlan
from safetab_sql.histograms.published.manifest_models import FieldFile, PairFile, SynthesizeRun
from safetab_sql.histograms.published.tree_estimates import NoisyTree
from safetab_sql.histograms.published.tree_fields import NoisyField
from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.published.file_notes import described_counts

PRICE = (
    "rows are whole and never negative, which noisy counts are not: sums of many small cells, or the cells themselves, "
    "have errors that no margin states; the counts in histograms/ and pairs/ are unbiased, and have margins"
)
METHOD = "rows drawn along a tree of pairs of fields, from noisy histograms of fields and noisy tables of pairs"
PAIRS = {
    True: "the specification names the pairs",
    False: "pairs were chosen by the exponential mechanism, by how far they are from independent",
}
ESTIMATES = (
    "counts of fields are least squares from all histograms and tables, smoothed, and at least 0; tables are shrunk "
    "towards independent fields and made consistent with the fields: post-processing, which costs nothing"
)
SAMPLING = (
    "fields are drawn given their neighbour in the tree, spread evenly over the rows, by a fast generator with the "
    "seed: post-processing, which costs nothing"
)


def tree_manifest(manifest: SynthesizeRun, spec: SynthesisSpec, plan: TreePlan, noisy: NoisyTree) -> SynthesizeRun:
    """The manifest of rows drawn along a tree, with the file of each field and each pair."""
    return replace(
        manifest,
        method=METHOD,
        noise="two-sided geometric" if spec.budget.definition == "puredp" else "discrete Gaussian",
        sampling=SAMPLING,
        price=PRICE,
        pairs=PAIRS[bool(spec.pairs)],
        estimates=ESTIMATES,
        rows_planned=plan.rows,
        fields=tuple(
            FieldFile(f"histograms/{number}.parquet", domain.name, field.noisy_counts.size)
            for number, (domain, field) in enumerate(zip(spec.domains, noisy.fields, strict=True), start=1)
        ),
        tables=tuple(
            PairFile(
                f"pairs/{number}.parquet",
                tuple(spec.domains[place].name for place in pair.table.pair),
                tuple(pair.table.shape),
            )
            for number, pair in enumerate(noisy.pairs, start=1)
        ),
    )


def write_fields(
    folder: Path, domains: Sequence[Domain], fields: Sequence[NoisyField], notes: Mapping[str, str]
) -> None:
    """Write the noisy histogram of each field: `folder`/1.parquet and so on, one row per value, zeros included."""
    folder.mkdir()
    for number, (domain, field) in enumerate(zip(domains, fields, strict=True), start=1):
        columns = decoded(domain, np.arange(field.noisy_counts.size))
        said = described_counts(notes, f"Histogram of {domain.name}. One row per value.")
        _write(folder / f"{number}.parquet", columns, field.noisy_counts, field.law, said)


def write_pairs(folder: Path, domains: Sequence[Domain], noisy: NoisyTree, notes: Mapping[str, str]) -> None:
    """Write the noisy table of each pair: `folder`/1.parquet and so on, one row per cell.

    A bin is the values from FIELD_FIRST to FIELD_LAST, in the order of the domain; both are text.
    """
    folder.mkdir()
    for number, pair in enumerate(noisy.pairs, start=1):
        columns: dict[str, pa.Array] = {}
        for place, table_bins, codes in zip(
            pair.table.pair, pair.table.bins, np.indices(pair.table.shape).reshape(2, -1), strict=True
        ):
            columns |= _bin_ends(domains[place], table_bins[noisy.bins[place]], codes)
        names = " and ".join(domains[place].name for place in pair.table.pair)
        said = described_counts(notes, f"Table of {names}. One row per pair of bins.")
        _write(folder / f"{number}.parquet", columns, pair.noisy_counts.ravel(), pair.law, said)


def _bin_ends(domain: Domain, bins: Int64s, codes: Int64s) -> dict[str, pa.Array]:
    """The first and the last value of the bin of each cell, as text."""
    ends = {"FIRST": np.searchsorted(bins, codes), "LAST": np.searchsorted(bins, codes, side="right") - 1}
    return {
        f"{column}_{end}": values.cast(pa.string())
        for end, at in ends.items()
        for column, values in decoded(domain, at).items()
    }


def _write(file: Path, columns: dict[str, pa.Array], counts: Int64s, law: Law, said: Mapping[str, str]) -> None:
    """COUNT: records, noisy. VARIANCE (records squared) and MOE95 (records) are of its noise. said: of the file."""
    noise = {
        "COUNT": pa.array(counts),
        "VARIANCE": pa.array(np.full(counts.size, float(variance(law)))),
        "MOE95": pa.array(np.full(counts.size, float(margin_of_error(law)))),
    }
    table = pa.table({**columns, **noise})
    with pq.ParquetWriter(file, table.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(said)
