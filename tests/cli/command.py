"""Calling the command line: in this process where that is enough, in one of its own where signals or disks matter."""

import contextlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.cli import main

PROGRAM = (sys.executable, "-m", "safetab_sql")


@dataclass(frozen=True, slots=True)
class Result:
    """What a command left behind: its exit code and what it printed."""

    code: int
    stdout: str
    stderr: str


def call(*arguments: str | Path) -> Result:
    stdout, stderr = io.StringIO(), io.StringIO()
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            try:
                code = main([str(argument) for argument in arguments])
            except SystemExit as leaving:  # how argparse refuses a command line
                code = leaving.code if isinstance(leaving.code, int) else 1
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
    return Result(code, stdout.getvalue(), stderr.getvalue())


def refusal(*arguments: str | Path) -> str:
    """What a command says that is refused; it has no answer."""
    done = call(*arguments)
    assert (done.code, done.stdout) == (2, ""), done.stderr
    return done.stderr


def execute(*arguments: str | Path, environment: Mapping[str, str] | None = None) -> Result:
    line, own = [*PROGRAM, *map(str, arguments)], {**os.environ, **(environment or {})}
    done = subprocess.run(line, env=own, capture_output=True, text=True, timeout=120, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


def wait_for(process: "subprocess.Popen[str]", stage: str) -> None:
    """Read the progress of a command in a process of its own until `stage` begins."""
    assert process.stderr is not None
    read = ""
    while not read.endswith(f"{stage} ...\n"):
        line = process.stderr.readline()
        assert line, f"ended before {stage}: {read}"
        read += line


def finished(process: "subprocess.Popen[str]") -> Result:
    stdout, stderr = process.communicate(timeout=300)
    return Result(process.returncode, stdout, stderr)


def inputs(nation: Path) -> Sequence[str | Path]:
    return (
        *("--parameters", nation / "parameters.toml"),
        *("--persons", nation / "persons"),
        *("--geography", nation / "geography.parquet"),
        *("--code-lists", nation / "code-lists"),
    )
