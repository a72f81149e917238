"""Folders and files that appear whole or not at all, private folders, and the mark of what has exact counts."""

import ctypes
import errno
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import stat
import struct
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.errors import InputError, Problem, refuse

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # constants of Linux: linux/fcntl.h, linux/fs.h
_LITTER = re.compile(r"(?i)\._.+|\.(DS_Store|localized|directory|AppleDouble)|thumbs\.db|desktop\.ini|Icon\r|__MACOSX")


def is_litter(place: Path) -> bool:
    """Whether a file, or a folder that it lies in, is what file managers leave. place: below a folder of ours."""
    return any(map(_LITTER.fullmatch, place.parts))


def check_new_folder(out: Path, contents: Collection[str], *, overwrite: bool) -> list[Problem]:
    """The problems that prevent making folder `out` with `contents`.

    A folder that holds anything else is never overwritten: its name may have been mistyped.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        return [Problem(str(out), "exists and is not a folder", "name another folder, or move it away")]
    if out.exists() and not overwrite:
        return [Problem(str(out), "exists already", "name another folder, or say --overwrite")]
    foreign = sorted(each.name for each in out.glob("*") if not (each.name in contents or is_litter(Path(each.name))))
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
    """A problem if `out` lies in a folder that a command made whole: nothing is added to it.

    A release is given away with everything in it. A folder that is marked as made from exact counts is not.
    """
    found = []
    for folder in out.absolute().resolve().parents:
        if (folder / "manifest.json").is_file():
            is_exact = is_marked(folder / "manifest.json")
            exact = "from exact counts: it is confidential, and nothing is added to it"
            what = f"which was made whole {exact if is_exact else 'and is given away whole'}"
            found.append(Problem(str(out), f"lies in {folder}, {what}", "name a place beside that folder"))
    return found


def given_away(path: Path, option: str = "") -> list[Problem]:
    """A problem if a confidential path is or lies in a release. option: that names it."""
    where = f"{option} {path}".strip()
    return [Problem(where, problem.what, problem.fix) for problem in inside_a_release(path / "anything")]


def sha256_of(file: Path) -> str:
    """SHA-256 of the content of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def today() -> date:
    """The day, UTC: a release says no more about when it was made."""
    return datetime.now(UTC).date()


@contextmanager
def claimed_name(out: Path) -> Iterator[list[Problem]]:
    """Claims `out` until the block ends, so that no other command makes it; yields a problem if one already does.

    The claim is a lock on an empty file beside `out`, which is removed at the end. If a killed process left such a
    file, it is taken over, and the partial folders of that process are removed. Raises: KeyboardInterrupt; if `out` is
    complete by then, it says so.
    """
    path = out.absolute().parent.resolve() / f".{out.absolute().name}.lock"
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW  # NFS locks only what may be written
        lock = locked_descriptor(path, lambda: os.open(path, flags, 0o600), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield [Problem(str(out), "another command is making this folder", "wait until it ends, or name another folder")]
        return
    except OSError as error:
        fix = "name a folder on a disk that has locks, or remove that file if no command makes the folder"
        found = Problem(str(path), f"cannot be locked: {error.strerror}", fix)
        yield [found] if os.access(path.parent, os.W_OK) else []  # else check_new_folder says what is amiss
        return
    before = out.stat() if out.exists() else None
    try:
        _remove_stale(path.parent, _partial(out))
        yield []
    except KeyboardInterrupt as stop:
        if out.exists() and (before is None or not _is_at(out, before)):
            raise KeyboardInterrupt(f"{out} is complete") from stop
        raise
    finally:
        with suppress(OSError):  # a disk that has become read-only, for example
            path.unlink()
        os.close(lock)


@contextmanager
def whole_folder(
    out: Path, contents: Collection[str], *, overwrite: bool, day: date | None = None, is_exact: bool = False
) -> Iterator[Path]:
    """A new folder beside `out` to write into; it becomes `out` when the block ends, and is removed if the block fails.

    is_exact: whether its files are made from exact counts: they are their owner's alone, and images get the mark.
    Everything in it is flushed to the disk before it is renamed. The time of last change of it, and of each file in it,
    is set to midnight (UTC) of `day`, today if None: the duration of a run depends on what was counted, so it is not
    published. Raises: InputError if `out` may not be made, at the beginning or at the end.
    """
    changed = datetime.combine(day or today(), time(), UTC).timestamp()
    refuse(check_new_folder(out, contents, overwrite=overwrite))
    given, out = out, _standing(out)
    with private_folder(out.parent, _partial(out)) as folder:
        yield folder
        for path in [*folder.rglob("*"), folder]:
            if is_exact and path.is_file():
                mark_image(path)
                path.chmod(0o600)
            os.utime(path, (changed, changed), follow_symlinks=False)
            flush(path)
        refuse(check_new_folder(given, contents, overwrite=overwrite))
        _take_name(folder, out, overwrite=overwrite)
        mask = os.umask(0o077)  # can only be read by setting it
        os.umask(mask)
        out.chmod(0o777 & ~mask)  # only now: stale folders are recognised by their mode 0700
        flush(out.parent)


def write_whole_file(path: Path, content: str | bytes, *, overwrite: bool, mode: int = 0o644) -> None:
    """Write `content` to `path`, whole or not at all. Raises: InputError if it exists and is not to be overwritten."""
    parent = path.absolute().parent
    if path.is_dir() or path.is_symlink():
        raise InputError([Problem(str(path), "is not a file", "name another one")])
    if not parent.is_dir():
        raise InputError([Problem(str(path), f"its folder {parent} does not exist", "make it first")])
    refuse(inside_a_release(path))
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.partial-", dir=parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(mode)
        if overwrite:
            Path(name).replace(path)
        else:  # a link, unlike a renaming, fails where a file of that name stands
            path.hardlink_to(name)
    except FileExistsError as error:
        raise InputError([Problem(str(path), "exists already", "name another file, or say --overwrite")]) from error
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def private_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder of mode 0700 under `parent`, its name beginning with `prefix`; removed on any exit.

    Folders with this prefix that a killed process left are removed first; a folder in use is locked by its process.
    """
    _remove_stale(parent, prefix)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with suppress(FileNotFoundError):  # another process removed it as stale before it was locked
            lock = locked_descriptor(folder, partial(os.open, folder, os.O_DIRECTORY), fcntl.LOCK_EX)
            break
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except KeyboardInterrupt:
            shutil.rmtree(folder, ignore_errors=True)  # also after an interrupt: the folder must not be left behind
            raise
        finally:
            os.close(lock)


def locked_descriptor(path: Path, opened: Callable[[], int], lock: int) -> int:
    """A file descriptor that locks the file at `path`. opened: opens it; again, if it was replaced before the lock.

    Raises: BlockingIOError if it is locked, and `lock` says not to wait.
    """
    while True:
        descriptor = opened()
        try:
            fcntl.flock(descriptor, lock)
        except BaseException:
            os.close(descriptor)
            raise
        if _is_at(path, os.fstat(descriptor)):  # if not, it was replaced before the lock
            return descriptor
        os.close(descriptor)


def _remove_stale(parent: Path, prefix: str) -> None:
    """Remove the folders under `parent` with this prefix that are private, ours, and whose process has ended."""
    for folder in parent.glob(f"{glob.escape(prefix)}*"):
        opened = partial(os.open, folder, os.O_DIRECTORY | os.O_NOFOLLOW)
        with suppress(OSError):  # another user's, or its process lives, or it is being removed right now
            lock = locked_descriptor(folder, opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            try:
                found = os.fstat(lock)
                if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) == 0o700:
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _partial(out: Path) -> str:
    """The prefix of the names of folders that may become `out`."""
    return f".{out.absolute().name}.partial-"


def _standing(out: Path) -> Path:
    """`out` with every link and `..` before its name resolved, so that it stays the same while folders are renamed."""
    return out.absolute().resolve() if out.exists() else out.absolute().parent.resolve() / out.name


def _take_name(partial: Path, out: Path, *, overwrite: bool) -> None:
    """Rename `partial` to `out`; an old folder is removed only when the new one is in place.

    Raises: InputError if something that may not be overwritten has appeared there meanwhile.
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
    """Put `partial` in the place of folder `out`, in one step if the system can: then a kill leaves one of the two."""
    if _have_swapped(partial, out):
        partial.chmod(0o700)  # `partial` now is the old folder, and stale
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
    """Whether `path` is the file whose status is `found`; links are not followed."""
    try:
        return os.path.samestat(path.lstat(), found)
    except FileNotFoundError:
        return False


def flush(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# The mark of files that were made from exact counts: it is made here and read here, and nowhere else. It stands in the
# bytes of a file, so it moves with the file and is copied with it. Parquet files have it in their key-value metadata,
# JSON as a member, and every other file as a phrase near its beginning: HTML in a `meta` element, SVG in a comment, PNG
# in a chunk of text, CSV as the name of a column, a log in its first line.

CONFIDENTIAL = "confidential"  # the member of JSON, and the key of the metadata of Parquet
PHRASE = "confidential: made from exact counts"
PARQUET_MARK: Mapping[str, str] = {CONFIDENTIAL: "made from exact counts"}
HTML_MARK = f'<meta name="description" content="{PHRASE}">'
_BEGINNING = 2**13  # bytes of a file in which the phrase stands
_LARGEST_JSON = 2**26  # bytes
_PNG_BEGINNING = 33  # bytes of its signature and of its first chunk


def marked_json(answer: Mapping[str, object]) -> dict[str, object]:
    """The answer, or the manifest, with the mark as its first member."""
    return {CONFIDENTIAL: True, **answer}


def marked_table(table: pa.Table) -> pa.Table:
    """The table with the mark in the metadata of its schema, which Parquet files keep."""
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **PARQUET_MARK})


def marked_columns(table: pa.Table) -> pa.Table:
    """The table for a CSV file: its last column is the mark, and true in every row."""
    return table.append_column(PHRASE, pa.array([True] * table.num_rows, pa.bool_()))


def mark_image(file: Path) -> None:
    """Mark an SVG or PNG file, if it is one; it looks as before."""
    content = file.read_bytes()
    if file.suffix == ".png":
        chunk = b"tEXt" + b"Comment\0" + PHRASE.encode()
        whole = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        file.write_bytes(content[:_PNG_BEGINNING] + whole + content[_PNG_BEGINNING:])
    if file.suffix == ".svg":
        element = content.index(b"<svg")
        end = content.index(b">", element) + 1
        file.write_bytes(content[:end] + f"<!-- {PHRASE} -->".encode() + content[end:])


def is_marked(file: Path) -> bool:
    """Whether a file or an object says that it was made from exact counts; False where it cannot be read."""
    try:
        with file.open("rb") as stream:
            beginning = stream.read(_BEGINNING)
            if beginning.startswith(b"PAR1"):
                return CONFIDENTIAL.encode() in (pq.read_metadata(stream).metadata or {})
            if PHRASE.encode() in beginning:
                return True
            if not beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                return False
            rest = stream.read(_LARGEST_JSON)
        return is_marked_json(json.loads(beginning + rest))
    except (OSError, ValueError, RecursionError, pa.ArrowException):
        return False


def is_marked_json(found: Any) -> bool:
    """Whether what JSON holds, such as a manifest, is marked."""
    return isinstance(found, dict) and bool(found.get(CONFIDENTIAL))
