"""Privacy loss random variables against sums over all noises in high precision."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from docs.reproductions.kifer.losses import chance_above
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric
from safetab_sql.semantics.composition import discrete_gaussian, geometric, noise_pair
from tests.accounting.settings import gaussian_chances
from tests.semantics.pairs import renyi_divergence, reversed_pair

RHO = Fraction("0.31")


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


def test_renyi_divergence_of_geometric_noise_is_the_accountants():
    from safetab_sql.accounting.accountants import geometric_rdp

    wanted = geometric_rdp(Fraction("0.7"), Fraction(3))
    assert renyi_divergence(geometric(Fraction("0.7"), 1), 3.0) == pytest.approx(float(wanted), rel=1e-12)
