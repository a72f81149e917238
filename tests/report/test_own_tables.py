"""The report on tables of one's own: bars for every ladder, under the names of its columns, and nothing of a census."""

import html
import re
from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.public.inputs import InputPaths
from safetab_sql.report.groups import _parts, layouts, packed_tables, panel_figure, panels
from safetab_sql.report.release import read_release
from safetab_sql.report.report import release_report
from safetab_sql.settings.parameters import census, load_parameters
from tests.golden.test_ladders import TINY, made
from tests.golden.test_other_shapes import EXAMPLES
from tests.report.browser import Browser
from tests.report.conftest import at_a_desk
from tests.statistics import recorded_bits

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")


def released(inputs: InputPaths, folder: Path) -> Path:
    run(inputs, folder / "out", resources=TINY, bits=recorded_bits("report on own tables"))
    return folder / "out"


@pytest.fixture(scope="module")
def hospitals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospitals")
    return released(made("hospitals", folder), folder)


def texts(page: str) -> str:
    """What a page says before its scripts."""
    body = page.partition("<body>")[2].partition('<script type="application/json"')[0]
    return html.unescape(re.sub(r"<[^>]*>", " ", body))


def shown(release: Path, lists: Path | None) -> set[tuple[object, ...]]:
    """Every bar of the page: region, iteration, table, label, count and interval."""
    packed = packed_tables(read_release(release, lists))
    found = set()
    for region, *columns in zip(packed["regions"], *packed["tables"].values(), strict=True):
        for iteration, layout, counts, spans, _ in zip(*columns, strict=True):
            for panel in packed["layouts"][layout]["panels"]:
                for row, place in zip(panel["rows"], panel["places"], strict=True):
                    below, above, _ = packed["spans"][spans[min(place, len(spans) - 1)]]
                    ends = (counts[place] - below, counts[place] + above)
                    label = ", ".join(filter(None, (row["label"], row.get("value"))))
                    found.add((region[1], packed["iterations"][iteration][0], label, counts[place], *ends))
    return found


def published(file: Path, label: str) -> set[tuple[object, ...]]:
    """The rows of a table that are no totals. label: of a row, as an expression."""
    columns = f"REGION_ID, ITERATION_CODE, {label}, COUNT, LOW95, HIGH95"
    return {row for row in duckdb.sql(f"select {columns} from '{file}'").fetchall() if row[2]}


def test_every_published_row_of_every_ladder_is_a_bar_with_its_interval(hospitals: Path) -> None:
    ages = "nullif(AGE_FROM || '–' || AGE_TO, '*–*')"
    codes = f"concat_ws(', ', nullif(SEX, '*'), {ages}, nullif(OUTCOME, '*'))"
    wanted = published(hospitals / "outcomes" / "outcomes.parquet", codes)
    wanted |= published(hospitals / "sex" / "sex.parquet", "nullif(SEX, '*')")
    assert len(wanted) > 20
    assert shown(hospitals, None) == wanted


def test_every_value_of_a_list_by_ranges_has_a_panel_of_its_own_and_two_values_face_each_other() -> None:
    parameters = load_parameters(EXAMPLES / "norland.toml")
    *sums, panel = panels(parameters, parameters.ladders[0], 2)
    assert (panel.values, panel.per) == (("low", "middle", "high", "unknown"), "year of age")
    assert [each.values for each in sums] == [()]
    rows = [row["hconcat"] for row in panel_figure(panel, "", parameters.unit)["vconcat"]]
    scales = [half["layer"][0]["encoding"]["x"]["scale"] for row in rows for half in row]
    assert ([len(row) for row in rows], [scale["reverse"] for scale in scales]) == ([2, 2], [False] * 4)
    (pyramid,) = panels(census(), census().ladders[0], 1)
    assert pyramid.is_pyramid


def test_three_values_by_ranges_stand_side_by_side_with_their_shares(hospitals: Path) -> None:
    release = read_release(hospitals)
    of_ages, _ = (layout for layout in layouts(release, release.tables[0])[2:])
    (row,) = panel_figure(of_ages.panels[-1], "", release.unit)["vconcat"]
    assert len(row["hconcat"]) == 3
    assert list(of_ages.parts) == ["home", "transfer", "died", "under 18", "18–64", "65 and over"]
    assert [len(cells) for cells in of_ages.parts.values()] == [3] * 6


FINER = {
    "the docs": ("0, 1, 18, 25, 45, 65, 80", ["under 18", "18–44", "45–64", "65 and over"]),
    "five years": ("0, 5, 10, 15, 20, 60", ["under 5", "5–9", "10–14", "15–19", "20–59", "60 and over"]),
    "tables that do not nest": ("0, 18, 40, 65", ["under 18", "18–39", "40–64", "65 and over"]),
}


@pytest.mark.parametrize(("finer", "ranges"), FINER.values(), ids=FINER)
def test_shares_are_of_ranges_that_cells_tile_so_that_they_add_up_to_all(finer, ranges, tmp_path) -> None:
    text = (EXAMPLES / "norland.toml").read_text(encoding="utf-8").replace('subtotals = "coarser"', "")
    file = tmp_path / "norland.toml"
    file.write_text(text.replace("0, 18, 67", "0, 18, 45, 65").replace("0, 6, 18, 25, 45, 67, 80", finer), "utf-8")
    parameters = load_parameters(file)
    coarse, fine = (panels(parameters, parameters.ladders[0], number)[-1] for number in (2, 3))
    parts = _parts(fine, coarse)
    assert list(parts)[-len(ranges) :] == ranges
    assert sum(len(parts[name]) for name in ranges) == len(fine.codes)


@pytest.mark.slow
def test_the_page_speaks_of_what_was_counted_and_of_no_census(hospitals: Path) -> None:
    said = texts(release_report(hospitals).html)
    for text in (
        "Stays by diagnosis, sex, age and outcome",
        "of OUTCOMES and SEX",
        "one a population group and table",
        "Quote this one: epsilon = 1.1 at delta = 0",
    ):
        assert text in said
    for text in ("Counts of groups", "sex by 4", "Puerto Rico", "race", "United States", "{'", "persons"):
        assert text not in said


@pytest.mark.slow
def test_the_page_draws_bars_in_silence_and_another_group_when_it_is_picked(
    browser: Browser, hospitals: Path, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    page.write_text(release_report(hospitals).html, encoding="utf-8")
    at_a_desk(browser)
    browser.open(page)
    browser.wait("document.querySelector('#tables .drawing').dataset.drawn === 'yes'")
    before = browser.value("document.getElementById('tables').textContent")
    browser.value("document.getElementById('group').focus()")
    browser.type("05")
    browser.press("Enter", "\r")
    browser.wait("document.getElementById('picked-name').textContent.startsWith('05,')")
    assert browser.value("document.getElementById('tables').textContent") != before
    browser.value("document.getElementById('compare').click()")
    browser.wait("document.querySelector('#tables-2 .drawing').dataset.drawn === 'yes'")
    names = [browser.value(f"document.getElementById('picked-name{end}').textContent") for end in ("", "-2")]
    assert names[0] != names[1]  # not the group beside itself
    assert (browser.complaints(), browser.requests()) == ([], [page.as_uri()])
