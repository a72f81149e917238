"""The report in a real browser: it loads in silence, asks for nothing, and can be used by everybody."""

from math import isinf, isnan

import pyarrow.parquet as pq
import pytest

from tests.published.pairs import APART
from tests.report.browser import Browser
from tests.report.conftest import HOSTILE, HOSTILE_CODE, OTHER_CODE

PICKED = "document.getElementById('picked-name').textContent"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
WHITE = "rgb(255, 255, 255)"


def pick(browser: Browser, text: str) -> None:
    """Pick a population group as a reader does, with the keyboard alone once the field has the focus."""
    browser.value("document.getElementById('group').focus()")
    browser.type(text)
    browser.press("Enter", "\r")
    browser.wait("[...document.querySelectorAll('#tables .drawing')].every(drawing => drawing.dataset.drawn)")


def choose(browser: Browser, place: str, text: str) -> None:
    """Choose an entry of a list by its text, or its value."""
    browser.value(
        f"(() => {{ const list = document.getElementById('{place}');"
        f"list.value = [...list.options].find(each => [each.text, each.value].includes('{text}')).value;"
        "list.dispatchEvent(new Event('change')); })()"
    )


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


def nation_counts(release, code: str) -> dict[str, list[int]]:
    """The same by sex."""
    own = nation_cells(release, code)
    return {sex: [row["COUNT"] for row in own if row["SEX"] == sex] for sex in "12"}


def luminance(colour: str) -> float:
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


# --- it loads ---


def test_the_page_loads_without_a_word_on_the_console_and_asks_for_nothing_but_itself(fresh, page):
    assert (fresh.complaints(), fresh.requests()) == ([], [page.as_uri()])


def test_every_chart_is_drawn_as_vector_graphics(opened):
    drawn = opened.value("[...document.querySelectorAll('.drawing')].map(d => d.querySelectorAll('svg').length)")
    assert len(drawn) > 8
    assert set(drawn) == {1}


def test_no_script_but_the_pages_own_may_run(opened):
    opened.value("document.body.append(Object.assign(document.createElement('script'), {text: 'window.added = 1'}))")
    assert opened.value("typeof window.added") == "undefined"


def test_the_page_may_not_make_code_of_text(opened):
    tried = "(() => { try { return new Function('return 1')(); } catch (error) { return error.name; } })()"
    found = opened.send("Runtime.evaluate", expression=tried, returnByValue=True, allowUnsafeEvalBlockedByCSP=False)
    assert found["result"]["value"] == "EvalError"


# --- the picker ---


def test_a_group_is_found_by_part_of_its_name_and_its_pyramid_drawn_with_a_margin_on_every_bar(opened, release):
    pick(opened, HOSTILE[9:40])
    counts = nation_counts(release, HOSTILE_CODE)
    bars = opened.value("document.querySelectorAll('#tables .mark-rect path').length")
    margins = opened.value(
        "[...document.querySelectorAll('#tables .mark-rule.role-mark line')].filter(line => line.getBBox().width "
        "> 0).length"
    )
    assert bars == margins == len(counts["1"]) + len(counts["2"]) > 0


def test_the_table_behind_a_pyramid_holds_the_published_counts(opened, release):
    pick(opened, HOSTILE_CODE)
    rows = cells(opened, "#tables details tbody")
    shown = {"1": [row[1] for row in rows], "2": [row[2] for row in rows]}
    counts = nation_counts(release, HOSTILE_CODE)
    assert shown == {sex: [f"{count:,}" for count in counts[sex]] for sex in "12"}
    (moe95,) = {row["MOE95"] for row in nation_cells(release, HOSTILE_CODE)}
    assert set(texts(opened, "#tables details tbody td:last-child")) == {f"±\u00a0{moe95:.0f}"}


OFFERED = "#matches button"
SHOWN_TOTAL = "Number(document.querySelector('#tables p').textContent.match(/Total (-?[\\d,]+)/)[1].replace(/,/g, ''))"


def test_of_several_groups_that_a_text_may_mean_the_largest_is_shown_and_all_are_offered(opened, release):
    pick(opened, "hispanic")
    shown = opened.value(SHOWN_TOTAL)
    offered = texts(opened, OFFERED)
    assert 1 < len(offered) <= 12
    totals = []
    for place in range(len(offered)):
        opened.value(f"document.querySelectorAll('#matches button')[{place}].click()")
        totals.append(opened.value(SHOWN_TOTAL))
        current = "[...document.querySelectorAll('#matches button')].map(each => each.ariaCurrent)"
        assert opened.value(current).index("true") == place
    begins = [text.lower().startswith("hispanic") for text in offered]
    assert begins == sorted(begins, reverse=True)
    beginning = totals[: sum(begins)]
    assert beginning == sorted(beginning, reverse=True)
    assert shown == totals[0]


def test_a_name_that_no_group_has_is_said_to_be_none_and_the_pyramid_stays(opened):
    before = opened.value(PICKED)
    pick(opened, "people of the moon")
    assert "people of the moon" in opened.value("document.getElementById('group-hint').textContent")
    assert opened.value(PICKED) == before


def test_a_group_published_as_a_total_alone_has_no_pyramid(opened):
    label = "[...document.querySelectorAll('#groups option')].find(o => o.label.endsWith('– total')).value"
    pick(opened, opened.value(label))
    assert opened.value("document.querySelector('#tables figure') === null")
    assert "total alone" in opened.value("document.querySelector('#tables p').textContent")


# --- hostile names ---


def test_a_hostile_name_stays_text(opened):
    pick(opened, HOSTILE_CODE)
    assert opened.value(PICKED) == f"{HOSTILE} · {HOSTILE_CODE}, United States"
    assert opened.value("typeof window.attacked") == "undefined"
    assert opened.value("document.querySelectorAll('img').length") == 0


LINES = ("privacy-power", "privacy-epsilon-delta", "privacy-beliefs", "chance-of-publication")


@pytest.mark.parametrize("chart", LINES)
def test_a_line_chart_tells_the_nearest_point_wherever_the_pointer_is_in_short_numbers(opened, chart):
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


def test_the_page_is_dark_where_its_reader_prefers_dark(opened):
    opened.media("screen", prefers_color_scheme="dark")
    assert luminance(opened.value(BACKGROUND)) < 0.2


def test_a_button_turns_the_page_dark_and_light_again(opened):
    looks = [opened.value(BACKGROUND)]
    for _ in range(2):
        opened.value("document.getElementById('theme').click()")
        looks.append(opened.value(BACKGROUND))
    assert looks[0] == looks[2] == WHITE
    assert luminance(looks[1]) < 0.2


def test_the_page_prints_its_charts_and_no_controls(opened):
    opened.media("print")
    shown = "(id) => document.querySelector(id).getClientRects().length > 0"
    assert opened.value(f"['#tables svg', '#picker', '#theme', 'nav'].map({shown})") == [True, False, False, False]
    assert opened.pdf().startswith(b"%PDF")


def test_a_phone_need_not_scroll_sideways(opened):
    opened.size(360)
    opened.wait("document.querySelector('#tables svg').getBoundingClientRect().right <= innerWidth")
    assert opened.value("document.documentElement.scrollWidth") == 360


@pytest.fixture
def phone(opened):
    """The report at the width of a phone, its charts drawn anew."""
    opened.size(390)
    opened.wait("[...document.querySelectorAll('figure svg')].every(svg => svg.getBoundingClientRect().right <= 391)")
    return opened


def boxes(browser: Browser, selector: str) -> list[list[list[float]]]:
    """Left, top, right and bottom of the texts that `selector` finds, figure by figure."""
    return browser.value(
        "[...document.querySelectorAll('figure:not([hidden])')].map(figure =>"
        f"[...figure.querySelectorAll('{selector}')]"
        ".filter(text => text.textContent && getComputedStyle(text).opacity > 0)"
        ".map(text => text.getBoundingClientRect()).map(({left, top, right, bottom}) => [left, top, right, bottom]))"
    )


@pytest.mark.slow
def test_no_text_of_a_chart_is_cut_off_on_a_phone(phone):
    found = [box for figure in boxes(phone, "svg text") for box in figure]
    assert len(found) > 100
    assert [box for box in found if box[0] < 0 or box[2] > 390] == []


# --- keyboard and screen readers ---


@pytest.mark.slow
def test_the_keyboard_reaches_the_picker_and_every_stop_on_the_way_can_be_seen(fresh):
    reached, outlines = set(), set()
    while "group" not in reached and len(reached) < 40:
        fresh.press("Tab")
        reached.add(fresh.value("document.activeElement.id || document.activeElement.href"))
        outlines.add(fresh.value("getComputedStyle(document.activeElement).outlineStyle"))
    assert {"theme", "region", "group"} <= reached
    assert outlines <= {"solid", "auto"}


def test_the_page_has_its_landmarks(opened):
    assert {"banner", "navigation", "main", "contentinfo", "search"} <= roles(opened)


def test_every_control_has_a_name_for_screen_readers(opened):
    controls = {"button", "combobox", "searchbox", "listbox", "link", "textbox"}
    unnamed = [node for node in accessible(opened) if node["role"]["value"] in controls and not node["name"]["value"]]
    assert unnamed == []


def test_every_chart_is_described_to_screen_readers(opened):
    names = [node["name"]["value"] for node in accessible(opened) if node["role"]["value"] in ("img", "image")]
    assert len(names) > 8
    assert all(len(name) > 40 for name in names)


def accessible(browser: Browser) -> list[dict]:
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in nodes if not node["ignored"] and "role" in node and "name" in node]


def roles(browser: Browser) -> set[str]:
    return {node["role"]["value"] for node in browser.send("Accessibility.getFullAXTree")["nodes"] if "role" in node}


# --- two groups side by side, shares, the map, one group on paper ---


@pytest.fixture
def compared(opened):
    """The group that is called by OTHER_CODE, in the nation and in California."""
    pick(opened, OTHER_CODE)
    opened.value("document.getElementById('compare').click()")
    choose(opened, "region-2", "California")
    opened.value("document.getElementById('group-2').focus()")
    opened.type(OTHER_CODE)
    opened.press("Enter", "\r")
    yield opened
    opened.value("document.getElementById('compare').click()")


def number(text: str) -> float:
    return float(text.replace(",", "").removesuffix(" %").removesuffix(" points"))


def test_the_page_computes_differences_as_statistics_does(opened):
    def side(number: float, low: float, high: float, most: float) -> str:
        uncut = "null" if isnan(low) else f"{{count: {number}, low: {low}, high: {high}}}"
        return f"{{count: {number}, uncut: {uncut}, allowed: [0, 1000], most: {'Infinity' if isinf(most) else most}}}"

    opened.wait("globalThis.safetab")
    found = {
        name: opened.value(f"Object.values(safetab.differenceOf({side(*one)}, {side(*other)})).slice(1)")
        for name, (one, other, _) in APART.items()
    }
    assert found == {name: list(wanted or (-1000, 1000)) for name, (*_, wanted) in APART.items()}


def test_two_regions_stand_side_by_side_with_the_difference_and_its_interval(compared, release):
    totals = [published(release, "t1", *region, OTHER_CODE)[0] for region in (("USA", "1"), ("STATE", "06"))]
    (what, *line), *_ = cells(compared, "#comparison-table tbody")
    assert (what, [number(cell) for cell in line[:3]]) == (
        "Total",
        [*(total["COUNT"] for total in totals), totals[0]["COUNT"] - totals[1]["COUNT"]],
    )
    low, high = map(number, line[3].split(" to "))
    margins = [(total["HIGH95"] - total["LOW95"]) / 2 for total in totals]
    assert (high - low) / 2 == pytest.approx(sum(margin**2 for margin in margins) ** 0.5, abs=1)
    assert line[4] == ("could be noise" if low <= 0 <= high else "real difference")
    assert compared.value("document.getElementById('picked-name-2').textContent").endswith("California")


def test_shares_are_those_of_the_published_cells_inside_their_intervals(opened, release):
    pick(opened, HOSTILE_CODE)
    own = nation_cells(release, HOSTILE_CODE)
    total = sum(row["COUNT"] for row in own)
    shown = {name: list(map(number, values)) for name, *values in cells(opened, "#tables .shares tbody")}
    assert list(shown) == ["female", "under 18", "18–44", "45–64", "65 and over"]
    women = 100 * sum(row["COUNT"] for row in own if row["SEX"] == "2") / total
    young = 100 * sum(row["COUNT"] for row in own if int(row["AGESTART"]) < 18) / total
    assert (shown["female"][0], shown["under 18"][0]) == pytest.approx((women, young), abs=0.06)
    assert all(low <= share <= high for share, low, high in shown.values())


def test_a_group_that_is_picked_says_how_its_total_changed_since_the_release_before(opened, release, earlier):
    pick(opened, OTHER_CODE)
    (then,), (now,) = (published(folder, "t1", "USA", "1", OTHER_CODE) for folder in (earlier, release))
    said, median = texts(opened, "#tables p span")
    assert said.startswith(f"Since Earlier <b>tables</b> (earlier), when it was {then['COUNT']:,}: ")
    assert f": {now['COUNT'] - then['COUNT']:+,} (" in said
    assert median.startswith("Median age, with its 95 % interval: ")


def test_the_map_shades_the_regions_with_a_published_count_and_hatches_the_others(opened, release):
    pick(opened, OTHER_CODE)
    rows = pq.read_table(release / "t1").to_pylist()
    own = [row for row in rows if (row["REGION_TYPE"], row["ITERATION_CODE"]) == ("STATE", OTHER_CODE)]
    states = {row["REGION_ID"]: row["COUNT"] for row in own}
    fills = "[...document.querySelectorAll('#map-drawing > svg > path')].map(path => path.getAttribute('fill'))"
    found = opened.value(fills)
    assert (len(found), found.count("url(#hatch)")) == (51, 51 - len(states))
    titles = texts(opened, "#map-drawing title")
    assert sum(title.startswith(f"California: {states['06']:,}, from ") for title in titles) == 1


def test_one_group_is_printed_on_one_sheet_with_its_counts(opened):
    pick(opened, HOSTILE_CODE)
    opened.value("window.print = () => {}")
    opened.value("document.getElementById('print').click()")
    opened.media("print")
    shown = "(id) => document.querySelector(id).getClientRects().length > 0"
    of_group = ["#tables svg", "#tables details td", "#tables .shares td", "#picked-name"]
    assert opened.value(f"{[*of_group, '#published', '#map', '#compare']}.map({shown})") == [True] * 4 + [False] * 3
    assert opened.pdf().count(b"/Type /Page\n") == 1
    opened.value("window.dispatchEvent(new Event('afterprint'))")
    assert opened.value(f"['#published'].map({shown})") == [True]
