"""The audit of residuals: honest noise passes, noise of a greater loss than stated does not."""

from fractions import Fraction

import numpy as np
import pytest

from safetab_sql.evaluation.audit_epl import (
    FEWEST_RESIDUALS,
    Estimator,
    LossAudit,
    LossTest,
    Residuals,
    audit_losses,
    simulated,
    stated_losses,
)
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric

STATED = {"geometric": TwoSidedGeometric(Fraction(1, 4)), "gaussian": DiscreteGaussian(Fraction(1, 50))}
HALVED = {"geometric": TwoSidedGeometric(Fraction(1, 2)), "gaussian": DiscreteGaussian(Fraction(4, 50))}
SIZES = (1_000, 2_663, 40_000)
EVERY_LAW = pytest.mark.parametrize("law", STATED)


def audit(drawn: Law, stated: Law, size: int, seed: int) -> LossAudit:
    first, counts = next(simulated(drawn, size, 1, np.random.default_rng(seed)))
    (found,) = audit_losses([LossTest("COUNTY-2", "stage 2", stated, Residuals(first, counts[0]))], Estimator())
    return found


@EVERY_LAW
@pytest.mark.parametrize("size", SIZES)
def test_honest_noise_passes(law, size):
    assert audit(STATED[law], STATED[law], size, seed=11).passes


@EVERY_LAW
@pytest.mark.parametrize("size", SIZES[1:])
def test_noise_of_half_the_width_fails(law, size):
    assert not audit(HALVED[law], STATED[law], size, seed=11).passes


@EVERY_LAW
def test_noise_wider_than_stated_passes(law):
    assert audit(STATED[law], HALVED[law], 2_663, seed=11).passes


@EVERY_LAW
def test_the_lower_bound_comes_near_the_true_loss_where_there_are_many_residuals(law):
    found = audit(HALVED[law], STATED[law], 40_000, seed=11)
    true = float(abs(stated_losses(HALVED[law], np.array([found.worst_x]))[0]))
    assert 1.3 * found.stated_loss_there < found.lower_bound_there < 1.3 * true


def test_the_estimate_overshoots_and_so_does_its_bootstrap_though_the_noise_is_honest():
    found = audit(STATED["geometric"], STATED["geometric"], 2_663, seed=11)
    assert found.stated_loss == 0.25 < min(found.epl, found.epl_lower, found.honest_epl)


def test_a_spike_alone_is_noticed():
    """Every residual is honest, but one in twenty is replaced by 3."""
    first, counts = next(simulated(STATED["geometric"], 20_000, 1, np.random.default_rng(11)))
    counts[0, 3 - first] += 1_000
    (found,) = audit_losses([LossTest("", "", STATED["geometric"], Residuals(first, counts[0]))], Estimator())
    assert (found.passes, found.worst_x in (2, 3)) == (False, True)


def test_few_residuals_are_not_tested():
    residuals = Residuals(0, np.array([FEWEST_RESIDUALS - 1]))
    assert audit_losses([LossTest("", "", STATED["geometric"], residuals)], Estimator()) == []


def test_the_same_residuals_get_the_same_verdict():
    one, other = (audit(STATED["gaussian"], STATED["gaussian"], 1_000, seed=3) for _ in range(2))
    assert (one.epl_upper, one.lower_bound_there) == (other.epl_upper, other.lower_bound_there)


@pytest.mark.slow
@EVERY_LAW
def test_honest_noise_fails_in_hardly_more_than_one_audit_in_a_hundred(law):
    """1 % is the claim; 300 audits fail more than 14 times with a chance below 1e-6."""
    verdicts = [audit(STATED[law], STATED[law], 1_500, seed).passes for seed in range(300)]
    assert verdicts.count(False) <= 14
