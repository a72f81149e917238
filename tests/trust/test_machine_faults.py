"""Disks that fill or close, files that vanish, memory that ends: no release, no scratch, and a message that helps."""

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from safetab_sql import Resources, run
from safetab_sql.accounting.ledger_file import LedgerFile, mark_released, read_ledger
from safetab_sql.kit import whole_folders as folders
from safetab_sql.kit.progress import Progress
from safetab_sql.kit.stops import explained
from safetab_sql.kit.whole_folders import claimed_name, private_folder, whole_folder
from tests.accounting.settings import reserve
from tests.cli.command import call, inputs
from tests.cli.nations import paths
from tests.cli.test_ledger_options import EARLIER
from tests.trust.processes import names


@pytest.fixture
def disk(folder: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    place = folder / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small disk needs permissions that this process has not")
    yield place
    while place.is_mount():
        subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path) -> None:
    with suppress(OSError), (disk / "filling").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def close(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


SAID = {
    "a full disk": (OSError(errno.ENOSPC, "No space left on device", "out"), 1, "free space on the disks"),
    "a disk over quota": (OSError(errno.EDQUOT, "Disk quota exceeded", "out"), 1, "free space on the disks"),
    "a read-only disk": (OSError(errno.EROFS, "Read-only file system", "out"), 1, "make it writable"),
    "a closed folder": (PermissionError(errno.EACCES, "Permission denied", "out"), 1, "make it writable"),
    "a folder that vanished": (
        *(FileNotFoundError(errno.ENOENT, "No such file", "s"), 1, "leave the inputs and the scratch"),
    ),
    "too many open files": (OSError(errno.EMFILE, "Too many open files"), 1, "ulimit -n"),
    "too many, of the database": (duckdb.IOException('Cannot open "p": Too many open files'), 1, "ulimit -n"),
    "a database that vanished": (duckdb.TransactionException("Failed to commit: Cannot open"), 1, "leave the inputs"),
    "no memory": (MemoryError(), 1, "lower --memory-limit or --threads"),
    "no memory within the limit": (duckdb.OutOfMemoryException("failed to pin"), 1, "raise --memory-limit"),
    "bytes that are no text": (duckdb.InvalidInputException('encoding found in Parquet file "p"'), 2, "is corrupt"),
    "a signal": (KeyboardInterrupt(), 130, "interrupted; nothing was written."),
    "a signal too late": (KeyboardInterrupt("out is complete"), 130, "interrupted; out is complete."),
}


@pytest.mark.parametrize(("error", "code", "words"), SAID.values(), ids=SAID)
def test_each_fault_is_told_with_what_to_do_about_it(error, code, words):
    told = explained(error, is_to_write=True)
    assert (told[0], words in told[1]) == (code, True), told


@pytest.mark.parametrize(
    "error", [RuntimeError("ours"), duckdb.BinderException("ours"), duckdb.CatalogException("ours")]
)
def test_a_bug_of_ours_is_not_explained_away(error):
    assert explained(error, is_to_write=True) == (1, "")


def test_a_machine_without_memory_is_told_so(nation, monkeypatch):
    def starved(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("safetab_sql.jobs.run.validate", starved)
    done = call("validate", *inputs(nation))
    assert (done.code, done.stderr.splitlines()[0]) == (1, "the machine is out of memory.")


def test_a_read_only_disk_is_refused_before_anything_is_read(nation, folder, disk):
    shutil.rmtree(nation / "persons")
    close(disk)
    refused = call("run", *inputs(nation), "--out", disk / "out")
    words = [f"no permission to write in {disk}", f"{nation / 'persons'}: no file is there"]
    assert (refused.code, [word in refused.stderr for word in words]) == (2, [True, True]), refused.stderr


def test_a_full_disk_of_scratch_leaves_nothing_and_says_what_to_do(tiny_nation, folder, disk):
    done = call("run", *inputs(tiny_nation), "--out", folder / "out", "--scratch", disk, "--quiet")
    assert (done.code, done.stdout, names(disk), names(folder)) == (1, "", [], ["disk"])
    assert ("Traceback" in done.stderr, "--scratch" in done.stderr) == (False, True), done.stderr


def test_a_full_disk_of_the_ledger_stops_the_run_before_its_noise(tiny_nation, folder, disk):
    reserve(LedgerFile(disk / "ledger"), EARLIER)
    before = (disk / "ledger").read_bytes()
    fill(disk)
    (disk / "ledger").write_bytes(before + b" " * (4096 - len(before) - 1) + b"\n")
    done = call("run", *inputs(tiny_nation), "--out", folder / "out", "--ledger", disk / "ledger")
    assert (done.code, names(folder)) == (2, ["disk"]), done.stderr


@pytest.mark.parametrize("option", ["--confidential-log", "--out"])
def test_a_full_disk_of_the_log_or_of_out_leaves_no_release(tiny_nation, folder, disk, option):
    fill(disk)
    done = call("run", *inputs(tiny_nation), "--out", folder / "out", "--quiet", option, disk / "here")
    said = "No space left on device" in done.stderr
    assert (done.code, names(folder), (disk / "here" / "t1").exists(), said) == (1, ["disk"], False, True), done.stderr


@pytest.mark.slow
def test_a_scratch_folder_that_is_removed_under_the_run_leaves_no_release(tiny_nation, folder):
    (folder / "scratch").mkdir()

    def remove(stage: str) -> None:
        if stage == "writing tables":
            shutil.rmtree(next((folder / "scratch").iterdir()))

    with pytest.raises(FileNotFoundError) as error:
        run(
            paths(tiny_nation),
            folder / "out",
            resources=Resources(threads=1, scratch=folder / "scratch"),
            progress=Progress(stage=remove),
        )
    assert (names(folder), names(folder / "scratch")) == (["scratch"], [])
    assert "leave the inputs and the scratch folder alone" in explained(error.value, is_to_write=True)[1]


@pytest.mark.parametrize("option", ["--confidential-log", "--scratch"])
def test_what_is_confidential_is_not_put_into_a_release(nation, folder, option):
    """It would be given away with it; and the run would be refused at its end, when its noise is spent."""
    (folder / "out").mkdir()
    place = folder / "out" / "t1" if option == "--scratch" else folder / "out" / "log"
    (folder / "out" / "t1").mkdir()
    refused = call("run", *inputs(nation), "--out", folder / "out", "--overwrite", option, place)
    assert (refused.code, f"{option} {place}: lies in --out {folder / 'out'}" in refused.stderr) == (2, True)
    assert (names(folder / "out"), names(folder / "out" / "t1")) == (["t1"], [])


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_signal_when_the_release_stands_does_not_say_that_nothing_was_written(folder, monkeypatch, overwrite):
    if overwrite:
        (folder / "out").mkdir()
    flush = folders.flush

    def stopped(path: Path) -> None:
        flush(path)
        if path == folder:
            raise KeyboardInterrupt

    monkeypatch.setattr(folders, "flush", stopped)
    whole = whole_folder(folder / "out", ["t1"], overwrite=overwrite)
    with pytest.raises(KeyboardInterrupt, match="out is complete"), claimed_name(folder / "out"), whole:
        pass
    assert names(folder) == ["out"]


def test_a_signal_before_the_release_stands_says_nothing_of_the_one_that_stood(folder):
    (folder / "out").mkdir()
    with pytest.raises(KeyboardInterrupt) as stop, claimed_name(folder / "out"):
        raise KeyboardInterrupt
    assert str(stop.value) == ""


def test_a_signal_while_scratch_is_removed_does_not_keep_it(folder, monkeypatch):
    removed = []
    rmtree = shutil.rmtree

    def stopped(path: Path, *, ignore_errors: bool) -> None:
        removed.append(path)
        if len(removed) == 1:
            raise KeyboardInterrupt
        rmtree(path, ignore_errors=ignore_errors)

    def used() -> None:
        with private_folder(folder, "scratch-") as scratch:
            (scratch / "persons").write_text("confidential")
            monkeypatch.setattr(shutil, "rmtree", stopped)

    with pytest.raises(KeyboardInterrupt):
        used()
    assert names(folder) == []


def test_a_signal_while_a_run_is_marked_as_released_is_a_warning(tmp_path, monkeypatch):
    kept = LedgerFile(tmp_path / "ledger")
    reserve(kept, EARLIER)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("safetab_sql.accounting.ledger_file._append", stopped)
    with pytest.warns(RuntimeWarning, match="earlier is complete, but .* interrupted"):
        mark_released(kept, EARLIER, 64 * "e")
    assert [entered.state for entered in read_ledger(kept.path).charges] == ["reserved"]


def test_a_run_limits_what_a_crash_may_write_to_a_byte():
    """Which no core file fits, and at which Linux hands it to no other program either: before it looks at options."""
    before = resource.getrlimit(resource.RLIMIT_CORE)
    try:
        call("validate")
        soft = resource.getrlimit(resource.RLIMIT_CORE)[0]
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    assert soft <= 1
