"""What stops a command that is no fault of ours: signals, full disks, corrupt files; and what to say of each."""

import errno
import io
import os
import resource
import signal
import sys
from types import FrameType

import duckdb

_DISK = "free space on the disks of OUT and of the scratch folder, or name others: --out, --scratch"
_CLOSED = "make it writable (is its disk mounted read-only?), or name another: --out, --scratch"
_MEMORY = "raise --memory-limit, or name a --scratch folder on a disk with more space"
_MACHINE_MEMORY = "lower --memory-limit or --threads, or use a machine with more memory"
_GONE = "leave the inputs and the scratch folder alone, and their disks mounted, until the command ends"
_FILES = "raise the limit on open files, such as by: ulimit -n 4096"
_FIXES = {
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), _CLOSED),
    errno.ENOENT: _GONE,
    errno.EMFILE: _FILES,
}
NOTHING_WRITTEN = "; nothing was written"
READER_GONE = 141  # what a shell says of a program that SIGPIPE ended
_ANSWER = 2**20  # bytes of an answer that are held back
_STOPPED = ("Query interrupted", "KeyboardInterrupt")  # as DuckDB reports it, in a query and in a call back to us
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop_tidily() -> None:
    """Let the signals that ask a program to stop raise KeyboardInterrupt, so that scratch and half of OUT go."""
    for kind in _SIGNALS:
        if signal.getsignal(kind) is not signal.SIG_IGN:  # nohup stays nohup
            signal.signal(kind, _interrupt)


def leave_no_core() -> None:
    """Let a crash leave no core file: it would hold person records, and nobody would remove it."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    # One byte: too little for a file, and the one limit at which Linux hands the core to no program either.
    soft = 1 if hard == resource.RLIM_INFINITY else min(1, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def hold_output() -> None:
    """Write an answer that is not for a terminal in one piece, at the end.

    Line by line, whether `head` has gone by the second line would be a matter of luck, and the exit code with it.
    """
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    if sys.stdout.isatty():
        sys.stdout.reconfigure(errors="backslashreplace")  # what the terminal has no letters for
        return
    file = io.BufferedWriter(io.FileIO(sys.stdout.fileno(), "w", closefd=False), _ANSWER)
    sys.stdout = io.TextIOWrapper(file, encoding=sys.stdout.encoding, errors="backslashreplace")


def delivered(code: int) -> int:
    """The exit code once the answer is written: `code`, unless it cannot be. Raises: BrokenPipeError."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"the answer cannot be written to stdout: {error.strerror}.", file=sys.stderr)
        let_go_of_output()
        return code or 1
    return code


def let_go_of_output() -> None:
    """Send to nowhere what Python would still write at its end, and say that it cannot."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            os.dup2(nowhere, stream.fileno())


def explained(error: BaseException, *, is_to_write: bool) -> tuple[int, str]:
    """Exit code and message of a fault of the machine or of a file, or of a wish to stop; no message where it is ours.

    130: stopped. 1: memory or disks. 2: a file that cannot be read to its end. is_to_write: whether the command makes
    a file or a folder, of which then nothing stands.
    """
    nothing = NOTHING_WRITTEN if is_to_write else ""
    first = (str(error).splitlines() or [""])[0]
    if isinstance(error, KeyboardInterrupt) or any(words in first for words in _STOPPED):
        stands = f"; {error}" if isinstance(error, KeyboardInterrupt) and str(error) else nothing
        return 130, f"interrupted{stands}."
    if isinstance(error, duckdb.OutOfMemoryException):
        return 1, f"out of memory or scratch space{nothing}.\n    {first}\n    {_MEMORY}"
    if isinstance(error, MemoryError):
        return 1, f"the machine is out of memory{nothing}.\n    {_MACHINE_MEMORY}"
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return 1, f"{where}{error.strerror or error}{nothing}.\n    {_FIXES.get(error.errno or 0, _DISK)}"
    if isinstance(error, duckdb.Error):
        return _database_fault(error, first, nothing)
    return 1, ""


def _database_fault(error: duckdb.Error, first: str, nothing: str) -> tuple[int, str]:
    """As `explained`, of what DuckDB could not read or write. first: the first line of the error."""
    if "Failed to read file" in first or "in Parquet file" in first:
        return 2, f"{first}{nothing}.\n    the file is corrupt: write it again, or leave it out"
    if type(error) is duckdb.Error:  # without a kind of its own: bytes that the Parquet reader cannot make out
        fix = "a Parquet file is corrupt: read each alone to find it, and write it again"
        return 2, f"{first}{nothing}.\n    {fix}"
    if "Could not write" in first:
        return 1, f"{first}{nothing}.\n    {_DISK}"
    if isinstance(error, duckdb.IOException | duckdb.TransactionException):
        fix = _FILES if os.strerror(errno.EMFILE) in first else _GONE
        return 1, f"{first}{nothing}.\n    {fix}"
    return 1, ""


def _interrupt(_: int, __: FrameType | None) -> None:
    """Stop, and let nothing stop the tidying up."""
    for kind in _SIGNALS:
        signal.signal(kind, signal.SIG_IGN)
    raise KeyboardInterrupt
