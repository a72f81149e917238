"""The section on empirical privacy loss: the loss that the errors themselves show, from the output of `evaluate`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.kit.figures import PALETTE, Figure, figure
from safetab_sql.report.sections import Chart, Section, chart

Row = Mapping[str, Any]

_STEP = {"step": 26}  # pixels a row
_LEVEL_AXIS: Figure = {"field": "level", "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False}}
_ROUND_LOSSES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]


def loss_section(epl: Sequence[Row], curve: Sequence[Row], many: str) -> Section:
    """The section on rows of epl.parquet, at least one, and of epl_curve.parquet. many: what records are called."""
    failed = [row for row in epl if not row["passes"]]
    verdict = (
        "None of them shows more loss than was stated."
        if not failed
        else f"{len(failed)} of {len(epl)} show MORE loss than was stated, beyond chance: "
        + ", ".join(f"{row['population_group_level']} ({row['noise']})" for row in failed)
        + "."
    )
    return Section(
        id="empirical-privacy-loss",
        title="Empirical privacy loss",
        paragraphs=(
            "The errors of a release show its noise. The empirical privacy loss of one count is how fast the density "
            "of the errors falls from one value to the next. With few errors the estimate is too high, so it is "
            f"compared with estimates from as many draws of the stated noise. {verdict}",
        ),
        figures=(_epl_chart(epl), *_curve_chart(epl, curve, many)),
    )


def _epl_chart(epl: Sequence[Row]) -> Chart:
    rows = [
        {
            "level": f"{row['population_group_level']}, {row['noise'].partition(' (')[0]}",
            **{name: row[name] for name in ("residuals", "epl", "epl_lower", "epl_upper", "stated_loss")},
            "shown": _shown(row["stated_loss"]),
            "passes": "yes" if row["passes"] else "no",
        }
        for row in epl
    ]
    x = {
        "field": "epl",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 14},
        "axis": {"title": "privacy loss of one count", "values": _ROUND_LOSSES, "format": "~g"},
    }
    tooltip = [
        {"field": "level", "title": "noise of"},
        {"field": "epl", "format": ".3f", "title": "estimate"},
        {"field": "shown", "title": "stated"},
        {"field": "residuals", "format": ",", "title": "errors"},
    ]
    layers = [
        {
            "mark": {"type": "rule", "color": PALETTE[1], "strokeWidth": 2},
            "encoding": {"x": {**x, "field": "epl_lower"}, "x2": {"field": "epl_upper"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "color": PALETTE[1], "opacity": 1},
            "encoding": {"x": x, "tooltip": tooltip},
        },
        {
            "mark": {"type": "tick", "color": PALETTE[0], "thickness": 3, "size": 18},
            "encoding": {"x": {**x, "field": "stated_loss"}, "tooltip": tooltip},
        },
    ]
    drawn = figure(
        "Privacy loss of one count: stated, and seen in the errors",
        "One row per level and noise. A tick: the stated loss. A dot with a line: the estimate from the errors and "
        "its 95 % bootstrap interval.",
        rows,
        {"height": _STEP, "encoding": {"y": _LEVEL_AXIS}, "layer": layers},
    )
    columns = {
        "level": "Noise of",
        "residuals": "Errors",
        "shown": "Stated loss",
        "epl": "Estimate",
        "epl_lower": "from",
        "epl_upper": "to",
        "passes": "No more than stated",
    }
    how = "Ticks are stated, dots are estimated, lines are 95 % bootstrap intervals. Few errors make high estimates."
    return chart("empirical-privacy-loss", drawn, how, columns)


def _curve_chart(epl: Sequence[Row], curve: Sequence[Row], many: str) -> Iterator[Chart]:
    """The loss at every size of error, of the noise with the most errors."""
    most = max(epl, key=lambda row: row["residuals"])
    rows = [
        {name: row[name] for name in ("x", "epl_of_x", "stated_loss", "honest_lower", "honest_upper")}
        | {"shown": _shown(row["stated_loss"])}
        for row in curve
        if (row["population_group_level"], row["noise"]) == (most["population_group_level"], most["noise"])
    ]
    if not rows:
        return
    x = {"field": "x", "type": "quantitative", "axis": {"title": f"error, {many}", "tickCount": 8, "tickMinStep": 1}}
    y = {"type": "quantitative", "axis": {"title": "log p(x) / p(x + 1)", "tickCount": 6}}
    band = {
        "mark": {"type": "area", "color": PALETTE[0], "opacity": 0.22},
        "encoding": {"y": {**y, "field": "honest_lower"}, "y2": {"field": "honest_upper"}},
    }
    stated = {
        "mark": {"type": "line", "color": PALETTE[0], "strokeDash": [5, 3]},
        "encoding": {"y": {**y, "field": "stated_loss"}},
    }
    observed = {
        "mark": {"type": "line", "color": PALETTE[1], "strokeWidth": 2, "point": {"color": PALETTE[1], "size": 22}},
        "encoding": {"y": {**y, "field": "epl_of_x"}},
    }
    drawn = figure(
        f"Where the loss is: {most['population_group_level']}, {most['noise']}",
        "Two lines by size of error: the loss that the errors show, and the loss of the stated law, inside a band "
        "where honest noise lies.",
        rows,
        {"height": 240, "encoding": {"x": x}, "layer": [band, stated, observed]},
    )
    columns = {
        "x": f"Error, {many}",
        "epl_of_x": "Seen in the errors",
        "shown": "Of the stated law",
        "honest_lower": "Honest from",
        "honest_upper": "to",
    }
    how = "Solid: seen in the errors. Dashed: the stated law. Band: honest noise, 19 times in 20 at each point."
    yield chart("empirical-loss-curve", drawn, how, columns)


def _shown(loss: float | None) -> str | None:
    """A stated loss with 4 digits, rounded up."""
    return None if loss is None else rounded_up(loss, 4)
