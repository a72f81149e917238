"""The wheel holds the statements and the parameter files; in a checkout they lie beside the package."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

BUILD = """
import sys
from hatchling.builders.wheel import WheelBuilder
(path,) = WheelBuilder(sys.argv[1]).build(directory=sys.argv[2], versions=["standard"])
print(path)
"""


@pytest.fixture(scope="module")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(REPOSITORY)).build(directory=str(folder), versions=["standard"])
    return str(path)


@pytest.fixture(scope="module")
def wheel(wheel_file: str) -> set[str]:
    with zipfile.ZipFile(wheel_file) as archive:
        return set(archive.namelist())


def below(folder: Path, ending: str) -> set[str]:
    return {path.relative_to(REPOSITORY).as_posix() for path in folder.rglob(f"*{ending}")}


@pytest.mark.parametrize(("folder", "ending"), [("sql", ".sql"), ("configs", ".toml"), ("configs", ".txt")])
def test_the_wheel_holds_every_statement_and_parameter_file(wheel, folder, ending):
    assert {f"safetab_sql/{name}" for name in below(REPOSITORY / folder, ending)} <= wheel


@pytest.mark.parametrize("ending", [".py", ".toml"])
def test_the_wheel_holds_every_module_and_its_data(wheel, ending):
    assert below(REPOSITORY / "safetab_sql", ending) <= wheel


def test_the_wheel_says_that_its_types_may_be_used_and_holds_nothing_of_the_tests(wheel):
    assert "safetab_sql/py.typed" in wheel
    assert {name.partition("/")[0] for name in wheel if not name.startswith("safetab_sql-")} == {"safetab_sql"}


@pytest.mark.slow
def test_the_wheel_makes_the_example_outside_a_checkout(wheel_file, tmp_path):
    """Installed into a folder of its own, which comes before the checkout that the tests are run from."""
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([*install, wheel_file], check=True)

    def said(*arguments: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(site)}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert Path(said("-c", "import safetab_sql; print(safetab_sql.__file__)").strip()).parents[1] == site
    said("-m", "safetab_sql", "example", "--out", "demo", "--quiet")
    assert json.loads((tmp_path / "demo" / "release" / "manifest.json").read_text(encoding="utf-8"))["releasable"]
    assert (tmp_path / "demo" / "report.html").is_file()


@pytest.fixture(scope="module")
def index(wheel_file: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that installers take packages from, with the wheel and the archive of the sources."""
    from hatchling.builders.sdist import SdistBuilder

    folder = tmp_path_factory.mktemp("index")
    shutil.copy(wheel_file, folder)
    list(SdistBuilder(str(REPOSITORY)).build(directory=str(folder), versions=["standard"]))
    return folder


def built(sources: Path, target: Path, *, umask: int, epoch: str | None) -> bytes:
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(sources), str(target)],
        env=environment if epoch is None else {**environment, "SOURCE_DATE_EPOCH": epoch},
        umask=umask,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip()).read_bytes()


def copied(to: Path, *, mode: int, time: float) -> Path:
    """A copy of what a wheel is made of, files of another mode and another time."""
    for name in ("safetab_sql", "sql", "configs"):
        shutil.copytree(REPOSITORY / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, to / name)
    for path in to.rglob("*"):
        path.chmod(0o755 if path.is_dir() else mode)
        os.utime(path, (time, time))
    return to


@pytest.mark.parametrize("epoch", [None, "1700000000"], ids=["no date", "a date"])
@pytest.mark.each_time("a date")
@pytest.mark.slow
def test_a_wheel_is_the_same_bytes_whoever_builds_it_wherever_and_whenever(tmp_path, epoch):
    one = copied(tmp_path / "here" / "sources", mode=0o644, time=1_600_000_000)
    other = copied(tmp_path / "elsewhere" / "under another name", mode=0o640, time=1_500_000_000)
    first = built(one, tmp_path / "first", umask=0o022, epoch=epoch)
    second = built(other, tmp_path / "second", umask=0o077, epoch=epoch)
    assert first == second


PINNED = re.compile(r"^([a-z0-9-]+)==([0-9][^\s;\\]*)", re.M)
BOUND = re.compile(r"^([A-Za-z0-9-]+)>=([0-9.]+)$")
LOCKS = ("requirements-ci.txt", "requirements-extras.txt")


def names_and_versions(*files: str) -> dict[str, str]:
    return dict(PINNED.findall("".join((REPOSITORY / file).read_text(encoding="utf-8") for file in files)))


PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OF_EXTRAS = PROJECT["optional-dependencies"]


def bounds(*of_extras: str) -> dict[str, str]:
    """Each dependency of the package, and of these of its extras, with its lower bound."""
    wanted = [
        *PROJECT["dependencies"],
        *(line for each in of_extras for line in PROJECT["optional-dependencies"][each]),
    ]
    found = [BOUND.match(line) for line in wanted if not line.startswith("safetab-sql")]
    assert all(found), "every dependency has a lower bound, and nothing else"
    return {match[1].lower(): match[2] for match in found if match is not None}


def padded(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    return (*numbers, 0, 0, 0)[:3]


def test_oldest_versions_and_the_lock_are_those_that_we_promise():
    oldest = {name: padded(version) for name, version in names_and_versions("constraints-oldest.txt").items()}
    promised = bounds(*(extra for extra in OF_EXTRAS if extra not in ("dev", "docs", "spark")))
    promised["duckdb-cli"] = bounds("dev")["duckdb-cli"]  # sql/run.sql is promised to run in that shell
    assert oldest == {name: padded(version) for name, version in promised.items()}
    locked, wanted = names_and_versions(*LOCKS), bounds(*OF_EXTRAS)
    assert {name for name in wanted if padded(locked.get(name, "0")) < padded(wanted[name])} == set()


@pytest.mark.parametrize(("file", "fewest"), [*zip(LOCKS, (20, 1), strict=True)])
def test_the_lock_names_every_file_by_its_digest_and_no_place_to_take_it_from(file, fewest):
    text = (REPOSITORY / file).read_text(encoding="utf-8")
    entries = re.split(r"^(?=[a-z0-9-]+==)", text, flags=re.M)[1:]
    assert len(entries) == len(PINNED.findall(text)) > fewest
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert re.findall(r"https?:|file:|--(?:index|find|extra)", text) == []
