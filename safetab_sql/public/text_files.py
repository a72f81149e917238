"""Text files that are read as tables, and rewritten as Parquet: a record is a line, and a line is a record.

One reader for every text file with a header row, of people or public. A file is read in stretches of whole lines; each
is checked and parsed from the same bytes, so what a line means depends on no other line and on no length. Why no field
can run over a line: every quotation mark opens a field, closes it, or is one of two inside it, and each line holds as
many as it needs. Source: tabulation.md section 2; RFC 4180, without line breaks in fields.
"""

import codecs
import csv
import os
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from safetab_sql.kit.database import Database, copy_table_of
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.stops import submit_each, thread_pool
from safetab_sql.kit.words import counted, words
from safetab_sql.public.sources import Source, form_problem, pattern_problem, stored_types

LONGEST_LINE = 2**20  # bytes
_NAMES_OF_PLACES = ("geography", "region_names")  # inputs in which people write what a place is called
_UNNAMED = "(unnamed"  # begins what a column without a name is called, before its place
_STRETCH = 2**23  # bytes that are read at a time
_MOST_THREADS = 4  # more than these wait for the file that is written
Places = npt.NDArray[np.intp]  # where some bytes of lines stand
_KINDS = {"|": "pipe-delimited", ",": "comma-separated", ";": "semicolon-separated", "\t": "tab-separated"}
_LINE_END, _RETURN, _MARK = b'\n\r"'
_EXCHANGED = bytes.maketrans(b"\r\n", b"\n\r")
_MOST_WORDS = 10_000  # from which an encoding is guessed
_UNKNOWN = "ENCODING"  # in its place, where no language has the words
_FIELD_IN_MARKS = re.compile(rb'\|"[^|\r\n]*"[|\r\n]|\n"[^|\r\n]*"[|\r\n]')
# Encodings that are no UTF-8, by the first four bytes of a text in them.
_ENCODINGS: Mapping[str, Callable[[bytes], bool]] = {
    "utf-32": lambda begin: begin in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": lambda begin: begin[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-16le": lambda begin: begin[1::2] == b"\0\0" != begin[::2],
    "utf-16be": lambda begin: begin[::2] == b"\0\0" != begin[1::2],
}
_FOREIGN_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_CONTROLS = re.compile(rb"\xc2[\x80-\x9f]")  # as in UTF-8
_NOTE = re.compile(r'"?sep ?= ?.?"?[,;|\t]*|#TYPE .*', re.IGNORECASE)  # for Excel, and of PowerShell
_ONE_LINE = (
    "a record is one line: put a field that holds quotation marks into a pair of them, without spaces around it, "
    "double those inside it, and take line breaks out of it; or write the file as Parquet, which keeps them"
)


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a text file: the names of its columns, what separates fields, and what may stand around one.

    line_end: of this line. size: of the line with its end, in bytes.
    """

    names: list[str]
    delimiter: str
    quotation_mark: str
    line_end: bytes
    size: int

    @property
    def schema(self) -> pa.Schema:
        """The columns that have a name, all of them text."""
        return pa.schema([(name, pa.string()) for name in self.names if not name.startswith(_UNNAMED)])


@dataclass(frozen=True, slots=True)
class _Lines:
    """Some lines of a file, each with its end, and how many stand above. is_exchanged: whether CR and LF were."""

    file: Path
    above: int
    text: bytes
    is_exchanged: bool

    @property
    def signs(self) -> npt.NDArray[np.uint8]:
        """Their bytes."""
        return np.frombuffer(self.text, np.uint8)

    def lengths(self, ends: Places) -> Places:
        """Of each line, without its end. ends: where each ends."""
        found: Places = np.diff(ends, prepend=-1) - 1 - (self.signs[ends - 1] == _RETURN)
        return found


def text_table(file: Path) -> pa.Table:
    """A text file that fits into memory, as a table of texts. Raises: InputError."""
    header = text_header(file)
    return pa.concat_tables([header.schema.empty_table(), *text_tables(file, header, threads=1)])


def text_tables(file: Path, header: Header, threads: int | None, *, folds: bool = False) -> Iterator[pa.Table]:
    """The rows of a text file, every field as text, a stretch at a time. An empty field is NULL.

    A line without a sign is no row; in a text of one column, it is a row without a value. Raises: InputError with the
    first line that is no record. folds: whether a line break in a field counts as a blank: see `_folded`.
    """
    at_a_time = min(threads or os.cpu_count() or 1, _MOST_THREADS)
    with thread_pool(at_a_time) as pool:
        parsing: deque[Future[pa.Table]] = deque()
        stretches = _stretches(file, header)
        is_folded = folds and header.quotation_mark and len(header.names) > 1
        for stretch in _folded(header, [*stretches]) if is_folded else stretches:
            parsing += submit_each(pool, partial(_parsed, header), [stretch])
            if len(parsing) > at_a_time:
                yield parsing.popleft().result()
        yield from (each.result() for each in parsing)


def _stretches(file: Path, header: Header) -> Iterator[_Lines]:
    """The lines below the header, so many bytes at a time. They end in LF or CR LF, or all in CR."""
    above, rest, is_exchanged = 1, b"", header.line_end == b"\r"
    with file.open("rb") as stream:
        stream.seek(header.size)
        while (some := stream.read(_STRETCH)) and len(rest) <= LONGEST_LINE:
            some = some.translate(_EXCHANGED) if is_exchanged else some
            lines, is_end, rest = (rest + some).rpartition(b"\n")
            if is_end:
                yield _Lines(file, above, lines + is_end, is_exchanged)
                above += lines.count(b"\n") + 1
    if rest:
        yield _Lines(file, above, rest + b"\n", is_exchanged)


def _folded(header: Header, lines: Sequence[_Lines]) -> list[_Lines]:
    """A blank for each line break in a field in quotation marks that holds no separator: no part of it is a record."""

    def field(found: re.Match[bytes]) -> bytes:
        return found[0] if header.delimiter.encode() in found[0] else re.sub(rb"\r?\n", b" ", found[0])

    text = b"".join(each.text for each in lines)
    return [replace(each, text=re.sub(rb'"[^"]*"', field, text)) for each in lines[:1]]


def _parsed(header: Header, lines: _Lines) -> pa.Table:
    """The rows of some lines. Raises: InputError with the first of them that is no record."""
    ends = np.flatnonzero(lines.signs == _LINE_END)
    _check_signs(lines, ends)
    _check_marks(lines, ends, header)
    keeps_empty, wrong = len(header.names) == 1, list[pc.InvalidRow]()

    def refused(row: pc.InvalidRow) -> str:
        wrong.append(row)
        return "error"

    rows = np.flatnonzero(keeps_empty | (lines.lengths(ends) > 0))
    if not rows.size:
        return header.schema.empty_table()
    options = pc.ParseOptions(
        delimiter=header.delimiter,
        quote_char=header.quotation_mark or False,
        ignore_empty_lines=not keeps_empty,
        invalid_row_handler=refused,
    )
    texts = pc.ConvertOptions(
        column_types=header.schema,
        include_columns=header.schema.names,
        null_values=[""],
        strings_can_be_null=True,
        check_utf8=False,
    )
    one_block = pc.ReadOptions(use_threads=False, column_names=header.names, block_size=len(lines.text) + 1)
    try:
        table = pc.read_csv(pa.BufferReader(lines.text), one_block, options, texts)
    except pa.ArrowInvalid:
        if not wrong:
            raise
        what = f"has {counted(wrong[0].actual_columns, 'field', 'fields')}, and the header {len(header.names)}"
        fix = f"in a {_KINDS[header.delimiter]} table, give every line as many fields as the header has"
        fix += ", and put a field that holds a separator in quotation marks" if header.quotation_mark else ""
        raise _error(lines, ends[rows[wrong[0].number - 1]], what, fix) from None
    if table.num_rows != rows.size:
        raise RuntimeError(f"{rows.size} lines were read as {table.num_rows} rows")
    return table


def _check_signs(lines: _Lines, ends: Places) -> None:
    """That these are lines of text, with the line ends that they must have and not too long. Raises: InputError."""
    text = lines.text
    if (at := text.find(b"\0")) >= 0:
        raise _error(lines, at, "holds a NUL byte")
    if wrong := re.search(rb"\r" if lines.is_exchanged else rb"\r(?!\n)", text):
        what = "holds a carriage return (CR) that is no part of a line end"
        what = "has another line end than line 1, which ends in CR" if lines.is_exchanged else what
        raise _error(lines, wrong.start(), what, "let every line end in LF, and take line breaks out of fields")
    lengths = lines.lengths(ends)
    if lengths.max() > LONGEST_LINE:
        what, fix = f"is longer than {LONGEST_LINE:,} bytes", "leave out columns that nothing reads, or write Parquet"
        raise _error(lines, ends[np.argmax(lengths)], what, fix)
    if codecs.BOM_UTF8 in text and (at := (b"\n" + text).find(b"\n" + codecs.BOM_UTF8)) >= 0:
        what = "begins with the sign that marks the begin of a UTF-8 file"
        raise _error(lines, at, what, "where files were put together, take out this sign and the second header")
    try:
        text.isascii() or text.decode()
    except UnicodeDecodeError as error:
        raise _error(lines, error.start, "is no UTF-8 text") from error
    if not text.isascii() and (wrong := _CONTROLS.search(text)):
        what = "holds a sign from U+0080 to U+009F, as text has that was converted from another encoding than its own"
        encoding = _encoding_of(text.decode().encode("latin1", "ignore"))
        raise _error(lines, wrong.start(), what, f"convert the original again: iconv -f {encoding} -t utf-8")


def _check_marks(lines: _Lines, ends: Places, header: Header) -> None:
    """That quotation marks stand around fields; between |, where they mean nothing, none may. Raises: InputError."""
    if b'"' not in lines.text:
        return
    if not header.quotation_mark:
        if found := _FIELD_IN_MARKS.search(b"\n" + lines.text):
            what = "has a field in quotation marks, and between | they are signs like any other"
            fix = "write it without them (in R: quote = FALSE), or with commas between fields"
            raise _error(lines, found.start(), what, fix)
        return
    marks = np.flatnonzero(lines.signs == _MARK)
    odd = np.searchsorted(marks, ends) % 2 == 1
    if odd.any():
        raise _error(lines, ends[np.argmax(odd)], "holds an odd number of quotation marks", _ONE_LINE)
    around = (*b'\n\r"', ord(header.delimiter))
    wrong = ~np.isin(lines.signs[marks[::2] - 1], around) | ~np.isin(lines.signs[marks[1::2] + 1], around)
    if wrong.any():
        what = "holds a quotation mark that neither opens a field nor closes one"
        raise _error(lines, marks[2 * np.argmax(wrong)], what, _ONE_LINE)


def _error(lines: _Lines, at: int, what: str, fix: str = "") -> InputError:
    """What is wrong with the line in which a byte stands, and what to do; no fix: because of its encoding."""
    file, line = lines.file, f"line {lines.above + lines.text.count(bytes([_LINE_END]), 0, at) + 1}"
    new = file.with_suffix(f".{'new' if fix else 'utf8'}{file.suffix}")
    if fix:
        return InputError([Problem(str(file), f"{line} {what}", fix.format(f"'{file}'", f"'{new}'"))])
    with file.open("rb") as stream:
        begin = stream.read(_STRETCH)
    marked = next((name for name, is_it in _ENCODINGS.items() if is_it(begin[:4])), None)
    if marked is None and "NUL" in what:
        return InputError([Problem(str(file), f"{line} {what}", f"take it out: tr -d '\\000' < '{file}' > '{new}'")])
    encoding, found = marked or _encoding_of(begin + lines.text), list[bytes]()
    if encoding not in {marked, _UNKNOWN}:  # of the header alone: words below it may be somebody's name
        found = _FOREIGN_WORD.findall(re.split(rb"[\r\n]", begin, maxsplit=1)[0])[:3]
    fix = f"convert it, as {encoding.upper()} by: iconv -f {encoding} -t utf-8 '{file}' > '{new}'; and name that one"
    if marked is None:
        fix += f"; if {'a word above' if found else 'a word in that one'} is spelt wrong, it has another encoding"
    shown = tuple(word.decode(encoding, "replace") for word in found)
    return InputError([Problem(str(file), f"{line} is no UTF-8 text", fix, shown)])


def _encoding_of(text: bytes) -> str:
    """The encoding in which most words have letters of one language, and capitals first or alone; or _UNKNOWN."""
    given, best = [*dict.fromkeys(_FOREIGN_WORD.findall(text))][:_MOST_WORDS], (_UNKNOWN, 0)
    for encoding, alphabets in words(Path(__file__).with_name("alphabets.toml")).items():
        decoded = [word.decode(encoding, "replace") for word in given]
        for letters in alphabets:
            large, small = f"[A-Z{letters.upper()}]", f"[a-z{letters}]"
            fits = sum(map(bool, map(re.compile(f"{large}?{small}+|{large}+").fullmatch, decoded)))
            best = max(best, (encoding, fits), key=lambda found: found[1])
    return best[0]


def text_header(file: Path) -> Header:
    """The header row of a text file. Raises: InputError.

    The first line tells which text it is: with |, production's, in which a quotation mark is a sign like any other;
    without, separated by what it has most of, commas, semicolons or tabs, and a field may stand in quotation marks. A
    column without a name, such as row numbers have, is passed over.
    """
    refuse([problem for problem in (pattern_problem(file), form_problem(file)) if problem is not None])
    with file.open("rb") as stream:
        given = stream.readline(LONGEST_LINE + len(codecs.BOM_UTF8) + 3)
    end = next(end for end in (b"\r\n", b"\r", b"\n") if end in given or end == b"\n")
    given = given[: given.find(end) + len(end)] if end in given else given
    line = _Lines(file, 0, given.removeprefix(codecs.BOM_UTF8).removesuffix(end) + b"\n", is_exchanged=False)
    ends = np.array([len(line.text) - 1])
    _check_signs(line, ends)
    text = line.text.decode().rstrip("\r\n")
    refuse(_no_header(file, text))
    outside = re.sub('"[^"]*"', "", text)
    most, is_quoted = max(",;\t", key=outside.count), "|" not in outside
    delimiter = most if is_quoted and most in outside else "|"
    header = Header([], delimiter, '"' if is_quoted else "", end, len(given))
    _check_marks(line, ends, header)
    fields = text.split(delimiter)
    with suppress(csv.Error):  # of a line that no program wrote as names
        fields = next(csv.reader([text], delimiter=delimiter)) if is_quoted else fields
    names = [name if name.strip() else f"{_UNNAMED} {place})" for place, name in enumerate(fields, start=1)]
    counts = Counter(map(str.upper, names))
    if repeated := sorted({name for name in names if counts[name.upper()] > 1}):
        what = f"has column {', '.join(repeated)} more than once"
        raise InputError([Problem(str(file), what, "give every column a name of its own")])
    return replace(header, names=names)


def _no_header(file: Path, text: str) -> list[Problem]:
    """The problem of a first line that names no columns."""
    if not text.strip(' |,;\t"'):
        fix = "give the names of the columns in the first line, separated by |, commas, semicolons or tabs"
        return [Problem(str(file), "has no header row", fix)]
    if _NOTE.fullmatch(text):
        new = file.with_suffix(f".new{file.suffix}")
        fix = f"take that line out: tail -n +2 '{file}' > '{new}'; and name that one"
        return [Problem(str(file), f"begins with a note, {text}, in place of the header row", fix)]
    return []


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
    rewritten, problems = [], list[Problem]()
    # Fast to write and to read again; few columns have more values than fit into a small dictionary.
    fast = {"compression": "lz4", "write_statistics": False, "dictionary_pagesize_limit": 2**16}
    for number, file in enumerate(source.files):
        rewritten.append(scratch / f"{name}-{number}.parquet")
        try:
            header = text_header(file)
            with pq.ParquetWriter(rewritten[-1], header.schema, **fast) as writer:
                for table in text_tables(file, header, database.resources.threads, folds=name in _NAMES_OF_PLACES):
                    writer.write_table(table)
        except InputError as error:
            problems += error.problems
    refuse(problems)
    return rewritten


def source_columns(source: Source, *, is_checked: bool = False) -> Mapping[str, pa.DataType]:
    """The columns of an input, and their types, by its first file. is_checked: whether first lines of text are, too."""
    if not source.is_text:
        return stored_types(replace(source, files=source.files[:1]), source.files[:1])[0]
    header = text_header(source.files[0])
    if is_checked:
        next(text_tables(source.files[0], header, threads=1), None)
    return dict.fromkeys(header.schema.names, pa.string())
