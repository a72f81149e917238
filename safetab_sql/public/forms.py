"""What a file is, by its first bytes and its name: text and Parquet are read, and of all else it is said what to do."""

import zipfile
from contextlib import suppress
from pathlib import Path

from safetab_sql.kit.errors import Problem

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
