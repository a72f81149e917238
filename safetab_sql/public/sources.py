"""Input files as the user names them: a file, a glob or a directory, of Parquet or of production's text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.errors import InputError, Problem

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
    path = Path(text)
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*")) if file.is_file() and not _is_hidden(file, path)]
    elif path.is_file():
        files = [path]
    else:
        anchor = Path(path.anchor) if path.is_absolute() else Path()
        pattern = str(path.relative_to(path.anchor)) if path.is_absolute() else text
        files = [file for file in sorted(anchor.glob(pattern)) if file.is_file()] if _is_glob(pattern) else []
    if not files:
        raise InputError([Problem(text, "no file is there", "give a file, a glob in quotes, or a directory")])
    stray = [file for file in files if file.suffix.lower() not in _TEXT_ENDINGS + _PARQUET_ENDINGS]
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
        existing = [candidate for candidate in candidates if candidate.is_file()]
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
        try:
            schema = pq.read_schema(file)
        except (pa.ArrowException, OSError):
            what = "not a readable Parquet file (truncated, corrupt or empty)"
            problems.append(Problem(str(file), what, "write it again, or leave it out"))
            continue
        schemas.append({**{field.name: field.type for field in schema}, **hive})
    if problems:
        raise InputError(problems)
    return schemas


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
