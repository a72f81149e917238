"""Inputs as the user names them: Parquet or text (a file, a glob, a directory), or a table of a DuckDB database."""

import glob
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.database import find_table, table_schema
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import is_litter

TEXT_ENDINGS = (".txt", ".csv", ".psv")
PARQUET_ENDINGS = (".parquet", ".parq", ".pq")
_BEGINS = {
    **{b"PAR1": ".parquet", b"PK\x03\x04": ".zip", b"7z\xbc\xaf": ".7z", b"Rar!": ".rar", b"\xd0\xcf\x11\xe0": ".xls"},
    **{b"\x1f\x8b": ".gz", b"\x1f\x9d": ".z", b"\x28\xb5\x2f\xfd": ".zst", b"BZh": ".bz2", b"\xfd7zXZ": ".xz"},
    **{b"\x04\x22\x4d\x18": ".lz4", b"ARROW1": ".arrow", b"ORC": ".orc", b"Obj\x01": ".avro"},
}
_UNPACKED = {".gz": "gzip", ".z": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz", ".lz4": "lz4"}
_ARCHIVES = {".zip": "unzip", ".7z": "7z x", ".rar": "unrar x", ".tar": "tar -xf", ".tgz": "tar -xf"}
_PROGRAMS = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers"), "a workbook"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "an Arrow file"),
    **dict.fromkeys((".rds", ".rda", ".rdata"), "a file of R"),
    **{".orc": "an ORC file", ".avro": "an Avro file", ".dta": "a file of Stata", ".sas7bdat": "a file of SAS"},
    **{".sav": "a file of SPSS", ".xpt": "a file of SAS"},
}
_LISTS, _OTHER_TABLES = (".parquet", ".txt", ".csv"), (".psv", ".tsv", ".parq", ".pq", ".xlsx", ".xls", ".ods")
_HIVE_SEGMENT = re.compile(r"(?:^|/)([^/=]+)=([^/=]*)(?![^/])")  # a folder of two signs = is none to DuckDB
_HIVE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})|__HIVE_DEFAULT_PARTITION__")


class Told(str):
    """The name of a type of which footers or folders tell what Arrow does not."""

    id = -1  # of Arrow, which has none


UUID, JSON, FOLDER_NUMBER = map(Told, ("UUID", "JSON", "a number in the names of folders"))


class FileTypes(dict[str, pa.DataType]):
    """The columns of a file, also those in the names of its folders, and their types. file: the user's name of it."""

    def __init__(self, types: Mapping[str, pa.DataType], file: str) -> None:
        super().__init__(types)
        self.file = file


def partition(folder: Path) -> dict[str, str]:
    """The values that the names of Hive partition folders give to columns."""
    return dict(_HIVE_SEGMENT.findall(str(folder)))


def hive_types(files: Sequence[Path]) -> dict[str, pa.DataType]:
    """The partition columns in the names of folders, which statements read as text; none, where folders name others.

    A column has whole numbers if every value is one and none has a leading zero (01, 02, ..., 56 are text).
    """
    partitions = [partition(file.parent) for file in files]
    names = partitions[0].keys() if partitions else set()
    if any(one.keys() != names for one in partitions):
        return {}
    numbers = {name for name in names if all(_HIVE_NUMBER.fullmatch(one[name]) for one in partitions)}
    return {name: FOLDER_NUMBER if name in numbers else pa.string() for name in names}


@dataclass(frozen=True, slots=True)
class Source:
    """One input. given: as the user wrote it. files: its files, sorted. is_text: whether they are text.

    table: of a DuckDB database, which is then the only file: schema and name of the table or view.
    """

    given: str
    files: tuple[Path, ...]
    is_text: bool
    table: tuple[str, str] | None = None

    @property
    def is_parquet(self) -> bool:
        """Whether the files are Parquet, and are read as they are; other files are rewritten as Parquet."""
        return not self.is_text and self.table is None


def find_source(given: str | Path) -> Source:
    """The files of a file, a glob, or a directory and all below; or a table or view: `extract.duckdb::persons`.

    Hidden files and files whose names begin with an underscore (`_SUCCESS`) are ignored. Raises: InputError if no file
    is found, if a link leads nowhere, if formats are mixed or unknown, or if a database has no such table.
    """
    return table_source(str(given)) or source_of(str(given), usable_files(str(given)))


def find_code_lists(given: str | Path, lists: Mapping[str, str]) -> dict[str, Source]:
    """The code lists in the folder `given`, each as text (.txt, .csv) or as Parquet, by statement parameter.

    Raises: InputError that names every list that is missing.
    """
    folder, found, problems = Path(given), {}, []
    beside = [file for file in sorted(folder.glob("*")) if file.suffix.lower() in (*_LISTS, *_OTHER_TABLES)]
    for name, stem in lists.items():
        candidates = [folder / f"{stem}{ending}" for ending in _LISTS]
        existing = [candidate for candidate in candidates if candidate.is_file() and _has_known_ending(candidate)]
        alike = re.compile(re.escape(stem) + r"( \(\d+\)| - .*|[ _-]copy.*)?", re.IGNORECASE)
        others = [file.name for file in beside if existing and alike.fullmatch(file.stem) and file != existing[0]]
        if others:
            what = f"{existing[0].name} and {', '.join(others)} stand for one list, and one would be passed over"
            problems.append(Problem(str(folder), what, "keep the one that holds, and move the others away"))
        elif existing:
            found[name] = Source(str(existing[0]), (existing[0].resolve(),), is_text=existing[0].suffix != ".parquet")
        else:
            what = f"{stem}.txt (or .csv, or .parquet) is not there"
            fix = "put it there, beside the other lists, or name the folder that holds them all: --code-lists"
            packed = map(form_problem, filter(Path.is_file, sorted(folder.glob(f"{stem}.*"))))
            problems += list(filter(None, packed)) or [Problem(str(folder), what, fix)]
    refuse(problems)
    return found


def stored_types(source: Source, parquet_files: Sequence[Path]) -> list[FileTypes]:
    """The columns of each Parquet file or table of a database, and their types, Hive partition columns included.

    Raises: InputError that names every file that is not readable Parquet.
    """
    if source.table is not None and tuple(parquet_files) == source.files:
        schema = table_schema(source.files[0], source.table)
        return [FileTypes({field.name: field.type for field in schema}, source.given)]
    schemas, problems = [], []
    hive = hive_types(parquet_files)
    for file, theirs in zip(parquet_files, source.files, strict=True):
        if (problem := pattern_problem(file)) is not None:
            problems.append(problem)
            continue
        try:
            schema = footer_of(file).schema
            told = {leaf.path: Told(leaf.logical_type.type) for leaf in map(schema.column, range(len(schema)))}
            known = {name: kind for name, kind in told.items() if kind in (UUID, JSON)}
            types = {field.name: known.get(field.name, field.type) for field in schema.to_arrow_schema()}
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            what = "not a readable Parquet file (truncated, corrupt or empty)"
            problems.append(form_problem(file) or Problem(str(file), what, "write it again, or leave it out"))
            continue
        schemas.append(FileTypes({**types, **hive}, theirs.name))
    refuse(problems)
    return schemas


def footer_of(file: Path) -> pq.FileMetaData:
    """The footer of a Parquet file."""
    with file.open("rb") as stream:
        return pq.read_metadata(stream)


def source_of(given: str, files: Sequence[Path]) -> Source:
    """The input of these files, all of one format."""
    return Source(given, tuple(file.resolve() for file in files), is_text=files[0].suffix.lower() in TEXT_ENDINGS)


def table_source(given: str) -> Source | None:
    """The table of a DuckDB database, if `given` names one. Raises: InputError if there is no such table."""
    name, sign, table = given.partition("::")  # a database, and its table
    file = Path(name)
    if file.suffix.lower() not in (".duckdb", ".ddb", ".db") or not (sign or file.is_file()) or Path(given).is_dir():
        return None
    if not file.is_file():
        raise InputError([Problem(given, f"no file {file} is there", "name the file of a DuckDB database")])
    return Source(given, (file.resolve(),), is_text=False, table=find_table(file.resolve(), table))


def usable_files(given: str) -> list[Path]:
    """The files that `given` names, links not resolved. Raises: InputError with every file that cannot be read."""
    if given.lower().startswith("file:"):
        fix = f"name the file by its path: {unquote(urlsplit(given).path)}"
        raise InputError([Problem(given, "is a URL of a file", fix)])
    fix = "give a file, a glob in quotes, or a directory"
    try:
        files = _files(given)
    except (OSError, ValueError, RuntimeError) as error:  # a name too long, `**` inside a name, a closed folder
        raise InputError([Problem(given, f"cannot be looked for: {error}", fix)]) from error
    if not files:
        raise InputError([Problem(given, "no file is there", fix)])
    refuse([*_tables_of_systems(files)] or [*filter(None, map(_file_problem, files))])
    if len({file.suffix.lower() in TEXT_ENDINGS for file in files}) > 1:
        raise InputError([Problem(given, "holds Parquet and text files", "keep one of the two")])
    return files


def _files(text: str) -> list[Path]:
    """The files at `text`, and all other things found there, which `_file_problem` names."""
    path = Path(text)
    if not text:
        return []  # the empty path would mean the current folder
    if path.is_dir():
        return _files_below(path)
    if path.is_file():
        return [path]
    anchor = Path(path.anchor) if path.is_absolute() else Path()
    pattern = str(path.relative_to(path.anchor)) if path.is_absolute() else text
    return [file for file in sorted(anchor.glob(pattern)) if not file.is_dir()] if _is_glob(pattern) else []


def _files_below(root: Path) -> list[Path]:
    """The files in a folder and in the folders below it, and links to folders, which are not searched."""

    def stop(error: OSError) -> None:
        raise error  # a folder that we may not read is not an empty folder

    found = []
    for folder, folders, names in os.walk(root, onerror=stop):
        here = Path(folder)
        folders[:] = [name for name in folders if not _is_hidden(name)]
        links = [name for name in folders if (here / name).is_symlink()]
        found += [here / name for name in (*names, *links) if not _is_hidden(name)]
    return sorted(found)


def _file_problem(file: Path) -> Problem | None:
    if not file.is_file():
        what = "is neither a file nor a folder"
        if file.is_symlink():
            what = "is a link to a folder, which is not searched" if file.is_dir() else "is a link that leads nowhere"
        return Problem(str(file), what, "remove it, or put in its place what was meant")
    path = str(file.resolve())
    if path != path.encode("utf-8", "replace").decode():
        return Problem(str(file), "its path is not UTF-8", "rename it, or its folder")
    if not _has_known_ending(file):
        kinds = ", ".join(PARQUET_ENDINGS + TEXT_ENDINGS)
        fix = f"write it as Parquet or text, with a name that ends in one of {kinds}; or move it away"
        return form_problem(file) or Problem(str(file), "neither Parquet nor text", fix)
    return None


# Where systems keep files of earlier versions beside the current ones: what stands in the folder of such a table.
_SYSTEMS = {
    "Delta Lake": ("_delta_log", "_change_data"),
    "Hudi": (".hoodie", ".hoodie_partition_metadata"),
    "Iceberg": ("metadata/[v0-9]*.metadata.json", "metadata/version-hint.text"),
    "Paimon": ("snapshot/snapshot-*",),
    "Lance": ("_versions/*.manifest",),
    "Spark Structured Streaming": ("_spark_metadata",),
    "Databricks": ("_committed_*",),
    "DuckLake": ("ducklake-*.parquet",),
}
_HIVE_ACID = re.compile(r"(delete_)?delta_[0-9]{7,}_[0-9]{7,}.*|base_[0-9]{7,}.*")


def _tables_of_systems(files: Sequence[Path]) -> Iterator[Problem]:
    """The problem of every folder, of these files or above them, that another system reads by a list of its own."""
    paths = {path for file in files for path in (file.absolute(), file.resolve())}
    folders = {folder for here in {path.parent for path in paths} for folder in (here, *here.parents)}
    for folder in sorted(folders):
        found = [system for system, signs in _SYSTEMS.items() if any(any(folder.glob(sign)) for sign in signs)]
        found += ["Hive with transactions"] if _HIVE_ACID.fullmatch(folder.name) else []
        if found:
            what = f"is a table of {found[0]}: its folder may hold files of earlier versions, and not all say so"
            how = "or with an engine that reads it (DuckDB has delta_scan and iceberg_scan), to new Parquet files"
            yield Problem(str(folder), what, f"export the current rows with {found[0]} itself, {how}")


def _has_known_ending(file: Path) -> bool:
    """Whether the names of the file and of its link target end like a table: DuckDB unpacks names in .gz or .zst."""
    endings = TEXT_ENDINGS if file.suffix.lower() in TEXT_ENDINGS else PARQUET_ENDINGS
    return {file.suffix.lower(), file.resolve().suffix.lower()} <= {*endings}


def pattern_problem(file: Path) -> Problem | None:
    """The problem of a path that DuckDB, which reads every path as a pattern, would take for other files."""
    path = str(file)
    found = glob.glob(path, include_hidden=True) if _is_glob(path) else []  # noqa: PTH207  (Path.glob refuses `a**`)
    other = next((each for each in found if each != path), "")
    what = f"read as a pattern, its path stands for {other} as well"
    return Problem(path, what, "rename it, or its folder") if other else None


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_")) or is_litter(Path(name))


def _is_glob(pattern: str) -> bool:
    return any(sign in pattern for sign in "*?[")


# Inode, size in bytes, time of the last change of the content in nanoseconds.
Stamp = tuple[int, int, int]


def stamps(sources: Iterable[Source]) -> dict[Path, Stamp | None]:
    """Inode, size and time of the last change of every input file; None for a file that is gone."""
    return {file: stamp_of(file) for source in sources for file in source.files}


def changes(sources: Iterable[Source], before: Mapping[Path, Stamp | None]) -> list[Problem]:
    """The files that were changed, removed or added since `before`: statements open a file each time they read it.

    Counts are of one extract only if all files stayed unchanged until the last statement.
    """
    found: dict[Path, str] = {}
    for source in sources:
        now = {file: stamp_of(file) for file in source.files}
        found |= {file: "was changed while it was being read" for file in now if now[file] != before[file]}
        found |= {file: "was removed while it was being read" for file in now if now[file] is None}
        with suppress(InputError):  # of files that were removed, or of some that a source may not hold
            added = (file for file in find_source(source.given).files if file not in before)
            found |= dict.fromkeys(added, "was added while the inputs were being read")
    fix = "run again when nothing writes to the inputs any more"
    return [Problem(str(file), what, fix) for file, what in found.items()]


def stamp_of(file: Path) -> Stamp | None:
    """Inode, size and time of the last change; None of a file that is gone."""
    with suppress(OSError):
        found = file.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def form_problem(file: Path) -> Problem | None:
    """The problem of a file that is not the text or Parquet that its name says, or whose name says neither."""
    with file.open("rb") as stream:
        begin = stream.read(512)
    endings = [each.suffix.lower() for each in (file, file.resolve())]
    endings += [".tar"] if file.stem.lower().endswith(".tar") else []
    form = next((form for signature, form in _BEGINS.items() if begin.startswith(signature)), "")
    named = [ending for ending in endings if ending in _UNPACKED | _ARCHIVES | _PROGRAMS]
    if form == ".parquet":
        rename = Problem(str(file), "is Parquet, and its name says otherwise", "rename it to end in .parquet")
        return None if {*endings} <= {*PARQUET_ENDINGS} else rename
    is_text = b"\n" in begin and not any(sign < 9 for sign in begin)
    if not form and is_text and (named or {*endings} & {*PARQUET_ENDINGS}):
        inner = file.with_suffix("")
        new = inner if named and inner.suffix.lower() in TEXT_ENDINGS else file.with_suffix(".csv")
        return Problem(str(file), "is text, and its name says otherwise", f"rename it: mv '{file}' '{new}'")
    if form == ".zip":
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(file) as archive:
            form = ".xlsx" if {"xl/workbook.xml", "content.xml", "Index/Document.iwa"} & {*archive.namelist()} else form
    by_name = [ending for ending in named if ending in _PROGRAMS or _ARCHIVES.get(ending) == "tar -xf"]
    return _problem(file, next(filter(None, [*by_name[-1:], form, *named]), ""))


def _problem(file: Path, form: str) -> Problem | None:
    """The problem of a file of this form, one of those above; None of another."""
    if form in _UNPACKED:
        inner = file.with_suffix("") if file.suffix.lower() == form else file
        new = inner if inner.suffix and inner != file else inner.with_suffix(".unpacked.csv")
        fix = f"unpack it: {_UNPACKED[form]} -dc '{file}' > '{new}'; and name that one"
        return Problem(str(file), "is compressed", fix)
    if form in _ARCHIVES:
        fix = f"unpack it: {_ARCHIVES[form]} '{file}'; and name the file of the table that it holds"
        return Problem(str(file), "is a compressed archive", fix)
    fix = "write its table as Parquet, or as CSV in UTF-8, with the program that made it; and name that file"
    return Problem(str(file), f"is {_PROGRAMS[form]}", fix) if form in _PROGRAMS else None
