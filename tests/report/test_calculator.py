"""The calculator of the page: its figures are those of `statistics`, and everybody can use it."""

from random import Random

import pytest

from safetab_sql.statistics.wanted_statistics import statistics_of
from tests.report.browser import Browser
from tests.report.random_figures import Figures, answers, answers_of_page, differing, index_of, wanted_table

ANSWERED = "document.getElementById('answer').dataset.answered"


@pytest.fixture
def ready(opened):
    opened.wait(ANSWERED)
    return opened


def compare(browser: Browser, page, releases, scratch, number: int, seed: int) -> tuple[int, list]:
    """How many of random statistics are known, and those of which the page prints another figure."""
    figures = Figures(index_of(page), Random(seed))
    asked = figures.asked(number)
    ours = list(answers(releases, figures, asked, scratch))
    theirs = answers_of_page(browser, asked)
    return sum(own[1] is not None for own in ours), differing(asked, ours, theirs)


def test_figures_are_those_of_statistics_to_the_printed_digit(ready, page, release, earlier, tmp_path):
    known, other = compare(ready, page, [earlier, release], tmp_path, number=120, seed=1)
    assert other == []
    assert known > 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_figures_are_those_of_statistics(ready, page, release, earlier, tmp_path, seed):
    known, other = compare(ready, page, [earlier, release], tmp_path, number=500, seed=seed)
    assert other == []
    assert known > 150


@pytest.mark.parametrize("code", ["6004", "6005"])
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
