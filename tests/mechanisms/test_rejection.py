from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.mechanisms.draw import draw, draw_by_rejection
from tests.statistics import FALSE_ALARM, fits, law_name, laws, recorded_bits, same_law

SIZE = 10_000
GRID = [
    *laws([Fraction(1, 2), Fraction("1.5"), Fraction(24)]),
    DiscreteGaussian(Fraction("0.481") / 9),
    TwoSidedGeometric(Fraction(7, 3)),  # both numerator and denominator above 1
]


@cache
def drawn(law):
    """Draws by rejection on recorded bits: 100 microseconds each, so that the tests share them."""
    return draw_by_rejection(law, SIZE, recorded_bits("rejection"))


@pytest.mark.parametrize("law", GRID, ids=law_name)
@pytest.mark.each_time("DiscreteGaussian-0.222", "TwoSidedGeometric-0.0589")
def test_draws_by_rejection_follow_the_law(law):
    assert fits(drawn(law), law)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("law", GRID, ids=law_name)
def test_many_draws_by_rejection_on_fresh_bits_follow_the_law(law):
    assert fits(draw_by_rejection(law, 1_000_000, system_bits), law)


@pytest.mark.parametrize("law", GRID, ids=law_name)
@pytest.mark.each_time("DiscreteGaussian-0.222", "TwoSidedGeometric-0.0589")
def test_rejection_and_table_agree(law):
    assert same_law(drawn(law), draw(law, 20 * SIZE, recorded_bits("other")))


@pytest.mark.parametrize("sigma", [10**6, 10**12])
@pytest.mark.slow
def test_laws_too_wide_for_a_table_are_drawn_by_rejection(sigma):
    """At this width no sample tells the continuous law. Kolmogorov-Smirnov, FALSE_ALARM."""
    normal = draw(DiscreteGaussian(Fraction(1, 2 * sigma**2)), 2000, recorded_bits("normal"))
    assert stats.kstest(normal / sigma, stats.norm.cdf).pvalue >= FALSE_ALARM
    laplace = draw(TwoSidedGeometric(Fraction(1, sigma)), 2000, recorded_bits("laplace"))
    assert stats.kstest(laplace / sigma, stats.laplace.cdf).pvalue >= FALSE_ALARM
    assert normal.dtype == laplace.dtype == np.int64
