"""Figures as Vega-Lite specifications, and their files for papers; the HTML report draws the same specifications.

Vega-Lite because a chart is data, not code: one dictionary is drawn by the browser, with tooltips, and by vl-convert,
without any browser, as SVG or PNG. Nothing is fetched, ever.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from safetab_sql.kit.errors import DRAWING, missing_extras, refuse
from safetab_sql.kit.words import words

Figure = dict[str, Any]  # a Vega-Lite specification
Image = Literal["svg", "png"]

# Okabe and Ito (2008): eight colours that people with any colour vision can distinguish, in the order of their use.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#F0E442")
INK, SOFT_INK, RULE = "#1B1F24", "#57606A", "#D9DEE3"  # of texts, of the texts of axes, and of their lines
PAPER = "#FFFFFF"
VEGA_LITE = "6.4"  # the version of the specifications, and of the library that draws them
WIDTH = 560  # pixels, of figures in files
PIXELS_PER_POINT = 2.0  # of PNG files: sharp in print at the size of a column

_COLOURS = {"INK": INK, "SOFT_INK": SOFT_INK, "RULE": RULE, "PAPER": PAPER}  # by their names in figures.toml
_NEAREST: Figure = {"type": "point", "nearest": True, "on": "pointerover", "clear": "pointerout"}
# The colours that light and dark change, as the page's style sheet calls them.
_VARIABLES: Mapping[str, str] = {
    **{colour: f"var(--series-{number})" for number, colour in enumerate(PALETTE, start=1)},
    **{colour: f"var(--{name.lower().replace('_', '-')})" for name, colour in _COLOURS.items()},
}


@cache
def _config() -> Figure:
    """What all figures look like."""
    found: Figure = _exchanged(words(Path(__file__).parent / "figures.toml"), _COLOURS)
    return {**found, "range": {"category": list(PALETTE)}, "view": {"stroke": None}}


def figure(title: str, description: str, rows: Sequence[Mapping[str, object]], specification: Figure) -> Figure:
    """A complete figure: `specification` (mark or layers, encoding) over `rows`, a title and a text for screen readers.

    rows: one mapping of column to value per mark; numbers, texts, booleans and None alone.
    """
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": title,
        "description": description,
        "data": {"values": [dict(row) for row in rows]},
        "config": _config(),
        **specification,
    }


def page_figure(figure: Figure) -> Figure:
    """The figure for the report: it has the page's colours and no title of its own, and the page gives it a width.

    Colours become variables of the style sheet, so that one drawing serves light, dark and print. A colour scale that
    mixes colours cannot use variables: use opacity instead.
    """
    shown = {name: value for name, value in figure.items() if name not in ("title", "description", "$schema")}
    config = {**figure["config"], "background": None, "aria": False}  # the page describes its charts itself
    recoloured: Figure = _exchanged({**_with_hover(shown), **_height(figure), "config": config}, _VARIABLES)
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


def svg(figure: Figure) -> str:
    """The figure as SVG. Raises: InputError where the package that draws cannot be imported."""
    return str(converter().vegalite_to_svg(**_drawing(figure)))


def write_figures(folder: Path, figures: Mapping[str, Figure], images: Sequence[Image] = ("svg", "png")) -> None:
    """Write each figure as `folder`/name.svg and .png. The folder must exist."""
    for name, drawn in figures.items():
        if "svg" in images:
            (folder / f"{name}.svg").write_text(svg(drawn), encoding="utf-8")
        if "png" in images:
            (folder / f"{name}.png").write_bytes(converter().vegalite_to_png(scale=PIXELS_PER_POINT, **_drawing(drawn)))


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


def _drawing(figure: Figure) -> dict[str, Any]:
    """What the package that draws takes: the figure with a width, where it has none of its own; nothing is fetched."""
    sized = figure if {"facet", "hconcat", "vconcat"} & figure.keys() else {"width": WIDTH, **figure}
    return {"vl_spec": sized, "vl_version": VEGA_LITE, "allowed_base_urls": []}


def _exchanged(part: Any, texts: Mapping[str, str]) -> Any:
    """Part of a specification, except its data, with other texts in place of some."""
    if isinstance(part, Mapping):
        return {name: value if name == "data" else _exchanged(value, texts) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_exchanged(item, texts) for item in part]
    return texts.get(part, part) if isinstance(part, str) else part


def converter() -> Any:
    """The package that draws. Raises: InputError where it cannot be imported."""
    refuse(missing_extras(DRAWING))
    import vl_convert  # noqa: PLC0415  (40 MB that most commands do not need)

    return vl_convert
