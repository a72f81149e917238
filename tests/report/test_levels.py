"""The report counts the groups of each level by the name that the release gives it, whatever the noise of others."""

import csv
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from safetab_sql.report.published_sections import published_section, suppression_section
from safetab_sql.report.release import read_release
from tests.cli.command import call
from tests.conftest import REPOSITORY
from tests.statistics import recorded_bits

NORLAND = REPOSITORY / "configs" / "norland"
PEOPLE, REGION = "[levels.MUNICIPALITY-people]", "[levels.MUNICIPALITY-region]"
RULES = "\nbudget = 0.2\nthresholds = [100, 1000, 10000]\n"


@pytest.fixture(scope="module")
def norland(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release in which people and regions have the same noise in each municipality."""
    folder = tmp_path_factory.mktemp("levels")
    shutil.copytree(NORLAND / "code-lists", folder / "code-lists")
    text = (NORLAND / "parameters.toml").read_text(encoding="utf-8")
    assert f"{REGION}{RULES}" in text
    (folder / "parameters.toml").write_text(text.replace(REGION, f"{PEOPLE}{RULES}\n{REGION}"), encoding="utf-8")
    made = folder / "made"
    call("simulate", "--parameters", folder / "parameters.toml", "--people", "3000", "--out", made, "--seed", "1")
    files = (str(made / "persons.parquet"), str(made / "geography.parquet"), made / "code-lists")
    inputs = InputPaths(made / "parameters.toml", *files)
    run(inputs, folder / "out", bits=recorded_bits("levels"), resources=Resources(threads=1))
    return folder / "out"


def true_sizes(release: Path) -> Counter[str]:
    """The published groups of each level, by the level that the list of iterations names for each."""
    with (NORLAND / "code-lists" / "iterations.csv").open(encoding="utf-8", newline="") as stream:
        level_of = {row["ITERATION_CODE"]: row["LEVEL"] for row in csv.DictReader(stream)}
    rows = pq.read_table(release / "t1").to_pylist()
    return Counter(f"{row['REGION_TYPE']}-{level_of[row['ITERATION_CODE']]}" for row in rows)


@pytest.mark.parametrize("is_reconciled", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_levels_of_equal_noise_are_counted_apart(norland: Path, tmp_path: Path, is_reconciled: bool) -> None:
    geography = norland.parent / "made" / "geography.parquet"
    folder = reconcile(norland, tmp_path / "out", geography=geography).out if is_reconciled else norland
    release = read_release(folder)
    sizes = true_sizes(norland)
    municipal = {name: size for name, size in sizes.items() if name.startswith("MUNICIPALITY")}
    assert len(municipal) == 2
    assert len(set(municipal.values())) == 2
    (published,), (suppressed,) = published_section(release).tables, suppression_section(release).tables
    assert {row[0]: row[1] for row in published.rows} == {**sizes, "All levels": sizes.total()}
    assert {row[0]: row[2] for row in suppressed.rows} == municipal


def test_the_index_of_groups_and_the_codes_say_the_level_of_each_row(norland: Path) -> None:
    index = pq.read_table(norland / "group_index").to_pylist()
    assert Counter(row["LEVEL"] for row in index) == true_sizes(norland)
    with (norland / "codes" / "ITERATION_CODE.csv").open(encoding="utf-8", newline="") as stream:
        codes = {row["CODE"]: row for row in csv.DictReader(stream)}
    for row in index:
        listed = codes[row["ITERATION_CODE"]]
        assert row["LEVEL"] == f"{row['REGION_TYPE']}-{listed['ITERATION_LEVEL']}"
        assert row["ITERATION_KIND"] == listed["ITERATION_KIND"]
        assert listed["ITERATION_KIND"] == ("alone" if listed["MEANING"].endswith(" alone") else "combination")
