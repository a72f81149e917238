"""Folders and files that appear whole or not at all, and private folders that go with their process."""

import ctypes
import errno
import fcntl
import glob
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time
from pathlib import Path

from safetab_sql.kit.errors import InputError, Problem, refuse

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of Linux: linux/fcntl.h, linux/fs.h


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
    return inside_a_release(out)


def inside_a_release(out: Path) -> list[Problem]:
    """`out`, where it lies in a folder that a command made whole: a release is given away with all that is in it."""
    around = [folder for folder in out.absolute().resolve().parents if (folder / "manifest.json").is_file()]
    fix = "name a place beside that folder"
    return [
        Problem(str(out), f"lies in {folder}, which was made whole and is given away whole", fix) for folder in around
    ]


def today() -> date:
    """The day, UTC: all that a release says of when it was made."""
    return datetime.now(UTC).date()


@contextmanager
def claimed_name(out: Path) -> Iterator[list[Problem]]:
    """Keeps other commands that ask from making `out` until the block ends; the problem, where one is at it already.

    It is a lock on an empty file beside `out` that goes at the end; one that a killed process left is taken over, and
    what it had written of `out` is removed. Raises: KeyboardInterrupt that says so if `out` stands by then.
    """
    path = out.absolute().parent.resolve() / f".{out.absolute().name}.lock"
    try:
        lock = _locked_file(path)
    except BlockingIOError:
        yield [Problem(str(out), "another command is making this folder", "wait until it ends, or name another folder")]
        return
    except OSError:  # no such folder, or a closed one: check_new_folder says so
        yield []
        return
    before = out.stat() if out.exists() else None
    try:
        _remove_stale(path.parent, _partial(out))
        yield []
    except KeyboardInterrupt as stop:
        if out.exists() and (before is None or not _is_at(out, before)):
            raise KeyboardInterrupt(f"{out} stands, whole") from stop
        raise
    finally:
        with suppress(OSError):  # a disk that has become read-only, for example
            path.unlink()
        os.close(lock)


@contextmanager
def whole_folder(out: Path, contents: Collection[str], *, overwrite: bool, day: date | None = None) -> Iterator[Path]:
    """A new folder beside `out` to write into; it becomes `out` when the block ends, and goes when it fails.

    Everything in it is flushed to the disk before it gets its name. It and all that is in it were last changed at
    midnight (UTC) of `day`, today if None: how long the making took depends on what was counted, and is not told.
    Raises: InputError if `out` may not be made, at the beginning or any more at the end.
    """
    changed = datetime.combine(day or today(), time(), UTC).timestamp()
    refuse(check_new_folder(out, contents, overwrite=overwrite))
    given, out = out, _standing(out)
    with private_folder(out.parent, _partial(out)) as partial:
        yield partial
        for path in [*partial.rglob("*"), partial]:
            os.utime(path, (changed, changed), follow_symlinks=False)
            _flush(path)
        refuse(check_new_folder(given, contents, overwrite=overwrite))
        _take_name(partial, out, overwrite=overwrite)
        out.chmod(0o777 & ~_umask())  # only now: what is stale is known by its mode of 0700
        _flush(out.parent)


def write_whole_file(path: Path, text: str, *, overwrite: bool, mode: int = 0o644) -> None:
    """Write `text` to `path`, whole or not at all. Raises: InputError if it exists and is not to be overwritten."""
    if path.is_dir() or path.is_symlink():
        raise InputError([Problem(str(path), "is not a file", "name another one")])
    if not path.absolute().parent.is_dir():
        raise InputError([Problem(str(path), f"its folder {path.absolute().parent} does not exist", "make it first")])
    refuse(inside_a_release(path))
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.partial-", dir=path.absolute().parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(mode)
        _take_file_name(Path(name), path, overwrite=overwrite)
    finally:
        Path(name).unlink(missing_ok=True)


def _take_file_name(partial: Path, path: Path, *, overwrite: bool) -> None:
    """Give the finished file its name; a link, unlike a renaming, fails where a file of that name stands."""
    if overwrite:
        partial.replace(path)
        return
    try:
        path.hardlink_to(partial)
    except FileExistsError as error:
        problem = Problem(str(path), "exists already", "name another file, or say --overwrite")
        raise InputError([problem]) from error


@contextmanager
def private_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder of mode 0700 under `parent`, its name beginning with `prefix`; removed on any exit.

    Folders of that prefix that a killed process left are removed first: each is locked while its process lives.
    """
    _remove_stale(parent, prefix)
    folder, lock = _locked_folder(parent, prefix)
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except KeyboardInterrupt:
            shutil.rmtree(folder, ignore_errors=True)  # whoever stops a command does not mean it to leave this
            raise
        finally:
            os.close(lock)


def _locked_folder(parent: Path, prefix: str) -> tuple[Path, int]:
    """A new folder and its lock, a file descriptor."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with suppress(FileNotFoundError):  # before it was locked another process took it for a stale one
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _is_at(folder, os.fstat(lock)):
                return folder, lock
            os.close(lock)


def _locked_file(path: Path) -> int:
    """A lock on the file at `path`, made where none is: a file descriptor. Raises: BlockingIOError if it is held."""
    while True:
        lock = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise
        if _is_at(path, os.fstat(lock)):  # if not, whoever held it has just removed it
            return lock
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


def _partial(out: Path) -> str:
    """How the names of the folders begin that may become `out`."""
    return f".{out.absolute().name}.partial-"


def _standing(out: Path) -> Path:
    """`out` with every link and `..` before its name resolved, so that it stays the same while folders are renamed."""
    return out.absolute().resolve() if out.exists() else out.absolute().parent.resolve() / out.name


def _take_name(partial: Path, out: Path, *, overwrite: bool) -> None:
    """Rename `partial` to `out`; a folder that stood there goes only when the new one stands.

    Raises: InputError if something stands there that may not be overwritten, though a moment ago nothing did.
    """
    if overwrite and out.exists():
        _replace(partial, out)
        return
    try:
        partial.rename(out)  # never over a folder that holds anything
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            refuse(check_new_folder(out, (), overwrite=False))
        raise


def _replace(partial: Path, out: Path) -> None:
    """Put `partial` in the place of folder `out`, at once where the system can: then no kill leaves neither."""
    if _have_swapped(partial, out):
        partial.chmod(0o700)  # it now is the old one, and stale
        shutil.rmtree(partial, ignore_errors=True)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}.old-", dir=out.parent))
    try:
        out.rename(old / out.name)
        partial.rename(out)
    except BaseException:
        if not out.exists():
            (old / out.name).rename(out)
        raise
    finally:
        if out.exists():
            shutil.rmtree(old, ignore_errors=True)


def _have_swapped(one: Path, other: Path) -> bool:
    """Whether two names have been swapped in one step; most file systems of Linux can. If not, nothing has changed."""
    swap = getattr(ctypes.CDLL(None), "renameat2", None)
    paths = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other))
    return swap is not None and swap(*paths, _RENAME_EXCHANGE) == 0


def _is_at(path: Path, found: os.stat_result) -> bool:
    """Whether `path` leads to what `found` was found of; links are not followed."""
    try:
        return os.path.samestat(path.lstat(), found)
    except FileNotFoundError:
        return False


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
