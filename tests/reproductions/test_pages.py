"""The pages of the papers hold what is computed, and the index names every page."""

import pytest

from docs.reproductions.__main__ import FOLDER, PAGES, current

SLOW = pytest.mark.slow


@pytest.mark.parametrize("name", [name if name == "gardner.md" else pytest.param(name, marks=SLOW) for name in PAGES])
def test_a_page_is_current(name):
    """Write it again with `make reproductions`."""
    page, wanted = current(name)
    assert page == wanted


def test_the_index_names_every_page():
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert [name for name in PAGES if f"({name})" not in index] == []
    assert {file.name for file in FOLDER.glob("*.md")} == {*PAGES, "challenge.md", "index.md"}
