"""Privacy loss random variables against sums over all noises, and compositions on a grid: bounds of exact values."""

from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement

import mpmath
import numpy as np
import pytest

from docs.reproductions.kifer.losses import chance_above, self_composed
from safetab_sql.accounting.accountants import geometric_rdp
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric, noise_law
from safetab_sql.semantics import composition
from safetab_sql.semantics.composition import Bracket, Calls, GridLoss, Groups, composed, composed_loss, composed_power
from safetab_sql.semantics.summary import gaussian_delta, gaussian_power
from safetab_sql.settings.budgets import stage_budgets
from tests.accounting.settings import gaussian_chances
from tests.semantics.pairs import renyi_divergence, reversed_pair

AT_LEVELS = pytest.mark.parametrize("level", [0.01, 0.05, 0.1, 0.5])


def grid_of(*calls: Calls) -> GridLoss:
    found = composed_loss(calls)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def narrow() -> GridLoss:
    """Two kinds of narrow noise, whose losses lie on two lattices that have no common step on the grid."""
    return grid_of(Calls(DiscreteGaussian(Fraction("0.7")), 2), Calls(DiscreteGaussian(Fraction("0.31")), 1))


TWICE, ONCE = (composition.discrete_gaussian(Fraction(rho), 1) for rho in ("0.7", "0.31"))
NARROW = composed(self_composed(TWICE, 2), ONCE)


@AT_LEVELS
def test_the_power_of_narrow_noise_lies_between_its_bounds(narrow, level):
    found, exact = composed_power(narrow, level), NARROW.power(level)
    assert found.lower <= exact <= found.upper
    assert found.upper - exact < 1e-4
    assert exact - found.lower < 0.01


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 4.0])
def test_the_delta_of_narrow_noise_is_at_most_a_little_too_large(narrow, epsilon):
    exact = NARROW.delta(epsilon)
    assert exact <= composition.composed_delta(narrow, epsilon) <= exact + 1e-6


@pytest.fixture(scope="module")
def geometric_noises() -> GridLoss:
    return grid_of(Calls(TwoSidedGeometric(Fraction("0.1")), 10))


@AT_LEVELS
def test_geometric_noises_compose_to_their_exact_power(geometric_noises, level):
    found = composed_power(geometric_noises, level)
    exact = self_composed(composition.geometric(Fraction("0.1"), 1), 10).power(level)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 1e-5


@pytest.fixture(scope="module")
def wide() -> GridLoss:
    return grid_of(Calls(DiscreteGaussian(Fraction("0.0263")), 60), Calls(DiscreteGaussian(Fraction("0.01052")), 100))


@AT_LEVELS
def test_many_wide_noises_compose_to_the_power_of_gaussian_noise(wide, level):
    found = composed_power(wide, level)
    wanted = gaussian_power(level, 2.63)
    assert found == Bracket(pytest.approx(wanted, abs=2e-3), pytest.approx(wanted, abs=1e-4))
    assert composition.composed_delta(wide, 5.0) == pytest.approx(gaussian_delta(2.63, 5.0), rel=1e-3)


def test_the_order_of_the_calls_and_their_grouping_change_nothing():
    one, other = Calls(DiscreteGaussian(Fraction("0.7")), 1), Calls(TwoSidedGeometric(Fraction("0.4")), 1)
    assert composed_power(grid_of(one, other, one), 0.05) == composed_power(grid_of(Calls(one.law, 2), other), 0.05)


def test_a_budget_two_percent_larger_is_noticed():
    found = [composed_power(grid_of(Calls(DiscreteGaussian(Fraction(rho)), 20)), 0.05) for rho in ("0.05", "0.051")]
    assert found[1].lower > found[0].upper


LEVELS = (0.001, 0.01, 0.05, 0.1, 0.5)
EPSILONS = np.linspace(-4, 4, 33)
BOTH = pytest.mark.parametrize("definition", ["zcdp", "puredp"])


def groups(definition, budget, gamma, times):
    budgets = stage_budgets(Fraction(budget) * times, times, Fraction(gamma))
    laws = [noise_law(definition, each) for each in (budgets.total_only, budgets.stage_1, budgets.stage_2)]
    return Groups(laws[0], laws[1], laws[2], times)


@BOTH
@pytest.mark.parametrize("gamma", ["0.1", "0.5"])
def test_the_pair_has_the_larger_delta_of_both_kinds_at_every_epsilon_and_no_larger_one(definition, gamma):
    group = groups(definition, "0.4", gamma, 1)
    one, first, second = map(composition.noise_pair, (group.one, group.first, group.second))
    pair = composition.dominating_pair(one, first, second)
    for epsilon in EPSILONS:
        larger = max(one.delta(epsilon), composed(first, second).delta(epsilon))
        assert pair.delta(epsilon) >= larger - 1e-14
    assert pair.first.sum() == pytest.approx(1, abs=1e-12)
    assert pair.second == pytest.approx(pair.first[::-1])
    # Between the losses of both kinds the hull is a chord; at some of them it is the larger curve.
    corners = [epsilon for epsilon in np.concatenate([one.losses, composed(first, second).losses]) if 0 < epsilon < 4]
    excess = [pair.delta(each) - max(one.delta(each), composed(first, second).delta(each)) for each in corners]
    assert min(excess) < 1e-14
    assert max(excess) < 0.02


@BOTH
def test_no_mixture_of_one_call_and_of_two_is_told_better_than_the_bound(definition):
    group = groups(definition, "0.5", "0.1", 3)
    found = composed_loss((), [group])
    one, first, second = map(composition.noise_pair, (group.one, group.first, group.second))
    two = composed(first, second)
    assert found is not None
    for mixture in combinations_with_replacement((one, two), 3):
        pair = reduce(composed, mixture)
        for level in LEVELS:
            assert pair.power(level) <= composed_power(found, level).upper
        for epsilon in (0.0, 0.5, 2.0):
            assert pair.delta(epsilon) <= composition.composed_delta(found, epsilon)


def test_pure_dp_is_bounded_by_one_call_alone():
    """Randomised response is the worst of all mechanisms of its epsilon."""
    pair = composition.dominating_pair(*(composition.geometric(Fraction(each), 1) for each in ("1", "0.1", "0.9")))
    wanted = composition.geometric(Fraction(1), 1)
    assert [*map(pair.delta, EPSILONS)] == pytest.approx([*map(wanted.delta, EPSILONS)])


@pytest.mark.parametrize("most", [10, 100])
def test_a_pair_on_a_lattice_says_at_least_as_much_and_has_no_more_losses(most):
    pair = composition.discrete_gaussian(Fraction("0.001"), 1)
    found = composition.on_lattice(pair, most)
    assert found.losses.size <= most
    assert (found.first.sum(), found.second.sum()) == pytest.approx((1, 1))
    assert np.allclose(found.first * np.exp(-found.losses), found.second, atol=1e-12)
    for epsilon in np.linspace(-0.3, 0.3, 31):
        assert pair.delta(epsilon) - 1e-15 <= found.delta(epsilon)
    assert composition.on_lattice(pair, pair.losses.size) is pair


@pytest.mark.parametrize(
    ("calls", "parts"),
    [
        ([], []),
        ([Calls(DiscreteGaussian(Fraction(1, 10**12)), 1)], []),
        ([Calls(TwoSidedGeometric(Fraction(40)), 100)], []),
        ([], [groups("zcdp", "1e-12", "0.1", 1)]),
        ([], [groups("puredp", "40", "0.1", 100)]),
    ],
    ids=["nothing", "too wide", "too large a loss", "groups too wide", "groups of too large a loss"],
)
def test_what_cannot_be_composed_says_nothing(calls, parts):
    assert composed_loss(calls, parts) is None


RHO = Fraction("0.31")


@pytest.mark.parametrize("shift", [1, 2, 5])
def test_geometric_noise_has_the_losses_of_a_sum_over_all_noises(shift):
    t = mpmath.exp(mpmath.mpf("-0.7"))
    chances = {k: (1 - t) / (1 + t) * t ** abs(k) for k in range(-200, 201)}
    wanted: dict[int, mpmath.mpf] = {}
    for k, chance in chances.items():
        wanted[abs(k - shift) - abs(k)] = wanted.get(abs(k - shift) - abs(k), 0) + chance
    pair = composition.geometric(Fraction("0.7"), shift)
    assert pair.losses == pytest.approx([0.7 * steps for steps in sorted(wanted)])
    assert pair.first == pytest.approx([float(wanted[steps]) for steps in sorted(wanted)], abs=1e-14)


@pytest.mark.parametrize("shift", [1, 3])
def test_discrete_gaussian_noise_has_the_losses_of_a_sum_over_all_noises(shift):
    chances = gaussian_chances(RHO, 40)
    pair = composition.discrete_gaussian(RHO, shift)
    wanted = [
        float(mpmath.fsum(p for k, p in chances.items() if float(RHO) * (shift**2 - 2 * k * shift) > loss))
        for loss in (-2.1, 0.2, 3.3)
    ]
    assert [chance_above(pair, loss) for loss in (-2.1, 0.2, 3.3)] == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("law", [DiscreteGaussian(RHO), TwoSidedGeometric(Fraction("0.7"))])
def test_the_losses_are_the_logarithms_of_the_chances_and_the_same_with_the_inputs_exchanged(law):
    pair = composition.noise_pair(law)
    likely = (pair.first > 1e-9) & (pair.second > 1e-9)
    assert np.log(pair.first[likely] / pair.second[likely]) == pytest.approx(pair.losses[likely], abs=1e-9)
    other = reversed_pair(pair)
    assert other.first == pytest.approx(pair.first, abs=1e-18)
    assert other.losses == pytest.approx(pair.losses)


def test_renyi_divergence_of_geometric_noise_is_the_accountants():
    wanted = geometric_rdp(Fraction("0.7"), Fraction(3))
    assert renyi_divergence(composition.geometric(Fraction("0.7"), 1), 3.0) == pytest.approx(float(wanted), rel=1e-12)
