"""Sums of the noisy totals of groups without a table, in families in which others have one."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.laws.noise import noise_law
from safetab_sql.laws.quantiles import variance
from safetab_sql.mechanisms.remainders import remainders
from safetab_sql.public.catalog import members_of_families
from safetab_sql.settings.ladders import level_of_name
from tests.plans import PlannedLevel, plan_with
from tests.statistics import recorded_bits

ITERATIONS, FIRST, LIMIT = 2, 100, 12
PARENTS = np.array([7, 9, 7, -1, 7, 9])  # of six regions: three divide region 7, two region 9, one divides none


def planned(rho: Fraction):
    level = PlannedLevel(
        *(1, level_of_name("COUNTY-2"), PARENTS.size, ITERATIONS, FIRST),
        total_only={1: np.zeros(ITERATIONS, dtype=np.bool_)},
        stability=1,
        is_exact=True,
        parents=PARENTS,
        thresholds=(50,),
    )
    return replace(plan_with(level, [noise_law("zcdp", rho)] * 3, LIMIT), publishes_remainders=True)


def group(region: int, iteration: int) -> int:
    return FIRST + ITERATIONS * region + iteration


NONE = np.empty(0, dtype=np.int64)


def test_a_family_without_a_table_has_no_remainder():
    found = remainders(planned(Fraction(10**6)), NONE, [(np.array([group(0, 0)]), np.array([5]))], recorded_bits("0"))
    assert found.groups.size == 0


def test_groups_without_a_table_are_added_up_by_parent_and_iteration_whether_they_have_people_or_not():
    plan = planned(Fraction(10**6))
    tables = np.array([group(0, 0), group(1, 1), group(3, 0), group(5, 1)])  # region 9 has tables alone in iteration 1
    blocks = [(np.array([group(2, 0), group(2, 1)]), np.array([20, 30])), (np.array([group(5, 0)]), np.array([40]))]
    found = remainders(plan, tables, blocks, recorded_bits("sums"))
    columns = (found.parents, found.iterations, found.groups, found.sums)
    assert [each.tolist() for each in columns] == [[7], [0], [2], [20]]
    assert members_of_families(plan.catalog, tables).tolist() == [
        *(group(0, 0), group(1, 1), group(2, 0), group(4, 0), group(5, 1)),
    ]


@pytest.mark.parametrize("rho", [Fraction(1, 100), Fraction(1, 2)])
def test_what_suppression_drops_is_drawn_given_that_it_is_dropped(rho):
    """With what it keeps, each group has one draw of the law: false alarm below 1e-6 on fresh bits (6 deviations)."""
    plan, tables, draws = planned(rho), np.array([group(1, 0)]), 4_000
    bits = recorded_bits("dropped")
    sums = np.array([remainders(plan, tables, [(NONE, NONE)], bits).sums[0] for _ in range(draws)])
    assert sums.max() <= LIMIT
    spread = float(variance(plan.calls.stage_2.law)) ** 0.5
    assert abs(sums.mean()) < 6 * spread / draws**0.5 + spread * 0.2
