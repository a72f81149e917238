"""`evaluate` and `epl` on the command line."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import Result, call


def residual_table(folder: Path, epsilon: float, size: int = 4_000) -> Path:
    """Exact counts, and noisy ones with two-sided geometric noise."""
    generator = np.random.default_rng(3)
    exact = generator.integers(0, 500, size)
    success = -np.expm1(-epsilon)
    noisy = exact + generator.geometric(success, size) - generator.geometric(success, size)
    pq.write_table(pa.table({"exact": exact, "noisy": noisy, "share": noisy / 7}), folder / "counts.parquet")
    return folder / "counts.parquet"


def audited(table: Path, epsilon: str = "0.25", noisy: str = "noisy", *more: str) -> Result:
    return call("epl", "--table", table, "--noisy", noisy, "--exact", "exact", "--epsilon", epsilon, *more)


@pytest.mark.parametrize(
    ("epsilon", "code", "verdict", "said"),
    [(0.25, 0, "passes", "synthetic data only"), (0.5, 1, "FAILS", "the residuals show a loss of at least")],
)
def test_a_table_of_honest_noise_passes_and_one_whose_noise_is_halved_fails(tmp_path, epsilon, code, verdict, said):
    result = audited(residual_table(tmp_path, epsilon))
    assert (result.code, verdict in result.stdout, said in result.stderr) == (code, True, True)


@pytest.mark.parametrize(
    ("epsilon", "noisy", "more", "problem"),
    [
        ("0.25", "loud", [], "missing columns loud; found exact, noisy, share"),
        ("0.25", "share", [], "stored as double"),
        ("a quarter", "noisy", [], "'a quarter' is no loss that can be tested"),
        ("0", "noisy", [], "'0' is no loss that can be tested"),
        ("0.25", "noisy", ["--bandwidth", "0"], "'0' is no bandwidth to work with"),
        ("0.25", "noisy", ["--percentile", "50"], "'50' is no percentile to search to"),
        ("0.25", "noisy", ["release"], "needs either releases or --table, and got both"),
    ],
)
def test_what_cannot_be_audited_is_refused(tmp_path, epsilon, noisy, more, problem):
    result = audited(residual_table(tmp_path, 0.25), epsilon, noisy, *more)
    assert (result.code, problem in result.stderr) == (2, True)


def test_a_table_with_holes_or_of_too_few_residuals_is_refused(tmp_path):
    result = audited(residual_table(tmp_path, 0.25, size=99))
    assert (result.code, "no law of noise has 100 counts" in result.stderr) == (2, True)
    pq.write_table(pa.table({"exact": [1, None], "noisy": [1, 2]}), tmp_path / "counts.parquet")
    assert "counts.parquet [exact]: holds NULL" in audited(tmp_path / "counts.parquet").stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "needs either --out-dirs or --runs"),
        (["--runs", "2", "--out-dirs", "release"], "needs either --out-dirs or --runs"),
        (["--runs", "2"], "needs --persons"),
        (["--out-dirs", "release"], "needs --ground-truth"),
        (["--out-dirs", "nowhere", "--ground-truth", "nowhere", "--code-lists", "nowhere"], "cannot be read"),
    ],
)
def test_an_evaluation_of_nothing_is_refused(tmp_path, options, problem):
    result = call("evaluate", *options, "--out", tmp_path / "out")
    assert (result.code, problem in result.stderr) == (2, True)
    assert not (tmp_path / "out").exists()
