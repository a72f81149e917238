"""The README's region type of one's own, over a column that only the geography file has: every command takes it."""

from pathlib import Path

import duckdb
import pytest

from tests.cli.command import call
from tests.cli.nations import request_few_states
from tests.conftest import REPOSITORY

SCHOOL = """
[region_types.SCHOOL]
id = "TABBLKST || SDELM"
without = "DETAILED_ONLY"
suppress = true

[levels.SCHOOL-2]
budget = 0.1
thresholds = [471, 971, 6971]
"""


@pytest.fixture
def schools(tmp_path: Path) -> Path:
    path = tmp_path / "schools.toml"
    example = (REPOSITORY / "configs" / "example.toml").read_text(encoding="utf-8")
    path.write_text(example + SCHOOL, encoding="utf-8")
    return path


COMMANDS = {
    "account": ["account"],
    "plan": ["plan", "--code-lists", REPOSITORY / "configs" / "example-lists"],
    "semantics": ["semantics"],
    "sql show": ["sql", "show", "geography_rows"],
}
SAID = {"sql show": '"SDELM" as "SDELM"', "plan": "SCHOOL-2  "}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.each_time("plan", "sql")
def test_a_command_that_sees_no_geography_presumes_its_column(schools, name):
    done = call(*COMMANDS[name], "--parameters", schools)
    assert (done.code, SAID.get(name, "SCHOOL") in done.stdout) == (0, True), done.stderr


def test_the_statement_that_reads_such_a_geography_can_be_pasted(nation, schools, tmp_path):
    geography = tmp_path / "geography.parquet"
    request_few_states(schools)
    duckdb.sql(
        f"copy (select *, TABBLKCOU as SDELM from '{nation / 'geography.parquet'}') to '{geography}' (format parquet)"
    )
    planned = call(
        *("plan", "--parameters", schools, "--geography", geography), *("--code-lists", nation / "code-lists")
    )
    assert planned.code == 0, planned.stderr
    shown = call("sql", "show", "geography_rows", "--parameters", schools, "--geography", geography).stdout
    with duckdb.connect() as connection:
        assert connection.sql(shown).count("SDELM").fetchall()[0][0] > 0
