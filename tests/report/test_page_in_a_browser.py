"""The report in a real browser: it loads in silence, asks for nothing, and can be used by everybody."""

from itertools import pairwise

import pyarrow.parquet as pq

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
    browser.wait("document.querySelector('#pyramid-figure').hidden || document.querySelector('#pyramid').dataset.drawn")


def nation_counts(release, code: str) -> dict[str, list[int]]:
    """The published cells of the nation's group of this iteration, by sex, in order of age."""
    rows = pq.read_table(release / "t2").to_pylist()
    own = [
        row for row in rows if (row["REGION_TYPE"], row["ITERATION_CODE"]) == ("USA", code) and row["AGESTART"] != "*"
    ]
    own.sort(key=lambda row: int(row["AGESTART"]))
    return {sex: [row["COUNT"] for row in own if row["SEX"] == sex] for sex in "12"}


def luminance(colour: str) -> float:
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


# --- it loads ---


def test_the_page_loads_without_a_word_on_the_console(fresh):
    assert fresh.complaints() == []


def test_the_page_asks_for_nothing_but_itself(fresh, page):
    assert fresh.requests() == [page.as_uri()]


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
    bars = opened.value("document.querySelectorAll('#pyramid .mark-rect path').length")
    margins = opened.value(
        "[...document.querySelectorAll('#pyramid .mark-rule.role-mark line')].filter(line => line.getBBox().width "
        "> 0).length"
    )
    assert bars == margins == len(counts["1"]) + len(counts["2"]) > 0


def test_the_table_behind_a_pyramid_holds_the_published_counts(opened, release):
    pick(opened, HOSTILE_CODE)
    cells = (
        "[...document.querySelectorAll('#pyramid-table tbody tr')].map(row => [...row.cells].map(c => c.textContent))"
    )
    rows = opened.value(cells)
    shown = {"1": [row[1] for row in rows], "2": [row[2] for row in rows]}
    counts = nation_counts(release, HOSTILE_CODE)
    assert shown == {sex: [f"{count:,}" for count in counts[sex]] for sex in "12"}


def test_a_margin_is_as_wide_as_was_published(opened, release):
    pick(opened, HOSTILE_CODE)
    (published,) = {
        row["MOE95"]
        for row in pq.read_table(release / "t2").to_pylist()
        if (row["REGION_TYPE"], row["ITERATION_CODE"]) == ("USA", HOSTILE_CODE) and row["AGESTART"] != "*"
    }
    shown = "[...new Set([...document.querySelectorAll('#pyramid-table tbody td:last-child')].map(c => c.textContent))]"
    assert opened.value(shown) == [f"±{published:.0f}"]


def test_a_group_is_found_by_its_code(opened):
    pick(opened, OTHER_CODE)
    assert f"· {OTHER_CODE}, United States" in opened.value(PICKED)


def test_a_name_that_no_group_has_is_said_to_be_none_and_the_pyramid_stays(opened):
    before = opened.value(PICKED)
    pick(opened, "people of the moon")
    assert "people of the moon" in opened.value("document.getElementById('group-hint').textContent")
    assert opened.value(PICKED) == before


def test_another_region_shows_the_same_group_there(opened):
    pick(opened, OTHER_CODE)
    opened.value(
        "(() => { const region = document.getElementById('region');"
        "region.value = [...region.options].find(o => o.text === 'California').value;"
        "region.dispatchEvent(new Event('change')); })()"
    )
    assert opened.value(PICKED).endswith(f"· {OTHER_CODE}, California")


def test_a_group_published_as_a_total_alone_has_no_pyramid(opened):
    label = "[...document.querySelectorAll('#groups option')].find(o => o.label.endsWith('– total')).value"
    pick(opened, opened.value(label))
    assert opened.value("document.getElementById('pyramid-figure').hidden")
    assert "total alone" in opened.value("document.getElementById('picked-total').textContent")


# --- hostile names ---


def test_a_hostile_name_stays_text(opened):
    pick(opened, HOSTILE_CODE)
    assert opened.value(PICKED) == f"{HOSTILE} · {HOSTILE_CODE}, United States"
    assert opened.value("typeof window.attacked") == "undefined"
    assert opened.value("document.querySelectorAll('img').length") == 0


def test_a_hostile_name_is_among_those_to_pick_from_letter_by_letter(opened):
    offered = opened.value("[...document.querySelectorAll('#groups option')].map(option => option.value)")
    assert f"{HOSTILE} · {HOSTILE_CODE}" in offered


def test_a_tooltip_shows_texts_of_the_data_as_text(opened):
    opened.value(
        "document.querySelector('#chart-reliability-by-level').scrollIntoView({block: 'center', behavior: 'instant'})"
    )
    box = opened.value(
        "(() => { const bars = [...document.querySelectorAll('#chart-reliability-by-level .mark-rect path')];"
        "const boxes = bars.map(bar => bar.getBoundingClientRect()).sort((a, b) => b.width - a.width);"
        "return [boxes[0].x + boxes[0].width / 2, boxes[0].y + boxes[0].height / 2]; })()"
    )
    for pixel in range(3):
        opened.send("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + pixel, y=box[1])
    opened.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
    assert "population groups" in opened.value("document.querySelector('#vg-tooltip-element').textContent")


# --- light, dark, paper, phones ---


def test_the_page_is_dark_where_its_reader_prefers_dark(opened):
    opened.media("screen", prefers_color_scheme="dark")
    assert luminance(opened.value(BACKGROUND)) < 0.2


def test_the_texts_of_charts_are_light_in_the_dark(opened):
    opened.media("screen", prefers_color_scheme="dark")
    text = opened.value("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert luminance(text) > 0.5


def test_a_button_turns_the_page_dark_and_light_again(opened):
    looks = [opened.value(BACKGROUND)]
    for _ in range(2):
        opened.value("document.getElementById('theme').click()")
        looks.append(opened.value(BACKGROUND))
    assert looks[0] == looks[2] == WHITE
    assert luminance(looks[1]) < 0.2


def test_paper_is_white_though_the_screen_is_dark(opened):
    opened.value("document.getElementById('theme').click()")
    opened.media("print", prefers_color_scheme="dark")
    assert opened.value(BACKGROUND) == WHITE


def test_the_page_prints_its_charts_and_no_controls(opened):
    opened.media("print")
    shown = "(id) => document.querySelector(id).getClientRects().length > 0"
    assert opened.value(f"['#pyramid svg', '#picker', '#theme', 'nav'].map({shown})") == [True, False, False, False]
    assert opened.pdf().startswith(b"%PDF")


def test_a_phone_need_not_scroll_sideways(opened):
    opened.size(360)
    opened.wait("document.querySelector('#pyramid svg').getBoundingClientRect().right <= innerWidth")
    assert opened.value("document.documentElement.scrollWidth") == 360


# --- keyboard and screen readers ---


def test_the_first_stop_of_the_keyboard_leads_to_the_content(fresh):
    fresh.press("Tab")
    assert fresh.value("document.activeElement.className") == "skip"
    fresh.press("Enter", "\r")
    fresh.wait("document.activeElement.id === 'main'")


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


def test_every_chart_has_a_table_of_its_data(opened):
    rows = opened.value(
        "[...document.querySelectorAll('figure')].map(f => f.querySelectorAll('details tbody tr').length)"
    )
    assert min(rows) > 0


def test_headings_descend_one_level_at_a_time(opened):
    levels = opened.value("[...document.querySelectorAll('h1,h2,h3,h4')].map(heading => Number(heading.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def accessible(browser: Browser) -> list[dict]:
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in nodes if not node["ignored"] and "role" in node and "name" in node]


def roles(browser: Browser) -> set[str]:
    return {node["role"]["value"] for node in browser.send("Accessibility.getFullAXTree")["nodes"] if "role" in node}
