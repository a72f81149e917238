"""Margins of error of single counts and of sums, against plain convolutions; intervals of counts that were set to 0."""

import math
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from scipy import stats

from safetab_sql.histograms.published.calibration import times
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric, margin_of_error, pmf_words, variance
from safetab_sql.published import margins
from safetab_sql.published.margins import Cuts, NoiseTerm, margin_of_terms
from safetab_sql.settings.ladders import PopulationGroupLevel
from tests.plans import PlannedLevel, plan_with
from tests.statistics import law_name

# The numbers of cells that are summed: none, a sex of age4, age4, a sex of age9, age9, a sex of age23, age23; and two.
SUMS = [1, 2, 4, 8, 9, 18, 23, 46]
LAWS = [
    DiscreteGaussian(Fraction(3)),
    DiscreteGaussian(Fraction("0.2134")),
    DiscreteGaussian(Fraction("0.0159")),
    TwoSidedGeometric(Fraction(4)),
    TwoSidedGeometric(Fraction("1.25")),
    TwoSidedGeometric(Fraction("0.3")),
]


@cache
def _sum_probabilities(law: Law, summed_counts: int) -> np.ndarray:
    """P(sum = k) for k = -n .. n, by plain convolution in extended precision.

    All terms are positive, so nothing cancels: the relative error stays below 1e-14, where Fourier transforms have
    an absolute one.
    """
    if summed_counts == 1:
        return _single_probabilities(law)
    half = summed_counts // 2
    return np.convolve(_sum_probabilities(law, half), _sum_probabilities(law, summed_counts - half))


def _single_probabilities(law: Law) -> np.ndarray:
    """The definition of the law, to 40 digits before it is rounded; less than 1e-22 of it is left out."""
    is_gaussian = isinstance(law, DiscreteGaussian)
    budget, power = (law.rho, 2) if is_gaussian else (law.epsilon, 1)
    last = math.ceil((55 / float(budget)) ** (1 / power)) + 1
    with mpmath.workdps(40):
        rate = mpmath.mpf(budget.numerator) / budget.denominator
        weights = [mpmath.exp(-rate * abs(value) ** power) for value in range(-last, last + 1)]
        total = mpmath.fsum(weights)
        return np.array([np.longdouble(mpmath.nstr(weight / total, 25)) for weight in weights])


def _covered(law: Law, summed_counts: int, margin: int) -> np.longdouble:
    """P(|sum| <= margin)."""
    probabilities = _sum_probabilities(law, summed_counts)
    middle = probabilities.size // 2
    return probabilities[max(0, middle - margin) : middle + margin + 1].sum()


@pytest.mark.parametrize("summed_counts", SUMS)
@pytest.mark.parametrize("law", LAWS, ids=law_name)
def test_the_margin_of_a_sum_covers_it_with_95_percent_and_one_a_person_narrower_does_not(law, summed_counts):
    margin = margins.sum_margin_of_error(law, summed_counts)
    assert _covered(law, summed_counts, margin - 1) < 0.95 <= _covered(law, summed_counts, margin)


def test_a_count_that_is_taken_three_times_has_three_times_its_margin():
    assert margin_of_terms((NoiseTerm(LAWS[1], 3, 1),)).moe95 == 3 * margin_of_error(LAWS[1])


def _wide_coverage(terms: tuple[NoiseTerm, ...], margin: int) -> float:
    """P(|sum| <= margin) by inversion of the characteristic function phi, to about 1e-6.

    The integral of sin((m + 1/2) t) / sin(t / 2) phi(t) over t from 0 to pi, over pi; beyond the end phi is negligible.
    phi: 1 / (1 + 2 v sin^2(t / 2)) of a two-sided geometric noise of variance v, exactly; that of the normal law of
    a discrete Gaussian one, whose standard deviation is 25 or more.
    """
    deviation = math.sqrt(margins.variance_of_terms(terms))
    end = min(math.pi, 4e4 / deviation)
    points = (np.arange(1_000_000) + 0.5) * end / 1_000_000
    transform = np.ones(points.size)
    for term in terms:
        square, angles = float(variance(term.law)), term.coefficient * points
        if isinstance(term.law, TwoSidedGeometric):
            transform *= (1 + 2 * square * np.sin(angles / 2) ** 2) ** -float(term.draws)
        else:
            transform *= np.exp(-term.draws * square * angles**2 / 2)
    kernel = np.sin((margin + 0.5) * points) / np.sin(points / 2)
    return float((transform * kernel).sum() * end / points.size / math.pi)


def _geometric(scale: int, draws: int, coefficient: int = 1) -> NoiseTerm:
    return NoiseTerm(TwoSidedGeometric(Fraction(1, scale)), coefficient, draws)


def _gaussian(sigma: int, draws: int) -> NoiseTerm:
    return NoiseTerm(DiscreteGaussian(Fraction(1, 2 * sigma**2)), 1, draws)


WIDE = {
    "2 geometric of scale 20,000": (_geometric(20_000, 2),),
    "4 geometric of scale 20,000": (_geometric(20_000, 4),),
    "9 geometric of scale 20,000": (_geometric(20_000, 9),),
    "one geometric of scale 100,000 and 46 of 10": (_geometric(100_000, 1), _geometric(10, 46)),
    "twice one geometric of scale 20,000 and another": (_geometric(20_000, 1, 2), _geometric(20_000, 1)),
    "8 Gaussian of sigma 100,000": (_gaussian(100_000, 8),),
    "one Gaussian of sigma 100,000 and 9 geometric of scale 20,000": (_gaussian(100_000, 1), _geometric(20_000, 9)),
    "10,000,000 Gaussian of sigma 80": (_gaussian(80, 10**7),),
}


@pytest.mark.parametrize("terms", WIDE.values(), ids=WIDE.keys())
@pytest.mark.each_time("9 geometric", "twice one")
def test_a_margin_on_a_coarser_lattice_covers_95_percent_and_hardly_more(terms):
    found = margin_of_terms(terms)
    assert found.method == "coarser convolution"
    covered = _wide_coverage(terms, found.moe95)
    assert 0.95 <= covered < 0.951
    chance, whole = margins.chances_as_far(terms, np.array([-found.moe95 - 1, 0]))
    assert (0 <= chance - (1 - covered) < 3e-4, whole) == (True, 1)


@pytest.mark.parametrize("terms", [(_geometric(50, 4),), (_gaussian(80, 9),), (_geometric(30, 3, 2), _gaussian(50, 2))])
def test_a_coarser_lattice_gives_at_least_the_exact_margin_and_little_more(terms):
    exact = margin_of_terms(terms)
    assert exact.method == "convolution"
    assert exact.moe95 <= margins.coarse_margin(terms) <= 1.003 * exact.moe95 + 1


@pytest.mark.parametrize("miss", [1e-4, 1e-6, 1e-8])
def test_a_coarse_margin_far_out_holds_what_the_exact_law_says(miss):
    """Even where the chance to miss is smaller than what rounding may usually take of it."""
    terms = (_gaussian(75, 3),)
    deviations = margins.coarse_margin(terms, 1 - miss) / math.sqrt(margins.variance_of_terms(terms))
    assert 1 <= deviations / stats.norm.isf(miss / 2) <= 1.02


COUNTY = PlannedLevel(1, PopulationGroupLevel("COUNTY", "2"), 1, 1, 0, {1: np.zeros(1, np.bool_)}, 1, True)


def test_a_published_variance_is_the_nearest_float_of_the_exact_one():
    """A rounded variance times 46, or a tenth squared times it, is off in the last digit."""
    law = TwoSidedGeometric(Fraction(1, 3))
    sizes = list(range(1, 60))
    found = margins.uncertainty_table([plan_with(COUNTY, [law] * 3, 9)], sizes).to_pylist()[1:]
    assert [row["variance"] for row in found] == [float(size * variance(law)) for size in sizes]
    assert [row["variance"] for row in found] != [size * float(variance(law)) for size in sizes]
    assert times(np.array([25_000.0]), Fraction(1, 100)).tolist() == [250.0] != [25_000 * 0.1**2]


GAUSSIAN = DiscreteGaussian(Fraction("0.0159"))
COUNTY_LAWS: dict[str, Law] = {"zcdp": GAUSSIAN, "puredp": TwoSidedGeometric(Fraction("0.249"))}
CLIPPED = Cuts(is_clipped=True)


def clipped_law(law: Law, true_count: int) -> np.ndarray:
    """The chances of 0, 1, 2, ... as a published count of `true_count` people."""
    first, words = pmf_words(law)
    found = np.zeros(true_count + first + len(words))
    np.add.at(found, np.maximum(0, true_count + first + np.arange(len(words))), np.array(words, dtype=float) / 2.0**64)
    return found


@pytest.mark.parametrize("true_counts", [(0,) * 8, (3,) * 8, (0,) * 7 + (50,), (20,) * 8, (0,)], ids=str)
@pytest.mark.parametrize("law", COUNTY_LAWS.values(), ids=COUNTY_LAWS)
def test_a_sum_of_counts_that_were_set_to_0_is_covered(law, true_counts):
    summed = np.ones(1)
    for each in true_counts:
        summed = np.convolve(summed, clipped_law(law, each))
    margin = margins.sum_margin_of_error(law, len(true_counts))
    below, above, _ = margins.sides(law, len(true_counts), margin, None, CLIPPED)
    published, true_count = np.arange(summed.size), sum(true_counts)
    covered = (np.maximum(0, published - below) <= true_count) & (true_count <= published + above)
    assert summed[covered].sum() >= 0.95


@pytest.mark.parametrize("law", COUNTY_LAWS.values(), ids=COUNTY_LAWS)
def test_the_positive_part_of_one_draw_has_the_quantile_of_the_draw(law):
    assert margins.positive_parts_quantile(law, 1) == margin_of_error(law)


def test_positive_parts_too_wide_for_the_lattice_are_rounded_up():
    """sigma 7,071: a sum of 46 is known to about 46 steps of 100 persons, a hundredth of its deviation."""
    wide, narrow = DiscreteGaussian(Fraction(1, 10**8)), DiscreteGaussian(Fraction(1, 10**4))
    ratio = margins.positive_parts_quantile(wide, 46) / margins.positive_parts_quantile(narrow, 46)
    assert 100 <= ratio < 101


@pytest.mark.parametrize(
    ("cuts", "least"), [(Cuts(), None), (Cuts(from_zero=True), 0), (CLIPPED, 0)], ids=["no", "on request", "clipped"]
)
def test_intervals_are_cut_at_0_on_request_and_where_counts_are(cuts, least):
    assert margins.sides(GAUSSIAN, 1, 11, None, cuts) == (11, 11, least)


def test_a_suppressible_total_of_a_law_too_wide_has_no_lower_end_but_0():
    assert margins.sides(DiscreteGaussian(Fraction(1, 10**12)), 1, 9, 5, Cuts()) == (margins.ANY, 9, 0)


def test_a_total_of_0_that_stands_for_those_below_has_the_interval_of_totals_near_the_limit():
    rows = margins.selected_totals_table([plan_with(COUNTY, [GAUSSIAN] * 3, -3)], CLIPPED).to_pylist()
    assert (rows[0]["noisy_count"], rows[0]["low95"]) == (0, 0)
    *_, row = margins.uncertainty_table([plan_with(COUNTY, [COUNTY_LAWS["puredp"]] * 3, 34)], [2], CLIPPED).to_pylist()
    assert (row["variance"], row["moe95"], row["below95"], row["above95"]) == (None, None, 17, 16)
    assert margins.margins_above(GAUSSIAN, 21, np.array([22, 25, 99])).tolist() == [22, 25, 11]
