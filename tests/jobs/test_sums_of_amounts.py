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
from safetab_sql.statistics.wanted_statistics import statistics_of
from tests.benchmarks.sum_coverage import cases, held
from tests.golden.sums import MOST, added_up, stays, written
from tests.statistics import recorded_bits

RECORDS = stays(6_000, 3)
DAYS, STAYS = (f"TABLE = '{name}' and REGION_TYPE = 'ALL' and ITERATION_CODE = 'a'" for name in ("DAYS", "STAYS"))
TOTAL = "OUTCOME = '*' and SEX = '*'"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    inputs = written(RECORDS, 3, folder, definition="puredp", budget="1")
    return run(inputs, folder / "out", bits=recorded_bits("amounts"), resources=Resources(threads=1)).out


def test_a_mean_is_a_sum_divided_by_a_count_and_has_an_interval(release):
    found = sum_of_release(release, plus=f"{DAYS} and {TOTAL}", of=f"{STAYS} and {TOTAL}")
    count, days = added_up(RECORDS)["ALL", "all", "a", "*", "*"]
    assert found.ratio is not None
    assert found.ratio.high is not None
    assert found.ratio.low < days / count < found.ratio.high
    assert found.ratio.high - found.ratio.low < 0.5
    assert "units of DAYS for each of" in str(found)
    assert "%" not in str(found)


def test_amounts_are_printed_in_the_unit_of_the_file(release):
    found = sum_of_release(release, plus=f"{DAYS} and {TOTAL}", of=f"{STAYS} and {TOTAL}")
    hundredths = str(replace(found, decimals=(2, 0))).splitlines()
    assert hundredths[0].split()[1:4] == [f"{found.estimate / 100:,.2f}", "units", "of"]
    assert found.ratio is not None
    assert any(f" {(found.ratio.estimate or 0) / 100:,.4g} " in line for line in hundredths)


def asked(release: Path | list[Path], rows: Sequence[dict[str, str | None]]) -> list[dict[str, object]]:
    group = {"REGION_TYPE": "ALL", "REGION_ID": "all", "ITERATION_CODE": "a"}
    names = dict.fromkeys(name for row in rows for name in row)
    table = pa.Table.from_pylist([{**group, **{name: row.get(name) for name in names}} for row in rows])
    found: list[dict[str, object]] = statistics_of(release, table).to_pylist()
    return found


def test_statistics_give_the_mean_that_moe_gives_and_shares_of_a_sum(release):
    mean, share = asked(
        release,
        [
            {"KIND": "ratio", "TABLE": "DAYS", "OTHER_TABLE": "STAYS", "OUTCOME": None, "OTHER_OUTCOME": None},
            {"KIND": "ratio", "TABLE": "DAYS", "OTHER_TABLE": "DAYS", "OUTCOME": "died", "OTHER_OUTCOME": None},
        ],
    )
    found = sum_of_release(release, plus=f"{DAYS} and {TOTAL}", of=f"{STAYS} and {TOTAL}").ratio
    assert found is not None
    assert (mean["ESTIMATE"], mean["LOW"], mean["HIGH"]) == (found.estimate, found.low, found.high)
    exact = added_up(RECORDS)
    part, whole = (exact["ALL", "all", "a", outcome, "*"][1] for outcome in ("died", "*"))
    assert share["LOW"] < part / whole < share["HIGH"]  # type: ignore[operator]


def test_a_mean_of_some_records_divides_by_the_number_of_these_and_a_share_by_all(release):
    mean = {"KIND": "ratio", "TABLE": "DAYS", "OTHER_TABLE": "STAYS", "OUTCOME": "died", "OTHER_OUTCOME": None}
    (same, of_all) = asked(release, [mean, {**mean, "OTHER_OUTCOME": "*"}])
    died, whole = (added_up(RECORDS)["ALL", "all", "a", outcome, "*"] for outcome in ("died", "*"))
    assert same["LOW"] < died[1] / died[0] < same["HIGH"]  # type: ignore[operator]
    assert of_all["LOW"] < died[1] / whole[0] < of_all["HIGH"]  # type: ignore[operator]


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
    few = {most: written(RECORDS[:3_000], 3, tmp_path / f"{most}", most=most) for most in (MOST, MOST + 1)}
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
