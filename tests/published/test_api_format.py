"""export --format api: what scripts for the Census API's Detailed DHC-A read from a release."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from safetab_sql.export.formats import format_problems
from safetab_sql.jobs.export import export
from safetab_sql.kit.database import Resources
from safetab_sql.settings.parameters import load_parameters
from tests.conftest import REPOSITORY
from tests.published.conftest import cells_of_groups, group, rows

GEOGRAPHIES = {"us": "0100000US", "state": "0400000US", "county": "0500000US", "tract": "1400000US"}
TABLES = {"T02001": 4, "T02002": 9, "T02003": 23}


def get_decennial(out: Path, geography: str, variables: list[str], pop_group: str) -> list[dict[str, str | int]]:
    """As the function of that name of tidycensus: one row per region and variable, GEOID without its prefix."""
    table, prefix = variables[0].partition("_")[0], GEOGRAPHIES[geography]
    (file,) = out.glob(f"*/{table}.csv")
    with file.open(newline="", encoding="utf-8") as stream:
        found = [
            row for row in csv.DictReader(stream) if row["GEO_ID"].startswith(prefix) and row["POPGROUP"] == pop_group
        ]
    return [
        {"GEOID": row["GEO_ID"].removeprefix(prefix), "variable": name, "value": int(row[name])}
        for name in variables
        for row in found
    ]


@pytest.fixture(scope="module")
def out(release: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(release(), tmp_path_factory.mktemp("api") / "out", format="api", resources=Resources(threads=1)).out


def test_totals_are_those_of_t1(out, release):
    states = [row for row in rows(release(), "t1") if row["REGION_TYPE"] in ("STATE", "PR-STATE")]
    states.sort(key=lambda row: row["REGION_ID"])
    code = states[0]["ITERATION_CODE"]
    found = get_decennial(out, "state", ["T01001_001N"], code)
    assert [(row["GEOID"], row["value"]) for row in found] == [
        (row["REGION_ID"], row["COUNT"]) for row in states if row["ITERATION_CODE"] == code
    ]


@pytest.mark.parametrize("table", TABLES)
def test_tables_are_those_of_t2_and_each_group_has_one(table, out, release):
    """Pivoted by variable: the total, all men, men by age, all women, women by age."""
    ages = TABLES[table]
    cells = {name: found for name, found in cells_of_groups(release()).items() if len(found) == 2 * ages}
    totals = {group(row): row["COUNT"] for row in rows(release(), "t1")}
    name, found = next(each for each in sorted(cells.items()) if each[0][0] in ("USA", "STATE"))
    men, women = ([row["COUNT"] for row in found if row["SEX"] == sex] for sex in "12")
    geography, variables = {"USA": "us"}.get(name[0], "state"), [f"{table}_{n:03}N" for n in range(1, 2 * ages + 4)]
    read = get_decennial(out, geography, variables, name[2])
    pivoted = [row["value"] for row in read if row["GEOID"] == ("" if geography == "us" else name[1])]
    assert pivoted == [totals[name], sum(men), *men, sum(women), *women]
    with (out / "t2" / f"{table}.csv").open(encoding="utf-8") as stream:
        assert sum(1 for _ in stream) == 1 + len(cells)


def test_groups_have_the_names_of_the_index_of_groups(out, release):
    with (out / "t1" / "T01001.csv").open(newline="", encoding="utf-8") as stream:
        labels = {row["POPGROUP"]: row["POPGROUP_LABEL"] for row in csv.DictReader(stream)}
    assert labels == {row["ITERATION_CODE"]: row["ITERATION_NAME"] for row in rows(release(), "group_index")}


def test_what_the_api_has_no_names_for_is_refused():
    parameters = [
        load_parameters(REPOSITORY / "configs" / name) for name in ("ladders.toml", "norland/parameters.toml")
    ]
    whats = [[problem.what for problem in format_problems("api", each, "--format api")] for each in parameters]
    assert any(what.startswith("has names for totals and sex by age, and none for ") for what in whats[0])
    assert any(what.startswith("has no summary level for the region types ") for what in whats[1])


def test_stage_1_that_it_has_no_place_for_stays_in_the_release():
    parameters = replace(load_parameters(REPOSITORY / "configs" / "ddhca-2020.toml"), publish_stage_1=True)
    assert format_problems("api", parameters, "--format api") == []
