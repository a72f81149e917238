"""`statistics`: a table of wanted statistics in, the same table with answers out; compared with T1 and T2 by hand."""

import csv
import json
import shutil
from fractions import Fraction
from math import ceil, hypot
from pathlib import Path

import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.statistics import statistics, sum_of_release
from safetab_sql.kit.errors import InputError
from safetab_sql.statistics.wanted import ANSWERS, NAMES, PREFIXES, _Given, _with_codes
from tests.published.conftest import cells_of_groups, group, rows

GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
HEAD = ("KIND", *GROUP, "SEX", "AGESTART", "AGEEND", "OTHER_ITERATION_CODE", "SHARE")


def asked(path: Path, *lines: tuple[str, ...], head: tuple[str, ...] = HEAD) -> Path:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([head, *((*line, *[""] * (len(head) - len(line))) for line in lines)])
    return path


@pytest.fixture(scope="module")
def table_of(release):
    """A group of the nation with a table of 46 cells that is no total alone, and its cells."""
    cells = cells_of_groups(release())
    return next((name, found) for name, found in sorted(cells.items()) if name[0] == "USA" and len(found) == 46)


SECOND = tuple(f"SECOND_{name}" for name in (*GROUP, "SEX"))


@pytest.fixture(scope="module")
def told(release, table_of, tmp_path_factory):
    """The answers to the lines of each test, all asked for at once."""
    name, _ = table_of
    alone = next(group(row) for row in rows(release(), "t1") if row["ITERATION_CODE"] in ("2130", "2230"))
    other = next(name for name in sorted(cells_of_groups(release())) if name[0] == "STATE")
    women, nobody = ("ratio_difference", *name, "2"), [""] * 4
    lines = {
        "t1": [("count", *group(row)) for row in totals(release())],
        "ages": [("count", *name, "2", "18", "64")],
        "parts": [("ratio", *name, "2"), ("ratio", *name, "1"), ("ratio", *other, "2")],
        "whole": [("difference", *name, "2"), ("count", *name, "1")],
        "median": [("quantile", *name), ("quantile", *name, "2"), ("quantile", *name, *nobody, "0.1")],
        "unknown": [("count", "USA", "1", "0000"), ("count", *name, "1", "3", "17"), ("quantile", *alone)],
        "pairs": [(*women, *nobody, *own, "2") for own in (other, ("", "", ""), ("", "", "0000"))],
    }
    folder = tmp_path_factory.mktemp("told")
    wanted = asked(folder / "wanted.csv", *(line for own in lines.values() for line in own), head=(*HEAD, *SECOND))
    answers = iter(statistics(release(), wanted, folder / "out.parquet").to_pylist())
    return {name: [next(answers) for _ in own] for name, own in lines.items()}


def totals(out):
    return [row for row in rows(out, "t1") if row["REGION_TYPE"] in ("USA", "COUNTY")]


def test_names_stand_in_place_of_codes_that_are_not_given():
    kents = [{"REGION_TYPE": "COUNTY", "REGION_ID": "1"}, {"REGION_TYPE": "STATE", "REGION_ID": "2"}]
    names = {"REGION_NAME": {"kent": ("Kent", kents)}, "ITERATION_NAME": {"two": ("Two", [{"ITERATION_CODE": "22"}])}}

    def codes(**given: str) -> list[str | None]:
        columns = {name: [given.get(each + name) for each in PREFIXES] for name in (*GROUP, *NAMES.values())}
        made = _with_codes(_Given("wanted.csv", [], {"KIND": ["count"], **columns}, [0] * 4), [names]).columns
        return [made["REGION_ID"][0], made["ITERATION_CODE"][0], made["REGION_ID"][1]]

    found = codes(REGION_TYPE="STATE", REGION_NAME="KENT", ITERATION_NAME=" two", OTHER_REGION_TYPE="COUNTY")
    assert found == ["2", "22", None]
    assert codes(REGION_TYPE="STATE", REGION_ID="9", REGION_NAME="X", OTHER_REGION_NAME="Kent") == ["9", None, "2"]
    for wrong, fix in {("STATE", "Ken"): "did you mean 'Kent'", ("USA", "Kent"): "write one of .*'1'.*'2'"}.items():
        with pytest.raises(InputError, match=rf"REGION_NAME: 1 value cannot be used; row 1: .*\n.*{fix}"):
            codes(REGION_TYPE=wrong[0], REGION_NAME=wrong[1])


def test_a_count_of_a_group_is_the_row_of_t1(told, release):
    assert [(row["ESTIMATE"], row["LOW"], row["HIGH"]) for row in told["t1"]] == [
        (row["COUNT"], row["LOW95"], row["HIGH95"]) for row in totals(release())
    ]


def test_ages_and_sexes_choose_cells(told, table_of):
    (found,) = told["ages"]
    ages = [cell for cell in table_of[1] if cell["SEX"] == "2" and 18 <= int(cell["AGESTART"]) <= 62]
    assert found["ESTIMATE"] == sum(cell["COUNT"] for cell in ages)


def test_a_part_and_the_rest_have_shares_that_add_up(told, table_of):
    women, men, _ = told["parts"]
    assert women["ESTIMATE"] + men["ESTIMATE"] == pytest.approx(1)
    assert women["LOW"] + men["HIGH"] == pytest.approx(1)
    counts = {sex: sum(row["COUNT"] for row in table_of[1] if row["SEX"] == sex) for sex in "12"}
    assert women["ESTIMATE"] == counts["2"] / (counts["1"] + counts["2"])


def test_a_difference_to_the_whole_is_the_other_part(told):
    """What both have in common cancels: the margin is that of 23 cells."""
    found, men = told["whole"]
    assert (found["ESTIMATE"], found["LOW"], found["HIGH"]) == (-men["ESTIMATE"], -men["HIGH"], -men["LOW"])
    assert 0 <= found["P_VALUE"] <= 1


def test_a_difference_of_percentages_is_made_of_both(told, release, tmp_path, table_of):
    """Of two tables; of a group with itself, whose noise it may share; and with a group without a row."""
    found, same, none = told["pairs"]
    one, _, two = told["parts"]
    estimate = one["ESTIMATE"] - two["ESTIMATE"]
    low = estimate - hypot(one["ESTIMATE"] - one["LOW"], two["HIGH"] - two["ESTIMATE"])
    high = estimate + hypot(one["HIGH"] - one["ESTIMATE"], two["ESTIMATE"] - two["LOW"])
    assert [found["ESTIMATE"], found["LOW"], found["HIGH"]] == pytest.approx([estimate, low, high])
    assert found["NOTE"] is None
    ratio = asked(tmp_path / "ratio.csv", ("ratio", *table_of[0], "2"))
    (half,) = statistics(release(), ratio, tmp_path / "half.parquet", level=Fraction(975, 1000)).to_pylist()
    assert (same["LOW"], same["HIGH"]) == pytest.approx((half["LOW"] - half["HIGH"], half["HIGH"] - half["LOW"]))
    assert "may share" in same["NOTE"]
    assert (found["P_VALUE"] <= 0.05) == (not found["LOW"] <= 0 <= found["HIGH"])
    assert (same["ESTIMATE"], same["P_VALUE"], none["LOW"], none["NOTE"][:11]) == (0, 1, None, "no such row")


def test_a_median_lies_in_its_interval(told):
    both, women, tenth = told["median"]
    for found in (both, women, tenth):
        assert found["LOW"] <= found["ESTIMATE"] <= found["HIGH"]
    assert tenth["ESTIMATE"] < both["ESTIMATE"]


def test_quantiles_of_tables_with_as_many_ranges_have_the_ages_of_their_own(release, tmp_path):
    """Two ranges of four sex-by-age groups, and two of nine: both from 0, with the same noise."""
    cells = sorted(cells_of_groups(release()).items())
    coarse, fine = next(
        (one, other)
        for one, some in cells
        for other, others in cells
        if (len(some), len(others)) == (8, 18) and some[0]["VARIANCE"] == others[0]["VARIANCE"]
    )
    lines = [("quantile", *coarse, "", "0", "44"), ("quantile", *fine, "", "0", "17")]
    (both, alone) = (
        statistics(release(), asked(tmp_path / "wanted.csv", *some), tmp_path / "out.parquet", overwrite=True)
        for some in (lines, lines[1:])
    )
    assert both.to_pylist()[1] == alone.to_pylist()[0]
    assert both.to_pylist()[1]["HIGH"] <= 18


def test_what_cannot_be_answered_says_why(told):
    unknown, partly, no_ages = told["unknown"]
    assert [row["LOW"] for row in (unknown, partly, no_ages)] == [None] * 3
    assert unknown["NOTE"].startswith("no such row")
    assert partly["NOTE"] == "the table of the group has no such cells, or has them in larger ones alone"
    assert no_ages["NOTE"] == "the group has a total alone, and no cells"


def test_columns_of_ones_own_stay_and_csv_comes_out(release, tmp_path):
    wanted = asked(tmp_path / "wanted.csv", ("count", "USA", "1", "1", "mine"), head=(*HEAD[:4], "NAME"))
    statistics(release(), wanted, tmp_path / "out.csv")
    (row,) = csv.DictReader((tmp_path / "out.csv").open())
    assert row["NAME"] == "mine"
    assert list(row)[-5:] == ["ESTIMATE", "LOW", "HIGH", "P_VALUE", "NOTE"]


@pytest.mark.parametrize(
    ("lines", "head", "problem"),
    [
        ([("count", "USA", "1")], HEAD[:3], "missing columns ITERATION_CODE"),
        ([("count", "COUNTRY", "1", "1")], HEAD, "no region type 'COUNTRY'"),
        ([("mean", "USA", "1", "1")], HEAD, "KIND: 1 value cannot be used; row 1: 'mean'"),
        ([("count", "USA", "1", "")], HEAD, "ITERATION_CODE: 1 value cannot be used"),
        ([("count", "USA", "1", "1", "F")], HEAD, "SEX: 1 value cannot be used; row 1: 'F'"),
        ([("count", "USA", "1", "1", "", "old")], HEAD, "AGESTART: 1 value cannot be used; row 1: 'old' to nothing"),
        (
            [("count", "USA", "1", "1", "", "18", "120")],
            HEAD,
            "(?s)row 1: '18' to '120'.*write whole numbers from 0 to 115",
        ),
        ([("quantile", "USA", "1", "1", "", "", "", "", "2")], HEAD, "SHARE: 1 value cannot be used; row 1: '2'"),
        ([("count", "USA", "1", "1", "x")], (*HEAD[:4], "LOW"), "has columns LOW, which the answers will have"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(release, tmp_path, lines, head, problem):
    wanted = asked(tmp_path / "wanted.csv", *lines, head=head)
    with pytest.raises(InputError, match=problem):
        statistics(release(), wanted, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("level", "out", "problem"), [(1, "a.csv", "--level: 1 is not"), (0.5, "a.txt", "neither .csv")]
)
def test_options_that_cannot_be_used_are_refused(release, tmp_path, level, out, problem):
    wanted = asked(tmp_path / "wanted.csv", ("count", "USA", "1", "1"))
    with pytest.raises(InputError, match=problem):
        statistics(release(), wanted, tmp_path / out, level=Fraction(level))


def test_a_release_whose_counts_were_cut_at_0_is_refused(release, tmp_path):
    out = Path(shutil.copytree(release(), tmp_path / "cut"))
    said = json.loads((out / "manifest.json").read_text())
    said["parameters"]["allow_negative_counts"] = False
    (out / "manifest.json").write_text(json.dumps(said))
    with pytest.raises(InputError, match="counts below 0 became 0"):
        statistics(out, asked(tmp_path / "wanted.csv", ("count", "USA", "1", "1")), tmp_path / "a.csv")


def test_a_total_that_stage_1_measured_has_the_interval_of_both_stages(now, tmp_path):
    measured = {group(row): row for row in rows(now, "measurements")}
    chosen = [name for name in measured if name[0] in ("USA", "COUNTY")]
    wanted = asked(tmp_path / "wanted.csv", *(("count", *name) for name in chosen))
    found = statistics(now, wanted, tmp_path / "out.parquet").to_pylist()
    ends = [(measured[name]["LOW95"], measured[name]["HIGH95"]) for name in chosen]
    assert [(row["LOW"], row["HIGH"]) for row in found] == ends
    assert [row["ESTIMATE"] for row in found] == pytest.approx([measured[name]["ESTIMATE"] for name in chosen])
    assert {row["NOTE"] for row in found} == {"both stages of noise were used"}
    named, row = "REGION_TYPE = '{}' and REGION_ID = '{}' and ITERATION_CODE = '{}' and TABLE = 'T1'", found[-1]
    total = named.format(*chosen[-1])
    made = sum_of_release(now, plus=total)
    assert (made.method, made.estimate, made.low, made.high) == ("both stages", *(row[name] for name in ANSWERS[:3]))
    assert made.moe95 == ceil(max(made.high - made.estimate, made.estimate - made.low))
    twice = sum_of_release(now, plus=[total, total])
    assert (twice.method == "both stages", "a better estimate" in str(twice)) == (False, True)


def test_reconciled_counts_have_their_own_intervals_and_pairs_of_them_wider_ones(release, tmp_path, table_of):
    reconcile(release(), tmp_path / "reconciled")
    name, _ = table_of
    lines = (("count", *name), ("count", *name, "1"), ("difference", *name, "", "", "", "1210"), ("quantile", *name))
    shares = ("ratio_difference", *name, "2", "", "", "", "", "1")
    wanted = asked(tmp_path / "wanted.csv", *lines, shares, head=(*HEAD, "SECOND_SEX"))
    found = statistics(tmp_path / "reconciled", wanted, tmp_path / "out.parquet").to_pylist()
    total = next(row for row in rows(tmp_path / "reconciled", "t1") if group(row) == name)
    assert [found[0][name] for name in ("ESTIMATE", "LOW", "HIGH")] == [total["COUNT"], total["LOW95"], total["HIGH95"]]
    assert found[1]["LOW"] < found[1]["ESTIMATE"] < found[1]["HIGH"]
    assert found[2]["NOTE"].startswith(("reconciled counts share noise", "no such row"))
    (released,) = statistics(release(), wanted, tmp_path / "released.parquet").slice(3, 1).to_pylist()
    assert found[3]["LOW"] <= released["LOW"] < released["HIGH"] <= found[3]["HIGH"]
    assert found[3]["NOTE"].startswith("reconciled counts share noise")
    assert found[4]["LOW"] < found[4]["ESTIMATE"] < found[4]["HIGH"]
