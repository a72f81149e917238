"""The settings of every connection to DuckDB."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from safetab_sql.kit.database import Resources


def configuration(folder: Path, resources: "Resources") -> dict[str, str | bool | int | float | list[str]]:
    """The settings of a connection that spills to `folder`."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": str(folder / "spill"),
        "fsync_mode": "NONE",  # nobody opens the file again, so nothing has to outlast the machine
        "preserve_insertion_order": True,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
    }
    if resources.threads is not None:
        config["threads"] = resources.threads
    if resources.memory_limit is not None:
        config["memory_limit"] = resources.memory_limit
    return config
