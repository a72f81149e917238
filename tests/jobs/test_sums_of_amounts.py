"""Sums of amounts as readers of a release meet them: means have intervals, and no sum is ever added to counts."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.jobs.statistics import sum_of_release
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.statistics.sums import PublishedSum
from safetab_sql.statistics.wanted_statistics import statistics_of
from tests.benchmarks.sum_coverage import cases, held
from tests.golden.sums import MOST, added_up, stays, written
from tests.statistics import recorded_bits

RECORDS = stays(3_000, 3)
DAYS, STAYS = (f"TABLE = '{name}' and REGION_TYPE = 'ALL' and ITERATION_CODE = 'a'" for name in ("DAYS", "STAYS"))
TOTAL = "OUTCOME = '*' and SEX = '*'"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    inputs = written(RECORDS, 3, folder, definition="puredp", budget="1")
    return run(inputs, folder / "out", bits=recorded_bits("amounts"), resources=Resources(threads=1)).out


@pytest.fixture(scope="module")
def mean(release: Path) -> PublishedSum:
    return sum_of_release(release, plus=f"{DAYS} and {TOTAL}", of=f"{STAYS} and {TOTAL}")


def test_a_mean_is_a_sum_divided_by_a_count_and_has_an_interval(mean):
    count, days = added_up(RECORDS)["ALL", "all", "a", "*", "*"]
    assert mean.ratio.low < days / count < mean.ratio.high < mean.ratio.low + 1
    assert "units of DAYS for each of" in str(mean)
    assert "%" not in str(mean)


def test_amounts_are_printed_in_the_unit_of_the_file(mean):
    hundredths = str(replace(mean, decimals=(2, 0))).splitlines()
    assert hundredths[0].split()[1:4] == [f"{mean.estimate / 100:,.2f}", "units", "of"]
    assert any(f" {mean.ratio.estimate / 100:,.4g} " in line for line in hundredths)


def asked(release: Path | list[Path], rows: Sequence[dict[str, str | None]]) -> list[dict[str, object]]:
    group = {"REGION_TYPE": "ALL", "REGION_ID": "all", "ITERATION_CODE": "a"}
    names = dict.fromkeys(name for row in rows for name in row)
    table = pa.Table.from_pylist([{**group, **{name: row.get(name) for name in names}} for row in rows])
    found: list[dict[str, object]] = statistics_of(release, table).to_pylist()
    return found


def test_statistics_give_the_mean_that_moe_gives_and_shares_of_a_sum(release, mean):
    """A mean of some records divides by the number of these, unless it is said to be of all."""
    of_all = {"KIND": "ratio", "TABLE": "DAYS", "OTHER_TABLE": "STAYS", "OUTCOME": None, "OTHER_OUTCOME": None}
    of_died, share = {**of_all, "OUTCOME": "died"}, {**of_all, "OTHER_TABLE": "DAYS", "OUTCOME": "died"}
    found, *others = asked(release, [of_all, share, of_died, {**of_died, "OTHER_OUTCOME": "*"}])
    assert (found["ESTIMATE"], found["LOW"], found["HIGH"]) == (mean.ratio.estimate, mean.ratio.low, mean.ratio.high)
    died, whole = (added_up(RECORDS)["ALL", "all", "a", outcome, "*"] for outcome in ("died", "*"))
    for row, truth in zip(others, (died[1] / whole[1], died[1] / died[0], died[1] / whole[0]), strict=True):
        assert row["LOW"] < truth < row["HIGH"]  # type: ignore[operator]


MIXED = {
    "one condition": ({"plus": f"REGION_TYPE = 'ALL' and {TOTAL}"}, "adds DAYS"),
    "added": ({"plus": [DAYS, STAYS]}, "adds STAYS"),
    "subtracted": ({"plus": DAYS, "minus": STAYS}, "adds STAYS"),
    "divided by both": ({"plus": DAYS, "of": f"REGION_TYPE = 'ALL' and {TOTAL}"}, "adds DAYS"),
}


@pytest.mark.parametrize(("wanted", "what"), MIXED.values(), ids=MIXED)
@pytest.mark.each_time("subtracted")
def test_a_sum_is_never_added_to_counts(release, wanted, what):
    with pytest.raises(InputError, match=what):
        sum_of_release(release, **wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["difference", "growth", "ratio_difference", "rank"])
@pytest.mark.each_time("difference")
def test_a_sum_is_never_compared_with_counts(release, kind):
    rows: list[dict[str, str | None]] = [{"KIND": kind, "TABLE": "DAYS", "OTHER_TABLE": "STAYS", "SECOND_TABLE": None}]
    if kind == "rank":
        rows = [{"KIND": kind, "TABLE": name} for name in ("DAYS", "STAYS")]
    elif kind == "ratio_difference":
        rows[0]["SECOND_TABLE"] = "STAYS"
    with pytest.raises(InputError, match="compare counts with counts"):
        asked(release, rows)


@pytest.mark.slow
def test_sums_of_two_releases_are_compared_where_their_clamp_is_the_same(release, tmp_path):
    few = {most: written(RECORDS[:1_500], 3, tmp_path / f"{most}", most=most) for most in (MOST, MOST + 1)}
    others = [run(each, tmp_path / f"out{most}", bits=recorded_bits("b")).out for most, each in few.items()]
    row: dict[str, str | None] = {"KIND": "growth", "TABLE": "DAYS", "RELEASE": "1", "OTHER_RELEASE": "2"}
    (found,) = asked([release, others[0]], [row])
    assert found["LOW"] is not None
    with pytest.raises(InputError, match="sums of one column with one clamp"):
        asked([release, others[1]], [row])


@pytest.mark.slow
def test_counts_are_not_reconciled_with_sums(release, tmp_path):
    with pytest.raises(InputError, match="DAYS is a sum of DAYS, of each record 1 to 30"):
        reconcile(release, tmp_path / "reconciled")


SKEWED = [case for case in cases() if case.skew > 1 and case.records != 1_000]


@pytest.mark.slow
@pytest.mark.parametrize("case", SKEWED, ids=lambda case: f"{case.definition}-{case.most}-{case.records}")
def test_sums_and_means_of_skewed_amounts_are_held_as_often_as_stated(case):
    """False alarm 1e-6 each, where the chance to miss is 5 %; intervals of half the length would be noticed."""
    draws = 20_000
    found, allowed = held(case, draws, seed=1), 5 * (0.05 * 0.95 / draws) ** 0.5
    assert min(found.sums, found.means) > 0.95 - allowed
    assert found.sums < 0.97
