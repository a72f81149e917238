"""`bottom-up curve`: distances of noisy counts from exact ones by epsilon, and files that are confidential."""

import json
import stat
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow.parquet as pq
import pytest

from safetab_sql.histograms.bottom_up import drawn_without_people
from safetab_sql.histograms.evaluation.curve import Trials, bottom_up_curve
from tests.cli.command import call
from tests.histograms.tables import people, write_rows, write_spec
from tests.statistics import recorded_bits

EPSILONS = tuple(Fraction(n, 1000) for n in (1, 3, 10, 30, 100, 300, 1000, 3000, 10000))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Inputs, and the curve of them in folder out."""
    folder = tmp_path_factory.mktemp("curve")
    spec, data = write_spec(folder), write_rows(folder / "people.parquet", people(2000))
    drawn = partial(drawn_without_people, bits=recorded_bits("curve"))
    bottom_up_curve(spec, data, folder / "out", trials=Trials(EPSILONS, 20), drawn=drawn)
    return folder


@pytest.fixture(scope="module")
def curve(folder):
    return pq.read_table(folder / "out/curve.parquet").to_pylist()


def of_margin(curve, name, measure):
    return np.array([row[measure] for row in curve if row["margin"] == name])


def test_there_is_a_row_for_every_epsilon_and_margin_and_one_for_the_cells(curve):
    names = ["cells", "county_sex", "state", "age", "all"]
    assert [(row["epsilon"], row["margin"]) for row in curve] == [(float(e), name) for e in EPSILONS for name in names]


def test_distances_fall_as_the_law_of_the_noise_says(curve):
    """Cells: E|noise| = 2 t / (1 - t^2), variance 2 t / (1 - t)^2; twenty noises of 18 cells: within a third or so."""
    t = np.exp(-np.array([float(epsilon) for epsilon in EPSILONS[:6]]))
    assert np.allclose(of_margin(curve, "cells", "l1")[:6], 2 * t / (1 - t**2), rtol=0.35)
    assert np.allclose(of_margin(curve, "cells", "l2")[:6], 2 * t / (1 - t) ** 2, rtol=0.6)


@pytest.mark.parametrize("measure", ["l1", "l2", "a1", "a2"])
def test_quantiles_of_the_replicates_stand_around_their_center(curve, measure):
    assert all(row[f"{measure}_lower"] <= row[measure] <= row[f"{measure}_upper"] for row in curve)
    assert any(row[f"{measure}_lower"] < row[f"{measure}_upper"] for row in curve)


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
        (("--epsilon", "0"), "'0' is not a budget"),
        (("--epsilon", "0.00001"), "is below 1/10000"),
        (("--replicates", "0"), "0 is no number of noises"),
    ],
)
def test_trials_that_are_none_are_refused(folder, tmp_path, options, problem):
    inputs = ("--spec", folder / "spec.toml", "--data", folder / "people.parquet", "--out", tmp_path / "out")
    done = call("bottom-up", "curve", *inputs, *options)
    assert (done.code, problem in done.stderr, list(tmp_path.iterdir())) == (2, True, [])
