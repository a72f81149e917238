"""Private choices follow the exponential mechanism exactly, and keep the loss that they are charged with."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, log, mpf, workprec
from scipy import stats

from safetab_sql.mechanisms.draw import chance_bounds, exponential_choice
from tests.statistics import FALSE_ALARM, recorded_bits

SCORES = np.array([5, 9, 10, 0, 9, -3000])
EPSILON = Fraction(1, 2)


@pytest.fixture(scope="module")
def choices() -> np.ndarray:
    """How often each place is chosen, of 10,000 times."""
    bits = recorded_bits("choices")
    return np.bincount([exponential_choice(SCORES, EPSILON, bits) for _ in range(10_000)], minlength=SCORES.size)


def p_value(found: np.ndarray, epsilon: float) -> float:
    weights = np.exp(epsilon * (SCORES - SCORES.max()) / 2)[:-1]
    return stats.chisquare(found[:-1], found.sum() * weights / weights.sum()).pvalue


def test_places_are_chosen_in_proportion_to_the_exponential_of_their_scores(choices):
    assert p_value(choices, 0.5) > FALSE_ALARM
    assert choices[-1] == 0


@pytest.mark.parametrize("wrong", [1.0, 0.4, 0.25], ids=["not halved", "a fifth less", "halved twice"])
def test_another_epsilon_is_found_out(choices, wrong):
    assert p_value(choices, wrong) < FALSE_ALARM


def test_a_word_on_a_boundary_takes_more_bits():
    """Three equal scores: a third is no multiple of 2^-64, so its first 64 bits do not tell 0 from 1."""
    third = (2**64 // 3).to_bytes(8, "little")
    words = iter([third, b"\0" * 8, third, b"\xff" * 8])
    equal = np.zeros(3, dtype=np.int64)
    assert [exponential_choice(equal, EPSILON, lambda _: next(words)) for _ in range(2)] == [0, 1]


def test_bounds_hold_every_chance_closely():
    gaps = range(300)  # to e^-75, where 2^-64 is about e^-44.4
    for gap, lower, upper in zip(gaps, *chance_bounds(gaps, EPSILON, 64), strict=True):
        with workprec(300):
            assert lower <= exp(-mpf(gap) / 4) * 2**64 <= upper <= lower + 1


def test_a_single_place_is_chosen():
    assert exponential_choice(np.array([-7]), EPSILON, recorded_bits("one")) == 0


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(-1, 1)), min_size=2, max_size=6),
    st.fractions(Fraction(1, 50), 3, max_denominator=100),
)
def test_one_record_changes_the_log_of_every_chance_by_at_most_epsilon_in_all(scores, epsilon):
    """The range of the loss over places is at most epsilon wide: this gives pure DP and zCDP."""
    logs = []
    for one in ([score for score, _ in scores], [score + change for score, change in scores]):
        lower, upper = chance_bounds([max(one) - score for score in one], epsilon, 2000)
        total = sum(upper)
        logs.append([float(stats_log(Fraction(weight, total))) for weight in lower])
    losses = np.subtract(*logs)
    assert losses.max() - losses.min() <= float(epsilon) + 1e-9
    assert losses.min() <= 1e-9
    assert losses.max() >= -1e-9


def stats_log(value: Fraction) -> float:
    return log(mpf(value.numerator) / mpf(value.denominator))
