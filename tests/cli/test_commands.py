"""Every command does what its help says, on a tiny nation; stdout is the answer and nothing else."""

import json
import re
import stat
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import safetab_sql.jobs.example
from safetab_sql.kit.marks import is_marked
from tests.cli.command import Result, call, inputs
from tests.cli.nations import (
    GEOGRAPHY,
    MAPPING,
    PERSONS,
    append_line,
    as_text,
    copied,
    keep_levels,
    replace_text,
    simulate_few_states,
)

T1_COLUMNS = ["REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT", "VARIANCE", "MOE95", "LOW95", "HIGH95"]
T2_CODES = [*T1_COLUMNS[:3], "STATISTIC", "AGESTART", "AGEEND", "SEX"]
T2_NUMBERS = ["AGE_START", "AGE_END", "IS_MARGINAL"]


def answer(query: str) -> object:
    """The only value of `query`."""
    return duckdb.sql(query).fetchall()[0][0]


def test_a_good_input_validates(nation: Path) -> None:
    assert call("validate", *inputs(nation), "--quiet") == Result(0, "no errors\n", "")


def test_a_release_holds_its_tables_and_a_manifest(release: Path) -> None:
    files = sorted(path.name for path in release.iterdir())
    assert files == ["codes", "csv-metadata.json", "group_index", "manifest.json", "suppressed", "t1", "t2"]


@pytest.mark.parametrize(("name", "columns"), [("t1", T1_COLUMNS), ("t2", [*T2_CODES, *T2_NUMBERS, *T1_COLUMNS[3:]])])
def test_a_published_table_has_its_columns(release: Path, name: str, columns: list[str]) -> None:
    assert pq.read_schema(release / name / f"{name}.parquet").names == columns


@pytest.mark.parametrize("name", ["t1", "t2"])
def test_counts_are_whole_and_their_uncertainty_is_not(release: Path, name: str) -> None:
    schema = pq.read_schema(release / name / f"{name}.parquet")
    types = [schema.field(column).type for column in ("COUNT", "VARIANCE", "MOE95")]
    assert types == [pa.int64(), pa.float64(), pa.float64()]


@pytest.mark.parametrize("name", ["t1", "t2"])
def test_a_count_lies_in_its_interval_unless_its_group_is_near_the_limit(release: Path, name: str) -> None:
    rows = duckdb.sql(
        f"select COUNT, MOE95, LOW95, HIGH95, REGION_TYPE from '{release}/{name}/{name}.parquet'"
    ).fetchall()
    assert rows
    usual = [(low, high) == (count - moe95, count + moe95) for count, moe95, low, high, _ in rows]
    types = {row[4] for row, is_usual in zip(rows, usual, strict=True) if not is_usual}
    assert types <= ({"COUNTY", "TRACT", "PLACE", "AIANNH"} if name == "t1" else set())


def test_some_groups_of_the_small_nation_have_a_table(release: Path) -> None:
    """Otherwise the tests of T2 here would be empty. Thresholds of 50 among 1,000 people leave no doubt."""
    assert answer(f"select count(*) from '{release}/t2/*.parquet'") > 0


@pytest.mark.slow
def test_the_census_format_has_productions_columns_only(nation: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    call("run", *inputs(nation), "--out", out, "--quiet", "--format", "census")
    headers = [(out / "export" / name / f"{name}.csv").read_text().splitlines()[0] for name in ("t1", "t2")]
    assert headers == [
        "|".join(T1_COLUMNS[:4]),
        "|".join([name for name in [*T2_CODES, "COUNT"] if name != "STATISTIC"]),
    ]


@pytest.fixture(scope="module")
def truth(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The exact tables of two levels of the small nation, and what the command said."""
    folder = tmp_path_factory.mktemp("truth")
    small = copied(nation, folder / "nation")
    keep_levels(small, "USA-1", "COUNTY-1")
    return folder / "truth", call("ground-truth", *inputs(small), "--out", folder / "truth", "--quiet")


def test_the_ground_truth_is_exact(nation: Path, truth: tuple[Path, Result]) -> None:
    exact = answer(
        f"""select count(*) from '{nation}/persons/*.parquet' semi join (
            select RACE_ETH_CODE as QSPAN
            from read_csv('{nation / MAPPING}', all_varchar = true, delim = '|') where ITERATION_CODE = '9004'
        ) using (QSPAN)"""
    )
    written = f"select COUNT from '{truth[0]}/t1.parquet' where REGION_TYPE = 'USA' and ITERATION_CODE = '9004'"
    assert answer(written) == exact > 0


def test_the_ground_truth_is_readable_by_its_owner_alone(truth: tuple[Path, Result]) -> None:
    assert {stat.S_IMODE(file.stat().st_mode) for file in truth[0].iterdir()} == {0o600}


def test_the_ground_truth_says_what_it_is(truth: tuple[Path, Result]) -> None:
    out, done = truth
    assert (done.code, done.stdout, "EXACT counts" in done.stderr) == (0, f"{out}\n", True)
    assert all(map(is_marked, out.iterdir()))


def test_a_nation_is_simulated(tmp_path: Path) -> None:
    out = tmp_path / "nation"
    assert call("simulate", "--people", "1001", "--out", out, "--quiet") == Result(0, f"{out}\n", "")
    assert answer(f"select count(*) from '{out}/persons/*.parquet'") == 1_001


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """What the embedded example prints, of four states and a tenth of the people."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(safetab_sql.jobs.example, "PEOPLE", 20_000)
        patch.setattr(safetab_sql.jobs.example, "simulate", simulate_few_states)
        return call("example", "--out", tmp_path_factory.mktemp("example") / "demo", "--quiet")


@pytest.mark.slow
def test_the_example_shows_rows_of_its_release(example: Result) -> None:
    assert (example.code, example.stderr) == (0, "")
    assert len(re.findall(r"(?:fe)?male +[\d,]+ +± \d+", example.stdout)) == 6


@pytest.mark.slow
def test_the_files_that_the_example_names_exist(example: Result) -> None:
    named = [line.split()[-1] for line in example.stdout.splitlines() if "/demo/" in line]
    assert [Path(name).exists() for name in named] == [True] * 5


def text(nation: Path) -> None:
    """Person records as production's text."""
    as_text(str(nation / PERSONS), nation / "persons" / "person-records.txt")
    (nation / PERSONS).unlink()


def integers(nation: Path) -> None:
    """Person records with whole numbers for every code."""
    columns = ["TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "QSEX", "QRACE1", "QRACE2", "QRACE3", "QSPAN"]
    casts = ", ".join(f"{column}::integer as {column}" for column in columns)
    duckdb.sql(
        f"copy (select * replace ({casts}) from '{nation / PERSONS}') to '{nation / 'persons' / 'integers.parquet'}'"
    )
    (nation / PERSONS).unlink()


def hive(nation: Path) -> None:
    """Person records in one folder a state, whose code stands in its name alone."""
    duckdb.sql(f"copy (from '{nation / PERSONS}') to '{nation / 'hive'}' (format parquet, partition_by (TABBLKST))")
    (nation / PERSONS).unlink()
    (nation / "persons").rmdir()
    (nation / "hive").rename(nation / "persons")


def hive_integers(nation: Path) -> None:
    """The same, with the folders named by numbers: TABBLKST=1."""
    persons = nation / "persons"
    duckdb.sql(
        f"copy (select * replace (TABBLKST::integer as TABBLKST) from '{nation / PERSONS}') "
        f"to '{nation / 'hive'}' (format parquet, partition_by (TABBLKST))"
    )
    (nation / PERSONS).unlink()
    persons.rmdir()
    (nation / "hive").rename(persons)


# Every form alone is read in tests/properties/test_input_forms.py.
@pytest.mark.parametrize("stored", [text, integers, hive, hive_integers])
@pytest.mark.slow
def test_another_storage_of_the_same_people_gives_the_same_ground_truth(
    spoilt: Path, truth: tuple[Path, Result], tmp_path: Path, stored: Callable[[Path], None]
) -> None:
    keep_levels(spoilt, "USA-1", "COUNTY-1")
    stored(spoilt)
    done = call("ground-truth", *inputs(spoilt), "--out", tmp_path / "truth", "--quiet")
    assert done.code == 0, done.stderr
    found, wanted = (pq.read_table(folder / "t1.parquet").to_pylist() for folder in (tmp_path / "truth", truth[0]))
    assert {frozenset(row.items()) for row in found} == {frozenset(row.items()) for row in wanted}


@pytest.mark.slow
def test_text_and_parquet_geographies_are_the_same_to_a_run(spoilt: Path) -> None:
    as_text(str(spoilt / GEOGRAPHY), spoilt / "GRF-C.txt")
    named = [spoilt / "GRF-C.txt" if name == spoilt / GEOGRAPHY else name for name in inputs(spoilt)]
    assert call("validate", *named).stdout == "no errors\n"


def test_a_glob_names_person_files(nation: Path) -> None:
    named = [nation / "persons" / "*.parquet" if name == nation / "persons" else name for name in inputs(nation)]
    assert call("validate", *named).code == 0


def test_names_with_brackets_quotes_and_blanks_are_read(spoilt: Path) -> None:
    odd = spoilt / "persons" / "it's [all] * 1.parquet"
    (spoilt / PERSONS).rename(odd)
    done = call("validate", *inputs(spoilt))
    assert (done.code, done.stdout) == (0, "no errors\n"), done.stderr


@pytest.mark.slow
def test_a_region_type_of_your_own_is_a_matter_of_parameters(spoilt: Path, tmp_path: Path) -> None:
    keep_levels(spoilt, "USA-1")
    append_line(
        spoilt / "parameters.toml",
        "[region_types.BLOCK]\nid = 'TABBLKST || TABBLKCOU || TABTRACTCE || TABBLK'\n"
        "without = 'DETAILED_ONLY'\nsuppress = true\n"
        "[levels.BLOCK-1]\nbudget = 1\nthresholds = [1000, 2000, 3000]",
    )
    out = tmp_path / "truth"
    call("ground-truth", *inputs(spoilt), "--out", out, "--quiet")
    blocks = answer(f"select count(distinct REGION_ID) from '{out}/regions.parquet' where REGION_TYPE = 'BLOCK'")
    assert blocks == answer(f"select count(*) from '{spoilt / GEOGRAPHY}'")


@pytest.mark.slow
def test_pure_differential_privacy_is_one_word_away(spoilt: Path, tmp_path: Path) -> None:
    keep_levels(spoilt, "USA-2")
    replace_text(spoilt / "parameters.toml", '= "zcdp"', '= "puredp"')
    out = tmp_path / "release"
    call("run", *inputs(spoilt), "--out", out, "--quiet")
    calls = [
        call["distribution"]
        for level in json.loads((out / "manifest.json").read_text())["ledger"]["levels"]
        for call in level["calls"]
    ]
    assert set(calls) == {"two-sided geometric"}
