"""What commands tell, and to whom: the release and stdout nothing about people, the custodian and the log a lot."""

import json
import re
import stat
from collections import defaultdict
from pathlib import Path

import duckdb
import pytest

from safetab_sql.kit.progress import confidential_log
from safetab_sql.kit.sqlfiles import folder_files
from safetab_sql.kit.whole_folders import PHRASE, is_marked
from safetab_sql.public.checks import _problem
from tests.cli import nations
from tests.cli.command import Result, call, inputs, refusal

PEOPLE = 1_237  # appears nowhere else: neither in a list, nor in a parameter, nor in a version
PERSON_FILE = "it's [kc7] * of march.parquet"  # read as it is written
UNIT = '[unit]\nid = "CASE_ID"'
IDS = "select * exclude (number), 'canary-' || number as CASE_ID from rows"
STAGES = ("checking the inputs", "counting population groups", "adding noise to totals", "counting tables")
STAGES += ("adding noise to tables", "writing tables")


@pytest.fixture(scope="module")
def logged_run(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A run of an unusual number of people, none in Wyoming, from an unusual file, with progress and log."""
    folder = tmp_path_factory.mktemp("confidentiality")
    changed = nations.copied(nation, folder / "nation")
    nations.keep_levels(changed, "USA-1", "USA-2", "STATE-1", "COUNTY-1")
    original, made, persons = changed / nations.PERSONS, folder / "made.parquet", changed / "persons" / PERSON_FILE
    elsewhere = f"from '{original}' where TABBLKST <> '56'"  # though the state is requested
    duckdb.sql(
        f"""copy (from ({elsewhere} union all
            select person.* from ({elsewhere} limit 1) as person, range({PEOPLE})) limit {PEOPLE}) to '{made}'"""
    )
    nations.rewrite(made, IDS)
    nations.append_line(changed / "parameters.toml", UNIT)
    made.rename(persons)
    original.unlink()
    log = ("--confidential-log", folder / "log")
    return folder, call("run", *inputs(changed), "--out", folder / "release", *log)


def test_the_canaries_are_in_the_log(logged_run):
    """So that their absence elsewhere means something."""
    assert f"{PEOPLE:,} rows" in (logged_run[0] / "log").read_text()


def test_the_release_has_a_row_for_every_group_of_a_nation_or_state_whether_anybody_is_in_it(logged_run):
    """No row of the nation exists because somebody is there: suppression is for sub-state regions alone."""
    release = logged_run[0] / "release"
    lists = logged_run[0] / "nation" / "code-lists"
    published = duckdb.sql(f"select count(*) from '{release}/t1/*.parquet' where REGION_TYPE = 'USA'").fetchall()
    listed = duckdb.sql(
        f"""select count(*) from read_csv('{lists}/*-characteristic-iterations.txt', delim = '|', quote = '',
            all_varchar = true, union_by_name = true) where LEVEL <> '0' and COARSE_ONLY = 'False'"""
    ).fetchall()
    assert published == listed


def test_no_name_is_published(logged_run):
    folder, said = logged_run
    files = [file for file in (folder / "release").rglob("*") if file.is_file()]
    told = said.stdout + said.stderr + "".join(file.read_bytes().decode("latin-1") for file in files)
    assert (said.code, "canary" in told) == (0, False)


def test_neither_files_nor_progress_tell_of_people_and_the_log_tells_its_owner_of_every_counting_statement(logged_run):
    files = [file for file in (logged_run[0] / "release").rglob("*") if file.is_file()]
    assert [file for file in files if PERSON_FILE.partition(".")[0].encode() in file.read_bytes()] == []
    said = [line.removesuffix(" ...") for line in logged_run[1].stderr.splitlines() if line.endswith(" ...")]
    assert (said, "1,237" in logged_run[1].stderr) == ([*STAGES], False)
    assert stat.S_IMODE((logged_run[0] / "log").stat().st_mode) == 0o600
    log = (logged_run[0] / "log").read_text()
    assert re.search(r"run/4_totals/slice_totals: [\d,]+ rows in \d+\.\d\d s", log)
    assert re.search(r"run/5_tables/group_cells: [\d,]+ rows in \d+\.\d\d s", log)


def test_a_log_that_exists_is_continued_below_another_head_and_closed_to_others(tmp_path):
    log = tmp_path / "log"
    for line in ("of yesterday", "of today"):
        with confidential_log(log) as write:
            write(line)
        log.chmod(0o644)
    said = [line.split(" ", 1)[1].partition(" after ")[0] for line in log.read_text().splitlines()]
    head = f"started; {PHRASE}"
    assert said == [head, "of yesterday", "ended", head, "of today", "ended"]
    with confidential_log(log):
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_ledger_that_is_to_be_begun_is_not_the_log_as_well(nation, tmp_path):
    both = ("--ledger", tmp_path / "kept", "--confidential-log", tmp_path / "kept")
    refused = call("run", *inputs(nation), "--out", tmp_path / "out", *both)
    assert (refused.code, "is the confidential log as well" in refused.stderr) == (2, True), refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_place_of_the_log_is_not_followed(nation, tmp_path):
    (tmp_path / "log").symlink_to(tmp_path / "elsewhere")
    refused = call("validate", *inputs(nation), "--confidential-log", tmp_path / "log")
    assert (refused.code, (tmp_path / "elsewhere").exists()) == (2, False)


PLACE = "TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK"
SAID = f"persons [{PLACE}]: 1 value(s) of the parts to be run that not a single record has"


@pytest.fixture(scope="module")
def empty_state(logged_run: tuple[Path, Result]) -> Path:
    return logged_run[0] / "nation"


def test_a_run_is_made_for_a_state_in_which_nobody_lives_and_the_custodian_is_warned(logged_run):
    folder, done = logged_run
    assert (done.code, done.stdout) == (0, f"{folder / 'release'}\n")
    t1 = f"from '{folder}/release/t1/*.parquet' where REGION_ID = '56'"
    assert duckdb.sql(f"select count(*) {t1}").fetchall()[0][0] > 0
    assert (SAID in done.stderr, "TABBLKST=56" in done.stderr, done.stderr.count("warning: ")) == (True, True, 1)


def test_people_of_states_that_are_not_requested_are_counted_in_the_log_alone(spoilt, tmp_path):
    """They need no listed place. Of the persons of records that the parameters bound nothing is said either."""
    nations.rewrite(spoilt / nations.GEOGRAPHY, "select * exclude (number) from rows where TABBLKST <> '56'")
    nations.replace_text(spoilt / "parameters.toml", '"06", "56"', '"06"')
    told_of(spoilt, 'one = "visit", many = "visits", records_of_a_person = 2')
    people = duckdb.sql(f"select count(*) from '{spoilt / nations.PERSONS}' where TABBLKST = '56'").fetchall()[0][0]
    done = call("validate", *inputs(spoilt), "--quiet", "--confidential-log", tmp_path / "log")
    assert done == Result(0, "no errors\n", "")
    assert f"{people:,} record(s) of places that the parameters do not request" in (tmp_path / "log").read_text()


def told_of(nation: Path, unit: str) -> None:
    parameters = nation / "parameters.toml"
    parameters.write_text(f"unit = {{ {unit} }}\n{parameters.read_text()}", encoding="utf-8")


def test_twenty_offending_records_stand_in_the_log_by_file_and_row_and_cannot_break_their_line(empty_state, tmp_path):
    """Beside a warning, which is not counted among the problems."""
    spoilt = nations.copied(empty_state, tmp_path / "nation")
    persons = next((spoilt / "persons").iterdir()).rename(spoilt / nations.PERSONS)
    spoil = "if(number <= 298, 116, QAGE) as QAGE, if(number = 1, chr(10) || 'x', QSEX) as QSEX"
    nations.rewrite(persons, f"select * exclude (number) replace ({spoil}) from rows")
    refused = call("validate", *inputs(spoilt), "--quiet", "--confidential-log", tmp_path / "log")
    assert ("2 problems.\n" in refused.stderr, SAID in refused.stderr) == (True, True)
    log = (tmp_path / "log").read_text()
    logged = re.findall(r"persons_number_out_of_range: persons\.parquet row (\d+), QAGE=116$", log, re.M)
    assert (len(logged), set(map(int, logged)) <= set(range(1, 299))) == (20, True)
    assert "QSEX=\\nx" in log
    assert ["298 record(s) whose AGE" in said for said in (refused.stderr, log)] == [True, True]
    assert refused.stderr.count("for example") == 5 + 1 + 1


WARNINGS = (
    *("1 value(s) of unit.where that not a single record has", "=f", "every record is left out"),
    *("unit.leave_out has age", "one visit is what is protected, and nothing says how many visits a person can have"),
)


def test_validate_warns_where_nobody_is_left_or_nothing_is_said_of_persons_and_refuses_nothing(spoilt):
    nations.rewrite(
        spoilt / nations.PERSONS, "select * exclude (number) replace (999 as QAGE) from rows where number <= 300"
    )
    told_of(spoilt, """one = "visit", many = "visits", where = { QSEX = ["f", "1"] }, leave_out = ["age"]""")
    done = call("validate", *inputs(spoilt), "--quiet", "--json")
    assert (done.code, json.loads(done.stdout)) == (0, {"errors": 0})  # as where nothing is to be warned of
    assert [said for said in WARNINGS if said not in done.stderr] == []
    assert done.stderr.endswith(" warning(s), which refuse no run.\n")


def test_a_warning_of_records_tells_neither_how_many_they_are_nor_which():
    """A run goes on and prints it; number and records stand in the confidential log."""
    of_records = [file for file in folder_files("checks") if file.kind == "warning" and "person_row" in file.body]
    assert of_records
    found: defaultdict[str, str] = defaultdict(str)
    for file in of_records:
        problem = _problem(file, 12_345, ("persons.parquet row 7",), found)
        assert (problem.examples, "12,345" in problem.what, "some record(s)" in problem.what) == ((), False, True)


@pytest.fixture(scope="module")
def named(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = nations.copied(nation, tmp_path_factory.mktemp("ids") / "nation")
    nations.rewrite(folder / nations.PERSONS, IDS)
    for name in ("parameters.toml", "bottom-up.toml"):
        nations.append_line(folder / name, UNIT)
    return folder


@pytest.fixture
def repeating(named: Path, tmp_path: Path) -> Path:
    """A copy in which a second file repeats the first person in other bytes, and holds one without a name."""
    folder = nations.copied(named, tmp_path / "nation")
    second = folder / "persons" / "second.parquet"
    second.write_bytes((folder / nations.PERSONS).read_bytes())
    nations.rewrite(
        second,
        "select * exclude (number) replace (if(number = 2, null, CASE_ID) as CASE_ID) from rows where number < 3",
    )
    return folder


IDS_SAID = (
    *("[unit.id]: 3 record(s) whose id is missing or occurs more than once", "PERSON_ID=canary-1"),
    *("PERSON_ID=NULL", "name a column with an id of each record, not of each person"),
    "leave unit.id out, and write under [unit] one, many and records_of_a_person",
)


@pytest.mark.parametrize("command", ["validate", "run", "ground-truth", "evaluate"])
@pytest.mark.each_time("[run")
def test_a_repeated_person_is_refused_by_every_command_that_reads_people(repeating, tmp_path, command):
    out = () if command == "validate" else ("--out", tmp_path / "out")
    runs = ("--runs", "1") if command == "evaluate" else ()
    refused = call(*command.split(), *inputs(repeating), *out, *runs, "--quiet")
    assert (refused.code, refused.stdout, (tmp_path / "out").exists()) == (2, "", False)
    assert [words for words in IDS_SAID if words not in refused.stderr] == []


@pytest.mark.parametrize("command", ["bottom-up run", "bottom-up curve"])
@pytest.mark.each_time("run")
def test_a_repeated_person_is_refused_by_histograms(repeating, tmp_path, command):
    files = ("--spec", repeating / "bottom-up.toml", "--data", repeating / "persons", "--out", tmp_path / "out")
    said = refusal(*command.split(), *files, "--quiet")
    assert "persons [CASE_ID]: 3 record(s) whose id is missing or occurs more than once" in said
    assert "record_id=canary-1" in said
    assert "leave unit.id out, and write under [unit] one, many and records_of_a_person" in said


def test_a_release_holds_its_tables_and_a_manifest(release):
    files = sorted(path.name for path in release.iterdir())
    assert files == ["codes", "csv-metadata.json", "group_index", "manifest.json", "suppressed", "t1", "t2"]


@pytest.mark.parametrize("name", ["t1", "t2"])
def test_a_count_lies_in_its_interval_unless_its_group_is_near_the_limit(release, name):
    rows = duckdb.sql(
        f"select COUNT, MOE95, LOW95, HIGH95, REGION_TYPE from '{release}/{name}/{name}.parquet'"
    ).fetchall()
    assert rows
    usual = [(low, high) == (count - moe95, count + moe95) for count, moe95, low, high, _ in rows]
    types = {row[4] for row, is_usual in zip(rows, usual, strict=True) if not is_usual}
    assert types <= ({"COUNTY", "TRACT", "PLACE", "AIANNH"} if name == "t1" else set())


@pytest.mark.slow
def test_the_ground_truth_says_what_it_is_and_is_readable_by_its_owner_alone(nation, tmp_path):
    out = tmp_path / "truth"
    done = call("ground-truth", *inputs(nation), "--out", out, "--quiet")
    assert {stat.S_IMODE(file.stat().st_mode) for file in out.iterdir()} == {0o600}
    assert (done.code, done.stdout, "EXACT counts" in done.stderr) == (0, f"{out}\n", True)
    assert all(map(is_marked, out.iterdir()))
