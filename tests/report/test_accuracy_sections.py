"""The sections on errors, coverage and empirical privacy loss say what the tables of `evaluate` say."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.evaluate import TABLES as WRITTEN
from safetab_sql.report.accuracy_sections import accuracy_sections, evaluation_problems
from tests.report.evaluations import TABLES, write_evaluation


@pytest.fixture
def folder(tmp_path):
    return write_evaluation(tmp_path / "evaluation")


@pytest.fixture
def sections(folder):
    return {section.id: section for section in accuracy_sections(folder)}


def rows_of(sections, name):
    charts = {chart.name: chart for section in sections.values() for chart in section.figures}
    return charts[name].table.rows


SHOWN = {
    "error-by-size": (("USA-2", "1-9", "150 %"), ("USA-2", "10-99", "25 %")),
    "left-out-by-level": (("TRACT-2", "70 %", 90),),
    "coverage-by-level": (("USA-2", 1000, "96.1 %", "96 %", "94 %", "98 %"),),
    "moe-promised-observed": (("USA-2", "age4", 11.0, 10, 1000),),
}


@pytest.mark.parametrize(("name", "rows"), SHOWN.items(), ids=SHOWN)
def test_what_there_is_to_judge_by_is_shown_in_order(sections, name, rows):
    assert list(sections) == ["errors", "coverage", "empirical-privacy-loss"]
    assert rows_of(sections, name) == rows


def test_a_loss_beyond_the_stated_one_is_named_in_words(sections):
    (paragraph,) = sections["empirical-privacy-loss"].paragraphs
    assert "1 of 2 show MORE loss than was stated, beyond chance: USA-2 (total only)" in paragraph


def test_the_curve_of_the_loss_is_that_of_the_noise_with_the_most_errors(sections):
    curve = sections["empirical-privacy-loss"].figures[1]
    assert curve.figure["title"].endswith("stage 2 (totals and cells)")
    assert len(curve.table.rows) == 5


def test_without_estimates_of_the_loss_there_is_no_section_on_it(folder):
    empty = pa.Table.from_pylist(TABLES["epl"]).slice(0, 0)
    pq.write_table(empty, folder / "epl.parquet")
    assert [section.id for section in accuracy_sections(folder)] == ["errors", "coverage"]


# --- which release an evaluation is about ---

RELEASED = {"parameters": {"gamma": {"exact": "1/10"}, "levels": []}, "public_inputs": {"geography": ["digest"]}}


def about(tmp_path, measured: dict, released: dict = RELEASED) -> str:
    """What is wrong with an evaluation beside a release."""
    for name, manifest in (("evaluated", measured), ("released", released)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return "".join(problem.what for problem in evaluation_problems(tmp_path / "evaluated", tmp_path / "released"))


def test_runs_made_to_be_measured_are_about_a_release_with_their_parameters_and_public_files(tmp_path):
    said = {"confidential": True, "release_manifests": [], "releases": ["run-1"]}
    assert about(tmp_path, {**RELEASED, **said}) == ""


@pytest.mark.parametrize(
    "change", [{"parameters": {"gamma": {"exact": "1/5"}, "levels": []}}, {"public_inputs": {"geography": ["other"]}}]
)
def test_runs_with_other_parameters_or_public_files_are_not_about_a_release(tmp_path, change):
    assert "other parameters or public files" in about(tmp_path, {**RELEASED, **change})


@pytest.mark.parametrize("name", TABLES)
def test_every_table_that_is_read_is_one_that_evaluate_writes(name):
    assert name in WRITTEN
