"""Tables that rest on a disk between jobs: Parquet, encrypted unless the custodian accepts plain files.

Each says to which plan it belongs, what it is, and how many rows it has. An encrypted file cannot be read as another.
Its plain Parquet file, filled up to a power of two, is the only column of a Parquet file whose rows are encrypted: so
its size, and the size of each of its pages, follow from that power of two alone. The key is no noise, and protects from
whoever has the disk alone.
"""

import hmac
import io
import json
import os
import stat
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.marks import PARQUET_MARK
from safetab_sql.kit.whole_folders import write_whole_file

_FACTS = b"safetab_sql"
_KEY = 32  # bytes: AES-256
_LENGTH, _ROW = 8, 2**16  # bytes: of the length of the plain file, before it, and of a row of the encrypted file


def new_key(path: Path) -> bytes:
    """A new key, kept in a new file of mode 0600. Raises: InputError if the file exists, or cannot be made."""
    key = os.urandom(_KEY)
    try:
        write_whole_file(path, key, overwrite=False, mode=0o600)
    except OSError as error:
        raise InputError([Problem(str(path), error.strerror or "cannot be written", "name another file")]) from error
    return key


def read_key(path: Path) -> bytes:
    """The key in a file. Raises: InputError where it cannot be read, is none, or is open to others."""
    fix = "name the file that `parts prepare` made, of mode 0600"
    try:
        key, mode = path.read_bytes(), path.stat().st_mode
    except OSError as error:
        raise InputError([Problem(str(path), error.strerror or "cannot be read", fix)]) from error
    if len(key) != _KEY:
        raise InputError([Problem(str(path), "is no key", fix)])
    if stat.S_IMODE(mode) & 0o077:
        raise InputError([Problem(str(path), "can be read by others", f"chmod 600 '{path}'")])
    return key


def can_encrypt() -> bool:
    """Whether the pyarrow that is installed can encrypt with a key of ours."""
    try:
        return hasattr(_encryption(), "create_encryption_properties")
    except ImportError:  # it was built without
        return False


def seal(
    path: Path, plan: str, key: bytes | None, table: pa.Table, facts: Mapping[str, Any], *, overwrite: bool = True
) -> None:
    """Write a table and what else is known to `path` (mode 0600), whole.

    plan: the digest of the plan. key: None for a plain file. facts: as JSON. overwrite: a file that stands there; else
    raises FileExistsError.
    """
    said = {"plan": plan, "name": path.name, "rows": table.num_rows, "facts": facts}
    named = table.replace_schema_metadata({_FACTS.decode(): json.dumps(said), **PARQUET_MARK})
    stream = io.BytesIO()
    pq.write_table(named, stream, compression="zstd")
    content = stream.getvalue() if key is None else _encrypted(path, plan, key, stream.getvalue())
    write_whole_file(path, content, overwrite=overwrite, mode=0o600)


def unseal(path: Path, plan: str, key: bytes | None) -> tuple[pa.Table, dict[str, Any]]:
    """The table at `path`, and what else is known.

    Raises: InputError where it is not there, is damaged, or is of another plan, place or key.
    """
    fix = "make it again, with the work folder and the key of this plan"
    try:
        content = path.read_bytes()
        table = pq.ParquetFile(io.BytesIO(content if key is None else _decrypted(path, plan, key, content))).read()
        said = json.loads((table.schema.metadata or {})[_FACTS])
    except FileNotFoundError as error:
        raise InputError([Problem(str(path), "is not there", fix)]) from error
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        what = "cannot be read: it is damaged, or of another plan, part or key"
        raise InputError([Problem(str(path), what, fix)]) from error
    if (said["plan"], said["name"], said["rows"]) != (plan, path.name, table.num_rows):
        raise InputError([Problem(str(path), "is of another plan or part", fix)])
    return table.replace_schema_metadata(None), said["facts"]


def _encrypted(path: Path, plan: str, key: bytes, plain: bytes) -> bytes:
    """The bytes in rows of one length, as many as a power of two, each page encrypted and nothing compressed."""
    rows = 1 << (-(-(_LENGTH + len(plain)) // _ROW) - 1).bit_length()
    filled = (len(plain).to_bytes(_LENGTH, "little") + plain).ljust(rows * _ROW, b"\0")
    column = pa.FixedSizeBinaryArray.from_buffers(pa.binary(_ROW), rows, [None, pa.py_buffer(filled)])
    how = _encryption().create_encryption_properties(
        _key_of(key, path.name), aad_prefix=_bound_to(path, plan), store_aad_prefix=False
    )
    stream, as_it_is = io.BytesIO(), {"compression": "none", "use_dictionary": False, "write_statistics": False}
    pq.write_table(pa.table({"bytes": column}), stream, encryption_properties=how, **as_it_is)
    return stream.getvalue()


def _decrypted(path: Path, plan: str, key: bytes, content: bytes) -> bytes:
    """The bytes that `_encrypted` was given. Raises: OSError, ArrowException."""
    how = _encryption().create_decryption_properties(_key_of(key, path.name), aad_prefix=_bound_to(path, plan))
    rows = pq.ParquetFile(io.BytesIO(content), decryption_properties=how).read()["bytes"]
    filled = b"".join(rows.to_pylist())
    return filled[_LENGTH : _LENGTH + int.from_bytes(filled[:_LENGTH], "little")]


def _key_of(key: bytes, name: str) -> bytes:
    """The key of one file: no two files share one."""
    return hmac.digest(key, name.encode(), "sha256")


def _encryption() -> Any:
    return import_module("pyarrow.parquet.encryption")


def _bound_to(path: Path, plan: str) -> bytes:
    return f"{plan}/{path.name}".encode()
