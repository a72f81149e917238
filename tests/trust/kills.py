"""Runs killed (`kill -9`) at random moments, and what they leave.

After each kill OUT is whole or absent, the ledger agrees with it, and the next start with the same --scratch and --out
removes what was left. Every second run overwrites a release that stands: that one stays until the new one is whole.
"""

import signal
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.cli.command import finished
from tests.trust.processes import names, run_options, started, state_of_out, states_of_ledger


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
