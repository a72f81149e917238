"""Exact counts of a table's cells, the same as plain counting, and noise on every cell, by the law of drawing each."""

import math
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from safetab_sql.histograms.confidential import counts as histograms
from safetab_sql.histograms.confidential.counts import coded_table, count_cells
from safetab_sql.histograms.mechanisms import cells as drawn_cells
from safetab_sql.histograms.mechanisms.cells import noisy_cells
from safetab_sql.histograms.public.domains import Domain, Weight, codes_of_cells, decoded
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.exceedance import ExceedanceCount
from safetab_sql.laws.noise import TwoSidedGeometric
from safetab_sql.mechanisms.draw import draw
from safetab_sql.mechanisms.empty_groups import exceeding_draws
from tests.histograms.tables import people, write_rows
from tests.statistics import FALSE_ALARM, pmf, recorded_bits, support

ONE = Resources(threads=1)
COUNTY = Domain("COUNTY", ("STATE", "COUNTY"), values=(("01", "001"), ("01", "003"), ("02", "001")))
SEX = Domain("SEX", ("SEX",), values=((1,), (2,)))
AGE = Domain("AGE", ("AGE",), bins=((0, 17), (18, 64), (65, 115)))


def counted(path, domains, of=None, *, weight=None, resources=ONE):
    of = of or domains
    with coded_table(path, domains, resources, weight=weight) as table:
        cells = count_cells(table, of)
    columns = [
        array.to_pylist()
        for domain, codes in zip(of, codes_of_cells(cells.cell_ids, of), strict=True)
        for array in decoded(domain, codes).values()
    ]
    return dict(zip(zip(*columns, strict=True), cells.exact_counts.tolist(), strict=True))


def refusal(path, domains, **options):
    """The problems of a table that is refused."""
    with pytest.raises(InputError) as refused, coded_table(path, domains, ONE, **options):
        pass
    return refused.value.problems


@pytest.fixture
def table(tmp_path):
    return lambda **columns: _write(tmp_path / "t.parquet", columns)


def _write(path, columns):
    pq.write_table(pa.table(columns), path)
    return path


def test_one_coded_table_gives_histograms_over_any_of_its_domains_in_any_order(tmp_path):
    rows = people(300)
    path = write_rows(tmp_path / "t.parquet", rows)
    found = counted(path, (COUNTY, SEX, AGE), (AGE, COUNTY))
    assert found == Counter(("0-17" if row["AGE"] < 18 else "18-64", row["STATE"], row["COUNTY"]) for row in rows)


@settings(max_examples=5)
@given(
    st.lists(st.one_of(st.none(), st.integers(-3, 9)), min_size=1, max_size=30), st.booleans(), st.sampled_from([2, 99])
)
def test_null_and_other_values_are_counted_where_their_domain_says(tmp_path_factory, ages, has_null, other):
    path = _write(tmp_path_factory.mktemp("t") / "t.parquet", {"A": pa.array(ages, pa.int16())})
    domain = Domain("A", ("A",), minimum=0, maximum=5, null=has_null, other=(other,))

    def counted_as(age):
        if age is None:
            return None if has_null else other
        return age if 0 <= age <= 5 else other

    assert counted(path, (domain,)) == Counter((counted_as(age),) for age in ages)


MAPPED = {
    "numbers": (
        Domain("A", ("A",), minimum=0, maximum=90, null=True),
        *({"90+": 90, "NS": "null", "7": 8}, [90, None, 8, 9, None]),
    ),
    "bins": (
        Domain("A", ("A",), bins=((0, 17), (18, 90)), null=True),
        *({"90+": 90, "NS": "null", "7": 20}, ["18-90", None, "18-90", "0-17", None]),
    ),
    "list": (
        Domain("A", ("A",), values=(("9",), ("7",), ("X",)), null=True),
        *({"90+": "9", "NS": "X", "7": "null"}, ["9", "X", None, "9", None]),
    ),
}


@pytest.mark.parametrize("kind", MAPPED)
def test_mapped_values_are_counted_as_what_the_domain_says(table, kind):
    domain, mapped, wanted = MAPPED[kind]
    path = table(A=["90+", "NS", "7", "9", None])
    assert counted(path, (replace(domain, map=mapped),)) == Counter((each,) for each in wanted)
    assert [problem.what for problem in refusal(path, (domain,))] != []


def test_a_value_is_the_same_however_it_is_stored(table):
    stored = {
        "A": (pa.array(["7", "7"]), Domain("A", ("A",), values=((7,),))),
        "B": (pa.array([7, 7], pa.uint8()), Domain("B", ("B",), values=(("7",),))),
        "C": (pa.array(["7", "7"]).dictionary_encode(), Domain("C", ("C",), minimum=7, maximum=7)),
        "D": (pa.array([True, True]), Domain("D", ("D",), values=((True,),))),
        "E": (pa.array(["true", "true"]), Domain("E", ("E",), values=((True,),))),
        "F": (pa.array(["7", "+7"]), Domain("F", ("F",), minimum=0, maximum=9)),
    }
    path = table(**{name: values for name, (values, _) in stored.items()})
    assert counted(path, tuple(domain for _, domain in stored.values())) == {(7, "7", 7, True, True, 7): 2}


def test_values_that_only_look_like_one_of_several_columns_joined_are_outside(table):
    domain = Domain("D", ("A", "B"), values=(("x", "y"),), other=("?", "?"))
    path = table(A=["x", "x\x1fy", "x", None], B=["y", "", "y\x1f", "y"])
    assert counted(path, (domain,)) == {("x", "y"): 1, ("?", "?"): 3}


def test_text_that_spells_no_whole_number_is_outside_a_range(table):
    domain = Domain("A", ("A",), minimum=0, maximum=99, other=(100,))
    assert counted(table(A=["7", "2.5", "1e1", " 7", "7a", ""]), (domain,)) == {(7,): 1, (100,): 5}


def test_values_outside_come_with_file_row_and_value_and_all_domains_at_once(table):
    path = table(A=[5, 200, 5, None], S=["1", "1", "9", "1"])
    domains = (Domain("AGE", ("A",), minimum=0, maximum=115), Domain("SEX", ("S",), values=(("1",), ("2",))))
    age, sex = refusal(path, domains)
    assert (age.what, age.examples) == (
        "2 record(s) with a value outside domain AGE",
        ("t.parquet row 2, A=200", "t.parquet row 4, A=NULL"),
    )
    assert sex.examples == ("t.parquet row 3, S=9",)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"B": ["1"]}, "missing column A; found B"),
        ({"A": [1.5]}, "A=1.5"),
        ({"A": ["1"], "a": ["1"]}, "stands beside it"),
        ({"A": ["1"], "Record_File": ["1"]}, "[Record_File]: is what statements call the place of a record"),
        ({"A": ["1"], "file_row_number": [1]}, "[file_row_number]: is what statements call the place of a record"),
    ],
    ids=["missing", "float", "repeated", "file", "row"],
)
def test_a_table_whose_columns_will_not_do_is_refused(table, columns, problem):
    (found,) = refusal(table(**columns), (Domain("A", ("A",), values=(("1",),)),))
    assert problem in str(found)


def test_a_table_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = write_rows(tmp_path / "t.parquet", people(10))
    make = histograms._coding_problems

    def changed(*arguments):
        write_rows(path, people(20))
        return make(*arguments)

    monkeypatch.setattr(histograms, "_coding_problems", changed)
    (problem,) = refusal(path, (SEX,))
    assert "was changed while it was being read" in problem.what


WEIGHTED = Weight("WEIGHT", 10)


def test_weights_are_clamped_and_added(tmp_path):
    rows = people(200)
    expected = Counter()
    for row in rows:
        expected[(row["SEX"],)] += min(max(row["WEIGHT"], 0), 10)
    assert counted(write_rows(tmp_path / "t.parquet", rows), (SEX,), weight=WEIGHTED) == expected


@pytest.mark.parametrize(
    ("weights", "unit", "number", "rows"),
    [
        (["3", None, "2.5"], 1, "whole number", (2, 3)),
        (["3", None, "much"], Fraction(1, 2), "number", (2, 3)),
        ([3.0, 3.0, math.nan], 1, "whole number", (3,)),  # the engine takes such a column for constant
    ],
    ids=["whole", "halves", "nan"],
)
def test_a_weight_that_is_missing_or_no_number_of_units_is_an_error(table, weights, unit, number, rows):
    (problem,) = refusal(table(SEX=[1, 1, 2], WEIGHT=weights), (SEX,), weight=Weight("WEIGHT", 10, Fraction(unit)))
    assert problem.what == f"{len(rows)} record(s) with a weight that is missing or no {number}"
    assert problem.examples == tuple(f"t.parquet row {row}" for row in rows)


@pytest.mark.parametrize(
    "stored",
    [[2.5, 0.26, 7.0], ["2.5", "0.26", "7"], pa.array([Decimal("2.50"), Decimal("0.26"), Decimal("7.00")])],
    ids=["doubles", "text", "decimals"],
)
def test_fractional_weights_are_counted_in_the_nearest_whole_number_of_units(table, stored):
    """Units of a half: 5, 1, and 14 cut off at 6."""
    half = Weight("WEIGHT", 6, Fraction(1, 2))
    assert counted(table(SEX=[1, 2, 2], WEIGHT=stored), (SEX,), weight=half) == {(1,): 5, (2,): 7}


@pytest.mark.parametrize("unit", [1, Fraction(1, 2)], ids=["whole", "halves"])
def test_one_weight_of_any_size_is_clamped_and_decides_nothing(table, unit):
    """1e30, 1e400 and inf count the maximum, their negatives nothing, and 1e-400 nothing."""
    texts = ["1e30", "1e400", "inf", "9" * 40, "-1e30", "-1e400", "-inf", "1e-400"]
    doubles = [1e30, math.inf, 1e19, float(2**63), -1e30, -math.inf, -1e19, 0.0]
    for stored in (texts, doubles):
        sexes = [1] * 4 + [2] * 4
        assert counted(table(SEX=sexes, WEIGHT=stored), (SEX,), weight=Weight("WEIGHT", 6, unit)) == {(1,): 24, (2,): 0}


@pytest.mark.parametrize("names", [("1", "2"), ("2", "1")], ids=["null first", "null last"])
def test_a_column_of_nothing_in_one_file_is_read_beside_numbers_in_another(tmp_path, names):
    for name, ages in zip(names, (pa.nulls(2), pa.array([7, 30])), strict=True):
        pq.write_table(pa.table({"AGE": ages}), tmp_path / f"{name}.parquet")
    age = Domain("AGE", ("AGE",), bins=((0, 17), (18, 115)), null=True)
    assert counted(tmp_path, (age,)) == {("0-17",): 1, ("18-115",): 1, (None,): 2}


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
def test_as_many_empty_cells_come_out_as_noise_is_not_zero_with_its_law_given_that_it_is_not(law):
    cells = CELLS if law == WIDE else 10 * CELLS
    _, counts = joined(noisy_cells(NOBODY, cells, law, recorded_bits("values")))
    chance = 1 - pmf(law)[support(law) == 0].sum()
    assert stats.binomtest(counts.size, cells, chance).pvalue >= FALSE_ALARM
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
    above, cells = 3, 10**6 if law == WIDE else 10**7
    ids, counts = joined(noisy_cells(NOBODY, cells, law, recorded_bits("above"), above=above))
    chance = pmf(law)[support(law) > above].sum()
    assert counts.min() > above if counts.size else chance * cells < 1
    assert stats.binomtest(ids.size, cells, chance).pvalue >= FALSE_ALARM


def test_a_cell_with_records_is_left_out_where_noise_takes_it_to_the_threshold():
    exact = np.array([5]), np.array([4])
    left = [joined(noisy_cells(exact, 10, NARROW, recorded_bits(f"{n}"), above=3))[0].tolist() for n in range(60)]
    assert {tuple(ids) for ids in left} == {(5,)}  # P(noise < 0) is 0.25 %
    none = [joined(noisy_cells(exact, 10, NARROW, recorded_bits(f"{n}"), above=4))[0].size for n in range(60)]
    assert sum(none) <= 2


def test_a_sign_that_always_is_plus_and_noise_five_percent_too_wide_are_noticed():
    """Power above 0.9999: over two million cells the chance of a cell to come out moves by thirty standard errors."""
    draws = exceeding_draws(NARROW, 0, 10**7, recorded_bits("signs"), tails=2)[1]
    assert not follows(np.abs(draws), NARROW, lambda values: values != 0)
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
    monkeypatch.setattr(drawn_cells, "_STRETCH", 64)
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
