"""Noisy cells added up to margins, and both as Parquet files; sees noisy counts and public domains alone."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.histograms.public.domains import Domain, codes_of_cells, decoded
from safetab_sql.histograms.public.marginals import Margin, cells_of_rows, row_values, rows_of_cells, rows_of_every_cell
from safetab_sql.histograms.published.calibration import effective_cells
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import variance
from safetab_sql.published.uncertainty import sum_margin_of_error

Int64s = npt.NDArray[np.int64]
Float64s = npt.NDArray[np.float64]
CellStretch = tuple[Int64s, Int64s]  # ids and noisy counts of some cells; all others of their stretch are 0

_ROW_GROUP = 2**20


def margin_sums(
    stretches: Iterable[CellStretch], domains: Sequence[Domain], margins: Sequence[Margin]
) -> tuple[Int64s, ...]:
    """The sum of the noisy cells in each row of each margin: one int64[rows] a margin."""
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
) -> Iterator[CellStretch]:
    """The stretches as they come, each written to `path` on its way, unless that is None: cells that are not 0.

    uncertainty: variance and MOE95 by cell id, or of all cells alike: float64[cells] or float64[1], both.
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
            table = _published(values, noisy_counts, variances, moe95s)
            if writer is None:
                writer = stack.enter_context(pq.ParquetWriter(path, table.schema, compression="zstd"))
            writer.write_table(table, row_group_size=_ROW_GROUP)
            yield cell_ids, noisy_counts


def write_margin(path: Path, margin: Margin, sums: Int64s, variances: Float64s, moe95s: Float64s) -> None:
    """One row per combination of values, in the order of the domains, each with the uncertainty of its noise."""
    values = row_values(margin, np.arange(margin.rows, dtype=np.int64))
    table = _published(values, sums, variances, moe95s)
    pq.write_table(table, path, compression="zstd", row_group_size=_ROW_GROUP)


def cell_uncertainty(law: Law) -> tuple[Float64s, Float64s]:
    """Variance and MOE95 of every cell that is not calibrated: float64[1] both."""
    return np.array([float(variance(law))]), np.array([float(sum_margin_of_error(law, 1))])


def margin_uncertainty(margin: Margin, domains: Sequence[Domain], law: Law) -> tuple[Float64s, Float64s]:
    """Variance and MOE95 of each row of a margin: exact laws of sums of independent noises, one for each cell."""
    cells = cells_of_rows(margin, domains)
    variances: Float64s = cells.astype(np.float64) * float(variance(law))
    return variances, _exact_margins(cells, law)


def calibrated_uncertainty(
    margin: Margin, domains: Sequence[Domain], law: Law, sets: tuple[Int64s, Int64s]
) -> tuple[Float64s, Float64s]:
    """Variance and MOE95 of each row of a margin of calibrated cells; both 0 where the row is fixed by a total.

    sets: of each cell its set, -1 for none, and how many cells each set has. MOE95: that of the uncalibrated sum,
    scaled as the standard deviation is: the shape of the noise hardly changes, and towards the normal law if at all.
    """
    effective, rounding = effective_cells(rows_of_every_cell(margin, domains), margin.rows, *sets)
    cells, one = cells_of_rows(margin, domains), float(variance(law))
    variances: Float64s = effective * one + rounding
    scales = np.sqrt(variances / (cells * one))
    return variances, np.ceil(np.round(_exact_margins(cells, law) * scales, 9))


def _exact_margins(cells: Int64s, law: Law) -> Float64s:
    distinct, place = np.unique(cells, return_inverse=True)
    return np.array([float(sum_margin_of_error(law, int(number))) for number in distinct])[place]


def _published(values: dict[str, pa.Array], counts: Int64s, variances: Float64s, moe95s: Float64s) -> pa.Table:
    return pa.table({**values, "COUNT": counts, "VARIANCE": variances, "MOE95": moe95s})
