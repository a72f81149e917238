"""Commands that read a release, on the command line: `moe`, `reconcile`, and folders that are no release."""

import json
import re
from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.reconcile import Reconciliation, reconciliation_text
from safetab_sql.settings.unit import Unit
from tests.cli.command import Result, call, refusal

NATION_TOTALS = "TABLE = 'T1' and REGION_TYPE = 'USA'"
MARGINALS = "TABLE = 'T2' and AGESTART = '*'"


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        *(("REGION_ID in (select 1)", "subquery is not allowed here"), ("true; drop table t1", "no SQL expression")),
        ("read_text('/etc/hostname') <> ''", "function 'read_text' is not allowed here"),
    ],
)
def test_a_predicate_that_is_no_condition_on_published_rows_ends_with_2(release, predicate, said):
    assert said in refusal("moe", release, "--sum", predicate)


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
def test_what_is_not_as_it_should_be_is_answered_with_what_is(release, arguments, words):
    assert words in refusal("moe", release, *arguments)


def test_a_difference_is_that_of_the_rows_and_has_a_p_value_and_a_margin_at_any_level_and_a_percentage_its_interval(
    release,
):
    women, men = (f"{MARGINALS} and SEX = '{sex}'" for sex in "21")
    asked = ("moe", release, "--sum", women, "--minus", men, "--level", "0.5")
    said, found = call(*asked).stdout, json.loads(call(*asked, "--json").stdout)
    counts = f"sum(if(SEX = '2', COUNT, -COUNT)) from '{release}/t2/*.parquet' where AGESTART = '*' and SEX <> '*'"
    (wanted,) = duckdb.sql(f"select {counts}").fetchall()[0]
    assert re.search(rf"^estimate +{int(wanted):,} ", said, re.MULTILINE)
    assert (found["method"], f"±{found['moe95']:,} " in said) == ("convolution", True)
    assert [part["predicate"] for part in found["selections"]] == [women, men]
    margins = {int(number.replace(",", "")): at for at, number in re.findall(r"^(.*?) +±([\d,]+) ", said, re.MULTILINE)}
    assert margins[min(margins)] == "margin at 0.5"
    assert len(margins) == 2
    assert re.search(r"^p-value +(\d\.\d{4}|below 0\.0001) ", said, re.MULTILINE)
    women, all_ages = f"{MARGINALS} and SEX = '2'", MARGINALS
    said = call("moe", release, "--sum", women, "--of", all_ages, "--level", "0.9").stdout
    estimate, low, high = (
        float(number)
        for pattern in (r"^percentage +([\d.]+) %  of [\d,]+ persons", r"^interval at 0.9 +([\d.]+) % to ([\d.]+) %")
        for number in re.search(pattern, said, re.MULTILINE).groups()
    )
    assert 0 < low < estimate < high < 100


@pytest.fixture(scope="module")
def answer_of_reconcile(nation: Path, release: Path) -> Result:
    """What the command says with everything that it can be given."""
    public = ("--geography", nation / "geography.parquet", "--code-lists", nation / "code-lists")
    return call("reconcile", release, "--out", release.parent / "whole", *public, "--integers", "--quiet")


def test_each_region_type_is_shown_with_what_it_adds_up_to_and_totals_above_it_are_counted(answer_of_reconcile):
    found = re.findall(r"^T1 +(\w+) +(\w+) ", answer_of_reconcile.stdout, re.MULTILINE)
    nested = {"USA": "nothing", "STATE": "USA", "COUNTY": "STATE", "TRACT": "COUNTY", "PLACE": "nothing"}
    assert nested.items() <= set(found)
    above = r"^STATE +alone, level 2 +combination, level 2 +[\d,]+ +[\d,]+ +[\d,]+$"
    assert re.search(above, answer_of_reconcile.stdout, re.MULTILINE)


def test_a_scratch_folder_within_the_new_folder_is_refused(release):
    out = release.parent / "scratched"
    out.mkdir()
    assert "lies in --out" in refusal("reconcile", release, "--out", out, "--overwrite", "--scratch", out)


@pytest.mark.parametrize("left_out", [True, False])
def test_stage_1_totals_that_cannot_be_used_are_named_with_the_reason(left_out):
    said = reconciliation_text(Reconciliation(Path(), {}, {}, (), None, 0, False, left_out), Unit())
    assert ("the stage-1 totals of the release were left out: of two-sided geometric noise" in said) == left_out


READERS = {
    "semantics": ("semantics", "--manifest"),
    "moe": ("moe", "--sum", "true"),
    "report": ("report", "--out", "report.html"),
    "reconcile": ("reconcile", "--out", "reconciled"),
}
TAKEN_BY = {
    "bottom-up run": "`semantics --epsilon`",
    "synthesize run": "`synthesize score`",
    "bottom-up curve": "`report --curve`",
    "evaluate": "`report --evaluation`",
    "ground-truth": "`evaluate --ground-truth`",
}


@pytest.mark.parametrize("maker", TAKEN_BY)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.each_time("moe-evaluate", "report", "reconcile-bottom-up curve", "semantics-synthesize")
def test_a_folder_of_another_command_is_refused_by_its_name_and_its_maker(maker, reader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("made").mkdir()
    Path("made/manifest.json").write_text(json.dumps({"command": maker}), encoding="utf-8")
    refused = call(*READERS[reader], "made")
    assert (refused.code, list(tmp_path.iterdir())) == (2, [tmp_path / "made"])
    said = f"made/manifest.json: not the manifest of a release: `safetab-sql {maker}` made"
    assert (said in refused.stderr, TAKEN_BY[maker] in refused.stderr) == (True, True), refused.stderr


@pytest.mark.parametrize("reader", READERS)
def test_a_folder_that_is_not_there_is_named_in_plain_words(reader, tmp_path):
    refused = call(*READERS[reader], tmp_path / "releas")
    assert (refused.code, "Errno" in refused.stderr) == (2, False)
    assert "releas" in refused.stderr
    assert "cannot be read: No such file or directory" in refused.stderr
