"""Margins of error of single counts and of sums, against plain convolutions in extended precision."""

import math
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from scipy import stats

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.published.uncertainty import sum_margin_of_error
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
def test_the_margin_of_a_sum_covers_it_with_95_percent(law, summed_counts):
    assert _covered(law, summed_counts, sum_margin_of_error(law, summed_counts)) >= 0.95


@pytest.mark.parametrize("summed_counts", SUMS)
@pytest.mark.parametrize("law", LAWS, ids=law_name)
def test_a_margin_one_person_narrower_does_not_cover(law, summed_counts):
    assert _covered(law, summed_counts, sum_margin_of_error(law, summed_counts) - 1) < 0.95


@pytest.mark.parametrize("law", LAWS, ids=law_name)
def test_the_reference_convolution_is_a_distribution(law):
    assert abs(_sum_probabilities(law, 46).sum() - 1) < 1e-13


def test_the_reference_convolution_of_two_geometrics_is_the_closed_form():
    """P(sum of two = 0) = ((1 - t) / (1 + t))^2 * (1 + t^2) / (1 - t^2) with t = e^-epsilon."""
    probabilities = _sum_probabilities(TwoSidedGeometric(Fraction(5, 4)), 2)
    ratio = np.exp(np.longdouble(-5) / 4)
    closed = ((1 - ratio) / (1 + ratio)) ** 2 * (1 + ratio**2) / (1 - ratio**2)
    assert abs(probabilities[probabilities.size // 2] - closed) < 1e-15


@pytest.mark.parametrize("law", [*LAWS, DiscreteGaussian(Fraction("0.00072"))], ids=law_name)
def test_margins_grow_with_the_number_of_counts_summed(law):
    margins = [sum_margin_of_error(law, summed_counts) for summed_counts in range(1, 47)]
    assert margins == sorted(margins)


@pytest.mark.parametrize("summed_counts", [1, 2, 46])
def test_counts_without_visible_noise_have_no_margin(summed_counts):
    assert sum_margin_of_error(DiscreteGaussian(Fraction(10**6)), summed_counts) == 0


@pytest.mark.parametrize("summed_counts", [8, 46])
def test_sums_too_wide_to_convolve_have_the_normal_margin(summed_counts):
    """sigma 100,000: no table of its law is made, so the exact answer is out of reach; the normal one is not."""
    deviation = 100_000 * math.sqrt(summed_counts)
    margin = sum_margin_of_error(DiscreteGaussian(Fraction(1, 2 * 10**10)), summed_counts)
    assert margin == pytest.approx(stats.norm.ppf(0.975) * deviation, abs=1)


def test_the_normal_margin_continues_the_convolved_ones():
    """Just below and just above the width where convolution ends, margin and deviation keep their proportion."""
    below, above = (
        sum_margin_of_error(DiscreteGaussian(Fraction(1, 2 * sigma**2)), 46) / sigma for sigma in (9_000, 10_000)
    )
    assert above == pytest.approx(below, rel=1e-3)
