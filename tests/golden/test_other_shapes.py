"""Two countries of the specification that are no census: their totals are those of an independent program."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.account import account
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from tests.cli.command import call
from tests.conftest import SHARED

EXAMPLES = SHARED / "oracle" / "households" / "examples"
pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")
LEVEL = "\n[levels.{}]\nbudget = {}\nthresholds = [50, 500, 5000]"
NORLAND = """
privacy_definition = "zcdp"
gamma = 0.1
zero_suppression_chance = 0.999
place.key = { MUNICIPALITY = "text" }
lists = { codes = "ancestry-codes", members = "ancestry-members" }
[parts]
mainland.where.TERRITORY = ["M"]
islands.where.TERRITORY = ["I"]
[region_types]
COUNTRY = { part = "mainland", id = "'NO'" }
PROVINCE = { part = "mainland", id = "PROVINCE" }
MUNICIPALITY = { part = "mainland", id = "MUNICIPALITY", suppress = true }
ISLANDS = { part = "islands", id = "'IS'" }
[questions]
ancestry = { columns = ["ANCESTRY_1", "ANCESTRY_2", "ANCESTRY_3"], iterations = "ancestry-groups" }
""" + "".join(
    LEVEL.format(name, budget)
    for name, budget in {
        "COUNTRY-region": "0.5",
        "COUNTRY-people": "0.5",
        "ISLANDS-region": "0.5",
        "PROVINCE-region": "0.2",
        "MUNICIPALITY-region": "0.2",
    }.items()
)
HOSPITALS = """
is_simulated = true
privacy_definition = "puredp"
gamma = 0.2
unit = { one = "stay", many = "stays" }
place.key = { HOSPITAL = "text" }
[region_types]
ALL.id = "'all'"
HOSPITAL.id = "HOSPITAL"
[questions]
diagnosis = { column = "MDC", values = ["01", "02", "03", "04", "05", "NA"] }
""" + "".join(LEVEL.format(name, budget) for name, budget in {"ALL-1": "0.4", "HOSPITAL-1": "0.6"}.items())


def as_parquet(source: Path, target: Path, records: str = "") -> Path:
    """A comma-separated file of the example as Parquet; records: a condition of records that are counted.

    Records get a sex and an age, which no total depends on.
    """
    rows = f"read_csv('{source}', all_varchar = true)"
    select = f"select *, '1' as QSEX, '30' as QAGE from {rows} where {records}" if records else f"from {rows}"
    duckdb.sql(f"copy ({select}) to '{target}' (format parquet)")
    return target


def made(folder: Path, name: str, parameters: str, files: Mapping[str, str], records: str, lists: Sequence[str]):
    data = EXAMPLES / name
    for stem in lists:
        as_parquet(data / f"{stem}.csv", folder / f"{stem}.parquet")
    (folder / "parameters.toml").write_text(parameters, encoding="utf-8")
    return InputPaths(
        folder / "parameters.toml",
        as_parquet(data / files["persons"], folder / "persons.parquet", records),
        as_parquet(data / files["geography"], folder / "geography.parquet"),
        folder if lists else None,
    )


@pytest.fixture(scope="module")
def norland(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    lists = ("ancestry-codes", "ancestry-groups", "ancestry-members")
    files = {"persons": "residents.csv", "geography": "geography.csv"}
    return made(tmp_path_factory.mktemp("norland"), "norland", NORLAND, files, "true", lists)


@pytest.fixture(scope="module")
def hospitals(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    files = {"persons": "stays.csv", "geography": "hospitals.csv"}
    return made(tmp_path_factory.mktemp("hospitals"), "hospitals", HOSPITALS, files, "KIND = 'inpatient'", ())


def expected_totals(name: str) -> dict[tuple[str, ...], int]:
    with (EXAMPLES / name / "expected.csv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["STATISTIC"] == "total"]
    return {(row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]): int(row["COUNT"]) for row in rows}


def totals(inputs: InputPaths, out: Path) -> dict[tuple[str, ...], int]:
    ground_truth(inputs, out, dense=True, resources=Resources(threads=1))
    columns = "REGION_TYPE, REGION_ID, ITERATION_CODE, COUNT"
    rows = duckdb.sql(f"select {columns} from '{out}/t1.parquet'").fetchall()
    return {row[:3]: row[3] for row in rows}


@pytest.mark.parametrize("name", ["norland", "hospitals"])
def test_the_totals_are_those_of_the_oracle(name, request, tmp_path):
    wanted = expected_totals(name)
    assert len(wanted) > 15
    assert totals(request.getfixturevalue(name), tmp_path / "truth") == wanted


@pytest.mark.parametrize(
    ("name", "stabilities", "losses"),
    [
        ("norland", {"region": 2, "people": 3}, {"mainland": "7/5", "islands": "1/2"}),
        ("hospitals", {"1": 1}, {"all": "1"}),
    ],
)
@pytest.mark.each_time("hospitals")
def test_stabilities_and_losses_are_those_of_the_specification(name, stabilities, losses, request):
    inputs = request.getfixturevalue(name)
    entries = account(inputs.parameters, code_lists=inputs.code_lists).entries
    assert {level.name.rpartition("-")[2]: level.catalog.stability for level in entries.levels} == stabilities
    assert {part: str(loss.of_record) for part, loss in entries.parts.items()} == losses


@pytest.mark.parametrize("command", ["account", "plan", "validate"])
@pytest.mark.each_time("account")
def test_a_level_that_no_list_has_is_refused_beside_those_that_there_are(command, norland, tmp_path):
    text = Path(norland.parameters).read_text(encoding="utf-8")
    changed = tmp_path / "parameters.toml"
    changed.write_text(text.replace("[levels.PROVINCE-region]", "[levels.PROVINCE-regoin]"), encoding="utf-8")
    files = {"account": (), "plan": ("geography",), "validate": ("persons", "geography")}
    options = [text for name in files[command] for text in (f"--{name}", str(getattr(norland, name)))]
    refused = call(command, "--parameters", changed, "--code-lists", str(norland.code_lists), *options)
    assert refused.code == 2
    assert "PROVINCE-regoin, levels_of_the_lists=people, region" in refused.stderr, refused.stderr
