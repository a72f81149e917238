"""`moe`: the margin of error of a sum that was not published, on the command line."""

import json
import re
from pathlib import Path

import duckdb
import pytest

from tests.cli.command import Result, call, refusal

NATION_TOTALS = "TABLE = 'T1' and REGION_TYPE = 'USA'"
MARGINALS = "TABLE = 'T2' and AGESTART = '*'"


@pytest.fixture(scope="module")
def answer(release: Path) -> Result:
    """What the command says of the totals of the nation, and its women once more."""
    return call("moe", release, "--sum", NATION_TOTALS, "--sum", f"{MARGINALS} and SEX = '2'")


def test_the_sum_stands_on_stdout_and_nothing_on_stderr(answer: Result) -> None:
    assert (answer.code, answer.stderr) == (0, "")


@pytest.mark.parametrize("figure", ["estimate", "MOE95", "variance"])
def test_each_figure_is_named_with_its_unit(answer: Result, figure: str) -> None:
    assert re.search(rf"^{figure} +[±\d][\d,.e+]*  persons", answer.stdout, re.MULTILINE)


def test_the_estimate_is_the_sum_of_the_rows_that_match(release: Path, answer: Result) -> None:
    query = f"""
        select (select sum(COUNT) from '{release}/t1/*.parquet' where REGION_TYPE = 'USA')
            + (select sum(COUNT) from '{release}/t2/*.parquet' where AGESTART = '*' and SEX = '2')"""
    (wanted,) = duckdb.sql(query).fetchall()[0]
    assert re.search(rf"^estimate +{int(wanted):,} ", answer.stdout, re.MULTILINE)


def test_it_is_said_how_the_margin_was_found(answer: Result) -> None:
    assert "exact convolution of the noise of the counts" in answer.stdout


def test_each_predicate_is_shown_with_its_rows(release: Path, answer: Result) -> None:
    (rows,) = duckdb.sql(f"select count(*) from '{release}/t1/*.parquet' where REGION_TYPE = 'USA'").fetchall()[0]
    assert re.search(rf"^sum +{rows:,} +[\d,]+  {NATION_TOTALS}$", answer.stdout, re.MULTILINE)


def test_a_total_less_its_marginals_has_no_noise_left(release: Path) -> None:
    (group,) = duckdb.sql(
        f"select REGION_TYPE, REGION_ID, ITERATION_CODE from '{release}/t2/*.parquet' order by all limit 1"
    ).fetchall()
    here = "REGION_TYPE = '{}' and REGION_ID = '{}' and ITERATION_CODE = '{}'".format(*group)
    done = call("moe", release, "--sum", f"{here} and TABLE = 'T1'", "--minus", f"{here} and {MARGINALS}")
    assert (done.code, "no noise is left" in done.stdout) == (0, True)
    assert re.search(r"^MOE95 +±0 ", done.stdout, re.MULTILINE)
    assert re.search(r"^minus +2 ", done.stdout, re.MULTILINE)


def test_json_holds_the_same(release: Path, answer: Result) -> None:
    done = call("moe", release, "--sum", NATION_TOTALS, "--sum", f"{MARGINALS} and SEX = '2'", "--json")
    found = json.loads(done.stdout)
    assert f"±{found['moe95']:,} " in answer.stdout
    assert found["method"] == "convolution"
    assert [part["predicate"] for part in found["selections"]] == [NATION_TOTALS, f"{MARGINALS} and SEX = '2'"]


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        ("REGION_ID = 'nowhere'", "matches no published row"),
        ("REGION_ID in (select 1)", "subquery is not allowed here"),
        ("true; drop table t1", "no SQL expression"),
        ("read_text('/etc/hostname') <> ''", "function 'read_text' is not allowed here"),
    ],
)
def test_a_predicate_that_is_no_condition_on_published_rows_ends_with_2(
    release: Path, predicate: str, said: str
) -> None:
    assert said in refusal("moe", release, "--sum", predicate)


def test_at_least_one_sum_is_wanted(release: Path) -> None:
    assert call("moe", release, "--minus", "true").code == 2


def test_the_release_is_left_as_it_was(release: Path) -> None:
    before = {path: path.stat() for path in release.rglob("*")}
    call("moe", release, "--sum", "true")
    assert {path: path.stat().st_mtime_ns for path in release.rglob("*")} == {
        path: stat.st_mtime_ns for path, stat in before.items()
    }


TRACT_TOTALS = "TABLE = 'T1' and REGION_TYPE = 'TRACT'"


def test_a_sum_over_tracts_says_that_suppressed_ones_are_missing(release: Path) -> None:
    said = call("moe", release, "--sum", TRACT_TOTALS).stdout
    assert "Suppressed totals are no rows: of TRACT, at least" in said
    assert "--geography, --code-lists" in said


def test_with_the_public_files_of_the_run_they_are_counted(nation: Path, release: Path) -> None:
    files = ["--geography", nation / "geography.parquet", "--code-lists", nation / "code-lists"]
    found = json.loads(call("moe", release, "--sum", TRACT_TOTALS, "--json", *files).stdout)
    absent = found["selections"][0]["absent"]
    assert (absent["suppressed"] > 0, absent["unnamed_types"]) == (True, [])
    assert f"{absent['suppressed']:,} population groups" in found["caveats"][-1]


def test_a_reconciled_folder_is_added_up_too(nation: Path, release: Path, tmp_path: Path) -> None:
    files = ["--geography", nation / "geography.parquet", "--quiet"]
    assert call("reconcile", release, "--out", tmp_path / "reconciled", *files).code == 0
    said = call("moe", tmp_path / "reconciled", "--sum", NATION_TOTALS).stdout
    assert "an upper bound: the standard deviations added up" in said


def test_a_sum_from_which_nothing_is_subtracted_tests_nothing(release: Path) -> None:
    found = json.loads(call("moe", release, "--sum", MARGINALS, "--json").stdout)
    assert found["p_value"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--sum", "not IS_MARGINAL"), "IS_MARGINAL follows from the codes, and conditions are on these"),
        (("--sum", "REGION_TYPE = COUNTY"), "there is no column COUNTY; a text stands in quotes: 'COUNTY'"),
        (("--sum", "true", "--level", "90%"), "say it as a share: 0.9"),
        (("--sum", "true", "--level", "90"), "say it as a share: 0.9"),
        (("--sum", "true", "--level", "high"), "--level: 'high' is no number between 0 and 1\n    say it like 0.9"),
        (("--sum", "true", "--level", "0"), "--level: "),
        (("--sum", "true", "--level", "1"), "--level: "),
    ],
    ids=["marginals", "no quotes", "percent", "hundred", "no number", "none", "all"],
)
def test_what_is_not_as_it_should_be_is_answered_with_what_is(release: Path, arguments, words: str) -> None:
    assert words in refusal("moe", release, *arguments)


def test_a_difference_has_a_p_value_and_a_margin_at_any_level(release: Path) -> None:
    women, men = (f"{MARGINALS} and SEX = '{sex}'" for sex in "21")
    result = call("moe", release, "--sum", women, "--minus", men, "--level", "0.5", "--json")
    found = json.loads(result.stdout)
    assert (result.code, found["level"]) == (0, 0.5)
    assert 0 < found["margin"] < found["moe95"]
    assert 0 <= found["p_value"] <= 1
    said = call("moe", release, "--sum", women, "--minus", men, "--level", "0.5").stdout
    assert re.search(r"^margin at 0.5 +±[\d,]+ +persons$", said, re.MULTILINE)
    assert re.search(r"^p-value +(\d\.\d{4}|below 0\.0001) ", said, re.MULTILINE)


def test_the_same_rows_added_and_subtracted_differ_by_nothing(release: Path) -> None:
    found = json.loads(call("moe", release, "--sum", NATION_TOTALS, "--minus", NATION_TOTALS, "--json").stdout)
    assert (found["margin"], found["p_value"]) == (0, 1)


def test_a_percentage_is_shown_with_its_interval(release: Path) -> None:
    women, all_ages = f"{MARGINALS} and SEX = '2'", MARGINALS
    said = call("moe", release, "--sum", women, "--of", all_ages, "--level", "0.9").stdout
    estimate, low, high = (
        float(number)
        for pattern in (r"^percentage +([\d.]+) %  of [\d,]+ persons", r"^interval at 0.9 +([\d.]+) % to ([\d.]+) %")
        for number in re.search(pattern, said, re.MULTILINE).groups()
    )
    assert 0 < low < estimate < high < 100


@pytest.mark.slow
def test_a_reconciled_percentage_has_an_interval_too(nation: Path, release: Path, tmp_path: Path) -> None:
    files = ["--geography", nation / "geography.parquet", "--quiet"]
    assert call("reconcile", release, "--out", tmp_path / "reconciled", *files).code == 0
    options = ("--of", NATION_TOTALS, "--json")
    found = json.loads(call("moe", tmp_path / "reconciled", "--sum", NATION_TOTALS, *options).stdout)["ratio"]
    assert 0 < found["low"] < 1 == found["estimate"] == found["high"]
