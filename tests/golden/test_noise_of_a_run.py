"""The published counts of a run are the exact ones plus noise of the stated law, and within the stated margins.

The exact counts are the oracle's, the bits are recorded: no test flickers. On fresh bits each would raise a false
alarm with the chance that it states.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from safetab_sql.laws.cumulative import Law
from tests.golden.conftest import DETAILED
from tests.golden.releases import BUDGETS, LOCAL_LEVELS, Kind, Rows, rows_of, single_law
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


def test_totals_of_all_levels_with_one_budget_have_one_law(production):
    """False alarm 2e-6."""
    assert follows(_pooled(production, "total", LOCAL_LEVELS), single_law(LOCAL_LEVELS[0]))


def test_totals_and_cells_with_noise_two_percent_too_wide_are_noticed(production, detailed):
    """Power above 0.99: 159,000 sub-state totals of detailed iterations, and their cells in four states."""
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
DETAILED_SORTS = [(level, sort) for level in DETAILED for sort in ("total", "cell", "sex marginal", "sum of a table")]


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
