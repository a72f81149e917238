"""`kill -9` of each step of `parts`, at moments spread over all that it does to the disk; each time the step is called
again, and the release is that of an undisturbed run, to the byte, with one run in the ledger.

A step that is called again gets the same bits only if none of its noise had been kept: noise that was kept and is drawn
again would be other noise, and another release.
"""

import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from safetab_sql import LedgerFile
from safetab_sql.accounting.ledger_file import read_charges
from safetab_sql.cluster.sealed import can_encrypt
from safetab_sql.jobs import parts
from tests.cluster.nations import ONE_THREAD, PERSONS, nation_in_files
from tests.conftest import REPOSITORY
from tests.jobs.test_parts import contents
from tests.statistics import recorded_bits

# Calls a step of `parts`, and kills itself at one of the moments at which it changes something on the disk. It says how
# many moments there were if it came to its end.
_STEP = """
import os, signal, sys
from safetab_sql import Resources
from safetab_sql.jobs import parts
from tests.statistics import recorded_bits

work, step, moment = sys.argv[1], sys.argv[2], int(sys.argv[3])
changes = {"os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.utime"}
seen = 0

def count(event, arguments):
    global seen
    is_change = event in changes or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR))
    if is_change:
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)

one, bits = Resources(threads=1), recorded_bits("parts")
sys.addaudithook(count)
if step == "choose":
    parts.choose(work, resources=one, bits=bits)
elif step == "publish":
    parts.publish(work, resources=one, bits=bits)
else:
    parts.count(work, 1, step, resources=one)
print(seen)
"""
_KILLS = 6  # of each step


@dataclass(frozen=True)
class Prepared:
    """Parts before each step, and what they release undisturbed."""

    folder: Path
    expected: dict[str, bytes]

    def before(self, step: str) -> None:
        """Make everything as it was before a step."""
        shutil.rmtree(self.folder / "now", ignore_errors=True)
        shutil.copytree(self.folder / step, self.folder / "now")

    def killed(self, step: str, moment: int) -> int | None:
        """Call a step that kills itself at a moment; the number of moments if it came to its end."""
        command = [sys.executable, "-c", _STEP, str(self.folder / "now" / "work"), step, str(moment)]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=400, check=False)
        if done.returncode == -signal.SIGKILL:
            return None
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    def go_on(self, step: str) -> None:
        """Call every step from this one on."""
        work, steps = self.folder / "now" / "work", ["totals", "choose", "cells", "publish"]
        is_kept = (work / "release").exists() if step == "publish" else any(work.glob("parts/noise-*"))
        bits = {step: recorded_bits("others")} if is_kept else {}
        for name in steps[steps.index(step) :]:
            if name in ("totals", "cells"):
                for part in (1, 2):
                    parts.count(work, part, name, resources=ONE_THREAD)
            elif name == "choose":
                parts.choose(work, resources=ONE_THREAD, bits=bits.get(name, recorded_bits("parts")))
            else:
                parts.publish(work, resources=ONE_THREAD, bits=bits.get(name, recorded_bits("parts")))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("parts")
    nation, now = nation_in_files(folder / "nation", a=PERSONS[:240], b=PERSONS[240:]), folder / "now"
    now.mkdir()
    key = now / "key" if can_encrypt() else None
    work, ledger = parts.NewWork(now / "work", 2, key), LedgerFile(now / "ledger", limit=None)
    parts.prepare(nation, now / "release", work, ledger_file=ledger, resources=ONE_THREAD)
    shutil.copytree(now, folder / "totals")
    for part in (1, 2):
        parts.count(now / "work", part, "totals", resources=ONE_THREAD)
    shutil.copytree(now, folder / "choose")
    parts.choose(now / "work", resources=ONE_THREAD, bits=recorded_bits("parts"))
    shutil.copytree(now, folder / "cells")
    for part in (1, 2):
        parts.count(now / "work", part, "cells", resources=ONE_THREAD)
    shutil.copytree(now, folder / "publish")
    parts.publish(now / "work", resources=ONE_THREAD, bits=recorded_bits("parts"))
    expected = contents(now / "release")
    return Prepared(folder, expected)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["totals", "choose", "cells", "publish"])
def test_a_step_that_is_killed_at_any_moment_is_called_again_and_the_release_is_the_same(
    prepared: Prepared, step: str
) -> None:
    prepared.before(step)
    moments = prepared.killed(step, moment=0)
    assert moments is not None
    assert moments >= _KILLS
    for moment in sorted({1 + place * (moments - 1) // (_KILLS - 1) for place in range(_KILLS)}):
        prepared.before(step)
        assert prepared.killed(step, moment) is None, moment
        now = prepared.folder / "now"
        is_out = (now / "release").exists()
        assert not is_out or contents(now / "release") == prepared.expected, moment
        if (now / "work" / "plan.json").exists() and not is_chosen(now, step):
            prepared.go_on(step)
        elif step == "choose":
            prepared.go_on("cells")
        assert contents(now / "release") == prepared.expected, moment
        assert [charge.state for charge in read_charges(now / "ledger")] == ["released"], moment
        assert is_out or not (now / "work").exists(), moment


def is_chosen(now: Path, step: str) -> bool:
    """Whether `choose` had done all before it was killed: then it is refused."""
    return step == "choose" and any((now / "work" / "parts").glob("stat_levels-*"))
