"""Shapes of regions: GeoParquet becomes outlines, and what is none is refused by name."""

import json
import re

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from safetab_sql.kit.errors import InputError
from safetab_sql.report.page import region_maps

DEGREES = {"encoding": "WKB", "geometry_types": []}  # without `crs`: longitudes and latitudes
PLANE = {**DEGREES, "crs": None}


def geoparquet(path, regions: dict[tuple[str, str], object], column: dict, **others: object):
    """A file with these regions; a shape is a polygon of shapely, or bytes."""
    shapes = [shape if isinstance(shape, bytes | None) else shapely.to_wkb(shape) for shape in regions.values()]
    types, ids = zip(*regions, strict=True)
    table = pa.table({"REGION_TYPE": types, "REGION_ID": ids, "shape": pa.array(shapes, pa.binary())})
    geo = {"version": "1.1.0", "primary_column": "shape", "columns": {"shape": column}, **others}
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path)
    return path


def areas(maps) -> dict[str, float]:
    """The area of each outline, by region id."""
    return {region: shapely.area(polygon(path)) for one in maps for region, path in one.outlines.items()}


def polygon(path: str):
    rings = [[tuple(map(int, corner.split(","))) for corner in ring.split()] for ring in re.findall("M([^z]*)z", path)]
    return shapely.Polygon(rings[0], rings[1:])


def refusal(path, types=("COUNTY",)) -> str:
    with pytest.raises(InputError) as refused:
        region_maps(path, types)
    return str(refused.value)


def test_equal_areas_on_the_globe_are_equal_on_the_map(tmp_path):
    north = (np.degrees(np.arcsin(np.sin(np.radians(60)) - np.sin(np.radians(30)) + np.sin(np.radians(20)))), 20.0)
    boxes = {"1": (0.0, 30.0, 10.0, 60.0), "2": (40.0, north[1], 50.0, north[0])}

    def box(left: float, bottom: float, right: float, top: float):
        return shapely.segmentize(shapely.box(left, bottom, right, top), 0.5)

    regions = {("COUNTY", name): box(*corners) for name, corners in boxes.items()}
    found = areas(region_maps(geoparquet(tmp_path / "shapes.parquet", regions, DEGREES), ["COUNTY"]))
    assert found["1"] == pytest.approx(found["2"], rel=0.01)


def test_a_map_across_the_date_line_goes_the_shorter_way(tmp_path):
    regions = {("COUNTY", "west"): shapely.box(176, 50, 179, 52), ("COUNTY", "east"): shapely.box(-179, 50, -170, 52)}
    (made,) = region_maps(geoparquet(tmp_path / "shapes.parquet", regions, DEGREES), ["COUNTY"])
    assert polygon(made.outlines["west"]).bounds[2] < polygon(made.outlines["east"]).bounds[0]
    assert areas([made])["east"] > 50_000


def test_a_wiggly_border_is_simplified_and_stays_shared(tmp_path):
    steps = np.linspace(0, 1, 5_000)
    border = np.stack([0.5 + 0.0002 * np.sin(900 * steps), steps], axis=1)
    left = shapely.Polygon([(0, 0), *border, (0, 1)])
    right = shapely.Polygon([(1, 0), *border, (1, 1)])
    regions = {("COUNTY", "left"): left, ("COUNTY", "right"): right}
    (made,) = region_maps(geoparquet(tmp_path / "shapes.parquet", regions, PLANE), ["COUNTY"])
    assert max(map(len, made.outlines.values())) < 1_000  # of 40,000 letters
    assert sum(areas([made]).values()) == pytest.approx(1_000_000, rel=0.002)


def test_islands_too_small_to_be_seen_are_left_out_and_holes_kept(tmp_path):
    shape = shapely.MultiPolygon(
        [shapely.box(0, 0, 1, 1) - shapely.box(0.4, 0.4, 0.6, 0.6), shapely.box(2, 2, 2.0001, 2.0001)]
    )
    (made,) = region_maps(geoparquet(tmp_path / "shapes.parquet", {("COUNTY", "1"): shape}, PLANE), ["COUNTY"])
    assert made.outlines["1"].count("M") == 2


def test_what_duckdb_writes_is_read(tmp_path):
    path = tmp_path / "shapes.parquet"
    shape = "'POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))'::geometry"
    duckdb.sql(f"copy (select 'COUNTY' as REGION_TYPE, '1' as REGION_ID, {shape} as geometry) to '{path}'")
    assert areas(region_maps(path, ["COUNTY"]))["1"] == pytest.approx(1_000_000, rel=0.01)


SQUARE = shapely.box(0, 0, 1, 1)


@pytest.mark.parametrize(
    ("regions", "column", "others", "said"),
    [
        ({("COUNTY", "1"): b"no shape"}, PLANE, {}, "1 region(s) without a polygon in WKB: COUNTY 1"),
        ({("COUNTY", "1"): None}, PLANE, {}, "1 region(s) without a polygon in WKB: COUNTY 1"),
        ({("COUNTY", "1"): shapely.Point(1, 2)}, PLANE, {}, "1 region(s) without a polygon in WKB: COUNTY 1"),
        ({("COUNTY", "1"): shapely.Polygon()}, PLANE, {}, "1 region(s) without a polygon in WKB: COUNTY 1"),
        ({("STATE", "1"): SQUARE}, PLANE, {}, "has no region of the types that the report shows: COUNTY"),
        ({("COUNTY", "1"): shapely.box(0, 0, 9e5, 9e5)}, DEGREES, {}, "no longitudes and latitudes"),
        ({("COUNTY", "1"): SQUARE}, {**PLANE, "encoding": "polygon"}, {}, "its shapes are encoded as polygon"),
        ({("COUNTY", "1"): SQUARE}, PLANE, {"primary_column": "other"}, "its `geo` metadata are none of GeoParquet"),
        ({("COUNTY", "1"): SQUARE}, PLANE, {"columns": 7}, "its `geo` metadata are none of GeoParquet"),
    ],
)
def test_what_is_no_shape_is_refused_by_name(tmp_path, regions, column, others, said):
    assert said in refusal(geoparquet(tmp_path / "shapes.parquet", regions, column, **others))


def test_a_region_that_stands_twice_is_refused_by_name(tmp_path):
    path = geoparquet(tmp_path / "shapes.parquet", {("COUNTY", "1"): SQUARE}, PLANE)
    table = pq.read_table(path)
    pq.write_table(pa.concat_tables([table, table]), path)
    assert "1 region(s) that stand more than once: COUNTY 1" in refusal(path)


def test_a_file_without_metadata_keys_or_parquet_is_refused_by_name(tmp_path):
    path = geoparquet(tmp_path / "shapes.parquet", {("COUNTY", "1"): SQUARE}, PLANE)
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["REGION_ID"]), path)
    assert "has no column REGION_ID" in refusal(path)
    pq.write_table(table.replace_schema_metadata(None), path)
    assert "is no GeoParquet" in refusal(path)
    path.write_text("no file of this kind", encoding="utf-8")
    assert "cannot be read" in refusal(path)
