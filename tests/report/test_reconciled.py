"""The report on a folder that `reconcile` made: what can be shown of it, and what it says it leaves out."""

import shutil

import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.kit.errors import InputError
from safetab_sql.report.groups import counts_of, packed_tables
from safetab_sql.report.release import Reported, read_release
from safetab_sql.report.report import Report, release_report
from tests.cli.command import call
from tests.report.conftest import HOSTILE_CODE, rewrite
from tests.report.evaluations import write_evaluation

pytestmark = pytest.mark.slow  # each section has a test of its own, and reconciling has its own


@pytest.fixture(scope="module")
def folder(nation, release, tmp_path_factory):
    out = tmp_path_factory.mktemp("reconciled") / "reconciled"
    reconcile(release, out, geography=nation / "geography.parquet")
    return out


@pytest.fixture(scope="module")
def read(folder, nation) -> Reported:
    return read_release(folder, nation / "code-lists")


@pytest.fixture(scope="module")
def made(folder, nation) -> Report:
    return release_report(folder, nation / "code-lists")


@pytest.mark.slow
def test_every_group_is_counted_once_under_its_level(read, folder):
    levels = pq.read_table(folder / "group_index")["LEVEL"].to_pylist()
    assert {kind["level"] for kind in read.kinds} == set(levels)
    assert sum(kind["population_groups"] for kind in read.kinds) == len(levels)


def test_totals_that_were_moved_are_counted(read, folder):
    rows = pq.read_table(folder / "t1").to_pylist()
    moved = sum(row["COUNT"] != row["NOISY_COUNT"] for row in rows)
    assert sum(kind["changed_groups"] for kind in read.kinds) == moved > 0


def test_pyramids_show_the_reconciled_counts_and_the_margin_of_each(read, folder):
    (group,) = (
        group
        for group in read.tables[0].groups
        if (group["region_type"], group["iteration_code"]) == ("USA", HOSTILE_CODE)
    )
    published = {
        (row["AGESTART"], row["AGEEND"], row["SEX"]): (row["COUNT"], row["MOE95"])
        for row in pq.read_table(folder / "t2").to_pylist()
        if (row["REGION_TYPE"], row["ITERATION_CODE"]) == ("USA", HOSTILE_CODE)
    }
    assert {codes: (row["count"], row["moe95"]) for codes, row in counts_of(group).items()} == published


def test_the_page_gets_counts_to_a_tenth_of_a_person(read):
    packed = packed_tables(read)
    numbers = [number for region in packed["tables"]["counts"] for counts in region for number in counts]
    numbers += [number for span in packed["spans"] for number in span]
    assert all(number == round(number, 1) for number in numbers)
    assert any(number != int(number) for number in numbers)


@pytest.mark.slow
def test_the_report_says_what_reconciling_did(made):
    assert '<section id="reconciliation"' in made.html
    assert "These are not the counts as they were released." in made.html


@pytest.mark.parametrize(
    "section", ["tables-of-groups", "published", "margins", "suppression", "privacy", "privacy-semantics"]
)
def test_what_a_report_on_the_release_has_is_there_too(made, section):
    assert f'<section id="{section}"' in made.html


def test_equal_noise_is_not_claimed(made):
    assert "All counts of one level and kind have the same noise" not in made.html


def test_the_loss_is_that_of_the_release(made, report):
    fact = made.html.index("Privacy loss")
    assert made.html[fact : fact + 60] in report.html


@pytest.mark.parametrize(("measured", "code"), [("folder", 0), ("release", 2)])
@pytest.mark.slow
def test_errors_are_shown_only_where_they_are_of_the_reconciled_counts(request, folder, tmp_path, measured, code):
    evaluation = write_evaluation(tmp_path / "evaluation", request.getfixturevalue(measured))
    done = call("report", folder, "--out", tmp_path / "x.html", "--evaluation", evaluation, "--quiet")
    assert (done.code, (tmp_path / "x.html").exists()) == (code, code == 0)
    assert ("measured other releases than" in done.stderr) == (code == 2)


@pytest.mark.parametrize("spoilt", [{"reconciled": []}, {"reconciled": {"divisions": 1}}, {"release": 3}])
def test_a_manifest_that_only_begins_like_one_of_reconcile_is_refused(folder, tmp_path, spoilt):
    copy = shutil.copytree(folder, tmp_path / "copy")
    rewrite(copy, lambda manifest: manifest.update(spoilt))
    with pytest.raises(InputError, match="manifest"):
        read_release(copy)
