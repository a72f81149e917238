"""The report as one HTML file that opens from disk: sections, charts, the script that draws them, and nothing fetched.

Vega-Lite is the charting library because its charts are data that both the page and papers draw, as vector graphics,
with axes, legends and scales that we need not write; because its expressions can be interpreted, so that the page may
forbid `eval`; and because the package that draws without a browser (vl-convert) carries the scripts for the page too.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from safetab_sql.kit.figures import javascript, page_figure
from safetab_sql.kit.marks import HTML_MARK
from safetab_sql.report.groups import Groups
from safetab_sql.report.sections import Cell, Section, Table
from safetab_sql.report.shapes import RegionMap

_FILES = Path(__file__).parent / "page_files"
_SCRIPTS = ("charts.js", "map.js", "groups.js")  # of the page, in this order
_NUMBER = re.compile(r"[±+-]?[\d.,]+(e-?\d+)?( ?%)?|–")


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure at the top of the page. label: what it is; value: a few characters; note: a few words."""

    label: str
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class Page:
    """The contents of the page, in this order.

    banner: above all else. byline: a sentence or two. credits: who published it, each a label and a text. warnings:
    what nobody may miss. many: what records are called. maps: of the regions of groups. is_exact: whether something on
    it was made from exact counts.
    """

    banner: str | None
    title: str
    byline: str
    credits: tuple[Fact, ...]
    warnings: tuple[str, ...]
    facts: tuple[Fact, ...]
    groups: Groups | None
    sections: tuple[Section, ...]
    many: str = "people"
    maps: tuple[RegionMap, ...] = ()
    is_exact: bool = False


def html(page: Page) -> str:
    """The page as HTML. Raises: InputError where the package that holds the charting library is not installed."""
    figures = {chart.name: page_figure(chart.figure) for section in page.sections for chart in section.figures}
    data: dict[str, object] = {"data-figures": figures}
    if page.groups is not None:
        data["data-groups"] = compressed_json(page.groups.packed)
    if page.maps:
        data["data-maps"] = compressed_json([_packed(each) for each in page.maps])
    scripts = [javascript(), _page_script()]
    groups = [Section("tables-of-groups", page.groups.title)] if page.groups else []
    groups += [Section("map", "Map")] if page.maps else []
    return template("report.html").render(
        page=page,
        contents=[*groups, *page.sections],
        version=metadata.version("safetab-sql"),
        style=Markup(template("report.css").render()),  # noqa: S704  (ours, and holds no data)
        policy=_policy(scripts),
        data_scripts=[(name, script_json(value)) for name, value in data.items()],
        scripts=[_script(text) for text in scripts],
        mark=Markup(HTML_MARK) if page.is_exact else "",  # noqa: S704  (ours, and holds no data)
        shown=shown,
        numeric=numeric,
    )


def _packed(drawn: RegionMap) -> dict[str, object]:
    """A map for the page's script."""
    return {"type": drawn.region_type, "width": drawn.width, "height": drawn.height, "outlines": dict(drawn.outlines)}


def _page_script() -> str:
    """The script of the page; its names are its own."""
    text = "\n".join((_FILES / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return f'"use strict";\n{{\n{text}}}\n'


def template(name: str) -> Template:
    """A file of page_files; every text that is put into it is shown as it is, whatever characters are in it."""
    environment = Environment(
        loader=FileSystemLoader(_FILES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def script_json(value: object) -> Markup:
    """JSON to stand in a script element: no `<`, so that no text in it can end the element or begin a comment."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))  # noqa: S704


def compressed_json(value: object) -> str:
    """JSON, compressed (zlib) and encoded in base64, a third of its size for a nation; the page's script decodes it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode())).decode()


def shown(cell: Cell) -> str:
    """A cell of a table as text: whole numbers with thousands separators, other numbers with four digits."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:,.4g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def numeric(table: Table) -> Sequence[int]:
    """The numbers of the columns that hold numbers, which the page aligns right."""
    return [
        place
        for place in range(len(table.columns))
        if table.rows and all(_NUMBER.fullmatch(shown(row[place])) for row in table.rows)
    ]


def _script(text: str) -> Markup:
    """Our own script, or the library's. Raises: ValueError if it would end its element too early."""
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError("a script holds text that HTML would take for its end")
    return Markup(text)  # noqa: S704


def _policy(scripts: Sequence[str]) -> str:
    """A Content-Security-Policy that allows these very scripts, styles in the page, and nothing else."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
