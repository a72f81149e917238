"""Folders that appear whole or not at all, and private ones that go with their process."""

import fcntl
import glob
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from safetab_sql.errors import Problem, refuse


def check_new_folder(out: Path, contents: Collection[str], *, overwrite: bool) -> list[Problem]:
    """What stands in the way of making folder `out`, to hold `contents`.

    A folder that holds anything else is never overwritten: its name may have been mistyped.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        return [Problem(str(out), "exists and is not a folder", "name another folder, or move it away")]
    if out.exists() and not overwrite:
        return [Problem(str(out), "exists already", "name another folder, or say --overwrite")]
    foreign = sorted(entry.name for entry in out.iterdir() if entry.name not in contents) if out.exists() else []
    if foreign:
        what = f"holds {foreign[0]}, which this command does not write, so it is not overwritten"
        return [Problem(str(out), what, "name another folder, or remove this one yourself")]
    parent = _standing(out).parent
    if not parent.is_dir():
        return [Problem(str(out), f"its folder {parent} does not exist", "make that folder first")]
    if not os.access(parent, os.W_OK):
        return [Problem(str(out), f"no permission to write in {parent}", "name another folder, or ask for access")]
    return []


@contextmanager
def whole_folder(out: Path, contents: Collection[str], *, overwrite: bool) -> Iterator[Path]:
    """A new folder beside `out` to write into; it becomes `out` when the block ends, and goes when it fails.

    Everything in it is flushed to the disk before it gets its name. Raises: InputError if `out` may not be made.
    """
    refuse(check_new_folder(out, contents, overwrite=overwrite))
    out = _standing(out)
    with private_folder(out.parent, f".{out.name}.partial-") as partial:
        yield partial
        for path in [*partial.rglob("*"), partial]:
            _flush(path)
        partial.chmod(0o777 & ~_umask())
        _take_name(partial, out)
        _flush(out.parent)


@contextmanager
def private_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder of mode 0700 under `parent`, its name beginning with `prefix`; removed on any exit.

    Folders of that prefix that a killed process left are removed first: each is locked while its process lives.
    """
    _remove_stale(parent, prefix)
    folder = Path(tempfile.mkdtemp(prefix=f".new-{prefix}", dir=parent))
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # It gets the name that others look for only when it is locked.
        folder = folder.rename(parent / folder.name.removeprefix(".new-"))
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _remove_stale(parent: Path, prefix: str) -> None:
    """Remove the folders under `parent` with this prefix that are private and ours, and whose process is gone."""
    for folder in parent.glob(f"{glob.escape(prefix)}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue  # another user's, or being removed right now
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found = os.fstat(lock)
            if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) == 0o700:
                shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # its process lives
        finally:
            os.close(lock)


def _standing(out: Path) -> Path:
    """`out` with every link and `..` before its name resolved, so that it stays the same while folders are renamed."""
    return out.absolute().resolve() if out.exists() else out.absolute().parent.resolve() / out.name


def _take_name(partial: Path, out: Path) -> None:
    """Rename `partial` to `out`; a folder that stood there goes only after the new one stands."""
    if not out.exists():
        partial.rename(out)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}.old-", dir=out.parent))
    out.rename(old / out.name)
    try:
        partial.rename(out)
    except BaseException:
        (old / out.name).rename(out)
        raise
    finally:
        if out.exists():
            shutil.rmtree(old, ignore_errors=True)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
