"""Totals of several releases smoothed under a model: the arithmetic, how often it holds, and what the command says."""

from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.series import smoothed_series
from safetab_sql.kit.errors import InputError
from safetab_sql.reconciliation.series import smoothed
from tests.cli.command import call
from tests.nations import Nation, published
from tests.published.conftest import cells_of_groups, group, rows
from tests.statistics import FALSE_ALARM, recorded_bits


@pytest.fixture(scope="module")
def years(nation: Nation, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Three releases of the same people."""
    folders = [tmp_path_factory.mktemp(str(year)) / "nation" for year in (2022, 2023, 2024)]
    for folder in folders:
        published(nation.with_parameters(title=folder.parent.name), folder, recorded_bits(folder.parent.name))
    return tuple(folder / "out" for folder in folders)


# --- the arithmetic ---


@given(
    counts=st.lists(st.one_of(st.none(), st.integers(-50, 5000)), min_size=2, max_size=6).filter(any),
    step=st.sampled_from([0.001, 0.05, 0.5, 1.0]),
    seed=st.integers(0, 99),
)
def test_the_estimates_minimise_squares_of_noise_and_changes(counts, step, seed):
    """The same least squares as one system of equations: a row a count, and a row a change."""
    y = np.array([np.nan if count is None else count for count in counts], dtype=float)
    v = np.where(np.isnan(y), np.nan, np.random.default_rng(seed).uniform(1, 400, y.size))
    found = smoothed(y[None], v[None], step)
    known = np.flatnonzero(~np.isnan(y))
    mean = max(1.0, np.average(y[known], weights=1 / v[known]))
    noise = np.eye(y.size)[known] / np.sqrt(v[known])[:, None]
    changes = np.diff(np.eye(y.size), axis=0) / (step * mean)
    system = np.vstack([noise, changes])
    expected = np.linalg.lstsq(system, np.concatenate([y[known] / np.sqrt(v[known]), np.zeros(y.size - 1)]))[0]
    assert found.estimates[0] == pytest.approx(expected, rel=1e-6, abs=1e-4)
    assert found.deviations[0] == pytest.approx(np.sqrt(np.diag(np.linalg.inv(system.T @ system))), rel=1e-5)


def test_without_change_all_counts_are_one_mean_and_with_any_change_they_stay():
    counts, variances = np.array([[90.0, 100.0, 140.0]]), np.array([[10.0, 10.0, 20.0]])
    assert smoothed(counts, variances, 1e-6).estimates[0] == pytest.approx([104, 104, 104], abs=0.01)
    assert smoothed(counts, variances, 1e6).estimates[0] == pytest.approx(counts[0])


def test_a_group_without_evidence_has_no_estimate():
    found = smoothed(np.array([[np.nan, np.nan], [5.0, np.nan]]), np.array([[np.nan, np.nan], [4.0, np.nan]]), 0.1)
    assert np.isnan(found.estimates[0]).all()
    assert found.estimates[1] == pytest.approx([5, 5])
    assert found.deviations[1, 0] == pytest.approx(2)
    assert found.compared == 0


def test_where_the_model_is_true_its_margins_hold_and_are_shorter():
    """60,000 groups over six years: margins and surprises are off with a chance of 1e-6 at most."""
    random = np.random.default_rng(8)
    truth = 10_000 + np.cumsum(random.normal(0, 0.01 * 10_000, (60_000, 6)), axis=1)
    counts = truth + random.normal(0, 80, truth.shape)
    found = smoothed(counts, np.full(truth.shape, 80.0**2), 0.01)
    held = np.abs(found.estimates[:, 2] - truth[:, 2]) <= 1.96 * found.deviations[:, 2]
    ends = stats.binom.ppf(FALSE_ALARM / 2, held.size, 0.948), stats.binom.isf(FALSE_ALARM / 2, held.size, 0.952)
    assert ends[0] <= held.sum() <= ends[1]
    assert found.deviations[:, 2].max() < 0.75 * 80
    assert found.surprising / found.compared == pytest.approx(0.05, abs=0.005)


# --- what the command makes ---


def test_smoothed_totals_stand_beside_the_published_ones_and_name_their_model(years, tmp_path):
    done = smoothed_series(years, "0.02", tmp_path / "smoothed.parquet")
    table = pq.read_table(tmp_path / "smoothed.parquet")
    assert b"(one standard deviation)" in table.schema.metadata[b"model"]
    found = {(row["RELEASE_NUMBER"], *group(row)): row for row in table.to_pylist()}
    released = {(place, *group(row)): row for place, year in enumerate(years, 1) for row in rows(year, "t1")}
    assert {key: (row["COUNT"], row["MOE95"]) for key, row in found.items()} == {
        key: (row["COUNT"], row["MOE95"]) for key, row in released.items()
    }
    name = next(
        each for each in sorted(cells_of_groups(years[0])) if all((place, *each) in found for place in (1, 2, 3))
    )
    model = [found[place, *name] for place in (1, 2, 3)]
    counts, variances = (
        np.array([[released[place, *name][key] for place in (1, 2, 3)]]) for key in ("COUNT", "VARIANCE")
    )
    expected = smoothed(counts.astype(float), variances, 0.02)
    assert [row["MODEL_COUNT"] for row in model] == pytest.approx(expected.estimates[0])
    assert [row["MODEL_MOE95"] for row in model] == pytest.approx(1.96 * expected.deviations[0])
    assert "larger than noise and model let 5 % be" in str(done)


def test_a_total_that_may_have_been_suppressed_is_no_evidence(years, tmp_path):
    table = smoothed_series(years, "0.02", tmp_path / "smoothed.csv").table
    with_tables = {each for year in years for each in cells_of_groups(year)}
    alone = [row for row in table.to_pylist() if row["REGION_TYPE"] == "COUNTY" and group(row) not in with_tables]
    assert alone
    assert all(row["MODEL_COUNT"] is None for row in alone)
    assert pyarrow.csv.read_csv(tmp_path / "smoothed.csv").num_rows == table.num_rows


def test_reconciled_releases_are_smoothed_too(years, tmp_path):
    folders = [tmp_path / str(place) for place in range(2)]
    for year, folder in zip(years, folders, strict=False):
        reconcile(year, folder)
    assert smoothed_series(folders, "0.1", tmp_path / "smoothed.parquet").groups > 0


@pytest.mark.parametrize("step", ["0", "-1", "x", "2", "nan"])
def test_a_step_that_is_no_part_is_refused(years, step, tmp_path):
    done = call("reconcile", *years, "--series", step, "--out", tmp_path / "smoothed.csv")
    assert done.code == 2
    assert "is not above 0 and at most 1" in done.stderr


def test_what_does_not_go_together_is_refused(years, tmp_path):
    out = ("--out", tmp_path / "smoothed.csv")
    for given_options, problem in [
        ((*years, *out), "one release is made consistent at a time"),
        ((years[0], "--series", "0.1", *out), "two releases or more"),
        ((years[0], years[0], "--series", "0.1", *out), "two releases or more"),
        ((*years, "--series", "0.1", "--integers", *out), "--integers: is not used with --series"),
        ((*years, "--series", "0.1", "--out", tmp_path / "smoothed"), "is neither .csv nor .parquet"),
    ]:
        done = call("reconcile", *given_options)
        assert (done.code, list(tmp_path.iterdir())) == (2, [])
        assert problem in done.stderr
    with pytest.raises(InputError, match="no folder is named"):
        smoothed_series([], "0.1", tmp_path / "smoothed.csv")
