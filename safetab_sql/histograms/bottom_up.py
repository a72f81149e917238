"""A bottom-up histogram, top to bottom: count the cells with records, add noise to every cell, add up, publish.

Like algorithm.py it passes exact counts to the mechanisms and noisy counts to the publisher; it holds only that order.
Source: histograms.md section 2; Clark and Dajani 2019.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from safetab_sql.accounting.conversions import members_of
from safetab_sql.accounting.ledger_file import Bits, LedgerFile, right_without_people
from safetab_sql.histograms.confidential.counts import ExactCells, coded_table, count_cells
from safetab_sql.histograms.mechanisms.cells import noisy_cells
from safetab_sql.histograms.public.bottom_up_spec import fixed_totals, load_bottom_up_spec
from safetab_sql.histograms.public.spending import Budget, HistogramCall
from safetab_sql.histograms.published.calibration import (
    CellStretch,
    calibrated,
    of_units,
    rows_with_cells,
    shown_count,
    write_histogram,
)
from safetab_sql.histograms.published.manifests import bottom_up_manifest, bottom_up_parameters
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.mechanisms.bits import generator, system_bits
from safetab_sql.public.gate import records_at
from safetab_sql.public.inputs import attempt
from safetab_sql.published.file_notes import histogram_notes
from safetab_sql.published.manifest import MANIFEST, Made
from safetab_sql.published.new_release import new_release

CONTENTS = ("margins", "cells.parquet", MANIFEST)
_MOST_NONZERO = 10**11  # empty cells expected to be non-zero after noise: about ten hours on one core


@dataclass(frozen=True, slots=True)
class BottomUpInputs:
    """What the user names. spec: the TOML file. data: a Parquet file, a glob or a folder, one record a row."""

    spec: str | Path
    data: str | Path


@dataclass(frozen=True, slots=True)
class BottomUp(Made):
    """Margins, and what they cost."""

    budget: Budget


def bottom_up(
    inputs: BottomUpInputs,
    out: str | Path,
    *,
    withhold: bool = False,
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    bits: Bits = system_bits,
) -> BottomUp:
    """Folder `out` with margins/NAME.parquet, cells.parquet if asked for, and manifest.json, or nothing at all.

    withhold: publish no row that lies wholly in areas whose public total noise does not explain. ledger_file, bits: as
    of `run`. Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing
    is written.
    """
    spec_file = Path(inputs.spec)
    spec = load_bottom_up_spec(spec_file, records_at(inputs.data))
    needless = Problem("--withhold", "the spec names no invariants, whose totals could be left out", "leave it out")
    contradictions = [needless] if withhold and not spec.invariants else []
    fixed = attempt(contradictions, partial(fixed_totals, spec))
    call = spec.call
    with (
        new_release(out, CONTENTS, ledger_file, resources, generator(bits), overwrite=overwrite) as release,
        coded_table(
            inputs.data,
            spec.domains,
            resources,
            progress,
            weight=spec.weight,
            unit=spec.said.unit,
            problems=[*contradictions, *release.problems, *nonzero_problems(call, str(spec_file))],
        ) as table,
    ):
        release.declare(bottom_up_parameters(spec), spec.budget)
        table.stage("counting cells")
        exact = count_cells(table, spec.domains)
        if fixed is not None:
            sums = fixed.sums(fixed.sets_of_cells()[exact.cell_ids], exact.exact_counts)
            for place in np.flatnonzero(sums != fixed.totals):
                total, added = (shown_count(of_units(int(of[place]), spec.unit)) for of in (fixed.totals, sums))
                table.log(f"{fixed.names[place]}: total {total}, and the records add up to {added}")
        table.stage("adding noise")
        stretches = noisy_cells(exact, call.cells, call.law, release.charge())
        table.database.close()  # nothing below sees an exact count, except through the mechanism
        noisy = calibrated(stretches, fixed, call.law, withhold=withhold)
        rows = [rows_with_cells(each, noisy.is_withheld) for each in spec.margins]
        manifest = members_of(bottom_up_manifest(spec, noisy, rows))
        notes = histogram_notes(release.stamped(manifest), release.day)
        with release.published(manifest) as folder:
            write_histogram(folder, spec, noisy, rows, notes)
        return BottomUp(release.made.out, release.made.manifest, spec.budget)


def nonzero_problems(call: HistogramCall, where: str) -> list[Problem]:
    """A problem if too many cells would be non-zero after noise: the run is refused before it enters a ledger."""
    expected = call.lifted(0, tails=2)
    if expected <= _MOST_NONZERO:
        return []
    what = f"noise would lift about {expected:,} of the {call.cells:,} cells off 0, and each of them is drawn"
    return [Problem(f"{where} [domains]", what, "leave a domain out, give it fewer values, or raise epsilon")]


def drawn_without_people(call: HistogramCall, exact: ExactCells, bits: Bits = system_bits) -> Iterator[CellStretch]:
    """The cells of the histogram that are not 0 after noise, of public or synthetic data: this enters no ledger."""
    return noisy_cells(exact, call.cells, call.law, right_without_people(bits))
