"""Stops that are no fault of the program (signals, full disks, corrupt files), and the message for each.

And threads that an interrupt leaves no trace of: whoever closes a database or removes a folder does so after them.
"""

import atexit
import errno
import io
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, TypeVar

from safetab_sql.kit.errors import ClusterFaultError

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the signals that stop a program
Item = TypeVar("Item")
Result = TypeVar("Result")
_DISK = "free space on the disks of OUT and of the scratch folder, or name others: --out, --scratch"
_CLOSED = "make it writable (is its disk mounted read-only?), or name another: --out, --scratch"
_MEMORY = "raise --memory-limit, or name a --scratch folder on a disk with more space"
_MACHINE_MEMORY = "lower --memory-limit or --threads, or use a machine with more memory"
_GONE = "leave the inputs and the scratch folder alone, and their disks mounted, until the command ends"
_CLUSTER = "see what became of the workers: they may lack memory (--task-memory) or the persons' disk"
_FILES = "raise the limit on open files, such as by: ulimit -n 4096"
_ONE_IS_CORRUPT = "a Parquet file is corrupt: read each alone to find it, and write it again"
_FIXES = {**dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), _CLOSED), errno.ENOENT: _GONE, errno.EMFILE: _FILES}
NOTHING_WRITTEN = "; nothing was written"
READER_GONE = 141  # the exit code that a shell reports for a program ended by SIGPIPE
_ANSWER = 2**20  # bytes of an answer that are buffered
_STOPPED = ("Query interrupted", "KeyboardInterrupt")  # how DuckDB reports an interrupt: in a query, and in a callback


def stop_tidily() -> None:
    """Turn the signals that stop a program into KeyboardInterrupt, so that scratch and a partial OUT are removed."""
    for kind in STOPS:
        if signal.getsignal(kind) is not signal.SIG_IGN:  # a signal that nohup ignores stays ignored
            signal.signal(kind, _interrupt)


def leave_no_core() -> None:
    """Prevent core files after a crash: a core file would hold person records, and nobody would remove it."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    # One byte is too little for a file, and the only limit at which Linux also passes the core to no program.
    soft = 1 if hard == resource.RLIM_INFINITY else min(1, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def hold_output() -> None:
    """Write an answer to anything but a terminal in one piece, at the end.

    If it were written line by line, it would be chance whether `head` has already ended, and with it the exit code.
    """
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    if sys.stdout.isatty():
        sys.stdout.reconfigure(errors="backslashreplace")  # for characters that the terminal cannot show
        return
    file = io.BufferedWriter(io.FileIO(sys.stdout.fileno(), "w", closefd=False), _ANSWER)
    sys.stdout = io.TextIOWrapper(file, encoding=sys.stdout.encoding, errors="backslashreplace")


def delivered(code: int) -> int:
    """The exit code after writing the answer: `code`, or another if writing fails. Raises: BrokenPipeError."""
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
    """Discard the output that Python would still write when it ends, and would complain that it cannot write."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            os.dup2(nowhere, stream.fileno())


def end(code: int) -> NoReturn:
    """End the process at once: Python would take all that it has loaded apart, for a sixth of a second."""
    atexit._run_exitfuncs()
    os._exit(code)


def explained(error: BaseException, *, is_to_write: bool) -> tuple[int, str]:
    """Exit code and message for a fault of the machine or a file, or for an interrupt; no message for a fault of ours.

    130: interrupted. 1: memory or disks. 2: a file that cannot be read to its end. is_to_write: whether the command
    makes a file or a folder; the message then says that nothing of it was left.
    """
    import duckdb  # noqa: PLC0415  (most command lines end without it)

    nothing = NOTHING_WRITTEN if is_to_write else ""
    first, is_of_database = (str(error).splitlines() or [""])[0], isinstance(error, duckdb.Error)
    if isinstance(error, KeyboardInterrupt) or any(words in first for words in _STOPPED):
        stands = f"; {error}" if isinstance(error, KeyboardInterrupt) and str(error) else nothing
        return 130, f"interrupted{stands}."
    name, reason, number = (getattr(error, each, None) for each in ("filename", "strerror", "errno"))
    where, is_full = f"{name}: " if name else "", isinstance(error, duckdb.OutOfMemoryException)
    is_corrupt = is_of_database and ("Failed to read file" in first or "in Parquet file" in first)
    is_gone = isinstance(error, duckdb.IOException | duckdb.TransactionException)
    faults = (
        (is_full, 1, f"out of memory or scratch space{nothing}.\n    {first}", _MEMORY),
        (isinstance(error, ClusterFaultError), 1, f"{error}{nothing}.", _CLUSTER),
        (isinstance(error, MemoryError), 1, f"the machine is out of memory{nothing}.", _MACHINE_MEMORY),
        (isinstance(error, OSError), 1, f"{where}{reason or error}{nothing}.", _FIXES.get(number or 0, _DISK)),
        (is_corrupt, 2, f"{first}{nothing}.", "the file is corrupt: write it again, or leave it out"),
        (type(error) is duckdb.Error, 2, f"{first}{nothing}.", _ONE_IS_CORRUPT),  # bytes that cannot be decoded
        (is_of_database and "Could not write" in first, 1, f"{first}{nothing}.", _DISK),
        (is_gone, 1, f"{first}{nothing}.", _FILES if os.strerror(errno.EMFILE) in first else _GONE),
    )
    return next(((code, f"{what}\n    {fix}") for is_it, code, what, fix in faults if is_it), (1, ""))


def _interrupt(_: int, __: FrameType | None) -> None:
    """Raise KeyboardInterrupt, and ignore further signals while files are removed."""
    for kind in STOPS:
        signal.signal(kind, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def thread_pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool that after a failure or an interrupt begins nothing more, and waits for what has begun."""
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


def submit_each(
    pool: ThreadPoolExecutor, function: Callable[[Item], Result], items: Iterable[Item]
) -> list[Future[Result]]:
    """A future of `function` for each item, in their order.

    Signals wait until the last is submitted: a pool does not know a thread that was interrupted while it was started,
    and would not wait for it.
    """
    with _signals_wait():
        return [pool.submit(function, item) for item in items]


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Hold back the signals that stop a program, and raise them again at the end."""
    if threading.current_thread() is not threading.main_thread():  # no signal interrupts another thread
        yield
        return
    came: list[int] = []
    known = [kind for kind in STOPS if signal.getsignal(kind) is not None]  # None: no handler of Python's
    before = {kind: signal.signal(kind, lambda number, _: came.append(number)) for kind in known}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
    for number in came:
        signal.raise_signal(number)
