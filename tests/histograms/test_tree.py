"""What `synthesize run` makes along a tree: noise, choice of pairs, ledger, rows, and what one record can change."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safetab_sql.accounting.charges import PartLoss
from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.evaluation.epl import Estimator, empirical_privacy_loss, residuals_of
from safetab_sql.evaluation.score import marginal_scores
from safetab_sql.histograms.confidential.counts import scores, table_counts
from safetab_sql.histograms.public.tree_plan import BinnedTable, Comparison, TreeBudget, tree_plan
from safetab_sql.histograms.published.tree import possible_tables
from safetab_sql.histograms.synthesize import SynthesisInputs, chosen_tables, synthesize
from safetab_sql.kit.database import Resources
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.settings.geography import WHOLE
from tests.benchmarks.wide import SPEC, write_wide
from tests.histograms.synthesis import NO_NOISE, Synthesized, made, synthesized, written
from tests.statistics import fits, recorded_bits, widened

ROWS = 6000
DOMAINS = (
    "[domains]\n"
    + "\n".join(
        f"{name} = {{ minimum = 0, maximum = {size - 1} }}"
        for name, size in {"A": 10, "B": 10, "C": 4, "D": 60, "E": 60}.items()
    )
    + "\n"
)


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


def shares(rows: pa.Table, names: list[str]) -> dict[tuple[object, ...], float]:
    counts = rows.group_by(names).aggregate([([], "count_all")]).to_pylist()
    return {tuple(row[name] for name in names): row["count_all"] / rows.num_rows for row in counts}


def test_without_noise_the_nearest_pairs_are_chosen(exact):
    assert [set(one["fields"]) for one in exact.manifest["tables"]][:3] == [{"D", "E"}, {"A", "B"}, {"B", "C"}]
    assert exact.rows.num_rows == exact.manifest["rows"] == ROWS


@pytest.mark.parametrize("pair", [["A", "B"], ["B", "C"], ["D", "E"]], ids="".join)
def test_without_noise_chosen_pairs_have_their_shares(exact, pair):
    wanted, found = shares(table(), pair), shares(exact.rows, pair)
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
    wanted, found = shares(columns, list("ABC")), shares(release.rows, list("ABC"))
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
    """Residuals of 20,000 values and of all cells of a table fit the stated law, and no law a tenth wider."""
    spec = f"{budget}\nrows = 6000\n{DOMAINS}Z = {{ minimum = 0, maximum = 19999 }}\n"
    release = made(tmp_path / "run", spec, table().append_column("Z", pa.array(np.zeros(ROWS, np.int32))))
    ledger = release.manifest["ledger"]
    calls = {call["histogram"]: law_of(call, ledger["privacy_definition"]) for call in ledger["histograms"]}
    field = release.histograms[5]["COUNT"].to_numpy() - np.array([ROWS] + [0] * 19_999)
    cells = pair_noise(tmp_path / "run" / "out" / "tables" / "1.parquet")
    assert fits(field, calls["Z"])
    assert not fits(field, widened(calls["Z"], Fraction(11, 10)))
    assert fits(cells, calls["D+E"])
    (deviation,) = (one["standard_deviation"] for one in ledger["histograms"] if one["histogram"] == "D+E")
    assert abs(cells.std() / deviation - 1) < 0.25
    if ledger["privacy_definition"] == "puredp":
        loss = empirical_privacy_loss(residuals_of(field), Estimator(percentile=90.0))
        assert loss == pytest.approx(float(calls["Z"].epsilon), rel=0.15)


def test_the_parts_in_the_ledger_add_up_to_the_budget(exact):
    ledger = exact.manifest["ledger"]
    parts = [Fraction(call["budget"]["exact"]) for call in ledger["histograms"]]
    choices = [one["choices"] * Fraction(one["budget_of_each"]["exact"]) for one in ledger["choices"]]
    tables = [one for one in exact.manifest["tables"] if len(one["fields"]) == 3]
    unspent = (1 - Fraction(len(tables), ledger["choices"][1]["choices"])) * Fraction(
        ledger["choices"][1]["tables"]["exact"]
    )
    assert sum(parts) + sum(choices) + unspent == NO_NOISE == Fraction(ledger["totals"]["one_record"]["exact"])


def test_a_ledger_file_is_charged_the_budget_in_its_own_unit(tmp_path):
    inputs = written(tmp_path, f"rho = 0.25\n{DOMAINS}", table())
    synthesize(inputs, tmp_path / "out", ledger_file=LedgerFile(tmp_path / "ledger"), bits=recorded_bits("charge"))
    (charge,) = read_ledger(tmp_path / "ledger").charges
    assert (charge.parts, charge.state) == ({WHOLE: PartLoss(Fraction(1, 4), None)}, "released")


BINS = BinnedTable((0, 1), (np.array([0, 0, 1]), np.array([0, 1, 1, 2])))
COUNTS = st.lists(st.integers(0, 50), min_size=12, max_size=12).map(lambda cells: np.array(cells).reshape(3, 4))


@settings(max_examples=30)
@given(COUNTS, st.lists(st.integers(1, 90), min_size=5, max_size=5), st.integers(0, 11))
def test_one_record_changes_one_count_of_a_table_and_its_score_by_at_most_1(cells, expected, place):
    comparison = Comparison(BINS, (np.array([expected[:2]]), np.array([expected[2:]])), 7)
    more = cells.copy()
    more.ravel()[place] += 1
    difference = table_counts(BINS, {(0, 1): more}) - table_counts(BINS, {(0, 1): cells})
    assert (difference.sum(), np.abs(difference).sum()) == (1, 1)
    before, after = (scores([comparison], [table_counts(BINS, {(0, 1): one})])[0] for one in (cells, more))
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
    comparison = Comparison(TRIPLE, (np.array(margins[:4]).reshape(2, 2), np.array(margins[4:]).reshape(2, 3)), 7)
    counts = np.array(cells).reshape(TRIPLE.shape)
    more = counts.copy()
    more.ravel()[data.draw(st.integers(0, 11))] += 1
    before, after = scores([comparison, comparison], [counts, more])
    assert abs(after - before) <= 1


def test_pairs_are_chosen_one_after_another_and_close_no_circle():
    plan = tree_plan(TreeBudget("puredp", Fraction(10**6)), [4, 4, 4], 1000)
    tables = possible_tables([np.full(4, 250.0)] * 3, 1.0)
    by_pair = {(0, 1): 900, (0, 2): 800, (1, 2): 700}
    found = np.array([by_pair[one.table.fields] for one in tables])
    chosen = chosen_tables(tables, found, plan, recorded_bits("circle"))
    assert [one.table.fields for one in chosen] == [(0, 1), (0, 2)]


def test_no_table_is_chosen_where_all_tell_less_than_their_noise():
    plan = tree_plan(TreeBudget("puredp", Fraction(10**6)), [4, 4, 4], 1000)
    tables = possible_tables([np.full(4, 250.0)] * 3, 1.0)
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
