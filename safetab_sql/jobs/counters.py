"""Who counts the people of a run: this process, or a Spark cluster. Noise, ledger, log and OUT stay with this one."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.parquet as pq

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
from safetab_sql.confidential.counts import Here
from safetab_sql.confidential.inputs import checked_inputs, inputs_in_parts
from safetab_sql.kit.database import Resources, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import Progress
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.public.readers import person_columns
from safetab_sql.settings.parameters import load_parameters


@contextmanager
def counter(
    inputs: InputPaths, spark: Spark | None, resources: Resources, progress: Progress, problems: Sequence[Problem] = ()
) -> Iterator["Here | Executors"]:
    """Who counts the people of checked inputs. spark: None where this process does.

    resources: of this process, which merges what a cluster counts. problems: found before. Of a table that Spark alone
    reads this process gets the columns: a file without records stands for it. Raises: InputError with every problem,
    also if a setting of the cluster leaks; ClusterFaultError if it fails.
    """
    if spark is None:
        with checked_inputs(inputs, resources, progress, problems) as data:
            yield Here(data)
        return
    problems, persons, table = [*problems, *spark_problems(spark)], inputs.persons, None
    with ExitStack() as opened:
        if isinstance(persons, SparkTable):
            parameters = load_parameters(inputs.parameters)
            refuse([*problems, *table_problems(spark, parameters.unit.id)])
            progress.stage("starting Spark")
            opened.enter_context(spark_context(spark, reads_records=True))
            columns = opened.enter_context(scratch_folder(resources.scratch)) / "persons.parquet"
            table = opened_table(persons, list(person_columns(parameters)))
            pq.write_table(table.nobody(), columns)
            inputs = replace(inputs, persons=columns)
        refuse(problems)
        called = None if table is None else str(persons)
        data = opened.enter_context(inputs_in_parts(inputs, resources, progress, called))
        yield Executors(data, inputs, spark, table, progress, opened.enter_context(ExitStack()))


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


def _logged(data: Intake, what: str, answers: list[Answer]) -> list[Answer]:
    for answer in answers:
        read = f"{answer.records:,} records, " if what == "totals" else ""
        data.checks.log(f"{what} of part {answer.number + 1}: {read}{answer.seconds:.2f} s of a processor")
    return answers
