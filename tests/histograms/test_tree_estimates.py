"""What is made of noisy histograms and tables: smooth, consistent, not negative, and drawn evenly."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.histograms.public.tree_plan import BinnedTable
from safetab_sql.histograms.published.branches import branches, drawn_codes
from safetab_sql.histograms.published.fields import NoisyField, bins_of, on_simplex, record_total, smoothed
from safetab_sql.histograms.published.tree import (
    Estimates,
    NoisyTable,
    NoisyTree,
    consistent_fields,
    consistent_table,
    estimated_pairs,
    possible_tables,
    possible_triples,
)
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian

STREAM = np.random.default_rng(5)
LAW = DiscreteGaussian(Fraction(1, 200))  # variance 100
NARROW = DiscreteGaussian(Fraction(1, 8))  # variance 4


def all_divisions(n: int):
    """Every division of n values into stretches, as places where one begins and the next ends."""
    for changes in range(2 ** (n - 1)):
        yield list(pairwise([0, *(at for at in range(1, n) if changes >> (at - 1) & 1), n]))


def test_smoothing_is_the_mean_over_all_divisions_into_stretches():
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
            mean[first:end] = height * part.sum() / (variance + part.size * height)
        weights.append(log_weight)
        means.append(mean)
    chances = np.exp(np.array(weights) - max(weights))
    expected = counts.mean() + chances @ np.array(means) / chances.sum()
    assert smoothed(counts, variance) == pytest.approx(expected)


def test_the_nearest_counts_that_are_not_negative_have_the_total():
    assert on_simplex(np.array([5.0, -3.0, 1.0, 0.5]), 4.0) == pytest.approx([4.0, 0.0, 0.0, 0.0])
    assert on_simplex(np.array([5.0, 3.0]), 4.0) == pytest.approx([3.0, 1.0])


def test_values_with_many_records_have_bins_of_their_own_and_others_are_joined():
    counts = np.array([1.0, 1, 1, 1, 50, 1, 1, 1, 1, 40])
    assert bins_of(counts, 4).tolist() == [0, 0, 0, 0, 1, 2, 2, 2, 2, 3]
    assert bins_of(counts, 10).tolist() == list(range(10))
    assert bins_of(np.array([0.0, 0.0, 5.0, 0.0, 0.0]), 3).tolist() == [0, 0, 1, 2, 2]


def test_the_total_is_the_mean_weighed_by_inverse_variances():
    fields = [NoisyField(np.array([10, 20]), LAW), NoisyField(np.array([40]), NARROW)]
    assert record_total(fields, [(100, NARROW)]) == pytest.approx((30 / 200 + 40 / 4 + 100 / 4) / (1 / 200 + 2 / 4))


def test_counts_of_fields_are_least_squares_of_all_that_was_measured():
    fields = [NoisyField(STREAM.integers(50, 90, size), law) for size, law in ((5, LAW), (4, NARROW), (3, LAW))]
    finest = [np.array([0, 0, 1, 2, 2]), np.arange(4), np.arange(3)]
    tables = [
        BinnedTable((0, 1), (np.array([0, 1, 1]), np.array([0, 0, 1, 2]))),
        BinnedTable((0, 2), (np.array([0, 1, 2]), np.array([0, 1, 1]))),
    ]
    pairs = [NoisyTable(STREAM.integers(50, 90, table.shape), NARROW, table) for table in tables]
    found = consistent_fields(fields, finest, pairs)
    # field 0: its 5 counts, and the sums of both tables over the other field
    joined = [np.eye(2)[[0, 1, 1]][finest[0]].T, np.eye(3)[[0, 1, 2]][finest[0]].T]
    design = np.vstack([np.eye(5) / 10, *(rows / np.sqrt(4 * n) for rows, n in zip(joined, (3, 2), strict=True))])
    told = [fields[0].noisy_counts / 10]
    told += [pair.noisy_counts.sum(axis=1) / np.sqrt(4 * n) for pair, n in zip(pairs, (3, 2), strict=True)]
    assert found[0] == pytest.approx(np.linalg.lstsq(design, np.concatenate(told), rcond=None)[0], rel=1e-3)


def test_a_table_gets_the_sums_of_its_fields_and_no_negative_count():
    table = BinnedTable((0, 1), (np.arange(3), np.arange(4)))
    noisy = NoisyTable(np.array([[90, -8, 3, 1], [0, 40, -5, 30], [2, 1, 60, -4]]), LAW, table)
    rows, columns = np.array([80.0, 70.0, 60.0]), np.array([90.0, 30.0, 60.0, 30.0])
    found = consistent_table(noisy, (rows[None], columns[None]))
    assert found.min() >= 0
    assert found.sum(axis=1) == pytest.approx(rows, rel=0.02)
    assert found.sum(axis=0) == pytest.approx(columns)


def test_a_table_of_noise_alone_becomes_that_of_independent_fields():
    table = BinnedTable((0, 1), (np.arange(20), np.arange(20)))
    sums = np.full(20, 4000.0)
    noisy = NoisyTable(200 + np.rint(10 * STREAM.standard_normal((20, 20))).astype(np.int64), LAW, table)
    assert np.abs(consistent_table(noisy, (sums[None], sums[None])) - 200).mean() < 2


def test_tables_have_as_many_cells_as_their_noise_allows():
    finest = [np.full(64, 100.0), np.full(10, 640.0)]
    few, many = (possible_tables(finest, deviation)[1] for deviation in (80.0, 8.0))
    assert few.table.cells <= 30 < many.table.cells <= 300


EXACT = DiscreteGaussian(Fraction(8))  # variance 3e-4


def known_of(codes: np.ndarray, pairs: Sequence[tuple[int, int]]) -> Estimates:
    """What histograms of all fields and tables of these pairs say without noise. codes: int64[fields, records]."""
    fields = tuple(NoisyField(np.bincount(column), EXACT) for column in codes)
    bins = tuple(np.arange(field.noisy_counts.size) for field in fields)
    tables = [counted(codes, BinnedTable(pair, tuple(bins[field] for field in pair))) for pair in pairs]
    return estimated_pairs(NoisyTree(fields, (), bins, tuple(tables)))


def counted(codes: np.ndarray, table: BinnedTable) -> NoisyTable:
    cells = np.zeros(table.shape, dtype=np.int64)
    np.add.at(cells, tuple(bins[codes[field]] for field, bins in zip(table.fields, table.bins, strict=True)), 1)
    return NoisyTable(cells, EXACT, table)


@given(st.data(), st.integers(2, 8))
def test_triples_join_pairs_until_a_tree_of_cliques_draws_every_field_once(data, fields):
    """Whatever triples are chosen: each gives one field, from two that some table holds; so no circle is closed."""
    codes = STREAM.integers(0, 3, (fields, 60))
    codes[:, :3] = np.arange(3)  # every value occurs
    known = known_of(codes, [(data.draw(st.integers(0, one - 1)), one) for one in range(1, fields)])
    tables = possible_triples(known, 0.1)
    while possible := [table for table in tables if known.is_possible(table)]:
        known = known.with_triple(counted(codes, data.draw(st.sampled_from(possible))))
    tree = branches(known)
    assert len(known.triples) == fields - 2
    assert sorted(branch.field for branch in tree) == list(range(fields))
    cliques = [set(triple.table.fields) for triple in known.triples]
    used = [{branch.field, *branch.parents} for branch in tree if len(branch.parents) == 2]
    assert sorted(map(sorted, used)) == sorted(map(sorted, cliques))


def test_rows_have_the_shares_of_every_triple():
    """Field 3 hangs on 1 and 2 together, field 4 on a pair of which one triple made the table."""
    first, second, third = STREAM.integers(0, 3, (3, 20_000))
    first = np.where(STREAM.random(20_000) < 0.5, second, first)
    third = np.where(STREAM.random(20_000) < 0.5, (first + second) % 3, second)
    fourth = np.where(STREAM.random(20_000) < 0.8, (first * third) % 3, third)
    codes = np.array([first, second, third, fourth])
    known = known_of(codes, [(0, 1), (1, 2), (2, 3)])
    for fields in ((1, 0, 2), (2, 0, 3)):
        (table,) = [one for one in possible_triples(known, 0.1) if set(one.fields) == set(fields)]
        known = known.with_triple(counted(codes, table))
    (drawn,) = drawn_codes(branches(known), 20_000, seed=1)
    for triple in known.triples:
        wanted, found = (counted(one, triple.table).noisy_counts for one in (codes, np.array(drawn)))
        assert np.abs(wanted - found).sum() / 2 < 0.005 * 20_000


def test_a_triple_of_noise_alone_leaves_its_pairs_as_they_are():
    """Two fields that are independent given the third stay so: James and Stein's factor is 0 or small."""
    stream = np.random.default_rng(6)
    given = stream.integers(0, 4, 40_000)
    ends = [np.where(stream.random(40_000) < 0.5, given, stream.integers(0, 4, 40_000)) for _ in range(2)]
    codes = np.array([given, *ends])
    known = known_of(codes, [(0, 1), (0, 2)])
    (table,) = possible_triples(known, 1.0)
    exact = counted(codes, table)
    noise = np.rint(100 * stream.standard_normal(table.shape)).astype(np.int64)
    found = known.with_triple(NoisyTable(exact.noisy_counts + noise, DiscreteGaussian(Fraction(1, 20_000)), table))
    independent = known.comparison(table, 0).expected_counts
    assert np.abs(found.triples[0].counts - independent).sum() < 0.25 * np.abs(noise).sum()


def test_counts_move_between_bins_of_two_tables_in_proportion():
    codes = np.repeat([[0, 0, 1, 1, 2, 3], [0, 1, 0, 1, 1, 1]], [6, 2, 3, 5, 4, 8], axis=1)
    known = known_of(codes, [(0, 1)])
    halves = np.array([0, 0, 1, 1])
    assert known.records(1, 0, (np.arange(2), halves)) == pytest.approx(np.array([[9, 0], [7, 12]]), abs=0.1)
    assert known.records(0, 1, (halves, np.zeros(2, np.int64))) == pytest.approx(np.array([[16], [12]]), abs=0.1)


def test_the_same_seed_draws_the_same_rows():
    tree = branches(known_of(np.array([np.arange(15) % 5, np.arange(15) % 3]), []))
    first, again, another = (next(drawn_codes(tree, 50, seed=seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, another)
