"""Counting parts in the workers of a Spark cluster; pyspark is imported where it is used.

One task counts one part. Nothing is shuffled: the driver collects what tasks return. What the second pass needs stays
in the memory of the workers; a worker that has lost it counts its part again.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.cluster.software import installed_software
from safetab_sql.cluster.spark_settings import leaks, safe_settings, unknown_settings
from safetab_sql.cluster.tasks import (
    Answer,
    Shipment,
    answer_cells,
    answer_rows,
    answer_totals,
    packed,
    without_units,
)
from safetab_sql.kit.errors import ClusterFaultError, InputError, Problem, refuse

_ENGINE = "--engine spark"
TASK_MEMORY = "1GB"


@dataclass(frozen=True, slots=True)
class Spark:
    """Where people are counted. master: URL of the cluster; None for what Spark's settings or spark-submit say.

    parts: how many; None for one for every two million records. task_memory: of DuckDB in each task, in its notation.
    accepted: settings that may let something out.
    """

    master: str | None = None
    parts: int | None = None
    task_memory: str = TASK_MEMORY
    accepted: tuple[str, ...] = ()


def spark_problems(spark: Spark) -> list[Problem]:
    """What can be said against it before it is started: libraries that are missing, settings that nobody checks."""
    problems = unknown_settings(spark.accepted)
    try:
        import_module("pyspark")
    except ImportError:
        problems.append(Problem(_ENGINE, "needs pyspark, which is not installed", "pip install 'safetab-sql[spark]'"))
    if not _has_java():
        fix = "install Java 17 or newer, and name its folder in JAVA_HOME where it is not on the PATH"
        problems.append(Problem(_ENGINE, "needs Java, which is not installed", fix))
    return problems


@contextmanager
def spark_context(spark: Spark, *, reads_records: bool = False) -> Iterator[Any]:
    """The context of a session whose settings shut what would leak; one that runs already is used, and goes on.

    reads_records: whether Spark reads the records, and not our tasks alone. Raises: InputError with every setting that
    leaks, or where Spark does not start.
    """
    pyspark = import_module("pyspark")
    given = pyspark.SparkContext._active_spark_context
    context = given or _started(spark, reads_records=reads_records)
    try:
        settings = dict(context.getConf().getAll())
        refuse(leaks(settings, spark.accepted, _command_line(context), reads_records=reads_records))
        yield context
    finally:
        if given is None:
            with suppress(Exception):  # a cluster that is gone has nothing to stop
                context.stop()


@dataclass(frozen=True, slots=True)
class Counting:
    """Parts that are being counted. first: the answers of the first pass, as an RDD that makes them when asked.

    table: what messages call the table whose rows Spark reads; None where tasks read files.
    """

    context: Any
    software: Mapping[str, str]
    sent: Any
    first: Any
    table: str | None = None

    def totals(self) -> list[Answer]:
        """The answers of the first pass. Raises: as `collected`."""
        return collected(self.first.map(without_units), self.table)

    def cells(self, stat_levels: pa.Table) -> list[Answer]:
        """The answers of the second pass, with table `stat_levels` of the run. Raises: as `collected`."""
        chosen = self.context.broadcast(packed(stat_levels))
        answers = collected(self.first.map(partial(answer_cells, self.software, self.sent, chosen)), self.table)
        chosen.destroy()
        return answers


@contextmanager
def counting_on(context: Any, shipment: Shipment, partitions: Any = None) -> Iterator[Counting]:
    """The parts of a shipment, to be counted by tasks of a context; when the block ends, workers forget them.

    partitions: rows of a table as an RDD, which are counted in place of parts.
    """
    pyspark, number = import_module("pyspark"), len(shipment.parts)
    sent, software = context.broadcast(shipment), installed_software()
    if partitions is None:
        first = context.parallelize(range(number), number).map(partial(answer_totals, software, sent))
    else:
        first = partitions.mapPartitionsWithIndex(partial(answer_rows, software, sent))
    first.persist(pyspark.StorageLevel.MEMORY_ONLY)  # no count goes to a disk
    try:
        yield Counting(context, software, sent, first, None if partitions is None else shipment.job.given)
    finally:
        with suppress(Exception):  # a cluster that is gone keeps nothing
            first.unpersist()
            sent.destroy()


def failure(text: str, table: str | None = None) -> Exception:
    """What went wrong, from what Spark says; of which only names of classes, modules and conditions are shown.

    table: what Spark reads, as messages call it.
    """
    if module := re.search(r"No module named '([\w.]+)'", text):
        fix = "install the same software on the driver and on all workers, and name their Python in PYSPARK_PYTHON"
        return InputError([Problem("the workers", f"have no {module[1]}", fix)])
    if part := re.search(r"part \d+ could not be counted: \w+", text):
        return ClusterFaultError(f"{part[0]}, however often Spark tried")
    condition = re.search(r"(?:^|(?:Exception|Error): )\[([A-Z][A-Z0-9_.]+)\]", text)
    if condition and table is not None:
        fix = "read all its rows with Spark, and mend what Spark says of them"
        return InputError([Problem(table, f"cannot be read by Spark: {condition[1]}", fix)])
    known = re.findall(r"\b(?:\w+\.)*(\w+(?:Exception|Error))\b", text)
    return ClusterFaultError(f"Spark gave up: {', '.join(dict.fromkeys(known)) or 'it did not say why'}")


def collected(answers: Any, table: str | None = None) -> list[Answer]:
    """The answers of an RDD, in the order of the parts. table: as of `failure`.

    Raises: InputError where parts cannot be counted as they were planned, ClusterFaultError where Spark gives up.
    """
    failed: Exception | None = None
    try:
        found: list[Answer] = answers.collect()
    except (import_module("py4j.protocol").Py4JError, import_module("pyspark.errors").PySparkException) as error:
        failed = failure(str(error), table)
    if failed is not None:
        raise failed  # here, where what Spark says is not its cause
    refuse(list(dict.fromkeys(problem for answer in found for problem in answer.problems)))
    return found


def _started(spark: Spark, *, reads_records: bool) -> Any:
    """A new context. Raises: InputError where Spark says that it cannot start."""
    pyspark = import_module("pyspark")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {"spark.driver.maxResultSize": "0", **safe_settings(spark.accepted, reads_records=reads_records)}
    conf = pyspark.SparkConf().setAppName("safetab-sql").setAll(settings.items())
    if spark.master is not None:
        conf.setMaster(spark.master)
    try:
        return pyspark.SparkContext(conf=conf)
    except Exception as error:  # of Java, of py4j, of pyspark: no record has been read
        said = [line.strip() for line in str(error).splitlines() if "Exception: " in line] or [str(error)]
        what = f"Spark did not start: {said[0].removeprefix(': ')}"
        raise InputError(
            [Problem(_ENGINE, what, "see docs/how-to/cluster.md for the settings that it needs")]
        ) from None


def _command_line(context: Any) -> list[str]:
    """The words of the command line of the driver's Java process, and of this one."""
    told = context._jvm.java.lang.ProcessHandle.current().info().arguments()
    return [*(told.get() if told.isPresent() else ()), *sys.argv]


def _has_java() -> bool:
    """Whether a Java can be started, or runs already because `spark-submit` started this process."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java") if home is None else shutil.which(str(Path(home) / "bin" / "java"))
    return java is not None or "PYSPARK_GATEWAY_PORT" in os.environ
