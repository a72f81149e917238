"""Figures as Vega-Lite specifications, and their files for papers; the HTML report draws the same specifications.

Vega-Lite because a chart is data, not code: one dictionary is drawn by the browser, with tooltips and a description
that screen readers find, and by vl-convert, without any browser, as SVG or PNG. Nothing is fetched, ever.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from safetab_sql.errors import InputError, Problem

Figure = dict[str, Any]  # a Vega-Lite specification
Image = Literal["svg", "png"]

# Okabe and Ito (2008): eight colours that people with any colour vision tell apart; the order in which we use them.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#F0E442")
VEGA_LITE = "5.21"  # the version of the specifications, and of the library that draws them
PIXELS_PER_POINT = 2.0  # of PNG files: sharp in print at the size of a column

_CONFIG: Figure = {
    "font": "system-ui, sans-serif",
    "range": {"category": list(PALETTE)},
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "gridOpacity": 0.4},
    "legend": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal"},
    "title": {"fontSize": 13, "fontWeight": "normal", "anchor": "start"},
    "view": {"stroke": None},
}


def figure(title: str, description: str, rows: Sequence[Mapping[str, object]], specification: Figure) -> Figure:
    """A complete figure: `specification` (mark or layers, encoding) over `rows`, a title and a text for screen readers.

    rows: one mapping of column to value per mark; numbers, texts, booleans and None alone.
    """
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": title,
        "description": description,
        "data": {"values": [dict(row) for row in rows]},
        "config": _CONFIG,
        **specification,
    }


def svg(figure: Figure) -> str:
    """The figure as SVG. Raises: InputError where the package that draws is not installed."""
    return str(_converter().vegalite_to_svg(figure, vl_version=VEGA_LITE, allowed_base_urls=[]))


def png(figure: Figure) -> bytes:
    """The figure as PNG. Raises: InputError where the package that draws is not installed."""
    drawn = _converter().vegalite_to_png(figure, vl_version=VEGA_LITE, scale=PIXELS_PER_POINT, allowed_base_urls=[])
    return bytes(drawn)


def javascript() -> str:
    """Vega, Vega-Lite and vega-embed as one script for a page; it defines `vegaEmbed`. About 0.9 MB.

    Raises: InputError where the package that holds them is not installed.
    """
    return str(_converter().javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE))


def write_figures(folder: Path, figures: Mapping[str, Figure], images: Sequence[Image] = ("svg", "png")) -> None:
    """Write each figure as `folder`/name.svg and .png. The folder must exist."""
    for name, drawn in figures.items():
        if "svg" in images:
            (folder / f"{name}.svg").write_text(svg(drawn), encoding="utf-8")
        if "png" in images:
            (folder / f"{name}.png").write_bytes(png(drawn))


def _converter() -> Any:
    try:
        import vl_convert  # noqa: PLC0415  (40 MB that most commands do without)
    except ImportError as error:
        what = "figures are drawn by vl-convert-python, which is not installed"
        raise InputError([Problem("figures", what, "pip install 'safetab-sql[report]'")]) from error
    return vl_convert
