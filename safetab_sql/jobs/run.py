"""`run` and `validate`, and who counts the people: this process, or a Spark cluster.

Noise, ledger, log and OUT stay with this process.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.accounting.ledger_file import Bits, LedgerFile
from safetab_sql.accounting.statement import times_of_a_person
from safetab_sql.algorithm import decide, generator_of, tabulate
from safetab_sql.cluster import spark as clusters
from safetab_sql.cluster.spark import Spark, SparkTable, merge_first_pass, merge_rows
from safetab_sql.cluster.tasks import Answer, Control, unpacked
from safetab_sql.confidential.counts import Here, keep_records
from safetab_sql.confidential.inputs import checked_inputs, inputs_in_parts
from safetab_sql.jobs.release import Release
from safetab_sql.kit.database import Resources, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress, reported_progress
from safetab_sql.kit.sqlfiles import quoted_name, sql_files
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.checks import Each
from safetab_sql.public.inputs import PERSONS, InputPaths, Intake, changed_inputs, refuse_found
from safetab_sql.public.readers import TOTALS, person_columns
from safetab_sql.public.text_files import source_columns
from safetab_sql.published.new_release import contents_of, new_release
from safetab_sql.published.selected_groups import select_groups
from safetab_sql.settings.parameters import load_parameters


def run(
    inputs: InputPaths,
    out: str | Path,
    *,
    spark: Spark | None = None,
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress | bool = False,
    bits: Bits | None = None,
) -> Release:
    """Count, add noise and publish: folder `out` with manifest.json and the ladders' tables, or nothing at all.

    spark: the cluster that counts; None for this process. ledger_file: the custodian's ledger, which gets a line for
    the run before noise is drawn. progress: True shows it on stderr: a bar on a terminal and in a notebook, lines
    elsewhere. bits: number of bytes -> that many random bytes, for tests: with any source but the system's, the
    manifest says that the run is not releasable.
    Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing is
    written. As `counter`, too: where a cluster fails after the first noise, the run stays in the ledger.
    """
    shown = reported_progress(is_quiet=False) if progress is True else nullcontext(progress or SILENT)
    are_here, contents = not isinstance(inputs.persons, SparkTable), contents_of(inputs.parameters)
    with (
        shown as told,
        new_release(out, contents, ledger_file, resources, generator_of(bits), overwrite=overwrite) as release,
        counter(inputs, spark, resources, told, release.problems) as counting,
    ):
        made = tabulate(decide(release, counting.data, told, are_here=are_here), counting)
    return Release(made.out.absolute(), made.manifest)


def validate(
    inputs: InputPaths,
    *,
    spark: Spark | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> tuple[Problem, ...]:
    """Run every check of the inputs and write nothing; the warnings. spark: as of `run`; it counts the records, too.

    Raises: as `counter`. Source: tabulation.md section 8.
    """
    with counter(inputs, spark, resources, progress) as counting:
        intake = counting.data
        if isinstance(counting, Executors):
            build_catalog(intake.database, intake.parameters)
            counting.totals()
            found = counting.warnings
        else:
            found = _screened(intake, progress)
            if intake.parameters.unit.person is not None and resources.confidential_log is not None:
                build_catalog(intake.database, intake.parameters)
                intake.database.create(sql_files()["countable_records"])
                keep_records(intake.database, intake.checks.log)  # which ids have many, before the budget is spent
        refuse(changed_inputs(intake))
        return (*intake.warnings, *found, *_further_warnings(intake, resources, progress))


def _screened(intake: Intake, progress: Progress) -> list[Problem]:
    """The warnings of the checks of records, which look at columns that nothing reads, too. Raises: InputError."""
    from safetab_sql.jobs.new import called_ids

    read, is_person = person_columns(intake.parameters), intake.parameters.unit.is_person
    found = called_ids(source_columns(intake.sources[PERSONS]), of_persons=True) if is_person else ()
    ids = [name for name in found if name not in read]
    intake.database.set_values({"unread_columns": {name: quoted_name(name) for name in ids}})
    intake.database.create(sql_files()["person_universe"])
    unread = [Each({"unread_name": name}, {"column": name}) for name in ids]
    findings = replace(intake.checks, each={**intake.checks.each, "unread_ids": unread}).findings(screened=True)
    for warning in findings.warnings:
        progress.warn(str(warning))
    refuse_found(intake, findings.problems)
    return findings.warnings


def _further_warnings(intake: Intake, resources: Resources, progress: Progress) -> list[Problem]:
    """The warnings that depend on public inputs alone, whoever checks the persons."""
    unit, source, found = intake.parameters.unit, intake.parameters.source, list[Problem]()
    if unit.leave_out and resources.confidential_log is None:
        what = f"records with an unusable {' or '.join(unit.leave_out)} are left out, and nothing says how many"
        found.append(Problem(f"{source} [unit.leave_out]", what, "name a file: --confidential-log FILE"))
    if times_of_a_person(unit, intake.parameters.privacy_definition) is None:
        what = f"one {unit.one} is what is protected, and nothing says how many {unit.many} a person can have"
        fix = "write person, the column that names the person, and most_records: then a budget is what a person loses; "
        fix += "or write records_of_a_person, the most that any person has: 1 where id is the id of a person"
        found.append(Problem(f"{source} [unit]", what, fix))
    for warning in found:
        progress.warn(str(warning))
    if TOTALS in intake.sources:
        build_catalog(intake.database, intake.parameters)
        totals = intake.sources[TOTALS].given
        for text in select_groups(intake.database, totals):
            progress.warn(text)
            found.append(Problem(totals, text, "name other totals, if it is a mistake"))
    return found


# --- who counts ---


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
    problems, persons, table = [*problems, *clusters.spark_problems(spark)], inputs.persons, None
    with ExitStack() as opened:
        if isinstance(persons, SparkTable):
            parameters, spark = load_parameters(inputs.parameters), replace(spark, reads_records=True)
            refuse([*problems, *clusters.table_problems(spark, parameters.unit.id)])
            progress.stage("starting Spark")
            opened.enter_context(clusters.spark_context(spark))
            columns = opened.enter_context(scratch_folder(resources.scratch)) / "persons.parquet"
            table = clusters.opened_table(persons, list(person_columns(parameters)))
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
    table: clusters.ReadTable | None
    progress: Progress
    cluster: ExitStack
    warnings: list[Problem] = field(default_factory=list)
    _first: tuple[clusters.Counting, list[Control | None]] = field(init=False)

    def totals(self) -> None:
        """Start the cluster, count the people of every group and merge the parts. The catalog must have been built.

        Raises: InputError with every problem of the records.
        """
        counting = self.cluster.enter_context(clusters.counting_parts(self.files, self.data, self.spark, self.table))
        answers = _logged(self.data, "totals", counting.totals())
        self.warnings = merge_first_pass(self.data, answers, self.progress, is_table=counting.table is not None)
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
