"""The releases that tests/published makes, and one of tables of one's own, for the tests of what reads them."""

from pathlib import Path

import pytest

from safetab_sql.jobs.run import run
from tests.golden.test_ladders import TINY, made
from tests.published.conftest import nation, release
from tests.statistics import recorded_bits

__all__ = ["hospitals", "nation", "release"]


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
