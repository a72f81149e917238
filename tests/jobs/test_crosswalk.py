"""Codes that changed between releases: a new code is the sum of its old ones, and nothing that is no sum."""

from pathlib import Path

import numpy as np
import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import open_releases
from safetab_sql.jobs.statistics import statistics
from safetab_sql.kit.errors import InputError
from safetab_sql.statistics.adjusted import Comparing
from tests.jobs.test_change import HEAD, now, then
from tests.jobs.test_statistics import asked
from tests.published.conftest import cells_of_groups, group, rows

__all__ = ["now", "then"]


@pytest.fixture(scope="module")
def counties(then: Path) -> list[tuple[str, str, str]]:
    """Groups of two counties, of one iteration, each a total or a table."""
    names = sorted(group(row) for row in rows(then, "t1") if row["REGION_TYPE"] == "COUNTY")
    code = next(name[2] for name in names if sum(other[2] == name[2] for other in names) > 1)
    return [name for name in names if name[2] == code][:2]


def written(path: Path, *lines: str, head: str = "old,new,kind") -> Path:
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


def test_a_new_region_is_the_sum_of_its_old_ones_with_the_noise_of_each(then, now, counties, tmp_path):
    (kind, one, code), (_, other, _) = counties
    crosswalk = written(tmp_path / "codes.csv", f"{one},00new,region", f"{other},00new,region")
    wanted = asked(tmp_path / "wanted.csv", ("count", "1", "", kind, "00new", code), head=HEAD)
    (found,) = open_releases(then, now).statistics(wanted, crosswalk=crosswalk).to_pylist()
    own = f"RELEASE = '1' and TABLE = 'T1' and REGION_ID in ('{one}', '{other}') and ITERATION_CODE = '{code}'"
    made = open_releases(then, now).sum(own)
    assert (found["ESTIMATE"], found["LOW"], found["HIGH"]) == (made.estimate, made.low, made.high)


def test_a_group_that_was_renamed_is_compared_with_itself(then, now, tmp_path):
    name = next(each for each in sorted(cells_of_groups(then)) if each[0] == "USA" and each in cells_of_groups(now))
    crosswalk = written(tmp_path / "codes.csv", f"{name[2]},{name[2]},group")
    renamed = written(tmp_path / "renamed.csv", f"1,{name[2]},{name[2]},group", head="release,old,new,kind")
    wanted = asked(tmp_path / "wanted.csv", ("growth", "2", "1", *name, "2"), head=HEAD)
    found = [
        statistics((then, now), wanted, tmp_path / "out.parquet", comparing=Comparing(each), overwrite=True).to_pylist()
        for each in (None, crosswalk, renamed)
    ]
    assert found[0] == found[1] == found[2]


def test_reconciled_rows_of_several_codes_add_up(then, counties, tmp_path):
    reconcile(then, tmp_path / "reconciled")
    (kind, one, code), (_, other, _) = counties
    crosswalk = written(tmp_path / "codes.csv", f"{one},00new,region", f"{other},00new,region")
    lines = [("count", "", "", kind, region, code) for region in ("00new", one, other)]
    wanted = asked(tmp_path / "wanted.csv", *lines, head=HEAD)
    made, *parts = statistics(
        tmp_path / "reconciled", wanted, tmp_path / "out.parquet", comparing=Comparing(crosswalk)
    ).to_pylist()
    assert made["ESTIMATE"] == pytest.approx(sum(part["ESTIMATE"] for part in parts))
    reach = sum(part["HIGH"] - part["ESTIMATE"] for part in parts)
    assert 0.5 * reach < made["HIGH"] - made["ESTIMATE"] <= reach + 1


def test_there_is_no_quantile_of_several_codes(then, tmp_path):
    first, second = [name for name in sorted(cells_of_groups(then)) if name[0] == "USA"][:2]
    crosswalk = written(tmp_path / "codes.csv", f"{first[2]},new,group", f"{second[2]},new,group")
    wanted = asked(tmp_path / "wanted.csv", ("quantile", "", "", *first[:2], "new"), head=HEAD)
    (found,) = statistics(then, wanted, tmp_path / "out.parquet", comparing=Comparing(crosswalk)).to_pylist()
    assert found["LOW"] is None
    assert found["NOTE"].startswith("the code is made of several old ones")


def test_a_part_without_a_row_bounds_the_sum(then, counties, tmp_path):
    """The sum of a county with a row and of one whose group was suppressed."""
    named = {group(row) for row in rows(then, "t1")}
    kinds = {(row["REGION_TYPE"], row["ITERATION_CODE"]) for row in rows(then, "suppressed")}
    regions = sorted({name[1] for name in named if name[0] == "COUNTY"})
    one, other, code = next(
        (one, other, code)
        for kind, code in sorted(kinds)
        for one in regions
        for other in regions
        if kind == "COUNTY" and (kind, one, code) in named and (kind, other, code) not in named
    )
    crosswalk = written(tmp_path / "codes.csv", f"{one},new,region", f"{other},new,region")
    lines = [("count", "", "", "COUNTY", region, code) for region in ("new", one, other)]
    wanted = asked(tmp_path / "wanted.csv", *lines, head=HEAD)
    found, part, missing = statistics(
        then, wanted, tmp_path / "out.parquet", comparing=Comparing(crosswalk)
    ).to_pylist()
    assert found["ESTIMATE"] is None
    assert found["LOW"] <= part["LOW"]
    assert found["HIGH"] >= part["HIGH"] + missing["HIGH"]


@pytest.mark.parametrize(
    ("lines", "head", "problem"),
    [
        (["01001,A,region", "01001,B,region"], "old,new,kind", "REGION_ID 01001 in release 1 became A and B: how its"),
        (["01001,A,county"], "old,new,kind", "row 1: kind is 'county'"),
        (["01001,A,region,0.4"], "old,new,kind,share", "row 1: share is '0.4'"),
        (["01001,A,region", "01001,A,region"], "old,new,kind", "row 2: stands twice"),
        (["1930,01001,A,region"], "release,old,new,kind", "row 1: release is '1930'.*1, Then"),
        ([",A,region"], "old,new,kind", "row 1: a code is missing"),
        (["01001,A"], "old,new", "missing columns kind"),
    ],
)
def test_what_is_no_sum_is_refused_with_the_reason(then, now, tmp_path, lines, head, problem):
    crosswalk = written(tmp_path / "codes.csv", *lines, head=head)
    wanted = asked(tmp_path / "wanted.csv", ("count", "2", "", "USA", "1", "1"), head=HEAD)
    with pytest.raises(InputError, match=f"(?s){problem}"):
        statistics((then, now), wanted, tmp_path / "out.csv", comparing=Comparing(crosswalk))


def test_a_code_that_stays_and_gets_more_people_has_to_be_listed(then, now, counties, tmp_path):
    (_, one, _), (_, other, _) = counties
    wanted = asked(tmp_path / "wanted.csv", ("count", "1", "", *counties[0]), head=HEAD)
    with pytest.raises(InputError, match=f"{one} is a code in release 1 already, and is no old code"):
        statistics(
            (then, now),
            wanted,
            tmp_path / "out.csv",
            comparing=Comparing(written(tmp_path / "codes.csv", f"{other},{one},region")),
        )
    whole = written(tmp_path / "whole.csv", f"{other},{one},region", f"{one},{one},region")
    (found,) = statistics((then, now), wanted, tmp_path / "out.parquet", comparing=Comparing(whole)).to_pylist()
    assert np.isfinite(found["LOW"])
