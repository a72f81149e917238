"""What has to be the same wherever people are counted: versions, and the statements."""

import hashlib
from collections.abc import Mapping
from importlib import metadata

from safetab_sql.kit.sqlfiles import macro_files, sql_files


def installed_software() -> dict[str, str]:
    """The versions that counts depend on, and a digest of the statements."""
    statements = [f"{name}\n{file.body}" for files in (sql_files(), macro_files()) for name, file in files.items()]
    digest = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    return {"safetab-sql": metadata.version("safetab-sql"), "duckdb": metadata.version("duckdb"), "sql": digest}


def other_software(expected: Mapping[str, str]) -> list[str]:
    """The names of what is installed here in another version than expected."""
    return sorted(name for name, version in installed_software().items() if expected.get(name) != version)
