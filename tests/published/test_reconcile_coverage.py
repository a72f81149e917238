"""What `reconcile` promises of its counts: right on average and within MOE95, whatever suppression chose.

Simulated releases of one county on recorded bits; on fresh bits each test fails with a chance of FALSE_ALARM at most.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

from safetab_sql.evaluation.epl import Estimator, LossTest, audit_losses, residuals_of
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric
from safetab_sql.reconciliation.tables import margins_of_rows
from safetab_sql.statistics.intervals import width
from tests.published.suppressed_releases import CASES, Errors, bound_totals, errors_of
from tests.statistics import FALSE_ALARM, pmf, support

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
