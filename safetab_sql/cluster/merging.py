"""Counts and findings of all parts together, by the statements under sql/ that a run of one machine uses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, replace

import pyarrow as pa

from safetab_sql.cluster.tasks import Answer, absent_values, unpacked
from safetab_sql.kit.database import Database, declared_table
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.checks import EXAMPLES, Found, example_of
from safetab_sql.public.inputs import Intake, refuse_found

_MANY = 3  # times as many totals as groups: the parts hold people of everywhere


def merge_rows(database: Database, name: str, parts: Iterable[pa.Table]) -> None:
    """Make a table of the rows of all parts, one part after another, so that memory holds one of them.

    name: slice_totals, for `totals_between`, or group_finest_cells, for `cells_of_tables`.
    """
    schema = database.declared_schema(name)
    batches = (batch for part in parts for batch in part.cast(schema).to_batches())
    database.hand_over(name, pa.RecordBatchReader.from_batches(schema, batches))


def merge_first_pass(
    intake: Intake, places: Mapping[str, str], answers: Sequence[Answer], progress: Progress, *, is_table: bool
) -> list[Problem]:
    """Merge the totals of all parts; the warnings. places: of the `Checks`. is_table: whether Spark read a table.

    Raises: InputError with every problem that the checks found in them.
    """
    merge_rows(intake.database, "slice_totals", (unpacked(each.totals) for each in answers))
    intake.checks.log(f"totals of {len(answers)} parts: {_rows(intake.database)}")
    found = _merged_findings(intake.database, [each.found for each in answers])
    found += _absent(intake.database, answers) if is_table else []
    findings = replace(intake.checks, places=places).judged(found)
    for warning in findings.warnings:
        intake.checks.log(f"warning: {warning}")
        progress.warn(str(warning))
    refuse_found(intake, findings.problems)
    return findings.warnings


def _merged_findings(database: Database, parts: Iterable[Iterable[Found]]) -> list[Found]:
    """What the checks found in all parts: rows add up, and the first examples stay."""
    database.hand_over("part_findings", findings_table(parts))
    database.create(sql_files()["merged_findings"])
    merged = database.table("merged_findings", order_by=["check_name", "check_number"]).to_pylist()
    return [
        Found(each["check_name"], each["check_number"], each["records"], tuple(each["examples"])) for each in merged
    ]


def _absent(database: Database, answers: Sequence[Answer]) -> list[Found]:
    """What `parts_without_persons` finds in all partitions together; in this process there is nobody."""
    rows = absent_values(database).to_pylist()
    for answer in answers:
        theirs = unpacked(answer.absent).to_pylist()
        rows = [row for row in rows if row in theirs]
    examples = tuple(example_of(row, {}) for row in rows[:EXAMPLES])
    return [Found("parts_without_persons", 0, len(rows), examples)] if rows else []


def _rows(database: Database) -> str:
    (some,) = database.select(sql_files()["merged_rows"], {}).to_pylist()
    told = f"{database.rows('slice_totals'):,} rows"
    is_many = some["total_rows"] > _MANY * some["group_count"]
    return f"{told}, many of the same groups: sort the records by place, and they are fewer" if is_many else told


def findings_table(parts: Iterable[Iterable[Found]]) -> pa.Table:
    """Table `part_findings` of sql/cluster."""
    rows = ((part, *astuple(one)) for part, found in enumerate(parts, start=1) for one in found)
    return declared_table("part_findings", rows)
