"""Inputs that change under a command: it counts one and the same extract or none, and no noise is drawn for none.

Every statement opens its files anew. So what each file was before the first of them is compared when the last has been
read, before the run is entered in its ledger; after that no input is read any more.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from safetab_sql import InputError, Resources, run, validate
from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.kit.progress import Progress
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.public.sources import changes, find_source, stamps
from tests.cli.nations import paths
from tests.trust.processes import names, state_of_out

PERSONS = "persons/persons.parquet"
ONE_THREAD = Resources(threads=1)


def touched(file: Path) -> None:
    os.utime(file)


def rewritten(file: Path) -> None:
    """In place, by the same bytes: nothing tells that they are."""
    file.write_bytes(file.read_bytes())


def cut_off(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def emptied(file: Path) -> None:
    os.truncate(file, 0)


def replaced(file: Path) -> None:
    """By a file of the same size and time."""
    shutil.copy2(file, file.parent.parent / "copy")
    (file.parent.parent / "copy").replace(file)


CHANGES = [touched, rewritten, cut_off, emptied, replaced]


def when(stage: str, change: Callable[[], None]) -> Progress:
    return Progress(stage=lambda name: change() if name == stage else None)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_file_that_changed_is_noticed(tmp_path, change):
    file = tmp_path / "persons" / "persons.parquet"
    file.parent.mkdir()
    file.write_bytes(b"PAR1 and so on")
    sources = [find_source(file.parent)]
    before = stamps(sources)
    change(file)
    assert [problem.what for problem in changes(sources, before)] == ["was changed while it was being read"]


def test_a_file_that_was_removed_and_one_that_was_added_are_noticed(tmp_path):
    (tmp_path / "1.parquet").write_bytes(b"")
    (tmp_path / "2.parquet").write_bytes(b"")
    sources = [find_source(tmp_path)]
    before = stamps(sources)
    (tmp_path / "1.parquet").rename(tmp_path / "3.parquet")
    assert [(Path(problem.where).name, problem.what) for problem in changes(sources, before)] == [
        ("1.parquet", "was removed while it was being read"),
        ("3.parquet", "was added while the inputs were being read"),
    ]


def test_a_run_whose_person_file_changes_while_it_counts_is_refused_and_draws_no_noise(nation, folder):
    def bits(count: int) -> bytes:
        pytest.fail("noise was drawn")

    progress = when("counting population groups", lambda: touched(nation / PERSONS))
    ledger = LedgerFile(folder / "ledger.jsonl")
    with pytest.raises(InputError, match=r"persons\.parquet: was changed while it was being read\n    run again when"):
        run(paths(nation), folder / "out", ledger_file=ledger, resources=ONE_THREAD, progress=progress, bits=bits)
    assert names(folder) == []


def test_a_check_of_inputs_that_change_under_it_finds_that(nation):
    progress = Progress(step=lambda *_: touched(nation / PERSONS))
    with pytest.raises(InputError, match="was changed while it was being read"):
        validate(paths(nation), resources=ONE_THREAD, progress=progress)


def test_a_file_that_is_spoilt_while_it_is_checked_is_said_to_have_changed(nation):
    progress = Progress(step=lambda *_: emptied(nation / PERSONS))
    with pytest.raises(InputError, match="was changed while it was being read"):
        validate(paths(nation), resources=ONE_THREAD, progress=progress)


def test_no_input_is_read_after_the_first_random_bit(nation, folder):
    """They may all go then: the release is whole, and names the public files that were read by their digests."""
    digest = hashlib.sha256((nation / "geography.parquet").read_bytes()).hexdigest()

    def bits(count: int) -> bytes:
        shutil.rmtree(nation, ignore_errors=True)
        return system_bits(count)

    run(paths(nation), folder / "out", resources=ONE_THREAD, bits=bits)
    manifest = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (nation.exists(), state_of_out(folder / "out")) == (False, "whole")
    assert manifest["public_inputs"]["geography"] == [{"file": "geography.parquet", "sha256": digest}]
