"""Noise on every cell of a histogram: the law of drawing each, where most cells are empty too.

The recorded bits make every test repeatable; on fresh bits each would raise a false alarm with chance FALSE_ALARM.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from safetab_sql.histograms.mechanisms import cells as histograms
from safetab_sql.histograms.mechanisms.cells import noisy_cells
from safetab_sql.laws.exceedance import ExceedanceCount
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.mechanisms.draw import draw
from safetab_sql.mechanisms.empty_groups import exceeding_draws
from tests.statistics import FALSE_ALARM, pmf, recorded_bits, support

WIDE, NARROW = TwoSidedGeometric(Fraction(1, 2)), TwoSidedGeometric(Fraction(6))  # all drawn; kept ones alone
LAWS = pytest.mark.parametrize("law", [WIDE, NARROW], ids=["dense", "sparse"])
CELLS = 200_003
EXACT = np.arange(0, CELLS, 1000), np.arange(201, dtype=np.int64) - 100
NOBODY = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def joined(stretches):
    parts = list(stretches)
    return np.concatenate([ids for ids, _ in parts]), np.concatenate([counts for _, counts in parts])


def follows(values, law, kept):
    """Chi-square, FALSE_ALARM, of `values` against `law` given that `kept` is true of it; rare values put together."""
    points = support(law)[kept(support(law))]
    chances = pmf(law)[kept(support(law))]
    expected = values.size * chances / chances.sum()
    counts = np.array([(values == point).sum() for point in points])
    likely = expected >= 50
    observed = [*counts[likely], values.size - counts[likely].sum()]
    expected = [*expected[likely], values.size - expected[likely].sum()]
    if expected[-1] < 1:
        observed, expected = observed[:-1], expected[:-1]
    return stats.chisquare(observed, np.array(expected) * sum(observed) / sum(expected)).pvalue >= FALSE_ALARM


@LAWS
def test_cells_come_sorted_each_once_and_none_of_them_zero(law):
    ids, counts = joined(noisy_cells(EXACT, CELLS, law, recorded_bits("order")))
    assert (np.diff(ids) > 0).all()
    assert (ids[0] >= 0, ids[-1] < CELLS, (counts != 0).all()) == (True, True, True)


@LAWS
def test_as_many_empty_cells_come_out_as_noise_is_not_zero(law):
    ids, _ = joined(noisy_cells(NOBODY, CELLS, law, recorded_bits("how many")))
    chance = 1 - pmf(law)[support(law) == 0].sum()
    assert stats.binomtest(ids.size, CELLS, chance).pvalue >= FALSE_ALARM


@LAWS
def test_what_comes_out_of_empty_cells_is_the_law_given_that_it_is_not_zero(law):
    _, counts = joined(noisy_cells(NOBODY, 10 * CELLS, law, recorded_bits("values")))
    assert follows(counts, law, lambda values: values != 0)


@LAWS
def test_cells_with_records_keep_their_counts_and_get_the_law(law):
    exact = np.arange(0, CELLS, 2), np.full((CELLS + 1) // 2, 1000, dtype=np.int64)
    ids, counts = joined(noisy_cells(exact, CELLS, law, recorded_bits("people")))
    noise = counts[np.isin(ids, exact[0])] - 1000
    assert noise.size == exact[0].size
    assert follows(noise, law, lambda values: np.full(values.shape, True))


@LAWS
def test_cells_above_a_threshold_are_those_that_every_cell_drawn_would_leave(law):
    above = 3
    ids, counts = joined(noisy_cells(NOBODY, 10**7, law, recorded_bits("above"), above=above))
    chance = pmf(law)[support(law) > above].sum()
    assert counts.min() > above if counts.size else chance * 10**7 < 1
    assert stats.binomtest(ids.size, 10**7, chance).pvalue >= FALSE_ALARM


def test_a_cell_with_records_is_left_out_where_noise_takes_it_to_the_threshold():
    exact = np.array([5]), np.array([4])
    left = [joined(noisy_cells(exact, 10, NARROW, recorded_bits(f"{n}"), above=3))[0].tolist() for n in range(60)]
    assert {tuple(ids) for ids in left} == {(5,)}  # P(noise < 0) is 0.25 %
    none = [joined(noisy_cells(exact, 10, NARROW, recorded_bits(f"{n}"), above=4))[0].size for n in range(60)]
    assert sum(none) <= 2


def test_a_sign_that_always_is_plus_is_noticed(monkeypatch):
    draws = exceeding_draws(NARROW, 0, 10**7, recorded_bits("signs"), tails=2)[1]
    assert follows(draws, NARROW, lambda values: values != 0)
    assert not follows(np.abs(draws), NARROW, lambda values: values != 0)


def test_noise_five_percent_too_wide_is_noticed():
    """Power above 0.9999: over two million cells the chance of a cell to come out moves by thirty standard errors."""
    ids, _ = joined(noisy_cells(NOBODY, 10 * CELLS, TwoSidedGeometric(Fraction(120, 21)), recorded_bits("wide")))
    chance = 1 - pmf(NARROW)[support(NARROW) == 0].sum()
    assert stats.binomtest(ids.size, 10 * CELLS, chance).pvalue < FALSE_ALARM


@pytest.mark.parametrize("log2_draws", [0, 3, 7])
def test_the_number_of_draws_that_are_not_zero_is_binomial(log2_draws):
    chance = 1 - pmf(NARROW)[support(NARROW) == 0].sum()
    numbers = draw(ExceedanceCount(NARROW, 0, log2_draws, 2), 200_000, recorded_bits(f"number {log2_draws}"))
    law = stats.binom(2**log2_draws, chance)
    few = np.arange(3)
    expected = [*200_000 * law.pmf(few), 200_000 * law.sf(2)]
    observed = [*((numbers == number).sum() for number in few), (numbers > 2).sum()]
    merged = [(o, e) for o, e in zip(observed, expected, strict=True) if e >= 5]
    rest = 200_000 - sum(o for o, _ in merged), 200_000 - sum(e for _, e in merged)
    merged += [rest] if rest[1] > 1e-3 else []
    o, e = np.array(merged).T
    assert stats.chisquare(o, e * o.sum() / e.sum()).pvalue >= FALSE_ALARM


def test_a_stretch_ends_where_the_next_begins(monkeypatch):
    monkeypatch.setattr(histograms, "_STRETCH", 64)
    bits = recorded_bits("stretches")
    parts = list(noisy_cells((np.arange(0, 1000, 7), np.full(143, 50)), 1000, WIDE, bits))
    assert len(parts) == 16
    assert [ids.min() // 64 for ids, _ in parts] == list(range(16))
    assert np.isin(np.arange(0, 1000, 7), np.concatenate([ids for ids, _ in parts])).all()


def test_a_million_million_cells_cost_what_comes_out_of_them():
    requested = []

    def counting(size):
        requested.append(size)
        return recorded_bits(f"{len(requested)}")(size)

    law, cells, above = TwoSidedGeometric(Fraction(1)), 10**12, 20
    ids, _ = joined(noisy_cells((np.array([7, 10**11]), np.array([900, 900])), cells, law, counting, above=above))
    assert 0.9 < ids.size / (cells * pmf(law)[support(law) > above].sum()) < 1.1
    assert {7, 10**11} <= set(ids.tolist())
    assert sum(requested) < 40 * ids.size
