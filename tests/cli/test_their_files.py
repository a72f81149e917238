"""Files as their owner has them, region types of one's own, and places and numbers that commands refuse."""

import hashlib
import random
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.audited_counts import table_counts
from safetab_sql.evaluation.compared import find_releases
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.kit.database import Resources, table_digest
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.whole_folders import check_new_folder, is_marked, write_whole_file
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.sources import find_source
from safetab_sql.published.manifest import source_digests
from safetab_sql.release.folder import release_facts
from tests.cli.command import call, refusal
from tests.conftest import REPOSITORY

SHAPE = """
privacy_definition = "zcdp"
gamma = 0.1
place.key = { district = "text" }
region_types.COUNTRY.id = "'all'"
region_types.DISTRICT.id = "district"
questions.ward = { column = "ward", values = ["A", "B"] }
levels.COUNTRY-1 = { budget = 1, thresholds = [0, 0, 0] }
levels.DISTRICT-1 = { budget = 1, thresholds = [0, 0, 0] }
"""
THEIRS = """
attributes.SEX = { column = "gender", groups.sex = { 1 = ["M", "male"], 2 = ["F"] } }
attributes.AGE = { column = "age_years", unknown = [99] }
unit.where.kind = ["inpatient"]
unit.id = "stay"
"""
LEAVE_OUT = 'unit.leave_out = ["age", "sex", "place", "codes"]\n'
# Of each: stay, kind, district, ward, gender, age. The first six count; of the others each has one fault.
GOOD = [
    (1, "inpatient", "north", "A", "M", 12.0),
    (2, "inpatient", "north", "B", "male", 0.0),
    (3, "inpatient", "north", "A", "F", 115.0),
    (4, "inpatient", "south", "A", "F", 40.0),
    (5, "inpatient", "south", "B", "F", 41.0),
    (6, "inpatient", "south", "B", "M", 98.0),
]
OUTSIDE = [(7, "outpatient", "north", "A", "M", 12.0), (8, None, "nowhere", "Z", "X", float("nan"))]
UNUSABLE = [
    *((9, "inpatient", "north", "A", "M", 99.0), (10, "inpatient", "north", "A", "M", float("nan"))),
    *((11, "inpatient", "north", "A", "F", 12.5), (12, "inpatient", "north", "A", "X", 30.0)),
    *((13, "inpatient", "nowhere", "A", "F", 30.0), (14, "inpatient", "north", "Z", "F", 30.0)),
    (15, "inpatient", "north", None, "F", 30.0),
]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database, its tables as other files, and parameters."""
    folder = tmp_path_factory.mktemp("theirs")
    rows = [*GOOD, *OUTSIDE, *UNUSABLE]
    random.Random(1).shuffle(rows)
    with duckdb.connect(str(folder / "extract.duckdb")) as database:
        kinds = "stay integer, kind varchar, district varchar, ward varchar, gender varchar, age_years double"
        database.execute(f"create table stays ({kinds})")
        database.executemany("insert into stays values (?, ?, ?, ?, ?, ?)", rows)
        database.execute("create schema clean")
        database.execute("create view clean.stays as select * from main.stays where stay <= 8")
        database.execute("create table districts as select unnest(['north', 'south']) as district")
        for name, options in {"parquet": "format parquet", "csv": "header", "txt": "header, delimiter '|'"}.items():
            database.execute(f"copy clean.stays to '{folder}/stays.{name}' ({options})")
        database.execute(f"copy districts to '{folder}/districts.csv' (header)")
        database.execute(f"create view elsewhere as from read_csv('{folder}/districts.csv')")
    (folder / "strict.toml").write_text(SHAPE + THEIRS)
    (folder / "lenient.toml").write_text(SHAPE + THEIRS + LEAVE_OUT)
    return folder


def counted(folder: Path, parameters: str, persons: str, geography: str, log: Path) -> tuple[object, object]:
    paths = InputPaths(folder / parameters, folder / persons, folder / geography)
    out = log.with_suffix(".truth")
    ground_truth(paths, out, resources=Resources(threads=1, confidential_log=log))
    assert [file for file in out.iterdir() if file.stat().st_mode & 0o077 or not is_marked(file)] == []
    return tuple(sorted(map(str, pq.read_table(out / f"{name}.parquet").to_pylist())) for name in ("t1", "t2"))


@pytest.fixture(scope="module")
def wanted(theirs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[object, object]:
    """The exact tables of the people who count, in the columns and codes of the 2020 Census."""
    (theirs / "census.toml").write_text(SHAPE)
    sexes = {"M": "1", "male": "1", "F": "2"}
    rows = "\n".join(f"{place}|{ward}|{sexes[sex]}|{age:.0f}" for _, _, place, ward, sex, age in GOOD)
    (theirs / "census.txt").write_text(f"district|ward|QSEX|QAGE\n{rows}\n")
    log = tmp_path_factory.mktemp("wanted") / "log"
    found = counted(theirs, "census.toml", "census.txt", "districts.csv", log)
    assert len(found[0]) == 6  # type: ignore[arg-type]
    return found


FORMS = ("stays.parquet", "stays.csv", "stays.txt", "extract.duckdb::clean.stays")


@pytest.mark.parametrize("persons", FORMS)
@pytest.mark.each_time("csv")
def test_people_count_the_same_in_any_form(theirs, tmp_path, wanted, persons):
    log = tmp_path / "log"
    assert counted(theirs, "strict.toml", persons, "extract.duckdb::districts", log) == wanted
    assert "2 record(s) outside the universe that the parameters state: none of them is counted" in log.read_text()


def test_the_digest_of_a_geography_tells_nothing_of_the_people_in_the_same_database(theirs, tmp_path):
    for name, change in {"all": "select 1", "one less": "delete from stays where stay = 1"}.items():
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as database:
            database.execute(f"attach '{theirs}/extract.duckdb' as given (read_only)")
            database.execute("create table stays as from given.clean.stays")
            database.execute("create table districts as from given.districts")
            database.execute(change)
    whole, less = (tmp_path / f"{name}.duckdb" for name in ("all", "one less"))
    (said,) = source_digests(find_source(f"{whole}::districts"))
    assert (said.file, said.sha256) == ("all.duckdb::main.districts", table_digest(less, ("main", "districts")))
    assert said.sha256 != hashlib.sha256(whole.read_bytes()).hexdigest()


def test_without_a_policy_every_unusable_record_is_an_error(theirs):
    paths = ("--persons", f"{theirs}/extract.duckdb::main.stays", "--geography", theirs / "districts.csv")
    said = refusal("validate", "--parameters", theirs / "strict.toml", *paths)
    wanted = ("[age_years]: 3 record(s)", "age_years=99.0", "[gender]: 1 record(s)", "whose SEX is none of M, male, F")
    assert [text for text in (*wanted, "gender=X", "ward=Z", "district=nowhere") if text not in said] == []


REFUSED = {
    "a table that is not there": ("extract.duckdb::people", "no table or view called 'people'"),
    "no table": ("extract.duckdb", "extract.duckdb::TABLE; its tables and views are clean.stays, districts"),
    "a name of two tables": ("extract.duckdb::stays", "has 2 tables called 'stays'"),
    "no database": ("lacking.duckdb::stays", "no file"),
    "a view that reads files": ("extract.duckdb::elsewhere", "cannot be read as a DuckDB database"),
}


@pytest.mark.parametrize(("persons", "said"), REFUSED.values(), ids=REFUSED)
@pytest.mark.each_time("no table", "no database")
def test_a_table_that_cannot_be_read_is_refused_with_those_that_can(theirs, persons, said):
    with pytest.raises(InputError, match="problem") as refused:
        counted(theirs, "strict.toml", persons, "districts.csv", theirs / "log")
    assert said in str(refused.value)


WRONG = {
    "an unknown key": ('[unit]\nkind = "x"', "unknown key 'kind'"),
    "an unknown policy": ('unit.leave_out = ["race"]', "name some of age, sex, place, codes"),
    "an empty universe": ("unit.where = {}", "where names no column"),
    "a value of both sexes": (
        'attributes.SEX = { column = "g", groups.sex = { 1 = ["M"], 2 = ["M"] } }',
        "'M' is in two groups",
    ),
    "an age in words": ('attributes.AGE.unknown = ["NA"]', "whole numbers that stand for a missing one"),
    "a column in two places": ('attributes.AGE.column = "Ward"', "Ward is the column of AGE, and ward of the answer"),
}


@pytest.mark.parametrize(("lines", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_line_says_what_to_write(tmp_path, lines, said):
    (tmp_path / "wrong.toml").write_text(SHAPE + lines)
    assert said in refusal("account", "--parameters", tmp_path / "wrong.toml")


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
@pytest.mark.each_time("plan")
def test_a_command_that_sees_no_geography_presumes_its_column(schools, name):
    done = call(*COMMANDS[name], "--parameters", schools)
    assert (done.code, SAID.get(name, "SCHOOL") in done.stdout) == (0, True), done.stderr


def test_the_statement_that_reads_such_a_geography_can_be_pasted(nation, schools, tmp_path):
    geography = tmp_path / "geography.parquet"
    duckdb.sql(
        f"copy (select *, TABBLKCOU as SDELM from '{nation / 'geography.parquet'}') to '{geography}' (format parquet)"
    )
    shown = call("sql", "show", "geography_rows", "--parameters", schools, "--geography", geography).stdout
    with duckdb.connect() as connection:
        assert connection.sql(shown).count("SDELM").fetchall()[0][0] > 0


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A folder that looks like a release."""
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.parametrize("place", ["truth", "t1/truth"])
def test_no_folder_is_made_in_a_release(release, place):
    (release / "t1").mkdir()
    problems = check_new_folder(release / place, (), overwrite=False)
    assert [problem.what for problem in problems] == [
        f"lies in {release.resolve()}, which was made whole and is given away whole"
    ]


def test_no_file_is_written_into_a_release_or_a_folder_that_is_not_there(release, tmp_path):
    with pytest.raises(InputError, match="given away whole"):
        write_whole_file(release / "report.html", "exact", overwrite=False)
    assert [path.name for path in release.iterdir()] == ["manifest.json"]
    with pytest.raises(InputError, match="make it first"):
        write_whole_file(tmp_path / "none" / "report.html", "exact", overwrite=False)
    assert not (tmp_path / "none").exists()


def test_a_release_is_not_evaluated_twice_at_once(tmp_path):
    with pytest.raises(InputError, match="is named twice, and would count twice"):
        find_releases([tmp_path, tmp_path / "." / "x" / ".."], tmp_path, tmp_path)


def test_the_noisy_column_is_not_its_own_truth(tmp_path):
    pq.write_table(pa.table({"count": [1, 2]}), tmp_path / "counts.parquet")
    with pytest.raises(InputError, match="--noisy and --exact are both count"):
        table_counts(tmp_path / "counts.parquet", "count", "count")


def test_codes_stored_as_text_are_no_counts(tmp_path):
    pq.write_table(pa.table({"count": [1, 2], "region": ["01", "02"]}), tmp_path / "counts.parquet")
    with pytest.raises(InputError, match="stored as string"):
        table_counts(tmp_path / "counts.parquet", "count", "region")


def test_the_manifest_of_another_command_is_called_that():
    with pytest.raises(InputError, match="no command of safetab-sql made it"):
        release_facts({"ledger": {}})


def test_the_figures_of_a_report_are_not_put_in_its_place_and_a_folder_stands_for_its_manifest(release, tmp_path):
    page = tmp_path / "page.html"
    done = call("report", str(release), "--out", str(page), "--figures", str(page))
    assert (done.code, page.exists()) == (2, False)
    done = call("semantics", "--manifest", str(release))
    assert str(release / "manifest.json") in done.stderr
