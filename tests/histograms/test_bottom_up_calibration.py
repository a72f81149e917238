"""Calibration: totals are met exactly in whole numbers, contradictions listed, what is left of the noise is known."""

import itertools
import json
import math
import re
from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.histograms.public.domains import Domain, margin
from safetab_sql.histograms.published import calibration
from safetab_sql.histograms.published.calibration import (
    RowNoise,
    SetPart,
    calibrated_cells,
    calibrated_uncertainty,
    largest_noise,
    part_law,
    part_variance,
    row_margin,
)
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import TwoSidedGeometric, variance
from safetab_sql.mechanisms.draw import draw
from safetab_sql.published.margins import NoiseTerm, sum_margin_of_error
from tests.cli.command import call
from tests.histograms.tables import SPEC, assert_sums_of_cells, people, published, write_rows, write_spec
from tests.histograms.test_bottom_up import COLUMNS, manifest, released
from tests.statistics import FALSE_ALARM, recorded_bits

STATE_TOTALS = '[[invariants]]\ncolumns = ["STATE"]\ntotals = "states.csv"\n'
COUNTY_TOTALS = '[[invariants]]\ncolumns = ["STATE", "COUNTY"]\ntotals = "counties.csv"\ntotal_column = "N"\n'
ALL_TOTALS = '[[invariants]]\ncolumns = []\ntotals = "all.csv"\n'


def calibrated(folder, text, *, spec=SPEC, withhold=False, **files):
    """OUT of a run with invariants whose totals stand in CSV files."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content.replace(" ", "\n") + "\n", encoding="utf-8")
    return released(folder, people(300), spec=spec + text, withhold=withhold)


def conflicts(folder, text, **files):
    with pytest.raises(InputError) as refused:
        calibrated(folder, text, **files)
    assert not (folder / "out").exists()
    return [f"{problem.where.rpartition('/')[2]}: {problem.what}" for problem in refused.value.problems]


def test_calibrated_margins_equal_the_invariants_exactly(tmp_path):
    out = calibrated(tmp_path, STATE_TOTALS, states="STATE,TOTAL 01,220 02,77")
    assert published(out / "margins/state.parquet", "STATE") == {("01",): 220, ("02",): 77}
    table = pq.read_table(out / "margins/state.parquet")
    assert (table["VARIANCE"].to_pylist(), table["MOE95"].to_pylist()) == ([0, 0], [0, 0])
    assert_sums_of_cells(out)
    said = "not formally differentially private with respect to the invariants"
    assert (manifest(out)["calibration"]["guarantee"], manifest(out)["ledger"]["caveat"]) == (said, said)
    assert [each["file"] for each in manifest(out)["public_inputs"]["invariants"]] == ["states.csv"]


def test_an_area_without_a_total_stays_as_it_is(tmp_path):
    one = calibrated(tmp_path, STATE_TOTALS, states="STATE,TOTAL 01,220")
    other = released(tmp_path / "without", people(300))
    kept = [
        {cell: count for cell, count in published(out / "cells.parquet", *COLUMNS).items() if cell[0] == "02"}
        for out in (one, other)
    ]
    assert kept[0] == kept[1]
    assert published(one / "margins/state.parquet", "STATE")[("01",)] == 220


def test_totals_of_a_whole_and_of_its_parts_are_met_together(tmp_path):
    text = STATE_TOTALS + COUNTY_TOTALS + ALL_TOTALS
    files = {"states": "STATE,TOTAL 01,210 02,90", "counties": "STATE,COUNTY,N 01,001,120", "all": "TOTAL 300"}
    out = calibrated(tmp_path, text, **files, spec=SPEC + 'county = ["STATE", "COUNTY"]\n')
    assert published(out / "margins/county.parquet", "STATE", "COUNTY") == {
        ("01", "001"): 120, ("01", "003"): 90, ("02", "001"): 90,
    }  # fmt: skip
    assert published(out / "margins/all.parquet") == {(): 300}


def test_a_run_with_invariants_says_on_the_console_and_in_the_ledger_file_what_its_epsilon_does_not_cover(tmp_path):
    (tmp_path / "states.csv").write_text("STATE,TOTAL\n01,1000\n", encoding="utf-8")
    data, kept = write_rows(tmp_path / "people.parquet", people(300)), tmp_path / "ledger"
    options = ("--data", data, "--ledger", kept, "--quiet")
    done = [
        call("bottom-up", "run", "--spec", write_spec(tmp_path, spec=SPEC + text), "--out", tmp_path / name, *options)
        for name, text in (("plain", ""), ("calibrated", STATE_TOTALS))
    ]
    caveat = "not formally differentially private with respect to the invariants"
    last = [each.stdout.splitlines()[-2] for each in done]
    assert last == [
        loss := "Losses of histograms add (pure DP). One record loses at most epsilon 1. The loss of a person is "
        "unknown: a person with k records loses up to k times as much.",
        f"{loss} That is the loss by the noise: this release is {caveat}.",
    ]
    assert [each.caveat for each in read_ledger(kept).charges] == ["", caveat]
    text, found = (call("account", "--ledger", kept, *more).stdout for more in ((), ("--json",)))
    rows = [line.split() for line in text.splitlines() if line.startswith("20")]
    assert [row[3:5] for row in rows] == [["puredp", "record"], ["puredp", "*"]]
    assert f"* {caveat}: the totals hold the loss by its noise alone." in text.splitlines()
    assert [each["caveat"] for each in json.loads(found)["runs"]] == [None, caveat]


def test_a_total_that_noise_does_not_explain_is_left_out_and_said(tmp_path):
    """2,140 where 214 live, and 86 where 86 live; the sum of 12 noises is below 42 but for 10^-9."""
    out = calibrated(tmp_path, STATE_TOTALS, states="STATE,TOTAL 01,2140 02,86")
    counts = published(out / "margins/state.parquet", "STATE")
    assert (abs(counts["01",] - 214) <= 42, counts["02",]) == (True, 86)
    table = pq.read_table(out / "margins/state.parquet").to_pylist()
    assert [row["MOE95"] > 0 for row in table] == [True, False]
    (left,) = manifest(out)["totals_left_out"]
    assert (left["name"], left["total"], left["noisy_sum"]) == ("STATE=01", 2140, counts["01",])
    assert "if the public totals are true" in manifest(out)["calibration"]["holds_if"]


def test_rows_of_areas_with_inconsistent_totals_are_withheld_on_request(tmp_path):
    """As Clark and Dajani did; sums that reach beyond such an area are those of the run that withholds nothing."""
    said = {"states": "STATE,TOTAL 01,2140 02,86"}
    kept, out = (
        calibrated(tmp_path / name, STATE_TOTALS, withhold=withhold, **said)
        for name, withhold in (("kept", False), ("withheld", True))
    )
    rows = {each["file"]: each["rows"] for each in manifest(out)["margins"]}
    for name, by in (("cells", COLUMNS), ("margins/county_sex", COLUMNS[:3]), ("margins/state", COLUMNS[:1])):
        here = published(out / f"{name}.parquet", *by)
        every = published(kept / f"{name}.parquet", *by)
        assert here == {values: count for values, count in every.items() if values[0] == "02"} != every
        assert rows.get(f"{name}.parquet", len(here)) == len(here)
    for name in ("age", "all"):
        assert pq.read_table(out / f"margins/{name}.parquet") == pq.read_table(kept / f"margins/{name}.parquet")
    assert [manifest(each).get("withheld") is None for each in (kept, out)] == [True, False]


def test_nothing_is_withheld_where_no_total_could_be_left_out(tmp_path):
    with pytest.raises(InputError, match="names no invariants"):
        released(tmp_path, people(30), withhold=True)


def run_with_totals(folder, *options):
    (folder / "states.csv").write_text("STATE,TOTAL\n01,2140\n02,87\n", encoding="utf-8")
    spec, data = write_spec(folder, spec=SPEC + STATE_TOTALS), write_rows(folder / "people.parquet", people(300))
    files = ("--spec", spec, "--data", data, "--out", folder / "out", "--confidential-log", folder / "log")
    return call("bottom-up", "run", *files, *options, "--quiet")


def test_the_console_says_which_total_is_left_out_and_only_the_log_what_the_records_add_up_to(tmp_path):
    done = run_with_totals(tmp_path)
    assert "the total 2,140 of STATE=01 is left out" in done.stderr
    said = re.sub(r"2,140|the noisy sum is -?[\d,]+", "", (done.stdout + done.stderr).replace(str(tmp_path), ""))
    assert "noisy sum" not in said
    assert "214" not in said
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert "STATE=01: total 2,140, and the records add up to 214" in log
    assert "STATE=02: total 87, and the records add up to 86" in log


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(2)], ids=str)
def test_noise_hardly_ever_exceeds_what_leaves_a_total_out(epsilon):
    """The bound holds, and is no more than two thirds above the 10^-9 quantile of a normal law."""
    law = TwoSidedGeometric(epsilon)
    sums = draw(law, 100 * 20_000, recorded_bits(f"explained {epsilon}")).reshape(20_000, 100).sum(axis=1)
    assert np.abs(sums).max() < largest_noise(law, 100) < 1.67 * 6.1 * np.sqrt(100 * float(variance(law)))


def test_totals_that_conflict_with_each_other_are_all_listed(tmp_path):
    """Parts that exceed their whole, too, where others have no total."""
    files = {"states": "STATE,TOTAL 01,90 02,8", "counties": "STATE,COUNTY,N 01,001,91 02,001,9"}
    assert conflicts(tmp_path, STATE_TOTALS + COUNTY_TOTALS, **files) == [
        "states.csv STATE=01: total 90, but the totals within it add up to 91",
        "states.csv STATE=02: total 8, but the totals within it add up to 9",
    ]


@pytest.mark.parametrize(
    ("states", "problem"),
    [
        ("STATE,TOTAL 01,1 01,2", "states.csv STATE=01: totals 1 and 2"),
        ("STATE,TOTAL 09,1", "states.csv STATE=09: not in the domain of the histogram"),
        ("STATE,TOTAL 01,-1", "states.csv STATE=01: total '-1' is not a whole number of at least 0"),
        ("STATE,TOTAL 01,1.5", "states.csv STATE=01: total '1.5' is not a whole number of at least 0"),
        ("STATE,POP 01,1", "states.csv: missing columns TOTAL; found STATE, POP"),
    ],
)
def test_a_total_that_says_nothing_is_refused(tmp_path, states, problem):
    assert conflicts(tmp_path, STATE_TOTALS, states=states) == [problem]


@given(st.data())
def test_every_set_of_cells_adds_up_to_its_total_and_no_cell_gets_two_units_more_than_another(data):
    sets = data.draw(arrays.arrays(np.int64, st.integers(1, 40), elements=st.integers(-1, 3)))
    names, sets = np.unique(sets, return_inverse=True)
    sets = sets - int(names[0] == -1)
    totals = data.draw(arrays.arrays(np.int64, int(sets.max()) + 1, elements=st.integers(0, 1000)))
    noisy = data.draw(arrays.arrays(np.int64, sets.size, elements=st.integers(-50, 50)))
    found = calibrated_cells(noisy, sets, totals)
    changes = found - noisy
    assert [found[sets == at].sum() for at in range(totals.size)] == totals.tolist()
    assert all(np.ptp(changes[sets == at]) <= 1 for at in range(totals.size))
    assert not changes[sets == -1].any()


def test_the_margin_of_error_holds_for_each_cell_of_a_large_set_and_little_noise():
    """Totals leave few units to spread over 1,000 cells; 1,000 noises: no cell is among those that get one often."""
    domains, law = (Domain("A", ("A",), minimum=0, maximum=999),), TwoSidedGeometric(Fraction(5))
    sets = np.zeros(1000, dtype=np.int64), np.array([1000])
    noises = draw(law, 1000 * 1000, recorded_bits("large set")).reshape(1000, 1000)
    errors = np.array([calibrated_cells(noise, sets[0], np.array([0])) for noise in noises])
    stated, moe95 = calibrated_uncertainty(margin("m", ["A"], domains), law, sets)
    assert (np.abs(errors) <= moe95).mean(axis=0).min() >= 0.95
    assert np.mean(errors**2.0) == pytest.approx(stated[0], rel=0.05)
    assert set(stated) == {stated[0]}


# epsilon, rows, cells of a row: one set of all cells, as reviewed
REVIEWED = ((8, 130, 76), (8, 20, 50), (6, 500, 10), (7, 300, 30))


def one_part(part: SetPart) -> RowNoise:
    return RowNoise(0, ((part, 1),))


def enumerated(part: SetPart, law: TwoSidedGeometric, reach: int) -> dict[int, float]:
    """The law of a part by going through every noise up to `reach` and every choice of cells."""
    ratio = math.exp(-law.epsilon)
    found: dict[int, float] = {}
    for noises in itertools.product(range(-reach, reach + 1), repeat=part.cells):
        chance = math.prod((1 - ratio) / (1 + ratio) * ratio ** abs(noise) for noise in noises)
        each, left = divmod(-sum(noises), part.cells)
        choices = list(itertools.combinations(range(part.cells), left))
        for choice in choices:
            error = sum(noises[: part.ours]) + part.ours * each + sum(place < part.ours for place in choice)
            found[error] = found.get(error, 0) + chance / len(choices)
    return found


@pytest.mark.parametrize(("cells", "ours", "epsilon"), [(2, 1, "3"), (3, 1, "2.5"), (3, 2, "2.5"), (4, 2, "4")])
def test_the_law_of_a_small_set_is_that_of_enumeration(cells, ours, epsilon):
    part, law = SetPart(cells, ours), TwoSidedGeometric(Fraction(epsilon))
    wanted, found = enumerated(part, law, 8 if cells < 4 else 5), part_law(part, law)
    middle = found.size // 2
    assert max(abs(found[middle + error] - wanted.get(error, 0)) for error in range(-4, 5)) < 1e-7
    assert part_variance(part, law) == pytest.approx(sum(e**2 * p for e, p in wanted.items()), rel=1e-5)


@pytest.mark.parametrize(("cells", "ours", "epsilon"), [(9880, 76, "8"), (1000, 50, "8"), (40, 13, "0.3"), (7, 6, "1")])
def test_the_variance_is_that_of_the_law(cells, ours, epsilon):
    part, law = SetPart(cells, ours), TwoSidedGeometric(Fraction(epsilon))
    found = part_law(part, law)
    errors = np.arange(found.size) - found.size // 2
    assert part_variance(part, law) == pytest.approx(float((errors**2 * found).sum()), rel=1e-6)


def simulated_errors(epsilon: int, rows: int, cells: int, draws: int) -> np.ndarray:
    """Errors of the first row in `draws` noises: independent of one another."""
    law, size = TwoSidedGeometric(Fraction(epsilon)), rows * cells
    sets, total = np.zeros(size, dtype=np.int64), np.zeros(1, dtype=np.int64)
    noises = draw(law, draws * size, recorded_bits(f"calibrated {epsilon} {rows} {cells}")).reshape(draws, size)
    return np.array([calibrated_cells(noise, sets, total)[:cells].sum() for noise in noises])


@pytest.mark.parametrize(("epsilon", "rows", "cells"), REVIEWED)
@pytest.mark.each_time("8-20-50")
def test_errors_follow_the_law_and_lie_within_the_margin(epsilon, rows, cells):
    """1,000 noises. Chi-square of 0 against the rest, and an exact binomial test; false alarm 2e-6 on fresh bits."""
    part, law = SetPart(rows * cells, cells), TwoSidedGeometric(Fraction(epsilon))
    errors, found = simulated_errors(epsilon, rows, cells, 1000), part_law(part, law)
    zeros = int((errors == 0).sum())
    assert stats.binomtest(zeros, errors.size, float(found[found.size // 2])).pvalue >= FALSE_ALARM
    covered = int((np.abs(errors) <= row_margin(one_part(part), law)).sum())
    assert stats.binom.cdf(covered, errors.size, 0.95) >= FALSE_ALARM


@pytest.mark.parametrize(("epsilon", "rows", "cells"), REVIEWED)
def test_the_margin_is_the_smallest_that_covers_95_percent(epsilon, rows, cells):
    part, law = SetPart(rows * cells, cells), TwoSidedGeometric(Fraction(epsilon))
    found, moe95 = part_law(part, law), int(row_margin(one_part(part), law))
    middle = found.size // 2
    assert found[middle - moe95 : middle + moe95 + 1].sum() >= 0.95
    assert found[middle - moe95 + 1 : middle + moe95].sum() < 0.95
    assert 0.05 < part_variance(part, law) < 0.07


def test_what_is_in_no_set_keeps_its_margin_and_rows_of_several_add_independent_errors():
    law = TwoSidedGeometric(Fraction(1, 3))
    assert row_margin(RowNoise(7, ()), law) == sum_margin_of_error(law, 7)
    law, parts = TwoSidedGeometric(Fraction(1, 2)), ((SetPart(6, 2), 2), (SetPart(10, 3), 1))
    row = RowNoise(2, parts)
    pieces = [part_law(part, law) for part, number in parts for _ in range(number)]
    own = calibration._sum_pmf(NoiseTerm(law, 1, 2))
    summed = own
    for piece in pieces:
        summed = np.convolve(summed, piece)
    middle = summed.size // 2
    covered = np.cumsum(np.concatenate([summed[middle : middle + 1], 2 * summed[middle + 1 :]]))
    assert row_margin(row, law) == int(np.argmax(covered >= 0.95))


@pytest.mark.parametrize(("cells", "ours", "epsilon"), [(100, 5, "0.1"), (2000, 40, "0.5"), (60, 30, "0.05")])
@pytest.mark.each_time("2000-40")
def test_where_the_law_is_too_large_the_margin_is_a_little_more(monkeypatch, cells, ours, epsilon):
    row, law = one_part(SetPart(cells, ours)), TwoSidedGeometric(Fraction(epsilon))
    exact = row_margin(row, law)
    part_law.cache_clear()
    monkeypatch.setattr(calibration, "_LARGEST_LAW", 0)
    bound = row_margin(row, law)
    part_law.cache_clear()
    assert exact <= bound <= 1.25 * exact + 2


def test_rows_that_add_up_different_parts_have_margins_of_their_own():
    """Two sets, of 4 and 8 cells, and 4 cells in none: each row against its own law."""
    domains = (Domain("S", ("S",), values=(("a",), ("b",), ("c",), ("d",))), Domain("A", ("A",), minimum=0, maximum=3))
    sets = np.repeat([0, 1, 1, -1], 4), np.array([4, 8])
    law = TwoSidedGeometric(Fraction(1, 4))
    variances, moe95s = calibrated_uncertainty(margin("m", ["S"], domains), law, sets)
    half = one_part(SetPart(8, 4))
    assert moe95s.tolist() == [0, row_margin(half, law), row_margin(half, law), sum_margin_of_error(law, 4)]
    wanted = [0, part_variance(SetPart(8, 4), law), part_variance(SetPart(8, 4), law), 4 * float(variance(law))]
    assert variances.tolist() == pytest.approx(wanted)
