"""Draws follow their law exactly: goodness of fit, deliberate failures, refinement.

The recorded bits make every test here repeatable; on fresh bits (`make soak`) each would raise a false alarm
with chance FALSE_ALARM.
"""

from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, log, mpf, workprec
from scipy import stats

import safetab_sql.mechanisms.draw
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric, cumulative_bounds, decided_value
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.mechanisms.draw import _uniform, add_noise, chance_bounds, draw, draw_by_rejection, exponential_choice
from tests import statistics
from tests.statistics import FALSE_ALARM, fits, gaussian, high_precision_cumulative, law_name, laws, pmf, recorded_bits

SIZE = 1_000_000
ODD = [DiscreteGaussian(Fraction("0.481") / 9), TwoSidedGeometric(Fraction("0.384") / 9), gaussian(Fraction(12345))]
NARROW = laws([Fraction(1, 2), Fraction("1.5"), Fraction(24)])


@pytest.mark.parametrize("law", [*laws(), *ODD], ids=law_name)
@pytest.mark.each_time("TwoSided", "DiscreteGaussian-0", "DiscreteGaussian-2")
def test_draws_follow_the_law(law):
    assert fits(draw(law, SIZE, recorded_bits("draws")), law)


@pytest.mark.slow
@pytest.mark.parametrize("law", [*laws(), *ODD], ids=law_name)
def test_many_draws_on_fresh_bits_follow_the_law(law):
    assert fits(draw(law, 20_000_000, system_bits), law)


@pytest.mark.slow
@pytest.mark.parametrize("word_bits", [8, 16, 24])
@pytest.mark.parametrize("law", NARROW, ids=law_name)
def test_many_refined_draws_on_fresh_bits_follow_the_law(law, word_bits):
    assert fits(draw(law, 5_000_000, system_bits, word_bits=word_bits), law)


@pytest.mark.parametrize("law", laws(), ids=law_name)
@pytest.mark.each_time("DiscreteGaussian-0.222", "DiscreteGaussian-2", "TwoSidedGeometric-0.0589")
def test_a_law_two_percent_too_wide_is_noticed(law):
    """Power above 0.9999 at a million draws."""
    wrong = statistics.widened(law, Fraction(51, 50))
    assert statistics.power(_on_support_of(law, wrong), law, SIZE) > 0.9999
    assert not fits(draw(wrong, SIZE, recorded_bits("wide")), law)


@pytest.mark.parametrize("law", laws([Fraction("1.5"), Fraction("5.6"), Fraction(24)]), ids=law_name)
@pytest.mark.each_time("DiscreteGaussian-0.222", "TwoSidedGeometric-0.0589")
def test_a_tail_off_by_one_is_noticed(law):
    """The outermost 1 % or so are one too far out. Power 0.9999 at a million draws up to sigma 24."""
    draws = draw(law, SIZE, recorded_bits("tail"))
    start = np.quantile(np.abs(draws), 0.99)
    values, right = statistics.support(law), pmf(law)
    outside = np.abs(values) >= start
    wrong = np.where(outside, 0, right)
    np.add.at(wrong, np.clip(np.flatnonzero(outside) + np.sign(values[outside]), 0, values.size - 1), right[outside])
    assert statistics.power(wrong, law, SIZE) > 0.9999
    assert not fits(np.where(np.abs(draws) >= start, draws + np.sign(draws), draws), law)


@pytest.mark.parametrize("law", NARROW, ids=law_name)
@pytest.mark.each_time("TwoSidedGeometric-0.911", "DiscreteGaussian-0.222")
@pytest.mark.planted("biased-sampler")
def test_a_sampler_that_does_not_refine_is_noticed(law, monkeypatch):
    """A word that coincides with a boundary is taken for its own lower end: wrong by up to 1/256 each."""

    def unrefined(_, word, precision, bits):
        return decided_value(cumulative_bounds(law, precision + 64), word << 64 | 1 << 40)  # 2^-32 above its start

    monkeypatch.setattr(safetab_sql.mechanisms.draw, "_refined", unrefined)
    assert not fits(draw(law, SIZE, recorded_bits("unrefined"), word_bits=8), law)


def _on_support_of(law, other):
    """P(k) of `other` on the support of `law`, its tails added to the ends."""
    values, probabilities = statistics.support(other), pmf(other)
    ends = statistics.support(law)
    return np.bincount(np.clip(values, ends[0], ends[-1]) - ends[0], weights=probabilities, minlength=ends.size)


@pytest.mark.parametrize("word_bits", [8, 16, 24])
@pytest.mark.parametrize("law", NARROW, ids=law_name)
@pytest.mark.each_time("TwoSidedGeometric-0.911", "DiscreteGaussian-0.222")
def test_short_words_are_refined_into_the_same_law(law, word_bits):
    assert fits(draw(law, 300_000, recorded_bits("short"), word_bits=word_bits), law)


def _boundary_words(law, word_bits):
    """Number of words of `word_bits` bits that hold some F(k) strictly inside."""
    values = range(-1000, 1000)  # further out all fall into the first word or the last
    exact = high_precision_cumulative(law, values, 64)
    with mpmath.workprec(200):
        return len({int(mpmath.floor(value * 2**word_bits)) for value in exact if 0 < value < 1})


@pytest.mark.parametrize("law", NARROW, ids=law_name)
@pytest.mark.each_time("TwoSidedGeometric-0.911", "DiscreteGaussian-0.222")
def test_an_8_bit_word_uses_as_many_bits_as_theory_says(law):
    """One byte a draw, and 8 more for each word that holds a boundary: binomial, two-sided FALSE_ALARM."""
    size, used = 200_000, statistics.CountedBits("bytes")
    draw(law, size, used, word_bits=8)
    refined, rest = divmod(used.bytes - size, 8)
    assert rest == 0
    expected = _boundary_words(law, 8) / 256
    assert stats.binomtest(refined, size, expected).pvalue >= FALSE_ALARM


@pytest.mark.parametrize("law", laws([Fraction(1, 2), Fraction(24), Fraction(75)]), ids=law_name)
@pytest.mark.each_time("DiscreteGaussian-2", "TwoSidedGeometric-0.0589")
def test_a_64_bit_word_uses_as_many_bits_as_theory_says(law):
    """Two bytes a draw, and 6 more for each pair of bytes that holds a boundary."""
    size, used = 1_000_000, statistics.CountedBits("bytes")
    draw(law, size, used)
    extended, rest = divmod(used.bytes - 2 * size, 6)
    assert rest == 0
    expected = _boundary_words(law, 16) / 2**16
    assert stats.binomtest(extended, size, expected).pvalue >= FALSE_ALARM


def _scripted(*answers):
    """A bit source that gives these bytes, request by request, and nothing else."""
    remaining = list(answers)

    def source(count):
        answer = remaining.pop(0)
        assert len(answer) == count
        return answer

    return source


def _drawn_from(law, number, precision):
    """The draw whose lazily drawn bits are those of number / 2^precision: 16, 48, then 64 at a time."""
    leading, rest = divmod(number, 2 ** (precision - 16))
    middle, rest = divmod(rest, 2 ** (precision - 64))
    further = [(rest >> shift) % 2**64 for shift in range(precision - 128, -1, -64)]
    answers = [leading.to_bytes(2, "little"), middle.to_bytes(6, "little")]
    return int(draw(law, 1, _scripted(*answers, *(word.to_bytes(8, "little") for word in further)))[0])


NUMBERS = st.one_of(  # evenly, and in either tail; the outermost 2^30 words are undecided even at 192 bits
    st.integers(2**30, 2**192 - 2**30),
    st.integers(30, 191).map(lambda exponent: 2**exponent),
    st.integers(30, 191).map(lambda exponent: 2**192 - 1 - 2**exponent),
)


@given(st.sampled_from(laws([Fraction("1.5"), Fraction(24)])), NUMBERS)
def test_a_draw_inverts_the_distribution_function(law, number):
    """F(k - 1) <= u < F(k), by high-precision arithmetic."""
    value = _drawn_from(law, number, 192)
    below, at = high_precision_cumulative(law, [value - 1, value], 192)
    with mpmath.workprec(400):
        assert below * 2**192 <= number < at * 2**192


@pytest.mark.parametrize("law", laws([Fraction("1.5"), Fraction(24)]), ids=law_name)
@pytest.mark.parametrize("value", [-7, -1, 0, 3])
def test_bits_that_agree_with_a_boundary_for_long_are_decided_right(law, value):
    """The number nearest to F(value) on either side, 192 bits long."""
    exact = high_precision_cumulative(law, [value], 192)[0]
    with mpmath.workprec(400):
        just_below = int(mpmath.floor(exact * 2**192))
    # The 192-bit word that holds F(value) is itself undecided: its neighbours are as close as can be.
    assert _drawn_from(law, just_below - 1, 192) == value
    assert _drawn_from(law, just_below + 1, 192) == value + 1


@pytest.mark.parametrize("law", [gaussian(Fraction(24)), statistics.geometric(Fraction(24))], ids=law_name)
def test_the_tails_have_no_end(law):
    """Bits that are all zero, or all one, for the first 91: far beyond the 64-bit table, and symmetric."""
    low, high = _drawn_from(law, 2**100, 192), _drawn_from(law, 2**192 - 1 - 2**100, 192)
    assert low == -high
    assert high > -cumulative_bounds(law, 64).first


@pytest.mark.parametrize("size", [0, 1, 2**16 - 1, 2**16, 2**16 + 1, 200_000])
def test_every_size_gives_that_many_int64(size):
    draws = draw(gaussian(Fraction(500)), size, recorded_bits("sizes"))
    assert draws.shape == (size,)
    assert draws.dtype == np.int64


def test_neighbouring_draws_are_independent():
    """Contingency table of the signs of draws that follow each other, and that lie one block apart."""
    draws = np.sign(draw(gaussian(Fraction(24)), SIZE, recorded_bits("pairs")))
    for distance in (1, 2, 2**16):
        pairs = 3 * (draws[:-distance] + 1) + draws[distance:] + 1
        table = np.bincount(pairs, minlength=9).reshape(3, 3)
        assert stats.chi2_contingency(table).pvalue >= FALSE_ALARM


def test_noise_is_added_to_counts_and_leaves_them_alone():
    exact = np.array([0, 5, -3, 10**15], dtype=np.int64)
    noisy = add_noise(exact, gaussian(Fraction("5.6")), recorded_bits("add"))
    noise = draw(gaussian(Fraction("5.6")), 4, recorded_bits("add"))
    assert noisy.dtype == np.int64
    assert (noisy - exact == noise).all()
    assert exact.tolist() == [0, 5, -3, 10**15]
    assert noise.any()


def test_counts_that_are_not_int64_are_refused():
    with pytest.raises(TypeError, match="float64"):
        add_noise(np.zeros(3), gaussian(Fraction(1)), recorded_bits("never"))


def test_noise_that_might_not_fit_64_bits_is_refused():
    for law in (DiscreteGaussian(Fraction(1, 10**36)), TwoSidedGeometric(Fraction(1, 10**17))):
        with pytest.raises(ValueError, match="too wide"):
            draw(law, 1, recorded_bits("never"))


@pytest.mark.parametrize("word_bits", [0, 7, 12, 72])
def test_words_that_are_no_whole_bytes_are_refused(word_bits):
    with pytest.raises(ValueError, match="multiple of 8"):
        draw(gaussian(Fraction(1)), 1, recorded_bits("never"), word_bits=word_bits)


def test_a_recording_that_runs_out_is_an_error():
    with pytest.raises(EOFError, match="asked for"):
        draw(gaussian(Fraction(1)), 100, lambda count: bytes(count - 1))


REJECTED = 5_000
GRID = [
    *laws([Fraction(1, 2), Fraction("1.5"), Fraction(24)]),
    DiscreteGaussian(Fraction("0.481") / 9),
    TwoSidedGeometric(Fraction(7, 3)),  # both numerator and denominator above 1
]


@cache
def drawn(law):
    """Draws by rejection on recorded bits: 100 microseconds each, so that the tests share them."""
    return draw_by_rejection(law, REJECTED, recorded_bits("rejection"))


@pytest.mark.parametrize("law", GRID, ids=law_name)
@pytest.mark.each_time("DiscreteGaussian-0.222", "TwoSidedGeometric-0.0589")
def test_draws_by_rejection_follow_the_law(law):
    """Of a law 15 % too wide, power above 0.97."""
    assert fits(drawn(law), law)
    words = [b"\x80", b"\xe0", b"\xa0"]  # from the last on, three bits each: of five values, 5 and 7 are none
    assert _uniform(5, lambda _: words.pop()) == 4


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("law", GRID, ids=law_name)
def test_many_draws_by_rejection_on_fresh_bits_follow_the_law(law):
    assert fits(draw_by_rejection(law, 1_000_000, system_bits), law)


@pytest.mark.parametrize("law", GRID, ids=law_name)
@pytest.mark.each_time("DiscreteGaussian-0.222", "TwoSidedGeometric-0.0589")
def test_rejection_and_table_agree(law):
    assert statistics.same_law(drawn(law), draw(law, 20 * REJECTED, recorded_bits("other")))


@pytest.mark.parametrize("sigma", [10**6, 10**12])
@pytest.mark.slow
def test_laws_too_wide_for_a_table_are_drawn_by_rejection(sigma):
    """At this width no sample tells the continuous law. Kolmogorov-Smirnov, FALSE_ALARM."""
    normal = draw(DiscreteGaussian(Fraction(1, 2 * sigma**2)), 2000, recorded_bits("normal"))
    assert stats.kstest(normal / sigma, stats.norm.cdf).pvalue >= FALSE_ALARM
    laplace = draw(TwoSidedGeometric(Fraction(1, sigma)), 2000, recorded_bits("laplace"))
    assert stats.kstest(laplace / sigma, stats.laplace.cdf).pvalue >= FALSE_ALARM
    assert normal.dtype == laplace.dtype == np.int64


# Private choices follow the exponential mechanism exactly, and keep the loss that they are charged with.


SCORES = np.array([5, 9, 10, 0, 9, -3000])
EPSILON = Fraction(1, 2)


@pytest.fixture(scope="module")
def choices() -> np.ndarray:
    """How often each place is chosen, of 4,000 times."""
    bits = recorded_bits("choices")
    return np.bincount([exponential_choice(SCORES, EPSILON, bits) for _ in range(4_000)], minlength=SCORES.size)


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
