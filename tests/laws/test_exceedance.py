"""Bounds of the laws of draws that exceed a bound hold, and are tight, at any precision."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safetab_sql.laws.exceedance import (
    Exceedance,
    ExceedanceCount,
    distribution_bounds,
    exceedance_bounds,
    exceedance_count_bounds,
    tail_bounds,
)
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric, cumulative_bounds
from tests.statistics import gaussian, geometric, high_precision_cumulative, law_name, laws

BUDGETS = st.fractions(min_value=Fraction(1, 30), max_value=2, max_denominator=10**9)
LAWS = st.one_of(st.builds(DiscreteGaussian, BUDGETS), st.builds(TwoSidedGeometric, BUDGETS))
ABOVE = st.integers(min_value=0, max_value=10)  # P(draw > above) from nearly 1/2 to 2^-350
PRECISIONS = st.integers(min_value=1, max_value=160)
EXCEEDANCES = st.builds(Exceedance, LAWS, ABOVE)
COUNTS = st.builds(ExceedanceCount, LAWS, ABOVE, st.integers(min_value=0, max_value=8))

# Blocks as they are dealt, 2^m * P(draw > above) <= 1; and blocks that hold hundreds of such draws.
DEALT = [
    ExceedanceCount(gaussian(Fraction(24)), 0, 1),
    ExceedanceCount(gaussian(Fraction(24)), 80, 11),
    ExceedanceCount(geometric(Fraction(24)), 300, 25),
    ExceedanceCount(gaussian(Fraction("1.5")), 10, 38),
]
FULL = [ExceedanceCount(gaussian(Fraction(24)), 20, 10), ExceedanceCount(geometric(Fraction("5.6")), 0, 9)]


def tail(law, above, precision):
    """P(draw > above) by mpmath; relative error far below 2^-precision."""
    (value,) = high_precision_cumulative(law, [-above - 1], precision + 400)
    return value


def exact_values(bounds, law, precision):
    """P(draw <= k, given draw > above), or P(number <= k), for every k of the bounds, by mpmath."""
    if isinstance(law, Exceedance):
        last = law.above + len(bounds.lower) - 1
        tails = high_precision_cumulative(law.law, range(-law.above - 1, -last - 2, -1), precision + 400)
        return [1 - value / tails[0] for value in tails]
    chance, draws = tail(law.law, law.above, precision), 2**law.log2_draws  # the binomial law, summed
    values = [mpmath.mpf(0)]
    for number in range(len(bounds.lower) - 1):
        term = comb(draws, number) * chance**number * (1 - chance) ** (draws - number)
        values.append(min(values[-1] + term, mpmath.mpf(1)))
    return values


def hold(bounds, values, precision):
    """Whether every value lies between its bounds."""
    triples = zip(bounds.lower, values, bounds.upper, strict=True)
    return all(lower <= value * 2**precision <= upper for lower, value, upper in triples)


def widths(bounds):
    return [upper - lower for lower, upper in zip(bounds.lower, bounds.upper, strict=True)]


@given(LAWS, ABOVE, PRECISIONS)
def test_the_chance_to_exceed_lies_within_its_bounds(law, above, precision):
    lower, upper = tail_bounds(law, above, precision)
    with mpmath.workprec(1500):
        assert lower <= tail(law, above, precision) * 2**precision <= upper


@pytest.mark.parametrize("law", laws([Fraction(1, 2), Fraction(24)]), ids=law_name)
def test_a_chance_too_small_for_the_table_is_less_than_one_unit(law):
    beyond = -cumulative_bounds(law, 64).first
    assert tail_bounds(law, beyond, 64) == (0, 1)
    assert tail_bounds(law, beyond - 1, 64) == (0, 1)
    assert tail_bounds(law, 10**12, 64) == (0, 1)


@pytest.mark.parametrize("distributions", [EXCEEDANCES, COUNTS], ids=["draw", "number"])
@settings(max_examples=settings().max_examples // 2)
@given(st.data(), PRECISIONS)
def test_bounds_hold_the_high_precision_value_at_every_entry_and_can_be_inverted(distributions, data, precision):
    """Drawing relies on ordered bounds, from 0 to 1, and on no word below the first nor above the last."""
    law = data.draw(distributions)
    bounds = distribution_bounds(law, precision)
    with mpmath.workprec(1500):
        assert hold(bounds, exact_values(bounds, law, precision), precision)
    assert (list(bounds.lower), list(bounds.upper)) == (sorted(bounds.lower), sorted(bounds.upper))
    assert (bounds.lower[0], bounds.upper[0]) == (0, 1)
    assert (bounds.lower[-1], bounds.upper[-1]) == (2**precision - 1, 2**precision)


@given(EXCEEDANCES, PRECISIONS)
def test_bounds_of_a_draw_that_exceeds_are_one_unit_apart_but_for_one_in_a_table(exceedance, precision):
    apart = widths(exceedance_bounds(exceedance, precision))
    assert set(apart) <= {1, 2}
    assert apart.count(2) <= 1


def test_a_bound_of_forty_standard_deviations_is_no_bar():
    exceedance = Exceedance(gaussian(Fraction(1)), 40)  # 2^-1160
    bounds = exceedance_bounds(exceedance, 64)
    with mpmath.workprec(6000):
        assert hold(bounds, exact_values(bounds, exceedance, 1500), 64)


@pytest.mark.parametrize("precision", [1, 8, 64, 72, 128, 192])
@pytest.mark.parametrize("count", [*DEALT, *FULL], ids=str)
@pytest.mark.each_time("-64]")
def test_bounds_of_a_number_among_many_draws_hold_at_every_entry(count, precision):
    bounds = exceedance_count_bounds(count, precision)
    with mpmath.workprec(1500):
        assert hold(bounds, exact_values(bounds, count, precision), precision)


@given(COUNTS, PRECISIONS)
def test_no_more_draws_exceed_than_there_are(count, precision):
    bounds = exceedance_count_bounds(count, precision)
    assert bounds.first == -1
    assert bounds.first + len(bounds.lower) - 1 <= 2**count.log2_draws


@pytest.mark.parametrize("precision", [8, 64, 128])
@pytest.mark.parametrize("count", DEALT, ids=str)
def test_bounds_of_a_number_of_draws_are_one_unit_apart(count, precision):
    """As blocks are dealt: roundings stay below 2^-50 units, so that only a chance of that order widens a gap."""
    assert set(widths(exceedance_count_bounds(count, precision))) == {1}
