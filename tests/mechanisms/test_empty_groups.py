"""Groups with nobody in them: the same law as drawing every one of them, from far fewer draws.

The recorded bits make every test here repeatable; on fresh bits each would raise a false alarm with chance
FALSE_ALARM.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from safetab_sql.laws.exceedance import Exceedance, ExceedanceCount
from safetab_sql.mechanisms import empty_groups
from safetab_sql.mechanisms.draw import draw
from safetab_sql.mechanisms.empty_groups import draws_below, empty_group_ids, exceeding_draws
from tests import statistics
from tests.statistics import FALSE_ALARM, CountedBits, gaussian, geometric, law_name, pmf, recorded_bits, support

SIZE = 200_000
GROUPS = 1_000_003
NARROW = gaussian(Fraction("1.5"))
SMALL_GROUPS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 1023, 1024, 1025]

# A bound that nearly half of the noise exceeds, bounds that little does, and one that hardly any does.
EXCEEDANCES = [
    Exceedance(NARROW, 0),
    Exceedance(gaussian(Fraction(24)), 20),
    Exceedance(geometric(Fraction(24)), 20),
    Exceedance(geometric(Fraction("5.6")), 60),
    Exceedance(gaussian(Fraction("1.5")), 12),
]


def name(value):
    if isinstance(value, Exceedance | ExceedanceCount):
        return f"{law_name(value.law)}-above-{value.above}"
    return None


def chance(law, above):
    """P(draw > above)."""
    return pmf(law)[support(law) > above].sum()


def given_above(exceedance):
    """P(k) for k = above + 1, above + 2, ... given draw > above."""
    probabilities = pmf(exceedance.law)[support(exceedance.law) > exceedance.above]
    return probabilities / probabilities.sum()


def binomial(count):
    """P(number = k) for k = 0, 1, ..., 20."""
    return stats.binom.pmf(np.arange(21), 2**count.log2_draws, chance(count.law, count.above))


def follows(draws, first, probabilities):
    """Chi-square, FALSE_ALARM: a cell for each value from `first` on while 50 draws are expected, then one for all."""
    cells = max(1, int(np.argmax(np.append(draws.size * probabilities, 0) < 50)))
    observed = np.bincount(np.clip(draws - first, -1, cells) + 1, minlength=cells + 2)
    expected = draws.size * np.append(probabilities[:cells], 1 - probabilities[:cells].sum())
    if observed[0] or (observed[-1] and expected[-1] <= 0):
        return False
    statistic = ((observed[1:] - expected) ** 2 / np.maximum(expected, 1e-9)).sum()
    return bool(stats.chi2.sf(statistic, cells) >= FALSE_ALARM)


def are_uniform(places, bins):
    """Chi-square, FALSE_ALARM, that places fall into `bins` equally likely bins alike."""
    return bool(stats.chisquare(np.bincount(places, minlength=bins)).pvalue >= FALSE_ALARM)


@pytest.mark.parametrize("exceedance", EXCEEDANCES, ids=name)
def test_noise_given_that_it_exceeds_a_bound_follows_its_law(exceedance):
    assert follows(draw(exceedance, SIZE, recorded_bits("noise")), exceedance.above + 1, given_above(exceedance))


COUNTS = [
    ExceedanceCount(NARROW, 0, 0),
    ExceedanceCount(NARROW, 0, 1),
    ExceedanceCount(gaussian(Fraction(24)), 20, 2),
    ExceedanceCount(geometric(Fraction(24)), 80, 7),
    ExceedanceCount(gaussian(Fraction(24)), 80, 11),
]


@pytest.mark.parametrize("count", COUNTS, ids=name)
def test_the_number_of_draws_that_exceed_a_bound_is_binomial(count):
    assert follows(draw(count, SIZE, recorded_bits("number")), 0, binomial(count))


@pytest.mark.parametrize("law", [EXCEEDANCES[0], Exceedance(geometric(Fraction("5.6")), 4), *COUNTS[1:]], ids=name)
def test_short_words_are_refined_into_the_same_law(law):
    bits, is_count = CountedBits("short"), isinstance(law, ExceedanceCount)
    drawn = draw(law, 100_000 if is_count else 10_000, bits, word_bits=8)
    assert bits.bytes > 1.02 * drawn.size
    assert follows(drawn, 0, binomial(law)) if is_count else follows(drawn, law.above + 1, given_above(law))


WRONG = {
    # Surely: the least value never comes.
    "a bound off by one": lambda right: Exceedance(right.law, right.above + 1),
    # Power above 0.9999 at 200,000 draws; beyond 8 standard deviations too few values are left to tell.
    "noise five percent too wide": lambda right: Exceedance(
        statistics.widened(right.law, Fraction(21, 20)), right.above
    ),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("exceedance", EXCEEDANCES[:4], ids=name)
def test_another_law_is_noticed_in_the_noise(exceedance, wrong):
    draws = draw(wrong(exceedance), SIZE, recorded_bits("wrong"))
    assert not follows(draws, exceedance.above + 1, given_above(exceedance))


@pytest.mark.parametrize("exceedance", EXCEEDANCES, ids=name)
@pytest.mark.parametrize("groups", [*SMALL_GROUPS, 99_991])
def test_places_are_distinct_sorted_and_in_range(exceedance, groups):
    places, noise = exceeding_draws(exceedance.law, exceedance.above, groups, recorded_bits(f"places {groups}"))
    assert places.tolist() == sorted(set(places.tolist()) & set(range(groups)))
    assert places.size == noise.size
    assert places.dtype == noise.dtype == np.int64


@cache
def hit(exceedance, groups):
    """Places and noise on recorded bits, which the tests share."""
    return exceeding_draws(exceedance.law, exceedance.above, groups, recorded_bits(f"hit {groups}"))


@pytest.mark.parametrize("exceedance", EXCEEDANCES[:4], ids=name)
@pytest.mark.each_time("DiscreteGaussian-0.222", "TwoSidedGeometric-0.252")
def test_the_number_of_places_is_binomial(exceedance):
    places, _ = hit(exceedance, GROUPS)
    expected = chance(exceedance.law, exceedance.above)
    assert stats.binomtest(places.size, GROUPS, expected).pvalue >= FALSE_ALARM


@pytest.mark.parametrize("exceedance", EXCEEDANCES[:4], ids=name)
@pytest.mark.each_time("DiscreteGaussian-0.222", "TwoSidedGeometric-0.252")
def test_noise_at_the_places_follows_its_law(exceedance):
    _, noise = hit(exceedance, GROUPS)
    assert follows(noise, exceedance.above + 1, given_above(exceedance))


SPREAD = [Exceedance(gaussian(Fraction(24)), 20), Exceedance(gaussian(Fraction(24)), 60)]  # blocks of 4 and 128


@pytest.mark.parametrize("exceedance", SPREAD, ids=name)
@pytest.mark.parametrize("bins", [2, 64, 83])
@pytest.mark.each_time("64-", "-60")
def test_places_are_spread_evenly(exceedance, bins):
    groups = 83 * 64 * 100
    places, _ = hit(exceedance, groups)
    assert are_uniform(places * bins // groups, bins)


@pytest.mark.parametrize("exceedance", SPREAD, ids=name)
@pytest.mark.parametrize("period", [2, 4, 8, 128, 256])
@pytest.mark.each_time("[2-", "[128-")
def test_places_do_not_cling_to_the_borders_of_blocks(exceedance, period):
    groups = 2**18
    places, _ = hit(exceedance, groups)
    assert are_uniform(places % period, period)


def test_the_last_groups_that_fill_no_block_are_hit_like_the_others():
    """127 groups, 63 of them in blocks of 32, 16, 8, 4, 2 and 1: every one is hit alike."""
    law, above = gaussian(Fraction(24)), 51  # about one in 64
    bits = recorded_bits("remainder")
    places = np.concatenate([exceeding_draws(law, above, 127, bits)[0] for _ in range(1500)])
    assert are_uniform(places, 127)


def test_neighbouring_places_are_hit_independently():
    """Contingency table of a group and the one a distance further on, across and within blocks of 4."""
    is_hit = np.zeros(300_001, dtype=np.int64)
    is_hit[hit(SPREAD[0], 300_001)[0]] = 1
    tables = [np.bincount(2 * is_hit[:-far] + is_hit[far:], minlength=4).reshape(2, 2) for far in (1, 2, 3, 4, 5)]
    assert min(stats.chi2_contingency(table).pvalue for table in tables) >= FALSE_ALARM / len(tables)


def test_noise_does_not_depend_on_its_place():
    places, noise = hit(SPREAD[0], 300_001)
    table = np.bincount(8 * (places % 8) + np.clip(noise - SPREAD[0].above - 1, 0, 35) // 5, minlength=64).reshape(8, 8)
    assert stats.chi2_contingency(table).pvalue >= FALSE_ALARM


CALLS = 2000
SETS = [(above, groups) for above in (0, 1) for groups in (1, 2, 3, 4, 7)]


def sets_of_places(law, above, groups, recording):
    """How often each set of places came."""
    bits = recorded_bits(recording)
    return Counter(tuple(exceeding_draws(law, above, groups, bits)[0].tolist()) for _ in range(CALLS))


def set_law_fits(found, above, groups):
    """Chi-square, FALSE_ALARM, of p^n (1 - p)^(groups - n) for each set of n places; rare sets put together."""
    p = chance(NARROW, above)
    likely, rest = [], CALLS
    for size in range(groups + 1):
        expected = CALLS * p**size * (1 - p) ** (groups - size)
        if expected >= 20:
            likely += [(found[places], expected) for places in combinations(range(groups), size)]
    rest = CALLS - sum(seen for seen, _ in likely), CALLS - sum(expected for _, expected in likely)
    observed, expected = np.array([*likely, rest] if rest[1] > 1 else likely).T
    return bool(stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue >= FALSE_ALARM)


@pytest.mark.parametrize(("above", "groups"), SETS)
@pytest.mark.each_time("0-3", "1-4")
def test_every_set_of_places_comes_as_often_as_if_each_group_were_drawn(above, groups):
    assert set_law_fits(sets_of_places(NARROW, above, groups, f"sets {above} {groups}"), above, groups)


@pytest.mark.planted("empty-groups")
def test_places_that_are_not_kept_apart_are_noticed(monkeypatch):
    """Two places of a block of two that fall together count as one."""

    def careless(owners, log2_block, bits):
        return np.frombuffer(bits(owners.size), dtype=np.uint8).astype(np.int64) % 2**log2_block

    monkeypatch.setattr(empty_groups, "_distinct_places", careless)
    bits = recorded_bits("careless")
    found = Counter(tuple(sorted(set(exceeding_draws(NARROW, 0, 4, bits)[0].tolist()))) for _ in range(CALLS))
    assert not set_law_fits(found, 0, 4)


@pytest.mark.parametrize("law", [gaussian(Fraction(1)), geometric(Fraction(1))], ids=law_name)
@pytest.mark.parametrize("groups", [1, GROUPS, 10**9, 2**40 + 1])
def test_an_impossible_bound_is_exceeded_nowhere_at_the_cost_of_a_few_bytes(law, groups):
    """A 16-bit word for each block, of which there is one for each binary digit of the number of groups, at most."""
    bits = CountedBits("impossible")
    places, noise = exceeding_draws(law, 10**6, groups, bits)
    assert (places.size, noise.size) == (0, 0)
    assert bits.bytes <= 2 * groups.bit_length()


def test_where_nothing_exceeds_a_bound_the_noise_beyond_it_is_not_tabulated(monkeypatch):
    """That table would take as many bits as the bound is unlikely: here, half a billion."""
    asked_for = []

    def noted(distribution, size, bits):
        asked_for.append(type(distribution))
        return draw(distribution, size, bits)

    monkeypatch.setattr(empty_groups, "draw", noted)
    exceeding_draws(gaussian(Fraction(1)), 10**6, GROUPS, recorded_bits("unlikely"))
    assert set(asked_for) == {ExceedanceCount}


@st.composite
def populated_levels(drawn):
    """First id, number of groups, ids of those with people."""
    first, groups = drawn(st.integers(0, 50)), drawn(st.integers(0, 30))
    people = drawn(st.sets(st.integers(first, first + groups - 1))) if groups else set()
    return first, groups, sorted(people)


@settings(max_examples=60)
@given(populated_levels())
def test_empty_groups_are_numbered_past_those_with_people(level):
    first, groups, people = level
    empty = [number for number in range(first, first + groups) if number not in people]
    ranks = np.arange(len(empty), dtype=np.int64)
    assert empty_group_ids(ranks, np.array(people, dtype=np.int64), first).tolist() == empty


@pytest.mark.parametrize("end", [1, 4])
def test_draws_below_an_end_follow_the_law_given_that_they_are(end):
    values = support(NARROW)
    wanted = np.where(values < end, pmf(NARROW), 0)
    draws = draws_below(NARROW, end, SIZE, recorded_bits("below"))
    assert draws.max() == end - 1
    seen = np.bincount(draws - values[0], minlength=values.size)[wanted * SIZE > 5]
    expected = (wanted / wanted.sum() * SIZE)[wanted * SIZE > 5]
    assert stats.chisquare(seen * expected.sum() / seen.sum(), expected).pvalue > FALSE_ALARM
