"""Estimates from both stages: intervals cover at every distance from every limit, and are mostly shorter.

Coverage is summed exactly, not simulated: tests/benchmarks/interval_coverage.py draws instead.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import variance
from safetab_sql.published.combined_totals import TotalLaw, combined_totals, table_limits, weights
from tests.published.total_coverage import county_law, coverage

DISTANCES = (-3, -1, 0, 1, 5)  # of a true count from a threshold, in standard deviations of stage 1
DEFINITIONS = ("zcdp", "puredp")


def at(law, limit: int, distance: float) -> int:
    return limit + round(distance * float(variance(law.stage_1)) ** 0.5)


@pytest.mark.parametrize(
    ("definition", "stat_level", "distance"),
    [
        *(("zcdp", stat_level, distance) for stat_level in (1, 3) for distance in DISTANCES),
        ("puredp", 3, 2),
        pytest.param("puredp", 3, 0, marks=pytest.mark.slow),
        *(pytest.param("puredp", 1, distance, marks=pytest.mark.slow) for distance in DISTANCES),
    ],
)
def test_a_total_of_a_table_is_covered_whatever_it_is(definition, stat_level, distance):
    law = county_law(definition, stat_level)
    found = coverage(law, at(law, law.first, distance))
    assert found.covered >= 0.95
    assert 0.48 <= found.below <= 0.52


SMALL = TotalLaw(noise_law("zcdp", Fraction(1, 288)), noise_law("zcdp", Fraction(1, 72)), 1, None, 20, None, 12)
WIDE = {  # with a total that is published only if large enough
    "zcdp": TotalLaw(
        noise_law("zcdp", Fraction(1, 60_000)), noise_law("zcdp", Fraction(1, 20_000)), 1, None, 900, 310, 196
    ),
    "puredp": TotalLaw(
        noise_law("puredp", Fraction(1, 50)), noise_law("puredp", Fraction(1, 40)), 1, None, 900, 249, 120
    ),
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
    assert coverage(law, true_count).covered >= 0.95


@pytest.mark.parametrize("true_count", [0, 500, 975])
def test_a_total_that_is_always_published_is_covered(true_count):
    found = coverage(county_law("zcdp", 0, is_suppressed=False), true_count)
    assert found.covered >= 0.95
    assert 0.48 <= found.below <= 0.52


@pytest.mark.parametrize("limits", [(None, 60), (60, 61), (61, None)], ids=str)
@pytest.mark.parametrize("above", [None, 70])
def test_a_wide_second_stage_needs_no_chance_of_an_impossible_choice(limits, above):
    """Stage 2 reaches true counts at which stage 1 could not have chosen the table: no division of 0 by 0."""
    first, end = limits
    law = TotalLaw(
        noise_law("zcdp", Fraction(9, 1000)), noise_law("zcdp", Fraction(1, 10_000)), 1, first, end, above, 138
    )
    made = combined_totals(law, np.full(3, first or 0), np.array([71, 100, 400]))
    assert (np.isfinite(made.estimates) & (made.lows <= made.highs)).all()


def test_plus_and_minus_a_margin_would_not_cover_near_a_threshold():
    law = county_law("zcdp", 3)
    assert coverage(law, at(law, law.first, -2)).plain < 0.4


@pytest.mark.parametrize(("stat_level", "ratio"), [(1, 0.73), (2, 0.58), (3, 0.40)])
def test_intervals_of_zcdp_shrink_as_theory_says(stat_level, ratio):
    """0.73, 0.58 and 0.40 of an interval from stage 2 alone, far from thresholds; never longer than it near one."""
    law = county_law("zcdp", stat_level)
    far, near = (coverage(law, at(law, law.first, distance)).length / (2 * law.margin) for distance in (8, -2))
    assert far == pytest.approx(ratio, abs=0.02)
    assert near < 1


def test_weights_are_near_the_inverse_variances():
    assert [weights(county_law("zcdp", stat_level)) for stat_level in range(4)] == [(1, 9), (5, 6), (2, 1), (5, 1)]
    assert weights(county_law("puredp", 0)) == (0, 1)


def test_far_from_thresholds_the_estimate_is_the_weighted_mean():
    made = combined_totals(county_law("zcdp", 3), np.array([25_000, 30_000]), np.array([25_060, 30_000]))
    assert made.estimates.tolist() == [25_010, 30_000]
    assert (made.highs - made.estimates).tolist() == (made.estimates - made.lows).tolist() == [30, 30]


def test_ends_and_estimates_rise_with_what_was_seen():
    law = county_law("zcdp", 1)
    made = combined_totals(law, np.full(4_000, 980), np.arange(4_000))
    assert all((np.diff(each) >= 0).all() for each in (made.lows, made.estimates, made.highs))
    assert (made.lows <= made.highs).all()


def test_noise_too_wide_for_tables_leaves_stage_2_alone():
    law = replace(county_law("zcdp", 1), stage_1=DiscreteGaussian(Fraction(1, 10**10)))
    made = combined_totals(law, np.array([1_000]), np.array([900]))
    assert (made.estimates[0], made.lows[0], made.highs[0]) == (900, 900 - law.margin, 900 + law.margin)


def test_stage_1_totals_of_a_stat_level_lie_between_its_thresholds():
    assert [table_limits((5, 6, 7), level) for level in range(4)] == [(None, 5), (5, 6), (6, 7), (7, None)]
