"""Parts of the person records: each holds whole files, or some of the rows of one file, in the order of the files."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq

from safetab_sql.kit.errors import Problem
from safetab_sql.public.sources import Source

_USUAL_RECORDS = 2_000_000
_FIX = "run again when nothing writes to the persons any more"


@dataclass(frozen=True, slots=True)
class PersonFile:
    """A file of persons, as it was when the parts were planned.

    stamp: size in bytes, and time of the last change in nanoseconds. records: how many it holds; None of text and of
    databases, which have to be read to tell. called: what messages call it, if not by its path.
    """

    path: str
    stamp: tuple[int, int] | None
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


def person_files(persons: Source) -> tuple[PersonFile, ...]:
    """The files of the persons, in their order."""
    return tuple(
        PersonFile(str(file), _stamp(file), pq.read_metadata(file).num_rows if persons.is_parquet else None)
        for file in persons.files
    )


def planned_parts(
    files: Sequence[PersonFile], number: int | None, *, whole_persons: bool = False
) -> tuple[RecordPart, ...]:
    """About so many parts, in the order of the files; None for one for every two million records.

    whole_persons: each part reads all files, and counts a share of the persons. Otherwise a part holds whole files or a
    stretch of one; a file that does not tell its records is one. People of one file live near each other in most
    extracts, so that a part has few counts.
    """
    total = sum(file.records or 0 for file in files)
    most = _USUAL_RECORDS if number is None else max(1, -(-total // number))
    if whole_persons:
        number = number or max(1, -(-total // most))
        return tuple(RecordPart(tuple(files), share=(place, number)) for place in range(number))
    parts, together, left = list[RecordPart](), list[PersonFile](), most
    for file in files:
        if together and (file.records is None or file.records > left):
            parts.append(RecordPart(tuple(together)))
            together, left = [], most
        if file.records is None:
            parts.append(RecordPart((file,)))
        elif file.records <= most:
            together.append(file)
            left -= file.records
        else:
            stretches = -(-file.records // most)
            bounds = [file.records * place // stretches for place in range(stretches + 1)]
            parts += [RecordPart((file,), first, end) for first, end in pairwise(bounds)]
    return (*parts, *([RecordPart(tuple(together))] if together else []))


def changes(part: RecordPart) -> list[Problem]:
    """A problem for each file of a part that is not as it was when the parts were planned."""
    what = "was changed or removed since the parts were planned"
    return [Problem(file.path, what, _FIX) for file in part.files if _stamp(Path(file.path)) != file.stamp]


def _stamp(file: Path) -> tuple[int, int] | None:
    """None of a file that is gone."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
