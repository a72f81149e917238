"""Figures as Vega-Lite specifications, and their files for papers; the HTML report draws the same specifications.

Vega-Lite because a chart is data, not code: one dictionary is drawn by the browser, with tooltips, and by vl-convert,
without any browser, as SVG or PNG. Nothing is fetched, ever.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from safetab_sql.kit.errors import DRAWING, missing_extras, refuse

Figure = dict[str, Any]  # a Vega-Lite specification
Image = Literal["svg", "png"]

# Okabe and Ito (2008): eight colours that people with any colour vision can distinguish, in the order of their use.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#F0E442")
INK, SOFT_INK, RULE, PAPER = "#1B1F24", "#57606A", "#D9DEE3", "#FFFFFF"  # of texts, texts of axes, lines, and below all
VEGA_LITE = "6.4"  # the version of the specifications, and of the library that draws them
WIDTH = 560  # pixels, of figures in files
PIXELS_PER_POINT = 2.0  # of PNG files: sharp in print at the size of a column
COLOURS = {"INK": INK, "SOFT_INK": SOFT_INK, "RULE": RULE, "PAPER": PAPER}  # by their names in figures.toml


@cache
def _config() -> Figure:
    """What all figures look like."""
    text = (Path(__file__).parent / "figures.toml").read_text(encoding="utf-8")
    for name, colour in COLOURS.items():
        text = text.replace(f'"{name}"', f'"{colour}"')
    return {**tomllib.loads(text), "range": {"category": list(PALETTE)}, "view": {"stroke": None}}


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


def _drawing(figure: Figure) -> dict[str, Any]:
    """What the package that draws takes: the figure with a width, where it has none of its own; nothing is fetched."""
    sized = figure if {"facet", "hconcat", "vconcat"} & figure.keys() else {"width": WIDTH, **figure}
    return {"vl_spec": sized, "vl_version": VEGA_LITE, "allowed_base_urls": []}


def converter() -> Any:
    """The package that draws. Raises: InputError where it cannot be imported."""
    refuse(missing_extras(DRAWING))
    import vl_convert  # noqa: PLC0415  (40 MB that most commands do not need)

    return vl_convert
