"""Tables that rest on a disk between jobs: Parquet, encrypted unless the custodian accepts plain files.

Each says to which plan it belongs, what it is, and how many rows it has. An encrypted file cannot be read as another.
"""

import io
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.cluster.key import key_of
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.marks import PARQUET_MARK
from safetab_sql.kit.whole_folders import write_whole_file

_FACTS = b"safetab_sql"


def can_encrypt() -> bool:
    """Whether the pyarrow that is installed can encrypt with a key of ours."""
    try:
        return hasattr(_encryption(), "create_encryption_properties")
    except ImportError:  # it was built without
        return False


def seal(path: Path, plan: str, key: bytes | None, table: pa.Table, facts: Mapping[str, Any]) -> None:
    """Write a table and what else is known to `path` (mode 0600), whole, over a file that stands there.

    plan: the digest of the plan. key: None for a plain file. facts: as JSON.
    """
    said = {"plan": plan, "name": path.name, "rows": table.num_rows, "facts": facts}
    named = table.replace_schema_metadata({_FACTS.decode(): json.dumps(said), **PARQUET_MARK})
    how = {}
    if key is not None:
        how["encryption_properties"] = _encryption().create_encryption_properties(
            key_of(key, path.name), aad_prefix=_bound_to(path, plan), store_aad_prefix=False
        )
    stream = io.BytesIO()
    pq.write_table(named, stream, compression="zstd", **how)
    write_whole_file(path, stream.getvalue(), overwrite=True, mode=0o600)


def unseal(path: Path, plan: str, key: bytes | None) -> tuple[pa.Table, dict[str, Any]]:
    """The table at `path`, and what else is known.

    Raises: InputError where it is not there, is damaged, or is of another plan, place or key.
    """
    fix = "make it again, with the work folder and the key of this plan"
    how = {}
    if key is not None:
        how["decryption_properties"] = _encryption().create_decryption_properties(
            key_of(key, path.name), aad_prefix=_bound_to(path, plan)
        )
    try:
        table = pq.ParquetFile(io.BytesIO(path.read_bytes()), **how).read()
        said = json.loads((table.schema.metadata or {})[_FACTS])
    except FileNotFoundError as error:
        raise InputError([Problem(str(path), "is not there", fix)]) from error
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        what = "cannot be read: it is damaged, or of another plan, part or key"
        raise InputError([Problem(str(path), what, fix)]) from error
    if (said["plan"], said["name"], said["rows"]) != (plan, path.name, table.num_rows):
        raise InputError([Problem(str(path), "is of another plan or part", fix)])
    return table.replace_schema_metadata(None), said["facts"]


def _encryption() -> Any:
    return import_module("pyarrow.parquet.encryption")


def _bound_to(path: Path, plan: str) -> bytes:
    return f"{plan}/{path.name}".encode()
