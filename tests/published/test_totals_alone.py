"""A release with a level of totals alone, and another of which some iterations get no table."""

from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.jobs.targets import settings_of, targets, targets_toml
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import DiscreteGaussian, quantile, variance
from safetab_sql.settings.parameters import load_parameters
from tests.nations import published
from tests.published.conftest import cells_of_groups, manifest, rows

LEVELS = {
    "COUNTY-2": {"budget": 1, "total_only": True},
    "STATE-2": {"budget": 1, "thresholds": [20, 60, 150], "total_only": ["2110", "2210"]},
    "TRACT-2": {"budget": 1, "thresholds": [20, 60, 150], "total_only": ["2110"]},
    "USA-2": {"budget": 1, "thresholds": [20, 60, 150]},
}


@pytest.fixture(scope="module")
def out(release) -> Path:
    return release(levels=LEVELS, run_pr=False)


def tabled(out: Path, region_type: str) -> set[str]:
    return {group[2] for group in cells_of_groups(out) if group[0] == region_type}


def test_no_group_of_a_level_of_totals_alone_has_a_table(out):
    assert tabled(out, "COUNTY") == set()


def test_named_iterations_have_no_table_at_the_levels_that_name_them(out):
    assert (tabled(out, "STATE") & {"2110", "2210"}, "2110" in tabled(out, "TRACT")) == (set(), False)
    assert {"2110", "2210"} <= tabled(out, "USA")


def test_their_totals_have_the_noise_of_the_whole_budget_and_a_threshold_of_that_noise(out):
    """Stability 3 below states, chance 0.9."""
    law, stage_2 = DiscreteGaussian(Fraction(1, 3)), DiscreteGaussian(Fraction(9, 30))
    found = [row for row in rows(out, "t1") if row["REGION_TYPE"] == "COUNTY"]
    assert [row["VARIANCE"] for row in found] == pytest.approx([float(variance(law))] * len(found), rel=1e-9)
    smallest = quantile(law, Fraction(9, 10))
    assert min(row["COUNT"] for row in found) > smallest
    said = {level["level"]: level for level in manifest(out)["ledger"]["levels"]}
    assert {name: level["total_only_suppression_threshold"] for name, level in said.items()} == {
        "COUNTY-2": smallest, "STATE-2": None, "TRACT-2": smallest, "USA-2": None
    }  # fmt: skip
    assert said["TRACT-2"]["suppression_threshold"] == quantile(stage_2, Fraction(9, 10))


def test_an_iteration_that_the_level_does_not_tabulate_is_refused(nation, tmp_path):
    """2130 is detailed only, so no county tabulates it."""
    levels = {"COUNTY-2": {"budget": 1, "thresholds": [1, 2, 3], "total_only": ["2130"]}}
    with pytest.raises(InputError, match="1 iteration\\(s\\) in total_only that the level does not tabulate"):
        published(nation.with_parameters(levels=levels, run_pr=False), tmp_path / "nation")


def test_the_budget_for_a_margin_of_totals_alone_is_that_of_their_own_noise(out):
    """Stability 3; nothing is spent on a choice of tables."""
    inputs = out.parent
    made = targets(settings_of(inputs / "parameters.toml", inputs), {"COUNTY-2": 3, "TRACT-2": 3})
    found = made.levels
    assert [one.exact_moe for one in found] == [3, 3]
    tract, county = sorted(found, key=lambda one: one.level, reverse=True)
    assert county.budget < tract.budget
    (inputs / "overlay.toml").write_text(targets_toml(made), encoding="utf-8")
    levels = {level.level.name: level for level in load_parameters(inputs / "overlay.toml").levels}
    assert (levels["COUNTY-2"].is_total_only, levels["TRACT-2"].total_only) == (True, ("2110",))
