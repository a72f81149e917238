"""Inputs, folders, links and clocks that change under a command: it makes one whole release, or says why not."""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import chain, repeat
from pathlib import Path

import pytest
import tqdm.std

from safetab_sql import InputError, Resources, run, validate
from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.kit import progress
from safetab_sql.kit.progress import Progress
from safetab_sql.kit.whole_folders import claimed_name, sha256_of, whole_folder
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.public.sources import changes, find_source, stamps
from tests.cli.nations import paths
from tests.hostile.seeds import ledger_with
from tests.trust.processes import names, state_of_out, states_of_ledger

TAKEN = "another command is making this folder"
ONE_THREAD = Resources(threads=1)


def test_a_run_is_whole_and_entered_though_another_is_begun_beside_it_and_its_inputs_go_at_its_first_bit(
    nation, folder, capfd
):
    """The later is refused before it counts anybody, and not entered: its noise would have been in vain.

    The first is in the ledger before it draws, as its manifest says; after that it reads no input. It prints nothing.
    """
    refused, states = list[str](), list[list[str]]()
    ledger, digest = LedgerFile(folder / "ledger.jsonl"), sha256_of(nation / "geography.parquet")

    def second(stage: str) -> None:
        if stage == "counting population groups" and not refused:
            with pytest.raises(InputError, match=TAKEN) as error:
                run(paths(nation), folder / "out", overwrite=True, ledger_file=ledger)
            refused.extend(map(str, error.value.problems))

    def bits(count: int) -> bytes:
        states.append(states_of_ledger(ledger.path))
        shutil.rmtree(nation, ignore_errors=True)
        return system_bits(count)

    progress = Progress(stage=second)
    run(paths(nation), folder / "out", bits=bits, ledger_file=ledger, resources=ONE_THREAD, progress=progress)
    assert refused == [f"{folder / 'out'}: {TAKEN}\n    wait until it ends, or name another folder"]
    assert (states[0], states_of_ledger(ledger.path)) == (["reserved"], ["released"])
    assert (nation.exists(), state_of_out(folder / "out"), capfd.readouterr()) == (False, "whole", ("", ""))
    manifest = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["public_inputs"]["geography"] == [{"file": "geography.parquet", "sha256": digest}]
    (entered,) = read_ledger(ledger.path).charges
    assert (entered.out, entered.privacy_definition, manifest["accounted"]) == ("out", "zcdp", True)
    parameters = json.dumps(manifest["parameters"], sort_keys=True, separators=(",", ":"))
    assert entered.parameters_sha256 == hashlib.sha256(parameters.encode()).hexdigest()
    assert entered.manifest_sha256 == sha256_of(folder / "out" / "manifest.json")
    exact = Fraction(manifest["ledger"]["totals"]["us"]["exact"])
    assert (exact > 0, [*entered.parts], entered.parts["US"].of_person) == (True, ["US", "PR"], exact)


def test_a_killed_command_does_not_keep_its_folder_from_others(folder):
    """The lock went with its process; the file that was locked is left, and half of what it wrote."""
    (folder / ".out.lock").touch()
    (folder / ".out.partial-abcd1234").mkdir(mode=0o700)
    with claimed_name(folder / "out") as taken:
        assert (taken, names(folder)) == ([], [".out.lock"])
    assert names(folder) == []


def test_a_folder_has_one_name_however_it_is_reached(folder):
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")
    with claimed_name(folder / "real" / "out"):
        for same in ("link/out", "real/../link/out", "real/../real/out"):
            with claimed_name(Path(same)) as taken:
                assert [problem.what for problem in taken] == [TAKEN]
    assert names(folder / "real") == []


def made_by_another(out: Path) -> None:
    out.mkdir()
    (out / "manifest.json").write_text("the other's")


def test_a_folder_that_another_made_at_the_very_last_moment_is_not_replaced(folder, monkeypatch):
    """After the last look, before the rename."""
    rename = Path.rename

    def just_too_late(self: Path, target: Path) -> Path:
        made_by_another(target)
        return rename(self, target)

    with (  # noqa: PT012
        pytest.raises(InputError, match="exists already"),
        whole_folder(folder / "out", ["manifest.json"], overwrite=False) as mine,
    ):
        (mine / "manifest.json").write_text("mine")
        monkeypatch.setattr(Path, "rename", just_too_late)
    assert ((folder / "out" / "manifest.json").read_text(), names(folder)) == ("the other's", ["out"])


def test_a_folder_that_got_somebodys_notes_meanwhile_is_not_replaced(folder):
    made_by_another(folder / "out")
    with (  # noqa: PT012
        pytest.raises(InputError, match=r"holds notes\.txt"),
        whole_folder(folder / "out", ["manifest.json"], overwrite=True) as mine,
    ):
        (mine / "manifest.json").write_text("mine")
        (folder / "out" / "notes.txt").write_text("keep")
    assert (names(folder / "out"), names(folder)) == (["manifest.json", "notes.txt"], ["out"])


def test_a_release_that_was_removed_meanwhile_is_made_anew(folder):
    made_by_another(folder / "out")
    with whole_folder(folder / "out", ["manifest.json"], overwrite=True) as mine:
        (mine / "manifest.json").write_text("mine")
        shutil.rmtree(folder / "out")
    assert ((folder / "out" / "manifest.json").read_text(), names(folder)) == ("mine", ["out"])


PERSONS = "persons/persons.parquet"


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


def test_an_input_that_changes_or_is_spoilt_while_it_is_checked_is_said_to_have_changed(nation):
    progress = Progress(step=lambda *_: touched(nation / PERSONS))
    with pytest.raises(InputError, match="was changed while it was being read"):
        validate(paths(nation), resources=ONE_THREAD, progress=progress)
    progress = Progress(step=lambda *_: emptied(nation / PERSONS))
    with pytest.raises(InputError, match="was changed while it was being read"):
        validate(paths(nation), resources=ONE_THREAD, progress=progress)


CONTENTS = ("t1", "t2", "manifest.json")


@pytest.fixture
def elsewhere(folder: Path) -> Path:
    """A folder of somebody else, with something dear in it."""
    place = folder.parent / "elsewhere"
    place.mkdir()
    (place / "thesis.tex").write_text("years of work")
    return place


def overwritten(out: Path) -> None:
    with whole_folder(out, CONTENTS, overwrite=True) as new:
        (new / "manifest.json").write_text("new")


def test_a_link_in_a_release_is_removed_and_what_it_leads_to_stays(folder, elsewhere):
    (folder / "out").mkdir()
    (folder / "out" / "t1").symlink_to(elsewhere)
    (folder / "out" / "manifest.json").symlink_to(elsewhere / "thesis.tex")
    overwritten(folder / "out")
    assert (names(folder), names(folder / "out")) == (["out"], ["manifest.json"])
    assert (elsewhere / "thesis.tex").read_text() == "years of work"
    assert not (folder / "out" / "manifest.json").is_symlink()


def test_a_folder_below_a_link_is_made_where_the_link_leads(folder, elsewhere):
    """The user named that place; the link itself stays a link."""
    (folder / "link").symlink_to(elsewhere)
    overwritten(folder / "link" / "out")
    assert (names(elsewhere), (folder / "link").is_symlink()) == (["out", "thesis.tex"], True)


def test_a_link_that_looks_like_what_a_killed_process_left_is_not_followed(folder, elsewhere):
    elsewhere.chmod(0o700)
    (folder / ".out.partial-12345678").symlink_to(elsewhere)
    overwritten(folder / "out")
    assert (elsewhere / "thesis.tex").read_text() == "years of work"


def test_a_link_in_the_place_of_the_lock_is_not_followed(folder, elsewhere):
    (folder / ".out.lock").symlink_to(elsewhere / "lock")
    with claimed_name(folder / "out") as taken:
        assert "cannot be locked: Too many levels of symbolic links" in str(taken[0])
        assert names(elsewhere) == ["thesis.tex"]
    assert names(folder) == [".out.lock"]


def test_a_link_put_in_the_place_of_a_release_at_the_last_moment_is_not_replaced(folder, elsewhere):
    with (
        pytest.raises(InputError, match="exists and is not a folder"),
        whole_folder(folder / "out", CONTENTS, overwrite=True),
    ):
        (folder / "out").symlink_to(elsewhere)
    assert (names(elsewhere), (folder / "out").is_symlink()) == (["thesis.tex"], True)


def test_a_later_line_of_a_ledger_counts_whatever_time_it_names(tmp_path):
    entry = {"run": 32 * "a", "state": "reserved", "when": "2026-11-21T00:00:00Z", "out": "release"}
    entry |= {"parameters_sha256": 64 * "b", "privacy_definition": "zcdp", "record": "person"}
    entry |= {"parts": {"all": {"one_record": "1", "one_person": "1"}}}
    earlier = {**entry, "state": "released", "when": "1970-01-01T00:00:00Z"}
    (tmp_path / "ledger").write_bytes(ledger_with(entry, earlier))
    (entered,) = read_ledger(tmp_path / "ledger").charges
    assert (entered.state, entered.when) == ("released", "1970-01-01T00:00:00Z")


def test_a_progress_bar_outlives_a_clock_that_goes_back(monkeypatch, capsys):
    times = chain([2e9, 1e9, 0.0], repeat(-1.0))
    monkeypatch.setattr(tqdm.std, "time", lambda: next(times))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.reported_progress(is_quiet=False) as told:
        for name in ("persons", "several_tallies", "group_cells"):
            told.step(name, 1)
            told.stage(name)
    assert "| " in capsys.readouterr().err
