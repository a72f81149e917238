"""Shapes of regions for the map of the report: a public GeoParquet file becomes outlines of a few kilobytes."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.extras import SHAPES, missing_extras
from safetab_sql.public.gate import public_file

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

    region_type: str
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
        column, is_of_globe = geo["primary_column"], _is_of_globe(geo["columns"][geo["primary_column"]])
        encoding = geo["columns"][column]["encoding"]
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(file), f"cannot be read: {error}", _HOW)]) from error
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError([Problem(str(file), f"its `geo` metadata are none of GeoParquet: {error!r}", _HOW)]) from error
    whats = [f"has no column {name}" for name in (*_KEYS, column) if name not in schema.names]
    whats += [f"its shapes are encoded as {encoding}"] if encoding != "WKB" else []
    refuse([Problem(str(file), what, _HOW) for what in whats])
    return pq.read_table(file, columns=[*_KEYS, column]), column, is_of_globe


def _is_of_globe(column: Mapping[str, Any]) -> bool:
    """Whether coordinates are longitudes and latitudes: so they are where the file does not name others."""
    if "crs" not in column:
        return True
    return column["crs"] is not None and column["crs"].get("type") in ("GeographicCRS", "GeodeticCRS")


def _shapes(file: Path, types: Sequence[str], ids: Sequence[str], wkb: Sequence[bytes | None]) -> Any:
    """The polygon of each row: geometries of shapely, an array. Raises: InputError that names rows without one."""
    import shapely  # noqa: PLC0415  (an extra)

    regions = [f"{kind} {region}" for kind, region in zip(types, ids, strict=True)]
    shapes = shapely.from_wkb(np.array(wkb, dtype=object), on_invalid="ignore")
    kinds, is_empty = shapely.get_type_id(shapes), shapely.is_empty(shapes)
    without = [
        region for region, kind, empty in zip(regions, kinds, is_empty, strict=True) if kind not in _AREAS or empty
    ]
    twice = (
        sorted({region for region in regions if regions.count(region) > 1}) if len(set(regions)) < len(regions) else []
    )
    refuse(
        [
            *_problems(file, without, "region(s) without a polygon in WKB"),
            *_problems(file, twice, "region(s) that stand more than once"),
        ]
    )
    return shapely.make_valid(shapes)


def _problems(file: Path, regions: Collection[str], what: str) -> Iterator[Problem]:
    if regions:
        some = ", ".join(list(regions)[:_MOST_EXAMPLES])
        yield Problem(str(file), f"{len(regions):,} {what}: {some}", _HOW)


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
    rings = [ring for part in seen for ring in (part.exterior, *part.interiors)]
    return "".join(_ring(np.rint(shapely.get_coordinates(ring)[:-1]).astype(int)) for ring in rings)


def _ring(corners: Any) -> str:
    is_new = np.any(corners != np.roll(corners, 1, axis=0), axis=1)
    is_new[0] = True
    return f"M{' '.join(f'{x},{y}' for x, y in corners[is_new])}z"
