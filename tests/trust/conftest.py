"""A tiny nation whose runs take a second, for tests of what stops, changes or races them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.nations import copied
from tests.nations import sample_nation
from tests.trust.corruption import parquet_nation


@pytest.fixture(scope="session")
def tiny_nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 people, three levels, all files Parquet; to be read only."""
    nation = sample_nation(200)
    levels = {name: nation.parameters["levels"][name] for name in ("STATE-1", "STATE-2", "COUNTY-1")}
    return parquet_nation(tmp_path_factory.mktemp("trust"), nation.with_parameters(run_pr=False, levels=levels))


@pytest.fixture
def nation(tiny_nation: Path, tmp_path: Path) -> Path:
    return copied(tiny_nation, tmp_path / "nation")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for OUT, scratch and ledger; it is the current one."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    return place
