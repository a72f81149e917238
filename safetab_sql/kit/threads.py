"""Threads that an interrupt leaves no trace of: whoever closes a database or removes a folder does so after them."""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the signals that stop a program
Item = TypeVar("Item")
Result = TypeVar("Result")


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
