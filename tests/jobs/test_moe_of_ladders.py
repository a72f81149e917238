"""Sums and `statistics` over tables of one's own: subtotals share the noise of their cells, and both say the same."""

from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from pyarrow import parquet

from safetab_sql.jobs.statistics import statistics, sum_of_release
from safetab_sql.kit.errors import InputError
from safetab_sql.release.folder import open_folder
from safetab_sql.statistics.sums import PublishedSum, _kinds_of_rows
from tests.golden.test_ladders import EXAMPLES
from tests.jobs.test_statistics import asked
from tests.oracle import Row

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")


def total(release: Path, *plus: str, minus: tuple[str, ...] = ()) -> PublishedSum:
    return sum_of_release(release, plus=plus, minus=minus)


GROUP = "REGION_TYPE = 'ALL' and ITERATION_CODE = '04' and TABLE = 'OUTCOMES'"
CELLS = f"{GROUP} and OUTCOME <> '*' and AGE_FROM <> '*' and SEX <> '*'"
SUMS = {
    "the total": (f"{GROUP} and OUTCOME = '*' and SEX = '*'", CELLS, 54),
    "a subtotal of one attribute": (f"{GROUP} and SEX = 'F' and OUTCOME = '*'", f"{CELLS} and SEX = 'F'", 18),
    "a subtotal of another": (f"{GROUP} and OUTCOME = 'died' and SEX = '*'", f"{CELLS} and OUTCOME = 'died'", 18),
}


@pytest.mark.parametrize(("whole", "parts", "cells"), SUMS.values(), ids=SUMS)
@pytest.mark.each_time("a subtotal of one attribute")
def test_a_sum_less_its_cells_is_zero_without_noise(hospitals, whole, parts, cells):
    found = total(hospitals, whole, minus=(parts,))
    assert (found.estimate, found.variance, found.method) == (0, 0.0, "no noise")
    assert (found.atoms, found.cancelled_atoms) == (0, cells)


@pytest.mark.slow
def test_the_margin_of_each_published_row_is_found_again(hospitals):
    """One row of each table, number of columns that are codes, and region type."""
    asked = 0
    for name, columns in (("outcomes", ("OUTCOME", "AGE_FROM", "SEX")), ("sex", ("SEX",))):
        codes = " + ".join(f"cast({column} <> '*' as integer)" for column in columns)
        kinds = f"distinct on (STATISTIC, REGION_TYPE, {codes}) *"
        for row in duckdb.sql(f"select {kinds} from '{hospitals}/{name}/{name}.parquet'").to_arrow_table().to_pylist():
            keys = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE", *columns)
            condition = " and ".join([f"TABLE = '{name.upper()}'", *(f"{key} = '{row[key]}'" for key in keys)])
            found = total(hospitals, condition)
            assert (found.estimate, found.moe95) == (row["COUNT"], row["MOE95"]), condition
            assert found.variance == pytest.approx(row["VARIANCE"], rel=1e-12)
            asked += 1
    assert asked >= 8


# The same ratios for `statistics`: a part of a whole, two sums that cross, and two ladders.
FIFTH, UNKNOWN = (f"REGION_TYPE = 'ALL' and AGE_FROM = '*' and ITERATION_CODE = '{code}'" for code in ("05", "NA"))
WOMEN, MOVED = f"{FIFTH} and SEX = 'F' and OUTCOME = '*'", f"{FIFTH} and SEX = '*' and OUTCOME = 'transfer'"
SEXES = "REGION_TYPE = 'ALL' and ITERATION_CODE = 'NA' and TABLE = 'SEX'"
RATIOS = {
    "a part": (MOVED, f"{FIFTH} and SEX = '*' and OUTCOME = '*'", ("05", "", "transfer", "", "", "")),
    "crossing": (WOMEN, MOVED, ("05", "F", "", "", "", "transfer")),
    "two ladders": (
        *(f"{UNKNOWN} and SEX = 'M' and OUTCOME = '*'", f"{SEXES} and SEX <> '*'", ("NA", "M", "", "SEX", "", "")),
    ),
}
LEVEL = Fraction(1, 5)  # the noise is wide beside so few stays
HEAD = ("KIND", "TABLE", "REGION_TYPE", "REGION_ID", "ITERATION_CODE", "SEX", "OUTCOME")


@pytest.mark.parametrize(("part", "whole", "wanted"), RATIOS.values(), ids=RATIOS)
@pytest.mark.each_time("crossing")
def test_a_ratio_has_the_interval_that_statistics_gives_it(hospitals, tmp_path, part, whole, wanted):
    lines = ("ratio", "OUTCOMES", "ALL", "all", *wanted)
    asked(tmp_path / "wanted.csv", lines, head=(*HEAD, "OTHER_TABLE", "OTHER_SEX", "OTHER_OUTCOME"))
    (row,) = statistics(hospitals, tmp_path / "wanted.csv", tmp_path / "out.parquet", level=LEVEL).to_pylist()
    found = sum_of_release(hospitals, plus=part, of=whole, level=LEVEL).ratio
    assert found is not None
    assert (found.estimate, found.low, found.high) == (row["ESTIMATE"], row["LOW"], row["HIGH"])
    assert found.high > max(found.low, found.estimate)


def test_what_is_added_up_twice_is_told_with_what_to_choose(hospitals):
    """That it is told: test_moe.py."""
    kinds = "TABLE = 'SEX' and SEX = '*', the totals; or TABLE = 'SEX' and SEX <> '*', the cells"
    assert _kinds_of_rows(open_folder(hospitals).facts) == kinds


STATISTICS_GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
STATISTICS_HEAD = ("KIND", "TABLE", *STATISTICS_GROUP, "SEX", "AGE_FROM", "AGE_TO", "OUTCOME")
STATISTICS_HEAD += ("OTHER_TABLE", "OTHER_SEX", "OTHER_OUTCOME")
ALL = ("ALL", "all", "04")


def rows(release: Path, name: str) -> list[Row]:
    return parquet.read_table(release / name).to_pylist()


def answers(release: Path, tmp_path: Path, *lines: tuple[str, ...], head=STATISTICS_HEAD) -> list[Row]:
    wanted = asked(tmp_path / "wanted.csv", *lines, head=head)
    return statistics(release, wanted, tmp_path / "out.parquet", overwrite=True).to_pylist()


@pytest.fixture(scope="module")
def published(hospitals: Path) -> list[tuple[str, Row]]:
    return [(name, row) for name in ("OUTCOMES", "SEX") for row in rows(hospitals, name.lower())]


@pytest.fixture(scope="module")
def told(hospitals: Path, published: list[tuple[str, Row]], tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """What `statistics` says of three quantiles, a difference of ladders, and every published row."""
    coarse = next(row for _, row in published if row["STATISTIC"] == "outcome")
    groups = (ALL, (coarse[name] for name in STATISTICS_GROUP), (*ALL, "", "1", "39"))
    lines = [("quantile", "OUTCOMES", *group) for group in groups]
    lines += [("difference", "OUTCOMES", *ALL, "F", "", "", "", "SEX", "F")]
    lines += [("count", name, *(row.get(column, "") for column in STATISTICS_HEAD[2:9])) for name, row in published]
    return answers(hospitals, tmp_path_factory.mktemp("told"), *lines)


def test_every_published_row_is_a_count_with_its_interval(published, told):
    assert len({row["STATISTIC"] for _, row in published}) == 4
    assert [(row["ESTIMATE"], row["LOW"], row["HIGH"]) for row in told[4:]] == [
        (row["COUNT"], row["LOW95"], row["HIGH95"]) for _, row in published
    ]


def test_ladders_share_no_noise(hospitals, told):
    found, group = told[3], "REGION_TYPE = 'ALL' and ITERATION_CODE = '04'"
    women = f"{group} and TABLE = 'OUTCOMES' and AGE_FROM = '*' and SEX = 'F' and OUTCOME = '*'"
    summed = sum_of_release(hospitals, plus=women, minus=f"{group} and TABLE = 'SEX' and SEX = 'F'")
    assert (found["ESTIMATE"], found["HIGH"] - found["ESTIMATE"]) == (summed.estimate, summed.moe95)
    assert found["P_VALUE"] == pytest.approx(summed.p_value)


def test_quantiles_are_of_the_attribute_of_whole_numbers(told):
    ages, undivided, young = told[:3]
    assert 0 <= ages["LOW"] <= ages["ESTIMATE"] <= ages["HIGH"] <= 111
    assert (undivided["LOW"], undivided["NOTE"][:39]) == (None, "the table of the group does not divide ")
    assert 1 <= young["LOW"] <= young["HIGH"] <= 40


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (("count", "DEATHS", *ALL), "TABLE: 1 value cannot be used; row 1: 'DEATHS'.*the release has OUTCOMES, SEX"),
        (("count", "", *ALL), "TABLE: 1 value cannot be used; row 1: nothing"),
        (("count", "SEX", *ALL, "", "18"), "AGE_FROM: .* TABLE SEX has no column AGE_FROM"),
        (("count", "SEX", *ALL, "male"), "SEX: .* write one of F, M, X, or"),
        (("count", "OUTCOMES", *ALL, "", "65", "18"), "AGE_FROM: .* row 1: '65' to '18'.*write whole numbers from 0"),
        (("quantile", "SEX", *ALL), "ATTRIBUTE: 1 value cannot be used; row 1: nothing.*: AGE"),
        (("count", "SEX", "HOSPITAL", "H1", "04"), "SEX has no region type 'HOSPITAL'"),
    ],
)
def test_what_the_ladder_has_not_is_refused(hospitals, tmp_path, line, problem):
    with pytest.raises(InputError, match=f"(?s){problem}"):
        answers(hospitals, tmp_path, line)
