"""Spoil sound inputs at random and feed them to the readers: `python -m tests.hostile.fuzz --cases 100000 --seed 1`.

A reader may answer, refuse the input as the user's (InputError, or argparse's exit with 2), and nothing else; within
`--patience` seconds; and what it says must be fit for a terminal. Whatever else it does is printed with its input.
"""

import argparse
import contextlib
import faulthandler
import io
import json
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from safetab_sql.kit.errors import InputError
from tests.hostile.readers import Reader, readers

LAST = Path(tempfile.gettempdir()) / f"safetab-sql-fuzz-last-case-{os.getpid()}"


@dataclass(slots=True)
class Tally:
    """What became of the cases. outcomes: how many of each (reader, outcome). findings: reader, what, input."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[tuple[str, str, bytes]] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)


def fuzz(cases: int, seed: int, *, patience: float = 0, only: str | None = None) -> Tally:
    """Feed `cases` spoilt inputs to the readers by their weights.

    A reader that never ends, or crashes, ends the process: its case is then in the file LAST.
    """
    tally, random = Tally(), Random(seed)
    with tempfile.TemporaryDirectory() as folder, readers(Path(folder)) as every:
        chosen = {name: reader for name, reader in every.items() if only in (None, name)}
        names = random.choices(list(chosen), [reader.weight for reader in chosen.values()], k=cases)
        for name in names:
            reader = chosen[name]
            case = reader.mutate(random, random.choice(reader.seeds))
            if patience:
                LAST.write_bytes(case)
                faulthandler.dump_traceback_later(patience, exit=True)
            start = time.monotonic()
            outcome = _outcome(reader, case)
            seconds = time.monotonic() - start
            faulthandler.cancel_dump_traceback_later()
            tally.slowest[name] = max(seconds, tally.slowest.get(name, 0.0))
            if outcome not in ("read", "refused"):
                tally.findings.append((name, outcome, case))
                outcome = "FOUND"
            tally.outcomes[name, outcome] += 1
    LAST.unlink(missing_ok=True)
    return tally


def _outcome(reader: Reader, case: bytes) -> str:
    stdout, stderr = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            reader.read(case)
    except InputError as error:
        return "refused" if _is_fit_for_a_terminal(str(error)) else f"says {str(error)!r}"
    except SystemExit as leaving:
        said = stderr.getvalue()
        is_sound = leaving.code in (0, 2) and _is_fit_for_a_terminal(said)
        return "refused" if is_sound else f"exits with {leaving.code} and says {said!r}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "".join(traceback.format_exception(error)[-3:])
    return "read"


def _is_fit_for_a_terminal(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def main() -> int:
    """Print the tally and every finding; 1 if there is one."""
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("--cases", type=int, default=100_000)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--patience", type=float, default=60.0, help="seconds that one case may take")
    command.add_argument("--only", help="one reader")
    options = command.parse_args()
    start = time.monotonic()
    tally = fuzz(options.cases, options.seed, patience=options.patience, only=options.only)
    for name in sorted(tally.slowest):
        counts = {outcome: tally.outcomes[name, outcome] for outcome in ("read", "refused", "FOUND")}
        print(f"{name:12} {json.dumps(counts)} slowest {tally.slowest[name]:.3f} s")
    kinds = {(name, what.rstrip().splitlines()[-1][:60]): (what, case) for name, what, case in tally.findings}
    for (name, _), (what, case) in kinds.items():
        print(f"FOUND {name}: {what}\n  input: {case[:5000]!r}")
    total = sum(tally.outcomes.values())
    print(f"{total:,} cases, {len(tally.findings):,} findings, {time.monotonic() - start:.0f} s, seed {options.seed}")
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
