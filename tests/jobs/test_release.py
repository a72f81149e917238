"""A release as one object: lazy, locked, and with the answers of the jobs; and `describe`, which compares its files."""

import html
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.accounting.ledger_file import LedgerFile, mark_released
from safetab_sql.cli import main
from safetab_sql.jobs.export import export
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.release import Release, describe, description_text, open_release
from safetab_sql.jobs.statistics import sum_of_release
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.release.folder import open_folder
from safetab_sql.report.release import read_release
from safetab_sql.statistics.wanted_statistics import statistics_of
from tests.accounting.settings import reserve
from tests.cli.test_ledger_options import EARLIER
from tests.published.conftest import cells_of_groups, group, manifest, rows

NATION = "REGION_TYPE = 'USA'"


@pytest.fixture(scope="module")
def opened(release: Callable[..., Path]) -> Release:
    return open_release(release())


@pytest.fixture(scope="module")
def a_group(release: Callable[..., Path]) -> str:
    """Matches the rows of one group of the nation that has a table."""
    name = next(found for found, cells in sorted(cells_of_groups(release()).items()) if found[0] == "USA")
    return f"{NATION} and ITERATION_CODE = '{name[2]}'"


def test_what_is_said_of_a_release_needs_its_manifest_alone(opened):
    found = Release(Path("nowhere"), opened.manifest)
    assert found.ledger["totals"] == found.manifest["ledger"]["totals"]
    assert "One person loses at most rho " in repr(found)


def test_columns_that_a_file_lacks_or_has_in_another_type_are_named_by_every_command_that_reads_it(release, tmp_path):
    out = Path(shutil.copytree(release(), tmp_path / "out"))
    files = {file: pq.read_schema(file).names for file in out.rglob("*.parquet")}
    for file, names in files.items():
        pq.write_table(pa.table({name: pa.nulls(1, pa.binary()) for name in names}), file)
    problems = [(each.where, each.what.split(", not ")[0]) for each in open_folder(out).problems]
    wanted = [(str(file), f"column {name} is binary") for file, names in files.items() for name in names]
    assert sorted(problems) == sorted(wanted)
    (out / "t1" / "t1.parquet").write_text("no table")
    assert "cannot be read" in open_folder(out).problems[0].what
    for file in files:
        pq.write_table(pa.table({"COUNTED": [1]}), file)
    for command in (
        *(partial(reconcile, out, tmp_path / "made"), partial(export, out, tmp_path / "made", format="csv")),
        *(partial(sum_of_release, out, plus=NATION), partial(statistics_of, out, "none"), partial(read_release, out)),
    ):
        with pytest.raises(InputError, match="read it with that version") as refused:
            command()
        for file, names in files.items():
            assert f"{file}: missing columns {', '.join(names)}" in str(refused.value)


def test_tables_are_relations_that_can_be_joined_and_have_names_of_groups_beside_codes(opened):
    assert opened.t1.to_arrow_table().to_pylist() == rows(opened.out, "t1")
    both = opened.t1.project("REGION_ID, REGION_TYPE, ITERATION_CODE").join(
        opened.t2, "REGION_ID, REGION_TYPE, ITERATION_CODE"
    )
    assert both.shape[0] == len(rows(opened.out, "t2"))
    assert opened.table("suppressed").columns[-1] == "HIGH95"
    listed = opened.table("group_index").to_arrow_table().to_pylist()
    index = {group(row): (row["REGION_NAME"], row["ITERATION_NAME"]) for row in listed}
    named = opened.named("t2").to_arrow_table()
    assert named.num_rows == len(rows(opened.out, "t2"))
    names = [(row["REGION_NAME"], row["ITERATION_NAME"]) for row in named.to_pylist()]
    assert names == [index[group(row)] for row in named.to_pylist()]


def test_without_stage_1_there_are_no_estimates_and_relations_see_no_other_file(opened):
    with pytest.raises(InputError, match="measurements"):
        _ = opened.estimates
    with pytest.raises(duckdb.PermissionException):
        opened.t1.query("t1", "from read_text('/etc/hostname')")


def test_a_ratio_is_that_of_the_command(opened, a_group):
    women, total = f"TABLE = 'T2' and {a_group} and AGESTART = '*' and SEX = '2'", f"TABLE = 'T1' and {a_group}"
    share = opened.ratio(women, total, level=0.9)
    assert share == sum_of_release(opened.out, plus=women, of=total, level=Fraction(9, 10))
    assert "percentage" in str(share)


def test_a_release_opened_by_a_relative_path_stays_itself_in_another_folder(release, tmp_path, monkeypatch):
    monkeypatch.chdir(release().parent)
    found = open_release(release().name)
    monkeypatch.chdir(tmp_path)
    assert found.out == release()
    assert found.t1.shape[0] == len(rows(release(), "t1"))
    assert found.difference(*[f"{NATION} and TABLE = 'T1'"] * 2).estimate == 0


def test_a_notebook_shows_how_many_groups_were_published(opened, monkeypatch):
    """Without the package that draws, and so without a pyramid."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    shown = opened._repr_html_()
    totals = sum(row["REGION_TYPE"] == "USA" for row in rows(opened.out, "t1"))
    assert f"<td>USA</td><td>{totals}</td>" in shown
    assert html.escape(repr(opened)).replace("&#x27;", "&#39;") in shown
    assert "<svg" not in shown


def test_a_notebook_shows_a_title_as_text_and_the_problems_of_an_input_without_a_program(release):
    made = Release(release(), {**manifest(release()), "about": {"title": "<b>"}})
    assert "<p>&lt;b&gt; of " in made._repr_html_()
    with pytest.raises(InputError) as refused:
        open_release("nowhere")
    head, *lines = refused.value._render_traceback_()
    assert (head, "\n".join(lines)) == ("InputError", str(refused.value))


@pytest.mark.slow
def test_a_reconciled_release_is_opened_too(opened, a_group, tmp_path):
    made = reconcile(opened.out, tmp_path / "reconciled")
    found = open_release(made.out)
    assert found.tables == ("t1", "t2", "group_index")
    assert "were reconciled" in repr(found)
    assert found.ledger == opened.ledger
    assert found.estimates.shape[0] == found.t1.shape[0]
    assert "<svg" in found._repr_html_()


# --- describe ---


@pytest.fixture
def copy(release: Callable[..., Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(release(), tmp_path / "copy"))


def problems(folder: Path) -> list[str]:
    with pytest.raises(InputError) as refused:
        describe(folder)
    return [f"{Path(each.where).relative_to(folder)} {each.what.partition(' (')[0]}" for each in refused.value.problems]


def test_every_file_of_a_release_is_as_the_manifest_says_and_levels_have_their_labels(release):
    found = describe(release())
    assert found.facts.day == manifest(release())["date"]
    assert found.files == {file["file"]: file["sha256"] for file in manifest(release())["files"]}
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
