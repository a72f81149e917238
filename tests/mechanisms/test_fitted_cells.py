"""Cells that are fitted to coarser tables: the joint law of total, sex and cells is the stated one.

The recorded bits make every test here repeatable; on fresh bits each would raise a false alarm with chance FALSE_ALARM.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from scipy import stats

from safetab_sql.accounting.plan import LevelCalls, LevelPlan, MechanismCall
from safetab_sql.laws.cumulative import Law, pmf_words
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.mechanisms.tabulate import tabulate_cells
from safetab_sql.public.measured import Measurement, measurement
from safetab_sql.settings.ladder_tables import TOTAL, CoarserTable, Statistic
from safetab_sql.settings.ladders import PopulationGroupLevel
from tests.plans import PlannedLevel, plan_with
from tests.statistics import FALSE_ALARM, recorded_bits

BUDGET = Fraction(8)
GROUPS = 50_000
EXACT = np.array([5, 0, 7, 1])  # sex by two ages of every group
STATISTIC = Statistic(
    "sex by age",
    (("SEX", "each"), ("AGE", "two")),
    (CoarserTable(Fraction(1, 4), table=TOTAL), CoarserTable(Fraction(1, 4), cells=(("SEX", "each"),))),
)
MEMBERS = ((0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 2, 3))


def plan() -> LevelPlan:
    level = PlannedLevel(1, PopulationGroupLevel("COUNTY", "2"), 1, 1, 0, {1: np.zeros(1, np.bool_)}, 1, True)
    usual = plan_with(level, [DiscreteGaussian(BUDGET)] * 3, None)
    calls = [
        MechanismCall("stage_2", share * BUDGET, DiscreteGaussian(share * BUDGET), 1, 1, name)
        for share, name in zip(STATISTIC.shares_of_tables, STATISTIC.names_of_tables, strict=True)
    ]
    both = LevelCalls(usual.calls.total_only, usual.calls.stage_1, usual.calls.stage_2, tuple(calls))
    return replace(usual, sizes=(4,), calls=both, measured=(measurement(STATISTIC, MEMBERS, "zcdp"),))


def released(of: LevelPlan, bits: str) -> np.ndarray:
    """Fitted cells of many groups, in parts: int64[groups, 4]."""
    groups = np.arange(GROUPS, dtype=np.int64)
    cells = (np.repeat(groups, 4), np.tile(np.arange(4), GROUPS), np.tile(EXACT, GROUPS))
    return np.vstack([block.noisy_counts for block in tabulate_cells(groups, cells, 1, of, recorded_bits(bits))])


@cache
def stated() -> dict[tuple[int, ...], float]:
    """The exact law of the four fitted cells: every combination of the seven draws, each as likely as its law says."""
    of = plan()
    found: Measurement = of.measured[0]
    laws = [of.calls.of_table(1)[table].law for table in found.table_of_draws.tolist()]
    chances: dict[tuple[int, ...], float] = {}
    for draws in product(*(likely(law) for law in laws)):
        cells = found.weights @ np.array([value for value, _ in draws]) + found.parts * EXACT
        key = tuple(cells.tolist())
        chances[key] = chances.get(key, 0.0) + float(np.prod([chance for _, chance in draws]))
    return chances


def likely(law: Law) -> list[tuple[int, float]]:
    """Values of noise with a chance above 1e-5."""
    first, words = pmf_words(law)
    return [(first + place, word / 2**64) for place, word in enumerate(words) if word / 2**64 > 1e-5]


def deviates(cells: np.ndarray) -> float:
    """The chance of a chi-square at least as large, of all combinations of cells that are expected 50 times or more."""
    keys, counts = np.unique(cells, axis=0, return_counts=True)
    seen = {tuple(key): int(count) for key, count in zip(keys.tolist(), counts.tolist(), strict=True)}
    often = {key: GROUPS * chance for key, chance in stated().items() if GROUPS * chance >= 50}
    rest = GROUPS - sum(often.values()), GROUPS - sum(seen.get(key, 0) for key in often)
    statistic = sum((seen.get(key, 0) - wanted) ** 2 / wanted for key, wanted in often.items())
    return float(stats.chi2.sf(statistic + (rest[1] - rest[0]) ** 2 / rest[0], len(often)))


def test_the_joint_law_of_fitted_cells_is_the_stated_one() -> None:
    cells = released(plan(), "fitted cells")
    assert len(stated()) > 1000
    assert deviates(cells) > FALSE_ALARM
    sums = np.array([cells.sum(axis=1), cells[:, :2].sum(axis=1)]) / plan().measured[0].parts
    assert np.abs(sums.mean(axis=1) - [13, 5]).max() < 0.03  # some 15 standard errors


def test_noise_of_another_budget_in_one_coarser_table_is_noticed() -> None:
    usual = plan()
    total, *others = usual.calls.tables
    wider = replace(total, law=DiscreteGaussian(total.budget * Fraction(9, 10)))
    assert (
        deviates(released(replace(usual, calls=replace(usual.calls, tables=(wider, *others))), "other")) < FALSE_ALARM
    )


def test_one_draw_for_two_tables_is_noticed() -> None:
    """A coarser table that is only the sum of its noisy cells would make the total as wide as theirs."""
    found = plan().measured[0]
    own = [law.law for law in plan().calls.of_table(1)]
    cells = EXACT + np.round(np.random.default_rng(3).normal(0, (1 / (4 * 2)) ** 0.5, (GROUPS, 4))).astype(np.int64)
    assert len(own) == 3
    assert deviates(found.fitted(found.sums(cells), cells)) < FALSE_ALARM
