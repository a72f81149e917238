"""What `synthesize run` makes along a tree: budgets, noise, pairs, estimates, and what one record can change."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safetab_sql.accounting.charges import PartLoss
from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.accounting.statement import noise_of
from safetab_sql.evaluation.epl import Estimator, empirical_privacy_loss, residuals_of
from safetab_sql.evaluation.score import marginal_scores
from safetab_sql.histograms.confidential.counts import score, table_counts
from safetab_sql.histograms.public.spending import Budget, HistogramNoise, histogram_statement
from safetab_sql.histograms.public.synthesis_spec import BinnedTable, choice_epsilon, tree_plan
from safetab_sql.histograms.published.sampling import branches, drawn_codes
from safetab_sql.histograms.published.tree import (
    Estimates,
    NoisyField,
    NoisyTable,
    NoisyTree,
    bins_of,
    compared_counts,
    consistent_fields,
    consistent_table,
    estimated_pairs,
    on_simplex,
    possible_tables,
    possible_triples,
    record_total,
    smoothed,
)
from safetab_sql.histograms.synthesize import SynthesisInputs, chosen_tables, synthesize
from safetab_sql.kit.database import Resources
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric, variance
from safetab_sql.settings.geography import WHOLE
from tests.benchmarks.wide import SPEC, write_wide
from tests.histograms.synthesis import NO_NOISE, Synthesized, made, synthesized, written
from tests.statistics import fits, recorded_bits, widened

ROWS = 6000
LARGEST = {"A": 9, "B": 9, "C": 3, "D": 59, "E": 59}
DOMAINS = "[domains]\n" + "".join(f"{name} = {{ minimum = 0, maximum = {most} }}\n" for name, most in LARGEST.items())


def table() -> pa.Table:
    """B follows A, C follows B loosely; D and E are equal and have 100 rows in each of 60 values."""
    stream = np.random.default_rng(1)
    a = stream.integers(0, 10, ROWS)
    b = np.where(stream.random(ROWS) < 0.8, (a * 3) % 10, stream.integers(0, 10, ROWS))
    c = np.where(stream.random(ROWS) < 0.5, b % 4, stream.integers(0, 4, ROWS))
    d = np.arange(ROWS) % 60
    return pa.table({"A": a, "B": b, "C": c, "D": d, "E": d})


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Synthesized:
    """Without noise, so that the best pairs are chosen."""
    return made(tmp_path_factory.mktemp("exact"), f"epsilon = {NO_NOISE}\n{DOMAINS}", table())


def shares_of(rows: pa.Table, names: list[str]) -> dict[tuple[object, ...], float]:
    counts = rows.group_by(names).aggregate([([], "count_all")]).to_pylist()
    return {tuple(row[name] for name in names): row["count_all"] / rows.num_rows for row in counts}


def test_without_noise_the_nearest_pairs_are_chosen(exact):
    assert [set(one["fields"]) for one in exact.manifest["tables"]][:3] == [{"D", "E"}, {"A", "B"}, {"B", "C"}]
    assert exact.rows.num_rows == exact.manifest["rows"] == ROWS


@pytest.mark.parametrize("pair", [["A", "B"], ["B", "C"], ["D", "E"]], ids="".join)
def test_without_noise_chosen_pairs_have_their_shares(exact, pair):
    wanted, found = shares_of(table(), pair), shares_of(exact.rows, pair)
    cells = wanted.keys() | found.keys()
    assert sum(abs(wanted.get(cell, 0) - found.get(cell, 0)) for cell in cells) < 0.03


def test_without_noise_two_fields_that_hang_together_given_a_third_share_a_table(tmp_path):
    """C follows A and B together; A and B, and B and C, are nearest pairs."""
    stream = np.random.default_rng(3)
    b = stream.integers(0, 4, ROWS)
    a = np.where(stream.random(ROWS) < 0.7, b, stream.integers(0, 4, ROWS))
    c = np.where(stream.random(ROWS) < 0.6, (a + 2 * b) % 4, b)
    domains = "[domains]\n" + "".join(f"{name} = {{ minimum = 0, maximum = 3 }}\n" for name in "ABC")
    columns = pa.table({"A": a, "B": b, "C": c})
    release = made(tmp_path, f"epsilon = {NO_NOISE}\n{domains}", columns)
    assert [len(one["fields"]) for one in release.manifest["tables"]] == [2, 2, 3]
    cells = pq.read_table(tmp_path / "out" / "tables" / "3.parquet").to_pylist()
    assert sum(cell["COUNT"] for cell in cells) == ROWS
    wanted, found = shares_of(columns, list("ABC")), shares_of(release.rows, list("ABC"))
    assert sum(abs(wanted.get(cell, 0) - found.get(cell, 0)) for cell in wanted.keys() | found.keys()) < 0.02


def pair_noise(folder: Path) -> np.ndarray:
    """The noise on the 3,600 cells, or as many bins as there are, of the table of D and E."""
    cells = pq.read_table(folder).to_pydict()
    exact = [
        100 * len(range(max(int(a), int(c)), min(int(b), int(d)) + 1))
        for a, b, c, d in zip(cells["D_FIRST"], cells["D_LAST"], cells["E_FIRST"], cells["E_LAST"], strict=True)
    ]
    return np.array(cells["COUNT"]) - np.array(exact)


def law_of(call: dict, definition: str):
    budget = Fraction(call["budget"]["exact"])
    return TwoSidedGeometric(budget) if definition == "puredp" else DiscreteGaussian(budget)


@pytest.mark.parametrize("budget", ["epsilon = 3", "rho = 0.3"])
@pytest.mark.each_time("rho")
def test_fields_and_tables_have_the_noise_that_the_ledger_states(tmp_path, budget):
    """Residuals of 10,000 values and of all cells of a table fit the stated law, and no law a tenth wider."""
    spec = f"{budget}\nrows = 6000\n{DOMAINS}Z = {{ minimum = 0, maximum = 9999 }}\n"
    release = made(tmp_path / "run", spec, table().append_column("Z", pa.array(np.zeros(ROWS, np.int32))))
    ledger = release.manifest["ledger"]
    calls = {call["histogram"]: law_of(call, ledger["privacy_definition"]) for call in ledger["histograms"]}
    field = release.histograms[5]["COUNT"].to_numpy() - np.array([ROWS] + [0] * 9_999)
    cells = pair_noise(tmp_path / "run" / "out" / "tables" / "1.parquet")
    assert fits(field, calls["Z"])
    assert not fits(field, widened(calls["Z"], Fraction(11, 10)))
    assert fits(cells, calls["D+E"])
    (deviation,) = (one["standard_deviation"] for one in ledger["histograms"] if one["histogram"] == "D+E")
    assert abs(cells.std() / deviation - 1) < 0.25
    if ledger["privacy_definition"] == "puredp":
        loss = empirical_privacy_loss(residuals_of(field), Estimator(percentile=90.0))
        assert loss == pytest.approx(float(calls["Z"].epsilon), rel=0.15)


def test_the_parts_in_the_ledger_add_up_to_the_budget_that_a_ledger_file_is_charged(exact, tmp_path):
    ledger = exact.manifest["ledger"]
    parts = [Fraction(call["budget"]["exact"]) for call in ledger["histograms"]]
    choices = [one["choices"] * Fraction(one["budget_of_each"]["exact"]) for one in ledger["choices"]]
    tables = [one for one in exact.manifest["tables"] if len(one["fields"]) == 3]
    triples = ledger["choices"][1]
    unspent = (1 - Fraction(len(tables), triples["choices"])) * Fraction(triples["tables"]["exact"])
    assert sum(parts) + sum(choices) + unspent == NO_NOISE == Fraction(ledger["totals"]["one_record"]["exact"])
    inputs = written(tmp_path, f"rho = 0.25\n{DOMAINS}", table())
    synthesize(inputs, tmp_path / "out", ledger_file=LedgerFile(tmp_path / "ledger"), bits=recorded_bits("charge"))
    (charge,) = read_ledger(tmp_path / "ledger").charges
    assert (charge.parts, charge.state) == ({WHOLE: PartLoss(Fraction(1, 4), None)}, "released")


BINS = BinnedTable((0, 1), (np.array([0, 0, 1]), np.array([0, 1, 1, 2])))
COUNTS = st.lists(st.integers(0, 50), min_size=12, max_size=12).map(lambda cells: np.array(cells).reshape(3, 4))


@settings(max_examples=30)
@given(COUNTS, st.lists(st.integers(1, 90), min_size=5, max_size=5), st.integers(0, 11))
def test_one_record_changes_one_count_of_a_table_and_its_score_by_at_most_1(cells, expected, place):
    compared = compared_counts(BINS, (np.array([expected[:2]]), np.array([expected[2:]])))
    more = cells.copy()
    more.ravel()[place] += 1
    difference = table_counts(BINS, more) - table_counts(BINS, cells)
    assert (difference.sum(), np.abs(difference).sum()) == (1, 1)
    before, after = (score(table_counts(BINS, one), compared, 7) for one in (cells, more))
    assert abs(after - before) <= 1


TRIPLE = BinnedTable((2, 0, 1), (np.array([0, 1]), np.array([0, 0, 1]), np.array([0, 1, 2])))


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 50), min_size=12, max_size=12),
    st.lists(st.floats(0, 90), min_size=10, max_size=10),
    st.data(),
)
def test_one_record_changes_the_score_of_a_triple_by_at_most_1(cells, margins, data):
    """A bin of the given field may be expected to hold nothing."""
    compared = compared_counts(TRIPLE, (np.array(margins[:4]).reshape(2, 2), np.array(margins[4:]).reshape(2, 3)))
    counts = np.array(cells).reshape(TRIPLE.shape)
    more = counts.copy()
    more.ravel()[data.draw(st.integers(0, 11))] += 1
    before, after = (score(one, compared, 7) for one in (counts, more))
    assert abs(after - before) <= 1


def test_pairs_are_chosen_one_after_another_without_a_circle_and_none_that_tells_less_than_noise():
    plan = tree_plan(Budget("puredp", Fraction(10**6)), [4, 4, 4], 1000)
    tables = possible_tables([np.full(4, 250.0)] * 3, 1.0)
    by_pair = {(0, 1): 900, (0, 2): 800, (1, 2): 700}
    found = np.array([by_pair[one.fields] for one in tables])
    chosen = chosen_tables(tables, found, plan, recorded_bits("circle"))
    assert [one.fields for one in chosen] == [(0, 1), (0, 2)]
    assert chosen_tables(tables, np.full(len(tables), -50), plan, recorded_bits("none")) == []


@pytest.mark.slow
def test_the_readme_example_is_better_than_independent_columns(tmp_path):
    """At epsilon 8 with 5,000 people, and without any word on how fields hang together."""
    data = write_wide(tmp_path / "sim", 5000)
    inputs = SynthesisInputs(SPEC, data)
    synthesize(inputs, tmp_path / "out", bits=recorded_bits("readme"), resources=Resources(threads=1))
    ours = tmp_path / "out" / "synthetic.parquet"
    exact, stream = pq.read_table(data), np.random.default_rng(0)
    independent = pa.table({name: exact[name].take(stream.permutation(exact.num_rows)) for name in exact.column_names})
    pq.write_table(independent, tmp_path / "independent.parquet")
    found = marginal_scores(data, [ours, tmp_path / "independent.parquet"], [2, 3], 20)
    assert [one.score > other.score for one, other in zip(found[::2], found[1::2], strict=True)] == [True, True]


def test_epsilon_alone_is_enough_beside_domains(tmp_path):
    (tmp_path / "spec.toml").write_text(DOMAINS, encoding="utf-8")
    pq.write_table(table(), tmp_path / "table.parquet")
    inputs = SynthesisInputs(tmp_path / "spec.toml", tmp_path / "table.parquet", epsilon="1")
    assert synthesized(inputs).rows.column_names == list("ABCDE")


SIZES = [2, 5, 16, 100, 3, 9, 42, 2]


@settings(max_examples=30)
@given(
    st.sampled_from(["puredp", "zcdp"]),
    st.fractions(Fraction(1, 1000), 20, max_denominator=1000),
    st.integers(1, 10**6),
)
def test_the_parts_add_up_to_the_budget_exactly(definition, amount, rows):
    plan = tree_plan(Budget(definition, amount), SIZES, rows, counted_rows=amount / 50)
    assert plan.counted_rows + sum(plan.fields) + plan.pairs.amount + plan.triples.amount == amount
    assert min(plan.fields) > 0
    assert 0.5 < plan.fields[3] / plan.fields[0] / (SIZES[3] / SIZES[0]) ** 0.5 < 2


@settings(max_examples=30)
@given(st.sampled_from(["puredp", "zcdp"]), st.fractions(Fraction(1, 10**6), 20, max_denominator=10**6))
def test_a_choice_costs_no_more_than_its_part(definition, part):
    """epsilon of pure DP; epsilon^2 / 8 of zCDP."""
    epsilon = choice_epsilon(definition, part)
    assert (epsilon if definition == "puredp" else epsilon**2 / 8) <= part
    assert epsilon == part if definition == "puredp" else (epsilon + Fraction(1, 2**60)) ** 2 / 8 > part


@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_more_rows_and_more_budget_never_pay_for_fewer_pairs(definition):
    def pairs(amount: Fraction, rows: int) -> int:
        return tree_plan(Budget(definition, amount), SIZES, rows).pairs.most

    by_rows = [pairs(Fraction(1, 10), 10**power) for power in range(7)]
    by_budget = [pairs(Fraction(10) ** power, 5000) for power in range(-4, 2)]
    assert (by_rows, by_budget) == (sorted(by_rows), sorted(by_budget))
    assert (by_rows[0], by_rows[-1]) == (0, len(SIZES) - 1)


@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_the_loss_that_a_ledger_states_does_not_depend_on_what_was_drawn(definition):
    """Rows that a plan is made for, and the pairs that were chosen, follow from noise."""
    budget = Budget(definition, Fraction(8))
    stated = []
    for rows, pairs in ((100, 0), (10**6, 1), (10**6, 7)):
        plan = tree_plan(budget, SIZES, rows, counted_rows=Fraction(1, 50))
        parts = [*plan.fields, *[plan.pairs.tables / max(1, pairs)] * pairs]
        calls = [HistogramNoise("field", 2, noise_of(budget.law(part), part)) for part in parts]
        stated.append(histogram_statement(budget, calls, plan.choices))
    assert stated[0].loss == stated[1].loss == stated[2].loss


@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_triples_are_paid_for_once_a_table_of_128_cells_bears_its_noise(definition):
    """Noise of 4/5 of a deviation in each cell is 3/10 of the rows together; then fields and pairs get less."""
    amounts = [Fraction(number, 100) / (1 if definition == "puredp" else 200) for number in range(10, 100)]
    plans = [tree_plan(Budget(definition, amount), SIZES, 32_000) for amount in amounts]
    first = next(place for place, plan in enumerate(plans) if plan.triples.most)
    assert [plan.triples.most for plan in plans] == [0] * first + [len(SIZES) - 2] * (len(plans) - first)
    before, after = plans[first - 1], plans[first]
    assert after.pairs.tables < before.pairs.tables
    assert sum(after.fields) < sum(before.fields)
    deviation = variance(after.budget.law(after.triples.tables / after.triples.most)) ** 0.5
    assert 128 * 0.8 * deviation == pytest.approx(0.3 * 32_000, rel=0.03)


STREAM = np.random.default_rng(5)
LAW = DiscreteGaussian(Fraction(1, 200))  # variance 100
NARROW = DiscreteGaussian(Fraction(1, 8))  # variance 4


def test_smoothing_is_the_mean_over_all_divisions_into_stretches():
    counts, variance = np.array([10.0, 12.0, 11.0, 50.0, 47.0, 9.0]), 4.0
    centred = counts - counts.mean()
    height = max((centred**2).mean(), variance)
    weights, means = [], []
    for inner in chain.from_iterable(combinations(range(1, counts.size), cuts) for cuts in range(counts.size)):
        stretches = pairwise([0, *inner, counts.size])
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
    assert smoothed(counts, 1e-9) == pytest.approx(counts, rel=1e-6)  # next to no noise leaves nothing to smooth
    dominant = np.array([1e6, 400, 300, 140, 60, 40, 20])
    assert smoothed(dominant, 0.9) == pytest.approx(dominant, abs=1)


def test_counts_are_not_negative_rare_values_are_joined_and_the_total_is_weighed():
    assert on_simplex(np.array([5.0, -3.0, 1.0, 0.5]), 4.0) == pytest.approx([4.0, 0.0, 0.0, 0.0])
    assert on_simplex(np.array([5.0, 3.0]), 4.0) == pytest.approx([3.0, 1.0])
    counts = np.array([1.0, 1, 1, 1, 50, 1, 1, 1, 1, 40])
    assert bins_of(counts, 4).tolist() == [0, 0, 0, 0, 1, 2, 2, 2, 2, 3]
    assert bins_of(counts, 10).tolist() == list(range(10))
    assert bins_of(np.array([0.0, 0.0, 5.0, 0.0, 0.0]), 3).tolist() == [0, 0, 1, 2, 2]
    fields = [NoisyField(np.array(counts), law) for counts, law in (([10, 20], LAW), ([40], NARROW), ([100], NARROW))]
    assert record_total(fields) == pytest.approx((30 / 200 + 40 / 4 + 100 / 4) / (1 / 200 + 2 / 4))


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


def test_a_table_of_noise_alone_becomes_that_of_independent_fields_of_as_many_cells_as_it_allows():
    table = BinnedTable((0, 1), (np.arange(20), np.arange(20)))
    sums = np.full(20, 4000.0)
    noisy = NoisyTable(200 + np.rint(10 * STREAM.standard_normal((20, 20))).astype(np.int64), LAW, table)
    assert np.abs(consistent_table(noisy, (sums[None], sums[None])) - 200).mean() < 2
    finest = [np.full(64, 100.0), np.full(10, 640.0)]
    few, many = (possible_tables(finest, deviation)[1] for deviation in (80.0, 8.0))
    assert few.cells <= 30 < many.cells <= 300


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
    independent = compared_counts(table, known.margins(table))
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
