"""Suppression keeps what it should, where it should, and leaves the noise of what it keeps alone.

Groups with nobody in them are drawn by those that survive; from outside they must look like all others. Recorded bits:
no test flickers.
"""

from fractions import Fraction

import duckdb
import numpy as np
import pytest
from scipy import stats

from tests.golden.conftest import PRODUCTION_LISTS
from tests.golden.releases import LOCAL_LEVELS, single_law
from tests.statistics import FALSE_ALARM, pmf, support, widened

CHANCE = 0.6  # so low that a third of the empty groups survive, and tests have something to see
LAW = single_law(LOCAL_LEVELS[0])  # of the totals of detailed iterations in all sub-state regions
THRESHOLD = int(support(LAW)[(pmf(LAW).cumsum() >= CHANCE).argmax()])
# One row per group of detailed iterations in sub-state regions; no group of us_small earns a table there.
_GROUPS = """
select exact.REGION_TYPE || exact.REGION_ID as region, exact.ITERATION_CODE as iteration, exact.COUNT as exact_count,
    coalesce(published.COUNT - exact.COUNT, 0) as error, published.COUNT is not null as is_published
from '{expected}/t1.parquet' as exact
inner join (
    from read_csv('{lists}/*-characteristic-iterations.txt', delim = '|', all_varchar = true, quote = '',
                  union_by_name = true)
    where LEVEL = '2'
) using (ITERATION_CODE)
left join '{out}/t1/*.parquet' as published using (REGION_TYPE, REGION_ID, ITERATION_CODE)
where exact.REGION_TYPE in ('COUNTY', 'TRACT', 'PLACE', 'AIANNH')
"""


@pytest.fixture(scope="module")
def groups(released, case):
    """Columns of _GROUPS of a run with suppression."""
    out = released("suppressed", zero_suppression_chance=CHANCE)
    query = _GROUPS.format(expected=case("us_small") / "expected", lists=PRODUCTION_LISTS, out=out)
    return duckdb.sql(query).fetchnumpy()


@pytest.fixture(scope="module")
def empty(groups):
    """The groups with nobody in them."""
    return {name: column[groups["exact_count"] == 0] for name, column in groups.items()}


def _chance_above(value: int) -> float:
    """P(noise > value)."""
    return float(pmf(LAW)[support(LAW) > value].sum())


def _follows_above(errors: np.ndarray, law, threshold: int) -> bool:
    """Whether `errors` follow `law` given that it exceeds `threshold`; chi-square, FALSE_ALARM."""
    tail = pmf(law)[support(law) > threshold]
    expected = errors.size * tail / tail.sum()
    cells = int((expected >= 50).sum())  # the tail falls: they are the first
    observed = np.bincount(np.minimum(errors - threshold - 1, cells - 1), minlength=cells)
    expected = np.append(expected[: cells - 1], expected[cells - 1 :].sum())
    return bool(stats.chi2.sf(((observed - expected) ** 2 / expected).sum(), cells - 1) >= FALSE_ALARM)


def test_nothing_up_to_the_threshold_is_published(groups):
    totals = (groups["exact_count"] + groups["error"])[groups["is_published"]]
    assert totals.min() == THRESHOLD + 1


def test_as_many_empty_groups_survive_as_the_noise_exceeds_the_threshold(empty):
    """False alarm 1e-6."""
    published, chance = int(empty["is_published"].sum()), _chance_above(THRESHOLD)
    assert stats.binomtest(published, empty["error"].size, chance).pvalue >= FALSE_ALARM


def test_a_threshold_off_by_one_would_be_noticed(empty):
    published = int(empty["is_published"].sum())
    for_others = [_chance_above(THRESHOLD + step) for step in (-1, 1)]
    assert max(stats.binomtest(published, empty["error"].size, chance).pvalue for chance in for_others) < FALSE_ALARM


def test_the_noise_of_surviving_empty_groups_is_the_law_above_the_threshold(empty):
    """False alarm 1e-6."""
    assert _follows_above(empty["error"][empty["is_published"]], LAW, THRESHOLD)


def test_surviving_noise_five_percent_too_wide_would_be_noticed(empty):
    assert not _follows_above(empty["error"][empty["is_published"]], widened(LAW, Fraction(20, 21)), THRESHOLD)


@pytest.mark.parametrize("by", ["region", "iteration"])
def test_every_region_and_every_iteration_has_its_share_of_published_empty_groups(empty, by):
    """False alarm 1e-6, by the chi-square approximation of binomial counts."""
    _, owners = np.unique(empty[by], return_inverse=True)
    chance = _chance_above(THRESHOLD)
    sizes = np.bincount(owners)
    published = np.bincount(owners, weights=empty["is_published"])
    square = ((published - sizes * chance) ** 2 / (sizes * chance * (1 - chance))).sum()
    assert 2 * min(stats.chi2.sf(square, sizes.size), stats.chi2.cdf(square, sizes.size)) >= FALSE_ALARM


def test_groups_with_people_survive_as_often_as_their_noisy_totals_exceed_the_threshold(groups):
    """False alarm 1e-6, by the normal approximation of a sum of thousands of coins."""
    people = groups["exact_count"][groups["exact_count"] > 0]
    chances = np.array([_chance_above(THRESHOLD - count) for count in people])
    published = groups["is_published"][groups["exact_count"] > 0].sum()
    deviation = np.sqrt((chances * (1 - chances)).sum())
    assert 2 * stats.norm.sf(abs(published - chances.sum()) / deviation) >= FALSE_ALARM
