"""`report`: one file, whole or not at all."""

import base64
import json
import re
import shutil
import stat
import sys
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import call
from tests.report.conftest import HOSTILE, HOSTILE_CODE, rewrite
from tests.report.evaluations import write_evaluation


@pytest.fixture
def out(tmp_path):
    return tmp_path / "report.html"


@pytest.fixture(scope="module")
def alone(release, tmp_path_factory):
    """The report on a release and nothing else, and what the command said."""
    path = tmp_path_factory.mktemp("alone") / "report.html"
    return path, call("report", release, "--out", path, "--quiet")


@pytest.fixture(scope="module")
def exact(release, tmp_path_factory):
    """The report with an evaluation and a curve, in place of a file that stood there."""
    folder = tmp_path_factory.mktemp("exact")
    names = ("epsilon", "a1", "a1_lower", "a1_upper", "a2", "a2_lower", "a2_upper")
    row = {"margin": "cells", **dict.fromkeys(names, 0.5)}
    pq.write_table(pa.Table.from_pylist([row]), folder / "curve.parquet")
    (folder / "report.html").write_text("mine", encoding="utf-8")
    evaluation = write_evaluation(folder / "evaluation", release)
    options = ("--evaluation", evaluation, "--curve", folder, "--overwrite", "--quiet")
    return folder / "report.html", call("report", release, "--out", folder / "report.html", *options)


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_release_alone_is_enough(alone):
    path, done = alone
    assert (done.code, done.stdout, done.stderr) == (0, f"{path}\n", "")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_report_on_published_counts_alone_may_be_read_by_everybody(alone):
    assert mode(alone[0]) == 0o644
    assert "EXACT" not in alone[0].read_text(encoding="utf-8")


def test_without_code_lists_groups_have_the_names_in_the_release(alone):
    text = re.search(r'id="data-groups">"([^"]*)"<', alone[0].read_text(encoding="utf-8"))[1]
    groups = json.loads(zlib.decompress(base64.b64decode(text)))
    assert [HOSTILE_CODE, HOSTILE] in groups["iterations"]


def test_a_report_that_holds_exact_counts_says_so_and_is_for_its_owner_alone(exact):
    path, done = exact
    assert done.code == 0, done.stderr
    assert mode(path) == 0o600
    assert "EXACT counts" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("section", ["errors", "coverage", "empirical-privacy-loss", "bottom-up-curve"])
def test_an_evaluation_and_a_curve_of_bottom_up_have_sections(exact, section):
    assert f'<section id="{section}"' in exact[0].read_text(encoding="utf-8")


def test_a_file_that_stands_is_replaced_where_that_is_asked_for(exact):
    assert exact[0].read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_file_that_stands_is_kept(release, out):
    out.write_text("mine", encoding="utf-8")
    done = call("report", release, "--out", out, "--quiet")
    assert (done.code, out.read_text(encoding="utf-8")) == (2, "mine")
    assert "--overwrite" in done.stderr


def test_code_lists_of_another_release_are_refused_and_named_beside_what_the_release_was_made_with(
    nation, release, out, tmp_path
):
    lists = shutil.copytree(nation / "code-lists", tmp_path / "lists")
    stem = "ethnicity-characteristic-iterations.txt"
    text = (lists / stem).read_text(encoding="utf-8")
    (lists / stem).write_text(text.replace("Hispanic", "Martian"), encoding="utf-8")
    done = call("report", release, "--out", out, "--code-lists", lists, "--quiet")
    assert (done.code, out.exists()) == (2, False)
    assert str(lists / stem) in done.stderr
    assert str(release / "manifest.json") in done.stderr
    assert done.stderr.count("its digest differs") == 1


def test_an_evaluation_of_another_release_is_refused(release, out, tmp_path):
    other = shutil.copytree(release, tmp_path / "other")
    rewrite(other, lambda manifest: manifest["software"].update(python="3.0"))
    evaluation = write_evaluation(tmp_path / "evaluation", other)
    done = call("report", release, "--out", out, "--evaluation", evaluation, "--quiet")
    assert (done.code, out.exists()) == (2, False)
    assert f"{evaluation}: measured other releases than {release}" in done.stderr


def test_a_ground_truth_without_code_lists_is_refused(release, out, tmp_path):
    done = call("report", release, "--out", out, "--ground-truth", tmp_path, "--quiet")
    assert (done.code, out.exists()) == (2, False)
    assert "--code-lists: not given" in done.stderr


@pytest.mark.parametrize(
    ("option", "said"), [("--evaluation", "evaluate"), ("--curve", "curve.parquet"), ("--code-lists", "codes")]
)
def test_a_folder_that_is_not_what_it_should_be_is_refused_and_nothing_written(release, out, tmp_path, option, said):
    done = call("report", release, "--out", out, option, tmp_path / "absent", "--quiet")
    assert (done.code, out.exists()) == (2, False)
    assert said in done.stderr


def test_without_the_package_that_draws_the_report_says_how_to_get_it(release, out, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = call("report", release, "--out", out, "--quiet")
    assert (done.code, out.exists()) == (2, False)
    assert "pip install 'safetab-sql[report]'" in done.stderr
