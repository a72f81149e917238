"""What charts of the report share: axes of levels and of numbers, marks, tooltips, and bars of shares by level."""

import json
from collections.abc import Mapping, Sequence

from safetab_sql.kit.figures import COLOURS, INK, PALETTE, Figure
from safetab_sql.report.sections import LABELS, WORDS, Chart, Rows, Values, chart, exchanged, tips

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


# What the page makes of figures.

_NEAREST: Figure = {"type": "point", "nearest": True, "on": "pointerover", "clear": "pointerout"}
# The colours that light and dark change, as the page's style sheet calls them.
_VARIABLES: Mapping[str, str] = {
    **{colour: f"var(--series-{number})" for number, colour in enumerate(PALETTE, start=1)},
    **{colour: f"var(--{name.lower().replace('_', '-')})" for name, colour in COLOURS.items()},
}


def page_figure(figure: Figure) -> Figure:
    """The figure for the report: it has the page's colours and no title of its own, and the page gives it a width.

    Colours become variables of the style sheet, so that one drawing serves light, dark and print. A colour scale that
    mixes colours cannot use variables: use opacity instead.
    """
    shown = {name: value for name, value in figure.items() if name not in ("title", "description", "$schema")}
    config = {**figure["config"], "background": None, "aria": False}  # the page describes its charts itself
    drawn = {**_with_hover(shown), **_height(figure), "config": config}
    recoloured: Figure = exchanged(drawn, lambda text: _VARIABLES.get(text, text), kept="data")
    return recoloured


def _with_hover(figure: Figure) -> Figure:
    """The figure; if its lines have tooltips, with a dot on the nearest line that follows the pointer."""
    mark, encoding = figure.get("mark"), figure.get("encoding", {})
    if not (isinstance(mark, Mapping) and mark.get("type") == "line" and "tooltip" in encoding):
        return figure
    shared = {name: channel for name, channel in encoding.items() if name not in ("tooltip", "strokeDash")}
    dashes = {name: channel for name, channel in encoding.items() if name == "strokeDash"}
    opacity = {"condition": {"param": "hovered", "empty": False, "value": 1}, "value": 0}
    dots = {
        "params": [dict(name="hovered", select=_NEAREST)],  # not in quotes, where `select` begins a statement
        "mark": {"type": "point", "filled": True, "size": 70},
        "encoding": {"opacity": opacity, "tooltip": {"value": {"expr": _tooltip(encoding["tooltip"])}}},
    }
    rest = {name: part for name, part in figure.items() if name not in ("mark", "encoding")}
    return {**rest, "encoding": shared, "layer": [{"mark": mark, "encoding": dashes}, dots]}


def _tooltip(entries: Sequence[Mapping[str, str]]) -> str:
    """The entries of a tooltip as an expression that fits both a dot and the area in which it is the nearest.

    There Vega-Lite itself takes a field without a format from the dot's drawing (such as its size), not from its row.
    """
    parts = []
    for entry in entries:
        value = f"(datum.datum || datum)[{json.dumps(entry['field'])}]"
        shown = f"format({value}, {json.dumps(entry['format'])})" if "format" in entry else value
        parts.append(f"{json.dumps(entry.get('title', entry['field']))}: {shown}")
    return f"{{{', '.join(parts)}}}"


def _height(figure: Figure) -> Figure:
    """The height in pixels of a figure with a height per row: Vega-Lite cannot compute it when it fits the width."""
    height = figure.get("height")
    if not isinstance(height, Mapping):
        return {}
    encodings = [part.get("encoding", {}) for part in (figure, *figure.get("layer", ()))]
    field = next(encoding["y"]["field"] for encoding in encodings if "y" in encoding)
    return {"height": height["step"] * len({row[field] for row in figure["data"]["values"]})}
