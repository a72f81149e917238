"""Both stages: intervals cover at every distance from every limit, and a release has the totals of published groups.

Coverage is summed exactly, not simulated.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.jobs.release import open_release
from safetab_sql.jobs.run import run
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import DiscreteGaussian, noise_law, variance
from safetab_sql.published.margins import sum_margin_of_error
from safetab_sql.published.measurements import TotalLaw, combined_totals, table_limits, weights
from tests.nations import write_nation
from tests.published.conftest import cells_of_groups, group, manifest, rows
from tests.published.total_coverage import county_law, coverage

DEFINITIONS = ("zcdp", "puredp")


def at(law, limit: int, distance: float) -> int:
    return limit + round(distance * float(variance(law.stage_1)) ** 0.5)


SMALL = TotalLaw(noise_law("zcdp", Fraction(1, 288)), noise_law("zcdp", Fraction(1, 72)), 1, None, 20, None)
WIDE = {  # with a total that is published only if large enough
    "zcdp": TotalLaw(noise_law("zcdp", Fraction(1, 60_000)), noise_law("zcdp", Fraction(1, 20_000)), 1, None, 900, 310),
    "puredp": TotalLaw(noise_law("puredp", Fraction(1, 50)), noise_law("puredp", Fraction(1, 40)), 1, None, 900, 249),
}


@pytest.mark.parametrize("law", [SMALL, *WIDE.values()], ids=["small", *WIDE])
@pytest.mark.each_time("small", "zcdp")
def test_an_interval_holds_its_estimate_and_more_than_0(law):
    counts = np.arange(-60 if law.above is None else law.above + 1, 1_500)
    for stage_1 in range(-400, law.end, 40):
        made = combined_totals(law, np.full_like(counts, stage_1), counts)
        nearest = np.rint(made.estimates)
        assert ((made.lows <= nearest) & (nearest <= made.highs)).all()
        assert made.highs.min() >= float(variance(law.stage_2)) ** 0.5


def true_counts():
    """Each law with true counts near its limits, and where it has none."""
    upper = county_law("zcdp", 2)
    yield from ((upper, at(upper, upper.end, distance)) for distance in (-1, 0, 2))
    for definition in DEFINITIONS:
        suppressed = county_law(definition, 0)
        yield from ((suppressed, true_count) for true_count in (0, 1, 10, 21, 30, 60, 960, 980))
        for true_count in (0, 100, 300, 700):
            yield pytest.param(WIDE[definition], true_count, marks=pytest.mark.slow)
    yield from ((SMALL, true_count) for true_count in (0, 3, 20, 60))


@pytest.mark.parametrize(("law", "true_count"), list(true_counts()))
def test_a_total_is_covered_near_an_upper_threshold_the_limit_of_suppression_and_0(law, true_count):
    least = 0.95 if true_count else 0.975  # of nobody, one end alone can miss
    assert least <= coverage(law, true_count).covered < 0.98  # ends one person further out hold 0.966 to 0.986


@pytest.mark.parametrize("true_count", [0, 500, 975])
def test_a_total_that_is_always_published_is_covered_has_hardly_any_bias_and_no_larger_errors(true_count):
    found = coverage(county_law("zcdp", 0, is_suppressed=False), true_count)
    assert found.covered >= 0.95
    assert abs(found.bias) <= 0.004 * found.error_of_count
    assert found.error <= (1 + 1e-6) * found.error_of_count


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("true_count", [0, 20, 32, 40, 60])
def test_near_the_limit_of_suppression_an_estimate_errs_no_more_than_the_count(definition, true_count):
    found = coverage(county_law(definition, 0), true_count)
    assert found.error <= found.error_of_count * (1 + 1e-9)


def test_estimates_of_groups_of_nobody_may_be_below_0():
    """Sums of estimates would be too large otherwise."""
    counts = np.arange(-30, 1)
    assert combined_totals(SMALL, np.zeros_like(counts), counts).estimates.min() < -10


@pytest.mark.parametrize(("first", "end"), [(None, 60), (60, 61), (61, None)], ids=str)
@pytest.mark.parametrize("above", [None, 70])
def test_a_wide_second_stage_needs_no_chance_of_an_impossible_choice(first, end, above):
    """Stage 2 reaches true counts at which stage 1 could not have chosen the table: no division of 0 by 0."""
    law = TotalLaw(noise_law("zcdp", Fraction(9, 1000)), noise_law("zcdp", Fraction(1, 10_000)), 1, first, end, above)
    made = combined_totals(law, np.full(3, first or 0), np.array([71, 100, 400]))
    assert (np.isfinite(made.estimates) & (made.lows <= made.highs)).all()


def test_weights_are_near_the_inverse_variances():
    assert [weights(county_law("zcdp", stat_level)) for stat_level in range(4)] == [(1, 9), (5, 6), (2, 1), (5, 1)]
    assert weights(county_law("puredp", 0)) == (0, 1)


def test_far_from_thresholds_the_estimate_is_the_weighted_mean():
    law = county_law("zcdp", 3)
    share = float(variance(law.stage_1)) / (float(variance(law.stage_1)) + 46 * float(variance(law.stage_2)))
    made = combined_totals(law, np.array([25_000, 30_000]), np.array([25_060, 30_000]))
    assert made.estimates == pytest.approx([25_000 + share * 60, 30_000])
    assert (made.lows.tolist(), made.highs.tolist()) == ([24_980, 29_970], [25_040, 30_030])


def test_noise_too_wide_for_tables_leaves_stage_2_alone():
    law = replace(county_law("zcdp", 1), stage_1=DiscreteGaussian(Fraction(1, 10**10)))
    made = combined_totals(law, np.array([1_000]), np.array([900]))
    margin = sum_margin_of_error(law.stage_2, law.counts)
    assert (made.estimates[0], made.lows[0], made.highs[0]) == (900, 900 - margin, 900 + margin)


def test_stage_1_totals_of_a_stat_level_lie_between_its_thresholds():
    assert [table_limits((5, 6, 7), level) for level in range(4)] == [(None, 5), (5, 6), (6, 7), (7, None)]


# `publish_stage_1`: the release has the stage-1 totals of its groups, and nothing else changes.

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


def test_counts_that_were_set_to_0_cannot_be_combined(nation, tmp_path):
    inputs = write_nation(nation.with_parameters(publish_stage_1=True, allow_negative_counts=False), tmp_path / "in")
    with pytest.raises(InputError, match="publish_stage_1 is true, and allow_negative_counts is false"):
        run(inputs, tmp_path / "out")
