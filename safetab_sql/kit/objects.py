"""Objects in a store, such as Amazon S3: found, opened and told apart by fsspec, through which databases read them too.

Whoever runs the program gives the credentials to the environment, as the library of the store says; no option takes
them. An object has the type UPath, which answers as a Path does, but is none.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import duckdb

from safetab_sql.kit.errors import InputError, Problem, refuse

_SIGN = "://"
_GLOB = "*?["
_STRETCH = 2**23  # bytes that are fetched at a time
# Objects may change while we run, so no list of them is kept; a database asks for just the bytes that it needs.
_OPTIONS = {"use_listings_cache": False, "default_cache_type": "none", "default_fill_cache": False}
_INSTALL = "pip install 'safetab-sql[objects]', and for another store than S3 what fsspec names for it"


def is_url(given: object) -> bool:
    """Whether `given` names something in a store rather than a file."""
    return _SIGN in str(given)


def is_object(file: Path) -> bool:
    """Whether `file` is an object of a store."""
    return not isinstance(file, Path)


def object_path(url: str) -> Path:
    """The object, or the folder of objects, of this name. Raises: InputError where the store cannot be opened."""
    refuse(_url_problems(url))
    try:
        opened = import_module("upath").UPath(url, **_OPTIONS)
        _ = opened.fs
    except ModuleNotFoundError as error:
        raise InputError([Problem(url, "what reads object storage is not installed", _INSTALL)]) from error
    except (ImportError, ValueError) as error:
        raise InputError([Problem(url, f"no such store can be opened: {error}", _INSTALL)]) from error
    return cast(Path, opened)


def sha256_of(file: Path) -> str:
    """SHA-256 of the content of a file or an object."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def path_of(name: str) -> Path:
    """The file or the object of this name. Raises: as `object_path`."""
    return object_path(name) if is_url(name) else Path(name)


def objects_at(url: str) -> list[Path]:
    """The objects that `url` names: one, the matches of a glob, or all below a folder but hidden ones; sorted.

    Raises: InputError where the store refuses, or does not know the bucket or the object.
    """
    place: Any = object_path(url)
    with _asked(url):
        if any(sign in url for sign in _GLOB):
            names = place.fs.glob(place.path)
        elif place.fs.info(place.path)["type"] != "directory":
            names = [place.path]
        else:
            below = [(name, name.removeprefix(place.path).split("/")) for name in place.fs.find(place.path)]
            names = [name for name, parts in below if not any(part.startswith((".", "_")) for part in parts)]
    return [object_path(place.fs.unstrip_protocol(name)) for name in sorted(names)]


def object_problem(file: Path) -> Problem | None:
    """The problem of an object whose name the engine, or a path, would take for another one."""
    name = str(file)
    if str(file.resolve()) == name and not any(sign in name for sign in _GLOB):
        return None
    return Problem(name, "its name holds one of *?[, or a part . or ..", "give the object another name")


def engine_path(file: Path) -> str:
    """The name by which a database opens the file or the object."""
    if not is_object(file):
        return str(file)
    found = _any(file)
    return f"{found.protocol}{_SIGN}{found.path}"


def register_stores(connection: duckdb.DuckDBPyConnection, files: Iterable[Path]) -> None:
    """Let a connection open the objects among `files`: call it before it is locked to them.

    Each folder of these is listed once: a database asks for the size and the time of an object hundreds of times.
    """
    stores: dict[str, Any] = {}
    for file in [_any(file) for file in files if is_object(file)]:
        if file.protocol not in stores:
            options = {**file.fs.storage_options, "use_listings_cache": True, "skip_instance_cache": True}
            stores[file.protocol] = type(file.fs)(*file.fs.storage_args, **options)
    for protocol, folder in sorted({(file.protocol, file.parent.path) for file in map(_any, files) if is_object(file)}):
        with _asked(folder):
            stores[protocol].ls(folder)
    for store in stores.values():
        connection.register_filesystem(store)


def fetched(files: Iterable[Path], folder: Path) -> list[Path]:
    """The files, with a copy below `folder` in place of each object, for what is public and read many times."""
    return [_copied(file, folder) if is_object(file) else file for file in files]


def _copied(file: Path, folder: Path) -> Path:
    """A copy whose path ends like the object's: folders may name values."""
    target = folder / str(_any(file).path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    with _asked(str(file)), file.open("rb") as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy, _STRETCH)
    return target


def _any(file: Path) -> Any:
    """The object, with the attributes of UPath that no Path has."""
    return file


def object_version(file: Path) -> tuple[int, int, int]:
    """Numbers that differ once the object was written again: of its tag or its time, and its size.

    Raises: FileNotFoundError; InputError where the store does not answer.
    """
    found = _any(file)
    with _asked(str(file), is_missing_told=False):
        found.fs.invalidate_cache()
        return found.fs.checksum(found.path), found.fs.size(found.path), 0


@contextmanager
def _asked(url: str, *, is_missing_told: bool = True) -> Iterator[None]:
    """What a store answers in place of an object becomes an InputError. Each store has exceptions of its own."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError as error:
        if not is_missing_told:
            raise
        fix = "name an object, a glob in quotes, or a folder of objects, in a bucket that is there"
        raise InputError([Problem(url, "no object is there", fix)]) from error
    except Exception as error:
        said = next(iter(str(error).splitlines()), "") or type(error).__name__
        fix = "give the credentials, the endpoint and the region to the environment, or ask for access"
        raise InputError([Problem(url, f"the store refuses: {said}", fix)]) from error


def _url_problems(url: str) -> list[Problem]:
    """Why a name in a store cannot be used, whatever stands there."""
    try:
        parts = urlsplit(url)
        has_credentials = "@" in parts.netloc
    except ValueError:
        return [Problem(url, "is no name in a store", "write it like s3://bucket/folder")]
    if has_credentials:
        hidden = url.replace(parts.netloc, f"...@{parts.netloc.rpartition('@')[2]}")
        return [Problem(hidden, "holds credentials", "give them to the environment: a command line can be seen")]
    if parts.scheme in ("file", "local") or "::" in url:
        return [Problem(url, "is no name in a store", "write it like s3://bucket/folder, or name a file by its path")]
    return []
