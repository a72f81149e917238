"""Two countries that are no census: totals, and tables of one's own, are those of an independent program."""

import csv
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.plan import account
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import Parameters, load_parameters
from tests.cli.command import call
from tests.conftest import SHARED
from tests.statistics import recorded_bits

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


def shaped(folder: Path, name: str, parameters: str, files: Mapping[str, str], records: str, lists: Sequence[str]):
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
    return shaped(tmp_path_factory.mktemp("norland"), "norland", NORLAND, files, "true", lists)


@pytest.fixture(scope="module")
def hospitals(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    files = {"persons": "stays.csv", "geography": "hospitals.csv"}
    return shaped(tmp_path_factory.mktemp("hospitals"), "hospitals", HOSPITALS, files, "KIND = 'inpatient'", ())


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


Group = tuple[str, ...]  # region type, region, iteration
Rows = dict[tuple[str, Group, Group], int]  # by statistic, group and codes
FILES = {
    "norland": ("residents", "geography", ("ancestry-codes", "ancestry-groups", "ancestry-members")),
    "hospitals": ("stays", "hospitals", ()),
}
# The order in which the codes of a row stand in the oracle's CELL; two columns of a range are one code there.
CELLS = {"EDU": ("EDUCATION", "AGE"), "OUTCOMES": ("OUTCOME", "AGE", "SEX"), "SEX": ("SEX",)}
LADDERS = {"norland": ("EDU",), "hospitals": ("OUTCOMES", "SEX")}
TINY = Resources(threads=1)


def made(name: str, folder: Path, budget: str | None = None) -> InputPaths:
    """The inputs of an example. budget: of every level, in place of its own."""
    persons, geography, lists = FILES[name]
    for stem in (persons, geography, *lists):
        as_parquet(EXAMPLES / name / f"{stem}.csv", folder / f"{stem}.parquet")
    shutil.copy(EXAMPLES / f"{name}.toml", folder / "parameters.toml")
    if budget is not None:
        text = (folder / "parameters.toml").read_text()
        shares = ("0.5", "0.2", "0.4", "0.6", "0.1 }")
        for share in shares:
            text = text.replace(f"budget = {share}", f"budget = {budget}{share[3:]}")
        (folder / "parameters.toml").write_text(text)
    files = (folder / "parameters.toml", folder / f"{persons}.parquet", folder / f"{geography}.parquet")
    return InputPaths(*files, folder if lists else None)


@pytest.fixture(scope="module", params=FILES)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, InputPaths]:
    return request.param, made(request.param, tmp_path_factory.mktemp(request.param))


def expected(name: str, ladder: str) -> Rows:
    with (EXAMPLES / name / "expected.csv").open(encoding="utf-8") as stream:
        return {
            (
                *(row["STATISTIC"], (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"])),
                tuple(row["CELL"].split("|")),
            ): int(row["COUNT"])
            for row in csv.DictReader(stream)
            if row["LADDER"] == ladder
        }


def written(file: Path, ladder: str, parameters: Parameters, first: str) -> Iterator[tuple[str, Group, Group, int]]:
    """The rows of a table: the value of `first`, the group, codes as in CELL, and the count."""
    columns = {attribute.name: attribute.publish for attribute in parameters.attributes}
    for row in duckdb.sql(f"from '{file}'").to_arrow_table().to_pylist():
        codes = []
        for attribute in CELLS[ladder]:
            ends = [row[column] for column in columns[attribute]]
            codes.append(ends[0] if ends == ["*"] * len(ends) or len(ends) == 1 else "-".join(ends))
        group = (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"])
        yield str(row.get(first)), group, tuple(codes), row["COUNT"]


@pytest.mark.each_time("norland")
def test_the_exact_tables_are_those_of_the_oracle(example, tmp_path):
    name, inputs = example
    ground_truth(inputs, tmp_path / "truth", dense=True, resources=TINY)
    parameters, compared = load_parameters(inputs.parameters), 0
    for ladder in LADDERS[name]:
        rows = expected(name, ladder)
        file = tmp_path / "truth" / f"{ladder.lower()}.parquet"
        found = {(group, codes): count for _, group, codes, count in written(file, ladder, parameters, "COUNT")}
        assert {key: found.get(key[1:]) for key in rows} == rows
        assert found.keys() == {key[1:] for key in rows}
        compared += len(rows)
    assert compared == {"norland": 5_280, "hospitals": 1_920}[name]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.each_time("hospitals")
def test_a_run_without_noise_publishes_the_rows_of_the_statistic_of_each_group(name, tmp_path):
    inputs = made(name, tmp_path, budget="1000000000")
    run(inputs, tmp_path / "out", resources=TINY, bits=recorded_bits("ladders"))
    parameters = load_parameters(inputs.parameters)
    for ladder in parameters.ladders:
        rows = expected(name, ladder.name)
        file = tmp_path / "out" / ladder.folder / f"{ladder.folder}.parquet"
        found = list(written(file, ladder.name, parameters, "STATISTIC"))
        released = {(statistic, group, codes): count for statistic, group, codes, count in found}
        assert len(released) == len(found)
        chosen = {group: statistic for statistic, group, _, _ in found}
        assert released == {key: count for key, count in rows.items() if chosen.get(key[1]) == key[0]}
        sizes = {key[1]: count for key, count in rows.items() if set(key[2]) == {"*"}}
        levels = {level.level.region_type: level.thresholds for level in ladder.levels}
        names = [ladder.total_name, *(statistic.name for statistic in ladder.statistics)]
        for group, statistic in chosen.items():
            reached = sum(sizes[group] >= threshold for threshold in levels[group[0]])
            assert names.index(statistic) == (reached if levels[group[0]] else 1)


def test_the_files_of_the_specification_say_what_ours_say(tmp_path):
    """They have a geography and questions of their own; the tables are those of configs/. One has a key that went."""
    configs = packaged_folder("configs")
    shutil.copy(EXAMPLES / "census-2020.toml", tmp_path)
    for name, ours in (("dhca-2020", "ddhca-2020"), ("dhcb-2020", "dhcb-2020")):
        text = (EXAMPLES / f"{name}.toml").read_text(encoding="utf-8").replace(", person_replaces = true", "")
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        theirs, known = load_parameters(tmp_path / f"{name}.toml"), load_parameters(configs / f"{ours}.toml")
        assert [each.levels for each in theirs.ladders] == [each.levels for each in known.ladders]
    assert [each.statistics for each in theirs.ladders] == [each.statistics for each in known.ladders]
    assert load_parameters(EXAMPLES / "dhca-2020.toml").is_sex_by_age
