"""The confidential log: what only the custodian of the data may read (row counts, timings, offending records)."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from safetab_sql.kit.database import Line
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.marks import PHRASE
from safetab_sql.kit.progress import ignore
from safetab_sql.kit.whole_folders import given_away

_HEAD = re.compile(rf"[-\dT:.+]+ started; {re.escape(PHRASE)}\n".encode())  # of every command, so of every log


@contextmanager
def confidential_log(path: str | Path | None) -> Iterator[Line]:
    """A function that appends a line, with the time, to `path` (mode 0600); without a path it does nothing.

    Raises: InputError where the file cannot be written, or is no log: a ledger or an input stays as it is.
    """
    if path is None:
        yield ignore
        return
    refuse(given_away(Path(path)))
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        file = os.fdopen(descriptor, "a", encoding="utf-8")
        is_log = not os.fstat(descriptor).st_size or _HEAD.match(os.pread(descriptor, 100, 0))
    except OSError as error:
        what = "is a symbolic link" if Path(path).is_symlink() else error.strerror or "not writable"
        raise InputError([Problem(str(path), what, "name another log file")]) from error
    with file:
        refuse(
            [] if is_log else [Problem(str(path), "is no log of this program: it stays as it is", "name another file")]
        )
        os.fchmod(descriptor, 0o600)

        def write(line: str) -> None:
            file.write(f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {line}\n")
            file.flush()

        start = time.monotonic()
        write(f"started; {PHRASE}")
        yield write
        with suppress(OSError):  # the disk may be full by now; the output is complete all the same
            write(f"ended after {time.monotonic() - start:.2f} s")
