"""A bottom-up histogram, top to bottom: count the cells with records, add noise to every cell, add up, publish.

Like run.py it passes exact counts to the mechanisms and noisy counts to the publisher; it holds only that order.
Source: histograms.md section 2; Clark and Dajani 2019.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from safetab_sql.accounting.ledger import DELTA
from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.histograms.confidential.counts import ExactCells, coded_table, count_cells
from safetab_sql.histograms.mechanisms.cells import nonzero_cells
from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec, load_bottom_up_spec
from safetab_sql.histograms.public.domains import cell_count
from safetab_sql.histograms.public.invariants import FixedTotals, fixed_totals
from safetab_sql.histograms.public.ledger import HistogramCall, HistogramLedger
from safetab_sql.histograms.public.marginals import margin, rows_of_every_cell
from safetab_sql.histograms.public.records import Records
from safetab_sql.histograms.published.bottom_up_manifest import NOT_PRIVATE, bottom_up_manifest, spec_json
from safetab_sql.histograms.published.calibration import calibrated_cells
from safetab_sql.histograms.published.marginals import (
    CellStretch,
    calibrated_uncertainty,
    cell_uncertainty,
    margin_sums,
    margin_uncertainty,
    write_margin,
    written_cells,
)
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.mechanisms.bits import BitSource, are_the_systems, system_bits
from safetab_sql.published.manifest import Made
from safetab_sql.published.new_release import new_release

CONTENTS = ("margins", "cells.parquet", "manifest.json")
_STRETCH = 2**21  # calibrated cells written at a time
_MOST_NONZERO = 10**11  # empty cells expected to be non-zero after noise: about ten hours on one core


@dataclass(frozen=True, slots=True)
class BottomUpInputs:
    """What the user names.

    spec: the TOML file. data: a Parquet file, a glob or a folder, one record a row. person_id: the column that names
    each person, where none may stand twice.
    """

    spec: str | Path
    data: str | Path
    person_id: str | None = None


@dataclass(frozen=True, slots=True)
class BottomUp(Made):
    """A histogram's margins. ledger: what they cost."""

    ledger: HistogramLedger


def bottom_up(
    inputs: BottomUpInputs,
    out: str | Path,
    *,
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    bits: BitSource = system_bits,
) -> BottomUp:
    """Folder `out` with margins/NAME.parquet, cells.parquet if asked for, and manifest.json, or nothing at all.

    ledger_file, bits: as of `run`.
    Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing is
    written.
    """
    spec_file = Path(inputs.spec)
    spec = load_bottom_up_spec(spec_file)
    fixed, contradictions = _fixed(spec)
    call = HistogramCall("cells", cell_count(spec.domains), spec.epsilon, spec.sensitivity)
    ledger = HistogramLedger((call,), caveat=NOT_PRIVATE if spec.invariants else "")
    with (
        new_release(
            out, CONTENTS, ledger_file, resources, partial(are_the_systems, bits), overwrite=overwrite
        ) as release,
        coded_table(
            Records(inputs.data, inputs.person_id),
            spec.domains,
            resources,
            progress,
            weight=spec.weight,
            problems=[*contradictions, *release.problems, *nonzero_problems(call, str(spec_file))],
        ) as table,
    ):
        release.declare(spec_json(spec), ledger)
        table.stage("counting cells")
        exact = count_cells(table, spec.domains)
        manifest = bottom_up_manifest(spec_file, spec, ledger, delta=DELTA)
        table.stage("adding noise")
        release.charge()  # must precede the first draw
        stretches = drawn_cells(call, exact, bits)
        table.database.close()  # nothing below sees an exact count, except through the mechanism
        with release.published(manifest) as folder:
            _publish(folder, spec, call, stretches, fixed)
        return BottomUp(release.made.out, release.made.manifest, ledger)


def _fixed(spec: BottomUpSpec) -> tuple[FixedTotals | None, Sequence[Problem]]:
    """The totals that the invariants fix, or the problems of the invariants."""
    try:
        return (fixed_totals(spec.invariants, spec.domains) if spec.invariants else None), ()
    except InputError as error:
        return None, error.problems


def nonzero_problems(call: HistogramCall, where: str) -> list[Problem]:
    """A problem if too many cells would be non-zero after noise: the run is refused before it enters a ledger."""
    expected = 2 * tail_bounds(call.law, 0, 64)[1] * call.cells >> 64
    if expected <= _MOST_NONZERO:
        return []
    what = f"noise would lift about {expected:,} of the {call.cells:,} cells off 0, and each of them is drawn"
    return [Problem(f"{where} [domains]", what, "leave a domain out, give it fewer values, or raise epsilon")]


def drawn_cells(call: HistogramCall, exact: ExactCells, bits: BitSource = system_bits) -> Iterator[CellStretch]:
    """The cells of the histogram that are not 0 after noise, stretch by stretch; they are drawn when they are read.

    This function enters no ledger: called by itself, it is for public or synthetic data only.
    """
    for part in nonzero_cells((exact.cell_ids, exact.exact_counts), call.cells, call.law, bits):
        yield part.cell_ids, part.noisy_counts


def _publish(
    folder: Path, spec: BottomUpSpec, call: HistogramCall, stretches: Iterator[CellStretch], fixed: FixedTotals | None
) -> None:
    """Write margins/ and, if the spec says so, cells.parquet, from the same noisy cells, which are drawn when read."""
    sets, every_cell = None, cell_uncertainty(call.law)
    if fixed is not None:
        sets = fixed.set_of_row[rows_of_every_cell(fixed.margin, spec.domains)], fixed.cells
        stretches = _calibrated(stretches, sets[0], fixed.totals)
        if spec.publish_cells:
            columns = [column for domain in spec.domains for column in domain.columns]
            every_cell = calibrated_uncertainty(margin("cells", columns, spec.domains), spec.domains, call.law, sets)
    path = folder / "cells.parquet" if spec.publish_cells else None
    sums = margin_sums(written_cells(path, stretches, spec.domains, every_cell), spec.domains, spec.margins)
    (folder / "margins").mkdir()
    for each, total in zip(spec.margins, sums, strict=True):
        if sets is None:
            uncertainty = margin_uncertainty(each, spec.domains, call.law)
        else:
            uncertainty = calibrated_uncertainty(each, spec.domains, call.law, sets)
        write_margin(folder / "margins" / f"{each.name}.parquet", each, total, *uncertainty)


def _calibrated(stretches: Iterator[CellStretch], sets: Int64s, totals: Int64s) -> Iterator[CellStretch]:
    """The cells that are not 0 after calibration."""
    cells = np.zeros(sets.size, dtype=np.int64)
    for cell_ids, noisy_counts in stretches:
        cells[cell_ids] = noisy_counts
    cells = calibrated_cells(cells, sets, totals)
    for first in range(0, cells.size, _STRETCH):
        kept = first + np.flatnonzero(cells[first : first + _STRETCH])
        yield kept, cells[kept]
