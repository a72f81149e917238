"""`kill -9` at random moments: OUT is whole or as it was, the ledger agrees, the next start tidies up.

Every second run overwrites a release that stands: that one stays until the new one is whole.
"""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import finished, wait_for
from tests.trust.processes import STOPS, names, run_options, started, state_of_out, states_of_ledger


@dataclass(frozen=True, slots=True)
class Kill:
    """What one killed run left.

    seconds: after its start. was_running: False where it had ended by itself. stage: the last it had begun.
    was_standing: whether a release stood. out, ledger: the states of OUT and of the run's entry (`none`, `reserved`,
    `released`). is_new: whether OUT is that run's. litter: names beside OUT, and in scratch. after: the same when the
    next command with this OUT and scratch has ended.
    """

    seconds: float
    was_running: bool
    stage: str
    was_standing: bool
    out: str
    is_new: bool
    ledger: str
    litter: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def is_survived(self) -> bool:
        """OUT is whole or as it was; only what is reserved can stand; nothing is left after the next start."""
        is_whole = self.out == ("whole" if self.was_standing or self.is_new else "none")
        return is_whole and (self.ledger != "none" or not self.is_new) and self._is_not_ahead and not self.after

    @property
    def _is_not_ahead(self) -> bool:
        """No run is marked as released whose release does not stand."""
        return self.is_new or self.ledger != "released"


def litter(folder: Path) -> tuple[str, ...]:
    """What a run left in `folder` that is neither OUT nor the ledger."""
    beside = [name for name in names(folder) if name not in ("out", "scratch", "ledger.jsonl")]
    return (*beside, *(f"scratch/{name}" for name in names(folder / "scratch")))


def standing(out: Path) -> int | None:
    """Which folder stands as OUT: two releases of one day may be alike to the byte, but are two folders."""
    return out.stat().st_ino if out.exists() else None


def killed(nation: Path, folder: Path, seconds: float) -> Kill:
    """Start a run into `folder`, kill it after `seconds`, and look."""
    before = standing(folder / "out")
    entered = len(states_of_ledger(folder / "ledger.jsonl"))
    overwrite = ["--overwrite"] if before else []
    with started([*run_options(nation, folder), *overwrite]) as process:
        time.sleep(seconds)
        process.kill()
        ended = finished(process)
    entries = states_of_ledger(folder / "ledger.jsonl")[entered:]
    left = (state_of_out(folder / "out"), litter(folder))
    is_new = standing(folder / "out") not in (None, before)
    # A run that is started and ends at once: its limit is exceeded before any person is counted.
    with started([*run_options(nation, folder), "--overwrite", "--quiet", "--ledger-limit", "0.000001"]) as process:
        assert finished(process).code == 2
    said = ended.stderr.splitlines()
    stage = said[-1].removesuffix(" ...") if said else "before the first stage"
    return Kill(
        seconds,
        ended.code == -signal.SIGKILL,
        stage,
        before is not None,
        left[0],
        is_new,
        " ".join(entries) or "none",
        left[1],
        litter(folder),
    )


def kills(nation: Path, folder: Path, count: int, seed: int, longest: float) -> list[Kill]:
    """`count` runs killed after up to `longest` seconds each, evenly drawn."""
    random, found = Random(seed), []
    for _ in range(count):
        found.append(killed(nation, folder, random.uniform(0, longest)))
    return found


def seconds_of_a_run(nation: Path, folder: Path) -> float:
    """How long a whole run takes; its release then stands in `folder`."""
    start = time.monotonic()
    with started([*run_options(nation, folder), "--quiet"]) as process:
        assert finished(process).code == 0
    return time.monotonic() - start


@pytest.mark.slow
def test_runs_that_are_killed_leave_no_half_of_a_release_and_nothing_after_the_next_start(tiny_nation, folder):
    found = kills(tiny_nation, folder, count=5, seed=1, longest=1.5)
    assert [kill for kill in found if not kill.is_survived] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", STOPS, ids=lambda kind: kind.name)
def test_runs_that_are_told_to_stop_at_any_moment_tidy_up_and_say_what_stands(tiny_nation, folder, tmp_path, kind):
    (tmp_path / "timed").mkdir()
    random, longest = Random(kind), seconds_of_a_run(tiny_nation, tmp_path / "timed")
    for number in range(20):
        with started(run_options(tiny_nation, folder)) as process:
            wait_for(process, "checking the inputs")
            time.sleep(random.uniform(0, longest))
            process.send_signal(kind)
            ended = finished(process)
        last = [*ended.stderr.splitlines(), ""][-2 if ended.stderr else -1]
        stands = (folder / "out").exists()
        said = {True: f"interrupted; {folder / 'out'} is complete.", False: "interrupted; nothing was written."}
        is_done = stands and ended.code in (0, -kind)  # by the signal itself where Python was about to end
        assert (litter(folder), is_done or (ended.code, last) == (130, said[stands])) == ((), True), ended.stderr
        if stands:
            assert state_of_out(folder / "out") == "whole"
            (folder / "out").rename(tmp_path / f"released-{number}")


def kill(**changes: object) -> Kill:
    """One that is survived, but for the changes."""
    values = {
        "seconds": 1.0,
        "was_running": True,
        "stage": "writing tables",
        "was_standing": False,
        "out": "none",
        "is_new": False,
    }
    return Kill(**{**values, "ledger": "reserved", "litter": (), "after": (), **changes})


NOT_SURVIVED = {
    "half of a release": {"out": "half: no manifest.json"},
    "a release that nobody entered": {"out": "whole", "is_new": True, "ledger": "none"},
    "an entry of a release that does not stand": {"ledger": "released"},
    "a release that stood and is gone": {"was_standing": True},
    "scratch that the next start leaves": {"after": ("scratch/safetab-sql-scratch-1",)},
}


@pytest.mark.parametrize("changes", NOT_SURVIVED.values(), ids=NOT_SURVIVED)
def test_what_a_kill_must_not_leave_is_noticed(changes):
    assert (kill().is_survived, kill(**changes).is_survived) == (True, False)


def test_half_a_release_is_told_from_a_whole_one(folder):
    for name in ("t1", "t2"):
        (folder / name).mkdir()
        pq.write_table(pa.table({"COUNT": [1]}), folder / name / f"{name}.parquet")
    (folder / "manifest.json").write_text('{"date": "2026-11-21"}')
    whole = state_of_out(folder)
    os.truncate(folder / "t2" / "t2.parquet", 100)
    cut = state_of_out(folder)
    (folder / "t2" / "t2.parquet").unlink()
    assert (whole, cut[:5], state_of_out(folder)[:5]) == ("whole", "half:", "half:")
