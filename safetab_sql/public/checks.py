"""Validation of the data: every statement under sql/checks returns the offending rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from safetab_sql.kit.database import Database, Line
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import ignore
from safetab_sql.kit.sqlfiles import SqlFile, folder_files

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Findings:
    """What the checks found, for the custodian only: it quotes person records.

    problems: the inputs are refused. warnings: told, and without any effect: whether there is one may hang on a single
    person. What a check of kind `note` finds is in the confidential log alone.
    """

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


def data_findings(
    database: Database,
    tables: set[str],
    places: Mapping[str, str],
    originals: Mapping[str, str],
    log: Line = ignore,
) -> Findings:
    """What every check finds that reads nothing but `tables`; up to five examples each, all of them in the log.

    places: input name -> the file or folder as the user gave it. originals: file that was read -> file of the user,
    for text that was rewritten.
    """
    findings = Findings()
    for file in folder_files("checks"):
        if not set(file.tables_read) <= tables or not (count := database.found(file)):
            continue
        if file.kind == "note":
            log(str(_problem(file, count, (), places)))
            continue
        examples = database.examples(file, EXAMPLES, lambda row: _example(row, originals))
        kind = findings.warnings if file.kind == "warning" else findings.problems
        kind.append(_problem(file, count, examples, places))
    return findings


def _problem(file: SqlFile, count: int, examples: tuple[str, ...], places: Mapping[str, str]) -> Problem:
    return Problem(
        where=file.fields["where"].format_map(places),
        what=file.fields["problem"].format_map({**places, "n": f"{count:,}"}),
        fix=file.fields["fix"].format_map(places),
        examples=examples,
    )


def _example(row: Mapping[str, object], originals: Mapping[str, str]) -> str:
    """An offending row in a line: the file and row of a person first, then its values."""
    values = [f"{name}={'NULL' if value is None else value}" for name, value in row.items() if "person_" not in name]
    if "person_file" not in row:
        return ", ".join(values)
    file = originals.get(str(row["person_file"]), str(row["person_file"]))
    return ", ".join([f"{Path(file).name} row {row['person_row']}", *values])
