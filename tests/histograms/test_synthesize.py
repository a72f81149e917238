"""What `synthesize run` makes of a table: rows drawn by noisy counts, and types; tells nothing else, leaves no half."""

import datetime
import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.histograms.public.spending import Budget, HistogramCall
from safetab_sql.histograms.public.synthesis_spec import tree_plan
from safetab_sql.histograms.published.sampling import default_rows, generator, random_sets, sampled_cells
from safetab_sql.histograms.synthesize import SynthesisInputs, synthesize
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import TwoSidedGeometric
from tests.audit.compensation import Recording, noise_bits
from tests.cli.command import call
from tests.histograms.synthesis import NO_NOISE, Columns, Synthesized, made, synthesized, written
from tests.statistics import FALSE_ALARM, fits, recorded_bits, widened

SEXES: Columns = {"SEX": ["1", "2", "1", "1"], "AGE": [30, 30, 31, 31]}
SPEC = f"""
epsilon = {NO_NOISE}
cut = 2
[domains]
SEX = {{ values = ["1", "2"] }}
AGE = {{ minimum = 30, maximum = 32 }}
"""
GROUPED = SPEC + '[[groups]]\nfields = ["SEX", "AGE"]\n'


def test_without_noise_the_histograms_are_the_exact_ones(tmp_path):
    grouped = made(tmp_path, "rows = 2000" + GROUPED, SEXES)
    (cells,) = grouped.histograms
    assert [tuple(row.values())[:3] for row in cells.to_pylist()] == [("1", 30, 1), ("1", 31, 2), ("2", 30, 1)]
    assert grouped.rows.num_rows == 2000
    assert {tuple(row.values()) for row in grouped.rows.to_pylist()} == {("1", 30), ("1", 31), ("2", 30)}


def test_by_default_there_are_as_many_rows_as_the_median_total_says_and_the_columns_of_the_spec(tmp_path):
    rows = made(tmp_path, SPEC, {**SEXES, "NAME": ["a", "b", "c", "d"]}).rows
    assert (rows.num_rows, rows.column_names) == (4, ["SEX", "AGE"])


def test_groups_are_drawn_independently_and_a_seed_draws_its_rows_again(tmp_path):
    alone = written(tmp_path, "rows = 10000" + SPEC, SEXES)
    before = synthesized(alone).rows
    assert {tuple(row.values()) for row in before.to_pylist()} == {("1", 30), ("1", 31), ("2", 30), ("2", 31)}
    assert synthesized(SynthesisInputs(alone.spec, alone.data, seed=1)).rows != before
    assert synthesized(alone).rows == before


TYPED = pa.table(
    {
        "SMALL": pa.array([1, 2], pa.int8()),
        "TEXT": pa.array(["a", "b"]).dictionary_encode(),
        "FLAG": pa.array([True, False]),
        "WIDE": pa.array([1, 2], pa.int64()),
    }
)
TYPED_SPEC = f"""
epsilon = {NO_NOISE}
cut = 2
[domains]
WIDE = {{ minimum = 0, maximum = 9 }}
FLAG = {{ values = [true, false] }}
TEXT = {{ values = ["a", "b"] }}
SMALL = {{ values = [1, 2] }}
"""


def test_columns_have_the_types_of_the_input_in_the_order_of_the_spec(tmp_path):
    schema = made(tmp_path, TYPED_SPEC, TYPED).rows.schema
    wanted = [("WIDE", pa.int64()), ("FLAG", pa.bool_()), ("TEXT", pa.string()), ("SMALL", pa.int8())]
    assert [(field.name, field.type) for field in schema] == wanted


@pytest.mark.parametrize(
    "values",
    [
        "minimum = 0, maximum = 1000",
        'values = ["1", "x", "2"]',
        "bins = [[1, 2], [3, 128]]",
        "bins = [[-129, 2]]",
        "bins = [[1, 2]], other = 128",
    ],
)
@pytest.mark.each_time("maximum", "-129")
def test_a_domain_that_the_stored_type_cannot_hold_is_refused(tmp_path, values):
    spec = TYPED_SPEC.replace("values = [1, 2]", values)
    said = r"\[domains.SMALL\]: holds values that the stored type of SMALL, int8, cannot"
    with pytest.raises(InputError, match=said):
        made(tmp_path, spec, TYPED)


ELEVEN = "rows = 3\nepsilon = 1\n[domains]\nA = { values = [11], other = 0 }\n"


def made_of_files(folder: Path, spec: str, tables: Sequence[pa.Table]) -> Synthesized:
    inputs = written(folder, spec, tables[0])
    (folder / "data").mkdir()
    for number, each in enumerate(tables):
        pq.write_table(each, folder / "data" / f"{number}.parquet")
    return synthesized(SynthesisInputs(inputs.spec, folder / "data"))


@pytest.mark.parametrize("other", ["12", "unknown"])
def test_the_type_of_a_hive_column_is_that_of_its_domain_whatever_folders_there_are(tmp_path, other):
    inputs = written(tmp_path, ELEVEN, SEXES)
    for value in ("11", other):
        (tmp_path / "data" / f"A={value}").mkdir(parents=True)
        pq.write_table(pa.table({"B": [1]}), tmp_path / "data" / f"A={value}" / "b.parquet")
    rows = synthesized(SynthesisInputs(inputs.spec, tmp_path / "data")).rows
    assert rows.schema.field("A").type == pa.int64()


def test_a_column_that_two_files_store_differently_is_refused(tmp_path):
    narrow = pa.schema([*TYPED.schema][:3]).append(pa.field("WIDE", pa.int32()))
    with pytest.raises(InputError, match=r"\[WIDE\]: stored as int32, int64"):
        made_of_files(tmp_path, TYPED_SPEC, [TYPED, pa.concat_tables([TYPED, TYPED]).cast(narrow)])


@pytest.mark.parametrize("files", ["nothing, numbers", "numbers, nothing", "nothing"])
@pytest.mark.each_time("nothing, numbers")
def test_a_column_of_nothing_has_the_type_of_other_files_or_of_its_domain(tmp_path, files):
    kinds = {"nothing": pa.nulls(1), "numbers": pa.array([11], pa.int8())}
    made_table = made_of_files(tmp_path, ELEVEN, [pa.table({"A": kinds[kind]}) for kind in files.split(", ")])
    assert made_table.rows.schema.field("A").type == (pa.int8() if "numbers" in files else pa.int64())


def test_a_value_outside_its_domain_is_an_error_for_the_custodian(tmp_path):
    with pytest.raises(InputError, match="1 record\\(s\\) with a value outside domain AGE"):
        made(tmp_path, SPEC, {"SEX": ["1", "1"], "AGE": [30, 33]})
    assert not (tmp_path / "out").exists()


BINS = f"epsilon = {NO_NOISE}\nrows = 1000\n[domains]\nRENT = {{ bins = [[0, 0], [1, 4], [5, 1000]], other = -1 }}\n"
NULL = BINS.replace("other = -1", "other = 3, null = true")
RANGE = "cut = 2\n" + BINS.replace("bins = [[0, 0], [1, 4], [5, 1000]]", "minimum = 0, maximum = 9")


@pytest.mark.parametrize(
    ("spec", "rents", "drawn"),
    [
        *((BINS, [0, 3, 3], {0, 1, 2, 3, 4}), (BINS, [2000, 2001], {-1}), (NULL, [2, None], {None, 1, 2, 3, 4})),
        *((RANGE, [50, 60], {-1}), (RANGE.replace("other", "null = true, other"), [3, None], {3, None})),
    ],
    ids=["bins", "other beside bins", "other in a bin, and null", "other", "null"],
)
@pytest.mark.each_time("beside", "in a bin", "[null")
def test_of_a_bin_every_value_is_drawn_and_no_other(tmp_path, spec, rents, drawn):
    assert set(made(tmp_path, spec, {"RENT": pa.array(rents)}).rows["RENT"].to_pylist()) == drawn


@settings(max_examples=50)
@given(
    st.fractions(Fraction(1, 100), 100, max_denominator=10**6),
    st.integers(2, 10**9),
    st.fractions(0, 4, max_denominator=1000),
)
def test_the_cut_is_the_least_count_that_is_no_less_than_the_threshold(epsilon, bins, cut):
    found = HistogramCall("group", bins, epsilon).least_kept(cut)
    threshold = float(cut / epsilon) * np.log10(bins)
    assert found >= 1
    assert found == pytest.approx(max(1, np.ceil(threshold)), abs=0 if abs(threshold % 1) > 1e-9 else 1)


def test_counts_below_the_cut_are_not_kept_and_those_at_it_are(tmp_path):
    """log10 of 100 bins is 2, the scale is 10^-9: a cut of 5 * 10^8 * 3 is at 3 rows."""
    spec = f"epsilon = {NO_NOISE}\ncut = 1_500_000_000\n[domains]\nX = {{ minimum = 1, maximum = 100 }}\n"
    columns = {"X": [1] * 2 + [2] * 3 + [3] * 4}
    assert made(tmp_path, spec, columns).histograms[0]["COUNT"].to_pylist() == [3, 4]


def test_a_group_of_which_the_cut_leaves_nothing_is_drawn_from_its_whole_domain_and_of_no_row_none(tmp_path):
    spec = f"epsilon = {NO_NOISE}\ncut = 1e12\nrows = 1000\n[domains]\nX = {{ minimum = 1, maximum = 3 }}\n"
    assert set(made(tmp_path, spec, {"X": [1]}).rows["X"].to_pylist()) == {1, 2, 3}
    empty = {"SEX": pa.array([], pa.string()), "AGE": pa.array([], pa.int16())}
    assert made(tmp_path, SPEC, empty).rows.num_rows == 0


NOISY = (
    "epsilon = 0.8\ncut = 0\nrows = 1\n[domains]\n"
    "X = { minimum = 1, maximum = 20000 }\nY = { minimum = 1, maximum = 2 }\n"
)


def test_each_bin_has_two_sided_geometric_noise_of_scale_groups_over_epsilon(tmp_path):
    """P(noise <= -30) is 4e-6 at epsilon 0.4: such a bin would not be kept, but there is none but once in ten runs."""
    columns = {"X": np.repeat(np.arange(1, 20_001), 30), "Y": np.ones(600_000, dtype=np.int8)}
    counts, law = made(tmp_path, NOISY, pa.table(columns)).histograms[0], TwoSidedGeometric(Fraction(2, 5))
    noise = counts["COUNT"].to_numpy()[counts["X"].to_numpy() <= 20_000] - 30
    assert fits(noise, law)
    assert not fits(noise, widened(law, Fraction(108, 100)))


def test_empty_bins_pass_a_high_cut_as_often_as_their_noise_does(tmp_path):
    """10^9 bins, epsilon 1: exp(-18) / (1 + 1/e) * 10^9 = 11.1 reach 18; 60 or more with a chance below 1e-20."""
    domains = "\n".join(f"{name} = {{ minimum = 1, maximum = 1000 }}" for name in "XYZ")
    spec = f'epsilon = 1\ncut = 2\nrows = 1\n[domains]\n{domains}\n[[groups]]\nfields = ["X", "Y", "Z"]\n'
    found = made(tmp_path, spec, {"X": [5] * 100, "Y": [6] * 100, "Z": [7] * 100})
    (cells,) = found.histograms
    assert found.manifest["groups"][0]["least_kept"] == 18
    assert min(cells["COUNT"].to_pylist()) >= 18
    assert 1 < cells.num_rows < 60
    assert (5, 6, 7) in {(row["X"], row["Y"], row["Z"]) for row in cells.to_pylist()}


def test_too_many_bins_that_noise_alone_would_keep_are_refused(tmp_path):
    domains = "\n".join(f"{name} = {{ minimum = 1, maximum = 1000 }}" for name in "XYZ")
    spec = f'epsilon = 1\ncut = 0\n[domains]\n{domains}\n[[groups]]\nfields = ["X", "Y", "Z"]\n'
    with pytest.raises(InputError, match=r"noise would lift about 268,941,421 of the 1,000,000,000 bins of X\+Y\+Z"):
        made(tmp_path, spec, {"X": [5], "Y": [6], "Z": [7]})


def test_the_manifest_has_the_ledger_of_every_group(tmp_path):
    weighted = SPEC.replace(str(NO_NOISE), "1") + '[[groups]]\nfields = ["AGE"]\nweight = 2\n'
    ledger = made(tmp_path, weighted, SEXES).manifest["ledger"]
    shares = {entry["histogram"]: entry["budget"]["exact"] for entry in ledger["histograms"]}
    assert (shares, ledger["totals"]["one_record"]["exact"]) == ({"AGE": "2/3", "SEX": "1/3"}, "1")


def test_published_counts_carry_the_variance_and_margin_of_their_noise(tmp_path):
    """Epsilon 2 a group: variance 2 t / (1 - t)^2 with t = e^-2; P(|noise| <= 1) is 0.969, P(noise = 0) 0.762."""
    spec = GROUPED.replace(str(NO_NOISE), "2").replace("cut = 2", "cut = 10")
    (cells,) = made(tmp_path, spec, {"SEX": ["1"] * 90, "AGE": [30] * 90}).histograms
    t = np.exp(-2)
    (cell,) = cells.to_pylist()
    assert (cell["VARIANCE"], cell["MOE95"]) == (pytest.approx(2 * t / (1 - t) ** 2), 1.0)


def test_a_run_enters_the_ledger_before_it_draws_noise(tmp_path):
    inputs = written(tmp_path, SPEC.replace(str(NO_NOISE), "3"), SEXES)
    ledger = LedgerFile(tmp_path / "ledger")

    def bits(_: int) -> bytes:
        raise RuntimeError(json.dumps([release.state for release in read_ledger(ledger.path).charges]))

    with pytest.raises(RuntimeError, match='\\["reserved"\\]'):
        synthesize(inputs, tmp_path / "out", ledger_file=ledger, bits=bits)
    synthesize(inputs, tmp_path / "out", ledger_file=ledger)
    found = [(release.state, release.parts["all"].of_record) for release in read_ledger(ledger.path).charges]
    assert found == [("reserved", 3), ("released", 3)]


def test_production_text_is_read_and_written_as_text(tmp_path):
    inputs = written(tmp_path, SPEC, SEXES)
    (tmp_path / "table.txt").write_text("SEX|AGE\n1|30\n1|31\n", encoding="utf-8")
    rows = synthesized(SynthesisInputs(inputs.spec, tmp_path / "table.txt")).rows
    assert {field.type for field in rows.schema} == {pa.string()}


def test_columns_that_no_domain_can_be_of_are_named(tmp_path):
    times = pa.table({"SEX": ["1"], "AGE": pa.array([datetime.date(2020, 4, 1)])})
    with pytest.raises(InputError, match=r"\[AGE\]"):
        made(tmp_path, SPEC, times)


def test_rows_may_be_comma_separated_text(tmp_path):
    """The same rows as Parquet; names and values stand in quotation marks only where they have to."""
    inputs = written(tmp_path, SPEC, SEXES)
    rows = synthesized(inputs).rows
    synthesize(inputs, tmp_path / "text", format="csv", bits=recorded_bits("synthetic"))
    names, *lines = (tmp_path / "text" / "synthetic.csv").read_text(encoding="utf-8").splitlines()
    assert names.split(",") == rows.column_names
    assert [line.split(",") for line in lines] == [[str(value) for value in row.values()] for row in rows.to_pylist()]


CLOCK = re.compile(rb'("date": )"[^"]*"')
ABC = """
[domains]
A = { minimum = 0, maximum = 4 }
B = { minimum = 0, maximum = 2 }
C = { values = ["x", "y"] }
"""
BEFORE = {"A": [0, 1, 2, 2] * 20, "B": [0, 0, 1, 2] * 20, "C": ["x", "y", "y", "y"] * 20}


def release(folder: Path, columns: dict[str, list], bits, spec: str) -> dict[str, bytes]:
    """Every file of OUT, the manifest without its clock."""
    synthesize(written(folder, spec, columns), folder / "out", bits=bits, resources=Resources(threads=1))
    files = {str(path.relative_to(folder / "out")): path for path in (folder / "out").rglob("*") if path.is_file()}
    return {name: CLOCK.sub(rb"\1", path.read_bytes()) for name, path in files.items()}


def counts(columns: dict[str, list], names: str) -> np.ndarray:
    """Exact counts of every cell of a histogram of these fields, counted without the package."""
    cells = np.zeros([{"A": 5, "B": 3, "C": 2}[name] for name in names], dtype=np.int64)
    coded = {**columns, "C": [["x", "y"].index(value) for value in columns["C"]]}
    np.add.at(cells, tuple(np.array(coded[name]) for name in names), 1)
    return cells.ravel()


PLAN = tree_plan(Budget("puredp", Fraction(4)), [5, 3, 2], 20)
# Specification; histograms in the order in which they get noise, and the epsilon of each; the largest noise.
COMPENSATED = {
    "groups": (f'epsilon = 1\ncut = 0{ABC}[[groups]]\nfields = ["A", "C"]\n', ("AC", "B"), [Fraction(1, 2)] * 2, 6),
    "tree": (
        f"epsilon = 4\nrows = 20{ABC}",
        ("A", "B", "C"),
        PLAN.fields,
        1,
    ),  # too few rows for pairs: tests/audit has their tables
}


@pytest.mark.parametrize("method", COMPENSATED)
def test_one_row_changes_and_the_release_is_the_same_to_the_byte(method, tmp_path):
    spec, parts, budgets, most = COMPENSATED[method]
    stream = np.random.default_rng(1)
    tables = BEFORE, {name: [value, *BEFORE[name][1:]] for name, value in (("A", 4), ("B", 1), ("C", "y"))}
    exact = [[counts(columns, names) for names in parts] for columns in tables]
    noise = [stream.integers(-most, most + 1, one.size) for one in exact[0]]
    releases = []
    for number, (columns, its) in enumerate(zip(tables, exact, strict=True)):
        wanted = [drawn + before - own for drawn, before, own in zip(noise, exact[0], its, strict=True)]
        drawn = [noise_bits(TwoSidedGeometric(part), one) for part, one in zip(budgets, wanted, strict=True)]
        bits = Recording(b"".join(drawn))
        releases.append(release(tmp_path / str(number), columns, bits, spec))
        assert bits.left == b""
    assert releases[0] == releases[1]


ROWS = 1_237
DATA = "kc7-extract-of-march.parquet"
FEW = "epsilon = 0.01\ncut = 0\nrows = 500\n[domains]\nA = { minimum = 0, maximum = 4 }\n"


def test_neither_the_number_of_rows_nor_the_file_is_told(tmp_path):
    """An unusual number, and an unusual name; the log has the number, so that its absence elsewhere means something."""
    inputs = written(tmp_path, FEW, {"A": [1] * ROWS})
    (tmp_path / "table.parquet").rename(tmp_path / DATA)
    options = ("--spec", inputs.spec, "--data", tmp_path / DATA, "--out", tmp_path / "release")
    done = call("synthesize", "run", *options, "--confidential-log", tmp_path / "log")
    files = [file.read_bytes().decode("latin-1") for file in (tmp_path / "release").rglob("*") if file.is_file()]
    told = "\n".join([done.stdout, done.stderr, *files])
    assert (done.code, f"{ROWS:,} rows" in (tmp_path / "log").read_text()) == (0, True)
    assert re.findall(rf"\b({ROWS}|{ROWS:,})\b", told) == []
    assert DATA.removesuffix(".parquet") not in told


def test_a_release_that_stands_is_replaced_only_if_asked(tmp_path):
    inputs = written(tmp_path, FEW, {"A": [1]})
    options = ("--spec", inputs.spec, "--data", inputs.data, "--out", tmp_path / "out", "--quiet")
    codes = [call("synthesize", "run", *options, *more).code for more in ((), (), ("--overwrite",))]
    assert codes == [0, 2, 0]


IDS, COUNTS = np.array([3, 7, 1000]), np.array([1, 2, 5])


def drawn(rows: int, seed: int = 0) -> np.ndarray:
    return sampled_cells(IDS, COUNTS, 10**9, rows, generator(seed))


def test_cells_are_drawn_in_proportion_to_their_counts():
    rows = 100_000
    found = [(drawn(rows) == cell).sum() for cell in IDS]
    assert stats.chisquare(found, COUNTS / COUNTS.sum() * rows).pvalue > FALSE_ALARM


def test_a_seed_gives_the_same_draws_again_and_another_other_ones():
    assert (drawn(100, 1) == drawn(100, 1)).all()
    assert (drawn(100, 1) != drawn(100, 2)).any()


@pytest.mark.parametrize(
    ("totals", "rows"), [([5], 5), ([1, 9, 5], 5), ([4, 5], 5), ([4, 6], 5), ([0, 0, 9], 0), ([2, 3, 4, 100], 4)]
)
def test_by_default_rows_are_the_median_rounded_half_up(totals, rows):
    assert default_rows(totals) == rows


def test_sets_are_distinct_and_of_the_size_asked_for():
    found = random_sets(10, 3, 50, generator(0))
    assert len(set(found)) == len(found) == 50
    assert all(len(set(one)) == 3 and one == tuple(sorted(one)) and set(one) <= set(range(10)) for one in found)


@pytest.mark.parametrize(("items", "size"), [(8, 2), (60, 4)], ids=["few sets", "many sets"])
def test_every_item_is_as_likely_as_any_other(items, size):
    found = [item for seed in range(300) for one in random_sets(items, size, 5, generator(seed)) for item in one]
    assert stats.chisquare(np.bincount(found, minlength=items)).pvalue > FALSE_ALARM
