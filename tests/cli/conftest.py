"""Two simulated nations: one of four states for most tests, one that takes long enough to be interrupted."""

from pathlib import Path

import pytest

from safetab_sql.simulation.simulate import simulate
from tests.cli.command import Result, call, inputs
from tests.cli.nations import PERSONS, copied, rewrite, simulate_few_states


@pytest.fixture(scope="session")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,000 people of four states in one file; budgets and thresholds so that some groups earn tables."""
    folder = tmp_path_factory.mktemp("cli") / "nation"
    simulate_few_states(folder, people=7_500)
    smallest_first = sorted((folder / "persons").glob("*.parquet"), key=lambda state: state.stat().st_size)
    first, *others = smallest_first
    rewrite(first, f"from read_parquet({[str(state) for state in smallest_first]}) limit 1000")
    for state in others:
        state.unlink()
    first.rename(folder / PERSONS)
    parameters = folder / "parameters.toml"
    text = parameters.read_text(encoding="utf-8")
    parameters.write_text(text.replace("471, 971, 6971", "50, 200, 600"), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def release(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the small nation, which no test changes."""
    out = tmp_path_factory.mktemp("release") / "release"
    assert call("run", *inputs(nation), "--out", out, "--quiet") == Result(0, f"{out}\n", "")
    return out


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative names are below the test's folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def spoilt(nation: Path, tmp_path: Path) -> Path:
    """A copy of the small nation, to be changed."""
    return copied(nation, tmp_path / "nation")


@pytest.fixture(scope="session")
def larger_nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "larger"
    simulate(folder, people=100_000)
    return folder
