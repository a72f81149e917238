"""`reconcile` on the command line."""

import re
from pathlib import Path

import pytest

from safetab_sql.jobs.reconcile import Reconciliation, reconciliation_text
from safetab_sql.settings.unit import Unit
from tests.cli.command import Result, call, refusal


@pytest.fixture(scope="module")
def answer(nation: Path, release: Path) -> Result:
    """What the command says with everything that it can be given."""
    public = ("--geography", nation / "geography.parquet", "--code-lists", nation / "code-lists")
    return call("reconcile", release, "--out", release.parent / "whole", *public, "--integers", "--quiet")


def test_each_region_type_is_shown_with_what_it_adds_up_to(answer):
    found = re.findall(r"^T1 +(\w+) +(\w+) ", answer.stdout, re.MULTILINE)
    assert {
        ("USA", "nothing"),
        ("STATE", "USA"),
        ("COUNTY", "STATE"),
        ("TRACT", "COUNTY"),
        ("PLACE", "nothing"),
    } <= set(found)


def test_totals_above_those_that_hold_their_people_are_counted(answer):
    assert re.search(
        r"^STATE +alone, level 2 +combination, level 2 +[\d,]+ +[\d,]+ +[\d,]+$", answer.stdout, re.MULTILINE
    )


def test_a_scratch_folder_within_the_new_folder_is_refused(release):
    out = release.parent / "scratched"
    out.mkdir()
    assert "lies in --out" in refusal("reconcile", release, "--out", out, "--overwrite", "--scratch", out)


@pytest.mark.parametrize("left_out", [True, False])
def test_stage_1_totals_that_cannot_be_used_are_named_with_the_reason(left_out):
    said = reconciliation_text(Reconciliation(Path(), {}, {}, (), None, 0, False, left_out), Unit())
    assert ("the stage-1 totals of the release were left out: of two-sided geometric noise" in said) == left_out
