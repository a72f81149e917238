"""The page of worked examples is what the program computes, and says what the source says."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from docs.reproductions.kifer.examples import blocks
from docs.reproductions.kifer.losses import laplace_loss_parts, laplace_power, randomised_response
from safetab_sql.semantics.composition import geometric
from tests.semantics.pairs import reversed_pair


@pytest.fixture(scope="module")
def computed() -> str:
    return "\n".join(blocks().values())


@pytest.mark.parametrize(
    "said",
    [
        "| outputs a, b, c | 0.01 | 0.01 |\n| a and b merged | 0.61 | 0.01 |",
        "| X and Y | 2 | 8 | 1.414 | 1 |\n| X + Y and X - Y | 2 | 4 | 2 | 1 |",
        "| 0.01 | 0.4869 | 0.4862 to 0.4869 | 0.6982 |",
        "| 0.05 | 0.7417 | 0.7411 to 0.7418 | 0.9467 |",
        "| 0.10 | 0.8442 | 0.8438 to 0.8443 | 0.9624 |",
        "| count + N(0, 1) | 0.09236 | 0.2595 | 0.3891 | 0.6828 | 0.8413 |",
        "| a fair coin picks one, and is published | 2 |",
        "| randomised response, epsilon log 2 | 0.2 |\n| a fair coin picks one | 0.25 |",
        "| b and c merged | 0.01 | 0.01 |",
    ],
)
@pytest.mark.slow
def test_the_page_says_what_the_source_says(computed, said):
    assert said in computed


def test_geometric_noise_and_the_other_order_of_neighbours_lose_as_randomised_response_does():
    answer = randomised_response(Fraction(1))
    for pair in (geometric(Fraction(1), shift=1), reversed_pair(answer)):
        assert np.allclose([pair.losses, pair.first], [answer.losses, answer.first], rtol=1e-14, atol=0)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_losses_of_laplace_noise_are_those_of_its_density(epsilon):
    """The outputs on a grid: the loss of each cell of width 1/1000, and its chance."""
    edges = np.arange(-60.0, 60.0, 0.001)
    chances = np.diff(stats.laplace.cdf(edges, loc=6, scale=1 / epsilon))
    middles = (edges[1:] + edges[:-1]) / 2
    losses = epsilon * (abs(middles - 5) - abs(middles - 6))
    top, between, bottom = laplace_loss_parts(epsilon)
    assert chances[losses > epsilon - 1e-9].sum() == pytest.approx(top, abs=1e-3)
    assert chances[losses < 1e-9 - epsilon].sum() == pytest.approx(bottom, abs=1e-3)
    assert top + between + bottom == pytest.approx(1)
    wanted = stats.laplace.sf(stats.laplace.isf(0.3, scale=1 / epsilon) - 1, scale=1 / epsilon)
    assert laplace_power(epsilon, 0.3) == pytest.approx(wanted)
