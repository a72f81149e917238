"""Full disks, signals, kills, output that nobody reads: one exit code each, OUT is whole or absent, a useful text."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.command import PROGRAM, Result, finished, inputs, refusal, wait_for
from tests.cli.nations import PERSONS

# One each time; the others in the soak.
STOPS = [
    (signal.SIGHUP, "counting population groups"),
    *((signal.SIGINT, "counting population groups"), (signal.SIGTERM, "checking the inputs")),
]


def as_usual() -> None:
    """A suite run in the background inherits some signals as ignored."""
    for kind, _ in STOPS:
        signal.signal(kind, signal.SIG_DFL)


@pytest.mark.parametrize(("kind", "stage"), STOPS, ids=[kind.name for kind, _ in STOPS])
@pytest.mark.each_time("SIGTERM")
def test_a_run_that_is_told_to_stop_tidies_up(nation, tmp_path, kind, stage):
    (tmp_path / "scratch").mkdir()
    line = [*PROGRAM, "run", *inputs(nation), "--out", tmp_path / "out", "--scratch", tmp_path / "scratch"]
    with subprocess.Popen(
        list(map(str, line)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_usual,  # noqa: PLW1509  (one thread)
    ) as process:
        wait_for(process, stage)
        time.sleep(0.02)  # into the stage's first statement
        process.send_signal(kind)
        stopped = finished(process)
    assert (stopped.code, stopped.stdout) == (130, ""), stopped.stderr
    assert stopped.stderr.splitlines()[-1] == "interrupted; nothing was written."
    assert ("Traceback" in stopped.stderr, list(tmp_path.rglob("*"))) == (False, [tmp_path / "scratch"])


@pytest.mark.slow
def test_a_nohup_run_outlives_its_terminal(nation, tmp_path):
    command = [*PROGRAM, "validate", *map(str, inputs(nation))]

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=ignore)  # noqa: PLW1509
    for _ in range(10):
        time.sleep(0.05)
        process.send_signal(signal.SIGHUP)
    assert finished(process).stdout == "no errors\n"


def test_a_person_file_that_is_corrupt_inside_is_named(spoilt):
    """Its footer can be read, its pages cannot: this shows only while the data are read."""
    pq.write_table(pq.read_table(spoilt / PERSONS), spoilt / PERSONS, compression="zstd", use_dictionary=False)
    ages = pq.read_metadata(spoilt / PERSONS).row_group(0).column(0)
    content = bytearray((spoilt / PERSONS).read_bytes())
    for place in range(ages.data_page_offset + 100, ages.data_page_offset + ages.total_compressed_size):
        content[place] ^= 0x5A
    (spoilt / PERSONS).write_bytes(content)
    said = refusal("validate", *inputs(spoilt))
    assert (PERSONS in said, "corrupt" in said) == (True, True)


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
    shell = ["bash", "-c", f"{words} sql list | head -1; echo ${{PIPESTATUS[0]}}"]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(shell, env=env, capture_output=True, text=True, check=True, timeout=120)
    first, code = done.stdout.splitlines()
    assert (first != "", code, done.stderr) == (True, "0", "")


@pytest.mark.slow
def test_an_answer_that_a_full_disk_does_not_hold_is_not_called_given(nation, tmp_path):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        run = called(["run", *inputs(nation), "--out", tmp_path / "out", "--quiet"], full.fileno())
    said = "the answer cannot be written to stdout: No space left on device.\n"
    assert (run, (tmp_path / "out" / "manifest.json").exists()) == (Result(1, "", said), True)
