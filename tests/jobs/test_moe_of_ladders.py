"""Sums over tables of one's own: subtotals share the noise of their cells, ladders count the same records."""

from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.moe import sum_of_release
from safetab_sql.jobs.statistics import statistics
from safetab_sql.statistics.sums import PublishedSum
from tests.golden.test_other_shapes import EXAMPLES
from tests.jobs.test_statistics import asked

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")
TWICE = "The same stays are added up to "


@pytest.fixture
def release(hospitals: Path) -> Path:
    return hospitals


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
def test_a_sum_less_its_cells_is_zero_without_noise(release, whole, parts, cells):
    found = total(release, whole, minus=(parts,))
    assert (found.estimate, found.variance, found.method) == (0, 0.0, "no noise")
    assert (found.atoms, found.cancelled_atoms) == (0, cells)


@pytest.mark.slow
def test_the_margin_of_each_published_row_is_found_again(release):
    """One row of each table, number of columns that are codes, and region type."""
    asked = 0
    for name, columns in (("outcomes", ("OUTCOME", "AGE_FROM", "SEX")), ("sex", ("SEX",))):
        codes = " + ".join(f"cast({column} <> '*' as integer)" for column in columns)
        kinds = f"distinct on (STATISTIC, REGION_TYPE, {codes}) *"
        for row in duckdb.sql(f"select {kinds} from '{release}/{name}/{name}.parquet'").to_arrow_table().to_pylist():
            keys = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE", *columns)
            condition = " and ".join([f"TABLE = '{name.upper()}'", *(f"{key} = '{row[key]}'" for key in keys)])
            found = total(release, condition)
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
        f"{UNKNOWN} and SEX = 'M' and OUTCOME = '*'",
        f"{SEXES} and SEX <> '*'",
        ("NA", "M", "", "SEX", "", ""),
    ),
}
LEVEL = Fraction(1, 5)  # the noise is wide beside so few stays
HEAD = ("KIND", "TABLE", "REGION_TYPE", "REGION_ID", "ITERATION_CODE", "SEX", "OUTCOME")


@pytest.mark.parametrize(("part", "whole", "wanted"), RATIOS.values(), ids=RATIOS)
@pytest.mark.each_time("crossing")
def test_a_ratio_has_the_interval_that_statistics_gives_it(release, tmp_path, part, whole, wanted):
    lines = ("ratio", "OUTCOMES", "ALL", "all", *wanted)
    asked(tmp_path / "wanted.csv", lines, head=(*HEAD, "OTHER_TABLE", "OTHER_SEX", "OTHER_OUTCOME"))
    (row,) = statistics(release, tmp_path / "wanted.csv", tmp_path / "out.parquet", level=LEVEL).to_pylist()
    found = sum_of_release(release, plus=part, of=whole, level=LEVEL).ratio
    assert found is not None
    assert (found.estimate, found.low, found.high) == (row["ESTIMATE"], row["LOW"], row["HIGH"])
    assert found.high > max(found.low, found.estimate)


def test_what_is_added_up_twice_is_told_with_what_to_choose(release):
    found = total(release, "REGION_ID = 'H1' and ITERATION_CODE = '04'", "TABLE = 'SEX' and SEX = 'F'")
    twice = [caveat for caveat in found.caveats if caveat.startswith(TWICE)]
    assert len(twice) == 1
    assert "TABLE = 'SEX' and SEX = '*', the totals; or TABLE = 'SEX' and SEX <> '*', the cells" in twice[0]
