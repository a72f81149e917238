"""A DuckDB connection for published tables: it reads them, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from safetab_sql.kit.configuration import configuration
from safetab_sql.kit.database import Resources


def reading_connection(
    files: Sequence[Path],
    spill: Path | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> duckdb.DuckDBPyConnection:
    """A connection in memory that reads these files, loads no extension and sees nothing else.

    spill: a folder to make for what memory does not hold; None: nothing is ever written. The connection ends when it is
    closed, or with the last relation of it that is in use.
    """
    config = configuration(Path() if spill is None else spill, resources)
    config["temp_directory"] = "" if spill is None else str(spill)
    connection = duckdb.connect(":memory:", config=config)
    connection.execute("set python_enable_replacements = false")
    connection.execute("set enable_progress_bar = false")
    connection.execute("set allowed_paths = $paths", {"paths": [str(file) for file in files]})
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection
