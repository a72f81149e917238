"""Which values of attributes a wanted count is of, and which cells of the tables of a ladder hold them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from safetab_sql.kit.arrays import Int64s
from safetab_sql.public.values import rows_of
from safetab_sql.settings.attributes import Attribute, Grouping
from safetab_sql.settings.ladders import Ladder, all_cells, attributes_of
from safetab_sql.settings.parameters import Parameters

ALL = "*"  # in any column: every value
TOTAL_ROW = -1  # in asked_terms: the total, wherever it is published
Texts = tuple[str | None, ...]  # of the columns of an attribute, as an analyst wrote them; None: every value
Values = frozenset[int]  # positions of values of an attribute; none where texts mean nothing
_NUMBER, _RANGE = re.compile(r"-?[0-9]{1,9}"), re.compile(r"(-?[0-9]{1,9})(?:-(-?[0-9]{1,9}))?")
_SCHEMA = pa.schema(
    [
        ("condition_number", pa.int64()),
        ("stat_level", pa.int8()),
        ("cell_position", pa.int32()),
        ("is_whole", pa.bool_()),
        ("bin_start", pa.int32()),
        ("bin_end", pa.int32()),
    ]
)


@dataclass(frozen=True, slots=True)
class Condition:
    """Wanted values. texts: of every column of the ladder. quantile_of: the attribute of which a quantile is wanted."""

    texts: Texts
    quantile_of: str | None


class LadderColumns:
    """The columns of attributes of one ladder, and what texts in them mean."""

    def __init__(self, parameters: Parameters, ladder: Ladder) -> None:
        self.ladder = ladder
        self.attributes = attributes_of(ladder, parameters.attributes)
        self._row_ids = {codes: row for row, codes in enumerate(rows_of(parameters, ladder).codes)}
        self._codes: dict[str, dict[Texts, Values]] = {attribute.name: {} for attribute in self.attributes}
        by_name = {attribute.name: attribute for attribute in self.attributes}
        for cells in all_cells([ladder]):
            for name, grouping in cells:
                own = by_name[name].grouping(grouping)
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
        place = 0
        for attribute in self.attributes:
            yield attribute, texts[place : place + len(attribute.publish)]
            place += len(attribute.publish)

    def row_id(self, texts: Texts) -> int | None:
        """The published row that these texts name, if there is one."""
        codes: list[str] = []
        for attribute, own in self.by_attribute(texts):
            is_all = self.values(attribute, own) is None
            codes += [attribute.total] * len(own) if is_all else [text or "" for text in own]
        is_total = all(self.values(*pair) is None for pair in self.by_attribute(texts))
        return TOTAL_ROW if is_total else self._row_ids.get(tuple(codes))

    def cells(self, conditions: Sequence[Condition]) -> pa.Table:
        """Table `asked_cells` of sql/tools/statistics: the cells of each condition, by stat level."""
        parts = [part for number, one in enumerate(conditions) for part in self._cells_of(number, one)]
        batches = [pa.record_batch(list(part.values()), schema=_SCHEMA) for part in parts]
        return pa.Table.from_batches(batches, _SCHEMA).combine_chunks()

    def _cells_of(self, number: int, condition: Condition) -> Iterator[Mapping[str, pa.Array]]:
        wanted = {attribute.name: self.values(attribute, own) for attribute, own in self.by_attribute(condition.texts)}
        for attribute in [each for each in self.attributes if each.name == condition.quantile_of and each.beside]:
            numbers = frozenset(range(attribute.size - len(attribute.beside)))  # whoever has none has no quantile
            asked = wanted[attribute.name]
            wanted[attribute.name] = numbers if asked is None else numbers & asked
        is_all = all(values is None for values in wanted.values())
        yield _rows(number, 0, np.zeros(1, dtype=np.int64), is_whole=is_all, bins=None)
        by_name = {attribute.name: attribute for attribute in self.attributes}
        for stat_level, statistic in enumerate(self.ladder.statistics, start=1):
            groupings = {name: by_name[name].grouping(grouping) for name, grouping in statistic.cells}
            masks = [_groups(grouping, wanted[name]) for name, grouping in groupings.items()]
            places = np.flatnonzero(reduce(np.logical_and.outer, masks))
            is_whole = all(
                values is None or (name in groupings and _is_whole(groupings[name], values))
                for name, values in wanted.items()
            )
            bins = None
            if condition.quantile_of in groupings:
                groups = np.unravel_index(places, [mask.size for mask in masks])
                own = groups[list(groupings).index(condition.quantile_of)]
                members = np.array(groupings[condition.quantile_of].members)
                _, firsts, sizes = np.unique(members, return_index=True, return_counts=True)
                starts = by_name[condition.quantile_of].minimum + firsts
                bins = starts[own], (starts + sizes - 1)[own]
            yield _rows(number, stat_level, places, is_whole=is_whole, bins=bins)


def cells_of_rows(parameters: Parameters, ladder: Ladder) -> pa.Table:
    """Table `asked_cells` of all published rows of a ladder; the number of a condition is that of a row, and 1."""
    rows = rows_of(parameters, ladder)
    totals = [(level, cell, TOTAL_ROW) for level, size in enumerate((1, *rows.sizes)) for cell in range(size)]
    levels, cells, numbers = np.array([*totals, *rows.measured, *rows.sums], dtype=np.int64).T
    none = pa.nulls(cells.size, pa.int32())
    columns = [numbers + 1, levels.astype(np.int8), cells.astype(np.int32), np.full(cells.size, fill_value=True)]
    return pa.table([*map(pa.array, columns), none, none], schema=_SCHEMA)


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


def _is_whole(grouping: Grouping, values: Values) -> bool:
    """Whether the groups with a wanted value hold no others."""
    groups = {grouping.members[value] for value in values}
    return sum(group in groups for group in grouping.members) == len(values)


def _rows(
    number: int, stat_level: int, places: Int64s, *, is_whole: bool, bins: tuple[Int64s, Int64s] | None
) -> Mapping[str, pa.Array]:
    """The rows of a condition and a stat level."""
    size = places.size
    starts, ends = (pa.nulls(size, pa.int32()),) * 2 if bins is None else (pa.array(each, pa.int32()) for each in bins)
    return {
        "condition_number": pa.array(np.full(size, number), pa.int64()),
        "stat_level": pa.array(np.full(size, stat_level), pa.int8()),
        "cell_position": pa.array(places, pa.int32()),
        "is_whole": pa.array(np.full(size, is_whole)),
        "bin_start": starts,
        "bin_end": ends,
    }
