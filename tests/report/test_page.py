"""The report as text: one file that needs nothing, and in which nothing from outside is more than text; its maps."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from safetab_sql.kit.errors import InputError
from safetab_sql.kit.figures import INK, PALETTE, figure, svg
from safetab_sql.report import page
from safetab_sql.report.marks import page_figure
from safetab_sql.report.sections import Chart, Section, Table
from safetab_sql.settings.about import About
from tests.conftest import REPOSITORY
from tests.report.conftest import HOSTILE

LARGEST = 2_000_000  # bytes


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def hostile_page() -> Elements:
    """A page in which every text is hostile."""
    rows = [{"name": HOSTILE, "people": 1}]
    bars = {
        "mark": "bar",
        "height": 100,
        "encoding": {"x": {"field": "people", "type": "quantitative"}, "y": {"field": "name"}},
    }
    table = Table(HOSTILE, (HOSTILE,), ((HOSTILE,),))
    section = Section(
        id="hostile",
        title=HOSTILE,
        paragraphs=(HOSTILE,),
        tables=(table,),
        figures=(Chart("hostile-chart", figure(HOSTILE, HOSTILE, rows, bars), HOSTILE, table),),
    )
    hostile = page.Page(
        title=HOSTILE,
        about=About(publisher=HOSTILE, contact=HOSTILE, note=HOSTILE, is_simulated=True),
        byline=HOSTILE,
        many=HOSTILE,
        facts=[(HOSTILE, HOSTILE, HOSTILE)],
        sections=(section,),
    )
    return Elements(page.html(hostile))


def test_hostile_texts_add_no_element_and_no_attribute_and_are_shown_as_they_are(hostile_page):
    names = [name for name, _ in hostile_page.elements]
    assert "img" not in names
    assert names.count("script") == 4  # the figures, the words, the library, our own
    assert [attributes for _, attributes in hostile_page.elements if "onerror" in attributes] == []
    assert hostile_page.texts.count(HOSTILE) >= 10


def test_json_in_a_script_element_is_what_it_was_and_cannot_end_the_element():
    text = page.script_json({HOSTILE: HOSTILE})
    assert "<" not in text
    assert json.loads(text) == {HOSTILE: HOSTILE}


def test_nothing_in_the_page_points_outside_it(report):
    pairs = [pair for _, attributes in Elements(report.html).elements for pair in attributes.items()]
    links = [value for name, value in pairs if name in ("src", "href", "action", "data", "poster", "srcset")]
    assert [link for link in links if not link.startswith("#")] == []
    assert "url(" not in re.search(r"<style>(.*?)</style>", report.html, re.DOTALL)[1]


def test_the_policy_allows_the_scripts_of_the_page_and_no_others(report):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', report.html)[1]
    scripts = re.findall(r"<script>(.*?)</script>", report.html, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = re.findall(r"sha256-([^&]+)&#39;", policy)
    assert policy.startswith("default-src &#39;none&#39;")
    assert digests == allowed


def test_every_link_of_the_contents_leads_to_a_section(report):
    elements = Elements(report.html).elements
    places = {attributes["id"] for _, attributes in elements if "id" in attributes}
    links = {attributes["href"] for name, attributes in elements if name == "a"}
    assert {link.removeprefix("#") for link in links} <= places


def test_no_name_stands_for_two_elements(report):
    names = [attributes["id"] for _, attributes in Elements(report.html).elements if "id" in attributes]
    assert sorted(set(names)) == sorted(names)


def test_the_page_is_small_and_of_recorded_noise_not_for_release(report):
    assert len(report.html.encode()) < LARGEST
    assert "Not for release" in report.html


@pytest.mark.parametrize(
    ("cell", "text"),
    [(1234, "1,234"), (None, "–"), (0.12345, "0.1235"), (5.0, "5"), (1e-10, "1e-10"), (True, "yes"), ("a", "a")],
)
def test_cells_are_shown_as_people_write_them(cell, text):
    assert page.shown(cell) == text


def test_columns_of_numbers_alone_stand_to_the_right():
    rows = (("a", 1, "±3", "5.0 %"), ("b", None, "±12", "x"))
    assert page.numeric(Table("", ("w", "x", "y", "z"), rows)) == [1, 2]


def test_the_wheel_takes_the_files_of_the_page():
    ignored = (REPOSITORY / ".gitignore").read_text(encoding="utf-8").split()
    files = sorted(path.name for path in (REPOSITORY / "safetab_sql" / "report" / "page_files").iterdir())
    assert files == sorted([*(f"{name}.js" for name in page._SCRIPTS), "card.html", "report.css", "report.html"])
    assert not {"*.html", "*.css", "*.js", "report.html"} & set(ignored)


# --- figures: one specification for papers and for the page ---

BARS = figure(
    "People by state",
    "Two bars.",
    [{"state": "Ohio", "people": 3}, {"state": PALETTE[1], "people": 5}],
    {
        "height": {"step": 20},
        "mark": {"type": "bar", "color": PALETTE[0]},
        "encoding": {"x": {"field": "people", "type": "quantitative"}, "y": {"field": "state", "type": "nominal"}},
    },
)


def test_a_figure_is_drawn_as_svg_with_its_title_and_colours():
    drawn = svg(BARS)
    assert "People by state" in drawn
    assert PALETTE[0] in drawn


def test_a_height_by_row_becomes_a_height_in_pixels_for_the_page():
    assert page_figure(BARS)["height"] == 40


@pytest.mark.parametrize("colour", [*PALETTE, INK])
def test_every_colour_of_the_page_is_in_its_style_sheet(colour, report):
    variable = page_figure({"mark": {"color": colour}, "config": {}})["mark"]["color"]
    name = variable.removeprefix("var(").removesuffix(")")
    assert len(re.findall(rf"{name}: #[0-9a-f]{{6}};", report.html)) == 3  # light, dark by preference, dark by choice


# --- the script that draws: kept for the next report, and made again where what is kept cannot be trusted ---

TEXT = "window.a = 'é\r\n';\n"


SPOILT = {
    "more": lambda file: file.write_bytes(file.read_bytes() + b"more"),
    "digest": lambda file: file.write_bytes(b"0" + file.read_bytes()),
    "link": lambda file: file.symlink_to(file.rename(file.with_name("other"))),
    "writable": lambda file: file.chmod(0o620),
    "gone": lambda file: file.unlink(),
}


def test_what_is_kept_is_read_as_it_was_by_this_user_alone(tmp_path):
    file = tmp_path / "new" / "cache" / "a.js"
    page.keep_text(file, TEXT)
    assert (page.kept_text(file), file.stat().st_mode & 0o777, [each.name for each in file.parent.iterdir()]) == (
        *(TEXT, 0o600),
        ["a.js"],
    )


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_is_not_whole_or_may_be_of_others_is_not_read(tmp_path, spoil):
    file = tmp_path / "a.js"
    page.keep_text(file, TEXT)
    spoil(file)
    assert page.kept_text(file) == ""


def test_where_nothing_can_be_kept_nothing_is(tmp_path):
    (tmp_path / "file").touch()
    page.keep_text(tmp_path / "file" / "a.js", TEXT)
    assert page.kept_text(tmp_path / "file" / "a.js") == ""


def test_the_folder_is_the_one_that_the_system_names(monkeypatch):
    for named, folder in {"": "~/.cache", "not/absolute": "~/.cache", "/b": "/b"}.items():
        monkeypatch.setenv("XDG_CACHE_HOME", named)
        assert str(page.cache_folder()) == f"{folder}/safetab-sql"


# --- shapes of regions: GeoParquet becomes outlines, and what is none is refused by name ---


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


def refused_shapes(path, types=("COUNTY",)) -> str:
    with pytest.raises(InputError) as refused:
        page.region_maps(path, types)
    return str(refused.value)


def test_equal_areas_on_the_globe_are_equal_on_the_map(tmp_path):
    north = (np.degrees(np.arcsin(np.sin(np.radians(60)) - np.sin(np.radians(30)) + np.sin(np.radians(20)))), 20.0)
    boxes = {"1": (0.0, 30.0, 10.0, 60.0), "2": (40.0, north[1], 50.0, north[0])}

    def box(left: float, bottom: float, right: float, top: float):
        return shapely.segmentize(shapely.box(left, bottom, right, top), 0.5)

    regions = {("COUNTY", name): box(*corners) for name, corners in boxes.items()}
    found = areas(page.region_maps(geoparquet(tmp_path / "shapes.parquet", regions, DEGREES), ["COUNTY"]))
    assert found["1"] == pytest.approx(found["2"], rel=0.01)


def test_a_map_across_the_date_line_goes_the_shorter_way(tmp_path):
    regions = {("COUNTY", "west"): shapely.box(176, 50, 179, 52), ("COUNTY", "east"): shapely.box(-179, 50, -170, 52)}
    (made,) = page.region_maps(geoparquet(tmp_path / "shapes.parquet", regions, DEGREES), ["COUNTY"])
    assert polygon(made.outlines["west"]).bounds[2] < polygon(made.outlines["east"]).bounds[0]
    assert areas([made])["east"] > 50_000


def test_a_wiggly_border_is_simplified_and_stays_shared(tmp_path):
    steps = np.linspace(0, 1, 5_000)
    border = np.stack([0.5 + 0.0002 * np.sin(900 * steps), steps], axis=1)
    left = shapely.Polygon([(0, 0), *border, (0, 1)])
    right = shapely.Polygon([(1, 0), *border, (1, 1)])
    regions = {("COUNTY", "left"): left, ("COUNTY", "right"): right}
    (made,) = page.region_maps(geoparquet(tmp_path / "shapes.parquet", regions, PLANE), ["COUNTY"])
    assert max(map(len, made.outlines.values())) < 1_000  # of 40,000 letters
    assert sum(areas([made]).values()) == pytest.approx(1_000_000, rel=0.002)


def test_islands_too_small_to_be_seen_are_left_out_and_holes_kept(tmp_path):
    shape = shapely.MultiPolygon(
        [shapely.box(0, 0, 1, 1) - shapely.box(0.4, 0.4, 0.6, 0.6), shapely.box(2, 2, 2.0001, 2.0001)]
    )
    (made,) = page.region_maps(geoparquet(tmp_path / "shapes.parquet", {("COUNTY", "1"): shape}, PLANE), ["COUNTY"])
    assert made.outlines["1"].count("M") == 2


def test_what_duckdb_writes_is_read(tmp_path):
    path = tmp_path / "shapes.parquet"
    shape = "'POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))'::geometry"
    duckdb.sql(f"copy (select 'COUNTY' as REGION_TYPE, '1' as REGION_ID, {shape} as geometry) to '{path}'")
    assert areas(page.region_maps(path, ["COUNTY"]))["1"] == pytest.approx(1_000_000, rel=0.01)


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
    assert said in refused_shapes(geoparquet(tmp_path / "shapes.parquet", regions, column, **others))


def test_a_region_that_stands_twice_is_refused_by_name(tmp_path):
    path = geoparquet(tmp_path / "shapes.parquet", {("COUNTY", "1"): SQUARE}, PLANE)
    table = pq.read_table(path)
    pq.write_table(pa.concat_tables([table, table]), path)
    assert "1 region(s) that stand more than once: COUNTY 1" in refused_shapes(path)


def test_a_file_without_metadata_keys_or_parquet_is_refused_by_name(tmp_path):
    path = geoparquet(tmp_path / "shapes.parquet", {("COUNTY", "1"): SQUARE}, PLANE)
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["REGION_ID"]), path)
    assert "has no column REGION_ID" in refused_shapes(path)
    pq.write_table(table.replace_schema_metadata(None), path)
    assert "is no GeoParquet" in refused_shapes(path)
    path.write_text("no file of this kind", encoding="utf-8")
    assert "cannot be read" in refused_shapes(path)
