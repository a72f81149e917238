"""Output that nobody reads to its end, or that cannot be written: one exit code each, and no traceback."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.command import PROGRAM, Result, inputs


def called(arguments: Sequence[str | Path], stdout: int) -> Result:
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False, timeout=120
    )
    return Result(done.returncode, "", done.stderr)


def to_nobody(*arguments: str) -> Result:
    """A command whose output goes into a pipe that nobody reads from any more."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return called(arguments, writer)
    finally:
        os.close(writer)


@pytest.mark.slow
def test_a_command_whose_reader_has_gone_ends_with_141_and_no_word():
    """The second says more than a pipe holds."""
    assert [to_nobody("--help"), to_nobody("sql", "show", "--all")] == [Result(141, "", "")] * 2


@pytest.mark.slow
def test_an_answer_that_a_pipe_holds_is_given_whole_to_whoever_reads_its_first_line():
    """`sql list` has a hundred lines: line by line it would be a matter of luck whether `head` has gone."""
    words = " ".join(PROGRAM)
    done = subprocess.run(
        ["bash", "-c", f"{words} sql list | head -1; echo ${{PIPESTATUS[0]}}"],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    first, code = done.stdout.splitlines()
    assert (first != "", code, done.stderr) == (True, "0", "")


@pytest.mark.slow
def test_an_answer_that_a_full_disk_does_not_hold_is_not_called_given(nation, tmp_path):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        run = called(["run", *inputs(nation), "--out", tmp_path / "out", "--quiet"], full.fileno())
    said = "the answer cannot be written to stdout: No space left on device.\n"
    assert (run, (tmp_path / "out" / "manifest.json").exists()) == (Result(1, "", said), True)
