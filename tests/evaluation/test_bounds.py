"""`evaluate --most-records`: what a bound leaves out and the noise it needs, against plain loops over stays."""

import json
from collections import defaultdict
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.bounds import bounds_text
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import load_parameters
from tests.cli.command import Result, call
from tests.nations import Nation, exact_of, oracle_inputs
from tests.oracle import Total
from tests.properties.persons_oracle import Bound, exact_tables
from tests.properties.test_persons import nation_of_stays, unit_of, write_stays

ONE_THREAD = Resources(threads=1)
ASKED = (1, 3, 36)
STATED = 5  # the bound in the parameters, which is compared with those asked for
BOUND = Bound(STATED, order=(("DAY", True),))


@pytest.fixture(scope="module")
def nation() -> Nation:
    return nation_of_stays()


@pytest.fixture(scope="module")
def inputs(nation: Nation, tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    return write_stays(nation, tmp_path_factory.mktemp("bounds") / "nation", unit_of(BOUND))


def options(inputs: InputPaths) -> list[str | Path]:
    named = {"--parameters": inputs.parameters, "--persons": inputs.persons, "--geography": inputs.geography}
    return [each for pair in {**named, "--code-lists": inputs.code_lists}.items() for each in pair]


@pytest.fixture(scope="module")
def asked(inputs: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The folder and the answer of a command that asks for the bounds."""
    out = tmp_path_factory.mktemp("bounds") / "out"
    done = call("evaluate", "--runs", "2", "--most-records", *map(str, ASKED), *options(inputs), "--out", out, "--json")
    assert done.code == 0, done.stderr
    return out, done


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "bounds.parquet").to_pylist()


def start_of(size: int) -> int:
    """Where the bucket of a size begins."""
    return min(10 ** (len(str(size)) - 1), 100_000)


def totals(nation: Nation, bound: Bound) -> dict[Total, int]:
    found, _ = exact_tables(oracle_inputs(nation), bound)
    return found


def left_out(nation: Nation, most_records: int) -> dict[tuple[object, ...], tuple[int, int, int, int]]:
    """By level, bound and size: groups, stays without a bound and with it, squares of what is lacking."""
    level_of = {row["ITERATION_CODE"]: row["LEVEL"] for row in nation.iterations}
    everything = totals(nation, replace(BOUND, most_records=10**4))
    counted = totals(nation, replace(BOUND, most_records=most_records))
    found = defaultdict(lambda: (0, 0, 0, 0))
    for group, exact in everything.items():
        for start in (start_of(exact), None) if exact else ():
            key = (f"{group[0]}-{level_of[group[2]]}", most_records, start)
            lacking = exact - counted[group]
            found[key] = tuple(map(sum, zip(found[key], (1, exact, counted[group], lacking**2), strict=True)))
    return dict(found)


def test_what_a_bound_leaves_out_is_what_plain_loops_leave_out(nation, asked):
    wanted: dict[tuple[object, ...], tuple[int, int, int, int]] = {}
    for most_records in {STATED, *ASKED}:
        wanted |= left_out(nation, most_records)
    rows = rows_of(asked[0])
    found = {(row["population_group_level"], row["most_records"], row["size_start"]): row for row in rows}
    assert len(found) == len(rows)
    assert {
        key: tuple(row[name] for name in ("groups_with_people", "exact", "counted")) for key, row in found.items()
    } == {key: each[:3] for key, each in wanted.items()}
    for key, (groups, exact, counted, squares) in wanted.items():
        row = found[key]
        assert row["share_left_out"] == pytest.approx((exact - counted) / exact)
        assert row["bias"] == pytest.approx((exact - counted) / groups)
        error = sqrt(squares / groups + row["noise_deviation"] ** 2)
        assert row["root_mean_square_error"] == pytest.approx(error)
    assert max(row["share_left_out"] for row in rows) > 0.2


@pytest.mark.parametrize("most_records", [STATED, *ASKED])
@pytest.mark.each_time("5")
def test_the_margins_are_those_that_plan_prints_for_the_bound(nation, asked, most_records, tmp_path):
    """plan counts nobody: it knows the margin of a bound from the parameters."""
    inputs = write_stays(nation, tmp_path, unit_of(replace(BOUND, most_records=most_records)))
    done = call("plan", *options(inputs)[:2], *options(inputs)[4:], "--json")
    levels = json.loads(done.stdout)["ledger"]["levels"]
    stage_2 = {
        level["level"]: next(each for each in level["calls"] if each["statistic"] == "stage_2") for level in levels
    }
    rows = [row for row in rows_of(asked[0]) if row["most_records"] == most_records]
    assert {row["population_group_level"]: row["moe95"] for row in rows} == {
        level: each["moe95"] for level, each in stage_2.items()
    }
    assert {row["population_group_level"]: row["noise_deviation"] for row in rows} == pytest.approx(
        {level: each["standard_deviation"] for level, each in stage_2.items()}
    )


def test_the_answer_has_the_rows_of_the_file(asked):
    out, done = asked
    assert json.loads(done.stdout)["bounds"] == rows_of(out)


def test_the_counts_that_get_noise_are_those_of_the_bound_in_the_parameters(inputs, asked, tmp_path):
    """The other bounds leave nothing behind."""
    exact = exact_of(inputs, tmp_path / "exact").t1
    sizes = {
        (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]): row["POPULATION_GROUP_SIZE"]
        for row in pq.read_table(asked[0] / "errors.parquet").to_pylist()
    }
    assert {group: exact[group] for group in sizes} == sizes
    rows = [row for row in rows_of(asked[0]) if row["most_records"] == STATED and row["size_start"] is None]
    assert sum(row["counted"] for row in rows) == sum(exact.values())


def test_the_manifest_of_exact_tables_says_what_their_bound_leaves_out(inputs, asked, tmp_path):
    ground_truth(inputs, tmp_path / "truth", resources=ONE_THREAD)
    manifest = json.loads((tmp_path / "truth" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["bounds"] == [row for row in rows_of(asked[0]) if row["most_records"] == STATED]


def test_people_read_a_line_for_each_level_and_bound_with_a_column_for_each_size(inputs, asked):
    rows = rows_of(asked[0])
    unit = load_parameters(Path(inputs.parameters)).unit
    head, *lines = bounds_text(pq.read_table(asked[0] / "bounds.parquet"), unit).splitlines()
    starts = sorted({row["size_start"] for row in rows} - {None})
    assert head.endswith("  ".join(f"error of {start}-{10 * start - 1}" for start in starts))
    assert len(lines) == sum(row["size_start"] is None for row in rows)
    of_line = {
        row["size_start"]: row
        for row in rows
        if (row["population_group_level"], row["most_records"]) == ("COUNTY-2", STATED)
    }
    (line,) = [line for line in lines if line.startswith("COUNTY-2") and f" {STATED}* " in line]
    whole = of_line[None]
    errors = [f"{of_line[start]['root_mean_square_error']:,.1f}" if start in of_line else "-" for start in starts]
    assert line.split()[2:] == [f"{whole['share_left_out']:.2%}", f"±{whole['moe95']}", *errors]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["--most-records", "3"], "needs either --out-dirs or --runs"),
        (["--out-dirs", "release", "--most-records", "3"], "--most-records: has no effect here: it belongs to --runs"),
        (["--runs", "2", "--most-records", "3", "0"], "--most-records 0: is not a bound"),
        (["--runs", "2", "--most-records", "10001"], "give 1 to 10,000"),
    ],
)
def test_bounds_that_cannot_be_compared_are_refused(nation, tmp_path, given, problem):
    inputs = write_stays(nation, tmp_path / "nation", unit_of(Bound(STATED)))
    files = options(inputs) if "--runs" in given else []
    refused = call("evaluate", *given, *files, "--out", tmp_path / "out")
    assert (refused.code, problem in refused.stderr) == (2, True), refused.stderr
    assert not (tmp_path / "out").exists()


def test_bounds_of_records_of_nobody_are_refused(nation, tmp_path):
    inputs = write_stays(nation, tmp_path / "nation", {"one": "stay", "many": "stays"})
    refused = call("evaluate", "--runs", "2", "--most-records", "3", *options(inputs), "--out", tmp_path / "out")
    assert (refused.code, "the parameters name no person" in refused.stderr) == (2, True)
    assert not (tmp_path / "out").exists()
