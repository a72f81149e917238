"""The calculator of the page: its figures are those of `statistics`, and everybody can use it."""

import csv
import importlib.util
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import duckdb
import pyarrow.parquet as pq
import pytest

from safetab_sql.cli import main
from safetab_sql.jobs.export import export
from safetab_sql.jobs.report import report
from safetab_sql.report import counts
from safetab_sql.report.release import read_release
from safetab_sql.statistics.names import opened_releases
from safetab_sql.statistics.wanted_statistics import statistics_of
from tests import nations
from tests.report.browser import Browser
from tests.report.conftest import HOSTILE, HOSTILE_CODE, OTHER_CODE, at_a_desk
from tests.report.random_figures import Figures, answers, answers_of_page, differing, index_of, wanted_table
from tests.report.test_page_in_a_browser import choose, near_the_map, published, search, texts

STATES = ("Alabama", "Alaska", "California", "Wyoming")
ANSWERED = "document.getElementById('answer').dataset.answered"


@pytest.fixture
def ready(opened):
    opened.wait(ANSWERED)
    return opened


def compare(browser: Browser, page, releases, number: int, seed: int) -> tuple[int, list]:
    """How many of random statistics are known, and those of which the page prints another figure."""
    figures = Figures(index_of(page), Random(seed))
    asked = figures.asked(number)
    ours = list(answers(releases, figures, asked))
    theirs = answers_of_page(browser, asked)
    return sum(own[1] is not None for own in ours), differing(asked, ours, theirs)


def test_figures_are_those_of_statistics_to_the_printed_digit(ready, page, release, earlier):
    known, other = compare(ready, page, [earlier, release], number=120, seed=1)
    assert other == []
    assert known > 30


@pytest.mark.parametrize("code", ["6004", "6005"])
@pytest.mark.each_time("6004")
def test_ranks_are_those_of_statistics(ready, page, release, earlier, code):
    index = index_of(page)
    of_all = {"release": 0, "ladder": 0, "type": 1, "groups": [code], "values": {}}
    asked = [
        {"kind": "rank", "counts": [{**of_all, "regions": [state], "union": {"region": state, "group": code}}]}
        for state in index["pieces"]["0-1"]["ids"]
    ]
    found = statistics_of([earlier, release], wanted_table(index, asked))
    ours = [found[name].to_pylist() for name in ("ESTIMATE", "LOW", "HIGH")]
    assert ready.value(f"safetab.ranks({asked})") == [list(each) for each in zip(*ours, strict=True)]


# --- the counts of a large release, beside the page ---


@pytest.fixture
def large(release, tmp_path, monkeypatch) -> Path:
    """The page of the release as if it were a large one."""
    monkeypatch.setattr(counts, "MOST_IN_PAGE", 0)
    monkeypatch.setattr(counts, "MOST_IN_PIECE", 2_000)
    report(release, tmp_path / "page.html")
    return tmp_path / "page.html"


@pytest.mark.slow
def test_the_counts_of_a_large_release_are_loaded_when_they_are_asked_for(browser, large, release):
    at_a_desk(browser)
    browser.open(large)
    browser.wait(ANSWERED)
    loaded = [Path(address).name for address in browser.requests()]
    assert loaded == ["page.html", "0-0.js", "0-0-0-0.js"]
    known, other = compare(browser, large, [release], number=200, seed=3)
    assert (other, known > 50, browser.complaints()) == ([], True, [])
    assert len(browser.requests()) > 6


@pytest.mark.slow
def test_a_page_that_is_made_anew_replaces_its_folder(large, release, monkeypatch):
    (large.with_name("page-counts") / "9-9-9-9.js").write_text("of an older page")
    report(release, large, overwrite=True)
    assert "9-9-9-9.js" not in [file.name for file in large.with_name("page-counts").iterdir()]


def test_a_region_type_of_which_nothing_is_published_is_an_empty_one(tmp_path):
    nation = nations.sample_nation(100)
    levels = {f"{name}-1": {"budget": 1, "thresholds": [60, 70, 80]} for name in ("USA", "COUNTY")}
    nations.published(nation.with_parameters(levels=levels, suppress_below=60, run_pr=False), tmp_path)
    out = tmp_path / "out"
    made = counts.packed_counts(opened_releases(out), read_release(out), ["now"])
    (types,) = (each["types"] for each in made.index["releases"])
    assert {each["name"]: bool(each["starts"]) for each in types} == {"USA": True, "COUNTY": False}


@pytest.mark.parametrize("change", ["reconciled", "clipped"])
@pytest.mark.each_time("reconciled")
def test_counts_with_other_errors_than_the_noise_have_their_published_intervals_and_no_calculator(
    release, reported, change
):
    opened = opened_releases(release)
    (folder,) = opened.folders
    parameters = replace(folder.facts.parameters, allow_negative_counts=False, intervals_from_zero=True)
    changes = {"reconciled": {"reconciled": object()}, "clipped": {"parameters": parameters}}
    changed = replace(opened, folders=(replace(folder, facts=replace(folder.facts, **changes[change])),))
    exact, given = (counts.packed_counts(each, reported, ["now"]) for each in (opened, changed))
    first, second = (made.index["releases"][0] for made in (exact, given))
    assert [each["isExact"] for each in (*first["ladders"], *second["ladders"])] == [True, False]
    assert (first["isFromZero"], second["isFromZero"]) == (False, change == "clipped")
    (flat,), (ends,) = (given.pieces["0-0-0-0"][name] for name in ("groups", "ends"))
    found = set()
    while flat:
        place, level, *numbers = flat
        size = second["ladders"][0]["sizes"][level] + (level > 0)  # the total stands before the cells
        rows = zip(numbers[:size], ends[: 2 * size : 2], ends[1 : 2 * size : 2], strict=True)
        found |= {(given.index["iterations"][place][0], *row) for row in rows}
        flat, ends = numbers[size:], ends[2 * size :]
    every = [row for table in ("t1", "t2") for row in pq.read_table(release / table).to_pylist()]
    own = [row for row in every if row["REGION_TYPE"] == "USA" and row.get("AGESTART") != "*"]
    assert found == {(row["ITERATION_CODE"], row["COUNT"], row["LOW95"], row["HIGH95"]) for row in own}


# --- a reader at the form ---


def answer(browser: Browser) -> str:
    """What the answer says, when it has come."""
    browser.value("new Promise((done) => setTimeout(done, 60))")
    browser.wait(ANSWERED)
    return browser.value("document.getElementById('answer').innerText")


def follow(browser: Browser, link: str) -> None:
    """Go to what stands behind the # of a link, as a reader does who pastes it: the page loads itself anew."""
    browser.events.clear()
    browser.value(f"history.replaceState(null, '', '#'); location.hash = {json.dumps(link)}")
    browser.wait_for("Page.loadEventFired")
    browser.wait(ANSWERED)


def type_into(browser: Browser, place: str, text: str) -> None:
    browser.value(f"document.getElementById('{place}').focus()")
    browser.type(text)


def total(release, region_type: str, region_id: str, code: str) -> dict:
    return published(release, "t1", region_type, region_id, code)[0]


def test_a_reader_asks_with_the_keyboard_alone(ready, release):
    choose(ready, "ask-kind", "count")
    choose(ready, "ask-type", "State")
    type_into(ready, "ask-region", "zzz")
    assert texts(ready, "#ask-region-list li") == ["No name here has “zzz”. What there is:"]
    ready.value("document.getElementById('ask-region').value = ''")
    type_into(ready, "ask-region", "calif")
    assert texts(ready, "#ask-region-list li span") == ["California"]
    ready.press("Enter", "\r")
    type_into(ready, "ask-region", "Alab")
    ready.press("ArrowDown")
    ready.press("Enter", "\r")
    type_into(ready, "ask-group", OTHER_CODE)
    ready.press("Enter", "\r")
    said = answer(ready)
    assert int(said.split("\n")[2].replace(",", "")) == sum(
        total(release, "STATE", state, OTHER_CODE)["COUNT"] for state in ("06", "01")
    )
    assert "California + Alabama" in said


def test_what_is_picked_first_takes_the_place_of_what_nobody_picked_and_a_second_count_begins_empty(ready, release):
    choose(ready, "ask-kind", "difference")
    assert "Pick what it is to be compared with" in answer(ready)
    for place, code in (("ask-group", OTHER_CODE), ("ask-group-other", HOSTILE_CODE)):
        type_into(ready, place, code)
        ready.press("Enter", "\r")
        said = answer(ready)
    counts = [total(release, "USA", "1", code)["COUNT"] for code in (OTHER_CODE, HOSTILE_CODE)]
    assert f"{counts[0] - counts[1]:,}" in said
    assert "more than noise explains" in said


def test_groups_are_ranked_in_the_region_that_was_picked_and_one_alone_has_no_rank(ready):
    search(ready, f"{HOSTILE_CODE} in Alabama")
    choose(ready, "ask-kind", "rank")
    assert all(state in answer(ready) for state in STATES)
    choose(ready, "ask-each", "groups")
    assert "Only one group is picked" in answer(ready)
    type_into(ready, "ask-group", OTHER_CODE)
    ready.press("Enter", "\r")
    assert answer(ready).startswith("Ranks: Alabama, ")
    assert len(texts(ready, "#answer tbody tr")) == 2


def test_a_search_begins_the_form_anew(ready):
    chosen = {"ask-AGE-from": "18", "ask-type": "State", "ask-kind": "rank", "ask-each": "groups"}
    for place, choice in chosen.items():
        choose(ready, place, choice)
    search(ready, f"{OTHER_CODE} in Alabama")
    choose(ready, "bars-detail", "")
    assert answer(ready).split("\n")[0].startswith("How many: White (box ticked only) alone, Alabama")
    assert "ask=" not in ready.value("location.hash")


def test_a_median_in_a_wide_class_is_said_as_that_class(ready):
    choose(ready, "ask-kind", "quantile")
    low, high, wide = re.match(
        r"Median age between (\d+) and (\d+): (.* in one class.*)", texts(ready, "#about li")[0]
    ).groups()
    assert answer(ready).split("\n")[2:4] == [f"{low} to {high}", wide]


def test_a_link_brings_back_the_figure_the_group_the_region_and_the_map(ready):
    near_the_map(ready)
    search(ready, f"{OTHER_CODE} in Alaba")
    usual = ready.value("document.getElementById('map-measure').value")
    choose(ready, "map-measure", "share female")
    ready.wait("document.getElementById('map-name').textContent.includes('share female')")
    choose(ready, "ask-kind", "ratio")
    choose(ready, "ask-AGE-from", "18")
    shown = "['figure', 'who', 'map-name'].map((id) => document.getElementById(id).innerText)"
    before = [answer(ready), *ready.value(shown)]
    assert "18+" in before[0]
    follow(ready, ready.value("document.querySelector('#answer .take a').hash"))
    near_the_map(ready)
    assert [answer(ready), *ready.value(shown)] == before
    choose(ready, "map-measure", usual)


def test_what_is_compared_begins_with_the_group_that_is_shown_and_nothing_beside_it(ready):
    ready.value("document.getElementById('compare').click()")
    ready.wait("document.activeElement.id === 'ask-group-other'")
    assert "Pick what it is to be compared with" in answer(ready)


def test_a_figure_says_what_is_counted_twice_and_what_the_table_of_a_group_has(ready, release):
    def shown(code: str, **chosen: str) -> str:
        ready.value(f"safetab.show({{ type: 0, region: '1', code: '{code}' }}, false)")
        for place, choice in chosen.items():
            choose(ready, f"ask-{place.replace('_', '-')}", choice)
        return answer(ready)

    assert "75+. Nearest: sex female, age 18–64." in shown(HOSTILE_CODE, AGE_from="20", AGE_to="66", SEX="female")
    rows = pq.read_table(release / "group_index").to_pylist()
    whole = next(row["ITERATION_CODE"] for row in rows if row["REGION_TYPE"] == "USA" and row["TABLE_ROWS"] == 0)
    assert "no age, no sex." in shown(whole, SEX="female")
    shown("6010")
    for code in ("6009", "6010"):  # the first takes the place of what is shown
        type_into(ready, "ask-group", code)
        ready.press("Enter", "\r")
        said = answer(ready)
    assert "English alone is part of English alone or in combination: its people are counted twice." in said


SOME = {"release": 0, "ladder": 0, "type": 0, "regions": ["1"], "groups": [OTHER_CODE]}


@pytest.mark.parametrize(
    ("ask", "change", "other"),
    [("ratio", {"type": 7}, "type=1"), ("growing", {}, "{}"), ("ratio", {"regions": 7}, "{}")],
    ids=["of a type that is none", "a kind that is none", "regions that are none"],
)
@pytest.mark.each_time("of a type")
def test_a_link_to_nothing_shows_the_largest_group_in_silence(ready, page, ask, change, other):
    follow(ready, f"#?{urlencode({'ask': ask, 'count': json.dumps({**SOME, **change}), 'other': other})}")
    assert answer(ready).startswith(f"How many: {HOSTILE}, United States")
    assert (ready.complaints(), ready.requests()) == ([], [page.as_uri()])


def test_what_is_shown_is_taken_as_csv_and_as_png(ready):
    choose(ready, "ask-kind", "rank")
    choose(ready, "ask-type", "State")
    shown = answer(ready)
    taken = (
        "(async () => { const files = [], [make, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];"
        "URL.createObjectURL = (blob) => { files.push(blob); return 'blob:none'; };"
        "HTMLAnchorElement.prototype.click = () => {};"
        "for (const button of document.querySelectorAll('.take button'))"
        " if (['CSV', 'PNG'].includes(button.textContent)) button.click();"
        "while (files.length < 2) await new Promise((done) => setTimeout(done, 20));"
        "[URL.createObjectURL, HTMLAnchorElement.prototype.click] = [make, click];"
        "return [await files[0].text(), files[1].type, files[1].size]; })()"
    )
    text, kind, size = ready.value(taken)
    rows = list(csv.DictReader(text.lstrip("\ufeff").splitlines()))
    assert (kind, size > 2_000) == ("image/png", True)
    ranked = [row["NAME"] for row in rows if row["ESTIMATE"]]
    assert ranked[0] == "California"
    assert re.findall("|".join(STATES), shown)[: len(ranked)] == ranked


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_from_using_the_page(browser, page, width, scheme):
    holder = importlib.util.find_spec("axe_core_python")
    if holder is None:
        pytest.skip("axe-core-python is not installed")
    browser.media("screen", prefers_color_scheme=scheme)
    browser.size(width)
    browser.open(page)
    browser.wait(ANSWERED)
    browser.value("document.getElementById('ask-region').click()")
    axe = Path(holder.submodule_search_locations[0]) / "axe.min.js"
    browser.send("Runtime.evaluate", expression=axe.read_text(encoding="utf-8"))
    found = browser.value(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations"
        ".filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id }) => id))"
    )
    assert (found, browser.value("document.documentElement.scrollWidth"), browser.complaints()) == ([], width, [])


# --- an answer as SQL, as Python and as a command ---

STATE = {"release": 0, "ladder": 0, "type": 1, "regions": ["06"], "groups": [HOSTILE_CODE], "values": {}}
NATION = {"type": 0, "regions": ["1"]}
WOMEN = {"values": {"SEX": "2", "AGE": "18-64"}}
SUPPRESSED = {"type": 2, "regions": ["06001"], "groups": ["6020"]}
COPIED = {
    "a total": ("count", [STATE]),
    "a suppressed one": ("count", [{**STATE, **SUPPRESSED}]),
    "a sum": ("count", [{**STATE, **NATION, "groups": [HOSTILE_CODE, OTHER_CODE], **WOMEN}]),
    "a share": ("ratio", [{**STATE, **NATION, **WOMEN}, {**STATE, "regions": ["06", "01"]}]),
    "a difference": ("difference", [STATE, {**STATE, "groups": [OTHER_CODE]}]),
    "a growth": ("growth", [STATE, {**STATE, "release": 1}]),
    "a median": ("quantile", [{**STATE, **NATION}]),
}


@pytest.fixture(scope="module")
def database(release, tmp_path_factory):
    return export(release, tmp_path_factory.mktemp("database") / "out", format="duckdb").out / "release.duckdb"


@pytest.mark.parametrize("name", COPIED)
@pytest.mark.each_time("a difference")
def test_what_is_copied_runs_and_finds_the_same_figure(ready, release, database, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    for folder in ("release", "earlier"):
        Path(folder).symlink_to(release.with_name(folder))
    kind, counted = COPIED[name]
    asked = [{"kind": kind, "counts": counted, "attribute": "AGE", "share": "0.5"}]
    ((estimate, low, high, *_),) = ready.value(f"safetab.answers({asked})")
    copied = ready.value(f"safetab.copies({asked})")
    found: list = []
    exec(copied["python"], {"print": found.append})
    main(shlex.split(copied["command"].strip().splitlines()[-1 - copied["command"].startswith("cat")])[1:])
    if isinstance(found[0], list):
        assert [found[0][0][each] for each in ("ESTIMATE", "LOW", "HIGH")] == pytest.approx([estimate, low, high])
        assert Path("wanted.csv").read_text().splitlines() == copied["command"].splitlines()[1:-3]
    else:
        own = found[0].ratio or found[0]
        assert [own.estimate, own.low, own.high] == pytest.approx([estimate, low, high])
        assert str(found[0]).strip() == capsys.readouterr().out.strip()
    with duckdb.connect(str(database), read_only=True) as connection:
        rows = [connection.sql(statement) for statement in copied["sql"].split(";")[:-1]]
        said = dict(zip(rows[0].columns, rows[0].fetchall()[0], strict=True))
    if kind == "count" and len(said) < 4:
        assert [*said.values()] == [each for each in (estimate, low, high) if each is not None]
    elif kind in ("count", "ratio", "difference"):
        found_there = [said["ESTIMATE"], said.get("LOW", low), said.get("HIGH", high)]
        assert found_there == pytest.approx([estimate, low, high])


def test_what_is_copied_of_ranks_is_one_query_of_their_counts(ready, release, monkeypatch):
    monkeypatch.chdir(release.parent)
    asked = [{"kind": "rank", "counts": [{**STATE, "regions": [state]}]} for state in ("01", "06", "56")]
    (statement,) = ready.value(f"safetab.copies({asked})")["sql"].strip().split("\n")
    found = [(region, count) for region, _, count, *_ in duckdb.sql(statement).fetchall()]
    counts = {state: total(release, "STATE", state, HOSTILE_CODE)["COUNT"] for state, _ in found}
    assert found == sorted(counts.items(), key=lambda each: -each[1])
    assert found[0][0] == "06"


def test_what_is_copied_is_shown_too(ready):
    ready.value("navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }")
    for place in ("#copies", "#answer .take"):
        ready.value(f"document.querySelector('{place} [aria-label=\"Copy as Command\"]').click()")
        assert "safetab-sql moe release --sum" in texts(ready, f"{place} pre")[0]
        assert ready.value("globalThis.copied") == texts(ready, f"{place} pre")[0]
