"""The experiments of Flaxman and Petti, ours beside theirs: flaxman_petti.md."""

from collections.abc import Sequence
from math import isfinite

from docs.reproductions.flaxman_petti.experiments import MORE, Comparison, Estimate, consistency, invariants, table_sa1
from docs.reproductions.flaxman_petti.printed_losses import PrintedLoss
from docs.reproductions.markdown import table
from safetab_sql.evaluation.epl import Estimator

_HEADS = {
    "epsilon": "(a) epsilon",
    "bandwidth": "(b) bandwidth, epsilon 0.25",
    "percentile": "(c) search percentile, epsilon 0.25",
    "many_districts": f"(a) with {MORE} times the districts",
}


def blocks() -> dict[str, str]:
    """What is computed of the page; takes a minute or two."""
    panels = table_sa1(Estimator())
    return {**{name: _panel(head, panels[name]) for name, head in _HEADS.items()}, **quick_blocks()}


def quick_blocks() -> dict[str, str]:
    """The experiments of consistency and of invariants."""
    return {"consistency": _ways(consistency(Estimator())), "invariants": _ways(invariants(Estimator()))}


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
