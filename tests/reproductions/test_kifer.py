"""The page of worked examples is what the program computes, and says what the source says."""

import pytest

from docs.reproductions.kifer.examples import page
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "reproductions" / "kifer.md"


@pytest.fixture(scope="module")
def computed() -> str:
    return page()


def test_the_page_is_current(computed):
    """Write it again with `make reproductions`."""
    assert PAGE.read_text(encoding="utf-8") == computed


@pytest.mark.parametrize(
    "said",
    [
        "has the same distribution",
        "That is exactly randomised response with epsilon 1",
        "| outputs a, b, c | 0.01 | 0.01 |\n| a and b merged | 0.61 | 0.01 |",
        "71 measurements whose shares sum to 1 exactly",
        "| X and Y | 2 | 8 | 1.414 | 1 |\n| X + Y and X - Y | 2 | 4 | 2 | 1 |",
        "| 0.01 | 0.4869 | 0.4862 to 0.4869 | 0.6982 |",
        "| 0.05 | 0.7417 | 0.7411 to 0.7418 | 0.9467 |",
        "| 0.10 | 0.8442 | 0.8438 to 0.8443 | 0.9624 |",
    ],
)
def test_the_page_says_what_the_source_says(computed, said):
    assert said in computed


def test_no_line_of_the_page_is_empty_of_what_it_promises(computed):
    assert computed.count("\n## ") == 12
    assert "nan" not in computed
    assert "inf " not in computed
