"""Files of records that are there twice: every record in them would count twice."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.errors import Problem
from safetab_sql.kit.objects import is_object
from safetab_sql.public.file_names import TEXT_ENDINGS, partition

_STRETCH = 2**20  # bytes of a file that are read at a time
_ONCE = "remove one of the two: every record in it would count twice"


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
            problems.append(Problem(str(file), f"is the same file as {first}, by a link", _ONCE))
    return problems + _copies(list(firsts.values()), columns)


def _copies(files: Sequence[Path], columns: Collection[str]) -> list[Problem]:
    """Problems of files with rows that hold the bytes of a file before. Only files of equal size are read for that."""
    by_size: defaultdict[int, list[Path]] = defaultdict(list)
    for file in files:
        by_size[file.stat().st_size].append(file)
    fix = f"{_ONCE}; if they are different people who look alike, write them to one file"
    problems = []
    for alike in by_size.values():
        firsts: dict[tuple[str, ...], Path] = {}
        for file in alike if len(alike) > 1 else ():
            named = partition(file.resolve().parent)
            values = [f"{name}={value}" for name, value in sorted(named.items()) if name in columns]
            first = firsts.setdefault((_digest(file), *values), file)
            if first is not file and _has_rows(file):
                problems.append(Problem(str(file), f"holds the same bytes as {first}", fix))
    return problems


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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
