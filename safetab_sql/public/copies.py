"""Whether two inputs, or two files of one, hold the same: one file under two names, the same bytes, or the same rows.

Little is read where nothing is alike: bytes are compared of files of equal size, and rows where two inputs have as
many of them, in the columns that both have.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.database_tables import table_rows, table_schema
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.objects import engine_path, is_object, sha256_of
from safetab_sql.kit.sqlfiles import quoted_name, sql_files
from safetab_sql.public.as_parquet import LONGEST_LINE, parquet_files, text_header
from safetab_sql.public.repetitions import NOT_ALIKE, given_values
from safetab_sql.public.sources import Source

_STRETCH = 2**22  # bytes of a text that are read at a time
# Whoever reads an input says what is wrong with it.
UNREADABLE = (InputError, duckdb.Error, pa.ArrowException, OSError, ValueError)


def what_copy(one: Source, other: Source, resources: Resources, *, is_of_places: bool = False) -> str | None:
    """What `one` has to do with the records `other`, for a sentence; None where nothing is noticed.

    is_of_places: `one` has a row for each place. With one record in each place its columns of places are those of the
    records, so that its rows are compared only where one of the two has all columns of the other.
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
    with file.open("rb") as stream:
        found = pq.read_metadata(stream)
    ends: dict[str, tuple[object, object]] = {}
    for group in range(found.num_row_groups):
        for place in range(found.num_columns):
            column = found.row_group(group).column(place)
            if column.statistics is not None and column.statistics.has_min_max:
                least, most = ends.get(column.path_in_schema, (column.statistics.min, column.statistics.max))
                ends[column.path_in_schema] = min(least, column.statistics.min), max(most, column.statistics.max)
    return found.num_rows, *sorted(ends.items()), *sorted(found.schema.names)


def _equal_rows(database: Database, files: Sequence[Path]) -> Iterator[Problem]:
    """The problem of each file that has the rows of a file before it. files: with the same columns."""
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
    with file.open("rb") as stream:
        found = pq.read_metadata(stream)
    for group in range(found.num_row_groups):
        for place in range(found.num_columns):
            column = found.row_group(group).column(place)
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


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some rows of an input. places: of its files. rows: how many; of text, see `_lines`."""

    places: tuple[int, ...]
    rows: int


def _has_same_rows(one: Source, other: Source, resources: Resources, *, is_of_places: bool) -> bool:
    """Whether all rows of one input are those of the other, or of one of its files, in the columns that both have."""
    columns = _shared_columns(one, other, is_of_places=is_of_places)
    if not columns:
        return False
    alike = [(ours, theirs) for ours, theirs in product(_parts(one), _parts(other)) if 0 < ours.rows == theirs.rows]
    if not alike:
        return False
    readable = [file for source in (one, other) if source.table is None for file in source.files]
    with scratch_folder(resources.scratch) as scratch, open_database(scratch, readable, [], resources) as database:
        files = [parquet_files(database, source, scratch, name) for source, name in ((one, "one"), (other, "other"))]
        ours, theirs = (
            {_row_hash(database, [files[side][place] for place in part.places], columns) for part in parts}
            for side, parts in enumerate(map(set, zip(*alike, strict=True)))
        )
    return bool(ours & theirs)


def _row_hash(database: Database, files: Sequence[Path], columns: Sequence[str]) -> str:
    named = [{"name": quoted_name(column)} for column in columns]
    values = {"compared_files": list(map(engine_path, files)), "compared_columns": named}
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
        with file.open("rb") as stream:
            return list(pq.read_schema(stream).names)
    header = text_header(file)
    return [] if isinstance(header, Problem) else header.names


def _parts(source: Source) -> list[_Rows]:
    """Each file, and all together."""
    if source.table is not None:
        return [_Rows((0,), table_rows(source.files[0], source.table))]
    counted = [_Rows((place,), _rows(file, is_text=source.is_text)) for place, file in enumerate(source.files)]
    whole = _Rows(tuple(range(len(counted))), sum(part.rows for part in counted))
    return [whole, *counted] if len(counted) > 1 else [whole]


def _rows(file: Path, *, is_text: bool) -> int:
    """How many rows a file has; of text, how many lines after the first."""
    if is_text:
        return max(0, _lines(file) - 1)
    with file.open("rb") as stream:
        return int(pq.read_metadata(stream).num_rows)


def _lines(file: Path) -> int:
    """How many lines of a text hold something; of a text of one column, how many lines: an empty one is an empty value.

    Readers of tables skip other empty lines.
    """
    header = text_header(file)
    keeps_empty = not isinstance(header, Problem) and len(header.names) == 1
    lines = 0
    with file.open("rb") as stream:
        while stretch := stream.read(_STRETCH) + stream.readline(LONGEST_LINE):
            found = stretch.replace(b"\r", b"").removesuffix(b"\n").split(b"\n")
            lines += len(found) if keeps_empty else sum(map(bool, found))
    return lines
