"""Input files as the user names them: a file, a glob or a directory, of Parquet or of production's text."""

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.errors import InputError, Problem, refuse

_TEXT_ENDINGS = (".txt", ".csv", ".psv")
_PARQUET_ENDINGS = (".parquet", ".parq", ".pq")
_HIVE_SEGMENT = re.compile(r"([^/=]+)=([^/]*)")
_HIVE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})|__HIVE_DEFAULT_PARTITION__")

LIST_FILES = {
    "codes_list": "race-and-ethnicity-codes",
    "race_iterations": "race-characteristic-iterations",
    "ethnicity_iterations": "ethnicity-characteristic-iterations",
    "code_iterations": "race-and-ethnicity-code-to-iteration",
}


@dataclass(frozen=True, slots=True)
class Source:
    """One input. given: as the user wrote it. files: the files it consists of, sorted. is_text: not Parquet."""

    given: str
    files: tuple[Path, ...]
    is_text: bool


def find_source(given: str | Path) -> Source:
    """The files that `given` names: a file, a glob, or a directory (searched below, Hive-partitioned or not).

    Hidden files and those whose names begin with an underscore (`_SUCCESS`) are passed over.
    Raises: InputError where nothing is found, or where formats are mixed or unknown.
    """
    text = str(given)
    fix = "give a file, a glob in quotes, or a directory"
    try:
        files = _files(text)
    except (OSError, ValueError, RuntimeError) as error:  # a name too long, `**` inside a name, links in a circle
        raise InputError([Problem(text, f"cannot be looked for: {error}", fix)]) from error
    if not files:
        raise InputError([Problem(text, "no file is there", fix)])
    odd = [file for file in files if not _is_utf_8(file)]
    refuse([Problem(str(file), "its path is not UTF-8", "rename it, or its folder") for file in odd])
    stray = [file for file in files if not _has_known_ending(file)]
    if stray:
        kinds = ", ".join(_PARQUET_ENDINGS + _TEXT_ENDINGS)
        raise InputError(
            [
                Problem(
                    str(file),
                    "neither Parquet nor pipe-delimited text",
                    f"rename it to end in one of {kinds}, or move it away",
                )
                for file in stray
            ]
        )
    text_files = [file for file in files if file.suffix.lower() in _TEXT_ENDINGS]
    if text_files and len(text_files) < len(files):
        raise InputError([Problem(text, "holds Parquet and text files", "keep one of the two")])
    return Source(text, tuple(file.resolve() for file in files), is_text=bool(text_files))


def find_code_lists(folder: Path) -> dict[str, Source]:
    """The four code lists in `folder`, each as production's text (.txt) or as Parquet, by statement parameter.

    Raises: InputError that names every list that is missing.
    """
    found, problems = {}, []
    for name, stem in LIST_FILES.items():
        candidates = [folder / f"{stem}{ending}" for ending in (".parquet", ".txt")]
        existing = [candidate for candidate in candidates if candidate.is_file() and _has_known_ending(candidate)]
        if existing:
            found[name] = Source(str(existing[0]), (existing[0].resolve(),), is_text=existing[0].suffix == ".txt")
        else:
            what = f"{stem}.txt (or .parquet) is not there"
            problems.append(Problem(str(folder), what, "give the folder of the four code lists as --code-lists"))
    if problems:
        raise InputError(problems)
    return found


def stored_types(source: Source, parquet_files: Sequence[Path]) -> list[dict[str, pa.DataType]]:
    """The columns of each Parquet file and their types, Hive partition columns included; one entry a file.

    Raises: InputError that names every file that is not readable Parquet.
    """
    schemas, problems = [], []
    hive = _hive_types(parquet_files)
    for file in parquet_files:
        if (problem := pattern_problem(file)) is not None:
            problems.append(problem)
            continue
        try:
            schema = pq.read_schema(file)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            what = "not a readable Parquet file (truncated, corrupt or empty)"
            problems.append(Problem(str(file), what, "write it again, or leave it out"))
            continue
        schemas.append({**{field.name: field.type for field in schema}, **hive})
    if problems:
        raise InputError(problems)
    return schemas


def partition_columns(parquet_files: Sequence[Path]) -> frozenset[str]:
    """The columns whose values stand in the names of Hive partition folders."""
    return frozenset(_hive_types(parquet_files))


def _files(text: str) -> list[Path]:
    path = Path(text)
    if not text:
        return []  # not the folder that we are in, which the empty path stands for
    if path.is_dir():
        return [file for file in sorted(path.rglob("*")) if file.is_file() and not _is_hidden(file, path)]
    if path.is_file():
        return [path]
    anchor = Path(path.anchor) if path.is_absolute() else Path()
    pattern = str(path.relative_to(path.anchor)) if path.is_absolute() else text
    return [file for file in sorted(anchor.glob(pattern)) if file.is_file()] if _is_glob(pattern) else []


def _has_known_ending(file: Path) -> bool:
    """Whether the file, and what it is a link to, ends as a kind of table: DuckDB unpacks what ends in .gz or .zst."""
    endings = _TEXT_ENDINGS if file.suffix.lower() in _TEXT_ENDINGS else _PARQUET_ENDINGS
    return {file.suffix.lower(), file.resolve().suffix.lower()} <= {*endings}


def _is_utf_8(file: Path) -> bool:
    path = str(file.resolve())
    return path == path.encode("utf-8", "replace").decode()


def pattern_problem(file: Path) -> Problem | None:
    """What is wrong with the path of a file, if DuckDB, which takes every path for a pattern, would read another."""
    path = str(file)
    found = glob.glob(path, include_hidden=True) if _is_glob(path) else []  # noqa: PTH207  (Path.glob refuses `a**`)
    others = [other for other in found if other != path]
    if not others:
        return None
    return Problem(path, f"read as a pattern, its path stands for {others[0]} as well", "rename it, or its folder")


def _is_hidden(file: Path, root: Path) -> bool:
    return any(part.startswith((".", "_")) for part in file.relative_to(root).parts)


def _is_glob(pattern: str) -> bool:
    return any(sign in pattern for sign in "*?[")


def _hive_types(files: Sequence[Path]) -> dict[str, pa.DataType]:
    """The partition columns in the names of folders, typed as DuckDB types them.

    Whole numbers where every file's value is one and none has a leading zero (01, 02, ..., 56 are text); none at all
    where the folders of the files do not name the same columns.
    """
    partitions = [dict(_HIVE_SEGMENT.findall(str(file.parent))) for file in files]
    names = partitions[0].keys() if partitions else set()
    if any(partition.keys() != names for partition in partitions):
        return {}
    numbers = {name for name in names if all(_HIVE_NUMBER.fullmatch(partition[name]) for partition in partitions)}
    return {name: pa.int64() if name in numbers else pa.string() for name in names}
