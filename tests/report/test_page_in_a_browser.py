"""The report in a real browser: it loads in silence, asks for nothing, and can be used by everybody."""

import json
from itertools import combinations
from math import isinf, isnan

import pyarrow.parquet as pq
import pytest

from tests.published.total_coverage import APART
from tests.report.browser import DRAWN, Browser
from tests.report.conftest import HOSTILE, HOSTILE_CODE, OTHER_CODE, at_a_desk

WHO = "document.getElementById('who').textContent"
FIGURE = "document.getElementById('figure')"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
WHITE = "rgb(255, 255, 255)"


def settled(browser: Browser) -> None:
    browser.value("new Promise((done) => setTimeout(done, 60))")
    browser.wait(DRAWN)


def search(browser: Browser, text: str) -> None:
    """Look for a group or a region as a reader does, with the keyboard alone once the field has the focus."""
    browser.value("document.getElementById('search').focus()")
    browser.type(text)
    browser.wait("document.querySelector('#search-list [aria-selected=\"true\"]') !== null")
    browser.press("Enter", "\r")
    settled(browser)


def choose(browser: Browser, place: str, text: str) -> None:
    """Choose an entry of a list by its text, or its value."""
    browser.value(
        f"(() => {{ const list = document.getElementById('{place}');"
        f"list.value = [...list.options].find(each => [each.text, each.value].includes('{text}')).value;"
        "list.dispatchEvent(new Event('change')); })()"
    )
    settled(browser)


def texts(browser: Browser, selector: str) -> list[str]:
    return browser.value(f"[...document.querySelectorAll('{selector}')].map(each => each.textContent)")


def cells(browser: Browser, selector: str) -> list[list[str]]:
    """The texts of the cells of each row."""
    return browser.value(
        f"[...document.querySelectorAll('{selector} tr')].map(row => [...row.cells].map(cell => cell.textContent))"
    )


def published(release, table: str, region_type: str, region_id: str, code: str) -> list[dict]:
    keys = (region_type, region_id, code)
    rows = pq.read_table(release / table).to_pylist()
    return [row for row in rows if (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]) == keys]


def nation_cells(release, code: str) -> list[dict]:
    """The published cells of the nation's group of this iteration, in order of age."""
    own = [row for row in published(release, "t2", "USA", "1", code) if row["AGESTART"] != "*"]
    return sorted(own, key=lambda row: int(row["AGESTART"]))


def luminance(colour: str) -> float:
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


# --- it loads ---


def test_the_page_loads_without_a_word_on_the_console_and_asks_for_nothing_but_itself(loaded, page):
    assert loaded == ([], [page.as_uri()])


PARTS = ("explore", "how-sure", "privacy-and-method")


def near_the_map(browser: Browser) -> None:
    """Scroll to the map, where it is seen, and wait until it is drawn."""
    browser.value("document.getElementById('map')?.scrollIntoView({ behavior: 'instant' })")
    browser.wait(
        "[...document.querySelectorAll('#map-drawing')].every(each => each.dataset.drawn || !each.clientWidth)"
    )


def see(browser: Browser, part: str) -> None:
    browser.value(f"document.documentElement.style.scrollBehavior = 'auto'; location.hash = '#{part}'")
    browser.value("new Promise((done) => setTimeout(done, 60))")
    browser.wait(f"document.getElementById('{part}').hidden === false && {DRAWN}")
    near_the_map(browser)
    browser.wait(f"[...document.querySelectorAll('#{part} .drawing')].every(each => each.querySelector('svg'))")


def test_each_part_is_seen_alone_with_charts_that_are_vector_graphics_described_and_beside_a_table_of_their_data(
    opened,
):
    for part in PARTS:
        see(opened, part)
        seen = opened.value(
            "[...document.querySelectorAll('main > .panel')].filter(each => !each.hidden).map(each => each.id)"
        )
        current = opened.value("document.querySelector('#parts [aria-current]').hash")
        drawn, rows = (
            opened.value(
                f"[...document.querySelectorAll('#{part} {selector}')].map(d => d.querySelectorAll('{of}').length)"
            )
            for selector, of in ((".drawing", "svg"), ("figure", "details tbody tr"))
        )
        assert (seen, current, set(drawn)) == ([part], f"#{part}", {1})
        assert min(rows) > 0
        names = [node["name"]["value"] for node in accessible(opened) if node["role"]["value"] in ("img", "image")]
        assert len(names) > 1
        assert all(len(name) > 30 for name in names)


def test_a_hostile_name_stays_text_and_no_script_but_the_pages_own_may_run_or_make_code_of_text(opened):
    assert HOSTILE in opened.value(WHO)
    assert opened.value("[typeof window.attacked, document.querySelectorAll('img').length]") == ["undefined", 0]
    opened.value("document.body.append(Object.assign(document.createElement('script'), {text: 'window.added = 1'}))")
    assert opened.value("typeof window.added") == "undefined"
    tried = "(() => { try { return new Function('return 1')(); } catch (error) { return error.name; } })()"
    found = opened.send("Runtime.evaluate", expression=tried, returnByValue=True, allowUnsafeEvalBlockedByCSP=False)
    assert found["result"]["value"] == "EvalError"


# --- an answer first ---


@pytest.mark.parametrize(("width", "least"), [(1280, 300), (390, 420)])
def test_the_answer_stands_first_with_its_interval_after_few_words(opened, release, width, least):
    opened.value("window.scrollTo(0, 0)")
    opened.size(width)
    (row,) = published(release, "t1", "USA", "1", HOSTILE_CODE)
    assert opened.value(f"{FIGURE}.textContent") == f"{row['COUNT']:,}"
    assert f"{row['LOW95']:,} to {row['HIGH95']:,}" in opened.value("document.getElementById('interval').textContent")
    assert opened.value(f"{FIGURE}.getBoundingClientRect().top") <= least
    before = opened.value(f"document.body.innerText.split({FIGURE}.textContent)[0]")
    assert len(before.split()) <= 25


def test_a_group_and_a_region_are_found_by_part_of_their_names_alone_and_together(opened, release):
    search(opened, HOSTILE[9:40])
    assert opened.value(WHO) == f"people: {HOSTILE} in United States"
    search(opened, "Californ")
    assert opened.value(WHO) == f"people: {HOSTILE} in California"
    (row,) = published(release, "t1", "STATE", "06", HOSTILE_CODE)
    assert opened.value(f"{FIGURE}.textContent") == f"{row['COUNT']:,}"
    search(opened, f"{OTHER_CODE} in alab")
    assert opened.value(WHO).endswith(" in Alabama")
    assert opened.value("location.hash").endswith(f"region=STATE+01&group={OTHER_CODE}")
    found = set()
    for shown in ("United States", "Wyoming"):
        for text in (shown, "alone in alab"):  # the first of many, whatever is shown
            search(opened, text)
        found.add(opened.value(WHO))
    assert len(found) == 1


FOUND = {
    "Alabamas": "Alabama",
    "the state of Alabama": "Alabama",
    "AL": "Alabama",
    "USA": "United States",
    "America": "United States",
    "combinations english": "English alone or in combination",
    "Alaska English": "English alone or in combination in Alaska",
    "the English in America": "English alone or in combination in United States",
    "Ènglísh people in Wyoming": "English alone or in combination in Wyoming",
}
NOT_FOUND = {
    "everybody in Alaska": ["No group here is everybody; a person may be in several groups.", "Alaska"],
    "Englsih in Alask": ["No name here has “englsih”. What there is:", "English alone or in combination in Alaska"],
    "Alabama Wyoming": ["Nothing is called all of this. What has some of it:", "Alabama"],
}


def test_the_search_takes_what_people_type_and_says_which_word_it_does_not_know(opened):
    line = "document.querySelector('#search-list li:last-child')"
    found = "[...document.querySelectorAll('#search-list li')].map(each => each.firstChild.textContent)"
    for text, lines in [*((each, [name]) for each, name in FOUND.items()), *NOT_FOUND.items()]:
        opened.value("document.getElementById('search').focus()")
        opened.type(text)
        opened.wait(f"{line} !== null && !document.getElementById('search-list').hidden")
        opened.value("new Promise((done) => setTimeout(done, 30))")
        shown = opened.value(found)
        opened.press("Escape")
        opened.value("document.getElementById('search').value = ''")
        assert (text, shown[: len(lines)]) == (text, lines)


def test_a_group_without_a_row_has_the_interval_of_what_is_suppressed(opened, release):
    rows = pq.read_table(release / "suppressed").to_pylist()
    of_state = {row["ITERATION_CODE"]: row["HIGH95"] for row in rows if row["REGION_TYPE"] == "COUNTY"}
    index = pq.read_table(release / "group_index").to_pylist()
    county = next(row["REGION_ID"] for row in index if row["REGION_TYPE"] == "COUNTY")
    having = {row["ITERATION_CODE"] for row in index if (row["REGION_TYPE"], row["REGION_ID"]) == ("COUNTY", county)}
    code, most = next((code, most) for code, most in of_state.items() if code not in having and most is not None)
    opened.value(f"safetab.show({{ type: 2, region: '{county}', code: '{code}' }}, false)")
    assert opened.value(f"{FIGURE}.textContent") == f"0 to {most:,}"
    assert "Too small to be published" in texts(opened, "#about li")[0]


# --- the table of a group ---


def test_the_table_of_a_group_holds_the_published_cells_and_every_bar_its_interval(opened, release):
    def label(row: dict) -> str:
        sex, start, end = {"1": "male", "2": "female"}[row["SEX"]], row["AGESTART"], row["AGEEND"]
        return f"{sex}, {start if start == end else f'{start}+' if end == '115' else f'{start}–{end}'}"

    own = nation_cells(release, HOSTILE_CODE)
    wanted = [[label(row), *(f"{row[name]:,}" for name in ("COUNT", "LOW95", "HIGH95"))] for row in own]
    assert sorted(cells(opened, "#table details tbody")) == sorted(wanted)
    assert opened.value("document.querySelectorAll('#pyramid rect').length") == len(own)


def number(text: str) -> float:
    return float(text.split(" %", maxsplit=1)[0].replace(",", ""))


def test_shares_are_of_the_published_cells_inside_their_intervals_and_add_up(opened, release):
    own = nation_cells(release, HOSTILE_CODE)
    total = sum(row["COUNT"] for row in own)
    names, values = (texts(opened, f"#shares .bars span:nth-child({place})") for place in (1, 2))
    shown = dict(zip(names, map(number, values), strict=True))
    assert list(shown) == ["male", "female", "0–17", "18–44", "45–64", "65+"]
    women = 100 * sum(row["COUNT"] for row in own if row["SEX"] == "2") / total
    young = 100 * sum(row["COUNT"] for row in own if int(row["AGESTART"]) < 18) / total
    assert (shown["female"], shown["0–17"]) == pytest.approx((women, young), abs=0.006)
    assert sum(list(shown.values())[:2]) == pytest.approx(100, abs=0.02)
    assert sum(list(shown.values())[2:]) == pytest.approx(100, abs=0.03)


def test_a_group_published_as_a_total_alone_has_no_pyramid(opened, release):
    row = next(
        row
        for row in pq.read_table(release / "group_index").to_pylist()
        if row["TABLE_ROWS"] == 0 and row["REGION_TYPE"] == "STATE"
    )
    opened.value(f"safetab.show({{ type: 1, region: '{row['REGION_ID']}', code: '{row['ITERATION_CODE']}' }}, false)")
    assert opened.value("document.querySelector('#table .drawing') === null")
    assert "total alone" in opened.value("document.getElementById('table').textContent")


def test_the_change_since_the_release_before_and_the_median_stand_under_the_answer(opened, release, earlier):
    (then,), (now,) = (published(folder, "t1", "USA", "1", HOSTILE_CODE) for folder in (earlier, release))
    median, since, *_ = texts(opened, "#about li")
    assert median.startswith("Median age ")
    assert since.startswith(f"{now['COUNT'] - then['COUNT']:+,} since Earlier <b>tables</b> (earlier) (")
    assert "noise" in since


def test_a_group_alone_says_how_many_there_are_in_combination(opened, release):
    opened.value("safetab.show({ type: 0, region: '1', code: '6009' }, false)")
    alone, more = (f"{published(release, 't1', 'USA', '1', code)[0]['COUNT']:,}" for code in ("6009", "6010"))
    said = f"{alone} gave English only; {more} gave English, whether or not with others."
    assert texts(opened, "#about li")[0] == said


def test_the_rank_of_a_region_among_all_stands_there_too(opened):
    opened.value("safetab.show({ type: 1, region: '06', code: '6006' }, false)")
    opened.wait("document.getElementById('about').textContent.includes('Rank 1 of')")


# --- the largest groups ---


def test_the_largest_groups_stand_in_order_with_intervals_that_hold_at_once_and_can_be_picked(opened, release):
    names, values = (texts(opened, f"#bars span:nth-child({place})") for place in (1, 2))
    counts = sorted(
        (row["COUNT"] for row in pq.read_table(release / "t1").to_pylist() if row["REGION_TYPE"] == "USA"), reverse=True
    )
    assert [int(value.split()[0].replace(",", "")) for value in values] == counts[:12]
    own = names.index(HOSTILE)
    (row,) = published(release, "t1", "USA", "1", HOSTILE_CODE)
    low, high = (int(end.strip("()").replace(",", "")) for end in values[own].split()[1::2])
    assert low < row["LOW95"] < row["HIGH95"] < high
    opened.value(f"document.querySelectorAll('#bars button')[{(own + 1) % 12}].click()")
    picked = "document.querySelector('#bars [aria-current] span')?.textContent"
    opened.wait(f"{picked} !== {json.dumps(HOSTILE)} && {picked} !== undefined")
    assert opened.value(picked) == names[(own + 1) % 12]
    assert names[(own + 1) % 12] in opened.value(WHO)


def test_groups_alone_can_be_told_from_groups_in_combination_and_broad_from_detailed(opened):
    choose(opened, "bars-kind", "alone")
    assert all("combination" not in name for name in texts(opened, "#bars span:first-child"))
    both = texts(opened, "#bars span:first-child")
    choose(opened, "bars-detail", "detailed groups")
    assert set(texts(opened, "#bars span:first-child")) != set(both)


PRIVACY = ("privacy-power", "privacy-epsilon-delta", "privacy-beliefs")


@pytest.mark.parametrize("chart", [*PRIVACY, "chance-of-publication"])
@pytest.mark.each_time("power", "chance")
def test_a_line_chart_tells_the_nearest_point_wherever_the_pointer_is_in_short_numbers(opened, chart):
    see(opened, "privacy-and-method" if chart in PRIVACY else "how-sure")
    opened.value(f"document.querySelector('#chart-{chart}').scrollIntoView({{block: 'center', behavior: 'instant'}})")
    x, y = opened.value(
        f"(() => {{ const box = document.querySelector('#chart-{chart} svg').getBoundingClientRect();"
        "return [box.x + box.width * 0.6, box.y + box.height * 0.55]; })()"
    )
    for pixel in range(3):
        opened.send("Input.dispatchMouseEvent", type="mouseMoved", x=x + pixel, y=y)
    opened.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
    values = texts(opened, "#vg-tooltip-element td.value")
    assert len(values) >= 2
    assert "undefined" not in values
    numbers = [value for value in values if value[0].isdigit()]
    assert numbers
    digits = [number.partition("e")[0].lstrip("0.") for number in numbers]
    assert max(sum(letter.isdigit() for letter in text) for text in digits) <= 6
    opened.send("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)


# --- light, dark, paper, phones ---


def test_the_page_is_dark_where_its_reader_prefers_dark_and_a_button_turns_it_dark_and_light_again(opened):
    opened.media("screen", prefers_color_scheme="dark")
    assert luminance(opened.value(BACKGROUND)) < 0.2
    assert luminance(opened.value("getComputedStyle(document.querySelector('#pyramid text')).fill")) > 0.5
    opened.media("screen", prefers_color_scheme="light")
    looks = [opened.value(BACKGROUND)]
    for _ in range(2):
        opened.value("document.getElementById('theme').click()")
        looks.append(opened.value(BACKGROUND))
    assert looks[0] == looks[2] == WHITE
    assert luminance(looks[1]) < 0.2


def test_the_page_prints_its_answer_and_drawings_and_no_controls(opened):
    opened.media("print")
    shown = "(id) => document.querySelector(id).getClientRects().length > 0"
    wanted = ["#figure", "#pyramid svg", "#bars", "#search", "#theme", "#parts", "#ask"]
    assert opened.value(f"{wanted}.map({shown})") == [True] * 3 + [False] * 4
    assert opened.pdf().startswith(b"%PDF")


@pytest.fixture
def phone(opened):
    """The report at the width of a phone, its charts drawn anew."""
    opened.size(390)
    opened.wait("[...document.querySelectorAll('figure svg')].every(svg => svg.getBoundingClientRect().right <= 391)")
    opened.wait("document.querySelector('#pyramid svg').getBoundingClientRect().right <= 391")
    return opened


def boxes(browser: Browser, selector: str) -> list[list[list[float]]]:
    """Left, top, right and bottom of the texts that `selector` finds, drawing by drawing."""
    return browser.value(
        "[...document.querySelectorAll('.drawing')].map(figure =>"
        f"[...figure.querySelectorAll('{selector}')]"
        ".filter(text => text.textContent && getComputedStyle(text).opacity > 0)"
        ".map(text => text.getBoundingClientRect()).map(({left, top, right, bottom}) => [left, top, right, bottom]))"
    )


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_phone_need_not_scroll_sideways_and_no_text_of_a_chart_is_cut_off_there(phone, part):
    see(phone, part)
    phone.value("new Promise((done) => setTimeout(done, 300))")
    assert phone.value("document.documentElement.scrollWidth") == 390
    found = [box for figure in boxes(phone, "svg text") for box in figure]
    assert len(found) > 30
    assert [box for box in found if box[0] < 0 or box[2] > 390] == []
    for figure in boxes(phone, ".role-axis-label text"):
        for one, other in combinations(figure, 2):
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] - 3 <= other[1] or other[3] - 3 <= one[1]
            assert apart, (one, other)


# --- keyboard and screen readers ---


@pytest.mark.slow
def test_the_keyboard_reaches_the_search_and_every_stop_on_the_way_can_be_seen(browser, page):
    at_a_desk(browser)
    browser.open(page)
    reached, outlines = set(), set()
    while "search" not in reached and len(reached) < 40:
        browser.press("Tab")
        reached.add(browser.value("document.activeElement.id || document.activeElement.hash"))
        outlines.add(browser.value("getComputedStyle(document.activeElement).outlineStyle"))
    assert {"theme", "#how-sure", "search"} <= reached
    assert outlines <= {"solid", "auto"}


def test_the_page_has_its_landmarks_and_every_control_a_name_for_screen_readers(opened):
    nodes = accessible(opened)
    assert {"banner", "navigation", "main", "contentinfo", "search"} <= {node["role"]["value"] for node in nodes}
    controls = {"button", "combobox", "searchbox", "listbox", "link", "textbox"}
    unnamed = [node for node in nodes if node["role"]["value"] in controls and not node["name"]["value"]]
    assert unnamed == []


def accessible(browser: Browser) -> list[dict]:
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in nodes if not node["ignored"] and "role" in node and "name" in node]


# --- differences of shares, and the map ---


def test_the_page_computes_differences_as_statistics_does(opened):
    def side(number: float, low: float, high: float, most: float) -> str:
        uncut = "null" if isnan(low) else f"{{count: {number}, low: {low}, high: {high}}}"
        return f"{{count: {number}, uncut: {uncut}, allowed: [0, 1000], most: {'Infinity' if isinf(most) else most}}}"

    opened.wait("globalThis.safetab")
    for name, (one, other, wanted) in APART.items():
        found = opened.value(f"Object.values(safetab.differenceOf({side(*one)}, {side(*other)})).slice(1)")
        assert (name, found) == (name, list(wanted or (-1000, 1000)))


def test_the_map_shades_and_names_the_regions_with_a_published_count_and_hatches_the_others(opened, release):
    near_the_map(opened)
    search(opened, OTHER_CODE)
    opened.value("new Promise((done) => setTimeout(done, 200))")
    rows = pq.read_table(release / "t1").to_pylist()
    own = [row for row in rows if (row["REGION_TYPE"], row["ITERATION_CODE"]) == ("STATE", OTHER_CODE)]
    states = {row["REGION_ID"]: row["COUNT"] for row in own}
    fills = "[...document.querySelectorAll('#map-drawing > svg > path')].map(path => path.getAttribute('fill'))"
    found = opened.value(fills)
    assert (len(found), found.count("url(#hatch)")) == (51, 51 - len(states))
    titles = texts(opened, "#map-drawing title")
    assert sum(title.startswith(f"California: {states['06']:,}, from ") for title in titles) == 1
    assert {"CA", "TX", "DC"} <= set(texts(opened, "#map-drawing text"))
