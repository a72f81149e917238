"""What a release says, and what it must not say, seen from outside: OUT/t1 and OUT/t2, and what describes them."""

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.jobs.export import export
from safetab_sql.jobs.run import run
from safetab_sql.jobs.targets import settings_of, targets, targets_toml
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import DiscreteGaussian, quantile, variance
from safetab_sql.published import file_notes
from safetab_sql.published.tables import is_published, published_counts
from safetab_sql.settings.parameters import load_parameters
from tests import oracle
from tests.nations import NO_NOISE, oracle_inputs, published, sample_nation, write_nation
from tests.published.conftest import cell, cells_of_groups, group, manifest, rows
from tests.statistics import pmf, support

NATION_LIKE = ("USA", "STATE", "PR-STATE")
TOTAL_ONLY = ("2130", "2230")  # iterations of the nation marked DETAILED_ONLY
LEAST = 7  # a count that small totals have to reach


def test_cells_stand_in_the_order_of_region_type_region_iteration_age_and_sex(release):
    """Ages as numbers: 5 before 18. A group's marginals stand before its cells."""

    def place(row):
        return (*group(row), -1 if row["AGESTART"] == "*" else int(row["AGESTART"]), row["SEX"])

    places = [place(row) for row in rows(release(), "t2")]
    assert places == sorted(places)


@pytest.fixture(scope="module")
def few(nation):
    return {
        "levels": {name: nation.parameters["levels"][name] for name in ("USA-2", "COUNTY-2", "TRACT-2")},
        "run_pr": False,
    }


def sums_of_cells(out: Path, column: str) -> dict[tuple[str, ...], float]:
    """A column, added up over the cells of each group with a table, and of each sex of it."""
    sums: dict[tuple[str, ...], float] = {}
    for key, cells in cells_of_groups(out).items():
        sums[key] = sum(row[column] for row in cells)
        for sex in "12":
            sums[*key, "*", "*", sex] = sum(row[column] for row in cells if row["SEX"] == sex)
    return sums


SUMS = {"negative counts": ("COUNT", True), "no negative counts": ("COUNT", False), "variances": ("VARIANCE", True)}


@pytest.mark.parametrize(("column", "allowed"), SUMS.values(), ids=SUMS)
@pytest.mark.each_time("no negative", "variances")
def test_a_total_and_the_marginal_of_a_sex_are_the_sums_of_the_published_cells(release, few, column, allowed):
    out = release() if allowed else release(allow_negative_counts=False, **few)
    sums = sums_of_cells(out, column)
    found = {group(row): row[column] for row in rows(out, "t1") if group(row) in sums}
    found |= {cell(row): row[column] for row in rows(out, "t2") if row["AGESTART"] == "*"}
    assert found == pytest.approx(sums, rel=1e-12 if column == "VARIANCE" else 0)


@pytest.mark.parametrize(("is_total_only", "share"), [(True, Fraction(1, 4)), (False, Fraction(9, 10 * 3))])
def test_the_variance_of_a_total_is_that_of_its_noise(release, is_total_only, share):
    """Budget 1, gamma 0.1; stability 4 at the nation and the states, where totals alone are, and 3 elsewhere."""
    law = DiscreteGaussian(share)
    tabled = cells_of_groups(release())
    totals = [row for row in rows(release(), "t1") if group(row) not in tabled and row["ITERATION_CODE"][0] == "2"]
    found = [row["VARIANCE"] for row in totals if (row["ITERATION_CODE"] in TOTAL_ONLY) == is_total_only]
    assert set(found) == {found[0]}
    assert found[0] == pytest.approx(float(pmf(law) @ support(law).astype(float) ** 2), rel=1e-9)


def suppression(out: Path) -> dict[str, int | None]:
    """By level, the total up to which none is published."""
    return {level["level"]: level["suppression_threshold"] for level in manifest(out)["ledger"]["levels"]}


def _totals(out: Path) -> dict[tuple[str, str, str], int]:
    """The published totals of groups without a table."""
    tabled = cells_of_groups(out)
    return {group(row): row["COUNT"] for row in rows(out, "t1") if group(row) not in tabled}


def test_the_suppression_threshold_is_the_quantile_of_the_noise(release):
    """The smallest t with P(noise <= t) >= 0.9, of the noise of a total: rho 0.9 / stability."""
    stated, wanted = manifest(release()), {}
    for level in stated["ledger"]["levels"]:
        law = DiscreteGaussian(Fraction(9, 10 * level["stability"]))
        smallest = int(support(law)[(pmf(law).cumsum() >= 0.9).argmax()])
        wanted[level["level"]] = None if level["level"].rpartition("-")[0] in NATION_LIKE else smallest
    assert suppression(release()) == wanted


def test_totals_that_equal_the_threshold_are_suppressed_and_those_one_above_are_not(nation, release, few):
    """Without noise the threshold of totals of which those below 2 are left out is 1."""
    changes = {**few, "levels": {name: {**level, "budget": NO_NOISE} for name, level in few["levels"].items()}}
    out, exact_t1 = (
        release(suppress_below=2, **changes),
        oracle.exact_tables(oracle_inputs(nation.with_parameters(**changes)))[0],
    )
    assert set(suppression(out).values()) == {1, None}
    assert {1, 2} <= {count for key, count in exact_t1.items() if key[0] not in NATION_LIKE}
    wanted = {key for key, count in exact_t1.items() if key[0] in NATION_LIKE or count > 1}
    assert {group(row) for row in rows(out, "t1")} == wanted


def test_a_total_below_the_least_is_suppressed_where_the_noise_alone_would_publish_it(release, few):
    """Where the quantile of the noise is larger, it decides."""
    by_noise, out = suppression(release()), release(suppress_below=LEAST, **few)
    assert min(each for each in by_noise.values() if each is not None) < LEAST - 1
    wanted = {name: each and max(each, LEAST - 1) for name, each in by_noise.items() if name in few["levels"]}
    assert suppression(out) == wanted
    totals = {key: count for key, count in _totals(out).items() if key[0] not in NATION_LIKE}
    assert min(totals.values()) >= LEAST
    assert {row["SUPPRESSED_UP_TO"] for row in rows(out, "suppressed")} == {*wanted.values()} - {None}
    assert manifest(out)["parameters"]["suppress_below"] == LEAST


@pytest.fixture(scope="module")
def census(release, tmp_path_factory):
    """The release in production's text."""
    return export(release(), tmp_path_factory.mktemp("census") / "out", format="census").out


@pytest.mark.parametrize(("table", "attributes"), [("t1", ""), ("t2", "|AGESTART|AGEEND|SEX")])
def test_census_format_has_the_columns_of_production_and_the_same_rows(release, census, table, attributes):
    (file,) = (census / table).iterdir()
    head = f"REGION_ID|REGION_TYPE|ITERATION_CODE{attributes}|COUNT"
    wanted = ["|".join(str(row[name]) for name in head.split("|")) for row in rows(release(), table)]
    assert file.read_text().splitlines() == [head, *wanted]


# --- a level of totals alone, and another of which some iterations get no table ---


LEVELS = {
    "COUNTY-2": {"budget": 1, "total_only": True},
    "STATE-2": {"budget": 1, "thresholds": [20, 60, 150], "total_only": ["2110", "2210"]},
    "TRACT-2": {"budget": 1, "thresholds": [20, 60, 150], "total_only": ["2110"]},
    "USA-2": {"budget": 1, "thresholds": [20, 60, 150]},
}


@pytest.fixture(scope="module")
def out(release) -> Path:
    return release(levels=LEVELS, run_pr=False)


def tabled(out: Path, region_type: str) -> set[str]:
    return {group[2] for group in cells_of_groups(out) if group[0] == region_type}


def test_no_group_of_a_level_of_totals_alone_has_a_table(out):
    assert tabled(out, "COUNTY") == set()


def test_named_iterations_have_no_table_at_the_levels_that_name_them(out):
    assert (tabled(out, "STATE") & {"2110", "2210"}, "2110" in tabled(out, "TRACT")) == (set(), False)
    assert {"2110", "2210"} <= tabled(out, "USA")


def test_their_totals_have_the_noise_of_the_whole_budget_and_a_threshold_of_that_noise(out):
    """Stability 3 below states, chance 0.9."""
    law, stage_2 = DiscreteGaussian(Fraction(1, 3)), DiscreteGaussian(Fraction(9, 30))
    found = [row for row in rows(out, "t1") if row["REGION_TYPE"] == "COUNTY"]
    assert [row["VARIANCE"] for row in found] == pytest.approx([float(variance(law))] * len(found), rel=1e-9)
    smallest = quantile(law, Fraction(9, 10))
    assert min(row["COUNT"] for row in found) > smallest
    said = {level["level"]: level for level in manifest(out)["ledger"]["levels"]}
    assert {name: level["total_only_suppression_threshold"] for name, level in said.items()} == {
        "COUNTY-2": smallest, "STATE-2": None, "TRACT-2": smallest, "USA-2": None
    }  # fmt: skip
    assert said["TRACT-2"]["suppression_threshold"] == quantile(stage_2, Fraction(9, 10))


def test_an_iteration_that_the_level_does_not_tabulate_is_refused(nation, tmp_path):
    """2130 is detailed only, so no county tabulates it."""
    levels = {"COUNTY-2": {"budget": 1, "thresholds": [1, 2, 3], "total_only": ["2130"]}}
    with pytest.raises(InputError, match="1 iteration\\(s\\) in total_only that the level does not tabulate"):
        published(nation.with_parameters(levels=levels, run_pr=False), tmp_path / "nation")


def test_the_budget_for_a_margin_of_totals_alone_is_that_of_their_own_noise(out):
    """Stability 3; nothing is spent on a choice of tables."""
    inputs = out.parent
    made = targets(settings_of(inputs / "parameters.toml", inputs), {"COUNTY-2": 3, "TRACT-2": 3})
    found = made.levels
    assert [one.exact_moe for one in found] == [3, 3]
    tract, county = sorted(found, key=lambda one: one.level, reverse=True)
    assert county.budget < tract.budget
    (inputs / "overlay.toml").write_text(targets_toml(made), encoding="utf-8")
    levels = {level.level.name: level for level in load_parameters(inputs / "overlay.toml").levels}
    assert (levels["COUNTY-2"].is_total_only, levels["TRACT-2"].total_only) == (True, ("2110",))


# --- suppression and non-negativity, on noisy counts alone ---


def _int64(*counts: int | list[int]) -> np.ndarray:
    return np.array(counts, dtype=np.int64)


PUBLISHED = {
    "a total equal to the threshold is suppressed": ([12], 12, [False]),
    "one above it is published": ([13], 12, [True]),
    "a negative total is suppressed": ([-13], 12, [False]),
    "without a threshold every total is published": ([-5, 0, 5], None, [True, True, True]),
    "a threshold of zero is a threshold": ([-1, 0, 1], 0, [False, False, True]),
}


@pytest.mark.parametrize(("totals", "threshold", "kept"), PUBLISHED.values(), ids=PUBLISHED)
def test_a_total_is_published_above_its_threshold(totals, threshold, kept):
    assert is_published(_int64(*totals), threshold).tolist() == kept


@pytest.mark.parametrize(("allowed", "counts"), [(False, [[0, 2], [3, 0]]), (True, [[-1, 2], [3, -4]])])
def test_negative_counts_become_zero_where_they_are_not_allowed_and_the_noisy_ones_are_not_changed(allowed, counts):
    noisy = _int64([-1, 2], [3, -4])
    assert published_counts(noisy, allow_negative_counts=allowed).tolist() == counts
    assert noisy.tolist() == [[-1, 2], [3, -4]]


# --- csv-metadata.json and the code lists describe what stands in the tables, column by column and code by code ---


def described(out: Path) -> dict[str, dict[str, Any]]:
    """The tables that the metadata describe, by their places."""
    metadata = json.loads((out / "csv-metadata.json").read_text(encoding="utf-8"))
    return {table["url"]: table for table in metadata["tables"]}


def names(table: dict[str, Any]) -> list[str]:
    return [column["titles"] for column in table["tableSchema"]["columns"]]


def codes(out: Path, column: str) -> dict[str, str]:
    with (out / "codes" / f"{column}.csv").open(encoding="utf-8", newline="") as stream:
        return {row["CODE"]: row["MEANING"] for row in csv.DictReader(stream)}


def test_every_table_is_described_with_its_columns_in_their_order(release):
    found = {url: names(table) for url, table in described(release()).items() if url.endswith(".parquet")}
    files = [path.relative_to(release()).as_posix() for path in release().rglob("*.parquet")]
    assert found == {file: pq.read_schema(release() / file).names for file in files}


def test_what_cannot_be_described_costs_nothing(tmp_path, monkeypatch):
    """A type of a column without a word in the metadata was found out after all noise."""
    monkeypatch.setattr(file_notes, "_TYPES", {})
    ledger = LedgerFile(tmp_path / "ledger")
    with pytest.raises(KeyError):
        run(write_nation(sample_nation(30), tmp_path), tmp_path / "out", ledger_file=ledger)
    assert not (tmp_path / "ledger").exists()


def test_every_code_list_is_described_and_named_by_a_foreign_key(release):
    tables = described(release())
    lists = {url for url in tables if url.startswith("codes/")}
    keys = [key["reference"] for table in tables.values() for key in table["tableSchema"].get("foreignKeys", [])]
    assert {(release() / url).is_file() for url in lists} == {True}
    assert {key["resource"] for key in keys} == lists


def test_a_code_has_its_meaning(release):
    out = release()
    assert (codes(out, "SEX")["2"], codes(out, "STATISTIC")["age4"]) == ("female", "SEX by AGE (4 groups)")
    types = codes(out, "REGION_TYPE")
    assert types["COUNTY"] == "a region for each value of TABBLKST || TABBLKCOU of the geography, in part US"
    assert types["USA"] == "one region, 1, in part US"


def test_a_primary_key_names_one_row(release):
    for url, table in described(release()).items():
        if url.endswith(".parquet"):
            key = pq.read_table(release() / url, columns=table["tableSchema"]["primaryKey"])
            assert key.group_by(key.column_names).aggregate([]).num_rows == key.num_rows
