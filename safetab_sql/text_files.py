"""Production's pipe-delimited text, rewritten as Parquet in the scratch folder before anything reads it."""

from pathlib import Path

import duckdb

from safetab_sql.database import Database
from safetab_sql.errors import InputError, Problem
from safetab_sql.public.sources import Source
from safetab_sql.sqlfiles import sql_files


def parquet_files(database: Database, source: Source, scratch: Path, name: str) -> list[Path]:
    """The files of `source` as Parquet: themselves, or one rewritten file below `scratch` for each text file.

    Raises: InputError that names every text file that is not a table.
    """
    if not source.is_text:
        return list(source.files)
    rewritten, problems = [], []
    for number, file in enumerate(source.files):
        target = scratch / f"{name}-{number}.parquet"
        database.set_values({"text_file": str(file)})
        try:
            database.copy(sql_files()["delimited_text"], target, "format parquet")
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            fix = "give a header row, and in every line as many fields, separated by |, as it has"
            problems.append(Problem(str(file), f"not a pipe-delimited table: {reason}", fix))
        rewritten.append(target)
    if problems:
        raise InputError(problems)
    return rewritten
