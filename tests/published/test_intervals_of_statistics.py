"""Differences, ratios and quantiles of age: intervals cover, near zero and near the limit of suppression included.

Coverage of differences and ratios is summed over all noise that there is; that of quantiles, and of differences of
ratios, is drawn.
"""

from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric, quantile, variance
from safetab_sql.mechanisms.draw import draw
from safetab_sql.statistics import intervals
from safetab_sql.statistics.ratios import (
    Counted,
    Ends,
    differences_apart,
    ends_of_differences,
    equal_ratio_chances,
    fieller,
    margins_in_deviations,
)
from tests.published.total_coverage import APART, chances, count, counted, difference, pair, ratio
from tests.statistics import recorded_bits

LEVEL = Fraction(95, 100)
LAWS: dict[str, Law] = {
    "narrow zcdp": DiscreteGaussian(Fraction(1, 2)),
    "zcdp": DiscreteGaussian(Fraction("0.0159")),
    "narrow puredp": TwoSidedGeometric(Fraction(2)),
    "puredp": TwoSidedGeometric(Fraction("0.249")),
}
HALF = Fraction(1, 2)
AGES = np.array([0, 5, 18, 25, 35, 45, 55, 65, 75, 116])
PEOPLE = {"even": np.full(9, 60), "few": np.array([3, 2, 0, 4, 1, 0, 2, 0, 1])}  # true counts by age


def noise(law: Law, draws: int) -> tuple[np.ndarray, np.ndarray]:
    first, found = chances(law, draws)
    return first + np.arange(found.size), found


def crossed(law: Law, one_draws: int, other_draws: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two independent sums of noise, every pair of values, and the chance of each pair."""
    (one, one_chances), (other, other_chances) = noise(law, one_draws), noise(law, other_draws)
    kept, other_kept = one_chances > 1e-9, other_chances > 1e-9
    pairs = np.meshgrid(one[kept], other[other_kept], indexing="ij")
    odds = np.outer(one_chances[kept], other_chances[other_kept]).ravel()
    return pairs[0].ravel(), pairs[1].ravel(), odds / odds.sum()


def covered(found: intervals.Intervals, true: float, odds: np.ndarray) -> float:
    """The chance of an interval that holds the true value; where none is given, none is wrong."""
    return odds[~((found.lows > true) | (found.highs < true))].sum() / odds.sum()


@pytest.mark.parametrize(("one", "rest"), [(0, 40), (5, 60), (300, 500), (2_000, 1)])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_the_share_of_a_part_is_covered(law, one, rest):
    """A part of 4 cells in a table of 10."""
    x, y, odds = crossed(law, 4, 6)
    found = ratio(pair(law, 4, 10, 4), one + x, one + rest + x + y, LEVEL)
    assert covered(found, one / (one + rest), odds) >= 0.95


@pytest.mark.parametrize(("one", "other"), [(3, 50), (300, 200)])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_the_ratio_of_two_groups_is_covered(law, one, other):
    x, y, odds = crossed(law, 8, 1)
    found = ratio(pair(law, 8, 1), one + x, other + y, LEVEL)
    assert covered(found, one / other, odds) >= 0.95


def test_a_ratio_is_no_wider_than_it_has_to_be():
    """Fieller's interval by the delta method, with 1.96 deviations, for large counts."""
    law = LAWS["zcdp"]
    found = ratio(pair(law, 4, 10, 4), np.array([4_000]), np.array([10_000]), LEVEL)
    deviation = (31.447 * (4 * 0.6**2 + 6 * 0.4**2)) ** 0.5 / 10_000
    assert found.highs[0] - found.lows[0] == pytest.approx(2 * 1.96 * deviation, rel=0.015)
    assert found.estimates[0] == 0.4


@pytest.mark.parametrize("rho", [1, 5, 20, 40, 1000])
def test_noise_that_is_nearly_always_0_leaves_a_ratio_as_it_is(rho):
    found = ratio(pair(DiscreteGaussian(Fraction(rho)), 4, 10, 4), np.array([40]), np.array([100]), LEVEL)
    assert (found.lows[0] <= 0.4 <= found.highs[0], found.highs[0] - found.lows[0] < 0.1) == (True, True)


@pytest.mark.parametrize("cells", [(1, 1, 0), (4, 10, 4)], ids=["two counts", "a part"])
def test_a_ratio_has_an_interval_that_holds_all_that_the_noise_allows(cells):
    """Also where the other count may be 0, or is below: on a grid of counts, and of ratios."""
    shape = pair(LAWS["zcdp"], *cells)
    one, other = (each.ravel() for each in np.meshgrid(np.arange(-60, 61, 5), np.arange(-60, 61, 5)))
    found = ratio(shape, one, other, LEVEL)
    v_one, v_other, v_both = shape.variances
    r = np.linspace(0, 1, 101) if cells[2] else np.concatenate([np.linspace(0, 1, 101), np.geomspace(1, 1e6, 101)])
    margins = margins_in_deviations(shape, 0.05) ** 2 * (v_one - 2 * r * v_both + r**2 * v_other)
    is_allowed = (one[:, None] - r * other[:, None]) ** 2 <= margins
    is_stated = (found.lows[:, None] <= r + 1e-9) & (r - 1e-9 <= found.highs[:, None])
    assert not (is_allowed & ~is_stated).any()
    assert np.isnan(found.estimates).tolist() == (other <= 0).tolist()
    assert (found.lows >= 0).all()
    assert np.isinf(found.highs).any() != bool(cells[2])


@pytest.mark.parametrize(("one", "other"), [(5, 40), (30, 60)])
def test_a_ratio_of_totals_that_could_have_been_suppressed_is_covered(one, other):
    """Given that both were published."""
    law = LAWS["zcdp"]
    above = quantile(law, Fraction(9999, 10000))
    shape = pair(law, 1, 1, above=(above, above))
    values, weights = noise(law, 1)  # all of them: 5 people are published by a rare draw
    x, y = (each.ravel() for each in np.meshgrid(values, values, indexing="ij"))
    published = (one + x > above) & (other + y > above)
    odds = np.outer(weights, weights).ravel()[published]
    found = ratio(shape, (one + x)[published], (other + y)[published], LEVEL)
    assert covered(found, one / other, odds) >= 0.95
    halves = [count(law, each[published], (1 + LEVEL) / 2, above) for each in (one + x, other + y)]
    assert np.array_equal(found.lows, halves[0].lows / halves[1].highs)  # each misses half as often
    two = Counted(pair(law, 2, 0, above=(above, None)), np.array([80]), np.zeros(1), np.full((1, 2), 40))
    assert intervals.sums(two, LEVEL).lows[0] == 60  # what is known of each misses with 1/800
    assert intervals.largest_error((intervals.ErrorTerm(law, 3, 1, is_clipped=True),), HALF / 20) == 3 * 11


@pytest.mark.parametrize("level", [Fraction(1, 2), Fraction(9, 10), LEVEL], ids=str)
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_difference_is_covered_at_any_level_and_its_p_value_keeps_its_promise(law, level):
    """3 cells less 5, of which 2 are the same: 1 less 3."""
    shape = pair(law, 3, 5, 2)
    x, y, odds = crossed(law, 1, 3)
    found = difference(shape, 70 + x, 70 + y, level)
    assert odds[(found.lows <= 0) & (found.highs >= 0)].sum() >= float(level)
    assert odds[found.p_values <= 1 - float(level)].sum() <= 1 - float(level) + 1e-7


@pytest.mark.parametrize(("one", "other", "wanted"), APART.values(), ids=APART)
def test_a_difference_of_independent_numbers_is_made_of_ends_that_are_not_cut(one, other, wanted):
    none = np.zeros(1)
    sides = [np.array(side)[:, None] for side in (one, other)]
    low, high = differences_apart(*(Ends(each[0], none, none, each[1], each[2], each[3, 0]) for each in sides))
    assert [np.isnan(low[0]), np.isnan(high[0])] == [wanted is None] * 2
    assert wanted is None or (np.floor(low[0]), np.ceil(high[0])) == wanted


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("law", [LAWS["zcdp"], LAWS["puredp"]], ids=["zcdp", "puredp"])
def test_a_p_value_is_small_just_where_the_interval_of_two_ratios_does_not_hold_0(law, apart):
    random = np.random.default_rng(3)
    ratios = [counted(pair(law, 1, 8), random.integers(60, 140, 500), np.full(500, 250)) for _ in range(2)]
    p_values = equal_ratio_chances(*ratios, apart=apart)
    for miss in (0.5, 0.05):
        lows, highs = ends_of_differences(*ratios, miss, apart=apart)
        away = (lows > 0) | (highs < 0)
        assert ((p_values <= miss) == away).mean() >= 0.995
        assert 0.05 < away.mean() < 0.95
        halves = [fieller(each, margins_in_deviations(each.shape, miss / 2)) for each in ratios]
        assert apart or np.array_equal(lows, halves[0].lows - halves[1].highs)


@pytest.mark.parametrize("share", [HALF, Fraction(9, 10), Fraction(1, 4)], ids=str)
@pytest.mark.parametrize("kind", PEOPLE)
@pytest.mark.parametrize("law", [LAWS["zcdp"], LAWS["puredp"]], ids=["zcdp", "puredp"])
def test_a_quantile_of_counts_whose_errors_go_together_is_covered(law, kind, share):
    """As reconciled ones may: all bins have the same error, or neighbours opposite ones. Wider than it needs to be."""
    true_counts, definition = PEOPLE[kind], "zcdp" if isinstance(law, DiscreteGaussian) else "puredp"
    drawn = draw(law, 8_000, recorded_bits(f"{kind} {share}"))[:, None]
    deviations = np.full((1, 9), float(variance(law)) ** 0.5)
    reached = np.flatnonzero(np.cumsum(true_counts) >= float(share) * true_counts.sum())[0]
    for signs in (np.ones(9, dtype=np.int64), np.array([1, 1, 1, 1, -1, -1, -1, -1, -1])):
        margins = intervals.edge_bounds(deviations, share, definition, LEVEL)
        found = intervals.quantiles(share, true_counts + signs * drawn, AGES, margins)
        covered = (found.lows <= AGES[reached]) & (found.highs >= AGES[reached + 1])
        assert covered.mean() >= 0.95 - 0.011


def test_a_quantile_without_noise_is_that_of_the_table():
    margins = intervals.edge_margins(DiscreteGaussian(Fraction(10**6)), 2, HALF, 9, LEVEL)
    counts = np.array([[0, 0, 100, 0, 0, 0, 0, 0, 100], [10, 10, 70, 10, 0, 0, 0, 0, 0]])
    found = intervals.quantiles(HALF, counts, AGES, margins)
    assert (found.lows[1], found.highs[1], found.estimates.tolist()) == (18, 25, [25, 21])


def test_noise_that_is_too_wide_to_convolve_has_a_wider_interval():
    law = TwoSidedGeometric(Fraction(1, 10**6))
    shape = pair(law, 1, 1)
    found = ratio(shape, np.array([10**8]), np.array([10**8]), LEVEL)
    narrow = ratio(pair(LAWS["zcdp"], 1, 1), np.array([397]), np.array([397]), LEVEL)
    assert 1 < (found.highs[0] - found.lows[0]) / (narrow.highs[0] - narrow.lows[0]) < 3


# Of reconciled counts: intervals that are stated, and bounds for what is computed of several.

ONE = intervals.Reconciled(
    np.array([100.0, 50.0]), np.array([4.0, 4.0]), np.array([92.0, np.nan]), np.array([107.0, np.nan])
)


def test_a_single_row_has_the_interval_beside_it_and_a_sum_that_of_its_deviation():
    found = intervals.reconciled_counts(ONE, "zcdp", LEVEL)
    assert (found.lows.tolist(), found.highs.tolist()) == (
        pytest.approx([92, 50 - 8.34], abs=0.01),
        pytest.approx([107, 50 + 8.34], abs=0.01),
    )
    assert intervals.margins(np.array([0.25]), "zcdp") == 1  # a person at least
