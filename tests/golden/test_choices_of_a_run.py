"""Stage 1, which is never published, has the noise that its budget pays for: seen in the statistics it chooses.

Recorded bits: no test flickers.
"""

from fractions import Fraction
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from scipy import stats

from safetab_sql.laws.cumulative import Law
from tests.golden.conftest import DETAILED, PRODUCTION_LISTS
from tests.golden.releases import stage_1_law
from tests.statistics import FALSE_ALARM, pmf, support, widened

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
