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
from tests.report.test_accuracy_sections import write_evaluation


@pytest.fixture
def out(tmp_path):
    return tmp_path / "report.html"


def test_a_report_that_holds_exact_counts_says_so_and_is_for_its_owner_alone(release, out, tmp_path):
    """With an evaluation and a curve, in place of a file that stood there."""
    names = ("epsilon", "a1", "a1_lower", "a1_upper", "a2", "a2_lower", "a2_upper")
    row = {"margin": "cells", **dict.fromkeys(names, 0.5)}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "curve.parquet")
    out.write_text("mine", encoding="utf-8")
    evaluation = write_evaluation(tmp_path / "evaluation", release)
    options = ("--evaluation", evaluation, "--curve", tmp_path, "--overwrite", "--quiet")
    done = call("report", release, "--out", out, *options)
    assert (done.code, stat.S_IMODE(out.stat().st_mode)) == (0, 0o600), done.stderr
    page = out.read_text(encoding="utf-8")
    sections = ("errors", "coverage", "empirical-privacy-loss", "bottom-up-curve")
    assert [name for name in sections if f'<section id="{name}"' not in page] == []
    assert (page.startswith("<!doctype html>"), "EXACT counts" in page) == (True, True)


def test_a_release_alone_is_enough_and_its_report_may_be_read_by_everybody(release, out):
    done = call("report", release, "--out", out, "--quiet")
    page = out.read_text(encoding="utf-8")
    assert (done.code, done.stdout, done.stderr) == (0, f"{out}\n", "")
    assert (page.startswith("<!doctype html>"), "EXACT" in page) == (True, False)
    assert stat.S_IMODE(out.stat().st_mode) == 0o644
    text = re.search(r'id="data-counts">"([^"]*)"<', page)[1]
    index = json.loads(zlib.decompress(base64.b64decode(text)))
    assert [HOSTILE_CODE, HOSTILE, "2", "combination"] in index["iterations"]


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


GIVEN = {"--evaluation": "evaluate", "--curve": "curve.parquet", "--code-lists": "codes"}


@pytest.mark.parametrize(("option", "said"), [*GIVEN.items(), ("--ground-truth", "--code-lists: not given")])
def test_a_folder_that_is_not_what_it_should_be_is_refused_and_nothing_written(release, out, tmp_path, option, said):
    done = call("report", release, "--out", out, option, tmp_path / "absent", "--quiet")
    assert (done.code, out.exists()) == (2, False)
    assert said in done.stderr


def test_without_the_package_that_draws_the_report_says_how_to_get_it(release, out, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = call("report", release, "--out", out, "--quiet")
    assert (done.code, out.exists()) == (2, False)
    assert "pip install 'safetab-sql[report]'" in done.stderr
