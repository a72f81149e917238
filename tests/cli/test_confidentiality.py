"""What a run tells, and to whom: the release and the console nothing about people, the confidential log a lot."""

import re
import stat
from pathlib import Path

import duckdb
import pytest

from safetab_sql.kit.confidential_log import confidential_log
from safetab_sql.kit.marks import PHRASE
from tests.cli.command import Result, call, inputs
from tests.cli.nations import PERSONS, copied, keep_levels

PEOPLE = 1_237  # appears nowhere else: neither in a list, nor in a parameter, nor in a version
PERSON_FILE = "it's [kc7] * of march.parquet"  # read as it is written
STAGES = (
    *("checking the inputs", "counting population groups", "adding noise to totals"),
    *("counting tables", "adding noise to tables", "writing tables"),
)


@pytest.fixture(scope="module")
def logged_run(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A run of an unusual number of people from an unusual file, with progress and log: its folder, what it said."""
    folder = tmp_path_factory.mktemp("confidentiality")
    changed = copied(nation, folder / "nation")
    keep_levels(changed, "USA-1", "USA-2", "COUNTY-1")
    original, made, persons = changed / PERSONS, folder / "made.parquet", changed / "persons" / PERSON_FILE
    duckdb.sql(
        f"""copy (from '{original}' union all
            select person.* from (from '{original}' limit 1) as person, range({PEOPLE - 1_000})) to '{made}'"""
    )
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


def test_no_file_of_the_release_names_the_file_of_the_persons(logged_run):
    files = [file for file in (logged_run[0] / "release").rglob("*") if file.is_file()]
    assert [file for file in files if PERSON_FILE.partition(".")[0].encode() in file.read_bytes()] == []


def test_progress_names_stages_and_no_count(logged_run):
    assert logged_run[1].stderr == "".join(f"{stage} ...\n" for stage in STAGES)


def test_the_log_is_the_custodians_alone(logged_run):
    assert stat.S_IMODE((logged_run[0] / "log").stat().st_mode) == 0o600


def test_the_log_has_the_rows_and_the_time_of_every_counting_statement(logged_run):
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
