"""A release as one object: lazy, locked, and with the answers of the jobs."""

import html
import shutil
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.release import Release, open_release
from safetab_sql.jobs.statistics import sum_of_release
from safetab_sql.kit.errors import InputError
from tests.published.conftest import cells_of_groups, manifest, rows

NATION = "REGION_TYPE = 'USA'"


@pytest.fixture(scope="module")
def opened(release: Callable[..., Path]) -> Release:
    return open_release(release())


@pytest.fixture(scope="module")
def a_group(release: Callable[..., Path]) -> str:
    """Matches the rows of one group of the nation that has a table."""
    name = next(found for found, cells in sorted(cells_of_groups(release()).items()) if found[0] == "USA")
    return f"{NATION} and ITERATION_CODE = '{name[2]}'"


@pytest.fixture
def unread(release: Callable[..., Path], tmp_path: Path) -> Path:
    """A folder with the manifest of a release, whose tables are no Parquet."""
    shutil.copy(release() / "manifest.json", tmp_path)
    for name in ("t1", "t2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.parquet").write_text("no table")
    return tmp_path


def test_nothing_but_the_manifest_is_read_before_it_is_asked_for(unread):
    found = open_release(str(unread))
    assert (found.tables, found.manifest) == (("t1", "t2"), manifest(unread))
    assert found.ledger["totals"] == found.manifest["ledger"]["totals"]
    assert "One person loses at most rho " in repr(found)
    with pytest.raises(InputError, match="cannot be read"):
        _ = found.t1


def test_tables_are_relations_that_can_be_joined_and_have_names_of_groups_beside_codes(opened):
    assert opened.t1.to_arrow_table().to_pylist() == rows(opened.out, "t1")
    both = opened.t1.project("REGION_ID, REGION_TYPE, ITERATION_CODE").join(
        opened.t2, "REGION_ID, REGION_TYPE, ITERATION_CODE"
    )
    assert both.shape[0] == len(rows(opened.out, "t2"))
    assert opened.table("suppressed").columns[-1] == "HIGH95"
    index = {
        (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]): (row["REGION_NAME"], row["ITERATION_NAME"])
        for row in opened.table("group_index").to_arrow_table().to_pylist()
    }
    named = opened.named("t2").to_arrow_table()
    assert named.num_rows == len(rows(opened.out, "t2"))
    assert all(
        index[row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]]
        == (row["REGION_NAME"], row["ITERATION_NAME"])
        for row in named.to_pylist()
    )


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
