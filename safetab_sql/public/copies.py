"""Whether two inputs, or two files of one, hold the same: one file under two names, the same bytes, or the same rows.

Files of records are also held against the names of their folders. Little is read where nothing is alike: bytes are
compared of files of equal size, and rows where two inputs have as many of them, in the columns that both have.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from urllib.parse import unquote

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.database_tables import table_rows, table_schema
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import engine_path, is_object, sha256_of
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.as_parquet import LONGEST_LINE, parquet_files, text_header
from safetab_sql.public.sources import (
    TEXT_ENDINGS,
    Source,
    footer_of,
    partition,
    source_of,
    table_source,
    usable_files,
)


def find_records(given: str | Path, columns: Collection[str], *, objects: bool = False) -> Source:
    """The files that `given` names; every row is a record that counts once. columns: the columns that are read.

    Raises: InputError also with every file that is there twice: by a link, or as a byte-for-byte copy; for the same
    rows in other bytes see `rewritten_copies`. Files without rows are accepted: no record in them counts twice, and
    writers leave one for each part without people. Identical files in Hive folders with different values of a column
    that is read, and that they do not store, are accepted: their records differ. A file that stores other values than
    its folder says is refused.
    """
    if (table := table_source(str(given))) is not None:
        return table
    files = usable_files(str(given), objects=objects)
    try:
        refuse([*repetitions(files, columns), *contradictions(files)])
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise InputError([Problem(str(error.filename or given), what, "ask for access, or leave it out")]) from error
    return source_of(str(given), files)


ONCE = "remove one of the two: every record in it would count twice"
NOT_ALIKE = f"{ONCE}; if they are different people who look alike, write them to one file"
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # what stands in the name of a folder for NULL
_MOST_VALUES = 5  # that a message names


def repetitions(files: Sequence[Path], columns: Collection[str]) -> list[Problem]:
    """The problem of every file that is the same as a file before it, or a copy of it in all `columns`."""
    firsts: dict[tuple[int, int], Path] = {}
    problems = []
    for file in files:
        if is_object(file):  # two objects are never one by a link
            firsts[0, len(firsts)] = file
            continue
        found = file.stat()
        first = firsts.setdefault((found.st_dev, found.st_ino), file)
        if first is not file:
            problems.append(Problem(str(file), f"is the same file as {first}, by a link", ONCE))
    return problems + _copies(list(firsts.values()), columns)


def _copies(files: Sequence[Path], columns: Collection[str]) -> list[Problem]:
    """Problems of files with rows that hold the bytes of a file before. Only files of equal size are read for that."""
    by_size: defaultdict[int, list[Path]] = defaultdict(list)
    for file in files:
        by_size[file.stat().st_size].append(file)
    problems = []
    for alike in by_size.values():
        firsts: dict[tuple[str, ...], Path] = {}
        for file in alike if len(alike) > 1 else ():
            values = [f"{name}={value}" for name, value in sorted(given_values(file).items()) if name in columns]
            first = firsts.setdefault((sha256_of(file), *values), file)
            if first is not file and _has_rows(file):
                problems.append(Problem(str(file), f"holds the same bytes as {first}", NOT_ALIKE))
    return problems


def given_values(file: Path) -> dict[str, str]:
    """The values that the records of a file get from the names of its folders.

    A column that the file stores itself has its own values, and a text file gets none.
    """
    own = {name.casefold() for name in _stored(file)}
    named = partition(file.resolve().parent) if own else {}
    return {name: value for name, value in named.items() if name.casefold() not in own}


def _stored(file: Path) -> list[str]:
    """The columns that a Parquet file stores; none of another file, or where it cannot be read: others say why."""
    with suppress(pa.ArrowException, OSError, ValueError):
        if not _is_text(file):
            return list(footer_of(file).schema.to_arrow_schema().names)
    return []


def contradictions(files: Sequence[Path]) -> Iterator[Problem]:
    """The problem of every file that stores a column with other values than the name of its folder gives it.

    A folder that holds all of the files tells them not apart: its name says where they lie, and gives no value.
    """
    folders = [str(file.resolve().parent) for file in files]  # text: a path of an object has its own type
    above = os.path.commonpath(folders) if folders else ""
    for file, folder in zip(files, folders, strict=True):
        named = {name.casefold(): value for name, value in partition(Path(folder.removeprefix(above))).items()}
        for column in [name for name in _stored(file) if name.casefold() in named] if named else ():
            wanted = unquote(named[column.casefold()])
            others = [value for value in _values(file, column) if not _is_alike(value, wanted)]
            if others:
                shown = ", ".join("NULL" if value is None else str(value) for value in others[:_MOST_VALUES])
                what = f"stores {column} = {shown}, and lies in a folder {column}={wanted}"
                yield Problem(str(file), what, "move it to the folder of its values, or take one of the two out")


def _values(file: Path, column: str) -> list[object]:
    with suppress(pa.ArrowException, OSError, ValueError), file.open("rb") as stream:
        found: list[object] = pc.unique(pq.read_table(stream, columns=[column])[column]).to_pylist()
        return found
    return []


def _is_alike(value: object, wanted: str) -> bool:
    """Whether a stored value is the one that a folder names: 1 is 01, and NULL has a name of its own."""
    if value is None or wanted == _NO_VALUE:
        return value is None and wanted == _NO_VALUE
    text = str(value).lower() if isinstance(value, bool) else str(value)
    is_number = not isinstance(value, bool | str) and wanted.lstrip("-").isdecimal()
    return text == wanted or (is_number and value == int(wanted))


def unread_folders(given: str, files: Sequence[Path], columns: Collection[str]) -> Iterator[Problem]:
    """A warning for each column in the names of folders that has several values, and that nothing reads.

    files: Parquet. Records in such folders are all counted, also where one folder is a later state of another.
    """
    known = {name.casefold() for name in columns}
    values: defaultdict[str, set[str]] = defaultdict(set)
    for file in files:
        for name, value in partition(file.parent).items():
            values[name].add(value)
    for name, found in sorted(values.items()):
        if name.casefold() not in known and len(found) > 1:
            some = ", ".join(f"{name}={value}" for value in sorted(found)[:_MOST_VALUES])
            what = f"holds folders {some}{', ...' if len(found) > _MOST_VALUES else ''}, and nothing reads {name}"
            fix = "the records of all of them are counted together: name one folder, if they are the same people"
            yield Problem(given, what, fix)


def _is_text(file: Path) -> bool:
    return file.suffix.lower() in TEXT_ENDINGS


def _has_rows(file: Path) -> bool:
    """Whether a file holds a record; False if that is unknown, and then reading the file will report why."""
    with suppress(pa.ArrowException, OSError):
        return _rows(file, is_text=_is_text(file)) > 0
    return False


_STRETCH = 2**22  # bytes of a text that are read at a time
# Whoever reads an input says what is wrong with it.
UNREADABLE = (InputError, duckdb.Error, pa.ArrowException, OSError, ValueError)


def what_copy(one: Source, other: Source, resources: Resources, *, is_of_places: bool = False) -> str | None:
    """What `one` has to do with the records `other`, for a sentence; None where nothing is noticed.

    is_of_places: `one` has a row for each place. With one record in each place its columns of places are the
    columns of the records, so that its rows are compared only where one of the two has all columns of the other.
    """
    are_files = one.table is None and other.table is None
    is_shared = any(is_one_file(file, theirs) for file, theirs in product(one.files, other.files))
    if is_shared and (are_files or one.table == other.table):
        return f"is a file of the records, {other.given}"
    if are_files and _has_same_bytes(one.files, other.files):
        return f"holds the same bytes as a file of the records, {other.given}"
    with suppress(*UNREADABLE):
        if _has_same_rows(one, other, resources, is_of_places=is_of_places):
            return f"holds the same rows as the records, {other.given}"
    return None


def rewritten_copies(source: Source, columns: Collection[str], resources: Resources) -> list[Problem]:
    """The problem of every Parquet file with the rows of a file before it, in another order, compression or layout.

    columns: those that are read; files whose folders give them different values hold different records. Rows are read
    where footers do not tell files apart: first of one column, then of all.
    """
    by_footer: defaultdict[tuple[object, ...], list[Path]] = defaultdict(list)
    with suppress(*UNREADABLE):
        for file in source.files if source.is_parquet and len(source.files) > 1 else ():
            named = {name: value for name, value in given_values(file).items() if name in columns}
            by_footer[*_footer(file), *sorted(named.items())].append(file)
    alike = [files for (rows, *_), files in by_footer.items() if rows and len(files) > 1]
    if not alike:
        return []
    with scratch_folder(resources.scratch) as scratch, open_database(scratch, source.files, [], resources) as database:
        problems = [problem for files in alike for problem in _equal_rows(database, files)]
    return sorted(problems, key=lambda problem: problem.where)


def _footer(file: Path) -> tuple[object, ...]:
    """What a footer says whatever the order of the rows: how many, the columns, and the ends of each, if it has them.

    A copy by a program that writes no ends, or cuts them, has another footer, and is not noticed.
    """
    found, ends = footer_of(file), dict[str, tuple[object, object]]()
    for column in _pieces(found):
        if (said := column.statistics) is not None and said.has_min_max:
            least, most = ends.get(column.path_in_schema, (said.min, said.max))
            ends[column.path_in_schema] = min(least, said.min), max(most, said.max)
    return found.num_rows, *sorted(ends.items()), *sorted(found.schema.names)


def _pieces(footer: pq.FileMetaData) -> Iterator[pq.ColumnChunkMetaData]:
    """What a footer says of each column of each row group."""
    for group in map(footer.row_group, range(footer.num_row_groups)):
        yield from map(group.column, range(group.num_columns))


def _equal_rows(database: Database, files: Sequence[Path]) -> Iterator[Problem]:
    columns = _widest_first(files[0])
    by_column: defaultdict[str, list[Path]] = defaultdict(list)
    for file in files:
        by_column[_row_hash(database, [file], columns[:1])].append(file)
    for some in by_column.values():
        firsts: dict[str, Path] = {}
        for file in some if len(some) > 1 else ():
            first = firsts.setdefault(_row_hash(database, [file], columns), file)
            if first is not file:
                yield Problem(str(file), f"holds the same rows as {first}", NOT_ALIKE)


def _widest_first(file: Path) -> list[str]:
    """The columns of a file, the one with the most bytes first: it tells most."""
    sizes: Counter[str] = Counter()
    for column in _pieces(footer_of(file)):
        sizes[column.path_in_schema.partition(".")[0]] += column.total_uncompressed_size
    return [name for name, _ in sizes.most_common()]


def is_one_file(one: Path, other: Path) -> bool:
    """Whether two names, links among them, are of one file; of objects, whether the names are one."""
    if is_object(one) or is_object(other):
        return is_object(one) and is_object(other) and str(one) == str(other)
    try:
        return one.samefile(other)
    except OSError:
        return False


def _has_same_bytes(ours: Sequence[Path], theirs: Sequence[Path]) -> bool:
    with suppress(OSError):  # whoever reads the input says what is wrong
        sizes = {file.stat().st_size for file in ours} & {file.stat().st_size for file in theirs}
        alike = [[file for file in files if 0 < file.stat().st_size in sizes] for files in (ours, theirs)]
        return bool({*map(sha256_of, alike[0])} & {*map(sha256_of, alike[1])}) if all(alike) else False
    return False


def _has_same_rows(one: Source, other: Source, resources: Resources, *, is_of_places: bool) -> bool:
    """Whether one input has the same rows as the other, or as one of its files, in the columns that both have."""
    columns = _shared_columns(one, other, is_of_places=is_of_places)
    if not columns:
        return False
    alike = [(ours, theirs) for (ours, n), (theirs, m) in product(_parts(one), _parts(other)) if 0 < n == m]
    if not alike:
        return False
    readable = [file for source in (one, other) if source.table is None for file in source.files]
    with scratch_folder(resources.scratch) as scratch, open_database(scratch, readable, [], resources) as database:
        files = [parquet_files(database, source, scratch, name) for source, name in ((one, "one"), (other, "other"))]
        ours, theirs = (
            {_row_hash(database, [files[side][place] for place in places], columns) for places in parts}
            for side, parts in enumerate(map(set, zip(*alike, strict=True)))
        )
    return bool(ours & theirs)


def _row_hash(database: Database, files: Sequence[Path], columns: Sequence[str]) -> str:
    values = {"compared_files": list(map(engine_path, files)), "compared_columns": columns}
    return str(database.select(sql_files()["row_hash"], values)["hash_sum"][0])


def _shared_columns(one: Source, other: Source, *, is_of_places: bool) -> list[str]:
    """The columns that both have, in one order; of places, none if both have others."""
    ours, theirs = ({name.casefold() for name in stored_columns(source)} for source in (one, other))
    return [] if is_of_places and ours - theirs and theirs - ours else sorted(ours & theirs)


def stored_columns(source: Source) -> list[str]:
    """The columns that the first file itself stores, whatever the names of folders say."""
    file = source.files[0]
    if source.table is not None:
        return list(table_schema(file, source.table).names)
    if not source.is_text:
        return list(footer_of(file).schema.to_arrow_schema().names)
    header = text_header(file)
    return [] if isinstance(header, Problem) else header.names


def _parts(source: Source) -> list[tuple[tuple[int, ...], int]]:
    """Each file, and all together: their places, and how many rows they have."""
    if source.table is not None:
        return [((0,), table_rows(source.files[0], source.table))]
    rows = [_rows(file, is_text=source.is_text) for file in source.files]
    whole = tuple(range(len(rows))), sum(rows)
    return [whole, *(((place,), each) for place, each in enumerate(rows))] if len(rows) > 1 else [whole]


def _rows(file: Path, *, is_text: bool) -> int:
    """How many rows a file has; of text, how many lines after the first.

    Readers of tables skip empty lines; but in a text of one column, an empty line is an empty value.
    """
    if not is_text:
        return int(footer_of(file).num_rows)
    header, lines = text_header(file), 0
    keeps_empty = not isinstance(header, Problem) and len(header.names) == 1
    with file.open("rb") as stream:
        while stretch := stream.read(_STRETCH) + stream.readline(LONGEST_LINE):
            found = stretch.replace(b"\r", b"").removesuffix(b"\n").split(b"\n")
            lines += len(found) if keeps_empty else sum(map(bool, found))
    return max(0, lines - 1)
