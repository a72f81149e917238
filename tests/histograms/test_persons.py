"""People with several records in a histogram: what is counted of them, the noise that hides them, what it costs.

A statistical test raises a false alarm on fresh bits with chance FALSE_ALARM; the recorded bits make it repeatable.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import md5
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.accounting.charges import PartLoss
from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.histograms.confidential.counts import (
    coded_table,
    count_cells,
    count_tables,
    score,
    table_counts,
)
from safetab_sql.histograms.public.domains import Domain, Weight, codes_of_cells
from safetab_sql.histograms.public.spending import Budget, HistogramCall
from safetab_sql.histograms.public.synthesis_spec import BinnedTable, tree_plan
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.unit import Keep, Unit
from tests.audit.test_planted_bugs import plant
from tests.cli.command import call
from tests.histograms.synthesis import synthesized, written
from tests.histograms.test_bottom_up import manifest, released
from tests.histograms.test_histogram_counts import follows
from tests.statistics import fits, recorded_bits, widened

__all__ = ["plant"]  # a fixture
ONE = Resources(threads=1)
WARD = Domain("WARD", ("WARD",), values=(("a",), ("b",), ("c",)))
AGE = Domain("AGE", ("AGE",), minimum=0, maximum=99)
BED = Domain("BED", ("BED",), values=((True,), (False,)), null=True)
DOMAINS = (WARD, AGE, BED)
WEIGHT = Weight("DAYS", 4)
Stay = dict[str, Any]


def stays(patients: int = 90, seed: int = 3) -> list[Stay]:
    """Each patient with 1 to 7 stays, some alike."""
    random, found = Random(seed), list[Stay]()
    for patient in range(patients):
        age = random.randrange(100)
        for _ in range(random.randint(1, 7)):
            stay = {"WARD": random.choice("abc"), "AGE": random.choice([age, random.randrange(100)])}
            day, bed = random.choice([None, *range(5)]), random.choice([True, False, None])
            found.append({"PATIENT": 100 + patient, **stay, "BED": bed, "DAY": day, "DAYS": random.randrange(-1, 7)})
    return found


def unit_of(most: int, *order: str) -> Unit:
    return Unit("stay", "stays", None, person="PATIENT", most_records=most, keep=Keep(order))


def write_parts(folder: Path, rows: Sequence[Stay], parts: int = 1) -> Path:
    folder.mkdir(exist_ok=True)
    types = {**dict.fromkeys(("PATIENT", "AGE", "DAY", "DAYS"), pa.int64()), "WARD": pa.string(), "BED": pa.bool_()}
    schema = pa.schema([(name, types[name]) for name in rows[0]])
    for number in range(parts):
        pq.write_table(pa.Table.from_pylist(rows[number::parts], schema), folder / f"{number}.parquet")
    return folder


def counted(
    data: Path, unit: Unit, weight: Weight | None = None, of: Sequence[Domain] = DOMAINS
) -> Counter[tuple[int, ...]]:
    """The exact count of each cell, by the codes of its values."""
    with coded_table(data, DOMAINS, ONE, weight=weight, unit=unit) as table:
        cells = count_cells(table, of)
    codes = zip(*(each.tolist() for each in codes_of_cells(cells.cell_ids, of)), strict=True)
    return Counter(dict(zip(codes, cells.exact_counts.tolist(), strict=True)))


def codes(stay: Stay) -> tuple[int, ...]:
    return "abc".index(stay["WARD"]), stay["AGE"], [True, False, None].index(stay["BED"])


def clamped(stay: Stay) -> int:
    return min(max(stay["DAYS"], 0), 4)


def kept_by_loops(rows: Sequence[Stay], unit: Unit, *, weighted: bool = False) -> list[Stay]:
    """Of each person the first ones: by DAY or AGE, missing last; then by the hash of what is counted."""

    def place(stay: Stay) -> tuple[object, ...]:
        text = "\x1f".join(map(str, [stay["PATIENT"], *codes(stay), clamped(stay) if weighted else 1]))
        ordered = []
        for name, is_descending in unit.keep.columns:
            value = stay[name]
            ordered.append((value is None, 0 if value is None else -value if is_descending else value))
        return (*ordered, int.from_bytes(md5(text.encode()).digest(), "little"))

    by_person: dict[int, list[Stay]] = {}
    for stay in rows:
        by_person.setdefault(stay["PATIENT"], []).append(stay)
    return [stay for own in by_person.values() for stay in sorted(own, key=place)[: unit.most_records]]


def loops(rows: Sequence[Stay], unit: Unit, *, weighted: bool = False) -> Counter[tuple[int, ...]]:
    counts: Counter[tuple[int, ...]] = Counter()
    for stay in kept_by_loops(rows, unit, weighted=weighted):
        counts[codes(stay)] += clamped(stay) if weighted else 1
    return counts


UNITS = [*(unit_of(most) for most in range(1, 8)), unit_of(3, "DAY desc"), unit_of(2, "DAY", "AGE desc")]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.most_records}{unit.keep.order}")
@pytest.mark.each_time("desc", "[2")
def test_what_is_counted_of_a_person_is_what_plain_loops_count(unit, tmp_path):
    rows = stays()
    assert counted(write_parts(tmp_path / "t", rows), unit) == loops(rows, unit)


@pytest.mark.parametrize("unit", [UNITS[0], UNITS[2], UNITS[7]], ids=["1", "3", "3 by day"])
@pytest.mark.each_time("[3")
def test_weights_are_clamped_before_records_are_kept(unit, tmp_path):
    """By the hash of the clamped weights."""
    rows = stays()
    assert counted(write_parts(tmp_path / "t", rows), unit, WEIGHT) == +loops(rows, unit, weighted=True)


@pytest.mark.parametrize("unit", [UNITS[1], UNITS[7]], ids=["2", "3 by day"])
@pytest.mark.each_time("3 by day")
def test_shuffled_rows_in_any_number_of_files_are_counted_alike(unit, tmp_path):
    rows, found = stays(), []
    for parts in (1, 7):
        Random(parts).shuffle(rows)
        found.append(counted(write_parts(tmp_path / str(parts), rows, parts), unit))
    assert found == [loops(rows, unit)] * 2


@pytest.mark.parametrize("stored", [pa.string(), pa.int32(), pa.decimal128(20, 0)], ids=str)
@pytest.mark.each_time("string")
def test_a_person_is_the_same_however_the_id_is_stored(stored, tmp_path):
    rows = stays()
    table = pq.read_table(write_parts(tmp_path / "t", rows))
    ids = table["PATIENT"].cast(stored)
    pq.write_table(table.set_column(0, "PATIENT", ids), tmp_path / "u.parquet")
    assert counted(tmp_path / "u.parquet", unit_of(2)) == loops(rows, unit_of(2))


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["records", "weights"])
@pytest.mark.each_time("weights")
def test_a_person_changes_all_cells_together_by_at_most_the_bound_and_some_person_does(weight, tmp_path):
    rows, unit, largest = stays(40), unit_of(3), 4 if weight else 1
    whole = counted(write_parts(tmp_path / "all", rows), unit, weight)
    changed = []
    for person in range(100, 103):
        without = [stay for stay in rows if stay["PATIENT"] != person]
        less = counted(write_parts(tmp_path / str(person), without), unit, weight)
        changed.append(sum(abs(whole[cell] - less[cell]) for cell in whole | less))
    assert max(changed) == 3 * largest


def test_a_person_changes_tables_of_pairs_and_triples_and_their_scores_by_at_most_the_bound(tmp_path):
    """These tables are what plain loops count, too."""
    rows, unit, bins = stays(30), unit_of(3), [np.arange(3), np.arange(100) // 10, np.arange(3)]
    triple = BinnedTable((2, 0, 1), (np.arange(3), np.array([0, 1, 1]), np.arange(10) // 4))

    every = [np.arange(int(each[-1]) + 1) for each in bins]
    pairs = [BinnedTable(fields, tuple(every[field] for field in fields)) for fields in combinations(range(3), 2)]

    def tables(name: str, some: Sequence[Stay]) -> tuple[dict[tuple[int, ...], Any], np.ndarray]:
        with coded_table(write_parts(tmp_path / name, some), DOMAINS, ONE, unit=unit) as table:
            *of_pairs, last = count_tables(table, bins, [*pairs, triple])
            return {pair.fields: cells for pair, cells in zip(pairs, of_pairs, strict=True)}, last

    whole, triples = tables("all", rows)
    kept = [tuple(int(bins[at][code]) for at, code in enumerate(codes(stay))) for stay in kept_by_loops(rows, unit)]
    for one, other in combinations(range(3), 2):
        expected = Counter((each[one], each[other]) for each in kept)
        assert {cell: count for cell, count in np.ndenumerate(whole[one, other]) if count} == expected
    of_triples = Counter((each[2], min(each[0], 1), each[1] // 4) for each in kept)
    assert {cell: count for cell, count in np.ndenumerate(triples) if count} == of_triples
    compared = np.full((3, 10), 2)
    of_all = score(table_counts(pairs[0], whole[0, 1]), compared, 5)
    moved = []
    for person in range(100, 103):
        less, others = tables(str(person), [stay for stay in rows if stay["PATIENT"] != person])
        changed = [np.abs(triples - others), *(np.abs(whole[pair] - less[pair]) for pair in whole)]
        assert {int(each.sum()) for each in changed} <= {1, 2, 3}
        moved.append(abs(of_all - score(table_counts(pairs[0], less[0, 1]), compared, 5)))
    assert max(moved) == 3


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        ("kept_records", "countable_records.record_hash", "1"),
        ("kept_records", "partition by countable_records.person_key\n        order", "order"),
        ("coded_records", "            table_codes.weight\n        )", "            1\n        )"),
        ("counted_codes", "anti join", "left join"),
    ],
    ids=["by the order of the files", "a bound of all together", "a hash of less", "nothing is left out"],
)
@pytest.mark.each_time("a bound of all", "nothing is left out")
def test_a_wrong_choice_of_the_records_that_are_counted_is_found(statement, old, new, plant, tmp_path):
    plant(statement, old, new)
    rows = stays()
    found = counted(write_parts(tmp_path / "t", rows), unit_of(3), WEIGHT)
    assert found != +loops(rows, unit_of(3), weighted=True)


VALUES, ROWS = 20_000, 2_000
NOBODY_HERE = f"[domains.A]\nminimum = 0\nmaximum = {VALUES - 1}\n"
UNIT = '[unit]\none = "stay"\nmany = "stays"\nperson = "PATIENT"\nmost_records = {}\n'
MARGIN = '[margins]\na = ["A"]\n'
WARDS = '[domains.WARD]\nvalues = ["a", "b", "c"]\n[margins]\nw = ["WARD"]\n'


def law_of(definition: PrivacyDefinition, amount: Fraction, most: int) -> Law:
    """Of histograms.md section 1.4: epsilon / k, rho / k^2."""
    return TwoSidedGeometric(amount / most) if definition == "puredp" else DiscreteGaussian(amount / most**2)


def synthesized_in(folder: Path, spec: str, rows: Sequence[Mapping[str, object]], **options: Any) -> dict[str, Any]:
    """What the manifest of a run on these rows says; its files are in folder out."""
    inputs = written(folder, spec, pa.Table.from_pylist(list(rows)))
    return synthesized(inputs, bits=recorded_bits("persons"), **options).manifest


def draws(path: Path) -> np.ndarray:
    """The noise of a published histogram of one record, whose value is 0."""
    counts = pq.read_table(path)["COUNT"].to_numpy().astype(np.int64)
    return counts - (np.arange(counts.size) == 0)


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("method", ["bottom-up", "puredp", "zcdp"])
@pytest.mark.each_time("bottom-up-3")
def test_noise_has_the_law_that_hides_a_person(method, most, tmp_path):
    """Chi-square of 20,000 draws. The law of another bound, and one that is 10 % wider, are rejected.

    Of a tree, the laws of records are drawn in test_tree.py, and below they are those of persons with a smaller budget.
    """
    definition: PrivacyDefinition = "zcdp" if method == "zcdp" else "puredp"
    amount, row = Fraction(1, 2), {"A": 0, "PATIENT": 1}
    if method == "bottom-up":
        spec = f"epsilon = 0.5\n{NOBODY_HERE}{MARGIN}{UNIT.format(most)}"
        noise = draws(released(tmp_path, [row], spec=spec) / "margins" / "a.parquet")
    else:
        budget = "rho = 0.5" if definition == "zcdp" else "epsilon = 0.5"
        synthesized_in(tmp_path / "s", f"rows = 10\n{budget}\n{NOBODY_HERE}{UNIT.format(most)}", [row])
        noise = draws(tmp_path / "s" / "out" / "histograms" / "1.parquet")
    law = law_of(definition, amount, most)
    assert noise.size == VALUES
    assert fits(noise, law)
    assert not fits(noise, widened(law, Fraction(11, 10)))
    assert not fits(noise, law_of(definition, amount, most + 1))


@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_the_plan_for_a_person_is_the_plan_for_a_record_of_a_smaller_budget(definition):
    """So every law, every choice and the number of pairs follow from epsilon / k and rho / k^2."""
    budget, bound = Budget(definition, Fraction(3), unit_of(3)), 3 if definition == "puredp" else 9
    sizes, counted_rows = [2, 5, 16, 100, 3, 9], Fraction(3, 50)
    of_person = tree_plan(budget, sizes, 10 * ROWS, counted_rows=counted_rows)
    alone = Budget(definition, budget.amount / bound)
    of_record = tree_plan(alone, sizes, 10 * ROWS, counted_rows=counted_rows / bound)
    chosen = [(of_person.pairs, of_record.pairs), (of_person.triples, of_record.triples)]
    for one, other in chosen:
        assert 0 < one.most == other.most
        assert (one.choice / bound, one.tables / bound) == (other.choice, other.tables)
        assert one.choice_epsilon == other.choice_epsilon
    parts = (of_person.counted_rows, *of_person.fields)
    assert tuple(part / bound for part in parts) == (of_record.counted_rows, *of_record.fields)
    assert [budget.law(part) for part in of_person.fields] == [alone.law(part) for part in of_record.fields]


def test_the_cut_of_groups_follows_the_scale_of_their_noise():
    of_record, of_person = (HistogramCall("g", 1000, Fraction(1), most) for most in (1, 3))
    assert [call.least_kept(Fraction(2)) for call in (of_record, of_person)] == [6, 18]


def test_a_group_has_the_noise_that_hides_a_person(tmp_path):
    """Chi-square of what the cut leaves of the noise of 20,000 empty bins, given that it leaves it."""
    spec = f'rows = 10\ncut = 0\nepsilon = 1.5\n{NOBODY_HERE}[[groups]]\nfields = ["A"]\n{UNIT.format(3)}'
    found = synthesized_in(tmp_path / "s", spec, [{"A": 0, "PATIENT": 1}])
    (histogram,) = found["ledger"]["histograms"]
    assert (histogram["sensitivity"], histogram["scale"]["exact"]) == (3, "2")
    bins = pq.read_table(tmp_path / "s" / "out" / "histograms" / "1.parquet").to_pylist()
    kept = np.array([row["COUNT"] for row in bins if row["A"] != 0])
    assert follows(kept, law_of("puredp", Fraction(3, 2), 3), lambda values: values >= 1)
    assert not follows(kept, law_of("puredp", Fraction(3, 2), 2), lambda values: values >= 1)


def test_the_ledger_of_a_histogram_says_what_a_person_loses(tmp_path):
    """epsilon 1.5 of a person with 3 stays of weight 4 each: sensitivity 12, scale 8."""
    ledger = LedgerFile(tmp_path / "ledger", Fraction(2))
    spec = f'epsilon = 1.5\nweight_column = "DAYS"\nmaximum_weight = 4\n{WARDS}{UNIT.format(3)}'
    out = released(tmp_path, stays(20), spec=spec, ledger_file=ledger)
    stated = manifest(out)["ledger"]
    (histogram,) = stated["histograms"]
    assert (histogram["sensitivity"], histogram["scale"]["exact"], histogram["budget"]["exact"]) == (12, "8", "3/2")
    assert (stated["totals"]["one_record"], stated["totals"]["one_person"]["exact"]) == (None, "3/2")
    assert stated["neighbours"] == "inputs that differ by one person, with all stays of that person, added or removed"
    assert stated["person_rule"] == "of a person, at most 3 stays are counted"
    assert manifest(out)["parameters"]["unit"]["most_records"] == 3
    (entry,) = read_ledger(ledger.path).charges
    assert (entry.parts, entry.most) == ({"all": PartLoss(Fraction(3, 2), Fraction(3, 2))}, 3)
    variance = pq.read_table(out / "margins" / "w.parquet")["VARIANCE"][0].as_py()
    ratio = np.exp(-1 / 8)
    assert variance == pytest.approx(2 * ratio / (1 - ratio) ** 2)
    notes = pq.read_metadata(out / "margins" / "w.parquet").metadata[b"privacy_loss"].decode()
    assert notes.startswith("epsilon 1.5 (puredp): inputs that differ by one person, with all stays of that person")


def test_the_ledger_of_a_tree_says_what_a_person_loses(tmp_path):
    """rho 4.5 of a person with 3 stays: each law has sigma^2 = 9 / (2 part), and the choices epsilon^2 / 8 = part."""
    fields = "".join(f"{name} = {{ minimum = 0, maximum = 3 }}\n" for name in "ABC")
    rows = [{"A": n % 4, "B": n % 4, "C": n // 7 % 4, "PATIENT": n // 5} for n in range(3000)]
    ledger = LedgerFile(tmp_path / "ledger")
    spec = f"rho = 4.5\n[domains]\n{fields}{UNIT.format(3)}"
    stated = synthesized_in(tmp_path / "s", spec, rows, ledger_file=ledger)["ledger"]
    assert (stated["totals"]["one_record"], stated["totals"]["one_person"]["exact"]) == (None, "9/2")
    for each in stated["histograms"]:
        assert Fraction(each["sigma2"]["exact"]) == 9 / (2 * Fraction(each["budget"]["exact"]))
        assert each["sensitivity"] == 3
    assert [choice["of"] for choice in stated["choices"]] == ["pairs", "triples"]
    for choice in stated["choices"]:
        part, epsilon = (Fraction(choice[name]["exact"]) for name in ("budget_of_each", "epsilon_of_each"))
        assert choice["rule"].startswith("exponential mechanism on whole scores of sensitivity 3:")
        assert part - Fraction(1, 2**50) < epsilon**2 / 8 <= part
    assert stated["composition"].endswith("sensitivities are of all records of a person that are counted")
    (entry,) = read_ledger(ledger.path).charges
    assert (entry.parts, entry.most) == ({"all": PartLoss(Fraction(9, 2), Fraction(9, 2))}, 3)


def test_a_record_without_a_person_is_refused_with_its_row(tmp_path):
    rows = stays(3)
    lost = [{**rows[0], "PATIENT": None}, *rows[1:]]
    with pytest.raises(InputError) as refused:
        counted(write_parts(tmp_path / "t", lost), unit_of(2))
    (problem,) = refused.value.problems
    assert (problem.where, problem.what) == (f"{tmp_path / 't'} [PATIENT]", "1 record(s) without a person")
    assert problem.fix == "give every record the person it is of"
    assert problem.examples == ("0.parquet row 1",)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("sampling_rate = 0.5\nepsilon = 1\n", "sampling_rate stands beside unit.person"),
        ("epsilon = 0.0002\n", "epsilon / sensitivity is below 1/10000"),
    ],
    ids=["a sample of records", "too much noise"],
)
def test_what_no_person_can_have_is_refused(lines, problem, tmp_path):
    with pytest.raises(InputError, match=problem):
        released(tmp_path, [{"A": 0, "PATIENT": 1}], spec=f"{lines}{NOBODY_HERE}{MARGIN}{UNIT.format(3)}")


def test_the_confidential_log_says_how_much_was_cut_and_nothing_public_does(tmp_path):
    rows, log = stays(), tmp_path / "log"
    inputs = written(tmp_path, f"epsilon = 1\n{WARDS}{UNIT.format(2)}", pa.Table.from_pylist(rows))
    options = ("--spec", inputs.spec, "--data", inputs.data, "--out", tmp_path / "out", "--confidential-log", log)
    run = call("bottom-up", "run", *options)
    more = [number - 2 for number in Counter(stay["PATIENT"] for stay in rows).values() if number > 2]
    line = f"{len(more):,} persons have more records, {sum(more):,} are not counted"
    assert line in log.read_text(encoding="utf-8")
    texts = [path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not any(b"are not counted" in text for text in [*texts, run.stdout.encode(), run.stderr.encode()])
