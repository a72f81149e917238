"""Privacy loss random variables against sums over all noises, and compositions on a grid: bounds of exact values."""

from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement

import mpmath
import numpy as np
import pytest

from docs.reproductions.kifer.losses import chance_above, self_composed
from safetab_sql.accounting.accountants import GroupCalls, geometric_rdp
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric, noise_law
from safetab_sql.semantics import composition
from safetab_sql.semantics.composition import Bracket, ComposedLoss, composed, composed_loss
from safetab_sql.semantics.summary import gaussian_delta, gaussian_power
from safetab_sql.settings.budgets import stage_budgets
from tests.accounting.settings import gaussian_chances
from tests.semantics.pairs import renyi_divergence, reversed_pair

AT_LEVELS = pytest.mark.parametrize("level", [0.01, 0.05, 0.1, 0.5])


def groups(budget: str, times: int, gamma: str = "0") -> GroupCalls:
    """So many groups with this budget each."""
    return GroupCalls(times, stage_budgets(Fraction(budget) * times, times, Fraction(gamma)))


def known(definition: str, *calls: GroupCalls) -> ComposedLoss:
    found = composed_loss(definition, calls)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def narrow() -> ComposedLoss:
    """Two kinds of narrow noise, whose losses lie on two lattices that have no common step on the grid."""
    return known("zcdp", groups("0.7", 2), groups("0.31", 1))


TWICE, ONCE = (composition.discrete_gaussian(Fraction(rho), 1) for rho in ("0.7", "0.31"))
NARROW = composed(self_composed(TWICE, 2), ONCE)


@AT_LEVELS
def test_the_power_of_narrow_noise_lies_between_its_bounds(narrow, level):
    found, exact = narrow.power(level), NARROW.power(level)
    assert found.lower <= exact <= found.upper
    assert found.upper - exact < 1e-4
    assert exact - found.lower < 0.01


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 4.0])
def test_the_delta_of_narrow_noise_is_at_most_a_little_too_large(narrow, epsilon):
    exact = NARROW.delta(epsilon)
    assert exact <= narrow.delta(epsilon) <= exact + 1e-6


@pytest.fixture(scope="module")
def geometric_noises() -> ComposedLoss:
    return known("puredp", groups("0.1", 10))


@AT_LEVELS
def test_geometric_noises_compose_to_their_exact_power(geometric_noises, level):
    found = geometric_noises.power(level)
    exact = self_composed(composition.geometric(Fraction("0.1"), 1), 10).power(level)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 1e-5


@pytest.fixture(scope="module")
def wide() -> ComposedLoss:
    return known("zcdp", groups("0.0263", 60), groups("0.01052", 100))


@AT_LEVELS
def test_many_wide_noises_compose_to_the_power_of_gaussian_noise(wide, level):
    wanted = gaussian_power(level, 2.63)
    assert wide.power(level) == Bracket(pytest.approx(wanted, abs=2e-3), pytest.approx(wanted, abs=1e-4))
    assert wide.delta(5.0) == pytest.approx(gaussian_delta(2.63, 5.0), rel=1e-3)


def test_the_order_of_the_calls_and_their_grouping_change_nothing():
    one, other = groups("0.7", 1), groups("0.4", 1)
    assert known("zcdp", one, other, one).power(0.05) == known("zcdp", groups("0.7", 2), other).power(0.05)


def test_a_budget_two_percent_larger_is_noticed():
    found = [known("zcdp", groups(rho, 20)).power(0.05) for rho in ("0.05", "0.051")]
    assert found[1].lower > found[0].upper


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
def test_no_mixture_of_one_call_and_of_two_is_told_better_than_the_bound(definition):
    met = groups("0.5", 3, "0.1")
    found = known(definition, met)
    one, first, second = (composition.noise_pair(noise_law(definition, budget)) for budget in met.budgets)
    for mixture in combinations_with_replacement((one, composed(first, second)), 3):
        pair = reduce(composed, mixture)
        for level in (0.001, 0.01, 0.05, 0.1, 0.5):
            assert pair.power(level) <= found.power(level).upper
        for epsilon in (0.0, 0.5, 2.0):
            assert pair.delta(epsilon) <= found.delta(epsilon)


@pytest.mark.parametrize(
    ("definition", "calls"),
    [
        ("zcdp", []),
        ("zcdp", [groups("1e-12", 1)]),
        ("zcdp", [groups("1", 1, "1e-12")]),
        ("puredp", [groups("40", 100)]),
    ],
    ids=["nothing", "too wide", "too wide a stage", "too large a loss"],
)
def test_what_cannot_be_composed_says_nothing(definition, calls):
    assert composed_loss(definition, calls) is None


def test_a_delta_is_known_where_the_curve_goes_beyond_the_losses_whose_exponential_is_a_float():
    found = known("zcdp", groups("1", 100))
    assert found.epsilons[-1] > 710
    assert 0 < found.delta(1000) < found.delta(200) < found.delta(100) < 0.5


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
