"""Two simulated nations: one of 1,000 people for most tests, one that takes long enough to be interrupted."""

from pathlib import Path

import pytest

from safetab_sql.simulation.simulate import simulate
from tests.cli.nations import PERSONS, copied, rewrite


@pytest.fixture(scope="session")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,000 people of 51 states in one file; budgets and thresholds so that some groups earn tables."""
    folder = tmp_path_factory.mktemp("cli") / "nation"
    simulate(folder, people=1_000)
    states = sorted((folder / "persons").glob("*.parquet"))
    first, *others = states
    rewrite(first, f"select * from read_parquet({[str(state) for state in states]})")
    for state in others:
        state.unlink()
    first.rename(folder / PERSONS)
    parameters = folder / "parameters.toml"
    text = parameters.read_text(encoding="utf-8")
    parameters.write_text(text.replace("471, 971, 6971", "50, 200, 600"), encoding="utf-8")
    return folder


@pytest.fixture
def spoilt(nation: Path, tmp_path: Path) -> Path:
    """A copy of the small nation, to be changed."""
    return copied(nation, tmp_path / "nation")


@pytest.fixture(scope="session")
def larger_nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough people that a run takes a second or more."""
    folder = tmp_path_factory.mktemp("cli") / "larger"
    simulate(folder, people=100_000)
    return folder
