"""The audit of residuals: honest noise passes, noise of a greater loss than stated does not."""

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest

from safetab_sql.evaluation import epl
from safetab_sql.evaluation.epl import Estimator, LossAudit, LossTest, Residuals
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric, pmf_words

VALUES = np.array([-7, -3, -3, -2, -1, -1, -1, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 4, 5, 9])
QUARTER = TwoSidedGeometric(Fraction(1, 4))


def loss_at(values: np.ndarray, x: int, bandwidth: float) -> float:
    """log(p(x) / p(x + 1)) of the Gaussian kernel density, term by term."""

    def density(at: int) -> float:
        return sum(exp(-(((at - value) / bandwidth) ** 2) / 2) for value in values.tolist())

    return log(density(x) / density(x + 1))


def persons(residuals: Residuals, bandwidth: float, percentile: float = 95.0) -> Estimator:
    """The estimator whose bandwidth is so many persons for these residuals."""
    values = residuals.first + np.arange(residuals.counts.size)
    return Estimator(bandwidth / float(np.repeat(values, residuals.counts).std()), percentile)


def searched(values: np.ndarray, percentile: float) -> list[int]:
    """Every integer from one order statistic to the other."""
    ordered, left_out = sorted(values.tolist()), (100 - percentile) / 100 * values.size
    lowest = next(value for place, value in enumerate(ordered, start=1) if place >= left_out)
    highest = next(value for place, value in enumerate(ordered, start=1) if place >= values.size - left_out)
    return list(range(lowest, highest + 1))


@pytest.mark.parametrize("percentile", [75.0, 90.0, 95.0, 100.0])
@pytest.mark.parametrize("bandwidth", [0.8, 1.5, 3.0, 20.0], ids=["narrow", "middling", "wide", "very wide"])
def test_the_loss_is_the_largest_log_ratio_of_neighbouring_densities(bandwidth, percentile):
    expected = max(abs(loss_at(VALUES, x, bandwidth)) for x in searched(VALUES, percentile))
    residuals = epl.residuals_of(VALUES)
    estimator = persons(residuals, bandwidth, percentile)
    assert epl.empirical_privacy_loss(residuals, estimator) == pytest.approx(expected, rel=1e-6)


def test_a_value_that_never_occurs_beside_one_that_does_is_a_loss_without_bound():
    residuals = Residuals(0, np.array([5, 0, 5]))
    assert epl.empirical_privacy_loss(residuals, persons(residuals, 0.01)) == inf


@pytest.mark.parametrize("epsilon", ["0.05", "0.25", "1"])
def test_residuals_in_the_very_proportions_of_a_law_show_its_loss(epsilon):
    first, words = pmf_words(TwoSidedGeometric(Fraction(epsilon)))
    residuals = Residuals(first, np.array([word >> 16 for word in words], dtype=np.int64))
    found = epl.empirical_privacy_loss(residuals, Estimator(0.001))
    assert found == pytest.approx(float(epsilon), rel=1e-6)


@pytest.mark.parametrize("law", [QUARTER, DiscreteGaussian(Fraction(1, 50))], ids=["geometric", "gaussian"])
def test_the_stated_loss_is_the_log_ratio_of_neighbouring_probabilities(law):
    first, words = pmf_words(law)
    values = np.arange(-9, 9)
    expected = [log(words[x - first] / words[x + 1 - first]) for x in values.tolist()]
    assert epl.stated_losses(law, values) == pytest.approx(np.array(expected))


def test_a_law_is_searched_between_its_own_percentiles():
    tails = {k: exp(-k / 4) / (1 + exp(-1 / 4)) for k in range(20)}  # P(noise <= -k)
    lowest = -max(k for k, chance in tails.items() if chance >= 0.05)
    assert epl.law_range(QUARTER, Estimator()).tolist() == list(range(lowest, -lowest + 1))


@pytest.mark.parametrize("size", [40, 5_000], ids=["value by value", "all values at once"])
def test_simulated_sets_are_draws_of_the_law(size):
    """With its seed it never flickers; fresh ones would fail once in a million."""
    sets = list(epl.simulated(QUARTER, size, 50, np.random.default_rng(5)))
    total = sum(int(counts.sum()) for _, counts in sets)
    at_zero = sum(int(counts[:, -first].sum()) for first, counts in sets)
    share = (1 - exp(-1 / 4)) / (1 + exp(-1 / 4))
    assert total == 50 * size
    assert abs(at_zero - share * total) < 5 * (share * (1 - share) * total) ** 0.5


def test_a_bootstrap_draws_as_many_residuals_from_the_values_there_are():
    residuals = epl.residuals_of(np.array([-4, 3, 3, 3]))
    drawn = list(epl.bootstrapped(residuals, 300, np.random.default_rng(5)))
    values = {first + place for first, counts in drawn for place in np.flatnonzero(counts.sum(axis=0)).tolist()}
    assert values == {-4, 3}
    assert {int(size) for _, counts in drawn for size in counts.sum(axis=1)} == {4}


STATED = {"geometric": QUARTER, "gaussian": DiscreteGaussian(Fraction(1, 50))}
HALVED = {"geometric": TwoSidedGeometric(Fraction(1, 2)), "gaussian": DiscreteGaussian(Fraction(4, 50))}
EVERY_LAW = pytest.mark.parametrize("law", STATED)
VERDICTS = {
    **{f"honest {size}": (STATED, STATED, size, True) for size in (1_000, 2_663, 40_000)},
    **{f"half the width {size}": (HALVED, STATED, size, False) for size in (2_663, 40_000)},
    "wider": (STATED, HALVED, 2_663, True),
}


def audit(drawn: Law, stated: Law, size: int, seed: int) -> LossAudit:
    first, counts = next(epl.simulated(drawn, size, 1, np.random.default_rng(seed)))
    (found,) = epl.audit_losses([LossTest("COUNTY-2", "stage 2", stated, Residuals(first, counts[0]))], Estimator())
    return found


@EVERY_LAW
@pytest.mark.parametrize(("drawn", "stated", "size", "passes"), VERDICTS.values(), ids=VERDICTS)
def test_honest_noise_and_wider_noise_pass_and_noise_of_half_the_width_fails(law, drawn, stated, size, passes):
    assert audit(drawn[law], stated[law], size, seed=11).passes == passes


@EVERY_LAW
def test_the_lower_bound_comes_near_the_true_loss_where_there_are_many_residuals(law):
    found = audit(HALVED[law], STATED[law], 40_000, seed=11)
    true = float(abs(epl.stated_losses(HALVED[law], np.array([found.worst_x]))[0]))
    assert 1.3 * found.stated_loss_there < found.lower_bound_there < 1.3 * true


def test_a_spike_alone_is_noticed():
    """Every residual is honest, but one in twenty is replaced by 3."""
    first, counts = next(epl.simulated(STATED["geometric"], 20_000, 1, np.random.default_rng(11)))
    counts[0, 3 - first] += 1_000
    (found,) = epl.audit_losses([LossTest("", "", STATED["geometric"], Residuals(first, counts[0]))], Estimator())
    assert (found.passes, found.worst_x in (2, 3)) == (False, True)


def test_few_residuals_are_not_tested():
    residuals = Residuals(0, np.array([epl.FEWEST_RESIDUALS - 1]))
    assert epl.audit_losses([LossTest("", "", STATED["geometric"], residuals)], Estimator()) == []


@pytest.mark.slow
@EVERY_LAW
def test_honest_noise_fails_in_hardly_more_than_one_audit_in_a_hundred(law):
    """1 % is the claim; 300 audits fail more than 14 times with a chance below 1e-6."""
    verdicts = [audit(STATED[law], STATED[law], 1_500, seed).passes for seed in range(300)]
    assert verdicts.count(False) <= 14
