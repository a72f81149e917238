"""No thread outlives its pool, whenever a signal comes and whatever fails."""

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from safetab_sql.kit.stops import STOPS, submit_each, thread_pool


def interrupted_after_the_first(items: int) -> Iterator[int]:
    """Numbers, the second of which comes after a signal."""
    yield 0
    signal.raise_signal(signal.SIGINT)
    yield from range(1, items)


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Ctrl-C interrupts, also where these tests run in the background of a shell, which lets programs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_a_signal_waits_until_every_thread_is_known_and_then_stops_what_has_not_begun() -> None:
    begun, ended = [], []

    def work(item: int) -> None:
        begun.append(item)
        time.sleep(0.05)
        ended.append(item)

    with pytest.raises(KeyboardInterrupt), thread_pool(2) as pool:
        submit_each(pool, work, interrupted_after_the_first(50))
    assert (sorted(begun) == sorted(ended), 0 < len(begun) < 10) == (True, True)


def test_handlers_are_what_they_were() -> None:
    before = [signal.getsignal(kind) for kind in STOPS]
    with thread_pool(2) as pool:
        assert [future.result() for future in submit_each(pool, str, range(3))] == ["0", "1", "2"]
    assert [signal.getsignal(kind) for kind in STOPS] == before


def test_after_a_failure_nothing_more_is_begun() -> None:
    def fail(item: int) -> None:
        time.sleep(0.01)
        raise ValueError(str(item))

    def last_of_fifty() -> Future[None]:
        with thread_pool(1) as pool:
            futures = submit_each(pool, fail, range(50))
            with pytest.raises(ValueError, match="0"):
                futures[0].result()
        return futures[-1]

    assert last_of_fifty().cancelled()


def test_a_pool_of_another_thread_leaves_signals_alone() -> None:
    answers: list[str] = []

    def other() -> None:
        with thread_pool(1) as pool:
            answers.extend(future.result() for future in submit_each(pool, str, range(2)))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert answers == ["0", "1"]
