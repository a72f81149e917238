"""The accuracy of a bottom-up histogram at each epsilon: it is counted once and gets noise many times.

For public or synthetic data only: all files have mode 0600, and the manifest says "confidential": true. Where the spec
has invariants, the distances are of calibrated counts, of all rows. Source: histograms.md section 3; Clark and Dajani
2019.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from safetab_sql.histograms.bottom_up import drawn_without_people
from safetab_sql.histograms.confidential.counts import ExactCells, coded_table, count_cells
from safetab_sql.histograms.public.bottom_up_spec import (
    SMALLEST_EPSILON,
    BottomUpSpec,
    fixed_totals,
    load_bottom_up_spec,
)
from safetab_sql.histograms.public.domains import cell_count
from safetab_sql.histograms.public.spending import HistogramCall
from safetab_sql.histograms.published.calibration import CellStretch, calibrated, margin_sums
from safetab_sql.histograms.published.manifests import bottom_up_parameters
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import Resources, claimed_folder
from safetab_sql.kit.errors import DRAWING, Problem, missing_extras, refuse
from safetab_sql.kit.figures import INK, Figure, figure, write_figures
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.whole_folders import marked_columns, marked_json, marked_table, today, whole_folder
from safetab_sql.kit.words import aligned
from safetab_sql.public.gate import records_at
from safetab_sql.published.manifest import write_manifest

CONTENTS = ("curve.parquet", "curve.csv", "curve.svg", "manifest.json")
EPSILONS = tuple(Fraction(number, 1000) for number in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000))
QUANTILES = (0.05, 0.5, 0.95)
CELLS = "cells"


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials: each epsilon, in place of the spec's epsilon, with a number of independent noises."""

    epsilons: tuple[Fraction, ...] = EPSILONS
    replicates: int = 20


def bottom_up_curve(
    spec_file: Path,
    data: str | Path,
    out: Path,
    *,
    trials: Trials = Trials(),
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    drawn: Callable[[HistogramCall, ExactCells], Iterable[CellStretch]] = drawn_without_people,
) -> pa.Table:
    """Write folder `out` with the accuracy of the spec's margins at each epsilon; returns its table.

    drawn: the noise. Raises: InputError with every problem of the input; nothing is written then.
    """
    refuse(missing_extras(DRAWING))
    day = today()
    spec = load_bottom_up_spec(spec_file, records_at(data))
    fixed = fixed_totals(spec)
    weight, unit, wrong = spec.weight, spec.said.unit, _problems(spec, trials)
    with (
        claimed_folder(out, CONTENTS, resources, overwrite=overwrite) as found,
        coded_table(data, spec.domains, resources, progress, weight=weight, unit=unit, problems=found + wrong) as table,
    ):
        table.stage("counting cells")
        exact = count_cells(table, spec.domains)
        table.database.close()
        rows: list[dict[str, object]] = []
        for epsilon in sorted(trials.epsilons):
            table.stage(f"adding noise at epsilon {float(epsilon):g}")
            call = HistogramCall(CELLS, cell_count(spec.domains), epsilon, spec.sensitivity)
            drawings = (drawn(call, exact) for _ in range(trials.replicates))
            noises = (calibrated(one, fixed, call.law).stretches for one in drawings)
            rows += _rows(spec, exact, noises, epsilon, trials.replicates)
        curve = pa.Table.from_pylist(rows)
        with whole_folder(out, CONTENTS, overwrite=overwrite, day=day, is_exact=True) as folder:
            pq.write_table(marked_table(curve), folder / "curve.parquet", compression="zstd")
            pc.write_csv(marked_columns(curve), folder / "curve.csv")
            write_figures(folder, {"curve": curve_figure(curve)}, ("svg",))
            manifest = {
                "command": "bottom-up curve",
                "parameters": bottom_up_parameters(spec),
                "replicates": trials.replicates,
                "measures": "calibrated counts" if spec.invariants else "noisy counts",
            }
            write_manifest(folder / "manifest.json", marked_json(manifest), day)
    return curve


def curve_figure(curve: pa.Table) -> Figure:
    """A1 and A2 of every margin against epsilon, with bands from the 5 % to the 95 % quantile of the replicates."""
    rows = [
        {
            **{"epsilon": row["epsilon"], "margin": row["margin"], "accuracy": name.upper()},
            **{"median": row[name], "lower": row[f"{name}_lower"], "upper": row[f"{name}_upper"]},
        }
        for row in curve.to_pylist()
        for name in ("a1", "a2")
    ]
    ticks = {"values": sorted({row["epsilon"] for row in rows}), "format": "~g", "labelFlush": False}
    epsilon = {"field": "epsilon", "type": "quantitative", "scale": {"type": "log"}, "axis": ticks, "title": "epsilon"}
    shared = {"x": epsilon, "color": {"field": "margin", "type": "nominal", "title": "margin", "sort": None}}
    legend = {"symbolType": "stroke", "symbolStrokeColor": INK, "symbolStrokeWidth": 2, "symbolSize": 400}
    accuracy = {"field": "accuracy", "type": "nominal", "title": "accuracy", "legend": legend}
    axis = {"type": "quantitative", "scale": {"domain": [0, 1]}, "title": "accuracy, 1 is exact"}
    median = {**shared, "y": {"field": "median", **axis}}
    band = {**shared, "y": {"field": "lower", **axis}, "y2": {"field": "upper"}}
    detail = {"field": "accuracy", "type": "nominal"}
    layers = [
        {"mark": {"type": "area", "fillOpacity": 0.15}, "encoding": {**band, "detail": detail}},
        {"mark": {"type": "line"}, "encoding": {**median, "strokeDash": accuracy}},
        {"mark": {"type": "point", "filled": True, "opacity": 1}, "encoding": median},
    ]
    said = "A1 and A2 of every margin rise from 0 to 1 as epsilon grows; A2, of squares, gets there first."
    return figure("Accuracy of the noisy counts, by epsilon", said, rows, {"height": 280, "layer": layers})


def _problems(spec: BottomUpSpec, trials: Trials) -> list[Problem]:
    problems = []
    if trials.replicates < 1:
        problems.append(Problem("--replicates", f"{trials.replicates} is no number of noises", "give at least 1"))
    for epsilon in [epsilon for epsilon in trials.epsilons if epsilon < SMALLEST_EPSILON * spec.sensitivity]:
        what = f"{epsilon} / sensitivity is below {SMALLEST_EPSILON}: the noise would be wider than any use of it"
        problems.append(Problem("--epsilon", what, "give a larger one"))
    for name in [margin.name for margin in spec.margins if margin.name == CELLS]:
        problems.append(Problem("[margins]", f"a margin is called {name}", "that is the whole histogram; rename it"))
    return problems


def _rows(
    spec: BottomUpSpec, exact: ExactCells, noises: Iterable[Iterable[CellStretch]], epsilon: Fraction, replicates: int
) -> Iterator[dict[str, object]]:
    """The rows of the curve at one epsilon. noises: the cells that a run would publish, once for each replicate."""
    counts = margin_sums([exact], spec.domains, spec.margins)
    tables = [(CELLS, cell_count(spec.domains), exact.exact_counts)]
    tables += [(margin.name, margin.rows, count) for margin, count in zip(spec.margins, counts, strict=True)]
    distances: list[list[Floats]] = []  # of each replicate: of all cells, then of each margin
    for noisy in noises:
        parts: list[Floats] = []
        sums = margin_sums(_measured(noisy, exact, parts), spec.domains, spec.margins)
        of_margins = [_distance(total - count) for total, count in zip(sums, counts, strict=True)]
        distances.append([np.sum(parts, axis=0), *of_margins])
    found = np.array(distances)
    for place, (name, rows, count) in enumerate(tables):
        if name == CELLS and any(margin.rows == rows for margin in spec.margins):
            continue  # a margin by all columns equals the histogram
        row: dict[str, object] = {"epsilon": float(epsilon), "margin": name, "rows": rows, "replicates": replicates}
        for measure, values in _measures(found[:, place], rows, count, spec.unit).items():
            lower, median, upper = (float(value) for value in np.quantile(values, QUANTILES))
            center = median if measure.startswith("a") else float(values.mean())
            row |= {measure: center, f"{measure}_lower": lower, f"{measure}_upper": upper}
        yield row


def _measures(distances: Floats, rows: int, exact: Int64s, unit: Fraction) -> dict[str, Floats]:
    """L1, L2, A1 and A2 of each replicate. exact: every count that is not 0; if there is none, A1 and A2 are 0.

    distances: see `_distance`. They and counts are in units; L1 and L2 in records, or in weight.
    """
    each = float(unit)
    absolute, squared = distances.T
    whole, squares = float(np.abs(exact).sum()), float((exact.astype(np.float64) ** 2).sum())
    accuracies = {
        "a1": np.maximum(0.0, 1 - absolute / whole) if whole else np.zeros(absolute.size),
        "a2": np.maximum(0.0, 1 - squared / squares) if squares else np.zeros(absolute.size),
    }
    return {"l1": each * absolute / rows, "l2": each**2 * squared / rows, **accuracies}


def _measured(stretches: Iterable[CellStretch], exact: ExactCells, parts: list[Floats]) -> Iterator[CellStretch]:
    """The stretches, unchanged; the distances of their cells from the exact cells are appended to `parts`."""
    is_zero, known_ids = np.ones(exact.cell_ids.size, dtype=np.bool_), np.append(exact.cell_ids, -1)
    for cell_ids, noisy_counts in stretches:
        places = np.searchsorted(exact.cell_ids, cell_ids)
        here = np.flatnonzero(known_ids[places] == cell_ids)
        errors = noisy_counts.copy()
        errors[here] -= exact.exact_counts[places[here]]
        is_zero[places[here]] = False
        parts.append(_distance(errors))
        yield cell_ids, noisy_counts
    parts.append(_distance(exact.exact_counts[is_zero]))  # cells whose noisy count is 0 are in no stretch


def _distance(errors: Int64s) -> Floats:
    """Sums over cells or rows of |noisy - exact|, records, and of (noisy - exact)^2, records squared: float64[2]."""
    absolute = np.abs(errors).astype(np.float64)
    return np.array([absolute.sum(), (absolute**2).sum()])


def curve_text(curve: pa.Table) -> str:
    """The curve for people to read."""
    rows = [("epsilon", "margin", "L1", "L2", "A1", "A2")]
    figures = ("l1", ",.4g"), ("l2", ",.4g"), ("a1", ".4f"), ("a2", ".4f")
    for row in curve.to_pylist():
        rows.append((f"{row['epsilon']:g}", row["margin"], *(format(row[name], how) for name, how in figures)))
    return aligned(rows)
