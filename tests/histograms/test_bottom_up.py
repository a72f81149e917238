"""`bottom-up run`: sums of one set of noisy cells, which say how uncertain they are and give no more away."""

import json
import math
import re
import stat
from fractions import Fraction

import mpmath
import pyarrow.parquet as pq
import pytest
from scipy import stats

from safetab_sql.accounting.charges import PartLoss
from safetab_sql.accounting.conversions import secrecy_of_the_sample
from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.histograms.bottom_up import BottomUpInputs, bottom_up
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from tests.audit.compensation import Recording, noise_bits
from tests.cli.command import call
from tests.histograms.tables import BINS, COUNTIES, SPEC, exact_counts, people, published, write_rows, write_spec
from tests.statistics import FALSE_ALARM, recorded_bits

ONE = Resources(threads=1)
CLOCK = re.compile(r'("date": )"[^"]*"')
ALL = [(*county, sex, age) for county in COUNTIES for sex in (1, 2) for age in BINS]
COLUMNS = ("STATE", "COUNTY", "SEX", "AGE")


def released(folder, rows, *lines, bits=None, spec=SPEC, **options):
    """OUT of a run on `rows`, and every file in it, the manifest without its clock."""
    folder.mkdir(exist_ok=True)
    data, out = write_rows(folder / "people.parquet", rows), folder / "out"
    inputs = BottomUpInputs(write_spec(folder, *lines, spec=spec), data)
    bottom_up(inputs, out, resources=ONE, bits=bits or recorded_bits("bits"), **options)
    return out


def contents(out):
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return files | {"manifest.json": CLOCK.sub(r"\1", files["manifest.json"].decode()).encode()}


def manifest(out):
    return json.loads((out / "manifest.json").read_text(encoding="utf-8"))


def test_noise_too_small_to_come_leaves_the_exact_counts_of_every_row_people_or_not(tmp_path):
    rows = people(300)
    out = released(tmp_path, rows, spec=SPEC.replace("epsilon = 1", "epsilon = 200"))
    assert published(out / "cells.parquet", *COLUMNS) == exact_counts(rows, *COLUMNS)
    assert published(out / "margins/age.parquet", "AGE") == {(age,): exact_counts(rows, "AGE")[(age,)] for age in BINS}
    assert exact_counts(rows, "AGE")[("65-115",)] == 0


HALVES = 'epsilon = 2000\nweight_column = "WEIGHT"\nmaximum_weight = 2.5\nweight_unit = 0.5'


def test_fractional_weights_are_published_in_weight_and_not_in_units(tmp_path):
    """2.5 at most, in halves: a sensitivity of 5 units. Noise is 0 at epsilon 2000, and the totals are true."""
    rows = [{**row, "WEIGHT": row["WEIGHT"] / 4} for row in people(300)]

    def weight(row):
        return min(max(math.floor(row["WEIGHT"] * 2 + 0.5), 0), 5) / 2

    expected = exact_counts(rows, "STATE", weight=weight)
    (tmp_path / "totals.csv").write_text(f"STATE,TOTAL\n01,{expected['01',]}\n", encoding="utf-8")
    totals = '[[invariants]]\ncolumns = ["STATE"]\ntotals = "totals.csv"\n'
    out = released(tmp_path, rows, spec=SPEC.replace("epsilon = 1", HALVES) + totals)
    assert published(out / "margins/state.parquet", "STATE") == expected
    (histogram,) = manifest(out)["ledger"]["histograms"]
    assert (histogram["sensitivity"], histogram["histogram"]) == (5, "cells, in units of 0.5")
    assert manifest(out)["parameters"]["weight"]["unit"]["exact"] == "1/2"


def test_variance_and_margin_of_fractional_weights_are_in_weight(tmp_path):
    out = released(tmp_path, people(50), spec=SPEC.replace("epsilon = 1", HALVES.replace("2000", "1")))
    cells = pq.read_table(out / "cells.parquet")
    assert cells["VARIANCE"][0].as_py() == pytest.approx(variance(0.2) / 4)
    assert cells["MOE95"][0].as_py() % 0.5 == 0
    assert {count % 0.5 for count in cells["COUNT"].to_pylist()} == {0}


def variance(epsilon):
    ratio = math.exp(-epsilon)
    return 2 * ratio / (1 - ratio) ** 2


@pytest.mark.parametrize(("name", "cells"), [("county_sex", {3}), ("state", {12, 6}), ("age", {6}), ("all", {18})])
def test_variance_is_that_of_the_noise_of_as_many_cells_as_are_summed(tmp_path, name, cells):
    table = pq.read_table(released(tmp_path, people(50)) / "margins" / f"{name}.parquet")
    assert {round(value, 9) for value in table["VARIANCE"].to_pylist()} == {round(n * variance(1), 9) for n in cells}


def test_the_margin_of_error_covers_the_noise_at_least_95_times_in_a_hundred(tmp_path):
    """1,000 cells of two kinds; of right margins each kind fails with chance FALSE_ALARM on fresh bits."""
    spec = 'epsilon = 0.5\n[domains.A]\nminimum = 0\nmaximum = 999\n[domains.B]\nvalues = ["x", "y", "z"]\n'
    out = released(tmp_path, [{"A": 0, "B": "x"}], spec=spec + '[margins]\nab = ["A", "B"]\na = ["A"]\n')
    for name in ("a", "ab"):
        table = pq.read_table(out / "margins" / f"{name}.parquet").slice(3)
        within = sum(abs(row["COUNT"]) <= row["MOE95"] for row in table.to_pylist())
        assert stats.binomtest(within, table.num_rows, 0.95, alternative="less").pvalue >= FALSE_ALARM
        assert within < table.num_rows


@pytest.mark.parametrize(("epsilon", "rate"), [("1", "0.25"), ("0.001", "0.5"), ("12", "0.01"), ("3", "1")])
def test_the_loss_of_a_secret_sample_is_an_upper_bound_in_the_last_digit(epsilon, rate):
    mpmath.mp.dps = 50
    exact = mpmath.log(1 + mpmath.mpf(rate) * (mpmath.exp(mpmath.mpf(epsilon)) - 1))
    stated = secrecy_of_the_sample(Fraction(epsilon), Fraction(rate))
    assert exact <= stated <= float(exact) * (1 + 1e-15)


def test_a_secret_sample_states_its_smaller_loss_and_keeps_the_noise_and_the_ledger(tmp_path):
    ledger = LedgerFile(tmp_path / "ledger", Fraction(1))
    found = manifest(released(tmp_path, people(20), "sampling_rate = 0.25", ledger_file=ledger))
    assert found["secrecy_of_the_sample"]["epsilon_upper_bound"] == pytest.approx(math.log(1 + 0.25 * (math.e - 1)))
    assert found["ledger"]["totals"]["one_record"]["exact"] == "1"
    (entry,) = read_ledger(ledger.path).charges
    assert (entry.state, entry.parts) == ("released", {"all": PartLoss(Fraction(1), None)})


def test_a_run_beyond_the_ledgers_limit_is_refused_and_not_entered(tmp_path):
    with pytest.raises(InputError, match="total of one record from epsilon 0 to epsilon 1"):
        released(tmp_path, people(20), ledger_file=LedgerFile(tmp_path / "ledger", Fraction(1, 2)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "spec.toml"]


def test_one_person_moves_and_the_release_is_the_same_to_the_byte(tmp_path):
    before = people(100)
    after = [{**before[0], "SEX": 3 - before[0]["SEX"], "AGE": 70}, *before[1:]]
    law, noise = TwoSidedGeometric(Fraction(1)), [place % 7 - 3 for place in range(len(ALL))]
    counts = [exact_counts(rows, *COLUMNS) for rows in (before, after)]
    bits = [
        Recording(noise_bits(law, [n + counts[0][cell] - exact[cell] for n, cell in zip(noise, ALL, strict=True)]))
        for exact in counts
    ]
    releases = []
    for name, rows, source in zip(("before", "after"), (before, after), bits, strict=True):
        releases.append(contents(released(tmp_path / name, rows, bits=source)))
    assert releases[0] == releases[1]
    assert [source.left for source in bits] == [b"", b""]
    assert counts[0] != counts[1]


def test_neither_the_release_nor_the_console_names_the_data_or_counts_records(tmp_path):
    data = write_rows(tmp_path / "secret-name.parquet", people(4321))
    options = ("--spec", write_spec(tmp_path, spec=SPEC.replace("epsilon = 1", "epsilon = 0.01")))
    log = tmp_path / "log"
    done = call("bottom-up", "run", *options, "--data", data, "--out", tmp_path / "out", "--confidential-log", log)
    said = done.stdout + done.stderr + (tmp_path / "out/manifest.json").read_text(encoding="utf-8")
    assert (done.code, "secret-name" in said, "4321" in said) == (0, False, False)
    assert manifest(tmp_path / "out")["releasable"] is True
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "table_codes: 4,321 rows" in log.read_text(encoding="utf-8")


STEPS = {
    "cells": "safetab_sql.histograms.bottom_up.written_cells",
    "a margin": "safetab_sql.histograms.bottom_up.write_margin",
    "the manifest": "safetab_sql.published.new_release.write_manifest",
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_run_that_is_stopped_on_the_way_leaves_nothing_but_its_ledger_entry(tmp_path, monkeypatch, step):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(step, stopped)
    ledger, scratch = LedgerFile(tmp_path / "ledger"), tmp_path / "scratch"
    scratch.mkdir()
    options = {"ledger_file": ledger, "overwrite": False}
    data, spec = write_rows(tmp_path / "people.parquet", people(20)), write_spec(tmp_path)
    resources = Resources(threads=1, scratch=scratch)
    with pytest.raises(KeyboardInterrupt):
        bottom_up(BottomUpInputs(spec, data), tmp_path / "out", resources=resources, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger", "people.parquet", "scratch", "spec.toml"]
    assert list(scratch.iterdir()) == []
    assert [release.state for release in read_ledger(ledger.path).charges] == ["reserved"]


HEAD = 'epsilon = 1\n[domains.SEX]\nvalues = ["1"]\n'


def problems(tmp_path, spec):
    with pytest.raises(InputError) as refused:
        bottom_up(BottomUpInputs(write_spec(tmp_path, spec=spec), tmp_path / "nowhere.parquet"), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["spec.toml"]
    return [str(problem) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (HEAD.replace("epsilon = 1", ""), "missing key 'epsilon'"),
        (HEAD.replace("epsilon = 1", "epsilon = 0.00001"), "is below 1/10000"),
        (HEAD.replace("epsilon = 1", 'epsilon = 1\nweight_column = "W"'), "missing key 'maximum_weight'"),
        (HEAD.replace("epsilon = 1", HALVES.replace("2.5", "2.3")), "maximum_weight is '2.3'"),
        (HEAD.replace("epsilon = 1", HALVES.replace("= 0.5", "= 2")), "weight_unit is 2"),
        (HEAD.replace("epsilon = 1", "epsilon = 1\nsampling_rate = 1.5"), "sampling_rate is '1.5'"),
        (HEAD.replace("epsilon = 1", "epsilon = 1\nepsilom = 1"), "did you mean 'epsilon'?"),
        (HEAD, "nothing is to be published"),
        (HEAD + "[margins]", "nothing is to be published"),
        (HEAD + "[domains.A]\nminimum = 0\nmaximum = 999999999999\n[margins]\nall = []", "cells off 0"),
        (HEAD + '[margins]\nsex = ["SEY"]', "no domain has column SEY"),
        (HEAD + '[margins]\nSex = ["SEX"]', "no name for a file"),
        (HEAD + '[domains.COUNT]\nvalues = ["1"]\n[margins]\nsex = ["SEX"]', "column COUNT"),
        (HEAD + '[domains.A]\nminimum = 0\nmaximum = 99999999\n[margins]\na = ["A"]', "more than 33,554,432 rows"),
        (
            HEAD + "".join(f"[domains.{n}]\nminimum = 0\nmaximum = 9999999\n" for n in "ABC") + "[margins]\nall = []",
            "cells, more than",
        ),
        (HEAD + '[margins]\nall = []\n[[invariants]]\ncolumns = ["SEX"]', "missing key 'totals'"),
        (
            HEAD
            + '[domains.A]\nvalues = ["1"]\n[margins]\nall = []\n'
            + "".join(f'[[invariants]]\ncolumns = ["{n}"]\ntotals = "{n}.csv"\n' for n in ("SEX", "A")),
            "cross",
        ),
    ],
)
def test_what_is_wrong_with_a_spec_is_said_and_nothing_is_made(tmp_path, spec, problem):
    found = problems(tmp_path, spec)
    assert any(problem in each for each in found), found
