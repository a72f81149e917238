"""Code lists from one table of groups: `safetab-sql new --groups`.

code,name,people,region          one row a code; every column after the name is a level
A1,Asken,Askenic,Northern        the code belongs to the group Askenic of level people, and to Northern of level region
A2,Askiri,Askenic,Northern
B1,Borin,,Southern               and to no group of level people

Without a column after the name, every code is a group of its own, of level `group`.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.gate import Confidential, public_file
from safetab_sql.public.text_files import text_table

OWN_LEVEL = "group"  # of codes that are groups of their own
_LARGEST = 2**26  # bytes
_FIX = "name a CSV file with a header row: code, name, and one column for each level of groups"
# Letter, words and ALONE of the iterations of a group. A group of all codes holds everybody with a code, alone or not.
_KINDS = (("a", " alone", "True"), ("c", " alone or in any combination", "False"))
_OF_ALL_CODES = (("c", "", "False"),)
_OF_ONE_CODE = (("", "", ""),)


@dataclass(frozen=True, slots=True)
class Groups:
    """A table of groups. names: of codes. levels: by level and group, its codes. guessed: columns of both."""

    names: Mapping[str, str]
    levels: Mapping[str, Mapping[str, tuple[str, ...]]]
    guessed: tuple[str, ...] = ()

    @property
    def overlap(self) -> bool:
        """Whether some code is in several groups of a level."""
        codes = [[code for codes in groups.values() for code in codes] for groups in self.levels.values()]
        return any(len(set(each)) < len(each) for each in codes)


def read_groups(file: Path, records: Confidential) -> Groups:
    """The table of groups in a CSV file, which is public. Raises: InputError with every problem."""
    public_file("listed_groups", file, records)
    header, *rows = _rows(file)
    names = [name.lower().replace("-", "_") for name in header[1]]
    repeated = [name for name, times in Counter(names).items() if times > 1]
    refuse([Problem(str(file), f"has column '{name}' more than once", "rename one of them") for name in repeated])
    refuse([] if rows else [Problem(str(file), "has no row", "give every code a row")])
    if is_said := "code" in names:
        code, title = names.index("code"), names.index("name" if "name" in names else "code")
    else:
        code, title = _codes_and_names([row for _, row in rows])
    levels = {name: place for place, name in enumerate(names) if place not in (code, title)} or {OWN_LEVEL: title}
    refuse(_row_problems(file, rows, code, title))
    found: dict[str, defaultdict[str, dict[str, None]]] = {name: defaultdict(dict) for name in levels}
    for _, row in rows:
        for name, place in levels.items():
            if row[place]:
                found[name][row[place]][row[code]] = None
    alike = {frozenset(map(frozenset, groups.values())): name for name, groups in found.items()}
    found = {name: found[name] for name in alike.values()}  # of a column of codes and one of names, the latter
    fix = "fill it, or take the column out"
    refuse([Problem(f"{file} [{name}]", "names no group", fix) for name, groups in found.items() if not groups])
    return Groups(
        {row[code]: row[title] for _, row in rows},
        {name: {group: tuple(codes) for group, codes in groups.items()} for name, groups in found.items()},
        () if is_said else tuple(header[1][place] for place in dict.fromkeys((code, title))),
    )


def _codes_and_names(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """The columns that probably hold the codes, and their names: both have as many values, and the names are longer."""
    columns = [*zip(*rows, strict=True)]
    values = [len(set(column)) * all(column) for column in columns]
    most = [place for place, number in enumerate(values) if number == max(values)]
    first = min(most, key=lambda place: (sum(map(len, columns[place])), place))
    pairs = [place for place in most if len({*zip(columns[first], columns[place], strict=True)}) == max(values)]
    return first, max(pairs, key=lambda place: sum(map(len, columns[place])), default=first)


def write_lists(groups: Groups, folder: Path, *, several: bool) -> None:
    """Write codes.csv, iterations.csv and members.csv to `folder`.

    several: a record may have several codes, so each group gives two iterations: alone, and alone or in any
    combination.
    """
    numbered = [(level, group, codes) for level, each in groups.levels.items() for group, codes in each.items()]
    digits = len(str(len(numbered)))
    iterations, members = [], []
    for number, (level, group, codes) in enumerate(numbered, start=1):
        kinds = _OF_ALL_CODES if len(codes) == len(groups.names) else _KINDS
        for letter, words, alone in kinds if several else _OF_ONE_CODE:
            iteration = f"{number:0{digits}d}{letter}"
            iterations.append((iteration, f"{group}{words}", level, *([alone] if several else [])))
            members += [(iteration, code) for code in codes]
    columns = ("ITERATION_CODE", "ITERATION_NAME", "LEVEL", *(["ALONE"] if several else []))
    _write(folder / "codes.csv", ("CODE", "CODE_NAME"), list(groups.names.items()))
    _write(folder / "iterations.csv", columns, iterations)
    _write(folder / "members.csv", ("ITERATION_CODE", "CODE"), members)


def _rows(file: Path) -> list[tuple[int, list[str]]]:
    """The rows of a text file that are not empty, the header first, each with its number."""
    try:
        if file.stat().st_size > _LARGEST:
            raise InputError([Problem(str(file), "larger than 64 MiB: no table of groups", _FIX)])
        table = text_table(file)
    except OSError as error:
        raise InputError([Problem(str(file), f"cannot be read: {error.strerror}", _FIX)]) from error
    rows = [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
    stripped = [[(field or "").strip() for field in row] for row in rows]
    return [(number, row) for number, row in enumerate(stripped, start=1) if any(row)]


def _row_problems(file: Path, rows: Sequence[tuple[int, list[str]]], code: int, title: int) -> list[Problem]:
    missing = [f"{file}, row {number}" for number, row in rows if row[code] in ("", "Null")]
    problems = [Problem(where, "has no code", "give it one, other than Null") for where in missing[:5]]
    names: dict[str, str] = {}
    for number, row in rows:
        first = names.setdefault(row[code], row[title])
        if first != row[title]:
            what = f"calls the code {row[code]} '{row[title]}', and an earlier row '{first}'"
            problems.append(Problem(f"{file}, row {number}", what, "give the code one name"))
    return problems


def _write(file: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])
