"""The experiments of Flaxman and Petti, ours beside theirs: flaxman_petti.md."""

from collections.abc import Mapping, Sequence
from math import isfinite

from docs.reproductions.flaxman_petti.experiments import (
    MORE,
    SETS,
    Comparison,
    Estimate,
    consistency,
    invariants,
    table_sa1,
)
from docs.reproductions.flaxman_petti.figures import epl_of_sa2
from docs.reproductions.flaxman_petti.printed_losses import (
    BY_BANDWIDTH,
    BY_PERCENTILE,
    CONSISTENCY,
    DISTRICTS,
    INVARIANTS,
    PrintedLoss,
)
from docs.reproductions.markdown import table
from safetab_sql.evaluation.epl import Estimator

_ESTIMATOR = Estimator()

_HEAD = f"""\
# Empirical privacy loss: the experiments of Flaxman and Petti

A. Flaxman and S. Petti (2020), Supplementary Methods Appendix to *Differential privacy in the 2020 US census: what will
it do?* Written by `make reproductions`; tests compare.

The empirical privacy loss (EPL) is the largest |log(p(x) / p(x + 1))|, where p is the kernel density of the residuals
with bandwidth {_ESTIMATOR.bandwidth:g} of their standard deviation and x runs from percentile \
{100 - _ESTIMATOR.percentile:g} to {_ESTIMATOR.percentile:g}.
In the columns "noise of epsilon" the noise has the privacy loss epsilon; in the columns "noise of epsilon/2" it has
half of that."""

_SA1_NOTES = """\
**Panel (a).** Their intervals hold {whole} of {rows} of our means with noise of loss epsilon, and {half} with noise of
half that loss, which is what their text names: "G(epsilon/2)". The definition overshoots: the largest of many noisy
ratios is too large, and with so few districts noise of half the loss looks like noise of loss epsilon. With more
districts the estimate comes down to the true loss. Their text has 0.043 at epsilon 0.05: our range with half the loss,
{lower:.3f} to {upper:.3f}, holds it.

**Panels (b) and (c)** do not reproduce. By the definition the estimate depends on bandwidth and percentile. Their
figures do not, and {repeated} rows of their panel (c) are equal to rows of their panel (b), digit for digit, as if
neither setting had been applied."""

_CONSISTENCY_NOTES = f"""\
They print {CONSISTENCY}, and give neither the number of strata, nor the weights, nor which of the best solutions they
took. The direction reproduces in every row: less than the 1.0 that sequential composition states. Several rows come
near their figure, which proves nothing about how theirs was made."""

_INVARIANTS_NOTES = f"""\
They print {INVARIANTS} for exact county totals, and do not say what is minimised. The rise reproduces, but exact totals
alone do not cause it. Without them, where negative counts become 0, residuals of empty strata already pile up at 0,
though the counts are as private as before. A rise after post-processing is therefore no proof of a greater loss."""


_FIGURES = f"""\
## Figures SA1 to SA4

Noise of half the loss, which their text names; the districts are made up. Dashed: the loss that is stated, with its
sign. `epl --figures` draws the same of a release, or of a table of counts.

![Noisy counts, and noisy minus exact counts, against exact counts of districts: the noise does not depend on \
them](pictures/sa1.png)

![Left the shares of the residuals and their kernel density, right EPL(x), which stays near the stated loss of \
0.25](pictures/sa2.png)

They find an EPL of 0.18 in SA2, we {{sa2:.2f}}, of one set of residuals each; of such sets, 95 % are in the range of
table SA1, (a) 0.25, and ours is just above it. SA3 stays below the 1.0 of sequential composition; they print
{CONSISTENCY}.

![Density and EPL(x) of strata made consistent with their total](pictures/sa3.png)

SA4 rises far above the 0.25 of the noise, at the residuals of empty strata; they print {INVARIANTS}, which noise of the
whole loss gives (table above).

![Density and EPL(x) with exact county totals and no negative counts: a steep rise at zero](pictures/sa4.png)"""


def page() -> str:
    """The whole page, in Markdown."""
    return (
        "\n\n".join(
            [_HEAD, sa1_section(), consistency_section(), invariants_section(), _FIGURES.format(sa2=epl_of_sa2())]
        )
        + "\n"
    )


def sa1_section() -> str:
    """Table SA1; takes a minute or two."""
    panels = table_sa1(_ESTIMATOR)
    heads = {
        "epsilon": "(a) epsilon",
        "bandwidth": "(b) bandwidth, epsilon 0.25",
        "percentile": "(c) search percentile, epsilon 0.25",
        "many districts": f"(a) with {MORE} times the districts",
    }
    head = f"""## Table SA1

Mean of {SETS} sets of {DISTRICTS:,} residuals, with the range of 95 % of them. "Holds": which of our means lie in the
interval that they print."""
    tables = [_panel(heads[name], rows) for name, rows in panels.items()]
    return "\n\n".join([head, *tables, _sa1_notes(panels)])


def consistency_section() -> str:
    """Strata and totals made consistent."""
    head = """## Consistency

Strata are measured with epsilon 0.75 and their totals with 0.25, then made consistent; 1.0 is stated for both
together."""
    return "\n\n".join([head, _ways(consistency(_ESTIMATOR)), _CONSISTENCY_NOTES])


def invariants_section() -> str:
    """Exact county totals, no negative counts."""
    head = """## Invariants

Strata of districts have noise of epsilon 0.25, and are then optimised. The districts are made up."""
    return "\n\n".join([head, _ways(invariants(_ESTIMATOR)), _INVARIANTS_NOTES])


def _ways(rows: Sequence[Comparison]) -> str:
    columns = ("", "noise of epsilon: EPL (bootstrap)", "noise of epsilon/2: EPL (bootstrap)")
    return table(columns, [(row.what, _estimate(row.whole), _estimate(row.half)) for row in rows])


def _panel(head: str, rows: Sequence[Comparison]) -> str:
    columns = (head, "noise of epsilon: EPL", "noise of epsilon/2: EPL", "their EPL", "holds")
    return table(columns, [(row.what, _estimate(row.whole), _estimate(row.half), *_printed(row)) for row in rows])


def _estimate(estimate: Estimate) -> str:
    return f"{_loss(estimate.epl)} ({_loss(estimate.lower)} to {_loss(estimate.upper)})"


def _printed(row: Comparison) -> tuple[str, str]:
    """Theirs, and which of our means their interval holds."""
    if row.theirs is None:
        return "", ""
    held = [name for name, ours in (("epsilon", row.whole), ("epsilon/2", row.half)) if _holds(row.theirs, ours)]
    theirs = f"{row.theirs.mean:.4f} ({row.theirs.lower:.4f} to {row.theirs.upper:.4f})"
    return theirs, ", ".join(held) or "neither"


def _holds(theirs: PrintedLoss, ours: Estimate) -> bool:
    return theirs.lower <= ours.epl <= theirs.upper


def _loss(value: float) -> str:
    return f"{value:.4f}" if isfinite(value) else "unbounded"


def _sa1_notes(panels: Mapping[str, Sequence[Comparison]]) -> str:
    """What reproduces, and what does not."""
    pairs = [(row.theirs, row) for row in panels["epsilon"] if row.theirs is not None]
    whole = sum(_holds(theirs, row.whole) for theirs, row in pairs)
    half = sum(_holds(theirs, row.half) for theirs, row in pairs)
    printed = [[(row.mean, row.lower, row.upper) for row in panel] for panel in (BY_BANDWIDTH, BY_PERCENTILE)]
    repeated = sum(one == other for one, other in zip(*printed, strict=False))
    said = next(row.half for _, row in pairs if row.what == "0.05")
    ends = {"lower": said.lower, "upper": said.upper}
    return _SA1_NOTES.format(rows=len(pairs), whole=whole, half=half, repeated=repeated, **ends)
