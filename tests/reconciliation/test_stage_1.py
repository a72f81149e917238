"""Sums given both stages: right on average whatever the true count is, given the table that stage 1 chose."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom, norm

from safetab_sql.published.both_stages import BetterSums, Chosen, better_sums
from safetab_sql.reconciliation.forest import TOTAL, Groups, RegionTree, forest
from safetab_sql.reconciliation.least_squares import ROUNDING_VARIANCE, reconciled_rows, solution
from safetab_sql.reconciliation.tables import Reconciled as How
from safetab_sql.reconciliation.tables import _with_stage_1, margins_of_rows
from safetab_sql.statistics.intervals import Reconciled, deviations_of_rows, reconciled_counts
from safetab_sql.statistics.sums import reconciled_noise
from tests.manifests import level_calls, released_level
from tests.reconciliation.forests import small_statistics
from tests.statistics import FALSE_ALARM

DEVIATION = 16.8  # of stage 1, persons: COUNTY-2 of 2020
FIRST, END = 971, 4971


def all_sums(chosen: Chosen, distance: float) -> tuple[np.ndarray, BetterSums, float]:
    """The chances of all noise of groups with this table, what is then found, and their true count.

    distance: of the true count above the threshold, standard deviations of stage 1.
    """
    deviation = chosen.stage_1_variance**0.5
    true = round(FIRST + distance * deviation)
    wide, sums = int(9 * deviation), int(6 * chosen.sum_variance**0.5)
    stage_1 = np.arange(max(FIRST, true - wide), min(chosen.end or 2**60, max(FIRST, true) + wide))
    summed = np.arange(true - sums, true + sums + 1)
    logs = -((stage_1 - true) ** 2) / (2 * deviation**2)
    chances = np.exp(logs - logs.max())[:, None] * np.exp(-((summed - true) ** 2) / (2 * chosen.sum_variance))
    x, s = np.meshgrid(stage_1.astype(float), summed.astype(float), indexing="ij")
    likely = chances > 1e-9 * chances.max()
    return chances[likely] / chances[likely].sum(), better_sums(chosen, x[likely], s[likely]), true


def moments(cells: int, distance: float) -> tuple[float, ...]:
    """Bias, variance, mean of the stated variance, and variance of stage 2 alone, summed over all noise."""
    chosen = Chosen(DEVIATION**2, cells * DEVIATION**2 / 9, FIRST, END)
    chances, found, true = all_sums(chosen, distance)
    mean = chances @ found.sums
    return mean - true, chances @ (found.sums - mean) ** 2, chances @ found.variances, chosen.sum_variance


@pytest.mark.parametrize("cells", [8, 46])
@pytest.mark.parametrize("distance", [-3, -1, 0, 1.5, 8])
def test_a_sum_is_right_on_average_and_so_is_its_variance(cells: int, distance: float) -> None:
    bias, variance, stated, alone = moments(cells, distance)
    assert (bias, stated) == (pytest.approx(0, abs=4e-3 * DEVIATION), pytest.approx(variance, rel=4e-3))
    assert variance <= alone * (1 + 1e-9)


SHARES = (0.1, 0.5, 0.84, 0.93, 0.98)  # w: of stage 1 in a sum; 2020 has 0.1, 0.47, 0.67 and 0.84
PLACES = (-4, -2, -1.5, -1, -0.5, 0, 0.5, 1, 2, 4)


def covered(share: float, distance: float, *, deviation: float = 4, end: int | None = None) -> dict[str, float]:
    """The chance that a sum lies within its margin: as reconciled, in whole numbers, and by the variance alone."""
    chances, found, true = all_sums(Chosen(deviation**2, share / (1 - share) * deviation**2, FIRST, end), distance)
    errors, up = np.abs(found.sums - true), found.sums - np.floor(found.sums)
    whole = margins_of_rows(found.margin_variances + ROUNDING_VARIANCE, "zcdp")
    inside = [np.abs(np.floor(found.sums) + more - true) <= whole for more in (0, 1)]
    return {
        "reconciled": chances @ (errors <= margins_of_rows(found.margin_variances, "zcdp")),
        "integers": chances @ ((1 - up) * inside[0] + up * inside[1]),
        "by variance": chances @ (errors <= margins_of_rows(found.variances, "zcdp")),
    }


@pytest.mark.parametrize("share", SHARES)
def test_a_margin_covers_at_every_distance_from_the_threshold(share: float) -> None:
    found = [covered(share, place) for place in PLACES]
    assert min(each[how] for each in found for how in ("reconciled", "integers")) >= 0.95


@pytest.mark.parametrize("width", [1, 6, 20, 60])
def test_a_margin_covers_between_two_thresholds(width: int) -> None:
    assert min(covered(0.9, place, end=FIRST + width)["reconciled"] for place in PLACES) >= 0.95


@pytest.mark.parametrize("share", SHARES)
def test_what_is_computed_from_rows_near_a_threshold_covers_at_every_level(share: float) -> None:
    """Summed over all noise: a row by its published VARIANCE and MOE95, at levels of `statistics` and of its ratios."""
    for place in PLACES:
        chances, found, true = all_sums(Chosen(16.0, share / (1 - share) * 16, FIRST, None), place)
        published = found.variances, margins_of_rows(found.margin_variances, "zcdp")
        row = Reconciled(found.sums, deviations_of_rows(*published, "zcdp"), *np.full((2, found.sums.size), np.nan))
        for level in (Fraction(9, 10), Fraction(95, 100), Fraction(975, 1000), Fraction(99, 100)):
            made = reconciled_counts(row, "zcdp", level)
            assert chances @ ((made.lows <= true) & (true <= made.highs)) >= level


@pytest.mark.parametrize(("share", "place"), [(0.84, -1.5), (0.98, -2)])
@pytest.mark.each_time("0.98")
def test_the_bound_of_a_sum_of_rows_near_a_threshold_covers(share: float, place: float) -> None:
    """The total of a group from two of its rows, whose errors are the same: 1,000 draws.

    Right code fails with a chance of 1e-6 at most (binomial, 0.95 or more); a bound from VARIANCE
    would cover 0.87 and 0.70, and fail with a chance above 1 - 1e-4.
    """
    random = np.random.default_rng(5)
    chances, found, true = all_sums(Chosen(16.0, share / (1 - share) * 16, FIRST, None), place)
    drawn, times = np.unique(random.choice(chances.size, 1_000, p=chances), return_counts=True)
    moe95s = margins_of_rows(found.margin_variances[drawn], "zcdp")
    inside = [
        abs(2 * (found.sums[number] - true)) <= two_rows(found.variances[number], moe95)
        for number, moe95 in zip(drawn, moe95s, strict=True)
    ]
    assert binom.cdf(times @ inside, 1_000, 0.95) >= FALSE_ALARM


SIZES, LIMITS = (118, 300, 418), (120, 10**6, 10**7)  # a group near its threshold, its sibling, and their parent


def beside_a_threshold(copies: int, *, pulls: bool = True) -> dict[bool, list[tuple[np.ndarray, np.ndarray]]]:
    """Errors and margins of the totals of SIZES, by whether a family binds them; all have tables of four cells."""
    random, known = np.random.default_rng(7), small_statistics()
    size, tables = 3 * copies, known.cells[1]
    level = replace(
        released_level("STATE-1", "us", level_calls("zcdp", Fraction(1), Fraction(1, 72), Fraction(1, 342))),
        thresholds=LIMITS,
    )
    noise = np.rint(random.standard_normal(size * tables) * np.sqrt(171))
    chosen = [draws[draws >= LIMITS[0]][:copies] for draws in np.rint(random.normal(SIZES, 6, (9 * copies, 3))).T]
    ones = np.ones(size)
    groups = Groups(
        np.repeat(np.arange(copies), 3), np.tile(np.arange(3), copies), ones.astype(np.int8), 171 * ones,
        np.arange(size) * tables, noise + np.repeat(np.tile(SIZES, copies) / tables, tables), ones.astype(np.bool_),
    )  # fmt: skip
    stage_1 = {"stage_1": np.stack(chosen).T.ravel().astype(np.int64), "stat_level": groups.stat_levels}
    texts = {"level_name": ["STATE-1"] * size, "low95": np.zeros(size), "high95": np.zeros(size)}
    groups = _with_stage_1(groups, pa.table({**stage_1, **texts}), How(known, "zcdp", (level,), None, from_zero=False))
    if groups.combined is not None and not pulls:
        groups = replace(groups, combined=replace(groups.combined, pulls=0 * ones))
    found = {}
    for is_bound in (False, True):
        tree = RegionTree((1, -1), np.array([0, 0, 1]), np.array([2, 2, -1] if is_bound else [-1, -1, -1]))
        trees = forest(groups, tree)
        rows = list(reconciled_rows(groups, trees, solution(groups, trees, known), known))
        found[is_bound] = [
            (part.estimates[own] - SIZES[region], margins_of_rows(part.margin_variances[own], "zcdp"))
            for region in range(3)
            for part in rows
            if (own := (groups.regions[part.groups] == region) & (part.row_ids == TOTAL)).any()
        ]
    return found


def biases(found: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """In standard errors."""
    return np.array([errors.mean() / errors.std() * np.sqrt(errors.size) for errors, _ in found])


def test_no_total_is_biased_or_worse_for_a_relative_near_a_threshold() -> None:
    """4,000 copies. Mean squares are 0.4 to 0.9 of those from both stages alone."""
    found = beside_a_threshold(4_000)
    assert np.abs(biases(found[True])).max() < norm.isf(FALSE_ALARM)
    for (alone, _), (errors, moe95s) in zip(found[False], found[True], strict=True):
        assert (errors**2).mean() < (alone**2).mean()
        assert binom.cdf((np.abs(errors) <= moe95s).sum(), errors.size, 0.95) >= FALSE_ALARM


def test_weights_from_stage_1_that_nothing_is_moved_against_would_be_noticed() -> None:
    assert np.abs(biases(beside_a_threshold(4_000, pulls=False)[True])).max() > norm.isf(FALSE_ALARM)


def two_rows(variance: float, moe95: float) -> float:
    """MOE95 of a total and of the same total, as two rows of a group without a table."""
    atom = {"release": [0], "ladder": ["T"], "atom": [0], "variance": [variance], "moe95": [moe95], "times": [2]}
    group = {"REGION_TYPE": ["ALL"], "REGION_ID": ["1"], "ITERATION_CODE": ["1"], "row_id": [-1]}
    row = {"release": [0], "ladder": ["T"], **group, "VARIANCE": [variance], "MOE95": [moe95], "times": [1]}
    rows = pa.concat_tables([pa.table(row), pa.table({**row, "row_id": [0]})])
    return reconciled_noise(rows, pa.table(atom), "zcdp")[1]


def test_far_from_limits_a_sum_is_the_weighted_mean_of_both_stages() -> None:
    chosen = Chosen(9.0, 18.0, FIRST, None)
    found = better_sums(chosen, np.array([2000.0]), np.array([2030.0]))
    assert (found.sums[0], found.variances[0], found.usual_variance) == pytest.approx((2010, 6, 6))
    assert 200 < better_sums(Chosen(400.0, 400.0, 0, 300), *np.full((2, 1), 150.0)).margin_variances[0] < 202


@pytest.mark.parametrize("sum_variance", [1e-300, 1e-12, 1e-4, 0.1])
def test_stage_1_that_tells_next_to_nothing_is_left_out(sum_variance: float) -> None:
    """Noise of stage 2 may be narrow beyond every table of points: a budget of 20 and more."""
    sums = np.array([FIRST - 3.0, FIRST + 100.0])
    found = better_sums(Chosen(16.0, sum_variance, FIRST, None), sums + 5, sums)
    assert found.sums.tolist() == sums.tolist()
    assert found.variances.tolist() == found.margin_variances.tolist() == [sum_variance] * 2
