"""The report on a folder that `reconcile` made: what can be shown of it, and what it says it leaves out."""

import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.report.groups import counts_of
from safetab_sql.report.release import Reported, read_release
from safetab_sql.report.report import Report, release_report
from tests.report.conftest import HOSTILE_CODE

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


@pytest.mark.slow
def test_the_report_says_what_reconciling_did(made):
    assert '<section id="reconciliation"' in made.html
    assert "These are not the counts as they were released." in made.html
