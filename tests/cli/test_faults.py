"""Full disks, signals, kills: OUT is whole or absent, no scratch of ours is left, and the message helps."""

import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.command import PROGRAM, call, finished, inputs, refusal, wait_for
from tests.cli.nations import PERSONS


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """An empty scratch folder."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def start(larger_nation: Path, tmp_path: Path, scratch: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts a run (of the larger nation, unless another is named) into `tmp_path`/out in a process of its own."""
    started = []

    def run(*options: str | Path, of: Path = larger_nation, largest_file: int | None = None) -> "subprocess.Popen[str]":
        def limit() -> None:
            for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(kind, signal.SIG_DFL)  # a suite run in the background inherits some as ignored
            if largest_file is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

        arguments = ["run", *inputs(of), "--out", tmp_path / "out", "--scratch", scratch, *options]
        process = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,  # noqa: PLW1509  (one thread)
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def is_tidy(tmp_path: Path) -> bool:
    """Whether nothing of ours is left: no scratch, no half of OUT."""
    return sorted(path.name for path in tmp_path.iterdir()) == ["scratch"] and not list(
        (tmp_path / "scratch").iterdir()
    )


# The last stage; the others in the soak.
STOPS = [
    (signal.SIGHUP, "writing tables"),
    (signal.SIGTERM, "checking the inputs"),
    (signal.SIGINT, "counting population groups"),
    (signal.SIGTERM, "counting population groups"),
    (signal.SIGTERM, "writing tables"),
]


@pytest.mark.parametrize(
    ("kind", "stage"),
    [
        pytest.param(*stop, id=f"{stop[0].name} while {stop[1]}", marks=[] if stop == STOPS[0] else pytest.mark.slow)
        for stop in STOPS
    ],
)
def test_a_run_that_is_told_to_stop_tidies_up(
    start: Callable[..., "subprocess.Popen[str]"], tmp_path: Path, kind: signal.Signals, stage: str
) -> None:
    process = start()
    wait_for(process, stage)
    time.sleep(0.02)  # into the stage's first statement
    process.send_signal(kind)
    stopped = finished(process)
    assert (stopped.code, stopped.stdout) == (130, ""), stopped.stderr
    assert stopped.stderr.splitlines()[-1] == "interrupted; nothing was written."
    assert ("Traceback" in stopped.stderr, is_tidy(tmp_path)) == (False, True)


@pytest.mark.slow
def test_a_nohup_run_outlives_its_terminal(nation: Path, tmp_path: Path) -> None:
    command = [*PROGRAM, "validate", *map(str, inputs(nation))]

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=ignore)  # noqa: PLW1509
    for _ in range(10):
        time.sleep(0.05)
        process.send_signal(signal.SIGHUP)
    assert finished(process).stdout == "no errors\n"


@pytest.mark.slow
def test_the_scratch_of_a_run_that_lives_is_left_alone(
    start: Callable[..., "subprocess.Popen[str]"], nation: Path, tmp_path: Path, scratch: Path
) -> None:
    process = start()
    wait_for(process, "checking the inputs")
    call("validate", *inputs(nation), "--scratch", scratch)
    assert (finished(process).code, (tmp_path / "out" / "manifest.json").exists()) == (0, True)


def test_a_person_file_that_is_corrupt_inside_is_named(spoilt: Path) -> None:
    """Its footer can be read, its pages cannot: this shows only while the data are read."""
    pq.write_table(pq.read_table(spoilt / PERSONS), spoilt / PERSONS, compression="zstd", use_dictionary=False)
    ages = pq.read_metadata(spoilt / PERSONS).row_group(0).column(0)
    content = bytearray((spoilt / PERSONS).read_bytes())
    for place in range(ages.data_page_offset + 100, ages.data_page_offset + ages.total_compressed_size):
        content[place] ^= 0x5A
    (spoilt / PERSONS).write_bytes(content)
    said = refusal("validate", *inputs(spoilt))
    assert (PERSONS in said, "corrupt" in said) == (True, True)
