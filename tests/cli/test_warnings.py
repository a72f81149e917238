"""What the custodian is told, and what stops nothing: whether a run is accepted never hangs on one person."""

import re
from collections import defaultdict
from pathlib import Path

import duckdb
import pytest

from safetab_sql.kit.sqlfiles import folder_files
from safetab_sql.public.checks import _problem
from tests.cli.command import Result, call, inputs, refusal
from tests.cli.nations import GEOGRAPHY, PERSONS, copied, keep_levels, replace_text, rewrite

PLACE = "TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK"
SAID = f"persons [{PLACE}]: 1 value(s) of the parts to be run that not a single record has"


@pytest.fixture(scope="module")
def empty_state(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A nation in which nobody lives in Wyoming, though it is requested."""
    folder = copied(nation, tmp_path_factory.mktemp("warnings") / "nation")
    keep_levels(folder, "USA-1", "STATE-1")
    rewrite(folder / PERSONS, "select * exclude (number) from rows where TABBLKST <> '56'")
    return folder


@pytest.fixture(scope="module")
def done(empty_state: Path) -> Result:
    log = ("--confidential-log", empty_state.parent / "log")
    return call("run", *inputs(empty_state), "--out", empty_state.parent / "release", *log, "--quiet")


def test_a_run_is_made_for_a_state_in_which_nobody_lives(empty_state, done):
    out = empty_state.parent / "release"
    assert (done.code, done.stdout) == (0, f"{out}\n")
    wyoming = duckdb.sql(f"select count(*) from '{out}/t1/*.parquet' where REGION_ID = '56'").fetchall()[0][0]
    assert wyoming > 0


def test_the_custodian_is_warned_on_stderr_however_quiet_the_run(done):
    assert done.stderr.startswith("warning: ")
    assert (SAID in done.stderr, "TABBLKST=56" in done.stderr, done.stderr.count("warning: ")) == (True, True, 1)


def test_warnings_are_told_beside_problems_and_not_counted_among_them(empty_state, tmp_path):
    spoilt = copied(empty_state, tmp_path / "nation")
    rewrite(spoilt / PERSONS, "select * exclude (number) replace (if(number = 1, '3', QSEX) as QSEX) from rows")
    said = refusal("validate", *inputs(spoilt), "--quiet")
    assert "1 problem.\n" in said
    assert SAID in said


def test_people_of_states_that_are_not_requested_are_counted_in_the_log_alone(spoilt, tmp_path):
    """They need no listed place. Of the persons of records that the parameters bound nothing is said either."""
    rewrite(spoilt / GEOGRAPHY, "select * exclude (number) from rows where TABBLKST <> '56'")
    replace_text(spoilt / "parameters.toml", '"06", "56"', '"06"')
    told_of(spoilt, 'one = "visit", many = "visits", records_of_a_person = 2')
    people = duckdb.sql(f"select count(*) from '{spoilt / PERSONS}' where TABBLKST = '56'").fetchall()[0][0]
    done = call("validate", *inputs(spoilt), "--quiet", "--confidential-log", tmp_path / "log")
    assert done == Result(0, "no errors\n", "")
    assert f"{people:,} record(s) of places that the parameters do not request" in (tmp_path / "log").read_text()


def told_of(nation: Path, unit: str) -> None:
    parameters = nation / "parameters.toml"
    parameters.write_text(f"unit = {{ {unit} }}\n{parameters.read_text()}", encoding="utf-8")


def test_twenty_offending_records_stand_in_the_log_by_file_and_row_and_cannot_break_their_line(spoilt, tmp_path):
    spoil = "if(number <= 298, 116, QAGE) as QAGE, if(number = 1, chr(10) || 'x', QSEX) as QSEX"
    rewrite(spoilt / PERSONS, f"select * exclude (number) replace ({spoil}) from rows")
    refused = call("validate", *inputs(spoilt), "--quiet", "--confidential-log", tmp_path / "log")
    log = (tmp_path / "log").read_text()
    logged = re.findall(r"persons_number_out_of_range: persons\.parquet row (\d+), QAGE=116$", log, re.M)
    assert (len(logged), set(map(int, logged)) <= set(range(1, 299))) == (20, True)
    assert "QSEX=\\nx" in log
    assert ["298 record(s) whose AGE" in said for said in (refused.stderr, log)] == [True, True]
    assert refused.stderr.count("for example") == 5 + 1


def test_stdout_of_validate_tells_nothing_that_one_person_can_change(empty_state, nation):
    warned, silent = (call("validate", *inputs(folder), "--quiet", "--json") for folder in (empty_state, nation))
    assert (warned.code, warned.stdout) == (silent.code, silent.stdout)
    assert warned.stderr.endswith("1 warning, which refuses no run.\n")


WARNINGS = (
    "1 value(s) of unit.where that not a single record has",
    "=f",
    "every record is left out",
    "unit.leave_out has age",
    "one visit is what is protected, and nothing says how many visits a person can have",
)


def test_validate_warns_where_nobody_is_left_or_nothing_is_said_of_persons_and_refuses_nothing(spoilt):
    rewrite(spoilt / PERSONS, "select * exclude (number) replace (999 as QAGE) from rows where number <= 300")
    told_of(spoilt, """one = "visit", many = "visits", where = { QSEX = ["f", "1"] }, leave_out = ["age"]""")
    done = call("validate", *inputs(spoilt), "--quiet")
    assert (done.code, done.stdout) == (0, "no errors\n")
    assert [said for said in WARNINGS if said not in done.stderr] == []


def test_a_warning_of_records_tells_neither_how_many_they_are_nor_which():
    """A run goes on and prints it; number and records stand in the confidential log."""
    of_records = [file for file in folder_files("checks") if file.kind == "warning" and "person_row" in file.body]
    assert of_records
    found: defaultdict[str, str] = defaultdict(str)
    for file in of_records:
        problem = _problem(file, 12_345, ("persons.parquet row 7",), found)
        assert (problem.examples, "12,345" in problem.what, "some record(s)" in problem.what) == ((), False, True)
