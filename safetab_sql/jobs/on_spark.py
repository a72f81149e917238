"""`run` and `validate` with people counted by a Spark cluster; noise, ledger, log and OUT stay with the driver."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.accounting.ledger import spent_on_persons
from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.cluster.job import Job, new_job
from safetab_sql.cluster.merging import merge_cells, merge_first_pass
from safetab_sql.cluster.parts import person_files, planned_parts, usual_number
from safetab_sql.cluster.spark import Counting, Spark, counting_on, spark_context, spark_problems
from safetab_sql.cluster.tasks import Answer, Shipment, unpacked
from safetab_sql.cluster.work import absolute
from safetab_sql.confidential.inputs import inputs_in_parts
from safetab_sql.jobs.validate import further_warnings
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import InputPaths, Intake, changed_inputs
from safetab_sql.published.manifest import Made, parameters_json
from safetab_sql.published.tables import Format
from safetab_sql.run import add_first_noise, add_second_noise, chosen_tables, decide, release_of_run

_USUAL = Resources()


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """What is released. out: the folder to make; the rest as of `run`."""

    out: str | Path
    format: Format = "parquet"
    overwrite: bool = False
    ledger_file: LedgerFile | None = None


def run_on_spark(
    inputs: InputPaths,
    release: ReleaseOptions,
    spark: Spark,
    *,
    resources: Resources = _USUAL,
    progress: Progress = SILENT,
    bits: Callable[[int], bytes] | None = None,
) -> Made:
    """As `run`, with the people counted by a cluster. resources: of this process, which merges and draws the noise.

    Raises: InputError as `run`, and if a setting of the cluster leaks; ClusterFaultError if it fails. The run stays in
    the ledger if that happens after its first noise.
    """
    source = {} if bits is None else {"bits": bits}
    asked = release_of_run(inputs, release.out, release.ledger_file, resources, overwrite=release.overwrite, **source)
    with (
        asked as made,
        inputs_in_parts(inputs, resources, progress, [*made.problems, *spark_problems(spark)]) as data,
    ):
        decided = decide(data, release.format, progress)
        made.declare(parameters_json(data.parameters), spent_on_persons(decided.ledger))
        with counting_parts(inputs, data, spark) as (counting, job):
            _merge_totals(data, job, counting, progress)
            refuse(changed_inputs(data))
            first = add_first_noise(made, data, decided, **source)
            data.stage("counting tables")
            stat_levels = chosen_tables(first.chosen)
            data.database.hand_over("stat_levels", stat_levels)
            answers = _logged(data, "cells", counting.cells(stat_levels))
            merge_cells(data.database, (unpacked(answer.cells) for answer in answers))
        add_second_noise(made, data, decided, first, **source)
        return made.made


def validate_on_spark(
    inputs: InputPaths, spark: Spark, *, resources: Resources = _USUAL, progress: Progress = SILENT
) -> tuple[Problem, ...]:
    """As `validate`, with the records checked, and counted, by a cluster; the warnings. Raises: as `run_on_spark`."""
    with inputs_in_parts(inputs, resources, progress, spark_problems(spark)) as data:
        build_catalog(data.database, data.parameters)
        with counting_parts(inputs, data, spark) as (counting, job):
            warnings = _merge_totals(data, job, counting, progress)
        refuse(changed_inputs(data))
        return (*data.warnings, *warnings, *further_warnings(data, resources, progress))


@contextmanager
def counting_parts(inputs: InputPaths, data: Intake, spark: Spark) -> Iterator[tuple[Counting, Job]]:
    """The parts of the persons, to be counted by a cluster, and how. The catalog of the run must have been built.

    Raises: InputError where parts cannot be planned so, where a setting of the cluster leaks, or if it does not start.
    """
    catalog = data.scratch / "catalog"
    catalog.mkdir()
    job = new_job(data, absolute(inputs), catalog)
    files = person_files(data.sources["persons"])
    parts = planned_parts(files, spark.parts or usual_number(files))
    content = {name: (catalog / f"{name}.parquet").read_bytes() for name in job.tables}
    data.stage("starting Spark")
    for name in spark.accepted:
        data.checks.log(f"accepted as the cluster has it: {name}")
    with spark_context(spark) as context:
        threads = int(context.getConf().get("spark.task.cpus", "1"))
        shipment = Shipment(job, content, parts, Resources(threads, spark.task_memory))
        data.stage(f"counting population groups in {len(parts)} parts")
        with counting_on(context, shipment) as counting:
            yield counting, job


def _merge_totals(data: Intake, job: Job, counting: Counting, progress: Progress) -> list[Problem]:
    """Count and merge the totals of all parts; the warnings. Raises: InputError with every problem of the records."""
    answers = _logged(data, "totals", counting.totals())
    return merge_first_pass(data, job.places, ((unpacked(each.totals), each.found) for each in answers), progress)


def _logged(data: Intake, what: str, answers: list[Answer]) -> list[Answer]:
    """The answers, of which the confidential log is told."""
    for answer in answers:
        read = f"{answer.records:,} records, " if what == "totals" else ""
        data.checks.log(f"{what} of part {answer.number + 1}: {read}{answer.seconds:.2f} s of a processor")
    return answers
