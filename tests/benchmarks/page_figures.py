"""Whether the page gives the figures of `statistics`, and how fast: `python -m tests.benchmarks.page_figures RELEASE`.

Makes the report on a release, with those of --earlier, opens it in a headless browser from its file, and asks both for
random sums, differences, ratios, growths and quantiles. Prints how many are known, which differ in a printed digit, the
milliseconds that the page took for each, and the size of the page and of what it loaded by itself. --made keeps it.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from safetab_sql.jobs.report import report
from tests.report.browser import Browser, browser_program, open_browser
from tests.report.random_figures import Figures, answers, answers_of_page, differing, index_of

BATCH = 500  # statistics with one choice of unions


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="safetab-sql-page-") as scratch:
        page = options.made or Path(scratch) / "report.html"
        releases = [*options.earlier, options.release]
        if not page.exists():
            started = time.monotonic()
            report(releases, page)
            print(f"{'report_seconds':<16} {time.monotonic() - started:.1f}")
        program = browser_program()
        if program is None:
            sys.exit("no browser is installed")
        with open_browser(program, Path(scratch) / "profile") as browser:
            if compared(browser, page, releases, options.figures, options.seed):
                sys.exit("some figures differ")


def compared(browser: Browser, page: Path, releases: list[Path], number: int, seed: int) -> int:
    """How many figures differ. Prints what is found."""
    browser.open(page)
    browser.wait("document.getElementById('answer').dataset.answered")
    loaded = [Path(address.removeprefix("file://")) for address in browser.requests()]
    print(f"{'first_load_mb':<16} {sum(file.stat().st_size for file in loaded) / 1e6:.2f} in {len(loaded)} files")
    index, known, took = index_of(page), Counter[str](), list[tuple[float, str]]()
    other: list[tuple[Any, ...]] = []
    for batch in range(-(-number // BATCH)):
        figures = Figures(index, Random(seed + batch))
        asked = figures.asked(min(BATCH, number - batch * BATCH))
        ours = list(answers(releases, figures, asked))
        theirs = answers_of_page(browser, asked)
        known.update(each["kind"] for each, own in zip(asked, ours, strict=True) if own[1] is not None)
        took += [(own[6], each["kind"]) for each, own in zip(asked, theirs, strict=True)]
        other += differing(asked, ours, theirs)
    took.sort()
    at = {part: took[min(len(took) - 1, int(len(took) * part))] for part in (0.5, 0.9, 0.99, 0.999, 1)}
    print(f"{'figures':<16} {number:,}, {sum(known.values()):,} known: {dict(known)}")
    print(f"{'milliseconds':<16} " + ", ".join(f"{part:g}: {ms:.1f} ({kind})" for part, (ms, kind) in at.items()))
    print(f"{'above 200 ms':<16} {sum(ms > 200 for ms, _ in took)}")
    print(f"{'differ':<16} {len(other)}")
    print(f"{'console':<16} {browser.complaints()}")
    for each, own, theirs in other[:5]:
        print(each, own, theirs, sep="\n  ")
    return len(other)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("--earlier", type=Path, nargs="*", default=[])
    parser.add_argument("--made", type=Path, help="the page: made where it is not there, and kept")
    parser.add_argument("--figures", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
