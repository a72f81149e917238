"""The report as text: one file that needs nothing, and in which nothing from outside is more than text."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from safetab_sql.kit.figures import INK, PALETTE, figure, page_figure, svg
from safetab_sql.report.page import (
    _SCRIPTS,
    Page,
    cache_folder,
    html,
    keep_text,
    kept_text,
    numeric,
    script_json,
    shown,
)
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
    hostile = Page(
        title=HOSTILE,
        about=About(publisher=HOSTILE, contact=HOSTILE, note=HOSTILE, is_simulated=True),
        byline=HOSTILE,
        many=HOSTILE,
        facts=[(HOSTILE, HOSTILE, HOSTILE)],
        sections=(section,),
    )
    return Elements(html(hostile))


def test_hostile_texts_add_no_element_and_no_attribute_and_are_shown_as_they_are(hostile_page):
    names = [name for name, _ in hostile_page.elements]
    assert "img" not in names
    assert names.count("script") == 4  # the figures, the words, the library, our own
    assert [attributes for _, attributes in hostile_page.elements if "onerror" in attributes] == []
    assert hostile_page.texts.count(HOSTILE) >= 10


def test_json_in_a_script_element_is_what_it_was_and_cannot_end_the_element():
    text = script_json({HOSTILE: HOSTILE})
    assert "<" not in text
    assert json.loads(text) == {HOSTILE: HOSTILE}


def test_nothing_in_the_page_points_outside_it(report):
    links = [
        value
        for _, attributes in Elements(report.html).elements
        for name, value in attributes.items()
        if name in ("src", "href", "action", "data", "poster", "srcset")
    ]
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
    assert shown(cell) == text


def test_columns_of_numbers_alone_stand_to_the_right():
    rows = (("a", 1, "±3", "5.0 %"), ("b", None, "±12", "x"))
    assert numeric(Table("", ("w", "x", "y", "z"), rows)) == [1, 2]


def test_the_wheel_takes_the_files_of_the_page():
    ignored = (REPOSITORY / ".gitignore").read_text(encoding="utf-8").split()
    files = sorted(path.name for path in (REPOSITORY / "safetab_sql" / "report" / "page_files").iterdir())
    assert files == sorted([*(f"{name}.js" for name in _SCRIPTS), "card.html", "report.css", "report.html"])
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
    keep_text(file, TEXT)
    assert (kept_text(file), file.stat().st_mode & 0o777, [each.name for each in file.parent.iterdir()]) == (
        *(TEXT, 0o600),
        ["a.js"],
    )


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_is_not_whole_or_may_be_of_others_is_not_read(tmp_path, spoil):
    file = tmp_path / "a.js"
    keep_text(file, TEXT)
    spoil(file)
    assert kept_text(file) == ""


def test_where_nothing_can_be_kept_nothing_is(tmp_path):
    (tmp_path / "file").touch()
    keep_text(tmp_path / "file" / "a.js", TEXT)
    assert kept_text(tmp_path / "file" / "a.js") == ""


def test_the_folder_is_the_one_that_the_system_names(monkeypatch):
    for named, folder in {"": "~/.cache", "not/absolute": "~/.cache", "/b": "/b"}.items():
        monkeypatch.setenv("XDG_CACHE_HOME", named)
        assert str(cache_folder()) == f"{folder}/safetab-sql"
