"""A nation to count in a cluster, and waiting for processes of others."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from safetab_sql import InputPaths
from tests.cli.nations import paths, simulate_few_states
from tests.spark.clusters import Home, at_home, of_one_machine, spark_home


@pytest.fixture(scope="module")
def nation_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nation") / "nation"
    simulate_few_states(folder, people=20_000)
    return folder


@pytest.fixture(scope="module")
def nation(nation_folder: Path) -> InputPaths:
    return paths(nation_folder)


@pytest.fixture(scope="module")
def expected(nation: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The release of one machine."""
    return of_one_machine(nation, tmp_path_factory.mktemp("one"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Of sessions in this process; what they shuffle is not compressed, so that records would be found in it."""
    folder = tmp_path_factory.mktemp("spark")
    settings = {"spark.shuffle.compress": "false", "spark.sql.warehouse.dir": str(folder / "warehouse")}
    with at_home(spark_home(folder / "home", **settings)) as made:
        yield made


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Waits until something is so; fails after five minutes."""

    def wait(is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + 300
        while not is_so():
            assert time.monotonic() < end, "it did not become so"
            time.sleep(0.05)

    return wait
