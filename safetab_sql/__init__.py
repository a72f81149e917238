"""Differentially private population tables with SafeTab, SQL-first on DuckDB.

A command of the command line is a function of its name here: `job(inputs, out, options...)` returns what it made. Bad
input raises `InputError`. The names are those in __init__.pyi; nothing is imported before it is asked for.
"""

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

_NAMES = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
_HOMES = {name.name: line.module for line in _NAMES if isinstance(line, ast.ImportFrom) for name in line.names}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    """One of the names, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


class _FrontDoor(ModuleType):
    """The package, in which `report` and `semantics` stay the jobs when modules of these names are loaded."""

    def __setattr__(self, name: str, value: object) -> None:
        """Python sets what it imports as an attribute of the package."""
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _FrontDoor
