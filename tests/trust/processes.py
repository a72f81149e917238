"""Runs in processes of their own, to be killed, starved and raced, and what they leave behind."""

import json
import resource
import signal
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow.parquet as pq

from safetab_sql.accounting.ledger_file import read_ledger
from tests.cli.command import PROGRAM, inputs

Process = subprocess.Popen[str]
Limits = Mapping[int, int]  # resource.RLIMIT_... -> soft and hard limit
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_options(nation: Path, folder: Path) -> list[str]:
    """A run of a nation that keeps its ledger, its scratch and its OUT in `folder`."""
    (folder / "scratch").mkdir(exist_ok=True)
    names = {"--out": "out", "--scratch": "scratch", "--ledger": "ledger.jsonl"}
    return [
        "run",
        *map(str, inputs(nation)),
        *(word for key, name in names.items() for word in (key, str(folder / name))),
    ]


@contextmanager
def started(
    arguments: Collection[str | Path],
    *,
    limits: Limits | None = None,
    cwd: Path | None = None,
    prepare: Callable[[], None] = lambda: None,
) -> Iterator[Process]:
    """A command in a process of its own, which is killed when the block ends if it lives."""

    def before() -> None:
        for kind in (*STOPS, signal.SIGQUIT):
            signal.signal(kind, signal.SIG_DFL)  # a suite run in the background inherits some as ignored
        for kind, limit in (limits or {}).items():
            resource.setrlimit(kind, (limit, limit))
        prepare()

    process = subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        preexec_fn=before,  # noqa: PLW1509  (one thread)
    )
    try:
        yield process
    finally:
        process.kill()
        with suppress(ValueError):  # its output has been read
            process.communicate()


def state_of_out(out: Path) -> str:
    """`none`, `whole` (every file is there and can be read to its end), or what is missing."""
    if not out.exists():
        return "none"
    try:
        manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        rows = [pq.read_table(out / name / f"{name}.parquet").num_rows for name in ("t1", "t2")]
    except (OSError, ValueError) as error:
        return f"half: {error}"
    return "whole" if manifest["date"] and min(rows) > 0 else "half: no rows"


def states_of_ledger(ledger: Path) -> list[str]:
    """The state of every run in a ledger that can be read; none where there is no ledger."""
    return [release.state for release in read_ledger(ledger).charges] if ledger.exists() else []


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
