"""Household tables of the Detailed DHC-B: the rows are those of an oracle that agrees with the production system."""

import csv
import json
import re
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from safetab_sql.accounting.conversions import totals_of_a_loss
from safetab_sql.accounting.plan import level_calls
from safetab_sql.accounting.statement import DELTA
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.plan import plan_of_lists
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.laws.noise import DiscreteGaussian
from safetab_sql.public.inputs import InputPaths
from safetab_sql.published.margins import sum_margin_of_error
from safetab_sql.settings.parameters import load_parameters
from tests.conftest import SHARED
from tests.statistics import recorded_bits

ORACLE = SHARED / "oracle" / "households"
pytestmark = pytest.mark.skipif(not ORACLE.is_dir(), reason="the shared folder with the oracle is absent")
DHCB = packaged_folder("configs") / "dhcb-2020.toml"
TINY = Resources(threads=1)
TABLES = ("t3", "t4")
Rows = dict[tuple[str, ...], int]  # statistic, region, region type, iteration, cell


def households(folder: Path, *, budget: str | None = None) -> InputPaths:
    """The oracle's case with production's own directory. budget: of every level, in place of its own."""
    shutil.copytree(ORACLE / "params", folder / "params")
    if budget is not None:
        text = (folder / "params" / "config.json").read_text()
        key = r'("privacy_budget_h_\w+": )(?!0\.0,)[0-9.]+'
        text = re.sub(key, lambda found: f"{found[1]}{budget}", text)
        (folder / "params" / "config.json").write_text(text)
    totals = (ORACLE / "data" / "pop-group-totals.txt").read_text().splitlines()
    known = [row for row in totals if "|0999|" not in row]  # the oracle leaves the unknown iteration out, we refuse it
    (folder / "totals.txt").write_text("\n".join(known) + "\n")
    data = ORACLE / "data"
    files = (data / "household-records.txt", data / "GRF-C.txt")
    return InputPaths(folder / "params", *files, totals=folder / "totals.txt", totals_are_public=True)


def expected(table: str) -> Rows:
    with (ORACLE / "expected" / f"{table}.csv").open(encoding="utf-8") as stream:
        rows = csv.DictReader(stream, delimiter="|")
        names = ("TABLE", "REGION_ID", "REGION_TYPE", "ITERATION_CODE", "DATA_CELL")
        return {tuple(row[name] for name in names): int(row["COUNT"]) for row in rows}


def written(file: Path, table: str) -> Rows:
    columns = f"STATISTIC, REGION_ID, REGION_TYPE, ITERATION_CODE, {table}_DATA_CELL, COUNT"
    rows = duckdb.sql(f"select {columns} from '{file}'").fetchall()
    found = {row[:5]: row[5] for row in rows}
    assert len(found) == len(rows)
    return found


def released(out: Path) -> dict[str, Rows]:
    return {table: written(out / table / f"{table}.parquet", table) for table in TABLES}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    return households(tmp_path_factory.mktemp("households"))


@pytest.fixture(scope="module")
def noiseless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    folder = tmp_path_factory.mktemp("noiseless")
    run(households(folder, budget="1000000000"), folder / "out", resources=TINY, bits=recorded_bits("households"))
    return released(folder / "out")


def test_without_noise_every_row_is_that_of_the_oracle(noiseless):
    assert noiseless == {table: expected(table) for table in TABLES}
    assert {table: len(rows) for table, rows in noiseless.items()} == {"t3": 2_002, "t4": 1_258}


@pytest.mark.slow  # the same counts are those of the oracle above
def test_the_exact_tables_are_those_of_the_oracle(inputs, tmp_path):
    ground_truth(inputs, tmp_path / "truth", resources=TINY)
    assert {table: written(tmp_path / "truth" / f"{table}.parquet", table) for table in TABLES} == {
        table: expected(table) for table in TABLES
    }


def test_neither_households_nor_noise_decide_anything_but_counts(inputs, noiseless, tmp_path):
    """Which groups there are, and which table each gets, is known before any record is read."""
    head, *rows = (ORACLE / "data" / "household-records.txt").read_text().splitlines()
    (tmp_path / "others.txt").write_text("\n".join([head, *rows[:5]]) + "\n")
    run(replace(inputs, persons=tmp_path / "others.txt"), tmp_path / "out", resources=TINY)
    assert [rows.keys() for rows in released(tmp_path / "out").values()] == [rows.keys() for rows in noiseless.values()]


@pytest.mark.parametrize("parameters", [ORACLE / "params", DHCB], ids=["production", "ours"])
@pytest.mark.each_time("production")
def test_the_losses_are_those_of_production(parameters):
    entries = plan_of_lists(parameters, ORACLE / "params").ledger
    assert {part: float(loss.of_record or 0) for part, loss in entries.parts.items()} == {
        "US": 8.895302,
        "PR": 4.754134,
    }
    assert float(entries.parts["US"].of_person or 0) == 4 * 8.895302  # records_of_a_person = 2
    bounds = [
        {round(bound.epsilon, 2) for bound in totals_of_a_loss("zcdp", loss.of_record or Fraction(0), DELTA)}
        for loss in entries.parts.values()
    ]
    assert (36.43 in bounds[0], 24.77 in bounds[1]) == (True, True)


def test_our_file_says_what_productions_says():
    ours, theirs = load_parameters(DHCB), load_parameters(ORACLE / "params")
    assert (ours.ladders, ours.unit, ours.attributes) == (theirs.ladders, theirs.unit, theirs.attributes)


def told(inputs: InputPaths, totals: Path | str | None, folder: Path) -> str:
    with pytest.raises(InputError) as refused:
        run(replace(inputs, totals=totals), folder / "out", resources=TINY)
    assert not (folder / "out").exists()
    return str(refused.value)


HEAD = "REGION_ID|REGION_TYPE|ITERATION_CODE|COUNT"
SOUND = ("01|STATE|0102|30", "01|STATE|0112|6")
WRONG = {
    "twice": ((*SOUND, SOUND[0]), "1 population group(s) that stand more than once"),
    "no count": ((*SOUND, "01|STATE|0121|much"), "1 row(s) whose COUNT is no whole number"),
    "unknown iteration": ((*SOUND, "01|STATE|0999|3"), "1 iteration(s) that the code lists do not have"),
    "unknown region type": ((*SOUND, "01|SHIRE|0102|3"), "1 region type(s) that the parameters do not have"),
    "another geography": ((*SOUND, "56999|COUNTY|0102|3"), "no COUNTY of these totals is in the geography"),
    "nothing of ours": (("56|STATE|0102|3",), "no STATE of these totals is in the geography"),
}


@pytest.mark.parametrize(("rows", "said"), WRONG.values(), ids=WRONG)
@pytest.mark.each_time("another geography")
def test_totals_that_cannot_be_those_of_the_run_are_refused(rows, said, inputs, tmp_path):
    (tmp_path / "totals.txt").write_text("\n".join([HEAD, *rows]) + "\n")
    assert said in told(inputs, tmp_path / "totals.txt", tmp_path)


def test_totals_are_needed_where_they_pick_tables_and_nowhere_else(inputs, tmp_path):
    assert "--totals: not given, and published totals pick the tables of T3, T4" in told(inputs, None, tmp_path)
    example = packaged_folder("configs") / "ddhca-2020.toml"
    others = replace(inputs, parameters=example, code_lists=ORACLE / "params")
    assert "given, and published totals pick no table" in told(others, inputs.totals, tmp_path)


def test_exact_totals_and_those_of_other_lists_are_refused(inputs, tmp_path):
    (tmp_path / "t1").mkdir()
    text = "\n".join([HEAD.replace("|", ","), *(row.replace("|", ",") for row in SOUND)])
    (tmp_path / "t1" / "t1.csv").write_text(text + "\n")
    (tmp_path / "manifest.json").write_text(json.dumps({"confidential": True}))
    assert "was made from exact counts, as" in told(inputs, tmp_path, tmp_path)
    files = [{"file": "t1/t1.csv", "sha256": sha256_of(tmp_path / "t1" / "t1.csv")}]
    other = {"files": files, "public_inputs": {"codes_list": [{"file": "codes", "sha256": "0" * 64}]}}
    (tmp_path / "manifest.json").write_text(json.dumps(other))
    assert "was made with another codes_list" in told(inputs, tmp_path, tmp_path)


# Budget of a level, sigma^2 of a cell, and MOE95 of sums of 1 to 5 cells: those of production's formulas.
SPREADS = {
    "nation": ("1.9208", "5625/2401", [3, 4, 5, 6, 7]),
    "counties": ("0.142869", "1500000/47623", [11, 16, 19, 22, 25]),
    "regional": ("0.006915", "300000/461", [50, 71, 87, 100, 112]),
}


@pytest.mark.parametrize(("budget", "sigma2", "margins"), SPREADS.values(), ids=SPREADS)
def test_margins_of_sums_of_cells_are_those_of_the_specification(budget, sigma2, margins):
    law = level_calls("zcdp", Fraction(budget), 9, Fraction(0)).stage_2.law  # 9: the stability of 2020
    assert law == DiscreteGaussian(1 / (2 * Fraction(sigma2)))
    assert [sum_margin_of_error(law, cells) for cells in range(1, 6)] == margins
