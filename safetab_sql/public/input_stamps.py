"""Whether the input files are unchanged since a command first looked at them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.objects import is_object, object_version
from safetab_sql.public.sources import Source, find_source

# Inode, size in bytes, time of the last change of the content in nanoseconds; of an object, its version.
Stamp = tuple[int, int, int]

_FIX = "run again when nothing writes to the inputs any more"


def stamps(sources: Iterable[Source]) -> dict[Path, Stamp | None]:
    """Inode, size and time of the last change of every input file; None for a file that is gone."""
    return {file: _stamp(file) for source in sources for file in source.files}


def changes(sources: Iterable[Source], before: Mapping[Path, Stamp | None]) -> list[Problem]:
    """The files that were changed or removed, and the files that were added.

    before: the stamps of the sources before any was read. Statements open a file again each time they read it, so
    counts are of one extract only if all files stayed unchanged until the last statement.
    """
    problems = []
    for source in sources:
        for file in source.files:
            now = _stamp(file)
            if now is None:
                problems.append(Problem(str(file), "was removed while it was being read", _FIX))
            elif now != before[file]:
                problems.append(Problem(str(file), "was changed while it was being read", _FIX))
        problems += [
            Problem(str(file), "was added while the inputs were being read", _FIX)
            for file in _files_now(source)
            if file not in before
        ]
    return problems


def _files_now(source: Source) -> tuple[Path, ...]:
    try:
        return find_source(source.given, objects=any(map(is_object, source.files))).files
    except InputError:  # removed, or files were added that a source may not hold
        return ()


def _stamp(file: Path) -> Stamp | None:
    try:
        if is_object(file):
            return object_version(file)
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
