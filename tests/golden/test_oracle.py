"""The oracle itself is right: it gives the known answers of the toy case, from the files as they lie."""

from pathlib import Path

import duckdb
import pytest

from tests import oracle
from tests.nations import read_text


@pytest.fixture(scope="module")
def toy_answers(case):
    folder = case("toy")
    return tuple(_known(folder / "expected" / f"{table}.parquet") for table in ("t1", "t2"))


@pytest.fixture(scope="module")
def toy_tables(case):
    return oracle.exact_tables(_toy_inputs(case("toy")))


def test_the_oracle_gives_the_known_totals_of_the_toy_case(toy_tables, toy_answers):
    assert toy_tables[0] == toy_answers[0]


def test_the_oracle_gives_the_known_sex_by_age_tables_of_the_toy_case(toy_tables, toy_answers):
    assert toy_tables[1] == toy_answers[1]


def test_the_oracle_gives_the_stability_of_the_2020_lists_by_hand():
    """Each code in one iteration of each kind: 8 race codes and an ethnicity make 9, as in the paper."""
    races = [(f"{3000 + number}", "combination", f"{1000 + number}") for number in range(9)]
    kinds = [("2001", "alone", "1000"), ("2003", "ethnicity", "5000"), *races]
    flags = {"LEVEL": 2, "DETAILED_ONLY": False, "COARSE_ONLY": False}
    inputs = oracle.Inputs(
        persons=[],
        blocks=[],
        iterations=[{"ITERATION_CODE": code, "KIND": kind, **flags} for code, kind, _ in kinds],
        links={(iteration, code) for iteration, _, code in kinds},
        levels={("COUNTY", 2): (1, 2, 3)},
        max_race_codes=8,
        us_states=["01"],
        run_pr=False,
    )
    assert oracle.stability(inputs, "COUNTY", 2) == 9


def _known(file: Path) -> dict[tuple[str, ...], int]:
    rows = duckdb.sql(f"select REGION_TYPE, REGION_ID, columns(* exclude (REGION_TYPE, REGION_ID)) from '{file}'")
    return {row[:-1]: row[-1] for row in rows.fetchall()}


def _toy_inputs(folder: Path) -> oracle.Inputs:
    lists = folder / "params"
    races = read_text(lists / "race-characteristic-iterations.txt")
    ethnicities = read_text(lists / "ethnicity-characteristic-iterations.txt")
    iterations = [{**row, "KIND": "alone" if row["ALONE"] else "combination"} for row in races]
    links = read_text(lists / "race-and-ethnicity-code-to-iteration.txt")
    # The levels with a budget in the case's config.json; their thresholds play no part in the exact tables.
    both = [(region_type, level) for region_type in ("USA", "STATE", "COUNTY") for level in (1, 2)]
    levels = [*both, ("TRACT", 2), ("PLACE", 2), ("AIANNH", 2)]
    return oracle.Inputs(
        persons=read_text(folder / "data" / "person-records.txt"),
        blocks=read_text(folder / "data" / "GRF-C.txt"),
        iterations=[*iterations, *({**row, "KIND": "ethnicity"} for row in ethnicities)],
        links={(row["ITERATION_CODE"], row["RACE_ETH_CODE"]) for row in links},
        levels=dict.fromkeys(levels, (1, 2, 3)),
        max_race_codes=8,
        us_states=["01", "02", "11"],
        run_pr=False,
    )
