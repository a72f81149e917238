"""The files of records: that none stands there twice, and that each holds what the names of its folders say."""

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.public.sources import TEXT_ENDINGS, Source, footer_of, partition, source_of, table_source, usable_files
from safetab_sql.public.text_files import text_header, text_tables


def find_records(given: str | Path, columns: Collection[str]) -> Source:
    """The files that `given` names; every row is a record that counts once. columns: the columns that are read.

    Raises: InputError also with every file that is there twice: by a link, or as a byte-for-byte copy. Files without
    rows are accepted: no record in them counts twice, and writers leave one for each part without people. Identical
    files in Hive folders with different values of a column that is read, and that they do not store, are accepted:
    their records differ. A file that stores other values than its folder says is refused.
    """
    if (table := table_source(str(given))) is not None:
        return table
    files = usable_files(str(given))
    try:
        refuse([*_repetitions(files, columns), *_contradictions(files)])
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise InputError([Problem(str(error.filename or given), what, "ask for access, or leave it out")]) from error
    return source_of(str(given), files)


_ONCE = "remove one of the two: every record in it would count twice"
_NOT_ALIKE = f"{_ONCE}; if they are different people who look alike, write them to one file"
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # what stands in the name of a folder for NULL
_MOST_VALUES = 5  # that a message names


def _repetitions(files: Sequence[Path], columns: Collection[str]) -> Iterator[Problem]:
    """The problem of every file that is the same as a file before it, or a copy of it in all `columns`.

    Only files of equal size are read for copies. The names of folders give records no column that the file stores
    itself, and a text file none.
    """
    firsts, by_size = dict[tuple[int, int], Path](), defaultdict[int, list[Path]](list)
    for file in files:
        found = file.stat()
        first = firsts.setdefault((found.st_dev, found.st_ino), file)
        if first is file:
            by_size[found.st_size].append(file)
        else:
            yield Problem(str(file), f"is the same file as {first}, by a link", _ONCE)
    for alike in by_size.values():
        copied: dict[tuple[str, ...], Path] = {}
        for file in alike if len(alike) > 1 else ():
            own = {name.casefold() for name in _stored(file)}
            named = sorted(partition(file.resolve().parent).items()) if own else []
            values = [f"{name}={value}" for name, value in named if name in columns and name.casefold() not in own]
            first = copied.setdefault((sha256_of(file), *values), file)
            if first is not file and _has_rows(file):
                yield Problem(str(file), f"holds the same bytes as {first}", _NOT_ALIKE)


def _stored(file: Path) -> list[str]:
    """The columns that a Parquet file stores; none of another file, or where it cannot be read: others say why."""
    with suppress(pa.ArrowException, OSError, ValueError):
        return list(footer_of(file).schema.to_arrow_schema().names)
    return []


def _contradictions(files: Sequence[Path]) -> Iterator[Problem]:
    """The problem of every file that stores a column with other values than the name of its folder gives it.

    A folder that holds all of the files tells them not apart: its name says where they lie, and gives no value.
    """
    folders = [str(file.resolve().parent) for file in files]
    above = os.path.commonpath(folders) if folders else ""
    for file, folder in zip(files, folders, strict=True):
        named = {name.casefold(): value for name, value in partition(Path(folder.removeprefix(above))).items()}
        for column in [name for name in _stored(file) if name.casefold() in named] if named else ():
            wanted, found = unquote(named[column.casefold()]), list[object]()
            with suppress(pa.ArrowException, OSError, ValueError), file.open("rb") as stream:
                found = pq.read_table(stream, columns=[column])[column].unique().to_pylist()
            others = [value for value in found if not _is_alike(value, wanted)]
            if others:
                shown = ", ".join("NULL" if value is None else str(value) for value in others[:_MOST_VALUES])
                what = f"stores {column} = {shown}, and lies in a folder {column}={wanted}"
                yield Problem(str(file), what, "move it to the folder of its values, or take one of the two out")


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
    known, values = {name.casefold() for name in columns}, defaultdict[str, set[str]](set)
    for name, value in [each for file in files for each in partition(file.parent).items()]:
        values[name].add(value)
    for name, found in sorted(values.items()):
        if name.casefold() not in known and len(found) > 1:
            some = ", ".join(f"{name}={value}" for value in sorted(found)[:_MOST_VALUES])
            what = f"holds folders {some}{', ...' if len(found) > _MOST_VALUES else ''}, and nothing reads {name}"
            fix = "the records of all of them are counted together: name one folder, if they are the same people"
            yield Problem(given, what, fix)


def _has_rows(file: Path) -> bool:
    """Whether a file holds a record; False if that is unknown, and then reading the file will report why."""
    with suppress(pa.ArrowException, OSError, InputError):
        if file.suffix.lower() in TEXT_ENDINGS:
            return any(each.num_rows for each in text_tables(file, text_header(file), threads=1))
        return int(footer_of(file).num_rows) > 0
    return False
