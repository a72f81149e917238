"""Margins asked of `targets` are found again in ten releases."""

from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from scipy.stats import binom

from safetab_sql import ground_truth, run
from safetab_sql.jobs.targets import settings_of, targets, targets_toml
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.simulation.any_shape import simulate_shape

FALSE_ALARMS = 1e-6  # of each of four comparisons
YEARS = 10


@pytest.mark.slow
@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_wanted_margins_are_found_again_in_ten_releases(definition, tmp_path):
    text = (packaged_folder("configs") / "hospitals.toml").read_text(encoding="utf-8")
    (tmp_path / "start.toml").write_text(text.replace('"puredp"', f'"{definition}"'), encoding="utf-8")
    wanted = tmp_path / "wanted.toml"
    made = targets(settings_of(tmp_path / "start.toml"), {"HOSPITAL-1": 9, "ALL-1": 8})
    wanted.write_text(targets_toml(made), encoding="utf-8")
    inputs = replace(simulate_shape(tmp_path / "people", wanted, people=400_000), parameters=wanted)
    ground_truth(inputs, tmp_path / "truth", dense=True)
    for year in range(YEARS):
        run(inputs, tmp_path / f"year-{year}")
    for target in made.levels:
        errors = noise(tmp_path, target.level.partition("-")[0])
        covers_no_more_than_it_says(errors, target.exact_moe)


def noise(folder: Path, region_type: str) -> Int64s:
    """The noise of each cell that every year publishes of a large group: int64[cells, years]."""
    years = f"read_parquet('{folder}/year-*/t2/*.parquet', filename = true)"
    found = duckdb.sql(
        f"select list(years.COUNT - truth.COUNT order by years.filename) as noise from {years} as years "
        f"inner join '{folder}/truth/t2.parquet' as truth "
        "using (REGION_TYPE, REGION_ID, ITERATION_CODE, SEX, AGESTART, AGEEND) "
        f"where REGION_TYPE = '{region_type}' and truth.COUNT >= 100 and not IS_MARGINAL "
        "group by REGION_ID, ITERATION_CODE, SEX, AGESTART, AGEEND having count(*) = 10"
    )
    return np.array([row[0] for row in found.fetchall()], dtype=np.int64)


def covers_no_more_than_it_says(errors: Int64s, margin: int) -> None:
    """As many errors are within the margin as 95 % allow, and one person less is too few."""
    least = binom.ppf(FALSE_ALARMS, errors.size, 0.95)
    assert (np.abs(errors) <= margin).sum() >= least
    assert (np.abs(errors) <= margin - 1).sum() <= binom.isf(FALSE_ALARMS, errors.size, 0.95)
    assert errors.size > 1_000
