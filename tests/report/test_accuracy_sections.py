"""The sections on errors, coverage and empirical privacy loss say what the tables of `evaluate` say, made by hand."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.evaluate import TABLES as WRITTEN
from safetab_sql.release.folder import manifest_digest
from safetab_sql.report.accuracy_sections import accuracy_sections, evaluation_problems

LEVEL = {"population_group_level": "USA-2"}
COVERED = dict(counts=1000, coverage=0.961, expected_coverage=0.96, coverage_lower=0.94, coverage_upper=0.98)
NOT_COVERED = {name: 0 if name == "counts" else None for name in COVERED}
NOISES = ("total only", "stage 2 (totals and cells)")
TABLES = {
    "by_level": [
        {"population_group_level": level, "runs": 3, "population_groups": groups, "share_suppressed": share, **covered}
        for level, groups, share, covered in (("USA-2", 10, 0.0, COVERED), ("TRACT-2", 90, 0.7, NOT_COVERED))
    ],
    "by_size": [
        {**LEVEL, "size_bucket": bucket, "size_start": start, "median_relative_error": error}
        for bucket, start, error in (("0", 0, None), ("10-99", 10, 0.25), ("1-9", 1, 1.5))
    ],
    "by_statistic": [{**LEVEL, "statistic": "age4", "stated_moe95": 11.0, "observed_moe95": 10, "counts": 1000}],
    "epl": [
        {
            **{**LEVEL, "noise": noise, "residuals": residuals, "epl": 0.4, "epl_lower": 0.3, "epl_upper": 0.6},
            **{"stated_loss": stated, "passes": stated > 0.2},
        }
        for noise, residuals, stated in zip(NOISES, (500, 900), (0.1, 0.3), strict=True)
    ],
    "epl_curve": [
        {
            **{**LEVEL, "noise": noise, "x": x, "epl_of_x": 0.1 * x},
            **{"stated_loss": 0.3, "honest_lower": 0.2, "honest_upper": 0.4},
        }
        for noise in NOISES
        for x in range(-2, 3)
    ],
}


def write_evaluation(folder: Path, release: Path | None = None) -> Path:
    """The folder, with its tables, and with a manifest that says that it measured this release, or no release."""
    folder.mkdir()
    digests = [] if release is None else [manifest_digest(release)]
    (folder / "manifest.json").write_text(json.dumps({"release_manifests": digests}), encoding="utf-8")
    for name, rows in TABLES.items():
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder


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
