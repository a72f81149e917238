"""Noisy cells added up to margins, and both as Parquet files; this module sees only noisy counts and public domains."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.histograms.public.domains import Domain, codes_of_cells, decoded
from safetab_sql.histograms.public.marginals import Margin, cells_of_rows, row_values, rows_of_cells, rows_of_every_cell
from safetab_sql.histograms.published.calibration import (
    RowNoise,
    SetPart,
    part_variance,
    parts_of_rows,
    row_margin,
)
from safetab_sql.histograms.published.sampling import generator
from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import variance
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.published.file_notes import described_counts
from safetab_sql.published.uncertainty import sum_margin_of_error

Float64s = npt.NDArray[np.float64]
CellStretch = tuple[Int64s, Int64s]  # ids and noisy counts of some cells; all other cells of the stretch are 0

_ROW_GROUP = 2**20


def margin_sums(
    stretches: Iterable[CellStretch], domains: Sequence[Domain], margins: Sequence[Margin]
) -> tuple[Int64s, ...]:
    """The sum of the noisy cells in each row of each margin: one int64[rows] for each margin."""
    sums = tuple(np.zeros(margin.rows, dtype=np.int64) for margin in margins)
    for cell_ids, noisy_counts in stretches:
        codes = codes_of_cells(cell_ids, domains)
        for margin, total in zip(margins, sums, strict=True):
            np.add.at(total, rows_of_cells(margin, codes), noisy_counts)
    return sums


def written_cells(
    path: Path | None,
    stretches: Iterable[CellStretch],
    domains: Sequence[Domain],
    uncertainty: tuple[Float64s, Float64s],
    unit: Fraction,
    notes: Mapping[str, str],
) -> Iterator[CellStretch]:
    """The stretches, unchanged; the cells that are not 0 are also written to `path`, unless that is None.

    uncertainty: variance and MOE95, both float64[cells] by cell id, or float64[1] if all cells have the same. unit:
    what a count of 1 stands for in the file. notes: what the file says of itself.
    """
    if path is None:
        yield from stretches
        return
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for cell_ids, noisy_counts in stretches:
            values: dict[str, pa.Array] = {}
            for domain, codes in zip(domains, codes_of_cells(cell_ids, domains), strict=True):
                values |= decoded(domain, codes)
            variances, moe95s = (of.take(cell_ids, mode="clip") for of in uncertainty)
            table = _published(values, noisy_counts, (variances, moe95s), unit)
            if writer is None:
                writer = stack.enter_context(pq.ParquetWriter(path, table.schema, compression="zstd"))
            writer.write_table(table, row_group_size=_ROW_GROUP)
            yield cell_ids, noisy_counts
        if writer is not None:
            writer.add_key_value_metadata(
                described_counts(notes, "Cells whose noisy count is not 0. One row per cell.")
            )


def write_margin(
    path: Path,
    margin: Margin,
    sums: Int64s,
    uncertainty: tuple[Float64s, Float64s],
    unit: Fraction,
    notes: Mapping[str, str],
) -> None:
    """One row per combination of values, in the order of the domains, each with the variance and MOE95 of its noise.

    unit: what a count of 1 stands for in the file. notes: what the file says of itself.
    """
    values = row_values(margin, np.arange(margin.rows, dtype=np.int64))
    table = _published(values, sums, uncertainty, unit)
    description = f"Margin {margin.name}. One row per combination of {', '.join(margin.columns)}."
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        writer.write_table(table, row_group_size=_ROW_GROUP)
        writer.add_key_value_metadata(described_counts(notes, description))


def cell_uncertainty(law: Law) -> tuple[Float64s, Float64s]:
    """Variance and MOE95 of every cell that is not calibrated: float64[1] both."""
    return np.array([float(variance(law))]), np.array([float(sum_margin_of_error(law, 1))])


def margin_uncertainty(margin: Margin, domains: Sequence[Domain], law: Law) -> tuple[Float64s, Float64s]:
    """Variance and MOE95 of each row of a margin, from the exact law of the sum of its independent noises."""
    cells = cells_of_rows(margin, domains)
    distinct, place = np.unique(cells, return_inverse=True)
    variances = np.array([float(int(number) * variance(law)) for number in distinct])[place]
    margins = np.array([float(sum_margin_of_error(law, int(number))) for number in distinct])[place]
    return variances, margins


def calibrated_uncertainty(
    margin: Margin, domains: Sequence[Domain], law: TwoSidedGeometric, sets: tuple[Int64s, Int64s]
) -> tuple[Float64s, Float64s]:
    """Variance and MOE95 of each row of a margin of calibrated cells; both are 0 if a total fixes the row.

    sets: the set of each cell, -1 for none, and the number of cells of each set. The variance is exact. MOE95 is from
    the exact law of the noise that calibration leaves, or a bound if that law is too large to compute:
    calibration.py.
    """
    free, rows, of_set, ours = parts_of_rows(rows_of_every_cell(margin, domains), margin.rows, sets[0])
    is_open = ours < sets[1][of_set]  # a set that lies wholly within the row adds its total, and no noise
    rows, kinds = rows[is_open], np.stack([sets[1][of_set], ours])[:, is_open]
    distinct, kind_of = np.unique(kinds, axis=1, return_inverse=True)
    parts = [SetPart(int(cells), int(number)) for cells, number in distinct.T]
    variances: Float64s = free.astype(np.float64) * float(variance(law))
    np.add.at(variances, rows, np.array([part_variance(part, law) for part in parts])[kind_of.ravel()])
    firsts = np.searchsorted(rows, np.arange(margin.rows + 1))
    moe95s = np.zeros(margin.rows)
    alike, places = _alike(free, rows, kind_of.ravel(), len(parts))
    for number, row in enumerate(alike.tolist()):
        found = Counter(kind_of.ravel()[firsts[row] : firsts[row + 1]].tolist())
        noise = RowNoise(int(free[row]), tuple((parts[kind], times) for kind, times in sorted(found.items())))
        moe95s[places == number] = row_margin(noise, law)
    return variances, moe95s


def _alike(free: Int64s, rows: Int64s, kinds: Int64s, kind_count: int) -> tuple[Int64s, Int64s]:
    """One row of each class of rows with equal numbers of parts of each kind, and the class of each row.

    Rows are distinguished by a sum of 64-bit numbers, one for each kind of part, from a generator with a fixed seed.
    """
    marks = generator(0).integers(0, 2**63, kind_count + 1, dtype=np.uint64)
    sums = free.astype(np.uint64) * marks[-1]
    np.add.at(sums, rows, marks[kinds])
    _, firsts, places = np.unique(sums, return_index=True, return_inverse=True)
    return firsts, places.ravel()


def _published(
    values: dict[str, pa.Array], counts: Int64s, uncertainty: tuple[Float64s, Float64s], unit: Fraction
) -> pa.Table:
    """The rows of a file; COUNT is stored as bigint, or as double where a unit is a fraction."""
    variances, moe95s = uncertainty
    shown, squared = (counts if unit == 1 else times(counts, unit)), unit**2
    return pa.table({**values, "COUNT": shown, "VARIANCE": times(variances, squared), "MOE95": times(moe95s, unit)})


def times(values: Int64s | Float64s, factor: Fraction) -> Float64s:
    """The products, as near as floats can be where numerators are small."""
    return np.asarray(values * factor.numerator / factor.denominator, dtype=np.float64)
