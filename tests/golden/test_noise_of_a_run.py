"""The published counts of a run are the exact ones plus noise of the stated law, which also chooses and suppresses."""

from fractions import Fraction
from functools import cache
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from scipy import stats

from safetab_sql.laws.noise import Law
from tests.golden.conftest import CHANCE, DETAILED, PRODUCTION_LISTS
from tests.golden.releases import BUDGETS, LOCAL_LEVELS, Kind, Rows, rows_of, single_law, stage_1_law
from tests.statistics import FALSE_ALARM, fits, pmf, power, support, widened


@pytest.fixture(scope="session")
def production(released, case):
    """With production's parameters: nearly all rows are totals."""
    return rows_of(released("production"), case("us_small") / "expected")


@pytest.fixture(scope="session")
def detailed(detailed_out, case):
    """Three levels in which every stat level is common."""
    return rows_of(detailed_out, case("us_small") / "expected")


def has_scale(errors: np.ndarray, law: Law) -> bool:
    """Whether the sum of squares is within what `law` gives; sees the scale of a handful of draws.

    Chi-square approximation, good for the discrete Gaussians here, whose sigma is 1.5 or more. FALSE_ALARM.
    """
    values, probabilities = support(law), pmf(law)
    square = (errors.astype(float) ** 2).sum() / (probabilities @ values.astype(float) ** 2)
    return bool(2 * min(stats.chi2.cdf(square, errors.size), stats.chi2.sf(square, errors.size)) >= FALSE_ALARM)


def follows(errors: np.ndarray, law: Law) -> bool:
    """False alarm 2 FALSE_ALARM at most."""
    return has_scale(errors, law) and fits(errors, law)


@pytest.mark.parametrize("level", BUDGETS)
def test_totals_of_groups_that_earned_no_table_have_fresh_stage_2_noise(production, level):
    """False alarm 2e-6. Stage-1 noise would be three times as wide."""
    assert follows(production[level, "total"].errors, single_law(level))


@pytest.mark.parametrize("level", DETAILED)
def test_cells_have_stage_2_noise(detailed, level):
    """False alarm 2e-6."""
    assert follows(detailed[level, "cell"].errors, single_law(level))


def test_cells_of_a_production_run_have_stage_2_noise(production):
    """False alarm 2e-6."""
    assert follows(production["USA-2", "cell"].errors, single_law("USA-2"))


def _pooled(rows: dict[Kind, Rows], sort: str, levels: list[str]) -> np.ndarray:
    return np.concatenate([rows[level, sort].errors for level in levels])


def test_totals_of_all_levels_have_one_law_and_noise_two_percent_too_wide_is_noticed(production, detailed):
    """False alarm 2e-6."""
    assert follows(_pooled(production, "total", LOCAL_LEVELS), single_law(LOCAL_LEVELS[0]))
    # Power above 0.99: 159,000 sub-state totals of detailed iterations, and their cells in four states.
    totals, cells = _pooled(production, "total", LOCAL_LEVELS), detailed["STATE-2", "cell"].errors
    for level, errors in ((LOCAL_LEVELS[0], totals), ("STATE-2", cells)):
        law, narrower = single_law(level), widened(single_law(level), Fraction(50, 51))
        assert _power(law, narrower, errors.size) > 0.99
        assert not fits(errors, narrower)


def _power(true: Law, tested: Law, size: int) -> float:
    """Chance that `fits` rejects that draws of `true` follow `tested`."""
    wide = dict(zip(support(true).tolist(), pmf(true).tolist(), strict=True))
    return power(np.array([wide.get(value, 0.0) for value in support(tested).tolist()]), tested, size)


PRODUCTION_SORTS = [
    *((level, "total") for level in BUDGETS),
    *((level, "total only") for level in ("USA-1", "USA-2", "STATE-1", "STATE-2")),
    *(("USA-2", sort) for sort in ("cell", "sex marginal", "sum of a table")),
]
SORTS = ("total", "cell", "sex marginal", "sum of a table")  # some totals of counties are suppressed
DETAILED_SORTS = [(level, sort) for level in DETAILED for sort in SORTS if (level, sort) != ("COUNTY-1", "total")]


def covers(errors: np.ndarray, moe95: np.ndarray) -> bool:
    """Whether at least 95 % of errors are within their margins, or so few less that chance FALSE_ALARM does it."""
    return bool(stats.binom.cdf((np.abs(errors) <= moe95).sum(), errors.size, 0.95) >= FALSE_ALARM)


@pytest.mark.parametrize("kind", PRODUCTION_SORTS, ids="/".join)
def test_margins_of_error_cover_the_counts_of_a_production_run(production, kind):
    """False alarm 1e-6."""
    assert covers(production[kind].errors, production[kind].moe95)


@pytest.mark.parametrize("kind", DETAILED_SORTS, ids="/".join)
def test_margins_of_error_cover_counts_and_sums_of_tables(detailed, kind):
    """False alarm 1e-6."""
    assert covers(detailed[kind].errors, detailed[kind].moe95)


@pytest.mark.parametrize("sort", ["cell", "sex marginal", "sum of a table"])
def test_margins_a_tenth_too_narrow_are_noticed(detailed, sort):
    rows = detailed["STATE-2", sort]
    assert not covers(rows.errors, 0.9 * rows.moe95)


STAT_LEVELS = {8: 1, 18: 2, 46: 3}  # by number of cells
# One row per group of one level that may get a table.
_GROUPS = """
with tables as (
    select REGION_TYPE, REGION_ID, ITERATION_CODE, count(*) as cells
    from '{out}/t2/*.parquet'
    where AGESTART <> '*'
    group by REGION_TYPE, REGION_ID, ITERATION_CODE
)
select exact.COUNT as exact_count, coalesce(tables.cells, 0) as cells
from '{expected}/t1.parquet' as exact
inner join (
    from read_csv('{lists}/*-characteristic-iterations.txt', delim = '|', all_varchar = true, quote = '',
                  union_by_name = true)
    where LEVEL = '{iteration_level}' and DETAILED_ONLY = 'False'
) using (ITERATION_CODE)
left join tables using (REGION_TYPE, REGION_ID, ITERATION_CODE)
where exact.REGION_TYPE = '{region_type}'
"""


@pytest.fixture(scope="module")
def groups(detailed_out, case):
    """Exact totals and stat levels of the groups of a level."""

    def columns(name: str) -> tuple[np.ndarray, np.ndarray]:
        region_type, level = name.split("-")
        expected = case("us_small") / "expected"
        query = _GROUPS.format(
            out=detailed_out, expected=expected, lists=PRODUCTION_LISTS, region_type=region_type, iteration_level=level
        )
        found = duckdb.sql(query).fetchnumpy()
        return found["exact_count"], np.array([STAT_LEVELS.get(int(cells), 0) for cells in found["cells"]])

    return columns


def agrees(exact: np.ndarray, chosen: np.ndarray, law: Law, thresholds: tuple[int, int, int]) -> bool:
    """Whether each stat level is as common as noise of `law` makes it; four normal tests share FALSE_ALARM.

    The groups are independent coins, whose chances differ with their exact totals.
    """
    cumulative = np.append(0.0, pmf(law).cumsum())  # P(noise < k), k from the first value of `support`

    def chance_below(threshold: float) -> np.ndarray:
        position = np.clip(threshold - exact - support(law)[0], 0, cumulative.size - 1)
        return cumulative[position.astype(int)]

    edges = [np.zeros(exact.size), *(chance_below(threshold) for threshold in thresholds), np.ones(exact.size)]
    for stat_level, (below, above) in enumerate(pairwise(edges)):
        chances = above - below
        deviation = np.sqrt((chances * (1 - chances)).sum())
        if 2 * stats.norm.sf(abs((chosen == stat_level).sum() - chances.sum()) / deviation) < FALSE_ALARM / 4:
            return False
    return True


@pytest.mark.parametrize("level", DETAILED)
def test_every_statistic_is_chosen_as_often_as_the_noise_of_stage_1_makes_it(groups, level):
    """False alarm 1e-6."""
    assert agrees(*groups(level), law=stage_1_law(level), thresholds=DETAILED[level])


def test_noise_a_quarter_too_wide_and_thresholds_off_by_one_would_be_noticed(groups):
    right, limits = stage_1_law("STATE-2"), DETAILED["STATE-2"]
    for law, thresholds in ((widened(right, Fraction(4, 5)), limits), (right, (-3, 1, 5))):
        assert not agrees(*groups("STATE-2"), law=law, thresholds=thresholds)


LAW = single_law(LOCAL_LEVELS[0])  # of the totals of detailed iterations in all sub-state regions
THRESHOLD = int(support(LAW)[(pmf(LAW).cumsum() >= CHANCE).argmax()])
# One row per group of detailed iterations in sub-state regions; no group of us_small earns a table there.
SUPPRESSED__GROUPS = """
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
def groups_of_suppressed(detailed_out, case):
    """Columns of _GROUPS of a run with suppression."""
    query = SUPPRESSED__GROUPS.format(expected=case("us_small") / "expected", lists=PRODUCTION_LISTS, out=detailed_out)
    return duckdb.sql(query).fetchnumpy()


@pytest.fixture(scope="module")
def empty(groups_of_suppressed):
    """The groups with nobody in them."""
    return {name: column[groups_of_suppressed["exact_count"] == 0] for name, column in groups_of_suppressed.items()}


@cache
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


def test_nothing_up_to_the_threshold_is_published(groups_of_suppressed):
    totals = (groups_of_suppressed["exact_count"] + groups_of_suppressed["error"])[groups_of_suppressed["is_published"]]
    assert totals.min() == THRESHOLD + 1


def test_empty_groups_survive_as_often_and_with_the_noise_that_the_law_above_the_threshold_gives(empty):
    """False alarm 1e-6."""
    published, chance = int(empty["is_published"].sum()), _chance_above(THRESHOLD)
    assert stats.binomtest(published, empty["error"].size, chance).pvalue >= FALSE_ALARM
    published = int(empty["is_published"].sum())
    for_others = [_chance_above(THRESHOLD + step) for step in (-1, 1)]
    assert max(stats.binomtest(published, empty["error"].size, chance).pvalue for chance in for_others) < FALSE_ALARM
    # False alarm 1e-6.
    assert _follows_above(empty["error"][empty["is_published"]], LAW, THRESHOLD)
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


def test_groups_with_people_survive_as_often_as_their_noisy_totals_exceed_the_threshold(groups_of_suppressed):
    """False alarm 1e-6, by the normal approximation of a sum of thousands of coins."""
    people = groups_of_suppressed["exact_count"][groups_of_suppressed["exact_count"] > 0]
    chances = np.array([_chance_above(THRESHOLD - count) for count in people])
    published = groups_of_suppressed["is_published"][groups_of_suppressed["exact_count"] > 0].sum()
    deviation = np.sqrt((chances * (1 - chances)).sum())
    assert 2 * stats.norm.sf(abs(published - chances.sum()) / deviation) >= FALSE_ALARM
