"""`bottom-up`: sums of one set of noisy cells, its curve of distances by epsilon, what its files say of themselves."""

import hashlib
import json
import math
import re
import stat
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import mpmath
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator
from scipy import stats

from safetab_sql.accounting.charges import PartLoss
from safetab_sql.accounting.conversions import secrecy_of_the_sample
from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.histograms.bottom_up import BottomUpInputs, bottom_up, drawn_without_people
from safetab_sql.histograms.evaluation.curve import Trials, bottom_up_curve
from safetab_sql.jobs.schema import schema
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from tests.cli.command import call
from tests.histograms.synthesis import made
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


def test_variance_is_that_of_the_noise_of_as_many_cells_as_are_summed(tmp_path):
    out = released(tmp_path, people(50))
    for name, cells in {"county_sex": {3}, "state": {12, 6}, "age": {6}, "all": {18}}.items():
        found = pq.read_table(out / "margins" / f"{name}.parquet")["VARIANCE"].to_pylist()
        assert {round(value, 9) for value in found} == {round(n * variance(1), 9) for n in cells}, name


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


def test_neither_the_release_nor_the_console_names_the_data_or_counts_records(tmp_path):
    data = write_rows(tmp_path / "secret-name.parquet", people(4321))
    options = ("--spec", write_spec(tmp_path, spec=SPEC.replace("epsilon = 1", "epsilon = 0.01")))
    log = tmp_path / "log"
    done = call("bottom-up", "run", *options, "--data", data, "--out", tmp_path / "out", "--confidential-log", log)
    said = done.stdout + done.stderr + (tmp_path / "out/manifest.json").read_text(encoding="utf-8")
    assert (done.code, re.findall(r"secret-name|\b4,?321\b", said)) == (0, [])
    assert manifest(tmp_path / "out")["releasable"] is True
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "table_codes: 4,321 rows" in log.read_text(encoding="utf-8")


STEPS = {
    "cells": "safetab_sql.histograms.published.calibration.values_of_cells",
    "a margin": "safetab_sql.histograms.published.calibration.margin_uncertainty",
    "the manifest": "safetab_sql.published.new_release.write_manifest",
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
@pytest.mark.each_time("a margin")
def test_a_run_that_is_stopped_on_the_way_leaves_nothing_but_its_ledger_entry(tmp_path, monkeypatch, step):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(step, stopped)
    ledger, scratch = LedgerFile(tmp_path / "ledger"), tmp_path / "scratch"
    scratch.mkdir()
    data, spec = write_rows(tmp_path / "people.parquet", people(20)), write_spec(tmp_path)
    resources = Resources(threads=1, scratch=scratch)
    with pytest.raises(KeyboardInterrupt):
        bottom_up(BottomUpInputs(spec, data), tmp_path / "out", resources=resources, ledger_file=ledger)
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


EPSILONS = tuple(Fraction(n, 1000) for n in (1, 3, 10, 30, 100, 300, 1000, 3000, 10000))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Inputs, and the curve of them in folder out."""
    folder = tmp_path_factory.mktemp("curve")
    spec, data = write_spec(folder), write_rows(folder / "people.parquet", people(2000))
    drawn = partial(drawn_without_people, bits=recorded_bits("curve"))
    bottom_up_curve(spec, data, folder / "out", trials=Trials(EPSILONS, 20), drawn=drawn)
    return folder


def of_margin(curve, name, measure):
    return np.array([row[measure] for row in curve if row["margin"] == name])


def test_a_curve_has_a_row_for_every_epsilon_and_margin_whose_distances_fall_as_the_law_says(folder):
    """And whose quantiles stand around their center."""
    curve = pq.read_table(folder / "out/curve.parquet").to_pylist()
    names = ["cells", "county_sex", "state", "age", "all"]
    assert [(row["epsilon"], row["margin"]) for row in curve] == [(float(e), name) for e in EPSILONS for name in names]
    # Cells: E|noise| = 2 t / (1 - t^2), variance 2 t / (1 - t)^2; twenty noises of 18 cells: within a third or so.
    t = np.exp(-np.array([float(epsilon) for epsilon in EPSILONS[:6]]))
    assert np.allclose(of_margin(curve, "cells", "l1")[:6], 2 * t / (1 - t**2), rtol=0.35)
    assert np.allclose(of_margin(curve, "cells", "l2")[:6], 2 * t / (1 - t) ** 2, rtol=0.6)
    for measure in ("l1", "l2", "a1", "a2"):
        ends = [(row[f"{measure}_lower"], row[measure], row[f"{measure}_upper"]) for row in curve]
        assert all(lower <= center <= upper for lower, center, upper in ends)
        assert any(lower < upper for lower, _, upper in ends)


def test_distances_are_those_of_every_cell_and_of_sums(folder, tmp_path):
    """One noise that is known: cell 3 has 2 more, and cell 0, of the most people, comes out as 0."""
    found = {}

    def known(call, exact):
        noisy = np.zeros(call.cells, dtype=np.int64)
        noisy[exact.cell_ids] = exact.exact_counts
        found["lost"], found["exact"] = int(noisy[0]), noisy.copy()
        noisy[3] += 2
        noisy[0] = 0
        kept = np.flatnonzero(noisy)
        for half in (kept[kept < 9], kept[kept >= 9]):
            yield half, noisy[half]

    trials = Trials((Fraction(1),), 1)
    spec, data = folder / "spec.toml", folder / "people.parquet"
    curve = bottom_up_curve(spec, data, tmp_path / "out", trials=trials, drawn=known).to_pylist()
    lost, exact = found["lost"], found["exact"]
    assert of_margin(curve, "cells", "l1") == [(lost + 2) / 18]
    assert of_margin(curve, "cells", "l2") == [(lost**2 + 4) / 18]
    assert of_margin(curve, "all", "l1") == [lost - 2]
    assert of_margin(curve, "cells", "a1") == pytest.approx([1 - (lost + 2) / exact.sum()])
    assert of_margin(curve, "cells", "a2") == pytest.approx([1 - (lost**2 + 4) / (exact**2).sum()])


def test_every_file_is_the_custodians_alone_and_the_manifest_says_so(folder):
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder / "out").iterdir()}
    assert modes == dict.fromkeys(("curve.parquet", "curve.csv", "curve.svg", "manifest.json"), 0o600)
    assert json.loads((folder / "out/manifest.json").read_text(encoding="utf-8"))["confidential"] is True


def test_the_command_prints_the_curve_and_warns_that_it_saw_exact_counts(folder, tmp_path):
    inputs = ("--spec", folder / "spec.toml", "--data", folder / "people.parquet", "--out", tmp_path / "out")
    done = call("bottom-up", "curve", *inputs, "--epsilon", "0.5", "--epsilon", "2", "--replicates", "2", "--quiet")
    assert (done.code, "EXACT counts" in done.stderr) == (0, True)
    assert [line.split()[:2] for line in done.stdout.splitlines()[2:4]] == [["0.5", "cells"], ["0.5", "county_sex"]]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        *((("--epsilon", "0"), "'0' is not a budget"), (("--epsilon", "0.00001"), "is below 1/10000")),
        (("--replicates", "0"), "0 is no number of noises"),
    ],
)
def test_trials_that_are_none_are_refused(folder, tmp_path, options, problem):
    inputs = ("--spec", folder / "spec.toml", "--data", folder / "people.parquet", "--out", tmp_path / "out")
    done = call("bottom-up", "curve", *inputs, *options)
    assert (done.code, problem in done.stderr, list(tmp_path.iterdir())) == (2, True, [])


FIELDS = '[domains]\nSEX = { values = ["1", "2"] }\nAGE = { minimum = 0, maximum = 9 }\n'
GROUPS = (
    f'title = "made up"\nepsilon = 2\ncut = 1\n{FIELDS}[[groups]]\nfields = ["SEX"]\n[[groups]]\nfields = ["AGE"]\n'
)
ROWS = {"SEX": ["1", "2"] * 50, "AGE": list(range(10)) * 10}


def histogram(folder: Path) -> Path:
    return released(folder, people(20), "sampling_rate = 0.25", spec=f'title = "made up"\n{SPEC}')


def rows_of(spec: str) -> Callable[[Path], Path]:
    return lambda folder: made(folder, spec, ROWS) and folder / "out"


MADE: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "bottom-up": ("bottom-up-manifest", histogram),
    "groups": ("synthesize-manifest", rows_of(GROUPS)),
    "tree": ("synthesize-manifest", rows_of(f'title = "made up"\nrho = 1\n{FIELDS}')),
}


@pytest.mark.parametrize("method", MADE)
@pytest.mark.each_time("bottom-up", "tree")
def test_a_manifest_is_as_its_schema_says_and_files_say_whose_they_are(method, tmp_path):
    kind, make = MADE[method]
    out = make(tmp_path)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    checks = Draft202012Validator(schema(kind))
    assert [f"{error.json_path}: {error.message}" for error in checks.iter_errors(manifest)] == []
    assert not checks.is_valid({**manifest, "more": 1})
    assert manifest["releasable"] is False  # its bits are recorded
    core = {key: value for key, value in manifest.items() if key not in ("files", "releasable", "accounted")}
    text = json.dumps(core, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    files = sorted(out.rglob("*.parquet"))
    said = {path.name: pq.ParquetFile(path).metadata.metadata for path in files}
    assert files
    for found in said.values():
        assert (found[b"manifest_sha256"].decode(), found[b"title"]) == (digest, b"made up")
        assert found[b"description"]
        assert found[b"privacy_loss"].decode().startswith(f"{manifest['ledger']['budget_unit']} ")
        assert len(json.loads(found[b"noise"])) == len(manifest["ledger"]["histograms"])


def test_rows_read_back_with_the_types_of_the_input(tmp_path):
    """The metadata change no column: text that was stored as a dictionary is text."""
    assert made(tmp_path, GROUPS, ROWS).rows.schema.types == [pa.string(), pa.int64()]
