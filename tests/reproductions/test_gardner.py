"""The page of Gardner's solution is what the program writes, and the index names every page."""

from docs.reproductions import __main__ as reproductions
from docs.reproductions.gardner import page
from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "docs" / "reproductions"


def test_the_page_is_current() -> None:
    """Write it again with `make reproductions`."""
    assert (FOLDER / "gardner.md").read_text(encoding="utf-8") == page()


def test_the_index_names_every_page() -> None:
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert [name for name in reproductions.PAGES if f"({name})" not in index] == []
    assert {file.name for file in FOLDER.glob("*.md")} == {*reproductions.PAGES, "challenge.md", "index.md"}
