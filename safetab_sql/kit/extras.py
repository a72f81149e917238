"""Libraries that only some commands need; whoever needs one asks before any work is done.

Not here: what starts Spark, which says so where it is opened, before anything is read.
"""

from dataclasses import dataclass
from importlib import import_module

from safetab_sql.kit.errors import Problem


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional library, and what is said where it cannot be imported.

    name: of the extra in pyproject.toml. module: what is imported. where, what: of the problem.
    """

    name: str
    module: str
    where: str
    what: str

    @property
    def problems(self) -> list[Problem]:
        """Why the library cannot be imported; none if it can. It is imported: one that is there may still fail."""
        install = f"'safetab-sql[{self.name}]'"
        try:
            import_module(self.module)
        except ModuleNotFoundError as error:
            if error.name == self.module:
                return [Problem(self.where, f"{self.what}, which is not installed", f"pip install {install}")]
            reason: Exception = error
        except Exception as error:  # whatever a broken library raises
            reason = error
        else:
            return []
        what = f"{self.what}, which is installed and cannot be imported: {reason!r}"
        return [Problem(self.where, what, f"pip install --force-reinstall {install}")]


DRAWING = Extra("report", "vl_convert", "figures", "drawing them needs vl-convert-python")
SHAPES = Extra("map", "shapely", "--shapes", "reading them needs shapely")

EXCEL = Extra("excel", "xlsxwriter", "--format excel", "writing it needs XlsxWriter")


def missing_extras(*needed: Extra) -> list[Problem]:
    """The problems of each library that cannot be imported."""
    return [problem for extra in needed for problem in extra.problems]
