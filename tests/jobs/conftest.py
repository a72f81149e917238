"""The releases that tests/published makes, and one of tables of one's own, for the tests of what reads them."""

from pathlib import Path

import pytest

from safetab_sql.jobs.run import run
from tests.golden.test_ladders import TINY, made
from tests.nations import Nation, published, sample_nation
from tests.published.conftest import Release, release
from tests.statistics import recorded_bits

__all__ = ["hospitals", "release"]


@pytest.fixture(scope="session")
def nation() -> Nation:
    return sample_nation(617).with_parameters(title="Then")


@pytest.fixture(scope="session")
def then(release: Release) -> Path:
    return release()


@pytest.fixture(scope="session")
def now(nation: Nation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same people again, with noise of its own, other thresholds of tables, and what stage 1 measured."""
    levels = {
        name: {**level, "thresholds": [limit // 2 for limit in level["thresholds"]]}
        for name, level in nation.parameters["levels"].items()
    }
    folder = tmp_path_factory.mktemp("now") / "nation"
    changed = nation.with_parameters(title="Now", levels=levels, publish_stage_1=True)
    published(changed, folder, recorded_bits("now"))
    return folder / "out"


@pytest.fixture(scope="session")
def hospitals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hospitals, whose thresholds are low enough for every table: totals are rows of it."""
    folder = tmp_path_factory.mktemp("hospitals")
    inputs = made("hospitals", folder)
    text = Path(inputs.parameters).read_text()
    low = text.replace("[20, 200, 2000]", "[-90, 5, 5]").replace("[50, 400, 4000]", "[-90, 5, 4000]")
    Path(inputs.parameters).write_text(low)
    run(inputs, folder / "out", resources=TINY, bits=recorded_bits("sums of ladders"))
    return folder / "out"
