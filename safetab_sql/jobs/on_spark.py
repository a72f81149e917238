"""`run` and `validate` with people counted by a Spark cluster; noise, ledger, log and OUT stay with the driver."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.accounting.ledger_file import Bits, LedgerFile
from safetab_sql.algorithm import decide, release_of_run, tabulate
from safetab_sql.cluster.merging import merge_first_pass, merge_rows
from safetab_sql.cluster.spark import (
    Counting,
    ReadTable,
    Spark,
    SparkTable,
    counting_parts,
    opened_table,
    spark_context,
    spark_problems,
    table_problems,
)
from safetab_sql.cluster.tasks import Answer, Control, unpacked
from safetab_sql.confidential.inputs import inputs_in_parts
from safetab_sql.jobs.validate import further_warnings
from safetab_sql.kit.database import Resources, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import InputPaths, Intake, changed_inputs
from safetab_sql.public.readers import person_columns
from safetab_sql.published.manifest import Made
from safetab_sql.settings.parameters import load_parameters


def run_on_spark(
    inputs: InputPaths,
    out: str | Path,
    spark: Spark,
    *,
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    bits: Bits | None = None,
) -> Made:
    """As `run`, with the people counted by a cluster. resources: of this process, which merges and draws the noise.

    Raises: InputError as `run`, and if a setting of the cluster leaks; ClusterFaultError if it fails. The run stays in
    the ledger if that happens after its first noise.
    """
    asked = release_of_run(inputs, out, ledger_file, resources, bits, overwrite=overwrite)
    with asked as made, _opened(inputs, spark, resources, progress, made.problems) as (data, files, table):
        run = decide(made, data, progress, are_here=table is None)
        with ExitStack() as cluster:
            return tabulate(run, Executors(data, files, spark, table, progress, cluster))


def validate_on_spark(
    inputs: InputPaths, spark: Spark, *, resources: Resources, progress: Progress = SILENT
) -> tuple[Problem, ...]:
    """As `validate`, with the records checked, and counted, by a cluster; the warnings. Raises: as `run_on_spark`."""
    with _opened(inputs, spark, resources, progress) as (data, files, table):
        build_catalog(data.database, data.parameters)
        with ExitStack() as cluster:
            counter = Executors(data, files, spark, table, progress, cluster)
            counter.totals()
        refuse(changed_inputs(data))
        return (*data.warnings, *counter.warnings, *further_warnings(data, resources, progress))


@dataclass(slots=True)
class Executors:
    """Counts the people of a run in a cluster, which starts with the totals and ends with the tables.

    table: what Spark reads the persons from, if not from files. warnings: what the checks of the records found.
    """

    data: Intake
    files: InputPaths
    spark: Spark
    table: ReadTable | None
    progress: Progress
    cluster: ExitStack
    warnings: list[Problem] = field(default_factory=list)
    _first: tuple[Counting, list[Control | None]] = field(init=False)

    def totals(self) -> None:
        """Start the cluster, count the people of every group and merge the parts. The catalog must have been built.

        Raises: InputError with every problem of the records.
        """
        counting = self.cluster.enter_context(counting_parts(self.files, self.data, self.spark, self.table))
        answers = _logged(self.data, "totals", counting.totals())
        is_table = counting.table is not None
        self.warnings = merge_first_pass(self.data, counting.job.places, answers, self.progress, is_table=is_table)
        self._first = counting, [each.control for each in answers]

    def tables(self, stat_levels: pa.Table) -> None:
        """Count the cells of the tables, merge the parts, and let the cluster go.

        Raises: InputError where a part held other records than before.
        """
        self.data.stage("counting tables")
        counting, controls = self._first
        answers = _logged(self.data, "cells", counting.cells(stat_levels))
        if [answer.control for answer in answers] != controls:  # a part was read again
            fix = "write the rows to a table that stays as it is, or name a snapshot of it, and run again"
            what = "gave other records when a worker that had lost some read them again"
            raise InputError([Problem(self.data.sources["persons"].given, what, fix)])
        merge_rows(self.data.database, "group_finest_cells", (unpacked(answer.cells) for answer in answers))
        self.cluster.close()


@contextmanager
def _opened(
    inputs: InputPaths, spark: Spark, resources: Resources, progress: Progress, problems: Sequence[Problem] = ()
) -> Iterator[tuple[Intake, InputPaths, ReadTable | None]]:
    """The checked inputs, their paths, and the table that Spark reads the persons from, if there is one.

    Of a table this process gets the columns: a file without records stands for it. Raises: InputError.
    """
    problems, persons = [*problems, *spark_problems(spark)], inputs.persons
    if not isinstance(persons, SparkTable):
        refuse(problems)
        with inputs_in_parts(inputs, resources, progress) as data:
            yield data, inputs, None
        return
    parameters = load_parameters(inputs.parameters)
    refuse([*problems, *table_problems(spark, parameters.unit.id)])
    progress.stage("starting Spark")
    with spark_context(spark, reads_records=True), scratch_folder(resources.scratch) as scratch:
        table = opened_table(persons, list(person_columns(parameters)))
        columns = scratch / "persons.parquet"
        pq.write_table(table.nobody(), columns)
        inputs = replace(inputs, persons=columns)
        with inputs_in_parts(inputs, resources, progress, str(persons)) as data:
            yield data, inputs, table


def _logged(data: Intake, what: str, answers: list[Answer]) -> list[Answer]:
    for answer in answers:
        read = f"{answer.records:,} records, " if what == "totals" else ""
        data.checks.log(f"{what} of part {answer.number + 1}: {read}{answer.seconds:.2f} s of a processor")
    return answers
