"""How far the margins of a bottom-up histogram are from the exact ones, and what loss their residuals show.

Sees exact counts: for public or synthetic data only; nothing is written. Source: evaluation.md section 2.6.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.evaluation.epl import (
    Estimator,
    LossAudit,
    LossTest,
    audit_losses,
    losses_json,
    losses_text,
    residuals_of,
)
from safetab_sql.histograms.bottom_up import histogram_call
from safetab_sql.histograms.confidential.counts import coded_table, count_cells
from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec, load_bottom_up_spec
from safetab_sql.histograms.published.calibration import margin_sums
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.gate import records_at
from safetab_sql.published.manifest import source_digests

_FIX = "name a folder that `safetab-sql bottom-up run` made, as it made it"


@dataclass(frozen=True, slots=True)
class MarginErrors:
    """The errors of a margin, in its counts. covered: share of rows whose MOE95 holds the exact count."""

    margin: str
    rows: int
    mean_absolute_error: float
    root_mean_square_error: float
    largest_error: float
    mean_moe95: float
    covered: float


@dataclass(frozen=True, slots=True)
class MarginEvaluation:
    """The errors of each margin, and the audit of those with enough rows. tests: of all margins."""

    errors: tuple[MarginErrors, ...]
    audits: tuple[LossAudit, ...]
    tests: tuple[LossTest, ...]


def evaluate_margins(
    out: Path,
    spec_file: Path,
    data: str | Path,
    *,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> MarginEvaluation:
    """The margins in `out`, which `bottom-up run` made of `spec_file`, beside the exact ones of `data`.

    The stated loss covers the whole histogram, also where counts were calibrated to public totals.
    Raises: InputError with every problem of the input, or where `out` was made of another spec.
    """
    spec = load_bottom_up_spec(spec_file, records_at(data))
    problems = _problems(out, spec_file, spec)
    with coded_table(
        data, spec.domains, resources, progress, weight=spec.weight, unit=spec.said.unit, problems=problems
    ) as table:
        table.stage("counting cells")
        exact = count_cells(table, spec.domains)
    sums = margin_sums([exact], spec.domains, spec.margins)
    errors, tests = [], []
    law = histogram_call(spec).law
    for margin, exact_units in zip(spec.margins, sums, strict=True):
        counts, moe95s = _published(out / "margins" / f"{margin.name}.parquet", margin.rows)
        residuals = np.rint(counts / float(spec.unit)).astype(np.int64) - exact_units
        errors.append(_errors(margin.name, residuals, moe95s, float(spec.unit)))
        tests.append(LossTest(margin.name, "margin", law, residuals_of(residuals)))
    return MarginEvaluation(tuple(errors), tuple(audit_losses(tests, Estimator())), tuple(tests))


def _problems(out: Path, spec_file: Path, spec: BottomUpSpec) -> list[Problem]:
    """The problems of a folder that is none of `bottom-up run` with this spec."""
    where = out / "manifest.json"
    try:
        manifest = json.loads(where.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return [Problem(str(where), f"cannot be read: {error}", _FIX)]
    if not isinstance(manifest, dict) or manifest.get("command") != "bottom-up run":
        return [Problem(str(where), "not the manifest of a bottom-up histogram", _FIX)]
    made_with = [one["sha256"] for one in manifest["public_inputs"]["spec"]]
    if made_with != [one.sha256 for one in source_digests(spec.file)]:
        fix = "give the file that the folder was made with, byte for byte"
        return [Problem(str(spec_file), f"is not the spec that {out} was made with", fix)]
    missing = [each.name for each in spec.margins if not (out / "margins" / f"{each.name}.parquet").is_file()]
    return [Problem(str(out / "margins"), f"{name}.parquet is not there", _FIX) for name in missing]


def _published(file: Path, rows: int) -> tuple[Floats, Floats]:
    """COUNT and MOE95 of a margin, in the order of its rows: float64[rows] each."""
    try:
        table = pq.read_table(file, columns=["COUNT", "MOE95"])
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(file), f"cannot be read: {error}", _FIX)]) from error
    refuse([] if table.num_rows == rows else [Problem(str(file), f"{table.num_rows:,} rows, not {rows:,}", _FIX)])
    counts, moe95s = (table[name].to_numpy().astype(np.float64) for name in ("COUNT", "MOE95"))
    return counts, moe95s


def _errors(name: str, residuals: Int64s, moe95s: Floats, unit: float) -> MarginErrors:
    errors = np.abs(residuals) * unit
    return MarginErrors(
        margin=name,
        rows=errors.size,
        mean_absolute_error=float(errors.mean()),
        root_mean_square_error=float(np.sqrt((errors**2).mean())),
        largest_error=float(errors.max()),
        mean_moe95=float(moe95s.mean()),
        covered=float((errors <= moe95s * (1 + 1e-12)).mean()),
    )


def margins_text(found: MarginEvaluation) -> str:
    """Errors of the margins, and the audit of their losses, for people to read."""
    columns = {
        **{"margin": "{0.margin}", "rows": "{0.rows:,}", "mean error": "{0.mean_absolute_error:,.4g}"},
        **{"root mean square": "{0.root_mean_square_error:,.4g}", "largest": "{0.largest_error:,.4g}"},
        **{"mean MOE95": "{0.mean_moe95:,.4g}", "covered": "{1:.1f} %"},
    }
    rows = [list(columns), *([how.format(one, 100 * one.covered) for how in columns.values()] for one in found.errors)]
    audit = losses_text(found.audits, found.tests) if found.audits else "no margin has enough rows to audit its loss"
    return f"{aligned(rows)}\n\n{audit}"


def margins_json(found: MarginEvaluation) -> dict[str, object]:
    """The same as JSON, with the loss at every x."""
    return {"margins": [asdict(one) for one in found.errors], "losses": losses_json(found.audits, found.tests)}
