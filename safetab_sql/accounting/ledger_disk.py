"""A custodian's ledger on the disk: made whole, locked, and appended to without leaving half a line."""

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from safetab_sql.accounting.ledger_lines import FIRST_LINE
from safetab_sql.kit.errors import InputError, Problem


def make_ledger(path: Path) -> None:
    """Make an empty ledger of mode 0600, whole or not at all, unless another run has made it meanwhile."""
    descriptor, partial = tempfile.mkstemp(prefix=f".{path.name}.partial-", dir=path.absolute().parent)
    try:
        _write(path, descriptor, FIRST_LINE)
        with suppress(FileExistsError):
            os.link(partial, path)
    finally:
        os.close(descriptor)
        Path(partial).unlink()


@contextmanager
def locked(path: Path, lock: int) -> Iterator[BinaryIO]:
    """The ledger, locked until the block ends. Raises: InputError if it is not a plain file or cannot be opened."""
    while True:
        with _opened(path, os.O_RDONLY if lock == fcntl.LOCK_SH else os.O_RDWR | os.O_APPEND) as file:
            fcntl.flock(file, lock)
            if _is_at(path, file):  # if not, an editor replaced the ledger while we waited for the lock
                yield file
                return


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _opened(path: Path, flags: int) -> BinaryIO:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            kind = "a symbolic link" if path.is_symlink() else "not a plain file"
            raise InputError([Problem(str(path), f"is {kind}", "name the ledger itself")])
        descriptor = os.open(path, flags | os.O_NOFOLLOW)
    except OSError as error:
        fix = "name a ledger that a run has made, or ask for access"
        raise InputError([Problem(str(path), error.strerror or "cannot be read", fix)]) from error
    return os.fdopen(descriptor, "rb" if flags == os.O_RDONLY else "r+b")


def append_line(path: Path, file: BinaryIO, line: bytes) -> None:
    """Add the line and flush it to the disk, or leave the file as it was."""
    size = os.fstat(file.fileno()).st_size
    try:
        _write(path, file.fileno(), line)
    except BaseException:
        os.ftruncate(file.fileno(), size)
        raise


def _write(path: Path, descriptor: int, line: bytes) -> None:
    """Write without a buffer and flush to the disk. Raises: OSError that names the ledger."""
    try:
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def flush_name(path: Path) -> None:
    """Flush the folder's entry for `path`: the run that made the file may have been stopped before it did so."""
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
