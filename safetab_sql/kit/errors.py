"""What goes wrong, in two kinds: the user's input (`InputError`, exit code 2) and everything else.

Also what is said of libraries that only some commands need: whoever needs one asks before any work is done.
"""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

_LONGEST_TEXT = 2_000  # characters of one part of a problem
_MOST_PROBLEMS = 100  # problems that a message lists
_LIKENESS = 0.65  # the least of two names of which one is taken for the other: COUNTRY is COUNTY, DISTRICT is no TRACT


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the input.

    where: the file, and the key or column in it. what: what was found there. fix: what to do about it.
    examples: up to five offending values, for the custodian of the data.
    """

    where: str
    what: str
    fix: str
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The problem as the user reads it: `where: what`, then examples and the fix, indented."""
        where, what, fix, *examples = map(printable, (self.where, self.what, self.fix, *self.examples))
        return "\n".join([f"{where}: {what}", *(f"    for example {example}" for example in examples), f"    {fix}"])


class InputError(Exception):
    """The input has problems. No output was made."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        count, shown = len(self.problems), list(map(str, self.problems[:_MOST_PROBLEMS]))
        more = [f"... and {count - len(shown):,} more"] if count > len(shown) else []
        super().__init__("\n".join([*shown, *more, f"{count} problem{'s' if count != 1 else ''}."]))

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the problems, and no lines of the program."""
        return [type(self).__name__, *str(self).splitlines()]


class ClusterFaultError(Exception):
    """The machines that were to count did not; the text quotes no value of a record."""


def printable(text: str) -> str:
    """`text` on one line without terminal commands: unprintable characters are escaped, and long text is cut.

    Names and values that somebody else wrote may contain control characters, line breaks and marks that change the
    direction of writing. Bytes of a path that are not UTF-8 are escaped too.
    """
    cut = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}..."
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in cut)


def refuse(problems: Sequence[Problem]) -> None:
    """Raise one `InputError` that holds all `problems`; do nothing if there are none."""
    if problems:
        raise InputError(problems)


def nearest(given: str, known: Iterable[str], likeness: float = _LIKENESS) -> str | None:
    """The name among `known` that somebody who wrote `given` most likely meant; None where none is like it."""
    return next(iter(difflib.get_close_matches(given, list(known), n=1, cutoff=likeness)), None)


class Extra(NamedTuple):
    """An optional library: its extra in pyproject.toml, what is imported, and the problem where it cannot be."""

    name: str
    module: str
    where: str
    what: str


DRAWING = Extra("report", "vl_convert", "figures", "drawing them needs vl-convert-python")
SHAPES = Extra("map", "shapely", "--shapes", "reading them needs shapely")
SPARK = Extra("spark", "pyspark", "--engine spark", "needs pyspark")
EXCEL = Extra("excel", "xlsxwriter", "--format excel", "writing it needs XlsxWriter")


def missing_extras(*needed: Extra) -> list[Problem]:
    """Why libraries cannot be imported; none if they can. They are imported: one that is there may still fail."""
    problems = []
    for each in needed:
        try:
            import_module(each.module)
        except Exception as error:  # whatever a broken library raises
            is_there = not (isinstance(error, ModuleNotFoundError) and error.name == each.module)
            state = f"installed and cannot be imported: {error!r}" if is_there else "not installed"
            fix = f"pip install {'--force-reinstall ' if is_there else ''}'safetab-sql[{each.name}]'"
            problems.append(Problem(each.where, f"{each.what}, which is {state}", fix))
    return problems
