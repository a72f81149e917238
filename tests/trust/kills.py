"""Runs killed (`kill -9`) at random moments, and what they leave: `python -m tests.trust.kills KILLS SEED`.

After each kill OUT is whole or absent, the ledger agrees with it, and the next start with the same --scratch and --out
removes what was left. Every second run overwrites a release that stands: that one stays until the new one is whole.
"""

import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from safetab_sql.simulation.simulate import simulate
from tests.cli.command import finished
from tests.trust.processes import names, run_options, started, state_of_out, states_of_ledger

PEOPLE = 5_000


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


def refused_command(nation: Path, folder: Path) -> list[str]:
    """A run that is started and ends at once: its limit is exceeded before any person is counted."""
    return [*run_options(nation, folder), "--overwrite", "--quiet", "--ledger-limit", "0.000001"]


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
    with started(refused_command(nation, folder)) as process:
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


def report(count: int, seed: int) -> None:
    """Print the table of `count` kills of running runs: a line for each stage and what they left."""
    random, found = Random(seed), []
    with tempfile.TemporaryDirectory() as place:
        nation = Path(place) / "nation"
        simulate(nation, people=PEOPLE)
        folders = [Path(place) / name for name in ("anew", "over")]
        for folder in folders:
            folder.mkdir()
        longest = seconds_of_a_run(nation, folders[1])
        while sum(kill.was_running for kill in found) < count:
            folder = folders[len(found) % 2]
            found.append(killed(nation, folder, random.uniform(0, longest)))
            longest *= 1.02 if found[-1].was_running else 0.9  # other work on the machine makes runs slow, or ends
            if folder == folders[0] and (folder / "out").exists():  # the next run into it begins without a release
                (folder / "out").rename(Path(place) / f"released-{len(found)}")
    rows = Counter(_row(kill) for kill in found if kill.was_running)
    print("killed while | OUT before | OUT after | ledger | left until the next start | survived | kills")
    for row, number in sorted(rows.items()):
        print(*row, number, sep=" | ")
    print(f"{len(found) - sum(kill.was_running for kill in found)} others had ended before they were killed")
    print(f"{sum(kill.is_survived for kill in found)} of {len(found)} survived")
    for kill in found:
        if not kill.is_survived:
            print(kill)


def _row(kill: Kill) -> tuple[str, ...]:
    before, after = "whole" if kill.was_standing else "none", "new" if kill.is_new else "as before"
    kinds = {"scratch" if name.startswith("scratch/") else name.split("-")[0] for name in kill.litter}
    return (kill.stage, before, after, kill.ledger, ", ".join(sorted(kinds)) or "nothing", str(kill.is_survived))


if __name__ == "__main__":
    report(int(sys.argv[1]), int(sys.argv[2]))
