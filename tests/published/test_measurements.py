"""`publish_stage_1`: the release has the stage-1 totals of its groups, and nothing else changes."""

import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.run import open_release, run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from tests.golden.test_ladders import made
from tests.golden.test_other_shapes import EXAMPLES
from tests.nations import write_nation
from tests.published.conftest import cells_of_groups, group, manifest, rows
from tests.statistics import recorded_bits

KEYS = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
TOTAL_ONLY = ("2130", "2230")
CELLS = {8: 1, 18: 2, 46: 3}


@pytest.fixture(scope="module")
def measured(release):
    return release(publish_stage_1=True)


def test_every_published_group_with_a_stage_1_has_its_total(measured):
    named = [group(row) for row in rows(measured, "measurements")]
    assert named == [group(row) for row in rows(measured, "t1") if row["ITERATION_CODE"] not in TOTAL_ONLY]
    assert named


def test_the_estimates_of_an_opened_release_are_those_of_both_stages(measured):
    columns = ("ITERATION_CODE", "ESTIMATE", "LOW95", "HIGH95")
    estimates = open_release(measured).estimates.to_arrow_table().to_pylist()
    assert [[row[name] for name in columns] for row in estimates] == [
        [row[name] for name in columns] for row in rows(measured, "measurements")
    ]


def test_each_table_is_the_one_that_its_stage_1_total_picks(measured):
    thresholds = {level["level"]: level["thresholds"] for level in manifest(measured)["ledger"]["levels"]}
    levels = {name.rpartition("-")[0] for name in thresholds}
    cells = cells_of_groups(measured)
    for row in rows(measured, "measurements"):
        picked = CELLS.get(len(cells.get(group(row), ())), 0)
        possible = {
            sum(limit <= row["STAGE_1"] for limit in thresholds[name])
            for name in thresholds
            if name.rpartition("-")[0] == row["REGION_TYPE"]
        }
        assert picked in possible
    assert {row["REGION_TYPE"] for row in rows(measured, "measurements")} <= levels


def test_estimates_lie_in_their_intervals(measured):
    assert all(row["LOW95"] - 1 <= row["ESTIMATE"] <= row["HIGH95"] + 1 for row in rows(measured, "measurements"))


@pytest.mark.slow
def test_the_ledger_is_the_same_but_for_saying_so(measured, release):
    ledger = manifest(measured)["ledger"]
    assert [level.pop("publishes_stage_1") for level in ledger["levels"]] == [True] * len(ledger["levels"])
    assert ledger == manifest(release())["ledger"]


def test_without_the_parameter_no_stage_1_total_is_published(release):
    assert not (release() / "measurements").exists()
    assert "publish_stage_1" not in manifest(release())["parameters"]


def test_the_census_format_has_no_place_for_it(nation, tmp_path):
    inputs = write_nation(nation.with_parameters(publish_stage_1=True), tmp_path / "nation")
    with pytest.raises(InputError, match="the census format has no place for stage-1 totals"):
        run(inputs, tmp_path / "out", format="census")


def test_counts_that_were_set_to_0_cannot_be_combined(nation, tmp_path):
    settings = {"publish_stage_1": True, "allow_negative_counts": False}
    inputs = write_nation(nation.with_parameters(**settings), tmp_path / "nation")
    with pytest.raises(InputError, match="publish_stage_1 is true, and allow_negative_counts is false"):
        run(inputs, tmp_path / "out")


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")
@pytest.mark.slow
def test_every_ladder_with_a_stage_1_has_its_measurements(tmp_path):
    """Of the two ladders of the hospitals, one is not adaptive: it has no stage 1."""
    inputs = made("hospitals", tmp_path)
    text = inputs.parameters.read_text()
    inputs.parameters.write_text(f"publish_stage_1 = true\n{text}")
    run(inputs, tmp_path / "out", bits=recorded_bits("ladders"), resources=Resources(threads=1))
    sizes = {file.stem: pq.read_table(file).num_rows for file in (tmp_path / "out" / "measurements").iterdir()}
    groups = {
        tuple(row.values()) for row in pq.read_table(tmp_path / "out" / "outcomes", columns=list(KEYS)).to_pylist()
    }
    assert sizes == {"outcomes": len(groups), "sex": 0}
