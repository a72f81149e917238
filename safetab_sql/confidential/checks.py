"""Validation of the data: every statement under sql/checks returns the offending rows."""

from collections.abc import Mapping
from pathlib import Path

from safetab_sql.database import Database
from safetab_sql.errors import Problem
from safetab_sql.sqlfiles import SqlFile, folder_files

EXAMPLES = 5


def data_problems(
    database: Database, tables: set[str], places: Mapping[str, str], originals: Mapping[str, str]
) -> list[Problem]:
    """What every check finds that reads nothing but `tables`; up to five examples each.

    places: input name -> the file or folder as the user gave it. originals: file that was read -> file of the user,
    for text that was rewritten. The problems quote person records: for the custodian only.
    """
    problems = []
    for file in folder_files("checks"):
        if not set(file.tables_read) <= tables:
            continue
        count, examples = database.offenders(file, EXAMPLES)
        if count:
            problems.append(_problem(file, count, examples, places, originals))
    return problems


def _problem(
    file: SqlFile,
    count: int,
    examples: list[dict[str, object]],
    places: Mapping[str, str],
    originals: Mapping[str, str],
) -> Problem:
    return Problem(
        where=file.fields["where"].format_map(places),
        what=file.fields["problem"].format_map({**places, "n": f"{count:,}"}),
        fix=file.fields["fix"].format_map(places),
        examples=tuple(_example(row, originals) for row in examples),
    )


def _example(row: Mapping[str, object], originals: Mapping[str, str]) -> str:
    """An offending row in a line: the file and row of a person first, then its values."""
    values = [f"{name}={'NULL' if value is None else value}" for name, value in row.items() if "person_" not in name]
    if "person_file" not in row:
        return ", ".join(values)
    file = originals.get(str(row["person_file"]), str(row["person_file"]))
    return ", ".join([f"{Path(file).name} row {row['person_row']}", *values])
