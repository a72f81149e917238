"""Counting parts in the workers of a Spark cluster, and merging what they tell; pyspark is imported where it is used.

One task counts one part. Nothing is shuffled: the driver collects what tasks return. What the second pass needs stays
in the memory of the workers; a worker that has lost it counts its part again. A session starts only with settings that
shut what would let counts or secrets out. Persons in a table that Spark alone can read come as rows, without pandas.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.cluster.tasks import (
    Answer,
    Job,
    answer_cells,
    answer_rows,
    answer_totals,
    installed_software,
    new_job,
    packed,
    person_files,
    planned_parts,
    unpacked,
)
from safetab_sql.kit.database import Database, Resources, declared_schema, declared_table
from safetab_sql.kit.errors import SPARK, ClusterFaultError, InputError, Problem, missing_extras, refuse
from safetab_sql.kit.progress import Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.checks import EXAMPLES, Found, example_of
from safetab_sql.public.inputs import InputPaths, Intake, refuse_found

_ENGINE = "--engine spark"
TASK_MEMORY = "1GB"
_MANY = 3  # times as many totals as groups: the parts hold people of everywhere
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_KNOWN_TABLE = "name a table or view that the catalog of the session knows and you may read: DATABASE.TABLE"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. safe: values that are accepted, in small letters; the first is the one that we set.

    default: what Spark takes where nothing is said. leak: what happens otherwise. {counts}: also records,
    where Spark reads them.
    """

    name: str
    safe: tuple[str, ...]
    default: str
    leak: str


SETTINGS = (
    Setting("spark.authenticate", ("true",), "false", "whoever reaches its ports can ask for {counts}"),
    Setting("spark.network.crypto.enabled", ("true",), "false", "{counts} cross the network in the clear"),
    Setting("spark.network.crypto.saslFallback", ("false",), "true", "whoever fails to encrypt is served in the clear"),
    Setting("spark.io.encryption.enabled", ("true",), "false", "{counts} that go to disks lie there in the clear"),
    Setting("spark.eventLog.enabled", ("false",), "false", "sizes and durations, which follow the records, are kept"),
    Setting("spark.ui.enabled", ("false",), "true", "a web page shows sizes and durations, which follow the records"),
    Setting("spark.master.rest.enabled", ("false",), "true", "its master takes programs from anybody who reaches it"),
    Setting("spark.log.level", ("error", "fatal", "off", "warn"), "info", "logs tell sizes of counts"),
    Setting("spark.executor.syncLogLevel.enabled", ("true",), "false", "logs of the workers tell sizes of counts"),
    Setting("spark.python.profile", ("false",), "false", "profiles of the workers are printed"),
    Setting("spark.python.profile.memory", ("false",), "false", "profiles of the workers are printed"),
    Setting("spark.extraListeners", ("",), "", "a program of others is told of every task"),
    Setting("spark.plugins", ("",), "", "a program of others runs on the driver and the workers"),
)
_NAMES = {setting.name: setting for setting in SETTINGS}
_SECRET = "spark.authenticate.secret"  # noqa: S105  (the name of the setting)
# A driver that the cluster starts again would draw noise again.
_NO_RESTART = {"spark.submit.deployMode": "client", "spark.driver.supervise": "false", "spark.yarn.maxAppAttempts": "1"}


@dataclass(frozen=True, slots=True)
class Spark:
    """Where people are counted. master: URL of the cluster; None for what Spark's settings or spark-submit say.

    parts: how many; None for one for every two million records. task_memory: of DuckDB in each task, in its notation.
    accepted: settings that may let something out. reads_records: whether Spark reads the records, from a table, and not
    our tasks alone: its errors quote values, and are then not logged.
    """

    master: str | None = None
    parts: int | None = None
    task_memory: str = TASK_MEMORY
    accepted: tuple[str, ...] = ()
    reads_records: bool = False


def spark_problems(spark: Spark) -> list[Problem]:
    """What can be said against it before it is started: libraries that are missing, settings that nobody checks."""
    fix, where = f"name one of {', '.join(_NAMES)}", "--accept-spark-setting"
    unknown = [name for name in spark.accepted if name not in _NAMES]
    problems = [Problem(where, f"{name} is no setting that is checked", fix) for name in unknown]
    problems += missing_extras(SPARK)
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java" if home is None else str(Path(home) / "bin" / "java"))
    if java is None and "PYSPARK_GATEWAY_PORT" not in os.environ:  # with which spark-submit starts a program
        fix = "install Java 17 or newer, and name its folder in JAVA_HOME where it is not on the PATH"
        problems.append(Problem(_ENGINE, "needs Java, which is not installed", fix))
    return problems


def table_problems(spark: Spark, record_id: str | None) -> list[Problem]:
    """What can be said against it where Spark reads the records from a table. record_id: the column of their ids."""
    problems = []
    if spark.parts is not None:
        what = "a table is counted in the partitions that Spark reads it in"
        problems.append(Problem("--parts", what, "leave it out"))
    if record_id is not None:
        what = f"ids in {record_id} cannot be compared across the partitions of a table"
        fix = "see to it in Spark that no id is missing or repeated, and leave out unit.id"
        problems.append(Problem("--persons-table", what, fix))
    return problems


@contextmanager
def spark_context(spark: Spark) -> Iterator[Any]:
    """The context of a session whose settings shut what would leak; one that runs already is used, and goes on.

    Raises: InputError with every setting that leaks, or where Spark does not start.
    """
    pyspark = import_module("pyspark")
    given = pyspark.SparkContext._active_spark_context
    context = given or _started(spark)
    try:
        settings = dict(context.getConf().getAll())
        told = context._jvm.java.lang.ProcessHandle.current().info().arguments()  # of the driver's Java process
        command_line = [*(told.get() if told.isPresent() else ()), *sys.argv]
        refuse(leaks(settings, spark, command_line))
        yield context
    finally:
        if given is None:
            with suppress(Exception):  # a cluster that is gone has nothing to stop
                context.stop()


def safe_settings(spark: Spark) -> dict[str, str]:
    """What a session is started with, but for what is accepted as the cluster has it."""
    safe = {each.name: each.safe[0] for each in SETTINGS if each.name not in spark.accepted and each.safe[0]}
    quiet = {"spark.log.level": "fatal"} if spark.reads_records and "spark.log.level" in safe else {}
    return {**safe, **quiet, "spark.ui.showConsoleProgress": "false"}


def leaks(settings: Mapping[str, str], spark: Spark, command_line: Sequence[str]) -> list[Problem]:
    """A problem for each setting of a session that lets something out, or lets the cluster start its driver again.

    settings: all that the session was started with. command_line: of the driver.
    """
    problems = []
    for setting in [setting for setting in SETTINGS if setting.name not in spark.accepted]:
        if (said := settings.get(setting.name, setting.default)).lower() not in setting.safe:
            what = f"is {said}: {_leak(setting, spark)}"
            wanted = f"say {setting.name}={setting.safe[0]}" if setting.safe[0] else f"leave out {setting.name}"
            fix = f"{wanted}, or accept it: --accept-spark-setting {setting.name}"
            problems.append(Problem(setting.name, what, fix))
    # Where nothing is said, Yarn starts it more than once.
    unsaid = {"spark.yarn.maxAppAttempts": ""} if settings.get("spark.master", "").startswith("yarn") else {}
    for name, safe in _NO_RESTART.items():
        if (said := {**unsaid, **settings}.get(name, safe).lower()) != safe:
            what = f"is {said or 'not said'}: a driver that is started again draws noise again"
            problems.append(Problem(name, what, f"say {name}={safe}{', or leave it out' * (name not in unsaid)}"))
    secret = settings.get(_SECRET)
    if any(f"{_SECRET}=" in word or (secret is not None and secret in word) for word in command_line):
        fix = "write it to spark-defaults.conf (mode 0600) in SPARK_CONF_DIR, and take another secret"
        problems.append(Problem(_SECRET, "stands on the command line of the driver, which others can read", fix))
    return problems


@dataclass(frozen=True, slots=True)
class SparkTable:
    """What stands in `InputPaths.persons` where Spark reads them. name: of a table or view of the session's catalog."""

    name: str

    def __str__(self) -> str:
        """What messages call it; no path that anybody would have."""
        return f"Spark table {self.name}"


@dataclass(frozen=True, slots=True)
class ReadTable:
    """An opened table. rows: a DataFrame of the columns that are read. others: names of its other columns."""

    table: SparkTable
    rows: Any
    schema: pa.Schema
    others: tuple[str, ...]

    def nobody(self) -> pa.Table:
        """The table without its rows, for the checks of columns; columns that are not read have no type."""
        return pa.schema([*self.schema, *(pa.field(name, pa.null()) for name in self.others)]).empty_table()

    def partitions(self, person: str | None) -> Any:
        """Its rows as an RDD; the rows of a person in one partition, where a column names the person.

        Raises: InputError where Spark cannot plan how to read them.
        """
        with _refused(self.table):
            return (self.rows if person is None else self.rows.repartition(self.rows[_quoted(person)])).rdd


def opened_table(table: SparkTable, wanted: Sequence[str]) -> ReadTable:
    """The table in the catalog of the session that runs; the columns of `wanted` that it has are read.

    Capitals matter only where a column has just that name. Raises: InputError where Spark cannot read the table.
    """
    with _refused(table):
        frame = import_module("pyspark.sql").SparkSession.builder.getOrCreate().table(table.name)
        columns = list(frame.columns)
        found = {name: own for name in wanted if (own := _own_name(columns, name)) is not None}
        rows = frame.select([frame[_quoted(own)].alias(name) for name, own in found.items()])
        schema = rows.limit(0).toArrow().schema if found else pa.schema([])
    return ReadTable(table, rows, schema, tuple(name for name in columns if name not in found.values()))


@dataclass(frozen=True, slots=True)
class Counting:
    """Parts that are being counted. first: the answers of the first pass, as an RDD that makes them when asked.

    table: what messages call the table whose rows Spark reads; None where tasks read files.
    """

    job: Job
    context: Any
    software: Mapping[str, str]
    sent: Any
    first: Any
    table: str | None = None

    def totals(self) -> list[Answer]:
        """The answers of the first pass. Raises: as `collected`."""
        return collected(self.first.map(partial(replace, units=b"")), self.table)  # they stay with the workers

    def cells(self, stat_levels: pa.Table) -> list[Answer]:
        """The answers of the second pass, with table `stat_levels` of the run. Raises: as `collected`."""
        chosen = self.context.broadcast(packed(stat_levels))
        answers = collected(self.first.map(partial(answer_cells, self.software, self.sent, chosen)), self.table)
        chosen.destroy()
        return answers


@contextmanager
def counting_parts(
    inputs: InputPaths, data: Intake, spark: Spark, table: ReadTable | None = None
) -> Iterator[Counting]:
    """The parts of the persons, to be counted by a cluster. The catalog of the run must have been built.

    table: what Spark reads the persons from, if not from files: its partitions are the parts. When the block ends,
    workers forget the parts.
    Raises: InputError where parts cannot be planned so, where a setting of the cluster leaks, or if it does not start.
    """
    job, person = new_job(data, inputs), data.parameters.unit.person
    if table is None:
        files = person_files(data.sources["persons"])
        job = replace(job, parts=planned_parts(files, spark.parts, whole_persons=person is not None))
        data.stage("starting Spark")
    else:
        job = replace(job, schema=table.schema)
    for name in spark.accepted:
        setting = _NAMES[name]
        otherwise = f"otherwise than {setting.safe[0] or 'empty'}, {_leak(setting, spark)}"
        data.checks.log(f"accepted as the cluster has it: {name}: {otherwise}")
    with spark_context(spark) as context:
        task = Resources(int(context.getConf().get("spark.task.cpus", "1")), spark.task_memory)
        data.stage("counting population groups")  # not in how many parts: that follows the records
        sent, software = context.broadcast(replace(job, resources=task)), installed_software()
        if table is None:
            numbers = context.parallelize(range(len(job.parts)), len(job.parts))
            first = numbers.map(partial(answer_totals, software, sent))
        else:
            first = table.partitions(person).mapPartitionsWithIndex(partial(answer_rows, software, sent))
        first.persist(import_module("pyspark").StorageLevel.MEMORY_ONLY)  # no count goes to a disk
        try:
            yield Counting(job, context, software, sent, first, None if table is None else job.persons.given)
        finally:
            with suppress(Exception):  # a cluster that is gone keeps nothing
                first.unpersist()
                sent.destroy()


def failure(text: str, table: str | None = None) -> Exception:
    """What went wrong, by names of classes, modules and conditions alone. table: what Spark reads, for messages."""
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


def merge_rows(database: Database, name: str, parts: Iterable[pa.Table]) -> None:
    """Make a table of the rows of all parts, one part after another, so that memory holds one of them.

    name: slice_totals, for `totals_between`, or group_finest_cells, for `cells_of_tables`.
    """
    schema = declared_schema(name, database.values)
    batches = (batch for part in parts for batch in part.cast(schema).to_batches())
    database.hand_over(name, pa.RecordBatchReader.from_batches(schema, batches))


def merge_first_pass(intake: Intake, answers: Sequence[Answer], progress: Progress, *, is_table: bool) -> list[Problem]:
    """Merge the totals of all parts; the warnings. is_table: whether Spark read a table.

    Raises: InputError with every problem that the checks found in them.
    """
    merge_rows(intake.database, "slice_totals", (unpacked(each.totals) for each in answers))
    (some,) = intake.database.select(sql_files()["merged_rows"], {}).to_pylist()
    told = f"totals of {len(answers)} parts: {intake.database.rows('slice_totals'):,} rows"
    if some["total_rows"] > _MANY * some["group_count"]:
        told += ", many of the same groups: sort the records by place, and they are fewer"
    intake.checks.log(told)
    found = _merged_findings(intake.database, [each.found for each in answers])
    found += _absent(intake.database, answers) if is_table else []
    findings = intake.checks.judged(found)
    for warning in findings.warnings:
        intake.checks.log(f"warning: {warning}")
        progress.warn(str(warning))
    refuse_found(intake, findings.problems)
    return findings.warnings


def _merged_findings(database: Database, parts: Iterable[Iterable[Found]]) -> list[Found]:
    """What the checks found in all parts: rows add up, and the first examples stay."""
    rows = ((part, *astuple(one)) for part, found in enumerate(parts, start=1) for one in found)
    database.hand_over("part_findings", declared_table("part_findings", rows))
    database.create(sql_files()["merged_findings"])
    merged = database.table("merged_findings", order_by=["check_name", "check_number"]).to_pylist()
    return [
        Found(each["check_name"], each["check_number"], each["records"], tuple(each["examples"])) for each in merged
    ]


def _absent(database: Database, answers: Sequence[Answer]) -> list[Found]:
    """What `parts_without_persons` finds in all partitions together; in this process there is nobody."""
    rows = database.select(sql_files()["parts_without_persons"], {}).to_pylist()
    for answer in answers:
        theirs = unpacked(answer.absent).to_pylist()
        rows = [row for row in rows if row in theirs]
    examples = tuple(example_of(row, {}) for row in rows[:EXAMPLES])
    return [Found("parts_without_persons", 0, len(rows), examples)] if rows else []


def _leak(setting: Setting, spark: Spark) -> str:
    return setting.leak.format(counts="records and counts" if spark.reads_records else "counts")


@contextmanager
def _refused(table: SparkTable) -> Iterator[None]:
    """Make what Spark says of a table our own problem, which holds the name of Spark's error and nothing it quotes."""
    pyspark, said = import_module("pyspark.errors"), ""
    for name in _LOGGERS:  # which write values of records to stderr
        import_module("pyspark.logger").PySparkLogger.getLogger(name).disabled = True
    try:
        yield
    except pyspark.PySparkException as error:
        said = error.getCondition() or type(error).__name__
    except import_module("py4j.protocol").Py4JJavaError as error:
        said = error.java_exception.getClass().getSimpleName()
    if said:
        raise InputError([Problem(str(table), f"cannot be read by Spark: {said}", _KNOWN_TABLE)])


def _own_name(columns: Sequence[str], name: str) -> str | None:
    """The column that has this name, or the only one that has it but for capitals."""
    alike = [column for column in columns if column.upper() == name.upper()]
    return name if name in columns else alike[0] if len(alike) == 1 else None


def _quoted(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


def _started(spark: Spark) -> Any:
    """A new context. Raises: InputError where Spark says that it cannot start."""
    pyspark = import_module("pyspark")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {"spark.driver.maxResultSize": "0", **safe_settings(spark)}
    conf = pyspark.SparkConf().setAppName("safetab-sql").setAll(settings.items())
    if spark.master is not None:
        conf.setMaster(spark.master)
    try:
        return pyspark.SparkContext(conf=conf)
    except Exception as error:  # of Java, of py4j, of pyspark: no record has been read
        said = [line.strip() for line in str(error).splitlines() if "Exception: " in line] or [str(error)]
        what = f"Spark did not start: {said[0].removeprefix(': ')}"
        fix = "see docs/how-to/cluster.md for the settings that it needs"
        raise InputError([Problem(_ENGINE, what, fix)]) from None
