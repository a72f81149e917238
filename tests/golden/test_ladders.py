"""Tables of one's own: the rows of two countries that are no census are those of an independent program."""

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import Parameters, load_parameters
from tests.golden.test_other_shapes import EXAMPLES, as_parquet
from tests.statistics import recorded_bits

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")
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
                row["STATISTIC"],
                (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]),
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
