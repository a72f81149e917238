"""Text, and tables of DuckDB databases, rewritten as Parquet in the scratch folder before anything reads them."""

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import duckdb

from safetab_sql.kit.database import Database
from safetab_sql.kit.database_tables import copy_table_of
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import literal, sql_files
from safetab_sql.public.sources import Source, pattern_problem, stored_types

LONGEST_LINE = 65_536  # bytes
_KINDS = {"|": "pipe-delimited", ",": "comma-separated", ";": "semicolon-separated", "\t": "tab-separated"}


def parquet_files(database: Database, source: Source, scratch: Path, name: str) -> list[Path]:
    """The files of `source` as Parquet: Parquet files themselves, and for all others a rewritten file in `scratch`.

    Raises: InputError that names every text file that is not a table, or a database that cannot be read.
    """
    if source.is_parquet:
        return list(source.files)
    if source.table is not None:
        target = scratch / f"{name}-0.parquet"
        copy_table_of(source.files[0], source.table, target, database.resources)
        return [target]
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
            problems.append(_text_problem(file, values["delimiter"], error))
        rewritten.append(target)
    if problems:
        raise InputError(problems)
    return rewritten


def _text_problem(file: Path, delimiter: str, error: duckdb.Error) -> Problem:
    said = " ".join(str(error).split()).removeprefix("Invalid Input Error: ")
    line = re.search(r"CSV Error on Line: (\d+)", said)
    if line and "not utf-8 encoded" in said:
        return not_utf_8(file, line[1])
    reason = re.split(r" Possible (?:fixes|Solution)| file = ", said)[0]
    fix = "give a header row, and in every line as many fields as it has"
    return Problem(str(file), f"not a {_KINDS[delimiter]} table: {reason}", fix)


def not_utf_8(file: Path, line: str) -> Problem:
    """The problem of a text file that has another encoding, with the command that mends it."""
    encoding = other_encoding(file)
    kind = "as UTF-16" if encoding == "utf-16" else "if it is Latin-1"
    new = file.with_suffix(f".utf8{file.suffix}")
    fix = f"convert it, {kind} by: iconv -f {encoding} -t utf-8 '{file}' > '{new}'; and name that one"
    return Problem(str(file), f"line {line} is no UTF-8 text", fix)


def other_encoding(file: Path) -> str:
    """The encoding that a text file has which is no UTF-8: UTF-16 by its first bytes, or probably Latin-1."""
    with file.open("rb") as stream:
        return "utf-16" if stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "latin1"


def source_columns(source: Source) -> list[str]:
    """The names of the columns of an input, of its first file. Raises: InputError where they cannot be read."""
    if not source.is_text:
        return list(stored_types(source, source.files)[0])
    header = text_header(source.files[0])
    if isinstance(header, Problem):
        raise InputError([header])
    return header.names


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a text file: the names of its columns, what separates fields, and what may stand around one."""

    names: list[str]
    delimiter: str
    quotation_mark: str


def text_values(file: Path) -> dict[str, str] | Problem:
    """The values with which sql/run/1_inputs/delimited_text reads `file`, or the problem of its header row."""
    header = text_header(file)
    if isinstance(header, Problem):
        return header
    columns = ", ".join(f"{literal(column)}: 'varchar'" for column in header.names)
    return {
        "text_file": str(file),
        "text_columns": f"{{ {columns} }}",
        "delimiter": header.delimiter,
        "quotation_mark": header.quotation_mark,
    }


def text_header(file: Path) -> Header | Problem:
    """The header row of a text file, or the problem that it has.

    The first line tells which text it is: with |, production's, in which a quotation mark is a sign like any other;
    without, separated by what it has most of, commas, semicolons or tabs, and a field may stand in quotation marks.
    """
    first = pattern_problem(file) or _first_line(file)
    if isinstance(first, Problem):
        return first
    most = max(",;\t", key=first.count)
    is_quoted = most in first or (first.startswith('"') and first.endswith('"'))  # also the only column
    delimiter, quote = (most, '"') if is_quoted and "|" not in first else ("|", "")
    names = _fields(first, delimiter) if quote else first.split("|")
    counts = Counter(map(str.upper, names))
    repeated = sorted({name for name in names if counts[name.upper()] > 1})
    if repeated:
        what = f"has column {', '.join(repeated)} more than once"
        return Problem(str(file), what, "give every column a name of its own")
    return Header(names, delimiter, quote)


def _fields(line: str, delimiter: str) -> list[str]:
    """The fields of the first line, which may stand in quotation marks; of a line that is no text, as they are."""
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error:
        return line.split(delimiter)


def _first_line(file: Path) -> str | Problem:
    with file.open("rb") as stream:
        line = stream.read(LONGEST_LINE).partition(b"\n")[0]
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        text = decoder.decode(line, final=len(line) < LONGEST_LINE).rstrip("\r\n")
    except UnicodeDecodeError:
        return not_utf_8(file, "1")
    if not text:
        fix = "give the names of the columns in the first line, separated by |, commas, semicolons or tabs"
        return Problem(str(file), "has no header row", fix)
    return text
