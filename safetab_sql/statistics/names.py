"""What the words of an analyst mean: which release, which codes, which cells of a table.

Runs draw independent noise. The same folder given twice is one release, and a folder that `reconcile` made has the
noise of its run and is refused beside it: digests of what was published tell both. Source: change.md section 1.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.kit.database import stacked_table
from safetab_sql.kit.errors import Problem, nearest, refuse
from safetab_sql.public.values import rows_of
from safetab_sql.published.file_notes import file_differences
from safetab_sql.release.folder import ReleaseFacts, ReleaseFolder, code_rows, manifest_digest, open_folder
from safetab_sql.settings.attributes import Attribute, Grouping
from safetab_sql.settings.ladders import CODES, Ladder, all_cells, attributes_of
from safetab_sql.settings.parameters import Parameters

Paths: TypeAlias = str | Path | Sequence[str | Path]  # one folder, or several


@dataclass(frozen=True, slots=True)
class NamedReleases:
    """Releases in the order in which they were given. folders: each content once. places: of each given one."""

    folders: tuple[ReleaseFolder, ...]
    places: tuple[int, ...]

    @property
    def facts(self) -> tuple[ReleaseFacts, ...]:
        """Of each folder."""
        return tuple(folder.facts for folder in self.folders)

    @property
    def given(self) -> tuple[ReleaseFacts, ...]:
        """Of each folder that was given, in their order."""
        return tuple(self.folders[place].facts for place in self.places)

    def place(self, name: str | None) -> int | None:
        """The folder that a title, day or position means (None: the only one); None if none or several."""
        named = enumerate(self.places, start=1)
        found = {place for position, place in named if name in (None, str(position), *self._texts(place))}
        return found.pop() if len(found) == 1 else None

    def fix(self) -> str:
        """What may stand where a release is named."""
        named = (", ".join([str(number), *self._texts(place)]) for number, place in enumerate(self.places, start=1))
        return f"name one of these releases by its number, or by a title or day that no other has: {'; '.join(named)}"

    def label(self, place: int) -> str:
        """What notes and messages call a release; nothing where there is one alone."""
        return "" if len(self.places) == 1 else f" in release {self.places.index(place) + 1}"

    def _texts(self, place: int) -> Iterator[str]:
        facts = self.folders[place].facts
        yield from [facts.about.title] if facts.about.title else []
        yield facts.day


def opened_releases(given: Paths) -> NamedReleases:
    """The releases in folders that `run` or `reconcile` made.

    Raises: InputError where one is none, or not whole, and where two have the noise of one run and are not the same.
    """
    paths = [Path(given)] if isinstance(given, str | Path) else [Path(each) for each in given]
    refuse([] if paths else [Problem("releases", "no folder is named", "name at least one")])
    opened = [open_folder(path, or_reconciled=True) for path in paths]
    refuse([each for one in opened for each in one.problems or file_differences(one.folder, one.facts.files)])
    places: dict[str, int] = {}
    numbers = [places.setdefault(manifest_digest(path), len(places)) for path in paths]
    folders = tuple(opened[numbers.index(place)] for place in range(len(places)))
    runs = [folder.facts.manifest.published.files for folder in folders]
    twice = [str(folder.folder) for number, folder in enumerate(folders) if runs[number] in runs[:number]]
    refuse([Problem(path, "is of the run of another folder", "name one folder of each run") for path in twice])
    return NamedReleases(folders, tuple(numbers))


# Names of regions, groups and values, read as the codes that a release publishes.

Codes = Mapping[str, str]  # by column, what a name means: a code; of a region, its type too
Names = Mapping[str, Mapping[str, tuple[str, Sequence[Codes]]]]  # by column of names, and by folded name
_MOST_SHOWN = 5
_TEXT = "'(?:[^']|'')*'"
_COMPARED = re.compile(
    rf"{_TEXT}|\b(?P<column>\w+_NAME)\s*(?P<sign>=|<>|!=|(?:not\s+)?in\b)\s*(?P<names>{_TEXT}|\(\s*{_TEXT}(?:\s*,\s*{_TEXT})*\s*\))",
    re.IGNORECASE,
)


def names_of(folders: Sequence[Path]) -> Names:
    """What code lists of releases call their codes: REGION_NAME of REGION_ID, SEX_NAME of SEX; no column of codes."""
    found: dict[str, dict[str, tuple[str, list[Codes]]]] = {}
    for file in (file for folder in folders for file in sorted((folder / CODES).glob("*.csv"))):
        named = found.setdefault(re.sub("(_ID|_CODE)?$", "_NAME", file.stem, count=1), {})
        for code, name, *more in code_rows(file):
            codes = {"REGION_TYPE": more[0], "REGION_ID": code} if file.stem == "REGION_ID" else {file.stem: code}
            listed = named.setdefault(folded(name), (name, []))[1]
            listed += [codes] if name and codes not in listed else []
    are_codes = {file.stem for folder in folders for file in (folder / CODES).glob("*.csv")}
    return {column: named for column, named in found.items() if column not in are_codes}


def folded(name: str) -> str:
    """A name as it is compared: spaces and capitals do not matter."""
    return " ".join(name.split()).casefold()


def meant(names: Names, column: str, name: str, types: Collection[str | None]) -> tuple[Codes | None, str]:
    """What a name stands for, where regions of several types have it in these; None if nothing, and what to write."""
    known = names.get(column, {})
    means = known.get(folded(name), ("", ()))[1]
    own = [each for each in means if each.get("REGION_TYPE") in types] or means
    if means:
        return own[0] if len(own) == 1 else None, f"write one of {'; '.join(map(_equal, means[:_MOST_SHOWN]))}"
    words = folded(name).split()
    like = [named for each, (named, codes) in known.items() if codes and all(word in each for word in words)]
    like = like or [known[each][0] for each in [nearest(folded(name), known)] if each]
    return None, f"did you mean {', '.join(map(repr, like[:_MOST_SHOWN]))}?" if like else "codes/ lists the names"


def with_codes(text: str, names: Names) -> str:
    """A condition with codes in place of names. Raises: InputError where nothing has a name, or several have it."""
    wrong: dict[str, str] = {}
    texts = {quoted[1:-1] for quoted in re.findall(_TEXT, text)}

    def codes(match: re.Match[str]) -> str:
        column = (match["column"] or "").upper()
        if column not in names:
            return match[0]
        found = []
        for quoted in re.findall(_TEXT, match["names"]):
            means, fix = meant(names, column, quoted[1:-1].replace("''", "'"), texts)
            found += [_equal(means)] if means else []
            wrong.update({} if means else {f"{column} {quoted}": fix})
        return f"({'not ' * (match['sign'].lower() not in ('=', 'in'))}({' or '.join(found)}))"

    plain = _COMPARED.sub(codes, text)
    what = f"{', '.join(wrong)} means nothing, or may mean several things"
    refuse([Problem(" ".join(text.split()), what, "; ".join(wrong.values()))] if wrong else [])
    return plain


def _equal(codes: Codes) -> str:
    quoted = ((column, code.replace("'", "''")) for column, code in codes.items())
    return "(" + " and ".join(f"{column} = '{code}'" for column, code in quoted) + ")"


# Which values of attributes a wanted count is of, and which cells of the tables of a ladder hold them.

ALL = "*"  # in any column: every value
TOTAL_ROW = -1  # in asked_terms: the total, wherever it is published
Texts = tuple[str | None, ...]  # of the columns of an attribute, as an analyst wrote them; None: every value
Values = frozenset[int]  # positions of values of an attribute; none where texts mean nothing
_NUMBER, _RANGE = re.compile(r"-?[0-9]{1,9}"), re.compile(r"(-?[0-9]{1,9})(?:-(-?[0-9]{1,9}))?")


class LadderColumns:
    """The columns of attributes of one ladder, and what texts in them mean."""

    def __init__(self, parameters: Parameters, ladder: Ladder) -> None:
        self.ladder = ladder
        self.attributes = attributes_of(ladder, parameters.attributes)
        self._row_ids = {codes: row for row, codes in enumerate(rows_of(parameters, ladder).codes)}
        self._codes: dict[str, dict[Texts, Values]] = {attribute.name: {} for attribute in self.attributes}
        self._by_name = {attribute.name: attribute for attribute in self.attributes}
        for cells in all_cells([ladder]):
            for name, grouping in cells:
                own = self._by_name[name].grouping(grouping)
                values: dict[Texts, list[int]] = {codes: [] for codes in own.codes}
                for value, group in enumerate(own.members):
                    values[own.codes[group]].append(value)
                self._codes[name] |= {codes: frozenset(listed) for codes, listed in values.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(column for attribute in self.attributes for column in attribute.publish)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The attributes of whole numbers, of which there are quantiles."""
        return tuple(attribute.name for attribute in self.attributes if not attribute.is_listed)

    def values(self, attribute: Attribute, texts: Texts) -> Values | None:
        """The values that the texts in the columns of an attribute mean; None: all. Empty: they mean nothing."""
        given = tuple(None if text in (ALL, attribute.total) else text for text in texts)
        if given == (None,) * len(given):
            return None
        if given in self._codes[attribute.name]:
            return self._codes[attribute.name][given]
        return frozenset() if attribute.is_listed else frozenset(_numbers(attribute, given))

    def fix(self, attribute: Attribute) -> str:
        """What may stand in the columns of an attribute."""
        if attribute.is_listed:
            listed = ", ".join(str(code) for (code,) in self._codes[attribute.name])
            return f"write one of {listed}, or {ALL} for all"
        beside = "".join(f", {value}" for value in attribute.beside)
        numbers = f"whole numbers from {attribute.minimum} to {attribute.maximum}"
        is_pair = len(attribute.publish) == 2
        how = "the first not above the last" if is_pair else "such as 18, or 18-64"
        return f"write {numbers}, {how}{beside}, or {ALL} for all"

    def by_attribute(self, texts: Texts) -> Iterator[tuple[Attribute, Texts]]:
        """The texts of all columns, attribute by attribute."""
        named = dict(zip(self.names, texts, strict=True))
        yield from ((each, tuple(named[column] for column in each.publish)) for each in self.attributes)

    def row_id(self, texts: Texts) -> int | None:
        """The published row that these texts name, if there is one."""
        codes: list[str] = []
        for attribute, own in self.by_attribute(texts):
            is_all = self.values(attribute, own) is None
            codes += [attribute.total] * len(own) if is_all else [text or "" for text in own]
        is_total = all(self.values(*pair) is None for pair in self.by_attribute(texts))
        return TOTAL_ROW if is_total else self._row_ids.get(tuple(codes))

    def cells(self, conditions: Sequence[tuple[Texts, str | None]]) -> pa.Table:
        """Table `asked_cells` of sql/tools/statistics: the cells of each condition, by stat level.

        conditions: texts of every column of the ladder, and the attribute of which a quantile is wanted.
        """
        parts = [part for number, each in enumerate(conditions) for part in self._cells_of(number, *each)]
        return stacked_table("asked_cells", parts).combine_chunks()

    def _cells_of(self, number: int, texts: Texts, quantile_of: str | None) -> Iterator[Sequence[object]]:
        wanted = {attribute.name: self.values(attribute, own) for attribute, own in self.by_attribute(texts)}
        for attribute in [each for each in self.attributes if each.name == quantile_of and each.beside]:
            numbers = frozenset(range(attribute.size - len(attribute.beside)))  # whoever has none has no quantile
            asked = wanted[attribute.name]
            wanted[attribute.name] = numbers if asked is None else numbers & asked
        for stat_level, cells in enumerate(((), *(statistic.cells for statistic in self.ladder.statistics))):
            groupings = {name: self._by_name[name].grouping(grouping) for name, grouping in cells}
            masks = {name: _groups(grouping, wanted[name]) for name, grouping in groupings.items()}
            places = np.flatnonzero(reduce(np.logical_and.outer, masks.values(), np.ones(1, dtype=np.bool_)))
            held = {name: np.count_nonzero(mask[[*groupings[name].members]]) for name, mask in masks.items()}
            is_whole = all(values is None or held.get(name) == len(values) for name, values in wanted.items())
            bins: Sequence[object] = [pa.nulls(places.size, pa.int32())] * 2
            if quantile_of in groupings:
                groups = np.unravel_index(places, [mask.size for mask in masks.values()])
                own = groups[list(groupings).index(quantile_of)]
                members = np.array(groupings[quantile_of].members)
                _, firsts, sizes = np.unique(members, return_index=True, return_counts=True)
                starts = self._by_name[quantile_of].minimum + firsts
                bins = starts[own], (starts + sizes - 1)[own]
            alike = [np.full(places.size, each) for each in (number, stat_level, is_whole)]
            yield *alike[:2], places, alike[2], *bins


def cells_of_rows(parameters: Parameters, ladder: Ladder) -> pa.Table:
    """Table `asked_cells` of all published rows of a ladder: a condition a row, the total first."""
    rows = rows_of(parameters, ladder)
    totals = [(level, cell, TOTAL_ROW) for level, size in enumerate((1, *rows.sizes)) for cell in range(size)]
    levels, cells, numbers = np.array([*totals, *rows.measured, *rows.sums], dtype=np.int64).T
    none = pa.nulls(cells.size, pa.int32())
    return stacked_table("asked_cells", [(numbers + 1, levels, cells, cells >= 0, none, none)])


def with_values(rows: pa.Table, values: Mapping[str, int | bool | str]) -> pa.Table:
    """The rows with more columns, each of one value."""
    return reduce(lambda own, each: own.append_column(each[0], pa.repeat(each[1], rows.num_rows)), values.items(), rows)


def _numbers(attribute: Attribute, given: Texts) -> range:
    """The positions of a range of whole numbers, none where it is not one that the attribute has."""
    if len(given) == 1:
        match = _RANGE.fullmatch(given[0] or "")
        ends = (None, "") if match is None else (match[1], match[2] or match[1])
    else:
        ends = (given[0] or str(attribute.minimum), given[1] or str(attribute.maximum))
    if not all(_NUMBER.fullmatch(end or "") for end in ends):
        return range(0)
    first, last = (int(end or "") for end in ends)
    is_known = attribute.minimum <= first <= last <= attribute.maximum
    return range(first - attribute.minimum, last - attribute.minimum + 1) if is_known else range(0)


def _groups(grouping: Grouping, values: Values | None) -> npt.NDArray[np.bool_]:
    """The groups with a wanted value."""
    found = np.full(len(grouping.codes), values is None)
    found[[grouping.members[value] for value in values or ()]] = True
    return found
