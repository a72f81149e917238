"""`kill -9` at random moments: OUT is whole or as it was, the ledger agrees, the next start tidies up."""

import os
import time
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import finished, wait_for
from tests.trust.kills import Kill, kills, litter, seconds_of_a_run
from tests.trust.processes import STOPS, run_options, started, state_of_out


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
