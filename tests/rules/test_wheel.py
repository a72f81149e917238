"""The wheel holds the statements and the parameter files; in a checkout they lie beside the package."""

import zipfile
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a wheel built from this checkout."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(REPOSITORY)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def below(folder: Path, ending: str) -> set[str]:
    return {path.relative_to(REPOSITORY).as_posix() for path in folder.rglob(f"*{ending}")}


@pytest.mark.parametrize(("folder", "ending"), [("sql", ".sql"), ("configs", ".toml"), ("configs", ".txt")])
def test_the_wheel_holds_every_statement_and_parameter_file(wheel: set[str], folder: str, ending: str) -> None:
    assert {f"safetab_sql/{name}" for name in below(REPOSITORY / folder, ending)} <= wheel


def test_the_wheel_holds_every_module(wheel: set[str]) -> None:
    assert below(REPOSITORY / "safetab_sql", ".py") <= wheel


def test_the_wheel_holds_nothing_of_the_tests(wheel: set[str]) -> None:
    assert {name.partition("/")[0] for name in wheel if not name.startswith("safetab_sql-")} == {"safetab_sql"}
