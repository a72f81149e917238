"""Files of records that are there twice, or that contradict the names of their folders."""

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.kit.errors import Problem
from safetab_sql.kit.objects import is_object, sha256_of
from safetab_sql.public.file_names import TEXT_ENDINGS, partition

_STRETCH = 2**20  # bytes of a file that are read at a time
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
        if file.suffix.lower() not in TEXT_ENDINGS:
            with file.open("rb") as stream:
                return list(pq.read_schema(stream).names)
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
    """The different values of a column of a Parquet file."""
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


def _has_rows(file: Path) -> bool:
    """Whether a file holds a record; False if that is unknown, and then reading the file will report why."""
    if file.suffix.lower() not in TEXT_ENDINGS:
        try:
            with file.open("rb") as stream:
                return bool(pq.read_metadata(stream).num_rows)
        except (pa.ArrowException, OSError):
            return False
    with file.open("rb") as stream:
        after_header = stream.read(_STRETCH).partition(b"\n")[2]
        return any(stretch.strip() for stretch in chain([after_header], iter(lambda: stream.read(_STRETCH), b"")))
