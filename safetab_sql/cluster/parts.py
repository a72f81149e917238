"""Parts of the person records: each holds whole files, or some of the rows of one file, in the order of the files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.sources import Source

_USUAL_RECORDS = 2_000_000
_FIX = "prepare the parts again when nothing writes to the persons any more"


@dataclass(frozen=True, slots=True)
class PersonFile:
    """A file of persons, as it was when the parts were planned.

    size: bytes. changed: time of the last change of its content, in nanoseconds. records: how many it holds; None of
    text and of databases, which have to be read to tell. called: what messages call it, if not by its path.
    """

    path: str
    size: int
    changed: int
    records: int | None
    called: str | None = None


@dataclass(frozen=True, slots=True)
class RecordPart:
    """Some of the person records. first, end: the rows of its only file, from 0; end is None where it has all rows.

    share: where a person may have several records, its number, from 0, and how many parts share the persons of all
    files; then it holds all records of its persons, whatever files they are in.
    """

    files: tuple[PersonFile, ...]
    first: int = 0
    end: int | None = None
    share: tuple[int, int] | None = None

    @property
    def records(self) -> int | None:
        """How many records it has; None where its files do not tell."""
        known = [file.records for file in self.files if file.records is not None]
        if len(known) < len(self.files) or self.share is not None:
            return None
        return sum(known) if self.end is None else self.end - self.first


def person_files(persons: Source) -> tuple[PersonFile, ...]:
    """The files of the persons, in their order. Raises: InputError where one has gone."""
    return tuple(_as_it_is(file, is_parquet=persons.is_parquet) for file in persons.files)


def planned_parts(files: Sequence[PersonFile], number: int, *, whole_persons: bool = False) -> tuple[RecordPart, ...]:
    """So many parts, in the order of the files, the largest as small as can be; the last ones may hold nobody.

    whole_persons: each part reads all files, and counts a share of the persons. Otherwise a part holds whole files or a
    stretch of one. People of one file live near each other in most extracts, so that a part has few counts. Raises:
    InputError where more files than parts do not tell how many records they hold.
    """
    if whole_persons:
        return tuple(RecordPart(tuple(files), share=(place, number)) for place in range(number))
    low, high = 1, max(1, sum(file.records or 0 for file in files))
    if number < (fewest := len(_parts_of(files, high))):
        fix = f"name at least {fewest}, or write the files as Parquet"
        raise InputError([Problem("--parts", "a file of text, or a database, is a part by itself", fix)])
    while low < high:
        most = (low + high) // 2
        low, high = (low, most) if len(_parts_of(files, most)) <= number else (most + 1, high)
    parts = _parts_of(files, low)
    return (*parts, *[RecordPart((files[-1],), 0, 0)] * (number - len(parts)))


def usual_number(files: Sequence[PersonFile]) -> int:
    """How many parts to plan where nobody says: one for two million records, and one for each file that tells none."""
    silent = sum(file.records is None for file in files)
    return max(1, -(-sum(file.records or 0 for file in files) // _USUAL_RECORDS) + silent)


def changes(part: RecordPart) -> list[Problem]:
    """A problem for each file of a part that is not as it was when the parts were planned."""
    problems = []
    for file in part.files:
        try:
            now = _size_and_change(Path(file.path))
        except OSError as error:
            problems.append(Problem(file.path, f"cannot be read: {error.strerror or 'it has gone'}", _FIX))
            continue
        if now != (file.size, file.changed):
            problems.append(Problem(file.path, "was changed since the parts were planned", _FIX))
    return problems


def _as_it_is(file: Path, *, is_parquet: bool) -> PersonFile:
    try:
        size, changed = _size_and_change(file)
        records = _records(file) if is_parquet else None
    except OSError as error:
        raise InputError([Problem(str(file), f"cannot be read: {error}", _FIX)]) from error
    return PersonFile(str(file), size, changed, records)


def _size_and_change(file: Path) -> tuple[int, int]:
    """`size` and `changed` of a person file. Raises: OSError."""
    found = file.stat()
    return found.st_size, found.st_mtime_ns


def _records(file: Path) -> int:
    with file.open("rb") as stream:
        return pq.read_metadata(stream).num_rows  # type: ignore[no-any-return]


def _parts_of(files: Iterable[PersonFile], most: int) -> list[RecordPart]:
    """Parts of at most `most` records each; a file that does not tell its records is one."""
    parts: list[RecordPart] = []
    together: list[PersonFile] = []
    left = most
    for file in files:
        if together and (file.records is None or file.records > left):
            parts.append(RecordPart(tuple(together)))
            together, left = [], most
        if file.records is not None and file.records <= most:
            together.append(file)
            left -= file.records
        else:
            parts += _stretches(file, most)
    return [*parts, *([RecordPart(tuple(together))] if together else [])]


def _stretches(file: PersonFile, most: int) -> list[RecordPart]:
    """A file of many records in stretches of about equal size; a file that does not tell its records whole."""
    if file.records is None:
        return [RecordPart((file,))]
    number = -(-file.records // most)
    bounds = [file.records * place // number for place in range(number + 1)]
    return [RecordPart((file,), first, end) for first, end in pairwise(bounds)]
