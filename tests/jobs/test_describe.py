"""`describe`: a release in a few lines, and its files against the manifest."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from safetab_sql.accounting.ledger_file import LedgerFile, mark_released
from safetab_sql.cli import main
from safetab_sql.jobs.export import export
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.release import describe, description_text
from safetab_sql.jobs.statistics import sum_of_release
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.whole_folders import sha256_of
from tests.accounting.settings import reserve
from tests.cli.test_ledger_options import EARLIER
from tests.published.conftest import Release, manifest


@pytest.fixture
def copy(release: Release, tmp_path: Path) -> Path:
    return Path(shutil.copytree(release(), tmp_path / "copy"))


def problems(folder: Path) -> list[str]:
    with pytest.raises(InputError) as refused:
        describe(folder)
    return [f"{Path(each.where).relative_to(folder)} {each.what.partition(' (')[0]}" for each in refused.value.problems]


def test_every_file_of_a_release_is_as_the_manifest_says_and_levels_have_their_labels(release):
    found = describe(release())
    assert found.facts.day == manifest(release())["date"]
    assert found.files == {file["file"]: file["sha256"] for file in manifest(release())["files"]}
    found = describe(release())
    labelled = replace(found.facts.parameters, labels={"REGION_TYPE": {"COUNTY": "Parish"}})
    said = description_text(replace(found, facts=replace(found.facts, parameters=labelled)))
    assert re.search(r"^levels +USA-1, .*, COUNTY-2 \(Parish\), TRACT-1,", said, re.MULTILINE)


def test_a_changed_a_missing_and_an_additional_file_are_all_named(copy):
    (copy / "codes" / "SEX.csv").write_text("CODE,MEANING\n")
    (copy / "t1" / "t1.parquet").rename(copy / "t1" / "more.parquet")
    assert problems(copy) == [
        *("codes/SEX.csv has another SHA-256", "t1/more.parquet is not named in the manifest"),
        "t1/t1.parquet is missing; the manifest names it",
    ]


def test_what_file_managers_leave_is_passed_over(copy):
    left = (".DS_Store", "t1/._t1.parquet", "codes/Thumbs.db", ".git/HEAD", "__MACOSX/._a", "Icon\r")
    for name in left:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(b"Mac OS X")
    assert describe(copy).files.keys().isdisjoint(left)
    assert sum_of_release(copy, plus="TABLE = 'T1' and REGION_TYPE = 'STATE'").estimate
    assert "codes/SEX.csv" in export(copy, copy.parent / "csv", format="csv").files
    reconcile(copy, copy.parent / "reconciled")
    assert describe(copy.parent / "reconciled").files.keys() == {
        file.relative_to(copy.parent / "reconciled").as_posix()
        for file in (copy.parent / "reconciled").rglob("*")
        if file.is_file() and file.name != "manifest.json"
    }


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r", b"\r\r\n"])
def test_line_ends_that_were_changed_are_called_so_and_a_word_is_not(copy, ends):
    text = (copy / "codes" / "SEX.csv").read_bytes()
    changed = text.replace(b"\r\n", ends)
    (copy / "codes" / "SEX.csv").write_bytes(changed)
    if changed == text:
        describe(copy)
    else:
        assert ["has other line ends" in each for each in problems(copy)] == [True]
    (copy / "codes" / "SEX.csv").write_bytes(changed.replace(b"MEANING", b"meaning"))
    assert problems(copy) == ["codes/SEX.csv has another SHA-256"]


def test_the_command_says_what_was_lost_and_that_the_files_are_right(release, capsys):
    assert main(["describe", str(release())]) == 0
    said = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    loss = manifest(release())["ledger"]["totals"]["one_person"]["decimal"]
    assert said["loss of a record"].strip().startswith(f"rho {loss}: inputs that differ by one person")
    assert said["files"].strip().endswith("all as the manifest says")


def test_a_word_that_was_changed_in_a_manifest_shows_beside_the_ledger(release, tmp_path, capsys):
    """No digest in the release covers its manifest."""
    out, kept = shutil.copytree(release(), tmp_path / "out"), LedgerFile(tmp_path / "ledger")
    reserve(kept, EARLIER)
    mark_released(kept, EARLIER, sha256_of(out / "manifest.json"))
    options = ["describe", str(out), "--ledger", str(kept.path)]
    assert main(options) == 0
    assert f"yes, as run {EARLIER.run}" in capsys.readouterr().out
    text = (out / "manifest.json").read_text(encoding="utf-8")
    (out / "manifest.json").write_text(text.replace('"accounted": false', '"accounted": true'), encoding="utf-8")
    assert (main(options[:2]), main(options)) == (0, 2)
    assert "is the manifest of no run that" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["describe"], ["moe", "--sum", "true"]])
def test_a_manifest_that_calls_releasable_what_its_files_call_the_reverse_is_refused(
    release, tmp_path, capsys, command
):
    out = shutil.copytree(release(), tmp_path / "out")
    text = (out / "manifest.json").read_text(encoding="utf-8")
    (out / "manifest.json").write_text(text.replace('"releasable": false', '"releasable": true'), encoding="utf-8")
    assert main([command[0], str(out), *command[1:]]) == 2
    assert "t1.parquet: says that it is of no release to be published" in capsys.readouterr().err


def test_a_release_in_no_ledger_says_so(release, capsys):
    assert main(["describe", str(release())]) == 0
    assert "accounted     no: in no ledger" in re.sub(" {2,}", "     ", capsys.readouterr().out)
