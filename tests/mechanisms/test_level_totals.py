"""Totals of a level whose published empty groups are sampled directly have the law of totals drawn group by group.

Both ways are compared with one another and with the exact chances, in a setting where an empty group often reaches a
threshold (q is about 0.2) and often survives suppression (p is about 0.15). The recorded bits make every test here
repeatable; on fresh bits each would raise a false alarm with chance FALSE_ALARM.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from safetab_sql.laws.noise import DiscreteGaussian
from safetab_sql.mechanisms.tabulate import NoisyTotals, stat_levels
from safetab_sql.settings.ladders import PopulationGroupLevel
from tests.plans import PlannedLevel, level_totals, plan_with
from tests.statistics import FALSE_ALARM, gaussian, geometric, pmf, recorded_bits, same_law, support

STAGE_1, STAGE_2 = geometric(Fraction("5.6")), gaussian(Fraction("1.5"))
THRESHOLDS = (4, 6, 11)
SUPPRESSION = 1
LAWS = (STAGE_2, STAGE_1, STAGE_2)  # total_only, stage_1, stage_2
QUIET = DiscreteGaussian(Fraction(10**6))  # its noise is never seen

NOBODY = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
FIRST = 1000


def level(regions, iterations, first=FIRST, total_only=(), thresholds=THRESHOLDS):
    is_total_only = np.zeros(iterations, dtype=np.bool_)
    is_total_only[list(total_only)] = True
    return PlannedLevel(
        level_id=1,
        level=PopulationGroupLevel("COUNTY", "2"),
        thresholds=thresholds,
        regions=regions,
        iterations=iterations,
        first_population_group_id=first,
        total_only={1: is_total_only},
        stability=9,
        is_exact=True,
    )


LEVEL = level(regions=80, iterations=1000)
EVERY_TENTH = (
    np.arange(FIRST, FIRST + LEVEL.population_groups, 10, dtype=np.int64),
    np.arange(LEVEL.population_groups // 10, dtype=np.int64) % 17 + 1,
)
POPULATIONS = {"nobody": NOBODY, "somebody in every tenth group": EVERY_TENTH}


def between(people):
    """The ids and counts of `people`, range by range."""
    return lambda first, end: tuple(column[(people[0] >= first) & (people[0] < end)] for column in people)


def joined(blocks):
    """All blocks of a level as one, sorted by group id."""
    parts = list(blocks)
    none = np.empty(0, dtype=np.int64)  # a level without groups has no block
    columns = [np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in NoisyTotals.__slots__]
    for ids in (0, 2, 4):
        order = np.argsort(columns[ids])
        columns[ids], columns[ids + 1] = columns[ids][order], columns[ids + 1][order]
    return NoisyTotals(*columns)


def kept(totals, threshold):
    """The block without the totals that suppression drops."""
    kept = totals.stat_level_0_counts > threshold
    ids, counts = totals.stat_level_0_ids[kept], totals.stat_level_0_counts[kept]
    return replace(totals, stat_level_0_ids=ids, stat_level_0_counts=counts)


def all_totals(people, recording, threshold, laws=LAWS, at=LEVEL):
    plan = replace(plan_with(at, laws, threshold), publishes_stage_1=True)
    return joined(level_totals(between(people), plan, recorded_bits(recording)))


def sparse(people, recording, laws=LAWS, threshold=SUPPRESSION, at=LEVEL):
    """The totals that suppression keeps, with the published empty groups sampled directly."""
    return kept(all_totals(people, recording, threshold, laws, at), threshold)


def dense(people, recording, laws=LAWS, threshold=SUPPRESSION, at=LEVEL):
    """What survives suppression, every group drawn."""
    return kept(all_totals(people, recording, None, laws, at), threshold)


PATHS = {"sparse": sparse, "dense": dense}


@pytest.fixture(scope="module", params=POPULATIONS)
def both(request):
    """What survives either way."""
    people = POPULATIONS[request.param]
    return sparse(people, "sparse"), dense(people, "dense")


def same_share(first, second):
    """Whether two counts among the groups of LEVEL may have one chance; FALSE_ALARM."""
    groups = LEVEL.population_groups
    return stats.chi2_contingency([[first, groups - first], [second, groups - second]]).pvalue >= FALSE_ALARM


def same_shares(first, second):
    """Whether small numbers come alike in both; FALSE_ALARM. Those that hardly come at all are put together."""
    length = max(first.max(), second.max()) + 1
    table = np.array([np.bincount(first, minlength=length), np.bincount(second, minlength=length)])
    common = table.sum(axis=0) >= 20
    table = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
    return stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue >= FALSE_ALARM


AGREE = {
    "as many totals survive": (same_share, lambda totals: totals.stat_level_0_ids.size),
    "surviving totals lie alike": (same_law, lambda totals: totals.stat_level_0_ids),
    "surviving totals lie alike in regions": (same_shares, lambda totals: (totals.stat_level_0_ids - FIRST) % 20),
    "surviving totals are as large": (same_shares, lambda totals: totals.stat_level_0_counts),
    "as many groups earn a table": (same_share, lambda totals: totals.chosen_ids.size),
    "groups with a table lie alike": (same_law, lambda totals: totals.chosen_ids),
    "groups with a table lie alike in regions": (same_shares, lambda totals: (totals.chosen_ids - FIRST) % 20),
    "stage 1 falls short alike": (same_shares, lambda totals: THRESHOLDS[0] - totals.stat_level_0_stage_1),
    "stat levels are shared out alike": (same_shares, lambda totals: totals.chosen_stat_levels),
}


@pytest.mark.parametrize(("are_alike", "of"), AGREE.values(), ids=AGREE)
def test_both_ways_agree(both, are_alike, of):
    assert are_alike(*map(of, both))


OUTCOMES = 4  # nothing, a total of 2, a larger one, a table


def outcomes(totals, at):
    """What became of each group of a small level, as one number."""
    outcome = np.zeros(at.population_groups, dtype=np.int64)
    outcome[totals.stat_level_0_ids - at.first_population_group_id] = np.where(totals.stat_level_0_counts == 2, 1, 2)
    outcome[totals.chosen_ids - at.first_population_group_id] = 3
    return int(outcome @ OUTCOMES ** np.arange(at.population_groups))


@pytest.mark.slow
def test_whole_levels_come_alike_either_way():
    """Every way that four groups can turn out together, one of them with three people."""
    at, people = level(regions=2, iterations=2, first=7), (np.array([8]), np.array([3]))
    found = []
    for path in PATHS.values():
        bits = recorded_bits(f"whole levels, {path.__name__}")
        # One bit source for all calls: calls of one recording would all be the same.
        threshold = SUPPRESSION if path is sparse else None
        calls = [joined(level_totals(between(people), plan_with(at, LAWS, threshold), bits)) for _ in range(3000)]
        found.append(np.array([outcomes(kept(totals, SUPPRESSION), at) for totals in calls]))
    assert same_shares(*found)


Q = pmf(STAGE_1)[support(STAGE_1) >= THRESHOLDS[0]].sum()
P = pmf(STAGE_2)[support(STAGE_2) > SUPPRESSION].sum()


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_empty_groups_reach_thresholds_as_often_as_their_noise_does_and_else_survive_by_their_second_noise(path):
    found = path(NOBODY, "reaching")
    for size, chance in ((found.chosen_ids.size, Q), (found.stat_level_0_ids.size, (1 - Q) * P)):
        assert stats.binomtest(size, LEVEL.population_groups, chance).pvalue >= FALSE_ALARM
    reached = np.searchsorted(THRESHOLDS, support(STAGE_1), side="right")
    expected = np.array([pmf(STAGE_1)[reached == stat_level].sum() for stat_level in (1, 2, 3)])
    observed = np.bincount(found.chosen_stat_levels, minlength=4)[1:]
    assert stats.chisquare(observed, expected / expected.sum() * observed.sum()).pvalue >= FALSE_ALARM


def test_a_suppression_threshold_off_by_one_is_noticed():
    wrong = sparse(NOBODY, "sparse", threshold=SUPPRESSION + 1)
    assert not same_share(wrong.stat_level_0_ids.size, dense(NOBODY, "dense").stat_level_0_ids.size)


@pytest.mark.parametrize("thresholds", [(5, 6, 11), (4, 7, 11), (4, 6, 12)], ids=str)
def test_a_threshold_off_by_one_is_noticed(thresholds):
    wrong = sparse(NOBODY, "sparse", at=level(80, 1000, thresholds=thresholds))
    assert not same_shares(wrong.chosen_stat_levels, dense(NOBODY, "dense").chosen_stat_levels)


def every_id(totals):
    return np.concatenate([totals.stat_level_0_ids, totals.chosen_ids])


def test_every_group_that_comes_is_of_the_level_and_comes_once(both):
    ids = every_id(both[0])
    assert np.unique(ids).size == ids.size
    assert ids.min() >= FIRST
    assert ids.max() < FIRST + LEVEL.population_groups


def test_a_level_of_which_every_group_has_people_has_no_empty_ones():
    at = level(regions=3, iterations=4)
    people = (np.arange(FIRST, FIRST + 12, dtype=np.int64), np.full(12, 5, dtype=np.int64))
    ids = every_id(joined(level_totals(between(people), plan_with(at, LAWS, SUPPRESSION), recorded_bits("all"))))
    assert sorted(ids.tolist()) == people[0].tolist()


@given(
    st.integers(0, 20), st.integers(0, 5), st.integers(1, 5), st.dictionaries(st.integers(0, 60), st.integers(1, 20))
)
def test_groups_with_people_keep_their_own_totals_and_stat_levels(first, regions, iterations, people):
    """Without noise nothing else is left: not an empty group, nor one of another level."""
    at = level(regions, iterations, first)
    ids = np.array(sorted(people), dtype=np.int64)
    counts = np.array([people[number] for number in sorted(people)], dtype=np.int64)
    found = joined(level_totals(between((ids, counts)), plan_with(at, [QUIET] * 3, 0), recorded_bits("quiet")))
    ours = {number: count for number, count in people.items() if first <= number < first + regions * iterations}
    totals = dict(zip(found.stat_level_0_ids.tolist(), found.stat_level_0_counts.tolist(), strict=True))
    tables = dict(zip(found.chosen_ids.tolist(), found.chosen_stat_levels.tolist(), strict=True))
    assert totals == {number: count for number, count in ours.items() if count < 4}
    assert tables == {number: 1 + (count >= 6) + (count >= 11) for number, count in ours.items() if count >= 4}


FEW = level(regions=10, iterations=20)
ALONE = level(regions=10, iterations=20, total_only=range(20), thresholds=())
WIDE = DiscreteGaussian(Fraction(1, 2 * 10**12))


def number_drawn(threshold, at=FEW, laws=LAWS):
    """How many groups of the level come, before suppression drops any."""
    totals = joined(level_totals(between(NOBODY), plan_with(at, laws, threshold), recorded_bits("drawn")))
    return totals.total_only_ids.size + every_id(totals).size


def test_groups_that_nothing_would_come_of_are_not_drawn():
    assert number_drawn(SUPPRESSION) < FEW.population_groups


DRAWN_ONE_BY_ONE = {
    **{f"suppression of {threshold} keeps most": (threshold, FEW, LAWS) for threshold in (None, -1, -100)},
    **{f"most reach {first}": (SUPPRESSION, level(10, 20, thresholds=(first, 6, 11)), LAWS) for first in (0, -3)},
    "stage 1 is too wide for a table": (SUPPRESSION, FEW, (STAGE_2, WIDE, STAGE_2)),
    "stage 2 is too wide for a table": (SUPPRESSION, FEW, (STAGE_2, STAGE_1, WIDE)),
    "an iteration is total-only": (SUPPRESSION, level(10, 20, total_only=[3]), LAWS),
    "totals alone are too wide for a table": (SUPPRESSION, ALONE, (WIDE, STAGE_1, STAGE_2)),
    "suppression of -1 keeps most totals alone": (-1, ALONE, LAWS),
}


@pytest.mark.parametrize(("threshold", "at", "laws"), DRAWN_ONE_BY_ONE.values(), ids=DRAWN_ONE_BY_ONE)
def test_every_group_is_drawn_where(threshold, at, laws):
    assert number_drawn(threshold, at, laws) == FEW.population_groups


def test_totals_alone_that_survive_have_the_law_of_totals_drawn_one_by_one():
    """Both ways: which groups survive, and with what noise; FALSE_ALARM each."""
    at = level(regions=80, iterations=1000, total_only=range(1000), thresholds=())
    laws = (STAGE_2, QUIET, QUIET)
    found = [
        joined(level_totals(between(EVERY_TENTH), plan_with(at, laws, threshold), recorded_bits(f"alone {threshold}")))
        for threshold in (SUPPRESSION, None)
    ]
    assert found[0].total_only_ids.size < at.population_groups // 3 < found[1].total_only_ids.size
    survivors = [one.total_only_counts[one.total_only_counts > SUPPRESSION] for one in found]
    assert same_share(*(one.size for one in survivors))
    assert same_shares(*survivors)
    assert all(every_id(one).size == 0 for one in found)


def test_the_least_bounds_at_which_the_published_empty_groups_are_sampled_directly():
    """A first threshold of 1 and a suppression threshold of 0: either noise exceeds them in less than half."""
    assert number_drawn(0, level(10, 20, thresholds=(1, 6, 11))) < FEW.population_groups


@pytest.mark.parametrize("groups", [10**4, 10**8])
def test_a_level_where_nothing_survives_gives_nothing_however_large_it_is(groups):
    """Drawn one by one, a hundred million groups would take minutes and gigabytes."""
    sigma_1 = gaussian(Fraction(1))
    at = level(groups // 100, 100, thresholds=(10**6, 10**7, 10**8))
    found = joined(level_totals(between(NOBODY), plan_with(at, [sigma_1] * 3, 10**6), recorded_bits("nothing")))
    assert every_id(found).size == 0


def test_no_exact_total_stands_for_a_stage_1_that_there_is_not():
    """Even if a plan asked for stage-1 totals of tables that no noise picks."""
    plan = plan_with(level(regions=3, iterations=4), LAWS, None)
    plan = replace(plan, calls=replace(plan.calls, stage_1=None), publishes_stage_1=True)
    people = np.arange(plan.catalog.first_population_group_id, plan.catalog.end_population_group_id), np.full(12, 777)
    found = list(level_totals(between(people), plan, recorded_bits("no stage 1")))
    assert [(each.chosen_ids.size, each.chosen_stage_1.tolist()) for each in found] == [(12, [0] * 12)]


LEVELS = {
    "a total equal to a threshold moves up": ((5, 20, 100), [-10, 0, 4, 5, 6, 19, 20, 99, 100, 10**12], "0001112233"),
    "equal thresholds are passed together": ((7, 7, 8), [6, 7, 8], "023"),
    "negative thresholds let every total above them in": ((-10, -5, -4), [-5, -4], "23"),
    "no population groups have no stat levels": ((1, 2, 3), [], ""),
}


@pytest.mark.parametrize(("thresholds", "totals", "levels"), LEVELS.values(), ids=LEVELS)
def test_noisy_totals_pick_the_stat_level_whose_threshold_they_reach(thresholds, totals, levels):
    found = stat_levels(np.array(totals, dtype=np.int64), thresholds)
    assert (found.tolist(), found.dtype) == (list(map(int, levels)), np.int8)
