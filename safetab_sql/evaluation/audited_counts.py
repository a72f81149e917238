"""What `epl` looks at, from the files that the user names, and how it shows what was found: text, JSON and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.evaluation import epl
from safetab_sql.evaluation.compared import compared_ladders, find_releases
from safetab_sql.evaluation.epl import Estimator, LossAudit, LossTest, Residuals
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import DRAWING, InputError, Problem, missing_extras, refuse
from safetab_sql.kit.figures import INK, PALETTE, Figure, figure, write_figures
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.kit.words import aligned
from safetab_sql.laws.noise import TwoSidedGeometric

_LEGEND = """\
EPL: max |log(p(x) / p(x + 1))|, p with bandwidth {0.bandwidth:g} of the standard deviation, x from \
percentile {1:g} to {0.percentile:g}.
honest noise: median and 97.5th percentile of the EPL of simulated noise, as many draws of the stated law.
lower bound: a lower bound on the loss at x. The audit fails if it is above the stated loss; honest noise fails
  in at most 1 of 100 audits.
noticed from: a loss of about so many times the stated loss is noticed in every second audit."""
_OF_RECONCILED = """
Of reconciled folders the column NOISY_COUNT is audited, which holds the counts as the noise left them; and COUNT, in
24ths of each count's standard deviation, as "reconciled"."""


@dataclass(frozen=True, slots=True)
class AuditedCounts:
    """tests: what is tested. note: what is to be said of the counts. table: the noisy and exact counts of a table."""

    tests: list[LossTest]
    note: str = ""
    table: tuple[Int64s, Int64s] | None = None


def counts_of_releases(releases: Sequence[Path], truth: Path, code_lists: Path | None) -> AuditedCounts:
    """Of releases with their exact counts, their residuals pooled. Raises: InputError where they are not of a kind."""
    found = find_releases(releases, truth, code_lists)
    with compared_ladders(found, Resources()) as ladders:
        tests = [test for database in ladders for test in epl.loss_tests(database, found.noises)]
    return AuditedCounts(tests, _OF_RECONCILED if found.is_reconciled else "")


def counts_of_table(path: Path, noisy: str, exact: str, epsilon: Fraction) -> AuditedCounts:
    """Of two columns of a Parquet file, whose noise has a loss of epsilon. Raises: InputError as `table_counts`."""
    counts, exact_counts = table_counts(path, noisy, exact)
    residuals = epl.residuals_of(counts - exact_counts)
    test = LossTest(path.name, f"{noisy} - {exact}", TwoSidedGeometric(epsilon), residuals)
    return AuditedCounts([test], table=(counts, exact_counts))


def table_counts(path: Path, noisy: str, exact: str) -> tuple[Int64s, Int64s]:
    """Two columns of whole numbers of a Parquet file: int64[n] each.

    Raises: InputError if the file cannot be read, or if the columns are not whole numbers.
    """
    if noisy == exact:
        what = f"--noisy and --exact are both {noisy}"
        raise InputError([Problem(str(path), what, "name two columns")])
    try:
        found = pq.read_schema(path)
        missing = [name for name in (noisy, exact) if name not in found.names]
        if missing:
            what = f"missing columns {', '.join(missing)}; found {', '.join(found.names)}"
            raise InputError([Problem(str(path), what, "name columns of the file with --noisy and --exact")])
        stored = [name for name in (noisy, exact) if not pa.types.is_integer(found.field(name).type)]
        fix = "name columns that are stored as whole numbers"
        refuse([Problem(f"{path} [{name}]", f"stored as {found.field(name).type}", fix) for name in stored])
        table = pq.read_table(path, columns=[noisy, exact])
        values = [table[name].cast(pa.int64()) for name in (noisy, exact)]  # refuses fractions
    except (OSError, pa.ArrowException) as error:
        fix = "name a Parquet file and two of its columns of whole numbers"
        raise InputError([Problem(str(path), f"cannot be used: {error}", fix)]) from error
    holes = [name for name, column in zip((noisy, exact), values, strict=True) if column.null_count or not len(column)]
    fix = "leave those rows out"
    refuse([Problem(f"{path} [{name}]", "holds NULL, or nothing at all", fix) for name in holes])
    return values[0].to_numpy(), values[1].to_numpy()


def audited_losses(counts: AuditedCounts, estimator: Estimator) -> list[LossAudit]:
    """The audits of what has enough residuals. Raises: InputError where nothing has."""
    audits = epl.audit_losses(counts.tests, estimator)
    if not audits:
        what = f"no law of noise has {epl.FEWEST_RESIDUALS} counts that noise alone has changed"
        raise InputError([Problem("epl", what, "audit more releases together, or larger ones")])
    return audits


def losses_json(audits: Sequence[LossAudit], tests: Sequence[LossTest]) -> dict[str, object]:
    """The audits as JSON: the columns of `epl`, and of `epl_curve` for each; null where residuals were not searched."""
    rows = epl.loss_table(audits).to_pylist()
    return {
        "audits": [{**row, "curve": audit.curve.to_pydict()} for row, audit in zip(rows, audits, strict=True)],
        "tests_with_too_few_residuals": len(tests) - len(audits),
    }


def losses_text(audits: Sequence[LossAudit], tests: Sequence[LossTest], estimator: Estimator) -> str:
    """The audits as text, with what its columns mean."""
    columns = {
        **{"level": "{0.test.name}", "noise": "{0.test.noise}", "residuals": "{0.test.residuals.size:,}"},
        **{"EPL": "{0.epl:.3f}", "bootstrap": "{0.epl_lower:.3f}-{0.epl_upper:.3f}", "honest noise": "{1}"},
        **{"at x": "{0.worst_x}", "lower bound": "{0.lower_bound_there:.3f}", "stated": "{0.stated_loss_there:.3f}"},
        **{"noticed from": "{0.noticeable:.2f} x", "verdict": "{2}"},
    }
    rows = []
    for audit in audits:
        losses = audit.honest_epl, audit.honest_upper
        honest = ("none" if loss >= epl.LARGEST_LOSS else f"{loss:.3f}" for loss in losses)
        more = "-".join(honest), "passes" if audit.passes else "FAILS"
        rows.append([how.format(audit, *more) for how in columns.values()])
    left_out = len(tests) - len(audits)
    few = [f"{left_out} more with fewer than {epl.FEWEST_RESIDUALS} residuals: not tested"] if left_out else []
    legend = _LEGEND.format(estimator, 100 - estimator.percentile)
    return "\n".join([legend, "", aligned([list(columns), *rows]), *few])


def failures(audits: Sequence[LossAudit]) -> list[str]:
    """A sentence for each audit that fails."""
    said = "{0.test.name}, {0.test.noise}: the residuals show a loss of at least {0.lower_bound_there:.3f} at "
    said += "{0.worst_x}; {0.stated_loss_there:.3f} is stated"
    return [said.format(audit) for audit in audits if not audit.passes]


# Figures of residuals as Flaxman and Petti draw them: counts, residuals, their density, and the loss at every x. They
# show exact counts, or what follows from them: for public or synthetic data only.

_WIDTH, _HEIGHT = 300, 240  # pixels, of each of the two panels
_MOST_POINTS = 4_000


def write_loss_figures(
    out: Path, audits: Sequence[LossAudit], counts: AuditedCounts, estimator: Estimator, *, overwrite: bool
) -> None:
    """Write a folder of figures, readable by nobody else: they follow from exact counts."""
    refuse(missing_extras(DRAWING))
    drawn = {}
    for audit in audits:
        stated = dict(zip(*audit.curve.select(["x", "stated_loss"]).to_pydict().values(), strict=True))
        title = f"{audit.test.name}, {audit.test.noise}: empirical privacy loss {audit.epl:.3f}"
        name = "density" if counts.table else f"density-{audit.test.name}-{audit.test.noise}".replace(" ", "-")
        drawn[name] = loss_figure(title, audit.test.residuals, estimator, stated)
    if counts.table is not None:
        noisy, exact = counts.table
        drawn["counts"] = scatter_figure(f"{counts.tests[0].name}: noisy and exact counts", exact, noisy)
    with whole_folder(out, [f"{name}.svg" for name in drawn], overwrite=overwrite, is_exact=True) as folder:
        write_figures(folder, drawn, ("svg",))


def scatter_figure(title: str, exact: Int64s, noisy: Int64s) -> Figure:
    """Noisy counts, and their residuals, against the exact counts; of more than 4,000 counts, evenly chosen ones.

    Source: Flaxman and Petti, Figure SA1.
    """
    step = -(-exact.size // _MOST_POINTS)
    pairs = zip(exact[::step].tolist(), noisy[::step].tolist(), strict=True)
    rows: list[dict[str, object]] = [{"exact": one, "noisy": of, "residual": of - one} for one, of in pairs]
    dots, titles = _dots(9, 0.45), (("noisy", "noisy count"), ("residual", "noisy minus exact"))
    panels = [_over(dots, ("exact", "exact count"), y) for y in titles]
    return _two_panels(title, "Left: noisy against exact counts. Right: their difference.", rows, panels)


def loss_figure(title: str, residuals: Residuals, estimator: Estimator, stated: Mapping[int, float]) -> Figure:
    """Shares and kernel density of the residuals, and EPL(x) where it is searched, beside the stated loss.

    stated: the stated loss at the values x. Source: Flaxman and Petti, Figures SA2 to SA4.
    """
    shares, smoothed = epl.densities(residuals, estimator)
    curves = epl.loss_curves(residuals.first, residuals.counts[np.newaxis, :], estimator)
    is_searched = curves.is_searched[0]
    losses = np.where(is_searched & np.isfinite(curves.losses[0]), curves.losses[0], np.nan)
    searched = np.flatnonzero(is_searched)
    reach = max(1, int(searched[-1] - searched[0]))  # the tails beyond twice the range searched are not drawn
    rows: list[dict[str, object]] = []
    for place in range(max(0, searched[0] - reach), min(losses.size, searched[-1] + reach + 1)):
        x, loss = residuals.first + place, None if np.isnan(losses[place]) else float(losses[place])
        own = {"x": int(x), "share": float(shares[place]), "density": float(smoothed[place]), "loss": loss}
        rows.append({**own, "stated": stated.get(int(x)) if is_searched[place] else None})
    of, line = ("x", "residual x, noisy minus exact"), {"type": "line", "color": PALETTE[1]}
    dashes = {"type": "line", "color": INK, "strokeDash": [5, 3]}
    left = [_over(_dots(12, 0.6), of, ("share", "share of residuals")), _over(line, of, ("density", ""))]
    right = [_over(line, of, ("loss", "EPL(x)")), _over(dashes, of, ("stated", ""))]
    how = (
        "Left: the share of each residual (dots) and their kernel density (line). Right: the log ratio of the density "
        "at x to that at x + 1, and the stated loss (dashed)."
    )
    return _two_panels(title, how, rows, [{"layer": left}, {"layer": right}])


def _two_panels(title: str, description: str, rows: list[dict[str, object]], panels: list[dict[str, object]]) -> Figure:
    sized = [{"width": _WIDTH, "height": _HEIGHT, **panel} for panel in panels]
    return figure(title, description, rows, {"hconcat": sized})


def _dots(size: int, opacity: float) -> dict[str, object]:
    return {"type": "point", "filled": True, "size": size, "opacity": opacity, "color": PALETTE[0]}


def _over(mark: Mapping[str, object], x: tuple[str, str], y: tuple[str, str]) -> dict[str, object]:
    return {"mark": mark, "encoding": {"x": _axis(*x), "y": _axis(*y)}}


def _axis(field: str, title: str) -> Mapping[str, object]:
    axis = {"tickCount": 6, **({"title": title} if title else {})}
    return {"field": field, "type": "quantitative", "scale": {"zero": False}, "axis": axis}
