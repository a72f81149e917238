"""Margins of fitted counts: never too small, and hardly above the smallest; against convolutions value by value."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from safetab_sql.accounting.plan import level_calls
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.published.intervals import (
    NoiseTerm,
    Terms,
    chances_of,
    fitted_terms,
    reach_of_terms,
    scaled_margin,
    terms_of_sum,
    variance_of_terms,
)
from tests.public.test_measured import DEFINITIONS, MEMBERS, SEX, STATISTIC, measurement

BUDGETS = {"zcdp": ("20", "0.5", "0.02"), "puredp": ("6", "1", "0.2")}
SETTINGS = [(definition, budget) for definition in DEFINITIONS for budget in BUDGETS[definition]]


def covered(terms: Terms) -> np.ndarray:
    """P(|sum| <= m) for m = 0, 1, ...: the chances of the sum of all draws, one after another, around a circle."""
    size = 1 << (2 * reach_of_terms(terms) + 2).bit_length()
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    for term in terms:
        values, chances = chances_of(term.law)
        around = np.bincount(int(term.coefficient) * values % size, chances, size)
        transform *= np.fft.rfft(around) ** term.draws
    summed = np.fft.irfft(transform, size)
    return np.cumsum(np.concatenate([summed[:1], summed[1 : size // 2] + summed[: size // 2 : -1]]))


@pytest.mark.parametrize(("definition", "budget"), SETTINGS)
@pytest.mark.each_time("zcdp-0.5", "puredp-6")
def test_margins_of_fitted_counts_cover_and_are_hardly_above_the_smallest(definition, budget) -> None:
    found = measurement(STATISTIC, MEMBERS, definition)
    calls = level_calls(definition, Fraction(budget), 1, Fraction(0), 1, [STATISTIC]).of_table(1)
    for cells in ([0], range(12), np.flatnonzero(SEX == 1).tolist(), [3, 4]):
        terms = fitted_terms(found, calls, cells)
        margin, chances = scaled_margin(terms), covered(terms)
        least = int(np.argmax(chances >= 0.95))
        assert chances[margin] >= 0.95 - 1e-9
        assert least <= margin <= 1.001 * least + 1


@pytest.mark.parametrize("law", [DiscreteGaussian(Fraction(1, 50)), TwoSidedGeometric(Fraction(1, 9))])
@pytest.mark.parametrize("coverage", [Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)])
def test_margins_cover_at_every_level(law: Law, coverage: Fraction) -> None:
    terms = (NoiseTerm(law, 1000, 1), NoiseTerm(law, 37, 20))
    margin, chances = scaled_margin(terms, coverage), covered(terms)
    assert chances[margin] >= float(coverage) - 1e-9
    assert margin <= 1.003 * int(np.argmax(chances >= float(coverage))) + 1


def test_noise_that_is_hardly_ever_there_has_no_margin() -> None:
    assert scaled_margin((NoiseTerm(DiscreteGaussian(Fraction(40)), 8192, 3),)) == 0


def test_noise_too_wide_to_tabulate_has_the_margin_of_a_gaussian_one() -> None:
    terms = (
        NoiseTerm(DiscreteGaussian(Fraction(1, 10**12)), 8000, 1),
        NoiseTerm(DiscreteGaussian(Fraction(1, 10**12)), 300, 9),
    )
    assert scaled_margin(terms) / sqrt(variance_of_terms(terms)) == pytest.approx(1.95996, rel=1e-3)


def test_subtracting_a_cell_from_another_cancels_what_they_share() -> None:
    found = measurement(STATISTIC, MEMBERS, "zcdp")
    calls = level_calls("zcdp", Fraction(1), 1, Fraction(0), 1, [STATISTIC]).of_table(1)
    difference = terms_of_sum(found, [call.law for call in calls], np.array([1, -1, *[0] * 10]))
    both = fitted_terms(found, calls, [0, 1])
    law = calls[-1].law  # the coarser counts move both cells alike: what is left is the noise of two cells
    assert difference == (NoiseTerm(law, found.parts, 2),)
    assert variance_of_terms(both) < variance_of_terms(difference)
