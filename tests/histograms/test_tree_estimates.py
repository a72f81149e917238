"""What is made of noisy histograms and tables: smooth, consistent, not negative, and drawn evenly."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from safetab_sql.histograms.public.tree_plan import BinnedPair
from safetab_sql.histograms.published.tree import (
    Edge,
    NoisyField,
    NoisyPair,
    bins_of,
    branches,
    consistent_fields,
    consistent_table,
    drawn_codes,
    on_simplex,
    possible_tables,
    record_total,
    smoothed,
)
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian

STREAM = np.random.default_rng(5)
LAW = DiscreteGaussian(Fraction(1, 200))  # variance 100
NARROW = DiscreteGaussian(Fraction(1, 8))  # variance 4


def all_divisions(n: int):
    """Every division of n values into stretches, as places where one begins and the next ends."""
    for changes in range(2 ** (n - 1)):
        yield list(pairwise([0, *(at for at in range(1, n) if changes >> (at - 1) & 1), n]))


def test_smoothing_is_the_mean_over_all_divisions_into_stretches() -> None:
    counts, variance = np.array([10.0, 12.0, 11.0, 50.0, 47.0, 9.0]), 4.0
    centred = counts - counts.mean()
    height = max((centred**2).mean(), variance)
    weights, means = [], []
    for stretches in all_divisions(counts.size):
        log_weight, mean = 0.0, np.zeros(counts.size)
        for first, end in stretches:
            part = centred[first:end]
            cov = variance * np.eye(part.size) + height
            log_weight -= 0.5 * part @ np.linalg.solve(cov, part) + 0.5 * np.linalg.slogdet(cov)[1]
            log_weight -= 0.7 * np.log(counts.size)
            mean[first:end] = height * part.sum() / (variance + part.size * height)
        weights.append(log_weight)
        means.append(mean)
    chances = np.exp(np.array(weights) - max(weights))
    expected = counts.mean() + chances @ np.array(means) / chances.sum()
    assert smoothed(counts, variance) == pytest.approx(expected)


def test_noise_on_equal_counts_is_smoothed_away() -> None:
    noisy = 300 + 100 * STREAM.standard_normal(100)
    assert np.abs(smoothed(noisy, 10_000.0) - 300).mean() < np.abs(noisy - 300).mean() / 3


def test_the_nearest_counts_that_are_not_negative_have_the_total() -> None:
    assert on_simplex(np.array([5.0, -3.0, 1.0, 0.5]), 4.0) == pytest.approx([4.0, 0.0, 0.0, 0.0])
    assert on_simplex(np.array([5.0, 3.0]), 4.0) == pytest.approx([3.0, 1.0])


def test_values_with_many_records_have_bins_of_their_own_and_others_are_joined() -> None:
    counts = np.array([1.0, 1, 1, 1, 50, 1, 1, 1, 1, 40])
    assert bins_of(counts, 4).tolist() == [0, 0, 0, 0, 1, 2, 2, 2, 2, 3]
    assert bins_of(counts, 10).tolist() == list(range(10))


def test_the_total_is_the_mean_weighed_by_inverse_variances() -> None:
    fields = [NoisyField(np.array([10, 20]), LAW), NoisyField(np.array([40]), NARROW)]
    assert record_total(fields, [(100, NARROW)]) == pytest.approx((30 / 200 + 40 / 4 + 100 / 4) / (1 / 200 + 2 / 4))


def test_counts_of_fields_are_least_squares_of_all_that_was_measured() -> None:
    fields = [NoisyField(STREAM.integers(50, 90, size), law) for size, law in ((5, LAW), (4, NARROW), (3, LAW))]
    finest = [np.array([0, 0, 1, 2, 2]), np.arange(4), np.arange(3)]
    tables = [
        BinnedPair((0, 1), (np.array([0, 1, 1]), np.array([0, 0, 1, 2]))),
        BinnedPair((0, 2), (np.array([0, 1, 2]), np.array([0, 1, 1]))),
    ]
    pairs = [NoisyPair(STREAM.integers(50, 90, table.shape), NARROW, table) for table in tables]
    found = consistent_fields(fields, finest, pairs)
    # field 0: its 5 counts, and the sums of both tables over the other field
    joined = [np.eye(2)[[0, 1, 1]][finest[0]].T, np.eye(3)[[0, 1, 2]][finest[0]].T]
    design = np.vstack([np.eye(5) / 10, *(rows / np.sqrt(4 * n) for rows, n in zip(joined, (3, 2), strict=True))])
    told = [fields[0].noisy_counts / 10]
    told += [pair.noisy_counts.sum(axis=1) / np.sqrt(4 * n) for pair, n in zip(pairs, (3, 2), strict=True)]
    assert found[0] == pytest.approx(np.linalg.lstsq(design, np.concatenate(told), rcond=None)[0], rel=1e-3)


def test_a_table_gets_the_sums_of_its_fields_and_no_negative_count() -> None:
    table = BinnedPair((0, 1), (np.arange(3), np.arange(4)))
    noisy = NoisyPair(np.array([[90, -8, 3, 1], [0, 40, -5, 30], [2, 1, 60, -4]]), LAW, table)
    rows, columns = np.array([80.0, 70.0, 60.0]), np.array([90.0, 30.0, 60.0, 30.0])
    found = consistent_table(noisy, (rows, columns))
    assert found.min() >= 0
    assert found.sum(axis=1) == pytest.approx(rows, rel=0.02)
    assert found.sum(axis=0) == pytest.approx(columns)


def test_a_table_of_noise_alone_becomes_that_of_independent_fields() -> None:
    table = BinnedPair((0, 1), (np.arange(20), np.arange(20)))
    sums = np.full(20, 4000.0)
    noisy = NoisyPair(200 + np.rint(10 * STREAM.standard_normal((20, 20))).astype(np.int64), LAW, table)
    assert np.abs(consistent_table(noisy, (sums, sums)) - 200).mean() < 2


def test_tables_have_as_many_cells_as_their_noise_allows() -> None:
    finest = [np.full(64, 100.0), np.full(10, 640.0)]
    few, many = (possible_tables(finest, deviation, [(0, 1)])[0] for deviation in (80.0, 8.0))
    assert few.table.cells <= 30 < many.table.cells <= 300


def test_rows_are_spread_over_values_to_within_a_few_rows() -> None:
    one, other = np.array([60.0, 40.0]), np.array([50.0, 30.0, 20.0])
    table = np.array([[50.0, 10.0, 0.0], [0.0, 20.0, 20.0]])
    tree = branches([one, other], [Edge((0, 1), (np.arange(2), np.arange(3)), table)])
    (codes,) = drawn_codes(tree, 1000, seed=1)
    counts = np.zeros((2, 3), dtype=np.int64)
    np.add.at(counts, tuple(codes), 1)
    assert np.abs(counts - 10 * table).max() <= 3


def test_fields_that_no_table_connects_are_independent() -> None:
    tree = branches([np.array([1.0, 1.0]), np.array([1.0, 3.0])], [])
    (codes,) = drawn_codes(tree, 20_000, seed=1)
    assert np.corrcoef(codes)[0, 1] == pytest.approx(0, abs=0.03)
    assert codes[1].mean() == pytest.approx(0.75, abs=0.001)


def test_the_same_seed_draws_the_same_rows() -> None:
    tree = branches([np.ones(5), np.ones(3)], [])
    first, again, another = (next(drawn_codes(tree, 50, seed=seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, another)
