"""The noise that production's parameters ask for, and the errors of a release of us_small beside the oracle's answers.

Laws are written down here from tabulation.md section 5, not asked of the package's run.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np

from safetab_sql.laws.noise import DiscreteGaussian, Law
from tests.golden.conftest import PRODUCTION_LISTS

GAMMA = Fraction("0.1")
STABILITY = 9
LEVEL_1, NATION_2, LOCAL_2 = Fraction("0.008"), Fraction("2.134"), Fraction("0.159")  # rho of a whole level
BUDGETS = {
    **{f"{region_type}-1": LEVEL_1 for region_type in ("USA", "STATE", "COUNTY", "TRACT", "PLACE")},
    **{f"{region_type}-2": NATION_2 for region_type in ("USA", "STATE")},
    **{f"{region_type}-2": LOCAL_2 for region_type in ("COUNTY", "TRACT", "PLACE", "AIANNH")},
}
LOCAL_LEVELS = [level for level, budget in BUDGETS.items() if budget == LOCAL_2]
Kind = tuple[str, str]  # level, and sort of row: see _ROWS


@dataclass(frozen=True)
class Rows:
    """Published rows of one level and sort: published minus exact persons, and stated half-widths."""

    errors: np.ndarray
    moe95: np.ndarray


def single_law(level: str) -> Law:
    """The noise of a count of the second stage: a total of stat level 0, or a cell."""
    return DiscreteGaussian((1 - GAMMA) * BUDGETS[level] / STABILITY)


def stage_1_law(level: str) -> Law:
    """The noise of the total that picks the statistic, and is never published."""
    return DiscreteGaussian(GAMMA * BUDGETS[level] / STABILITY)


# One row per level and sort of row. exact: the oracle's answers; published: those of the run.
_ROWS = """
with iterations as (
    from read_csv('{lists}/*-characteristic-iterations.txt', delim = '|', all_varchar = true, quote = '',
                  union_by_name = true)
),
groups_with_table as (select distinct REGION_TYPE, REGION_ID, ITERATION_CODE from '{out}/t2/*.parquet'),
t1 as (
    select REGION_TYPE, ITERATION_CODE, published.COUNT - exact.COUNT as error, MOE95,
        case when (REGION_TYPE, REGION_ID, ITERATION_CODE) in (from groups_with_table) then 'sum of a table'
            when DETAILED_ONLY = 'True' then 'total only' else 'total' end as sort
    from '{out}/t1/*.parquet' as published
    left join '{expected}/t1.parquet' as exact using (REGION_TYPE, REGION_ID, ITERATION_CODE)
    inner join iterations using (ITERATION_CODE)
),
t2 as (
    select REGION_TYPE, ITERATION_CODE, published.COUNT - exact.COUNT as error, MOE95,
        case AGESTART when '*' then 'sex marginal' else 'cell' end as sort
    from '{out}/t2/*.parquet' as published
    left join ( -- a tenth of the answers
        from '{expected}/t2.parquet' where REGION_TYPE in (select distinct REGION_TYPE from '{out}/t2/*.parquet')
    ) as exact
        using (REGION_TYPE, REGION_ID, ITERATION_CODE, AGESTART, AGEEND, SEX)
)
select REGION_TYPE || '-' || LEVEL as level_name, sort, list(error) as errors, list(MOE95) as moe95
from (from t1 union all by name from t2) inner join iterations using (ITERATION_CODE)
group by level_name, sort
"""


def rows_of(out: Path, expected: Path) -> dict[Kind, Rows]:
    found = duckdb.sql(_ROWS.format(lists=PRODUCTION_LISTS, out=out, expected=expected)).to_arrow_table()
    columns = (found[name] for name in ("level_name", "sort", "errors", "moe95"))
    return {
        (level.as_py(), sort.as_py()): Rows(errors.values.to_numpy(), moe95.values.to_numpy())
        for level, sort, errors, moe95 in zip(*columns, strict=True)
    }
