"""Waiting for processes of others."""

import time
from collections.abc import Callable

import pytest


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Waits until something is so; fails after five minutes."""

    def wait(is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + 300
        while not is_so():
            assert time.monotonic() < end, "it did not become so"
            time.sleep(0.05)

    return wait
