"""Differences of two ratios: intervals cover, and p-values say what the intervals of the two ratios say."""

from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.mechanisms.draw import draw
from safetab_sql.statistics.intervals import ratio_differences
from safetab_sql.statistics.ratios import NoisyRatios, equal_ratio_chances
from tests.published.pairs import pair as pair_of
from tests.published.pairs import ratio
from tests.statistics import recorded_bits

LAWS = {"zcdp": DiscreteGaussian(Fraction("0.0159")), "puredp": TwoSidedGeometric(Fraction("0.249"))}
DRAWS = 4_000
LEVEL = Fraction(95, 100)


def made(law, part: tuple[int, int], pair: tuple[int, int], level: Fraction):
    """Differences of the share of a part (4 cells of 10) and of a ratio of two counts of 1 and 8 cells; p-values."""
    noise = draw(law, 4 * DRAWS * 8, recorded_bits(f"{part} {pair}")).reshape(4, DRAWS, 8)
    x, rest = (noise[place, :, :size].sum(axis=1) for place, size in ((0, 4), (1, 6)))
    one, other = noise[2, :, 0], noise[3].sum(axis=1)
    shapes = pair_of(law, 4, 10, 4), pair_of(law, 1, 8)
    counts = ((part[0] + x, sum(part) + x + rest), (pair[0] + one, pair[1] + other))
    each = [ratio(shape, *pairs, (1 + level) / 2) for shape, pairs in zip(shapes, counts, strict=True)]
    first, second = (
        NoisyRatios(one.astype(float), other.astype(float), np.full(DRAWS, place))
        for place, (one, other) in enumerate(counts)
    )
    return ratio_differences(*each), equal_ratio_chances(first, second, shapes)


@pytest.mark.parametrize(("part", "pair"), [((30, 270), (60, 600)), ((400, 400), (100, 250)), ((0, 200), (0, 500))])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_differences_are_covered_and_equal_ratios_are_seldom_called_different(law, part, pair):
    """The union bound keeps 95 %, and the p-value its promise, with room to spare; no interval misses nothing."""
    found, chances = made(law, part, pair, LEVEL)
    true = part[0] / sum(part) - pair[0] / pair[1]
    assert ((found.lows > true) | (found.highs < true)).mean() <= 0.05
    usable = ~np.isnan(found.lows)
    assert usable.mean() > 0.5
    if true == 0:
        assert (chances[usable] <= 0.2).sum() <= 0.2 * DRAWS


@pytest.mark.parametrize("level", [Fraction(1, 2), LEVEL], ids=str)
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_p_value_is_small_just_where_the_intervals_of_both_ratios_do_not_meet(law, level):
    found, chances = made(law, (200, 400), (110, 250), level)
    usable, apart = ~np.isnan(found.lows), (found.lows > 0) | (found.highs < 0)
    is_small = chances <= 1 - float(level)
    assert not (usable & is_small & ~apart).any()
    assert (usable & (is_small == apart)).sum() >= 0.995 * usable.sum()
    assert 0.05 * DRAWS < apart.sum() < 0.95 * DRAWS


def test_noise_that_is_too_wide_to_convolve_has_a_wider_interval():
    law = TwoSidedGeometric(Fraction(1, 10**6))
    shape = pair_of(law, 1, 1)
    found = ratio(shape, np.array([10**8]), np.array([10**8]), LEVEL)
    narrow = ratio(pair_of(LAWS["zcdp"], 1, 1), np.array([397]), np.array([397]), LEVEL)
    assert 1 < (found.highs[0] - found.lows[0]) / (narrow.highs[0] - narrow.lows[0]) < 3
