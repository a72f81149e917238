"""Figures of residuals as Flaxman and Petti draw them: counts, residuals, their density, and the loss at every x.

They show exact counts, or what follows from them: for public or synthetic data only.
"""

from collections.abc import Mapping

import numpy as np

from safetab_sql.evaluation.epl import Estimator, Residuals, densities, loss_curves
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.figures import INK, PALETTE, Figure, figure

_WIDTH, _HEIGHT = 300, 240  # pixels, of each of the two panels
_MOST_POINTS = 4_000


def scatter_figure(title: str, exact: Int64s, noisy: Int64s) -> Figure:
    """Noisy counts, and their residuals, against the exact counts; of more than 4,000 counts, evenly chosen ones.

    Source: Flaxman and Petti, Figure SA1.
    """
    step = -(-exact.size // _MOST_POINTS)
    rows: list[dict[str, object]] = [
        {"exact": int(one), "noisy": int(other), "residual": int(other - one)}
        for one, other in zip(exact[::step], noisy[::step], strict=True)
    ]
    x = _axis("exact", "exact count")
    mark = {"type": "point", "filled": True, "size": 9, "opacity": 0.45, "color": PALETTE[0]}
    panels = [
        {"mark": mark, "encoding": {"x": x, "y": _axis(name, words)}}
        for name, words in (("noisy", "noisy count"), ("residual", "noisy minus exact"))
    ]
    return _two_panels(title, "Left: noisy against exact counts. Right: their difference.", rows, panels)


def loss_figure(
    title: str, residuals: Residuals, estimator: Estimator, stated: Mapping[int, float] | None = None
) -> Figure:
    """Shares and kernel density of the residuals, and EPL(x) where it is searched, beside the stated loss.

    stated: the stated loss at the values x. Source: Flaxman and Petti, Figures SA2 to SA4.
    """
    shares, smoothed = densities(residuals, estimator)
    curves = loss_curves(residuals.first, residuals.counts[np.newaxis, :], estimator)
    losses = np.where(curves.is_searched & np.isfinite(curves.losses), curves.losses, np.nan)[0]
    said = stated or {}
    searched = np.flatnonzero(curves.is_searched[0])
    reach = max(1, int(searched[-1] - searched[0]))  # the tails beyond twice the range searched are not drawn
    first, last = max(0, searched[0] - reach), min(losses.size, searched[-1] + reach + 1)
    rows: list[dict[str, object]] = [
        {
            "x": residuals.first + int(place),
            "share": float(shares[place]),
            "density": float(smoothed[place]),
            "loss": None if np.isnan(losses[place]) else float(losses[place]),
            "stated": said.get(residuals.first + int(place)) if curves.is_searched[0][place] else None,
        }
        for place in range(first, last)
    ]
    x = _axis("x", "residual x, noisy minus exact")
    share = {"type": "point", "filled": True, "size": 12, "opacity": 0.6, "color": PALETTE[0]}
    left = [
        {"mark": share, "encoding": {"x": x, "y": _axis("share", "share of residuals")}},
        {"mark": {"type": "line", "color": PALETTE[1]}, "encoding": {"x": x, "y": _axis("density", "")}},
    ]
    right = [
        {"mark": {"type": "line", "color": PALETTE[1]}, "encoding": {"x": x, "y": _axis("loss", "EPL(x)")}},
        {
            "mark": {"type": "line", "color": INK, "strokeDash": [5, 3]},
            "encoding": {"x": x, "y": _axis("stated", "")},
        },
    ]
    how = (
        "Left: the share of each residual (dots) and their kernel density (line). Right: the log ratio of the density "
        "at x to that at x + 1, and the stated loss (dashed)."
    )
    return _two_panels(title, how, rows, [{"layer": left}, {"layer": right[: 1 + bool(said)]}])


def _two_panels(title: str, description: str, rows: list[dict[str, object]], panels: list[dict[str, object]]) -> Figure:
    sized = [{"width": _WIDTH, "height": _HEIGHT, **panel} for panel in panels]
    return figure(title, description, rows, {"hconcat": sized})


def _axis(field: str, title: str) -> Mapping[str, object]:
    axis = {"tickCount": 6, **({"title": title} if title else {})}
    return {"field": field, "type": "quantitative", "scale": {"zero": False}, "axis": axis}
