"""Every check of the inputs of a run: `safetab-sql validate`."""

from dataclasses import replace

from safetab_sql.accounting.loss import times_of_a_person
from safetab_sql.cluster.spark import Spark
from safetab_sql.confidential.counts import keep_records
from safetab_sql.jobs.counters import Executors, counter
from safetab_sql.jobs.guessed_shape import called_ids
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import quoted_name, sql_files
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.checks import Each
from safetab_sql.public.inputs import PERSONS, InputPaths, Intake, changed_inputs, refuse_found
from safetab_sql.public.readers import TOTALS, person_columns
from safetab_sql.public.text_files import source_columns
from safetab_sql.published.selected_groups import select_groups


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


def _further_warnings(intake: Intake, resources: Resources, progress: Progress) -> tuple[Problem, ...]:
    """The warnings that depend on public inputs alone, whoever checks the persons."""
    words, uncounted = intake.parameters.unit.leave_out, _unbounded(intake)
    if words and resources.confidential_log is None:
        what = f"records with an unusable {' or '.join(words)} are left out, and nothing says how many"
        where, fix = f"{intake.parameters.source} [unit.leave_out]", "name a file: --confidential-log FILE"
        uncounted = [Problem(where, what, fix), *uncounted]
    for warning in uncounted:
        progress.warn(str(warning))
    if TOTALS not in intake.sources:
        return tuple(uncounted)
    build_catalog(intake.database, intake.parameters)
    source = intake.sources[TOTALS]
    told = select_groups(intake.database, source.given)
    for text in told:
        progress.warn(text)
    return (*uncounted, *(Problem(source.given, text, "name other totals, if it is a mistake") for text in told))


def _unbounded(intake: Intake) -> list[Problem]:
    """A warning where nothing bounds what a person loses. It depends on the parameters alone."""
    unit = intake.parameters.unit
    if times_of_a_person(unit, intake.parameters.privacy_definition) is not None:
        return []
    what = f"one {unit.one} is what is protected, and nothing says how many {unit.many} a person can have"
    fix = "write person, the column that names the person, and most_records: then a budget is what a person loses; or "
    fix += "write records_of_a_person, the most that any person has: 1 where id is the id of a person"
    return [Problem(f"{intake.parameters.source} [unit]", what, fix)]
