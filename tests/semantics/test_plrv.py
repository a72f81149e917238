"""Privacy loss random variables against sums over all noises in high precision."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from docs.reproductions.kifer.losses import (
    chance_above,
    chance_at_most,
    composed,
    from_outcomes,
    gaussian_loss_cdf,
    gaussian_loss_quantile,
    gaussian_rho,
    loss_mean,
    loss_quantile,
    loss_variance,
    randomised_response,
    renyi_divergence,
    reversed_pair,
    self_composed,
)
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.semantics.composition import discrete_gaussian, geometric, noise_pair
from tests.accounting.settings import gaussian_chances

RHO = Fraction("0.31")


def test_randomised_response_loses_epsilon_or_gains_it():
    pair = randomised_response(Fraction(2))
    assert pair.losses.tolist() == [-2, 2]
    assert pair.first.tolist() == pytest.approx([1 / (1 + math.e**2), math.e**2 / (1 + math.e**2)], rel=1e-14)


@pytest.mark.parametrize("shift", [1, 2, 5])
def test_geometric_noise_has_the_losses_of_a_sum_over_all_noises(shift):
    t = mpmath.exp(mpmath.mpf("-0.7"))
    chances = {k: (1 - t) / (1 + t) * t ** abs(k) for k in range(-200, 201)}
    wanted: dict[int, mpmath.mpf] = {}
    for k, chance in chances.items():
        wanted[abs(k - shift) - abs(k)] = wanted.get(abs(k - shift) - abs(k), 0) + chance
    pair = geometric(Fraction("0.7"), shift)
    assert pair.losses == pytest.approx([0.7 * steps for steps in sorted(wanted)])
    assert pair.first == pytest.approx([float(wanted[steps]) for steps in sorted(wanted)], abs=1e-14)


@pytest.mark.parametrize("shift", [1, 3])
def test_discrete_gaussian_noise_has_the_losses_of_a_sum_over_all_noises(shift):
    chances = gaussian_chances(RHO, 40)
    pair = discrete_gaussian(RHO, shift)
    wanted = [
        float(mpmath.fsum(p for k, p in chances.items() if float(RHO) * (shift**2 - 2 * k * shift) > loss))
        for loss in (-2.1, 0.2, 3.3)
    ]
    assert [chance_above(pair, loss) for loss in (-2.1, 0.2, 3.3)] == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize(
    "law", [DiscreteGaussian(RHO), TwoSidedGeometric(Fraction("0.7"))], ids=["gaussian", "geometric"]
)
def test_the_losses_are_the_logarithms_of_the_chances_and_the_same_with_the_inputs_exchanged(law):
    pair = noise_pair(law)
    likely = (pair.first > 1e-9) & (pair.second > 1e-9)
    assert np.log(pair.first[likely] / pair.second[likely]) == pytest.approx(pair.losses[likely], abs=1e-9)
    other = reversed_pair(pair)
    assert other.first == pytest.approx(pair.first, abs=1e-18)
    assert other.losses == pytest.approx(pair.losses)


def test_the_reversed_pair_of_an_asymmetric_mechanism_is_another():
    pair = from_outcomes([0.5, 0.5, 0.0], [0.1, 0.6, 0.3])
    other = reversed_pair(pair)
    assert (pair.only_first, pair.only_second) == (0, 0.3)
    assert (other.only_first, other.only_second) == (0.3, 0)
    assert other.losses.tolist() == (-pair.losses[::-1]).tolist()


def test_two_mechanisms_with_equal_losses_for_one_person_differ_for_a_group():
    alone, counted = randomised_response(Fraction(1)), geometric(Fraction(1), shift=1)
    assert alone.losses.tolist() == counted.losses.tolist()
    assert alone.first == pytest.approx(counted.first, rel=1e-14)
    both, counted_both = self_composed(alone, 2), geometric(Fraction(1), shift=2)
    assert both.losses == pytest.approx(counted_both.losses)
    assert abs(both.first - counted_both.first).max() > 0.1


def test_losses_of_a_composition_add():
    total = composed(geometric(Fraction(1), 1), geometric(Fraction("0.5"), 1))
    assert total.losses == pytest.approx([-1.5, -0.5, 0.5, 1.5])
    high, low = (1 / (1 + math.exp(-epsilon)) for epsilon in (1, 0.5))
    assert total.first[-1] == pytest.approx(high * low)
    assert total.first.sum() == pytest.approx(1, abs=1e-15)


def test_equal_losses_of_a_composition_are_one_loss():
    assert self_composed(geometric(Fraction("0.1"), 1), 30).losses.size == 31


def test_a_composition_too_large_to_multiply_out_is_refused():
    wide = discrete_gaussian(Fraction("0.00002"), 1)
    with pytest.raises(ValueError, match="too many losses"):
        composed(wide, wide)


def test_the_distribution_function_counts_the_loss_itself():
    pair = geometric(Fraction(1), 2)
    assert chance_at_most(pair, 0.0) == pytest.approx(1 - chance_above(pair, 0.0))
    assert chance_at_most(pair, -0.001) < chance_at_most(pair, 0.0)


@pytest.mark.parametrize(("chance", "loss"), [(0.09, -2), (0.2, 0), (0.2689, 0), (0.27, 2), (1.0, 2)])
def test_a_quantile_is_the_smallest_loss_with_its_chance(chance, loss):
    assert loss_quantile(geometric(Fraction(1), 2), chance) == loss


def test_a_quantile_beyond_all_finite_losses_is_infinite():
    assert loss_quantile(from_outcomes([0.9, 0.1, 0.0], [0.9, 0.0, 0.1]), 0.95) == math.inf


def test_wide_discrete_gaussian_noise_has_the_moments_of_gaussian_noise():
    pair = discrete_gaussian(Fraction("0.01"), 1)
    assert (loss_mean(pair), loss_variance(pair)) == pytest.approx((0.01, 0.02), rel=1e-12)


def test_narrow_discrete_gaussian_noise_has_less_variance():
    pair = discrete_gaussian(Fraction("2.63"), 1)
    assert loss_mean(pair) == pytest.approx(2.63, abs=1e-12)
    assert loss_variance(pair) < 0.7 * 5.26


def test_moments_are_infinite_where_an_output_gives_the_input_away():
    pair = from_outcomes([0.9, 0.1], [1.0, 0.0])
    assert (loss_mean(pair), loss_variance(pair), renyi_divergence(pair, 2.0)) == (math.inf, math.inf, math.inf)


@pytest.mark.parametrize("alpha", [1.5, 2.0, 8.0])
def test_discrete_gaussian_noise_has_at_most_the_renyi_divergence_of_zcdp(alpha):
    assert renyi_divergence(discrete_gaussian(RHO, 1), alpha) <= alpha * float(RHO) + 1e-12


def test_renyi_divergence_of_geometric_noise_is_the_accountants():
    from safetab_sql.accounting.accountants import geometric_rdp

    wanted = geometric_rdp(Fraction("0.7"), Fraction(3))
    assert renyi_divergence(geometric(Fraction("0.7"), 1), 3.0) == pytest.approx(float(wanted), rel=1e-12)


def test_the_gaussian_loss_is_normal_with_mean_rho_and_variance_two_rho():
    draws = np.random.default_rng(7).normal(0, 1, 200_000)
    rho = 0.5  # sigma 1
    losses = (1 - 2 * draws) / 2
    assert gaussian_loss_cdf(rho, 1.0) == pytest.approx((losses <= 1).mean(), abs=0.006)  # 5 standard errors
    assert gaussian_loss_cdf(rho, gaussian_loss_quantile(rho, 0.3)) == pytest.approx(0.3, rel=1e-12)


def test_a_group_of_two_has_four_times_the_rho():
    assert gaussian_rho(2.63, 2) == pytest.approx(10.52)
    assert loss_mean(discrete_gaussian(Fraction("0.01"), 2)) == pytest.approx(gaussian_rho(0.01, 2))
