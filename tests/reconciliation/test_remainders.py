"""Families whose members without a table are known as a sum bind with it, and a release has the sums that it says."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.reconciliation.forest import Rests, forest
from safetab_sql.reconciliation.least_squares import reconciled_rows, solution, uniforms
from tests.nations import sample_nation, write_nation
from tests.published.conftest import group
from tests.reconciliation.forests import small_statistics
from tests.reconciliation.test_least_squares import state_and_counties
from tests.statistics import recorded_bits

KNOWN = small_statistics()


def rest(groups: int, count: float, variance: float) -> Rests:
    """Of the counties (region type 0) of the state (region 0), in iteration 0."""
    zero = np.zeros(1, dtype=np.int64)
    return Rests(zero, zero, zero, np.array([groups]), np.array([count]), np.array([variance]))


def totals(drawn, rests: Rests, draw=None) -> dict[int, tuple[float, float]]:
    """The estimate and the variance of the total of each region that was made better."""
    trees = forest(drawn.groups, drawn.tree, rests=rests)
    found = {}
    for part in reconciled_rows(drawn.groups, trees, solution(drawn.groups, trees, KNOWN), KNOWN, draw):
        regions = drawn.groups.regions[part.groups].tolist()
        found |= dict(zip(regions, zip(part.estimates.tolist(), part.variances.tolist(), strict=True), strict=True))
    return found


def test_a_county_and_the_sum_of_the_others_are_the_state():
    """The county is 30 by itself, and 100 - 72 with variance 1 + 2; the state is 100, and 30 + 72 with 1 + 2."""
    found = totals(state_and_counties({0: 100.0, 1: 30.0}), rest(2, 72.0, 2.0))
    assert found == {0: pytest.approx((100.5, 0.75)), 1: pytest.approx((29.5, 0.75))}


@pytest.mark.parametrize("groups", [1, 3])
def test_a_sum_of_other_counties_than_those_without_a_table_binds_nothing(groups):
    assert totals(state_and_counties({0: 100.0, 1: 30.0}), rest(groups, 72.0, 2.0)) == {}


def test_a_total_that_was_published_for_its_size_is_in_the_sum_and_no_part_by_itself():
    drawn = state_and_counties({0: 100.0, 1: 30.0, 2: 40.0}, survived=(2,))
    found = totals(drawn, rest(2, 72.0, 2.0))
    assert found == {0: pytest.approx((100.5, 0.75)), 1: pytest.approx((29.5, 0.75))}


def test_where_every_part_is_known_the_sum_is_not_needed():
    drawn = state_and_counties({0: 100.0, 1: 30.0, 2: 30.0, 3: 36.0})
    assert totals(drawn, rest(2, 72.0, 2.0)) == totals(drawn, replace(rest(2, 0.0, 2.0), groups=np.array([9])))


def test_whole_numbers_of_such_families_are_rounded_by_themselves():
    found = totals(state_and_counties({0: 100.0, 1: 30.0}), rest(2, 72.0, 2.0), uniforms("a", "b"))
    assert {
        region: abs(estimate - middle) <= 1
        for (region, (estimate, _)), middle in zip(sorted(found.items()), (100.5, 29.5), strict=True)
    } == {0: True, 1: True}


def table(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder).to_pylist()


def without(release: Path, out: Path) -> Path:
    """The same release as if the sums had not been published."""
    shutil.copytree(release, out)
    shutil.rmtree(out / "remainders")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    del manifest["parameters"]["publish_remainders"]
    manifest["files"] = [each for each in manifest["files"] if (out / each["file"]).is_file()]
    (out / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return out


@pytest.mark.slow
def test_a_release_has_the_sum_of_all_groups_without_a_table_and_reconciling_gains_from_it(tmp_path):
    """Each sum is within 6 standard deviations of the people in its groups: false alarm 1e-6 with fresh bits."""
    nation = sample_nation(617).with_parameters(publish_remainders=True, zero_suppression_chance=0.9)
    inputs = write_nation(nation, tmp_path / "nation")
    run(inputs, tmp_path / "out", bits=recorded_bits("remainders"), resources=Resources(threads=1))
    ground_truth(inputs, tmp_path / "truth", resources=Resources(threads=1))
    exact = {group(row): row["COUNT"] for row in table(tmp_path / "truth" / "t1.parquet")}
    tables = {group(row) for row in table(tmp_path / "out" / "t2")}
    left = table(tmp_path / "out" / "remainders")
    assert left
    for row in left:
        inside = "" if row["PARENT_TYPE"] == "USA" else row["PARENT_ID"]
        kind, iteration = row["REGION_TYPE"], row["ITERATION_CODE"]
        others = [
            count
            for key, count in exact.items()
            if (key[0], key[2]) == (kind, iteration) and key[1].startswith(inside) and key not in tables
        ]
        assert abs(row["COUNT"] - sum(others)) <= 6 * row["VARIANCE"] ** 0.5
    given = {"with": tmp_path / "out", "without": without(tmp_path / "out", tmp_path / "unpublished")}
    variances = {}
    for name, release in given.items():
        reconcile(release, tmp_path / name, geography=inputs.geography, resources=Resources(threads=1))
        variances[name] = [row["VARIANCE"] for row in table(tmp_path / name / "t1")]
    assert sum(variances["with"]) < sum(variances["without"])
    assert all(one <= other * (1 + 1e-9) for one, other in zip(*variances.values(), strict=True))
