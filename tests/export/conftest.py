"""Folders that are exported: a small nation, and slower ones with own ladders, households and reconciled counts."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from safetab_sql.jobs.example import example
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from tests.golden.test_households import ORACLE, households
from tests.golden.test_ladders import EXAMPLES, made
from tests.nations import published, sample_nation
from tests.statistics import recorded_bits

ONE = Resources(threads=1)


def _nation(folder: Path) -> Path:
    names = {"region_types": {"COUNTY": {"name": "'County ' || TABBLKCOU"}}}
    published(sample_nation(200).with_parameters(**names), folder)
    return folder / "out"


def _reconciled(folder: Path) -> Path:
    reconcile(_nation(folder), folder / "reconciled", resources=ONE)
    return folder / "reconciled"


def _released(written: Callable[[Path], InputPaths]) -> Callable[[Path], Path]:
    return lambda folder: run(written(folder), folder / "out", bits=recorded_bits("export"), resources=ONE).out


def _demo(folder: Path) -> Path:
    example(folder / "demo")
    return folder / "demo" / "release"


FOLDERS = {
    "demo": _demo,
    "reconciled": _reconciled,
    "norland": _released(partial(made, "norland")),
    "hospitals": _released(partial(made, "hospitals")),
    "households": _released(households),
}
NEEDED = {"norland": EXAMPLES, "hospitals": EXAMPLES, "households": ORACLE}


@pytest.fixture(scope="session")
def whole(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`nation`, reconciled to whole numbers: its files say less of themselves."""
    out = tmp_path_factory.mktemp("whole") / "out"
    reconcile(nation, out, geography=nation.parent / "GRF-C.txt", integers=True, resources=ONE)
    return out


@pytest.fixture(scope="session")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release of a small nation of the census's own region types, which every format takes."""
    return _nation(tmp_path_factory.mktemp("nation"))


@pytest.fixture(scope="session", params=["nation", *(pytest.param(name, marks=pytest.mark.slow) for name in FOLDERS)])
def folder(request: pytest.FixtureRequest, nation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release, or of a reconciled one."""
    if request.param == "nation":
        return nation
    if not NEEDED.get(request.param, Path()).exists():
        pytest.skip("the shared folder with the examples is absent")
    return FOLDERS[request.param](tmp_path_factory.mktemp(request.param))
