"""How often margins of error should cover, by sums over the law; and the size from which groups may earn a table."""

from fractions import Fraction
from math import ceil, exp, log

import numpy as np
import pytest
from scipy import stats

from safetab_sql.evaluation import coverage
from safetab_sql.evaluation.coverage import PublishedNoise
from safetab_sql.evaluation.ground_truth import largest_noise
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric, margin_of_error, pmf_words
from safetab_sql.laws.selection import selected_counts

LAWS = {"geometric": TwoSidedGeometric(Fraction(1, 4)), "gaussian": DiscreteGaussian(Fraction(1, 50))}
RULES = {
    "suppressed": (9, False),
    "clipped": (None, True),
    "suppressed and clipped": (9, True),
    "suppressed by a threshold below 0": (-2, True),
}
EVERY_LAW = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
EVERY_RULE = pytest.mark.parametrize(("threshold", "is_clipped"), RULES.values(), ids=RULES)


def chances(law: Law) -> dict[int, float]:
    first, words = pmf_words(law)
    return {first + place: word / 2**64 for place, word in enumerate(words)}


def enumerated(law: Law, exact: int, threshold: int | None, *, is_clipped: bool) -> float:
    """P(|error| <= MOE95, given that the count was published), outcome by outcome."""
    published_, covered, usual = 0.0, 0.0, margin_of_error(law)
    near = {} if threshold is None else {one.noisy_count: one for one in selected_counts(law, threshold)}
    for noise, chance in chances(law).items():
        noisy = exact + noise
        if threshold is None or noisy > threshold:
            shown = max(noisy, 0) if is_clipped else noisy
            one = near.get(shown)
            margin = usual if one is None else max(shown - one.low, one.high - shown)
            published_ += chance
            covered += chance * (abs(shown - exact) <= margin)
    return covered / published_


@EVERY_LAW
@EVERY_RULE
@pytest.mark.parametrize("exact", [0, 1, 5, 9, 10, 14, 30, 60])
def test_the_chance_of_a_small_count_is_the_sum_over_all_outcomes(law, threshold, is_clipped, exact):
    noise = PublishedNoise("COUNTY-2", "stage 2", law, threshold, is_clipped)
    found = coverage.small_coverages(noise, exact + 1, is_total=True)[exact]
    assert found == pytest.approx(enumerated(law, exact, threshold, is_clipped=is_clipped), abs=1e-9)


@EVERY_LAW
def test_cells_are_never_suppressed(law):
    noise = PublishedNoise("COUNTY-2", "stage 2", law, 9, is_clipped=True)
    expected = [enumerated(law, exact, None, is_clipped=True) for exact in range(20)]
    assert coverage.small_coverages(noise, 20, is_total=False) == pytest.approx(np.array(expected), abs=1e-9)


@EVERY_LAW
@EVERY_RULE
def test_a_free_count_is_touched_once_in_a_million_at_most_and_the_next_one_more_often(law, threshold, is_clipped):
    start = coverage.free_from(PublishedNoise("COUNTY-2", "stage 2", law, threshold, is_clipped), is_total=True)

    def touched(exact: int) -> float:
        return sum(
            chance
            for noise, chance in chances(law).items()
            if (threshold is not None and exact + noise <= threshold) or (is_clipped and exact + noise < 0)
        )

    assert touched(start) <= coverage.FREE < touched(start - 1)


@EVERY_LAW
def test_without_suppression_and_clipping_every_count_is_free(law):
    noise = PublishedNoise("COUNTY-2", "stage 2", law, None, is_clipped=False)
    assert (coverage.free_from(noise, is_total=True), coverage.free_from(noise, is_total=False)) == (0, 0)
    assert coverage.small_coverages_table([noise]).num_rows == 0


@EVERY_LAW
def test_the_coverage_of_free_counts_is_a_little_above_95_percent(law):
    (row,) = coverage.noise_laws_table([PublishedNoise("COUNTY-2", "stage 2", law, None, is_clipped=False)]).to_pylist()
    assert row["expected_coverage"] == pytest.approx(enumerated(law, 500, None, is_clipped=False), abs=1e-12)
    assert 0.95 <= row["expected_coverage"] < 0.98


def test_noise_too_wide_for_a_table_has_the_coverage_of_a_normal_law():
    wide = DiscreteGaussian(Fraction(1, 10**14))
    noise = PublishedNoise("COUNTY-2", "stage 2", wide, 9, is_clipped=True)
    (row,) = coverage.noise_laws_table([noise]).to_pylist()
    assert row["expected_coverage"] == pytest.approx(0.95, abs=1e-3)
    assert coverage.small_coverages_table([noise]).num_rows == 0


@pytest.mark.parametrize("chance", [0.5, 0.95, 0.9995])
@pytest.mark.parametrize("counts", [1, 7, 400, 250_000])
def test_coverage_lies_between_exact_binomial_quantiles(counts, chance):
    lower, upper = coverage.coverage_interval(counts, chance)
    quantiles = stats.binom.ppf([(1 - coverage.CONFIDENCE) / 2, (1 + coverage.CONFIDENCE) / 2], counts, chance)
    assert (round(lower * counts), round(upper * counts)) == tuple(quantiles)


def test_what_is_certain_has_no_interval():
    assert coverage.coverage_interval(10, 1.0) == (1.0, 1.0)


NATION = 1e-12 / 2.6e8  # the chance that each of all groups of the nation may have


@pytest.mark.parametrize("budget", [Fraction(1, 10_000), Fraction(1, 500), Fraction(1, 2), Fraction(3)], ids=str)
@pytest.mark.parametrize("law", [DiscreteGaussian, TwoSidedGeometric])
def test_noise_exceeds_the_bound_with_at_most_the_chance_that_is_stated(law, budget):
    bound = largest_noise(law(budget), NATION)
    assert tail_bounds(law(budget), bound, 128)[1] / 2.0**128 <= NATION


@pytest.mark.parametrize("law", [DiscreteGaussian, TwoSidedGeometric])
def test_a_bound_of_nine_tenths_would_not_do(law):
    """The bound is near the least one: nine tenths of it are exceeded too often."""
    budget = Fraction(1, 500)
    assert tail_bounds(law(budget), largest_noise(law(budget), NATION) * 9 // 10, 128)[0] / 2.0**128 > NATION


def test_the_bound_of_the_geometric_is_the_logarithm_of_the_chance():
    assert largest_noise(TwoSidedGeometric(Fraction(1, 2)), exp(-7)) == ceil(-log(exp(-7)) * 2)
