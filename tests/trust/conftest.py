"""A tiny nation whose runs take a second, for tests of what stops, changes or races them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.nations import copied
from tests.trust.corruption import parquet_nation


@pytest.fixture(scope="session")
def tiny_nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 people, all files Parquet; to be read only."""
    return parquet_nation(tmp_path_factory.mktemp("trust"))


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
