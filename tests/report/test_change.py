"""The section on change: published counts beside one another, with the intervals that `moe` gives."""

import shutil
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from safetab_sql import sum_of_release
from safetab_sql.report.change_section import Changes, Interval, _short, change_section, changes_of
from safetab_sql.report.release import Reported, Total, folder_names
from safetab_sql.statistics.names import opened_releases
from safetab_sql.statistics.wanted_statistics import statistics_of
from tests.cli.command import refusal
from tests.report.conftest import OTHER_CODE, rewrite

NATION = ("T2", "USA", "1", OTHER_CODE)


@pytest.fixture(scope="module")
def changes(reported: Reported, release: Path, earlier: Path) -> Changes:
    return changes_of(reported, opened_releases([earlier, release]), [earlier, release])


def published(release: Path) -> dict[Total, int]:
    """Every published total."""
    rows = duckdb.sql(f"select REGION_TYPE, REGION_ID, ITERATION_CODE, COUNT from '{release}/t1/*.parquet'").fetchall()
    return {("T2", *group): count for *group, count in rows}


# --- the numbers ---


def test_every_total_of_either_release_is_compared_with_the_other(changes, release, earlier):
    then, now = published(earlier), published(release)
    expected = {
        total: now[total] - then[total] if total in now and total in then else None for total in {**now, **then}
    }
    assert None in expected.values()
    assert {total: difference.estimate for total, difference in changes.differences.items()} == expected


def test_a_difference_has_the_interval_that_moe_gives(changes, release, earlier):
    _, region_type, region, code = NATION
    group = f"TABLE = 'T1' and REGION_TYPE = '{region_type}' and REGION_ID = '{region}' and ITERATION_CODE = '{code}'"
    said = sum_of_release([earlier, release], plus=f"RELEASE = '2' and {group}", minus=f"RELEASE = '1' and {group}")
    assert changes.differences[NATION] == (said.estimate, said.low, said.high)


def test_noise_alone_marks_no_drawn_total_and_hardly_more_than_one_in_twenty_of_all(reported, changes):
    """Nobody changed between the two releases. False alarms: 5 % of honest bits for the first claim; bits are fixed."""
    assert {growth.direction for growth in changes.joint.values()} == {"none"}
    marked = sum(difference.direction != "none" for difference in changes.differences.values())
    assert 0 < marked < 0.05 * len(changes.differences)


def test_joint_intervals_allow_for_every_total_that_noise_might_have_made_one_of_the_largest(changes, release, earlier):
    level = 1 - Fraction(1, 20) / len(changes.differences)
    names = ("TABLE", "REGION_TYPE", "REGION_ID", "ITERATION_CODE")
    rows = [
        {"KIND": "growth", "RELEASE": "2", "OTHER_RELEASE": "1", **dict(zip(names, total, strict=True))}
        for total in changes.joint
    ]
    found = statistics_of([earlier, release], pa.Table.from_pylist(rows), level=level)
    ends = zip(found["LOW"].to_pylist(), found["HIGH"].to_pylist(), strict=True)
    assert [joint[1:] for joint in changes.joint.values()] == list(ends)
    assert len(changes.joint) < len(changes.differences)


def test_a_group_that_grew_and_one_that_shrank_are_marked_so():
    for ends in (((2, 1, 3), (-2, -3, -1), (1, -1, 3)), ((None, 1, None), (None, None, -1), ())):
        assert [Interval(*each).direction for each in ends] == ["up", "down", "none"]


# --- how it is shown ---


def test_the_section_counts_every_total_once_by_what_became_of_it(reported, changes):
    made = change_section(reported, changes)
    (table,) = made.tables
    assert f"of these {len(changes.differences):,}" in table.caption
    assert sum(sum(row[1:5]) for row in table.rows) == len(changes.differences)
    (drawn,) = made.figures
    assert drawn.name == "change"
    assert len(drawn.table.rows) == len(drawn.figure["data"]["values"]) == 12


def test_three_releases_have_a_series_with_an_interval_in_each(report):
    rows = report.figures["series"]["data"]["values"]
    assert {row["release"] for row in rows} == {"1", "2", "3"}
    assert all(row["low"] <= row["high"] for row in rows)


def test_releases_are_called_by_the_words_in_which_their_names_differ():
    assert list(_short(("Stays of 2022", "Stays of 2023"))) == ["2022", "2023"]
    for names in (("2026-01-01", "2026-01-01 (b)"), ("Census", "A very long title")):
        assert list(_short(names)) == ["1", "2"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a/release"], ["release"]),
        (["a/release", "a/earlier"], ["release", "earlier"]),
        (["demo/release", "demo2/release", "other"], ["demo/release", "demo2/release", "/other"]),
        (["x/1/release", "y/1/release", "x/1/release"], ["x/1/release", "y/1/release", "x/1/release"]),
    ],
)
def test_folders_are_called_by_the_last_parts_of_their_paths_that_tell_them_apart(paths, names):
    assert folder_names([Path("/", path) for path in paths]) == names


# --- the command ---


def test_releases_of_another_kind_are_refused_before_anything_is_read(release, earlier, tmp_path):
    stays, others = (shutil.copytree(earlier, tmp_path / name) for name in ("stays", "others"))
    rewrite(stays, lambda manifest: manifest["parameters"]["unit"].update(one="stay", many="stays"))
    rewrite(others, lambda manifest: manifest["parameters"].update(allow_negative_counts=False))
    for folder, words in ((stays, "counts stays, and"), (others, f"{others}/manifest.json: counts below 0 became 0")):
        said = refusal("report", release, "--earlier", folder, "--out", tmp_path / "report.html", "--quiet")
        assert words in said
