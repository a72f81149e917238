"""The report on tables of one's own: bars for every ladder, under the names of its columns, and nothing of a census."""

import html
import re
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.public.inputs import InputPaths
from safetab_sql.report.counts import _as_picked, _said
from safetab_sql.report.groups import panel_figure, panel_of
from safetab_sql.report.release import read_release
from safetab_sql.report.report import release_report
from safetab_sql.settings.parameters import census, load_parameters
from tests.golden.test_ladders import EXAMPLES, TINY, made
from tests.report.browser import Browser
from tests.report.conftest import at_a_desk
from tests.report.test_page_in_a_browser import choose, search
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


def test_every_value_of_a_list_by_ranges_has_a_panel_of_its_own_and_two_values_face_each_other() -> None:
    parameters = load_parameters(EXAMPLES / "norland.toml")
    panel = panel_of(parameters, parameters.ladders[0], 2)
    assert (panel.values, panel.per) == (("low", "middle", "high", "unknown"), "year of age")
    rows = [row["hconcat"] for row in panel_figure(panel, "", parameters.unit)["vconcat"]]
    scales = [half["layer"][0]["encoding"]["x"]["scale"] for row in rows for half in row]
    assert ([len(row) for row in rows], [scale["reverse"] for scale in scales]) == ([2, 2], [False] * 4)
    pyramid = panel_of(census(), census().ladders[0], 1)
    assert pyramid.is_pyramid


FINER = {
    "the docs": ("0, 1, 18, 25, 45, 65, 80", ["0–17", "18–44", "45–64", "65+"]),
    "five years": ("0, 5, 10, 15, 20, 60", ["0–4", "5–9", "10–14", "15–19", "20–59", "60+"]),
    "tables that do not nest": ("0, 18, 40, 65", ["0–17", "18–39", "40–64", "65+"]),
}


@pytest.mark.parametrize(("finer", "ranges"), FINER.values(), ids=FINER)
@pytest.mark.each_time("nest")
def test_shares_are_of_ranges_that_cells_tile_so_that_they_add_up_to_all_or_it_is_said_why_not(
    browser: Browser, finer: str, ranges: list[str], tmp_path: Path
) -> None:
    inputs = made("hospitals", tmp_path, "2")  # so that noise takes counts of some groups below 0, and of others none
    text = inputs.parameters.read_text(encoding="utf-8")
    finest = [("0, 18, 65]", "0, 18, 45, 65]"), ("0, 1, 18, 40, 65, 80", finer), ("[20, 200, 2000]", "[1, 2, 3]")]
    for old, new in finest:
        assert old in text
        text = text.replace(old, new)
    text = "\n".join(line for line in text.splitlines() if not line.startswith("subtotals"))
    inputs.parameters.write_text(text, encoding="utf-8")
    page = tmp_path / "report.html"
    page.write_text(release_report(released(inputs, tmp_path)).html, encoding="utf-8")
    at_a_desk(browser)
    browser.open(page)
    list_of_ages = "document.querySelector('#shares [aria-label=\"Shares by age\"]')"
    cells = "[...row.querySelectorAll('span')].map(each => each.textContent)"
    codes = pq.read_table(tmp_path / "out" / "group_index").to_pydict()["ITERATION_CODE"]
    are_cut = set()
    for code in dict.fromkeys(codes):
        browser.value(f"safetab.show({{ type: 0, code: '{code}' }}, false)")
        shown = browser.value(f"[...{list_of_ages}.children].map(row => {cells})")
        assert [name for name, _ in shown] == ranges
        shares = [[float(text) for text in re.findall(r"(-?[\d.]+) %", row)] for _, row in shown]
        is_cut = "Noise took a count below 0" in browser.value("document.getElementById('shares').textContent")
        assert is_cut or sum(share for share, *_ in shares) == pytest.approx(100, abs=0.05)
        assert all(0 <= low <= share <= high <= 100 for share, low, high in shares)
        are_cut.add(is_cut)
    assert are_cut == {False, True}


@pytest.mark.slow
def test_the_page_speaks_of_what_was_counted_and_of_no_census(hospitals: Path) -> None:
    said = texts(release_report(hospitals).html)
    for text in (
        "Stays by diagnosis, sex, age and outcome",
        "of OUTCOMES and SEX",
        "one a population group and table",
        "Quote epsilon 1.1 at delta 0",
    ):
        assert text in said
    for text in ("Counts of groups", "sex by 4", "Puerto Rico", "race", "United States", "{'", "persons"):
        assert text not in said


TABLE = (
    "[...document.querySelectorAll('#table details tbody tr')].map(row => [...row.cells].map(each => each.textContent))"
)


def by_sex(folder: Path, code: str) -> list[tuple[str, ...]]:
    """The published rows of a diagnosis by sex, of all hospitals."""
    of = f"SEX <> '*' and REGION_TYPE = 'ALL' and ITERATION_CODE = '{code}'"
    file = folder / "sex" / "sex.parquet"
    return duckdb.sql(f"select SEX, COUNT, LOW95, HIGH95 from '{file}' where {of} order by SEX").fetchall()


@pytest.mark.slow
def test_the_page_draws_another_group_when_it_is_picked_and_counts_what_is_asked_for_in_silence(
    browser: Browser, hospitals: Path, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    page.write_text(release_report(hospitals).html, encoding="utf-8")
    at_a_desk(browser)
    browser.open(page)
    before = browser.value(TABLE)
    search(browser, "04")
    assert browser.value("document.getElementById('who').textContent") == "stays: Diagnosis 04 in All"
    assert browser.value(TABLE) != before
    choose(browser, "ladder", "Sex")
    wanted = [[sex, *(f"{number:,}" for number in numbers)] for sex, *numbers in by_sex(hospitals, "04")]
    assert sorted(browser.value(TABLE)) == wanted
    assert (browser.complaints(), browser.requests()) == ([], [page.as_uri()])


@pytest.fixture(scope="module")
def reconciled(hospitals: Path) -> Path:
    out = hospitals.parent / "reconciled"
    reconcile(hospitals, out, geography=hospitals.parent / "hospitals.parquet", resources=TINY)
    return out


@pytest.mark.slow
def test_a_page_of_reconciled_tables_shows_the_reconciled_counts(
    browser: Browser, reconciled: Path, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    page.write_text(release_report(reconciled).html, encoding="utf-8")
    assert "These are not the counts as they were released." in texts(page.read_text(encoding="utf-8"))
    rows = [row for name in ("outcomes", "sex") for row in pq.read_table(reconciled / name).to_pylist()]
    totals = [row for row in rows if {row[name] for name in ("OUTCOME", "AGE_FROM", "SEX") if name in row} == {"*"}]
    moved = [row for row in totals if row["COUNT"] != row["NOISY_COUNT"]]
    assert sum(kind["changed_groups"] for kind in read_release(reconciled).kinds) == len(moved) > 0
    at_a_desk(browser)
    browser.open(page)
    choose(browser, "ladder", "Sex")
    code = browser.value("document.querySelector('#bars [aria-current] span').textContent").removeprefix("Diagnosis ")
    wanted = by_sex(reconciled, code)
    found = [[float(text.replace(",", "")) for text in row] for _, *row in sorted(browser.value(TABLE))]
    assert found == [pytest.approx(row, abs=0.11) for _, *row in wanted]
    assert browser.value("document.getElementById('ask') === null")


def test_groups_of_several_questions_are_told_apart_by_question_and_others_by_level_and_kind():
    about = {"R1": ("1", "race"), "H1": ("2", "hisp"), "6a": ("1", "alone"), "A": ("1", "work"), "B": ("2", "work")}
    assert _as_picked(about) == about | {"R1": ("Race", ""), "H1": ("Hisp", "")}
    said = [_said(code, name, _as_picked(about))[0] for code, name in (("H1", "H1"), ("R1", "White"), ("A", "A"))]
    assert said == ["Hisp H1", "White", "A"]
