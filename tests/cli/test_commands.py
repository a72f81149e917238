"""Every command does what its help says, on a tiny nation; stdout is the answer and nothing else."""

import stat
from pathlib import Path

import duckdb
import pytest

import safetab_sql.jobs.example
from safetab_sql.kit.marks import is_marked
from tests.cli.command import Result, call, inputs
from tests.cli.nations import copied, keep_levels, simulate_few_states


def answer(query: str) -> object:
    return duckdb.sql(query).fetchall()[0][0]


def test_a_release_holds_its_tables_and_a_manifest(release):
    files = sorted(path.name for path in release.iterdir())
    assert files == ["codes", "csv-metadata.json", "group_index", "manifest.json", "suppressed", "t1", "t2"]


@pytest.mark.parametrize("name", ["t1", "t2"])
def test_a_count_lies_in_its_interval_unless_its_group_is_near_the_limit(release, name):
    rows = duckdb.sql(
        f"select COUNT, MOE95, LOW95, HIGH95, REGION_TYPE from '{release}/{name}/{name}.parquet'"
    ).fetchall()
    assert rows
    usual = [(low, high) == (count - moe95, count + moe95) for count, moe95, low, high, _ in rows]
    types = {row[4] for row, is_usual in zip(rows, usual, strict=True) if not is_usual}
    assert types <= ({"COUNTY", "TRACT", "PLACE", "AIANNH"} if name == "t1" else set())


@pytest.fixture(scope="module")
def truth(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The exact tables of two levels of the small nation, and what the command said."""
    folder = tmp_path_factory.mktemp("truth")
    small = copied(nation, folder / "nation")
    keep_levels(small, "USA-1", "COUNTY-1")
    return folder / "truth", call("ground-truth", *inputs(small), "--out", folder / "truth", "--quiet")


def test_the_ground_truth_is_readable_by_its_owner_alone(truth):
    assert {stat.S_IMODE(file.stat().st_mode) for file in truth[0].iterdir()} == {0o600}


def test_the_ground_truth_says_what_it_is(truth):
    out, done = truth
    assert (done.code, done.stdout, "EXACT counts" in done.stderr) == (0, f"{out}\n", True)
    assert all(map(is_marked, out.iterdir()))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """What the embedded example prints, of four states and a tenth of the people."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(safetab_sql.jobs.example, "PEOPLE", 20_000)
        patch.setattr(safetab_sql.jobs.example, "simulate", simulate_few_states)
        return call("example", "--out", tmp_path_factory.mktemp("example") / "demo", "--quiet")
