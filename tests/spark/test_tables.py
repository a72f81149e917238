"""People in tables that Spark alone can read: what a run of them gives, what it refuses, and what it leaves."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from safetab_sql import InputError, InputPaths, Resources, validate
from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.cluster.spark import Spark, SparkTable, spark_context
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import Progress
from tests.cluster.nations import ONE_THREAD, contents
from tests.spark.clusters import Home, Made, files_with, made_by, of_one_machine, released, spoilt_nation

pytestmark = pytest.mark.spark
TWO = Spark("local[2]")


@pytest.fixture(scope="module")
def spark(home: Home, nation: InputPaths) -> Iterator[Any]:
    """One session for all tests, with the people of the nation in table census.persons."""
    with spark_context(replace(TWO, reads_records=True)):
        session = pytest.importorskip("pyspark.sql").SparkSession.builder.getOrCreate()
        session.sql("create database census")
        save(session, nation, "census.persons", 5)
        yield session


def save(session: Any, nation: InputPaths, table: str, files: int) -> None:
    """The people of a nation as a table of so many files, in the order of the nation's."""
    rows = session.read.parquet(str(nation.persons)).coalesce(1)
    people = sum(pq.read_metadata(file).num_rows for file in Path(str(nation.persons)).glob("*.parquet"))
    rows.write.option("maxRecordsPerFile", -(-people // files)).saveAsTable(table)


def of_table(nation: InputPaths, name: str) -> InputPaths:
    return replace(nation, persons=SparkTable(name))


def problems_of(nation: InputPaths, name: str, spark: Spark = TWO) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as refused:
        validate(of_table(nation, name), spark=spark, resources=ONE_THREAD)
    return refused.value.problems


@pytest.fixture(scope="module")
def made(spark: Any, home: Home, nation: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_by(TWO, of_table(nation, "census.persons"), home, tmp_path_factory.mktemp("made"))


def test_the_release_is_that_of_the_files_to_the_byte(made, expected):
    assert contents(made.folder / "release") == expected
    assert [charge.state for charge in read_ledger(made.folder / "ledger").charges] == ["released"]


def test_the_table_is_named_in_the_confidential_log_alone(made, nation):
    log = (made.folder / "log").read_text(encoding="utf-8")
    people = sum(pq.read_metadata(file).num_rows for file in Path(str(nation.persons)).glob("*.parquet"))
    told = [line.split(": ")[1].split()[0] for line in log.splitlines() if " totals of part " in line]
    assert len(told) >= 2
    assert sum(int(each.replace(",", "")) for each in told) == people
    assert files_with([b"census.persons"], [made.folder / "release", made.folder / "ledger"]) == []
    assert b"census.persons" not in (made.folder / "ledger").read_bytes()


def test_no_record_lies_on_a_disk_between_the_passes(made):
    assert made.files  # the broadcasts, encrypted
    assert [name for name in made.files if "rdd_" in name or "shuffle" in name or "safetab-sql-scratch" in name] == []
    assert [name for name, content in made.files.items() if b"QRACE1" in content or b"TABBLKST" in content] == []


def test_partitions_without_records_change_nothing(spark, home, nation, expected, tmp_path):
    """A view that shuffles: each of its seven partitions has the people of a few states, or nobody."""
    shuffled, needles = dict[str, bytes](), tracts(nation)

    def stage(name: str) -> None:
        if name == "counting tables":
            shuffled.update({name: content for name, content in contents(home.local).items() if "shuffle_" in name})

    spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    shuffling = "select /*+ repartition(7, TABBLKST) */ * from census.persons"
    spark.sql(f"create or replace temporary view by_state as {shuffling}")
    log = Resources(threads=1, confidential_log=tmp_path / "log")
    made = released(of_table(nation, "by_state"), tmp_path, TWO, resources=log, progress=Progress(stage=stage))
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    records = [line.split(": ")[1].split()[0] for line in lines if " totals of part " in line]
    assert (len(records), "0" in records, made == expected) == (7, True, True)
    assert sum(map(len, shuffled.values())) > 100_000
    assert [name for name, content in shuffled.items() for needle in needles if needle in content] == []


def tracts(nation: InputPaths) -> list[bytes]:
    first = next(Path(str(nation.persons)).glob("*.parquet"))
    return [str(code).encode() for code in pq.read_table(first)["TABTRACTCE"].unique().to_pylist()[:50]]


def test_a_table_without_records_gives_what_a_file_without_records_gives(spark, nation, tmp_path):
    spark.sql("create or replace temporary view nobody as select * from census.persons where false")
    file = tmp_path / "nobody.parquet"
    first = next(Path(str(nation.persons)).glob("*.parquet"))
    pq.write_table(pq.read_schema(first).empty_table(), file)
    asked = replace(nation, persons=file)
    (tmp_path / "one").mkdir()
    assert released(of_table(nation, "nobody"), tmp_path, TWO) == of_one_machine(asked, tmp_path / "one")
    (warning,) = validate(of_table(nation, "nobody"), spark=TWO, resources=ONE_THREAD)
    (of_file,) = validate(asked, resources=ONE_THREAD)
    place = "TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK"
    assert (warning.where, warning.what) == (f"Spark table nobody [{place}]", of_file.what)
    assert sorted(warning.examples) == sorted(of_file.examples)


def test_the_problems_of_records_name_the_table_the_partition_and_the_row(spark, nation, tmp_path):
    spoilt = spoilt_nation(tmp_path / "nation")
    save(spark, spoilt, "census.spoilt", 3)
    with pytest.raises(InputError) as whole:
        validate(spoilt, resources=ONE_THREAD)
    with pytest.raises(InputError) as refused:
        released(of_table(spoilt, "census.spoilt"), tmp_path, TWO)
    told, of_files = refused.value.problems, whole.value.problems
    assert {each.what for each in told} == {each.what for each in of_files}
    assert {each.where.split(" [")[0] for each in told} == {"Spark table census.spoilt"}
    assert len(told) >= 2
    values = {example.split(", ", 2)[2] for each in told for example in each.examples}
    assert values == {example.split(", ", 1)[1] for each in of_files for example in each.examples}
    examples = [example for each in told for example in each.examples]
    places = [re.match(r"Spark table census.spoilt, partition (\d+) row (\d+), ", example) for example in examples]
    partitions = spark.table("census.spoilt").rdd.glom().collect()
    assert {partitions[int(each[1]) - 1][int(each[2]) - 1].QRACE1 for each in places if each} == {"9999"}
    assert None not in places
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nation"]


def forgetting(session: Any) -> Progress:
    """Workers forget the answers of the first pass, as if they had been killed: the second reads the table again."""

    def forget(name: str) -> None:
        if name == "counting tables":
            for kept in session.sparkContext._jsc.getPersistentRDDs().values():
                kept.unpersist(True)

    return Progress(stage=forget)


def test_a_partition_that_gives_other_records_when_it_is_read_again_is_refused(spark, nation, tmp_path):
    chance = "cast(reflect('java.lang.Math', 'random') as double)"
    spark.sql(f"create or replace temporary view sampled as select * from census.persons where {chance} < 0.5")
    with pytest.raises(InputError, match=r"Spark table sampled: gave other records when .* read them again"):
        released(of_table(nation, "sampled"), tmp_path, TWO, progress=forgetting(spark))
    assert [charge.state for charge in read_ledger(tmp_path / "ledger").charges] == ["reserved"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *(("census.nowhere", "TABLE_OR_VIEW_NOT_FOUND"), ("no name", "PARSE_SYNTAX_ERROR")),
        *(("", "PARSE_EMPTY_STATEMENT"), ("parquet.`/nowhere`", "PATH_NOT_FOUND")),
    ],
)
def test_a_table_that_spark_does_not_know_is_refused(spark, nation, name, said):
    (problem,) = problems_of(nation, name)
    assert (problem.where, problem.what) == (f"Spark table {name}", f"cannot be read by Spark: {said}")


def test_columns_that_a_table_lacks_or_stores_otherwise_are_refused_before_a_record_is_read(spark, nation):
    spark.sql("create or replace temporary view lacking as select * except (QAGE, QSEX), 1 as age from census.persons")
    (problem,) = problems_of(nation, "lacking")
    assert problem.where == "Spark table lacking"
    assert problem.what.startswith("missing columns ")
    assert "QAGE" in problem.what.split("; found ")[0]
    assert "age" in problem.what.split("; found ")[1].split(", ")
    spark.sql(
        "create or replace temporary view odd as select * except (QAGE), array(QAGE) as QAGE, "
        "current_timestamp() as made, interval 1 month as spell from census.persons"
    )
    (problem,) = problems_of(nation, "odd")
    assert (problem.where, problem.what) == ("Spark table odd [QAGE]", "stored as list<element: int16>")


def test_columns_in_small_letters_of_other_types_are_read_as_hive_stores_them(spark, nation, expected, tmp_path):
    """Codes as numbers of several kinds, beside a column that DuckDB could not read."""
    names = spark.table("census.persons").columns
    kinds = {"QAGE": "smallint", "QSEX": "tinyint", "TABBLKST": "int", "TABBLKCOU": "decimal(3,0)", "TABBLK": "bigint"}
    read = [f"cast({name} as {kinds[name]}) as {name.lower()}" if name in kinds else f"{name} as {name.lower()}"
            for name in names]  # fmt: skip
    spark.sql(
        f"create or replace temporary view theirs as select {', '.join(read)}, interval 1 month as spell, "
        "current_timestamp() as person_row from census.persons"
    )
    assert released(of_table(nation, "theirs"), tmp_path, TWO) == expected


def test_what_spark_fails_to_read_or_compute_is_our_error_and_quotes_no_value(spark, nation, capfd):
    spark.sql("create or replace temporary view cast as select * except (QAGE), int(concat(QAGE, 'yrs')) as QAGE "
              "from census.persons")  # fmt: skip
    (problem,) = problems_of(nation, "cast")
    assert (problem.where, problem.what) == ("Spark table cast", "cannot be read by Spark: CAST_INVALID_INPUT")
    printed = capfd.readouterr()
    assert "yrs" not in printed.out + printed.err
    logger = spark.sparkContext._jvm.org.apache.logging.log4j.LogManager.getRootLogger()
    assert logger.getLevel().toString() == "FATAL"  # Java, too, writes it to stderr otherwise
