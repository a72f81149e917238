"""Labels: what published codes are called in the code lists of a release, its metadata, its report and its figures.

[labels]
SEX = { M = "Homem", F = "Mulher" }  # of an attribute: published code = label
language = { pt = "Portuguese" }       # of a question whose values are the iterations, REGION_TYPE, STATISTIC, TABLE
OCCUPATION = "occupations.csv"       # or a file beside this one, with columns CODE and MEANING, as codes/ of a release
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from safetab_sql.kit.errors import InputError, Problem, nearest
from safetab_sql.settings.attributes import EACH, Attribute
from safetab_sql.settings.geography import RegionType
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.markers import otherwise, text
from safetab_sql.settings.questions import Question
from safetab_sql.settings.reading import Document, Problems, text_of
from safetab_sql.settings.tables import via

LABELS_KEY = "labels"
_COLUMNS = ("CODE", "MEANING")
_MOST_SHOWN = 5
_ABOUT_LABELS = (
    'write codes with labels of one line, at most 200 characters, such as { M = "Homem" }, or name a CSV file beside '
    "this one"
)
_ABOUT_FILE = "write a CSV file in UTF-8 with a header and the columns CODE and MEANING, each code once"
_Label = Annotated[str, text(r"[^\x00-\x1f\x7f]{1,200}")]
WrittenLabels = Annotated[
    str | Mapping[str, str], via(Annotated[str, text(r"[^/\\]+\.csv")] | dict[str, _Label]), otherwise(_ABOUT_LABELS)
]
Labels = Mapping[str, Mapping[str, str]]  # by attribute or question, and published code


def labels_of(written: Mapping[str, str | Mapping[str, str]], folder: Path) -> Labels:
    """The labels that a file in a folder has, with the labels of the files that it names. Raises: InputError."""
    return {name: _read(folder / said) if isinstance(said, str) else said for name, said in written.items()}


def _read(path: Path) -> Mapping[str, str]:
    """The labels in a file. Raises: InputError where it has no such columns, or a code twice or without a label."""
    lines = re.split(r"\r\n|\n|\r", text_of(path, _ABOUT_FILE).rstrip("\r\n"))
    delimiter = next((each for each in ",;|\t" if lines and each in lines[0]), ",")
    header, *rows = [[cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])] for line in lines]
    if not set(_COLUMNS) <= set(header):
        missing = " and ".join(sorted(set(_COLUMNS) - set(header)))
        what = f"missing column {missing}; found {', '.join(header) or 'none'}"
        raise InputError([Problem(str(path), what, _ABOUT_FILE)])
    code, meaning = (header.index(name) for name in _COLUMNS)
    found: dict[str, str] = {}
    for number, row in enumerate(rows, start=2):
        is_row = len(row) == len(header) and lines[number - 1].count('"') % 2 == 0
        if not is_row or not row[code] or not row[meaning] or row[code] in found:
            what = f"row {number} is no line of as many columns, has no code or label, or a code that stood before"
            raise InputError([Problem(str(path), what, _ABOUT_FILE)])
        found[row[code]] = row[meaning]
    return found


def label_problems(
    document: Document, written: Mapping[str, str | Mapping[str, str]], published: Mapping[str, Iterable[str]]
) -> Problems:
    """Labels of what publishes no codes, or not these, and files that cannot be read. published: see `labelled_codes`.

    What is declared and cannot be read has problems of its own.
    """
    for name, said in written.items():
        if name not in published:
            if not any(document.declares(each, name) for each in ("attributes", "questions")):
                near = nearest(name, published)
                fix = f"did you mean {near}?" if near else f"name one of {', '.join(published)}"
                what = f"no attribute, and no question of values, is called '{name}'"
                yield document.problem((LABELS_KEY,), what, fix)
            continue
        try:
            found = labels_of({name: said}, document.path.parent)[name]
        except InputError as error:
            yield from error.problems
            continue
        codes = list(dict.fromkeys(published[name]))
        unknown = [code for code in found if code not in codes]
        if unknown:
            shown = ", ".join(f"'{code}'" for code in unknown[:_MOST_SHOWN])
            known = ", ".join(codes[:_MOST_SHOWN]) + (", ..." if len(codes) > _MOST_SHOWN else "")
            yield document.problem((LABELS_KEY, name), f"{name} publishes no code {shown}", f"label some of {known}")


def labelled_codes(
    attributes: Sequence[Attribute], asked: Sequence[Question], ladders: Sequence[Ladder], types: Sequence[RegionType]
) -> dict[str, list[str]]:
    """The codes that may have labels: of attributes, of questions of values, and of the columns of every release."""
    found = {"REGION_TYPE": [each.name for each in types], "TABLE": [each.name for each in ladders]}
    found["STATISTIC"] = [name for own in ladders for name in (own.total_name, *(one.name for one in own.statistics))]
    for each in attributes:
        groups = (each.grouping(name) for name in (*each.groups, EACH))
        found[each.name] = [each.total, *(code for group in groups for codes in group.codes for code in codes)]
    return found | {each.name: [*each.values] for each in asked if each.values}
