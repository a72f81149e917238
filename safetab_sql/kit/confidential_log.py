"""The confidential log: what only the custodian of the data may read (row counts, timings, offending records)."""

import os
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


@contextmanager
def confidential_log(path: str | Path | None) -> Iterator[Line]:
    """A function that appends a line, with the time, to `path` (mode 0600); without a path it does nothing.

    Raises: InputError where the file cannot be written.
    """
    if path is None:
        yield ignore
        return
    refuse(given_away(Path(path)))
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        os.fchmod(descriptor, 0o600)
    except OSError as error:
        raise InputError([Problem(str(path), error.strerror or "not writable", "name another log file")]) from error
    with os.fdopen(descriptor, "a", encoding="utf-8") as file:

        def write(line: str) -> None:
            file.write(f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {line}\n")
            file.flush()

        start = time.monotonic()
        write(f"started; {PHRASE}")
        yield write
        with suppress(OSError):  # the disk may be full by now; the output is complete all the same
            write(f"ended after {time.monotonic() - start:.2f} s")
