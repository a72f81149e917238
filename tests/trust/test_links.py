"""Symbolic links in and around OUT: nothing is written, removed or replaced through one."""

from pathlib import Path

import pytest

from safetab_sql import InputError
from safetab_sql.kit.whole_folders import claimed_name, whole_folder
from tests.trust.processes import names

CONTENTS = ("t1", "t2", "manifest.json")


@pytest.fixture
def elsewhere(folder: Path) -> Path:
    """A folder of somebody else, with something dear in it."""
    place = folder.parent / "elsewhere"
    place.mkdir()
    (place / "thesis.tex").write_text("years of work")
    return place


def overwritten(out: Path) -> None:
    with whole_folder(out, CONTENTS, overwrite=True) as new:
        (new / "manifest.json").write_text("new")


def test_a_link_in_a_release_is_removed_and_what_it_leads_to_stays(folder, elsewhere):
    (folder / "out").mkdir()
    (folder / "out" / "t1").symlink_to(elsewhere)
    (folder / "out" / "manifest.json").symlink_to(elsewhere / "thesis.tex")
    overwritten(folder / "out")
    assert (names(folder), names(folder / "out")) == (["out"], ["manifest.json"])
    assert (elsewhere / "thesis.tex").read_text() == "years of work"
    assert not (folder / "out" / "manifest.json").is_symlink()


def test_a_folder_below_a_link_is_made_where_the_link_leads(folder, elsewhere):
    """The user named that place; the link itself stays a link."""
    (folder / "link").symlink_to(elsewhere)
    overwritten(folder / "link" / "out")
    assert (names(elsewhere), (folder / "link").is_symlink()) == (["out", "thesis.tex"], True)


def test_a_link_that_looks_like_what_a_killed_process_left_is_not_followed(folder, elsewhere):
    elsewhere.chmod(0o700)
    (folder / ".out.partial-12345678").symlink_to(elsewhere)
    overwritten(folder / "out")
    assert (elsewhere / "thesis.tex").read_text() == "years of work"


def test_a_link_in_the_place_of_the_lock_is_not_followed(folder, elsewhere):
    (folder / ".out.lock").symlink_to(elsewhere / "lock")
    with claimed_name(folder / "out") as taken:
        assert "cannot be locked: Too many levels of symbolic links" in str(taken[0])
        assert names(elsewhere) == ["thesis.tex"]
    assert names(folder) == [".out.lock"]


def test_a_link_put_in_the_place_of_a_release_at_the_last_moment_is_not_replaced(folder, elsewhere):
    with (
        pytest.raises(InputError, match="exists and is not a folder"),
        whole_folder(folder / "out", CONTENTS, overwrite=True),
    ):
        (folder / "out").symlink_to(elsewhere)
    assert (names(elsewhere), (folder / "out").is_symlink()) == (["thesis.tex"], True)
