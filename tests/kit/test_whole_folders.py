"""A folder appears whole or not at all, and replaces nothing that is not its own."""

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from safetab_sql.kit import whole_folders as folders
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.whole_folders import check_new_folder, claimed_name, whole_folder

CONTENTS = ("t1", "manifest.json")


def made(out: Path, *, overwrite: bool = False, text: str = "new") -> None:
    """Make `out` with one file and one folder."""
    with whole_folder(out, CONTENTS, overwrite=overwrite) as folder:
        (folder / "t1").mkdir()
        (folder / "t1" / "t1.parquet").write_text(text)
        (folder / "manifest.json").write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_only_its_owner_sees_a_folder_before_its_block_ends(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "out", CONTENTS, overwrite=False) as folder:
        assert ((tmp_path / "out").exists(), stat.S_IMODE(folder.stat().st_mode)) == (False, 0o700)


def test_a_folder_gets_the_permissions_of_any_new_folder(tmp_path: Path) -> None:
    made(tmp_path / "out")
    (tmp_path / "usual").mkdir()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("failure", [OSError, KeyboardInterrupt, SystemExit])
def test_a_block_that_fails_leaves_nothing(tmp_path: Path, failure: type[BaseException]) -> None:
    with pytest.raises(failure), whole_folder(tmp_path / "out", CONTENTS, overwrite=False) as folder:  # noqa: PT012
        (folder / "manifest.json").write_text("half")
        raise failure
    assert names(tmp_path) == []


def test_a_block_that_fails_leaves_the_folder_that_stood(tmp_path: Path) -> None:
    made(tmp_path / "out", text="old")
    with pytest.raises(OSError), whole_folder(tmp_path / "out", CONTENTS, overwrite=True):  # noqa: PT011
        raise OSError
    assert ((tmp_path / "out" / "manifest.json").read_text(), names(tmp_path)) == ("old", ["out"])


@pytest.fixture
def no_swap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that cannot swap two names in one step."""
    monkeypatch.setattr(folders, "_have_swapped", lambda one, other: False)


@pytest.mark.parametrize("is_in_one_step", [True, False])
def test_a_folder_of_the_same_kind_is_replaced_when_asked_for(
    request: pytest.FixtureRequest, tmp_path: Path, is_in_one_step: bool
) -> None:
    if not is_in_one_step:
        request.getfixturevalue("no_swap")
    made(tmp_path / "out", text="old")
    made(tmp_path / "out", overwrite=True)
    assert ((tmp_path / "out" / "manifest.json").read_text(), names(tmp_path)) == ("new", ["out"])


@pytest.mark.usefixtures("no_swap")
def test_a_rename_that_fails_puts_the_old_folder_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path / "out", text="old")
    rename = Path.rename

    def refuse_the_new(self: Path, target: Path) -> Path:
        if ".partial-" in self.name:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_the_new)
    with pytest.raises(OSError, match="No space"):
        made(tmp_path / "out", overwrite=True)
    assert ((tmp_path / "out" / "manifest.json").read_text(), names(tmp_path)) == ("old", ["out"])


STANDING = {
    "a folder": (lambda out: out.mkdir(), False, "exists already"),
    "a file": (lambda out: out.write_text(""), True, "exists and is not a folder"),
    "a foreign file": (lambda out: (out.mkdir(), (out / "thesis.tex").write_text("")), True, "holds thesis.tex"),
    "a link": (lambda out: out.symlink_to(out.parent), True, "exists and is not a folder"),
    "a broken link": (lambda out: out.symlink_to(out.parent / "elsewhere"), True, "exists and is not a folder"),
}


@pytest.mark.parametrize(("there", "overwrite", "what"), STANDING.values(), ids=STANDING)
def test_what_stands_there_is_not_replaced(
    tmp_path: Path, there: Callable[[Path], object], overwrite: bool, what: str
) -> None:
    there(tmp_path / "out")
    (problem,) = check_new_folder(tmp_path / "out", CONTENTS, overwrite=overwrite)
    assert (problem.where, what in problem.what, problem.fix != "") == (str(tmp_path / "out"), True, True)


def test_a_folder_that_may_not_be_made_is_not_begun(tmp_path: Path) -> None:
    made(tmp_path / "out")
    with pytest.raises(InputError, match="exists already"):
        made(tmp_path / "out")
    assert names(tmp_path) == ["out"]


def test_a_folder_in_no_folder_is_refused(tmp_path: Path) -> None:
    (problem,) = check_new_folder(tmp_path / "none" / "out", CONTENTS, overwrite=False)
    assert f"{tmp_path / 'none'} does not exist" in problem.what


def test_a_folder_is_replaced_from_within_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / CONTENTS[0]).write_text("old")
    monkeypatch.chdir(tmp_path / "out")
    with whole_folder(Path("../out"), CONTENTS, overwrite=True) as folder:
        (folder / CONTENTS[0]).write_text("new")
    assert (tmp_path / "out" / CONTENTS[0]).read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_half_written_folder_of_a_living_process_is_kept(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "out", CONTENTS, overwrite=False) as first:
        with whole_folder(tmp_path / "out", CONTENTS, overwrite=False) as second:
            (second / CONTENTS[0]).write_text("second")
        assert first.is_dir()
        shutil.rmtree(tmp_path / "out")


def test_a_name_is_claimed_on_nfs_which_locks_only_files_that_may_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As flock(2) says of NFS, and so on the disks that machines share."""
    flock = fcntl.flock

    def on_nfs(file: int, operation: int) -> None:
        is_read_only = fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
        if operation & fcntl.LOCK_EX and is_read_only and stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", on_nfs)
    with claimed_name(tmp_path / "out") as first, claimed_name(tmp_path / "out") as second:
        assert first == []
        assert ["another command is making this folder" in str(problem) for problem in second] == [True]


def test_a_name_that_cannot_be_claimed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_locks(*_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", without_locks)
    with claimed_name(tmp_path / "out") as problems:
        assert ["out.lock: cannot be locked: No locks available" in str(problem) for problem in problems] == [True]
