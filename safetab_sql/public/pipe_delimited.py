"""Production's pipe-delimited text, rewritten as Parquet in the scratch folder before anything reads it."""

from collections import Counter
from pathlib import Path

import duckdb

from safetab_sql.kit.database import Database
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import literal, sql_files
from safetab_sql.public.sources import Source, pattern_problem

LONGEST_LINE = 65_536  # bytes
_OTHER_SIGNS = ",;\t"  # separators in files of other programs


def parquet_files(database: Database, source: Source, scratch: Path, name: str) -> list[Path]:
    """The files of `source` as Parquet: Parquet files themselves, and a rewritten file in `scratch` for each text file.

    Raises: InputError that names every text file that is not a table.
    """
    if not source.is_text:
        return list(source.files)
    rewritten, problems = [], []
    for number, file in enumerate(source.files):
        target = scratch / f"{name}-{number}.parquet"
        values = text_values(file)
        if isinstance(values, Problem):
            problems.append(values)
            continue
        database.set_values(values)
        try:
            database.copy(sql_files()["delimited_text"], target, "format parquet")
        except duckdb.Error as error:
            reason = " ".join(str(error).split("Possible fixes")[0].split()).removeprefix("Invalid Input Error: ")
            fix = "give a header row, and in every line as many fields, separated by |, as it has"
            problems.append(Problem(str(file), f"not a pipe-delimited table: {reason}", fix))
        rewritten.append(target)
    if problems:
        raise InputError(problems)
    return rewritten


def text_values(file: Path) -> dict[str, str] | Problem:
    """The values with which sql/run/1_inputs/delimited_text reads `file`, or the problem of its header row."""
    header = pattern_problem(file) or _header(file)
    if isinstance(header, Problem):
        return header
    columns = ", ".join(f"{literal(column)}: 'varchar'" for column in header)
    return {"text_file": str(file), "text_columns": f"{{ {columns} }}"}


def _header(file: Path) -> list[str] | Problem:
    """The names in the first line of a text file, or the problem that they have."""
    with file.open("rb") as stream:
        line = stream.readline(LONGEST_LINE)
    names = line.decode("utf-8-sig", errors="replace").rstrip("\r\n").split("|")
    if names == [""]:
        return Problem(
            str(file), "has no header row", "give the names of the columns in the first line, separated by |"
        )
    if len(names) == 1 and any(sign in names[0] for sign in _OTHER_SIGNS):
        what = f"has no | in its first line, which is: {names[0]}"
        return Problem(str(file), what, "separate the fields by |, or write the table as Parquet")
    counts = Counter(map(str.upper, names))
    repeated = sorted({name for name in names if counts[name.upper()] > 1})
    if repeated:
        return Problem(
            str(file), f"has column {', '.join(repeated)} more than once", "give every column a name of its own"
        )
    return names
