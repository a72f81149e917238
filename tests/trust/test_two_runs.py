"""Two commands that make one folder at once: one of them does, whole; the other says why it did not."""

import shutil
from pathlib import Path

import pytest

from safetab_sql import InputError, Resources, run
from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.kit.progress import Progress
from safetab_sql.kit.whole_folders import claimed_name, whole_folder
from tests.cli.nations import paths
from tests.trust.processes import names, state_of_out, states_of_ledger

TAKEN = "another command is making this folder"
ONE_THREAD = Resources(threads=1)


def test_of_two_runs_into_one_folder_the_later_is_refused_before_it_counts_anybody(tiny_nation, folder):
    """It is not entered in the ledger either: its noise would have been in vain."""
    refused = []

    def second(stage: str) -> None:
        if stage == "counting population groups" and not refused:
            with pytest.raises(InputError, match=TAKEN) as error:
                run(paths(tiny_nation), folder / "out", overwrite=True, ledger_file=LedgerFile(folder / "ledger.jsonl"))
            refused.append(error.value)

    ledger = LedgerFile(folder / "ledger.jsonl")
    run(paths(tiny_nation), folder / "out", ledger_file=ledger, resources=ONE_THREAD, progress=Progress(stage=second))
    assert [str(problem) for problem in refused[0].problems] == [
        f"{folder / 'out'}: {TAKEN}\n    wait until it ends, or name another folder"
    ]
    assert (state_of_out(folder / "out"), states_of_ledger(ledger.path)) == ("whole", ["released"])


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
