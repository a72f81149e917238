"""What is published says on which day it was made, and nothing else of any clock: how long a run takes tells how many
people it counted.
"""

import json
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.command import call, inputs

SYNTHESIS = 'epsilon = 1\n[domains.QSEX]\nvalues = ["1", "2"]\n[domains.TABBLKST]\nvalues = ["01"]\nother = ["99"]\n'
MADE: dict[str, list[str]] = {
    "run": [],  # the release that other tests read too
    "bottom-up run": ["bottom-up", "run", "--spec", "NATION/bottom-up.toml", "--data", "NATION/persons"],
    "synthesize run": ["synthesize", "run", "--spec", "synthesis.toml", "--data", "NATION/persons"],
    "reconcile": ["reconcile", "RELEASE"],
    "ground-truth": ["ground-truth", "INPUTS"],
    "evaluate": ["evaluate", "--runs", "1", "INPUTS"],
    "bottom-up curve": [
        *("bottom-up", "curve", "--replicates", "2", "--epsilon", "1"),
        *("--spec", "NATION/bottom-up.toml", "--data", "NATION/persons"),
    ],
}
Made = Callable[[str], Path]


@pytest.fixture(scope="module")
def made(nation: Path, release: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The folder that a command makes, made once."""
    folder = tmp_path_factory.mktemp("clock")
    (folder / "synthesis.toml").write_text(SYNTHESIS, encoding="utf-8")
    names = {"NATION": str(nation), "RELEASE": str(release), "synthesis": str(folder / "synthesis")}

    def make(name: str) -> Path:
        out = release if name == "run" else folder / name.replace(" ", "-")
        if not out.exists():
            words: list[str] = []
            for word in MADE[name]:
                words += inputs(nation) if word == "INPUTS" else [re.sub("[A-Z]+|synthesis", _named, word)]
            done = call(*words, "--out", out, "--quiet")
            assert done.code == 0, done.stderr
        return out

    def _named(found: re.Match[str]) -> str:
        return names.get(found[0], found[0])

    return make


def days(out: Path) -> set[str]:
    """Every day, time and count of seconds since 1970 in any file of a folder."""
    day = r"(?<![\w-])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[:\d.]*)?|\b[012]\d:[0-5]\d:[0-5]\d\b"
    seconds = rf"(?<![\w.]){int(time.time()) // 10**5}\d{{5}}(?:\d{{3}}|\d{{6}}|\d{{9}})?(?!\w)"
    files = sorted(file for file in out.rglob("*") if file.is_file())
    return {found for file in files for found in re.findall(f"{day}|{seconds}", file.read_bytes().decode("latin-1"))}


@pytest.mark.parametrize("name", [name for name in MADE if name != "reconcile"])
@pytest.mark.each_time("ground-truth", "[bottom-up run]")
@pytest.mark.slow
def test_a_folder_holds_the_day_on_which_it_was_made_and_no_other_value_of_a_clock(made, name):
    out = made(name)
    assert days(out) == {json.loads((out / "manifest.json").read_text(encoding="utf-8"))["date"]}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.each_time("[run]")
def test_all_files_of_a_folder_were_last_changed_at_midnight_of_that_day(made, name):
    out = made(name)
    day = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["date"]
    midnight = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    assert {path.stat().st_mtime_ns for path in [out, *out.rglob("*")]} == {int(midnight) * 10**9}


def test_a_reconciled_folder_holds_its_own_day_and_that_of_the_release(made, release):
    of_release = json.loads((release / "manifest.json").read_text(encoding="utf-8"))["date"]
    own = json.loads((made("reconcile") / "manifest.json").read_text(encoding="utf-8"))["date"]
    assert days(made("reconcile")) == {of_release, own}


def test_values_of_a_clock_are_noticed(tmp_path):
    now = int(time.time())
    told = f'"2026-11-21T10:11:12Z" 2026-11-21 10:11 23:59:59 {now} {now}123 1.{now} a2026-11-21'
    (tmp_path / "file").write_text(told, encoding="utf-8")
    assert days(tmp_path) == {"2026-11-21T10:11:12", "2026-11-21 10:11", "23:59:59", str(now), f"{now}123"}
