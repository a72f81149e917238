"""People with several records, counted by Spark on this machine: the release of a run on one machine."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from safetab_sql import InputPaths, run
from safetab_sql.cluster.spark import Spark, SparkTable, spark_context
from tests.cluster.nations import ONE_THREAD
from tests.cluster.test_counts_of_parts import STAYS, stays_in_files
from tests.golden.sums import stays as stays_with_days
from tests.golden.sums import written
from tests.properties.persons_oracle import Bound
from tests.statistics import recorded_bits

pytestmark = pytest.mark.spark
BOUND = Bound(3, order=(("DAY", True),))


@pytest.fixture(scope="module")
def stays(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    """Stays whose patients are spread over three files."""
    return stays_in_files(tmp_path_factory.mktemp("stays"), BOUND, [STAYS[::3], STAYS[1::3], STAYS[2::3]])


def tables(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("t[12]/*"))]


@pytest.fixture(scope="module")
def on_one_machine(stays: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    out = tmp_path_factory.mktemp("one") / "out"
    run(stays, out, bits=recorded_bits("persons"), resources=ONE_THREAD)
    return tables(out)


def test_files_and_tables_of_spread_persons_give_the_release_of_one_machine(home, stays, on_one_machine, tmp_path):
    run_on(stays, tmp_path / "files", Spark("local[2]", parts=3))
    assert tables(tmp_path / "files") == on_one_machine
    with spark_context(Spark("local[2]", reads_records=True)):
        session: Any = pytest.importorskip("pyspark.sql").SparkSession.builder.getOrCreate()
        spread = session.read.parquet(str(stays.persons)).repartition(5)
        spread.write.option("path", str(tmp_path / "stays")).saveAsTable("stays")
        run_on(replace(stays, persons=SparkTable("stays")), tmp_path / "table", Spark("local[2]"))
    assert tables(tmp_path / "table") == on_one_machine


def run_on(inputs: InputPaths, out: Path, spark: Spark) -> None:
    run(inputs, out, spark=spark, resources=ONE_THREAD, bits=recorded_bits("persons"))


def test_sums_on_spark_are_the_sums_of_one_machine(home, tmp_path):
    records = written(stays_with_days(300, 3), 3, tmp_path / "in", 'person = "PATIENT"\nmost_records = 2')
    run_on(records, tmp_path / "spark", Spark("local[2]", parts=2))
    run(records, tmp_path / "one", bits=recorded_bits("persons"), resources=ONE_THREAD)
    one, other = (tmp_path / name / "days" / "days.parquet" for name in ("one", "spark"))
    assert one.read_bytes() == other.read_bytes()
