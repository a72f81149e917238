"""A nation to count in a cluster, and waiting for processes of others."""

import time
from collections.abc import Callable

import pytest

from safetab_sql import InputPaths
from tests.cli.nations import paths, simulate_few_states


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    folder = tmp_path_factory.mktemp("nation") / "nation"
    simulate_few_states(folder, people=20_000)
    return paths(folder)


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Waits until something is so; fails after five minutes."""

    def wait(is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + 300
        while not is_so():
            assert time.monotonic() < end, "it did not become so"
            time.sleep(0.05)

    return wait
