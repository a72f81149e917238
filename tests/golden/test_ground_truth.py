"""The exact tables, and those of the oracle, equal known answers, cell for cell."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from tests import oracle
from tests.nations import read_text

# A case, and the region types that are tabulated; all of them where none is named.
CASES = [
    *(pytest.param(("toy",), id="toy"), pytest.param(("pr_dev", "PR-STATE", "PR-PLACE"), id="pr_dev-some")),
    pytest.param(("us_small", "STATE", "AIANNH"), id="us_small-some"),
    pytest.param(("pr_dev",), id="pr_dev", marks=pytest.mark.slow),
    pytest.param(("us_small",), id="us_small", marks=pytest.mark.slow),
]


def _differences(expected: Path, found: Path, region_types: Sequence[str] = ()) -> list[tuple[object, ...]]:
    """Up to ten rows that stand more often in one of two Parquet files than in the other."""
    with duckdb.connect() as connection:
        connection.execute("set memory_limit = '3GB'")
        wanted, made = (connection.read_parquet(str(file)) for file in (expected, found))
        if region_types:
            wanted = wanted.filter(f"REGION_TYPE in {tuple(region_types)}")
        columns = ", ".join(wanted.columns)
        if set(made.columns) != set(wanted.columns):
            return [("columns", *made.columns)]
        # Rows alike in number and in the sum of their 64-bit hashes: no difference, but for a chance of 2^-60.
        fingerprint = f"count(*), sum(hash({columns})::hugeint), bit_xor(hash({columns}))"
        if wanted.aggregate(fingerprint).fetchall() == made.aggregate(fingerprint).fetchall():
            return []
        wanted, made = wanted.select(columns), made.select(columns)
        return [
            (which, *row)
            for which, rows in (("missing", wanted.except_(made)), ("extra", made.except_(wanted)))
            for row in rows.limit(5).fetchall()
        ]


@pytest.mark.parametrize("table", ["t1", "t2"])
@pytest.mark.parametrize("known", CASES)
@pytest.mark.each_time("toy")
def test_the_exact_tables_equal_the_known_answers_row_for_row(known, table, case, exact_tables):
    name, *region_types = known
    expected = case(name) / "expected" / f"{table}.parquet"
    assert _differences(expected, exact_tables(*known) / f"{table}.parquet", region_types) == []


@pytest.mark.parametrize(
    "change",
    [
        "select * replace (COUNT + (COUNT = 3)::int as COUNT) from '{file}'",
        "select * from '{file}' where not (COUNT = 0 and ITERATION_CODE = '3081')",
        "select * from '{file}' union all select * from '{file}' where COUNT = 3",
    ],
    ids=["wrong count", "row missing", "row twice"],
)
def test_the_comparison_with_known_answers_notices(change, case, tmp_path):
    expected = case("toy") / "expected" / "t1.parquet"
    duckdb.sql(change.format(file=expected)).write_parquet(str(tmp_path / "t1.parquet"))
    assert _differences(expected, tmp_path / "t1.parquet") != []


@pytest.fixture(scope="module")
def toy_answers(case):
    folder = case("toy")
    return tuple(_known(folder / "expected" / f"{table}.parquet") for table in ("t1", "t2"))


@pytest.fixture(scope="module")
def toy_tables(case):
    return oracle.exact_tables(_toy_inputs(case("toy")))


def test_the_oracle_gives_the_known_tables_of_the_toy_case(toy_tables, toy_answers):
    assert toy_tables[0] == toy_answers[0]
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
