"""What `reconcile` promises of its counts: right on average and within MOE95, whatever suppression chose.

Many releases of one county and its tracts, with suppression, reconciled, on recorded bits; on fresh bits each test
fails with a chance of FALSE_ALARM at most. Noise, choice of tables, suppression and least squares are those of a run
and of `reconcile`, on arrays: each release is an iteration of its own, for iterations do not bind one another.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

from safetab_sql.evaluation.epl import Estimator, LossTest, audit_losses, residuals_of
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric, noise_law, quantile, variance
from safetab_sql.mechanisms.draw import add_noise
from safetab_sql.mechanisms.tabulate import stat_levels
from safetab_sql.published.margins import sum_margin_of_error
from safetab_sql.reconciliation.forest import TOTAL, Groups, RegionTree, Statistics, forest
from safetab_sql.reconciliation.least_squares import ReconciledRows, reconciled_rows, solution, uniforms
from safetab_sql.reconciliation.tables import margins_of_rows
from safetab_sql.settings.budgets import PrivacyDefinition, stage_budgets
from safetab_sql.statistics.intervals import width
from tests.reconciliation.forests import sex_by_age
from tests.statistics import FALSE_ALARM, pmf, recorded_bits, support

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


# --- the promises ---


DRAWS = 4000
COUNTY, TRACT = 1, 0
WITH_TABLES = [case for case in CASES if "tables from" in case.name or case.integers]


@cache
def errors(number: int, region_type: int, *, has_rule: bool = True) -> Errors:
    return errors_of(replace(CASES[number], has_rule=has_rule), DRAWS, region_type)


def is_unbiased(found: np.ndarray) -> bool:
    """Normal test of thousands of errors; counts of one release may be correlated, so tracts are not for it."""
    return bool(2 * stats.norm.sf(abs(found.mean()) * math.sqrt(found.size) / found.std()) >= FALSE_ALARM)


def is_covered(inside: np.ndarray) -> bool:
    """Exact binomial test that at least 95 % are."""
    return bool(stats.binom.cdf(inside.sum(), inside.size, 0.95) >= FALSE_ALARM)


@pytest.mark.parametrize("number", [CASES.index(case) for case in WITH_TABLES], ids=lambda number: CASES[number].name)
@pytest.mark.each_time("one tract of 40", "pure DP")
def test_a_county_that_its_tracts_bind_is_right_on_average_and_within_its_margin(number):
    found = errors(number, COUNTY)
    assert found.reconciled.size > 300
    assert is_unbiased(found.reconciled)
    assert is_covered(found.reconciled_inside)


def test_tracts_whose_totals_survived_bind_no_county():
    """Three tracts of 21 people with threshold 21: all three totals survive in one release of ten."""
    found = errors(0, COUNTY)
    assert (found.reconciled.size, found.others.size) == (0, DRAWS)
    assert is_unbiased(found.others)
    assert is_covered(found.others_inside)


def test_a_county_bound_by_totals_that_survived_would_be_noticed():
    """As it was: 3.6 persons too many on average."""
    found = errors(0, COUNTY, has_rule=False)
    assert found.reconciled.mean() > 3
    assert not is_unbiased(found.reconciled)


def test_a_reconciled_state_is_right_on_average_and_within_its_margin_through_two_generations():
    nested = next(number for number, case in enumerate(CASES) if case.counties == 2)
    found = errors(nested, 2)
    assert is_unbiased(found.reconciled)
    assert is_covered(found.reconciled_inside)


@pytest.mark.parametrize(("loss", "passes"), [(1, True), (16, False)])
def test_a_reconciled_count_shows_no_greater_loss_than_its_variance_states(loss, passes):
    """COUNT itself, not NOISY_COUNT, against the Gaussian law of its VARIANCE: right code fails in 1 audit of 100."""
    found, variances = bound_totals(replace(CASES[1], loss=loss), DRAWS)
    law = DiscreteGaussian(1 / (2 * Fraction(variances[0])))
    values, counts = np.unique(np.floor(found + 0.5).astype(np.int64), return_counts=True)
    (made,) = audit_losses([LossTest("COUNTY-2", "reconciled", law, residuals_of(values, counts))], Estimator())
    assert (np.ptp(variances) < 1e-9, found.size, made.passes) == (True, DRAWS, passes)


def covered(law: DiscreteGaussian | TwoSidedGeometric, parts: int, cells: int) -> tuple[float, float]:
    """Exact coverage of a part's reconciled total by its margin, and by plain standard deviations.

    It is one of `parts` parts with one noise each, of a whole with `cells` noises: its error is G - (sum of all) / d,
    with d = parts + cells, which lies on a lattice of 1 / d.
    """
    one = pmf(law)
    others = np.ones(1)
    for _ in range(parts - 1 + cells):
        others = np.convolve(others, one)
    divisor, reach = parts + cells, one.size // 2
    spread = np.zeros((divisor - 1) * (one.size - 1) + 1)
    spread[:: divisor - 1] = one
    law_of_error = np.convolve(spread, others)
    values = (np.arange(law_of_error.size) - law_of_error.size // 2) / divisor
    variances = np.array([(values**2 * law_of_error).sum()])
    definition = "zcdp" if isinstance(law, DiscreteGaussian) else "puredp"
    assert reach == support(law)[-1]
    bounds = margins_of_rows(variances, definition)[0], width(definition) * math.sqrt(variances[0])
    first, second = (float(law_of_error[np.abs(values) <= bound + 1e-12].sum()) for bound in bounds)
    return first, second


FAMILIES = ((1, 1), (2, 1), (3, 1), (1, 8), (3, 8), (10, 1))


@pytest.mark.parametrize("deviation", ["0.1", "0.2", "0.3", "0.45", "0.55", "0.75", "1", "1.5", "2.3", "5.6"])
def test_the_margin_of_a_reconciled_count_covers_95_percent_of_discrete_gaussian_noise(deviation):
    law = DiscreteGaussian(1 / (2 * Fraction(deviation) ** 2))
    assert min(covered(law, *family)[0] for family in FAMILIES) >= 0.95


@pytest.mark.parametrize("epsilon", ["8", "5", "4", "3.1", "2.5", "2", "1.5", "1", "0.6"])
def test_the_margin_of_a_reconciled_count_covers_95_percent_of_two_sided_geometric_noise(epsilon):
    law = TwoSidedGeometric(Fraction(epsilon))
    assert min(covered(law, *family)[0] for family in FAMILIES) >= 0.95


def test_a_sum_of_laplace_noises_exceeds_its_margin_less_often_than_one_does():
    """P(|X| > m) = sum of A_i exp(-m / b_i), A_i = product of b_i^2 / (b_i^2 - b_j^2): 1/20 for one noise."""
    shares = np.random.default_rng(3).dirichlet(np.full(4, 0.5), 3000) / 2  # b_i^2; the variance is 1
    gaps = shares[:, :, None] - shares[:, None, :]
    apart = np.abs(gaps + np.eye(4)).min(axis=(1, 2)) > 1e-4
    gaps[:, range(4), range(4)] = shares
    factors = np.prod(shares[:, :, None] / gaps, axis=2)
    tails = (factors * np.exp(-width("puredp") / np.sqrt(shares))).sum(axis=1)[apart]
    assert (tails.size > 2000, tails.max() <= 0.05) == (True, True)
