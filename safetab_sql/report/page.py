"""The report as one HTML file that opens from disk: sections, charts, the script that draws them, and nothing fetched.

Vega-Lite is the charting library because its charts are data that both the page and papers draw, as vector graphics,
with axes, legends and scales that we need not write; because its expressions can be interpreted, so that the page may
forbid `eval`; and because the package that draws without a browser (vl-convert) carries the scripts for the page too.
"""

import base64
import hashlib
import json
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.errors import SHAPES, InputError, Problem, missing_extras, refuse
from safetab_sql.kit.figures import VEGA_LITE, converter
from safetab_sql.kit.whole_folders import HTML_MARK, write_whole_file
from safetab_sql.kit.words import paragraphs, said
from safetab_sql.public.gate import public_file
from safetab_sql.published.states import STATE_NAMES
from safetab_sql.report.counts import Counts
from safetab_sql.report.marks import page_figure
from safetab_sql.report.sections import WORDS, Cell, Section, Table
from safetab_sql.settings.about import About

# Shapes of regions for the map of the report: a public GeoParquet file becomes outlines of a few kilobytes.

_WIDTH = 1000  # of a map, in the unit of its outlines
_DETAIL = 1.2  # corners that take away or add less than a square of this side are left out
_KEYS = ("REGION_TYPE", "REGION_ID")
_AREAS = (3, 6)  # polygon and multipolygon, as shapely numbers types
_MOST_EXAMPLES = 3
_HOW = (
    "write one row a region: REGION_TYPE and REGION_ID as the release writes them, and its polygon as GeoParquet (WKB)"
)


@dataclass(frozen=True, slots=True)
class RegionMap:
    """The regions of one type. width, height: of the map. outlines: paths of SVG by region id."""

    type: str
    width: int
    height: int
    outlines: Mapping[str, str]


def region_maps(file: Path, region_types: Sequence[str]) -> tuple[RegionMap, ...]:
    """A map of each of the region types that the file has regions of.

    Raises: InputError where the file is not GeoParquet with polygons of such regions, or shapely is not installed.
    """
    refuse(missing_extras(SHAPES))
    rows, column, is_of_globe = _read(public_file("shapes", file).path)
    types, ids = (rows[name].cast(pa.string()).to_pylist() for name in _KEYS)
    shapes = _shapes(file, types, ids, rows[column].to_pylist())
    maps = []
    for region_type in region_types:
        places = [place for place, own in enumerate(types) if own == region_type]
        if places:
            flat = _flat(file, shapes[places], is_of_globe=is_of_globe)
            maps.append(_map(region_type, [ids[place] for place in places], flat))
    what = f"has no region of the types that the report shows: {', '.join(region_types)}"
    refuse([] if maps else [Problem(str(file), what, _HOW)])
    return tuple(maps)


def _read(file: Path) -> tuple[pa.Table, str, bool]:
    """The rows, the name of the column with shapes, and whether they are in degrees on a globe."""
    try:
        schema = pq.read_schema(file)
        text = (schema.metadata or {}).get(b"geo")
        if text is None:
            raise InputError([Problem(str(file), "is no GeoParquet: its metadata have no `geo`", _HOW)])
        geo = json.loads(text)
        column = geo["primary_column"]
        own = geo["columns"][column]
        encoding, crs = own["encoding"], own.get("crs")
        # Coordinates are longitudes and latitudes where the file does not name others.
        is_of_globe = "crs" not in own or (crs is not None and crs.get("type") in ("GeographicCRS", "GeodeticCRS"))
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(file), f"cannot be read: {error}", _HOW)]) from error
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError([Problem(str(file), f"its `geo` metadata are none of GeoParquet: {error!r}", _HOW)]) from error
    whats = [f"has no column {name}" for name in (*_KEYS, column) if name not in schema.names]
    whats += [f"its shapes are encoded as {encoding}"] if encoding != "WKB" else []
    refuse([Problem(str(file), what, _HOW) for what in whats])
    return pq.read_table(file, columns=[*_KEYS, column]), column, is_of_globe


def _shapes(file: Path, types: Sequence[str], ids: Sequence[str], wkb: Sequence[bytes | None]) -> Any:
    """The polygon of each row: geometries of shapely, an array. Raises: InputError that names rows without one."""
    import shapely  # noqa: PLC0415  (an extra)

    regions = [f"{kind} {region}" for kind, region in zip(types, ids, strict=True)]
    shapes = shapely.from_wkb(np.array(wkb, dtype=object), on_invalid="ignore")
    is_area = np.isin(shapely.get_type_id(shapes), _AREAS) & ~shapely.is_empty(shapes)
    without = [region for region, is_known in zip(regions, is_area, strict=True) if not is_known]
    twice = sorted(region for region, times in Counter(regions).items() if times > 1)
    amiss = {"region(s) without a polygon in WKB": without, "region(s) that stand more than once": twice}
    whats = [f"{len(own):,} {what}: {', '.join(own[:_MOST_EXAMPLES])}" for what, own in amiss.items() if own]
    refuse([Problem(str(file), what, _HOW) for what in whats])
    return shapely.make_valid(shapes)


def _flat(file: Path, shapes: Any, *, is_of_globe: bool) -> Any:
    """The shapes on a plane on which equal areas are equal."""
    import shapely  # noqa: PLC0415

    if not is_of_globe:
        return shapely.force_2d(shapes)
    degrees = shapely.get_coordinates(shapes)
    if np.abs(degrees[:, 0]).max() > 360 or np.abs(degrees[:, 1]).max() > 90:
        what = "has coordinates that are no longitudes and latitudes, and names no other system"
        raise InputError([Problem(str(file), what, "let `crs` in its `geo` metadata say which system they are of")])
    crosses = np.ptp(degrees[:, 0]) > 180  # the shorter way round the globe
    west = np.where(crosses & (degrees[:, 0] < 0), degrees[:, 0] + 360, degrees[:, 0])
    middle = (west.min() + west.max()) / 2
    bounds = np.radians([degrees[:, 1].min(), degrees[:, 1].max()])

    def project(own: Floats) -> Floats:
        longitudes = np.where(crosses & (own[:, 0] < 0), own[:, 0] + 360, own[:, 0]) - middle
        return _albers(np.radians(longitudes), np.radians(own[:, 1]), *bounds)

    return shapely.transform(shapes, project)


def _albers(longitudes: Floats, latitudes: Floats, south: float, north: float) -> Floats:
    """Albers' conic projection, which keeps areas, for a map from south to north: radians in, float64[n, 2] out.

    Source: J. Snyder, *Map Projections: A Working Manual*, 1987, formulas 14-1 to 14-6.
    """
    one, two = south + (north - south) / 6, north - (north - south) / 6
    n = (np.sin(one) + np.sin(two)) / 2
    if abs(n) < 1e-3:  # the cone is nearly a cylinder
        return np.stack([longitudes * np.cos(one), np.sin(latitudes) / np.cos(one)], axis=1)
    c = np.cos(one) ** 2 + 2 * n * np.sin(one)
    radii = np.sqrt(np.maximum(c - 2 * n * np.sin(latitudes), 0)) / n
    return np.stack([radii * np.sin(n * longitudes), -radii * np.cos(n * longitudes)], axis=1)


def _map(region_type: str, ids: Sequence[str], shapes: Any) -> RegionMap:
    """The outlines of shapes on a plane; borders that regions share stay shared."""
    import shapely  # noqa: PLC0415

    left, bottom, right, top = shapely.total_bounds(shapes)
    scale = _WIDTH / max(right - left, top - bottom)

    def drawn(own: Floats) -> Floats:
        return np.stack([(own[:, 0] - left) * scale, (top - own[:, 1]) * scale], axis=1)

    simple = shapely.coverage_simplify(shapely.transform(shapes, drawn), _DETAIL)
    outlines = {region: _outline(shape) for region, shape in zip(ids, simple, strict=True)}
    return RegionMap(region_type, round((right - left) * scale), round((top - bottom) * scale), outlines)


def _outline(shape: Any) -> str:
    """A path of SVG in whole units: every ring of the shape, except islands that are smaller than a point."""
    import shapely  # noqa: PLC0415

    parts = sorted(shapely.get_parts(shape), key=shapely.area, reverse=True)
    areas = [part for part in parts if part.geom_type == "Polygon"]
    seen = areas[:1] + [part for part in areas[1:] if part.area >= 1]
    paths = []
    for ring in [ring for part in seen for ring in (part.exterior, *part.interiors)]:
        corners = np.rint(shapely.get_coordinates(ring)[:-1]).astype(int)
        is_new = np.any(corners != np.roll(corners, 1, axis=0), axis=1)
        is_new[0] = True
        paths.append(f"M{' '.join(f'{x},{y}' for x, y in corners[is_new])}z")
    return "".join(paths)


_FILES = Path(__file__).parent / "page_files"
# Of the page, in this order.
_SCRIPTS = ("charts", "arithmetic", "counts", "map", "fields", "copying", "calculator", "explore")
# The sections in each part of the page; all others say how sure its numbers are.
_PANELS = {"explore": ("change",), "how-sure": (), "privacy": ("privacy", "privacy-semantics", "provenance")}
_LETTERS = """AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND
OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY PR"""
STATE_LETTERS = dict(zip(STATE_NAMES, _LETTERS.split(), strict=True))  # on a map, where a name has no room
_NUMBER = re.compile(r"[±+-]?[\d.,\u202f]+(e-?\d+)?( ?%)?|–")


Fact = tuple[str, str, str]  # a figure at the top of the page: what it is, a few characters, a few words


@dataclass(frozen=True, slots=True)
class Page:
    """The contents of the page. many: what records are called. maps: of the regions of groups.

    region: the name of one, by its type and id. counts: for the calculator. beside: the folder of what of them has no
    room in the page.

    is_releasable: whether the release may be given away. is_exact: whether something was made from exact counts.
    """

    title: str
    about: About
    byline: str
    facts: Sequence[Fact]
    sections: Sequence[Section]
    many: str = "people"
    counts: Counts | None = None
    beside: str = ""
    maps: Sequence[RegionMap] = ()
    region: Callable[[str, str], str] = "{} {}".format
    is_releasable: bool = True
    is_exact: bool = False


def html(page: Page) -> str:
    """The page as HTML. Raises: InputError where the package that holds the charting library is not installed."""
    figures = {chart.name: page_figure(chart.figure) for section in page.sections for chart in section.figures}
    own_words = {name: WORDS["page"][name] for name in ("dark", "light")} | {"letters": STATE_LETTERS}
    texts = {**WORDS["script"], **own_words}
    data: dict[str, object] = {"data-figures": figures, "data-words": {**texts, "calculator": WORDS["calculator"]}}

    version = metadata.version("safetab-sql")

    def say(name: str) -> str:
        return said(WORDS["page"][name], {"people": page.many, "version": version})

    if page.maps:
        named = [{region: page.region(each.type, region) for region in each.outlines} for each in page.maps]
        maps = [asdict(each) | {"names": own} for each, own in zip(page.maps, named, strict=True)]
        data["data-maps"] = compressed_json(maps)
    if page.counts is not None:
        held = page.counts.pieces if page.counts.is_small else {}
        data["data-counts"] = compressed_json({**page.counts.index, "pieces": held, "folder": page.beside})
    own = "\n".join((_FILES / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS)
    scripts = [javascript(), f'"use strict";\n{{\n{own}}}\n']  # the names of the page's script are its own
    panels = {name: [each for each in page.sections if each.id in own] for name, own in _PANELS.items()}
    panels["how-sure"] = [each for each in page.sections if each.id not in set(chain.from_iterable(_PANELS.values()))]
    ladders = [] if page.counts is None else page.counts.index["releases"][0]["ladders"]
    has_calculator = any(each["isExact"] for each in ladders)
    has_both = page.counts is not None and any("totals" in each for each in page.counts.pieces.values())
    held = {"has_calculator": has_calculator, "has_both_stages": has_both}
    return template("report.html").render(
        page=page,
        panels=panels,
        how=paragraphs(WORDS["page"]["how_text"], {"people": page.many, "page": page, **held}),
        has_calculator=has_calculator,
        version=version,
        style=Markup(template("report.css").render()),  # noqa: S704  (ours, and holds no data)
        policy=_policy(scripts, has_pieces=page.counts is not None and not page.counts.is_small),
        data_scripts=[(name, script_json(value)) for name, value in data.items()],
        scripts=[_script(text) for text in scripts],
        say=say,
        mark=Markup(HTML_MARK) if page.is_exact else "",  # noqa: S704  (ours, and holds no data)
        shown=shown,
        numeric=numeric,
    )


def template(name: str) -> Template:
    """A file of page_files; every text that is put into it is shown as it is, whatever characters are in it."""
    environment = Environment(loader=FileSystemLoader(_FILES), autoescape=True, undefined=StrictUndefined)
    environment.trim_blocks = environment.lstrip_blocks = True
    return environment.get_template(name)


def script_json(value: object) -> Markup:
    """JSON to stand in a script element: no `<`, so that no text in it can end the element or begin a comment."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))  # noqa: S704


def compressed_json(value: object) -> str:
    """JSON, compressed (zlib) and encoded in base64, a third of its size for a nation; the page's script decodes it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode())).decode()


def piece_files(page: Page) -> dict[str, str]:
    """The scripts that lie beside the page, by their names in its folder; none where all counts are in the page."""
    if page.counts is None or page.counts.is_small:
        return {}
    return {
        f"{name}.js": f'safetabPiece("{name}","{compressed_json(piece)}")\n'
        for name, piece in page.counts.pieces.items()
    }


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


def _policy(scripts: Sequence[str], *, has_pieces: bool) -> str:
    """A Content-Security-Policy that allows these very scripts, styles and pictures in the page, and nothing else.

    has_pieces: scripts beside the page too, which hold counts.
    """
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join([*(f"'sha256-{digest}'" for digest in digests), *(["'self'"] if has_pieces else [])])
    others = "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {allowed}; {others}"


# --- the script that draws: Vega, Vega-Lite and vega-embed, as the package that draws carries them ---
#
# Making one script of its modules takes as long as the rest of a report, so it is kept in the user's cache folder, the
# same for every release, and with no data. Files of such folders may go at any time.


@cache
def javascript() -> str:
    """One script for a page; it defines `vegaEmbed`. About 0.9 MB.

    Raises: InputError where the package that holds it cannot be imported.
    """
    source = converter()
    kept = cache_folder() / f"charts-{source.__version__}-{VEGA_LITE}.js"
    if found := kept_text(kept):
        return found
    made = str(source.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE))
    keep_text(kept, made)
    return made


def cache_folder() -> Path:
    """Where programs of this user keep what they can make again."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    return Path(named if named.startswith("/") else "~/.cache", "safetab-sql")


def kept_text(file: Path) -> str:
    """The text that `keep_text` wrote; empty where it is not there, not whole, or may be somebody else's."""
    with suppress(OSError, RuntimeError, ValueError):
        file = file.expanduser()
        found = file.lstat()
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            digest, _, text = file.read_bytes().partition(b"\n")
            return text.decode() if hashlib.sha256(text).hexdigest().encode() == digest else ""
    return ""


def keep_text(file: Path, text: str) -> None:
    """Keep a text below its digest, for this user alone, whole or not at all; where that cannot be, it is not kept."""
    with suppress(InputError, OSError, RuntimeError):
        file = file.expanduser()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        write_whole_file(file, f"{digest}\n{text}", overwrite=True, mode=0o600)
