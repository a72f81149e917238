"""Many releases of one county and its tracts, with suppression, reconciled: how far off the published counts are.

Noise, choice of tables, suppression and least squares are those of a run and of `reconcile`, on arrays: each release
is an iteration of its own, for iterations do not bind one another.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np

from safetab_sql.laws.noise import noise_law, quantile, variance
from safetab_sql.mechanisms.draw import add_noise
from safetab_sql.mechanisms.tabulate import stat_levels
from safetab_sql.published.intervals import sum_margin_of_error
from safetab_sql.reconciliation.forest import TOTAL, Groups, RegionTree, Statistics, forest
from safetab_sql.reconciliation.least_squares import ReconciledRows, reconciled_rows, solution, uniforms
from safetab_sql.reconciliation.tables import margins_of_rows
from safetab_sql.settings.budgets import PrivacyDefinition, stage_budgets
from tests.reconciliation.forests import sex_by_age
from tests.statistics import recorded_bits

AGES = {
    1: (0, 18, 45, 65),
    2: (0, 5, 18, 25, 35, 45, 55, 65, 75),
    3: (0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85),
}


@dataclass(frozen=True, slots=True)
class Case:
    """Counties and their tracts: people of each tract, the budget of every level, and the parameters that matter.

    Several counties make up a state. has_rule: whether totals that survived suppression bind nothing, as they should.
    loss: how many times the stated loss the noise of published counts has.
    """

    name: str
    people: tuple[int, ...]
    definition: PrivacyDefinition = "zcdp"
    budget: Fraction = Fraction("0.159")
    chance: Fraction = Fraction("0.9999")
    thresholds: tuple[int, int, int] = (1000, 2000, 3000)
    counties: int = 1
    integers: bool = False
    has_rule: bool = True
    loss: int = 1


@dataclass(frozen=True, slots=True)
class Errors:
    """Of the published totals of one region type: estimate less exact count, and whether within MOE95.

    reconciled and released: of rows that a family binds. others: of all other published totals, as they stand after.
    """

    reconciled: np.ndarray
    reconciled_inside: np.ndarray
    released: np.ndarray
    released_inside: np.ndarray
    others: np.ndarray
    others_inside: np.ndarray


CASES = (
    Case("three tracts of 21, no tables", (21, 21, 21)),
    Case("three tracts of 21, no suppression", (21, 21, 21), chance=Fraction(0)),
    Case("three tracts of 21, tables from 21 on", (21, 21, 21), thresholds=(21, 2000, 3000)),
    Case("tracts of 40, 60, 25, tables from 30 on", (40, 60, 25), thresholds=(30, 60, 3000)),
    Case("one tract of 40, tables from 30 on", (40,), thresholds=(30, 60, 3000)),
    Case("2 counties of 2 tracts of 30, tables from 30 on", (30, 30, 30, 30), thresholds=(30, 80, 3000), counties=2),
    Case("the same in whole numbers", (30, 30, 30, 30), thresholds=(30, 80, 3000), counties=2, integers=True),
    Case("pure DP, no tables", (60, 60, 60), "puredp", Fraction("1.5")),
    Case("pure DP, tables from 60 on", (60, 60, 60), "puredp", Fraction("1.5"), thresholds=(60, 2000, 3000)),
)  # fmt: skip


@cache
def known_statistics() -> Statistics:
    """The three statistics of a release."""
    return sex_by_age(AGES)


def region_tree(case: Case) -> RegionTree:
    """Tracts, then counties, then their state, which is one more region where there are several counties."""
    tracts, counties = len(case.people), case.counties
    of_tract = tracts + np.arange(tracts) // (tracts // counties)
    top = [] if counties == 1 else [-1]
    above = -1 if counties == 1 else tracts + counties
    types = np.array([0] * tracts + [1] * counties + [2] * len(top))
    return RegionTree(
        (1, 2 if top else -1, -1)[: 2 + len(top)], types, np.array([*of_tract, *[above] * counties, *top])
    )


def exact_counts(case: Case) -> np.ndarray:
    """Of tracts, counties and, if there is one, the state."""
    people = np.array(case.people)
    counties = people.reshape(case.counties, -1).sum(axis=1)
    return np.concatenate([people, counties, [] if case.counties == 1 else [people.sum()]]).astype(np.int64)


def drawn_groups(case: Case, draws: int) -> Groups:
    """What `draws` releases publish, each as an iteration of its own."""
    budgets = stage_budgets(case.budget, 9, Fraction(1, 10))
    stage_1, stage_2 = (noise_law(case.definition, budget) for budget in (budgets.stage_1, budgets.stage_2))
    bits = recorded_bits(f"reconciled {case.name.removeprefix('the same')}")
    tree, exact, known = region_tree(case), exact_counts(case), known_statistics()
    regions = np.tile(np.arange(exact.size), draws)
    totals = np.tile(exact, draws)
    levels = stat_levels(add_noise(totals, stage_1, bits), case.thresholds).astype(np.int8)
    sizes = np.array(known.cells)[levels]
    firsts = np.cumsum(sizes) - sizes
    people = np.zeros(sizes.sum(), dtype=np.int64)
    people[firsts] = totals  # all in the first cell, which is as good as any
    counts = add_noise(people, noise_law(case.definition, case.loss * budgets.stage_2), bits)
    is_sub_state = tree.region_types[regions] < 2
    may_be_suppressed = (levels == 0) & is_sub_state & (case.chance > 0)
    limit = quantile(stage_2, case.chance) if case.chance else 0
    kept = ~may_be_suppressed | (counts[firsts] > limit)
    of_kept = np.repeat(kept, sizes)
    return Groups(
        iterations=np.repeat(np.arange(draws), exact.size)[kept],
        regions=regions[kept],
        stat_levels=levels[kept],
        variances=np.full(int(kept.sum()), float(variance(stage_2))),
        first_counts=np.cumsum(sizes[kept]) - sizes[kept],
        counts=counts[of_kept].astype(np.float64),
        are_evidence=~may_be_suppressed[kept],
    )


def errors_of(case: Case, draws: int, region_type: int) -> Errors:
    """The errors of the published totals of one region type in `draws` releases."""
    groups, tree, known = drawn_groups(case, draws), region_tree(case), known_statistics()
    budget = stage_budgets(case.budget, 9, Fraction(1, 10)).stage_2
    law = noise_law(case.definition, budget)
    own = np.add.reduceat(groups.counts, groups.first_counts) - exact_counts(case)[groups.regions]
    margins = np.array([float(sum_margin_of_error(law, cells)) for cells in known.cells])[groups.stat_levels]
    after, after_margins, is_bound = own.copy(), margins.copy(), np.zeros(own.size, dtype=np.bool_)
    given = groups if case.has_rule else replace(groups, are_evidence=np.ones(own.size, dtype=np.bool_))
    for part in _reconciled(given, tree, known, case):
        chosen = part.row_ids == TOTAL
        places = part.groups[chosen]
        after[places] = part.estimates[chosen] - exact_counts(case)[groups.regions[places]]
        after_margins[places] = margins_of_rows(part.variances[chosen], case.definition)
        is_bound[places] = True
    ours = tree.region_types[groups.regions] == region_type
    bound, others = ours & is_bound, ours & ~is_bound
    return Errors(
        after[bound], _inside(after, after_margins)[bound], own[bound], _inside(own, margins)[bound],
        after[others], _inside(after, after_margins)[others],
    )  # fmt: skip


def bound_totals(case: Case, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """The errors of the totals of one county in `draws` releases, as reconciled, and their VARIANCE."""
    groups, tree = drawn_groups(case, draws), region_tree(case)
    found = _reconciled(groups, tree, known_statistics(), case)
    rows, regions, estimates, variances = (
        np.concatenate(each)
        for each in zip(
            *((part.row_ids, groups.regions[part.groups], part.estimates, part.variances) for part in found),
            strict=True,
        )
    )
    chosen = (rows == TOTAL) & (tree.region_types[regions] == 1)
    return estimates[chosen] - exact_counts(case)[regions[chosen]], variances[chosen]


def _inside(errors: np.ndarray, margins: np.ndarray) -> np.ndarray:
    return np.abs(errors) <= margins + 1e-9


def _reconciled(groups: Groups, tree: RegionTree, known: Statistics, case: Case) -> list[ReconciledRows]:
    trees = forest(groups, tree)
    found = solution(groups, trees, known)
    draw = uniforms("suppressed releases", case.name) if case.integers else None
    return list(reconciled_rows(groups, trees, found, known, draw))
