"""What charts of the report share: axes of levels and of numbers, marks, tooltips, and bars of shares by level."""

from collections.abc import Mapping

from safetab_sql.kit.figures import INK, PALETTE, Figure
from safetab_sql.report.sections import LABELS, WORDS, Chart, Rows, Values, chart, tips

STEP: Figure = {"step": 26}  # pixels a row, of bars and dots
WIDE_STEP: Figure = {"step": 40, "for": "position"}  # of rows with a dot for each series
LEVELS: Figure = {"field": "level", "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False}}
BAR: Figure = {"type": "bar", "color": PALETTE[0], "height": {"band": 0.72}}
_ROUND_MARGINS = [0, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000]  # persons


def amount(field: str, title: str, axis: Figure | None = None, scale: Figure | None = None) -> Figure:
    """A channel of numbers. title: of its axis. axis: what else is said of that."""
    scaled = {} if scale is None else {"scale": scale}
    return {"field": field, "type": "quantitative", **scaled, "axis": {"title": title, **(axis or {})}}


def margins(field: str, title: str) -> Figure:
    """A channel of half-widths of intervals, on a logarithmic axis that has a 0."""
    scale = {"type": "symlog", "zero": False, "nice": False, "padding": 14}
    return amount(field, title, {"values": _ROUND_MARGINS}, scale)


def series(field: str, legend: Figure | None = None) -> Figure:
    """A channel of texts in the order of the rows: what tells one series from another."""
    return {"field": field, "type": "nominal", "sort": None, "legend": {"title": None, **(legend or {})}}


def layer(mark: Figure, encoding: Figure) -> Figure:
    """A layer of a chart: a mark, and what its channels show."""
    return {"mark": mark, "encoding": encoding}


def across(mark: Figure, x: Figure, field: str, to: str | None = None, others: Figure | None = None) -> Figure:
    """A layer whose mark stands at a field on the axis of `x`, or goes from there to another field."""
    end = {} if to is None else {"x2": {"field": to}}
    return layer(mark, {"x": {**x, "field": field}, **end, **(others or {})})


def tick(color: str, thickness: int, size: int) -> Figure:
    """A mark: a short line across an axis."""
    return {"type": "tick", "color": color, "thickness": thickness, "size": size}


def dot(size: int, color: str | None = None) -> Figure:
    """A mark: a filled circle. size: its area, pixels. color: None where a channel has it."""
    return {"type": "point", "filled": True, "size": size, "opacity": 1} | ({} if color is None else {"color": color})


def texts(field: str, shown: str | None = None) -> Figure:
    """A layer of texts beside the ends of bars. shown: the format of numbers."""
    return layer({"type": "text", "align": "left", "dx": 6, "color": INK}, {"text": tip(field, shown=shown)})


def tip(field: str, title: str | None = None, shown: str | None = None) -> Figure:
    """An entry of a tooltip. shown: the format of its number."""
    said = {"title": title, "format": shown}
    return {"field": field} | {name: text for name, text in said.items() if text is not None}


def by_level(encoding: Figure, *layers: Figure, step: Figure = STEP) -> Figure:
    """A chart with a row for each level. encoding: what all layers show beside that."""
    return {"height": step, "encoding": {"y": LEVELS, **encoding}, "layer": list(layers)}


def share_bars(name: str, rows: Rows, shades: Mapping[str, float], values: Values) -> Chart:
    """Bars of shares that fill up to 100 %, one per level, one hue: the darker, the more; and the number of groups.

    name: of the chart, of whose heads the second is the field that is shaded. shades: opacity of each of its values.
    The legend has the values that have data.
    """
    field = list(WORDS["charts"][name]["heads"])[1]
    sizes: dict[object, int] = {}
    for row in rows:
        sizes[row["level"]] = sizes.get(row["level"], 0) + row["groups"]
    present = {row[field] for row in rows if row["groups"]}
    drawn = {name: opacity for name, opacity in shades.items() if name in present}
    axis = {"format": ".0%", "tickCount": 5, "grid": False}
    x = amount("share", LABELS["share_of_groups"], axis, {"domain": [0, 1]})
    opacity = {
        "field": field,
        "type": "ordinal",
        "sort": list(drawn),
        "scale": {"type": "ordinal", "domain": list(drawn), "range": list(drawn.values())},
        "legend": {"title": None, "symbolFillColor": PALETTE[0], "symbolStrokeWidth": 0},
    }
    beside = texts("size") | {
        "data": {"values": [{"level": level, "share": 1, "size": f"{size:,}"} for level, size in sizes.items()]}
    }
    beside["encoding"] |= {"x": {name: x[name] for name in ("field", "type", "scale")}, "y": LEVELS}
    place = {"x": {**x, "stack": "zero"}, "y": LEVELS, "order": {"field": "order"}}
    bars = layer(BAR, {**place, "opacity": opacity, "tooltip": tips(name, rows, values)})
    return chart(name, rows, {"height": STEP, "layer": [bars, beside]}, values)
