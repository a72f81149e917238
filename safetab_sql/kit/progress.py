"""What a long command says while it works: its progress, and the confidential log.

Progress is stages, and how much of each is done; never a count of people. The log is what only the custodian of the
data may read: row counts, timings, offending records.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import RUN, folder_files, sql_files
from safetab_sql.kit.whole_folders import PHRASE, given_away

Line = Callable[[str], None]  # takes a line of text
Step = Callable[[str, int], None]
_HEAD = re.compile(rf"[-\dT:.+]+ started; {re.escape(PHRASE)}\n".encode())  # of every command, so of every log


def ignore(*_: object) -> None:
    """Takes a line or a step and does nothing with it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What a long command calls as it works.

    stage: with the name of each stage as it begins. step: with the name of each statement as it ends, and the number of
    slices that it runs for. warn: with each warning for the custodian; the command goes on.
    """

    stage: Callable[[str], None] = ignore
    step: Step = ignore
    warn: Callable[[str], None] = ignore


SILENT = Progress()


@contextmanager
def reported_progress(*, is_quiet: bool) -> Iterator[Progress]:
    """Progress on stderr: a bar on a terminal or in a notebook, else lines, or warnings alone if `is_quiet`."""
    if is_quiet:
        yield Progress(warn=_warn)
    elif not (sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel.")):  # a notebook shows a bar
        yield Progress(stage=lambda name: print(f"{name} ...", file=sys.stderr), warn=_warn)
    else:
        seconds = sum(file.seconds for file in folder_files(RUN, "checks"))
        layout = "{desc} {percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left"
        with tqdm(total=seconds, bar_format=layout, leave=False) as bar:
            files = sql_files()
            yield Progress(bar.set_description, lambda name, slices: bar.update(files[name].seconds / slices), _warn)


def _warn(text: str) -> None:
    tqdm.write(f"warning: {text}", file=sys.stderr)  # above the bar, if there is one


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
    no_log = Problem(str(path), "is no log of this program: it stays as it is", "name another file")
    with file:
        refuse([] if is_log else [no_log])
        os.fchmod(descriptor, 0o600)

        def write(line: str) -> None:
            file.write(f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {line}\n")
            file.flush()

        start = time.monotonic()
        write(f"started; {PHRASE}")
        yield write
        with suppress(OSError):  # the disk may be full by now; the output is complete all the same
            write(f"ended after {time.monotonic() - start:.2f} s")
