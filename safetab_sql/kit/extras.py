"""Libraries that only some commands need; whoever needs one asks before any work is done.

Not here: what reads object storage and what starts Spark, which say so where they are opened, before anything is read;
and the accountant of dp-accounting, without which a ledger has one line less.
"""

import importlib.util
from dataclasses import dataclass

from safetab_sql.kit.errors import Problem


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional library, and what is said where it is missing.

    name: of the extra in pyproject.toml. module: what is imported. where, what: of the problem.
    """

    name: str
    module: str
    where: str
    what: str

    @property
    def is_installed(self) -> bool:
        """Whether the library can be imported."""
        try:
            return importlib.util.find_spec(self.module) is not None
        except ValueError:  # something stands in its place
            return False


DRAWING = Extra("report", "vl_convert", "figures", "are drawn by vl-convert-python")
SHAPES = Extra("map", "shapely", "--shapes", "are read by shapely")


def missing_extras(*needed: Extra) -> list[Problem]:
    """The problem of each library that is not installed."""
    return [
        Problem(extra.where, f"{extra.what}, which is not installed", f"pip install 'safetab-sql[{extra.name}]'")
        for extra in needed
        if not extra.is_installed
    ]
