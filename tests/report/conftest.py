"""A small release whose code lists hold hostile names, its report, and a browser that has opened it."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from safetab_sql import Resources, run
from safetab_sql.report.release import Reported, read_release
from safetab_sql.report.report import Report, release_report
from tests.cli.nations import paths, simulate_few_states
from tests.report.browser import PROGRAMS, Browser, browser_program, open_browser
from tests.statistics import recorded_bits

HOSTILE = (
    """</script><script>window.attacked=1</script><img src=x onerror="window.attacked=2">';drop table t1;--{{7*7}}"""
)
HOSTILE_CODE = "6006"
OTHER_CODE = "6005"


@pytest.fixture(scope="session")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,400 people of four states; one iteration has a hostile name; thresholds so that many groups earn tables."""
    folder = tmp_path_factory.mktemp("report") / "nation"
    simulate_few_states(folder, people=10_000)
    names = folder / "code-lists" / "race-characteristic-iterations.txt"
    lines = [line.split("|") for line in names.read_text(encoding="utf-8").splitlines()]
    renamed = [[code, HOSTILE if code == HOSTILE_CODE else name, *others] for code, name, *others in lines]
    names.write_text("\n".join(map("|".join, renamed)) + "\n", encoding="utf-8")
    parameters = folder / "parameters.toml"
    text = parameters.read_text(encoding="utf-8")
    parameters.write_text(text.replace("471, 971, 6971", "10, 100, 300"), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def release(nation: Path) -> Path:
    """The release of that nation, with recorded noise."""
    out = nation.parent / "release"
    run(paths(nation), out, bits=recorded_bits("report"), resources=Resources(threads=1))
    return out


@pytest.fixture(scope="session")
def earlier(nation: Path) -> Path:
    """Another release of that nation, with noise of its own, and called by a title."""
    out = nation.parent / "earlier"
    parameters = nation.parent / "earlier.toml"
    text = (nation / "parameters.toml").read_text(encoding="utf-8")
    titled = re.sub("(?m)^title = .*$", 'title = "Earlier <b>tables</b>"', text, count=1)
    parameters.write_text(titled, encoding="utf-8")
    inputs = replace(paths(nation), parameters=parameters)
    run(inputs, out, bits=recorded_bits("earlier"), resources=Resources(threads=1))
    return out


@pytest.fixture(scope="session")
def reported(release: Path) -> Reported:
    """That release as it is read, with no code lists beside it."""
    return read_release(release)


@pytest.fixture(scope="session")
def report(nation: Path, release: Path, earlier: Path) -> Report:
    before = [earlier, earlier]
    return release_report(release, nation / "code-lists", shapes=nation / "shapes.parquet", earlier=before)


@pytest.fixture(scope="session")
def page(report: Report, release: Path) -> Path:
    path = release.parent / "report.html"
    path.write_text(report.html, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless browser. CI has to have one; elsewhere its tests are skipped where there is none."""
    program = browser_program()
    if program is None:
        reason = f"no browser is installed: none of {', '.join(PROGRAMS)} (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with open_browser(program, tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="session")
def loaded(browser: Browser, page: Path) -> tuple[list[str], list[str]]:
    """What the page complained of and asked for when it was opened for the first time."""
    at_a_desk(browser)
    browser.open(page)
    browser.wait("document.getElementById('answer').dataset.answered")
    return browser.complaints(), browser.requests()


@pytest.fixture
def opened(browser: Browser, page: Path, loaded: object) -> Browser:
    """In light and at the width of a desk, the report, as it stands when it is loaded: tests leave much behind."""
    at_a_desk(browser)
    if browser.value("location.href.split('#')[0]") != page.resolve().as_uri():  # what is picked stands behind a #
        browser.open(page)
    browser.value("delete document.documentElement.dataset.theme")
    browser.value("document.activeElement.blur()")
    browser.value("location.hash = '#explore'")
    browser.value("safetab.show({ type: 0, region: '1', code: '6006', ladder: 0, detail: '', kind: '' }, false)")
    return browser


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest of a folder."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def at_a_desk(browser: Browser) -> None:
    browser.media("screen", prefers_color_scheme="light")
    browser.size(1280)
