"""A table of wanted statistics, CSV or Parquet: read, checked, and taken apart into the counts that they consist of."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv, parquet

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.arrow_tables import arrow_table, described, is_path
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.gate import Public, public_file
from safetab_sql.public.values import rows_of
from safetab_sql.settings.attributes import Attribute, Grouping
from safetab_sql.settings.decimals import exact_decimal
from safetab_sql.settings.ladders import Ladder, Statistic, all_cells, attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.crosswalk import Crosswalk
from safetab_sql.statistics.evaluator import Asked
from safetab_sql.statistics.releases import NamedReleases

# Which values of attributes a wanted count is of, and which cells of the tables of a ladder hold them.

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
                self._codes[name] |= _values_of_codes(by_name[name].grouping(grouping))

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
        numbers = f"whole numbers from {attribute.minimum} to {attribute.maximum}"
        is_pair = len(attribute.publish) == 2
        how = "the first not above the last" if is_pair else "such as 18, or 18-64"
        return f"write {numbers}, {how}, or {ALL} for all"

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
                own = groups[_place(statistic, condition.quantile_of)]
                bins = _bins(by_name[condition.quantile_of], groupings[condition.quantile_of], own)
            yield _rows(number, stat_level, places, is_whole=is_whole, bins=bins)


def _values_of_codes(grouping: Grouping) -> dict[Texts, Values]:
    values: dict[Texts, list[int]] = {codes: [] for codes in grouping.codes}
    for value, group in enumerate(grouping.members):
        values[grouping.codes[group]].append(value)
    return {codes: frozenset(listed) for codes, listed in values.items()}


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


def _place(statistic: Statistic, attribute: str) -> int:
    return [name for name, _ in statistic.cells].index(attribute)


def _bins(attribute: Attribute, grouping: Grouping, groups: Int64s) -> tuple[Int64s, Int64s]:
    """The first and the last number of groups of an attribute of whole numbers."""
    _, firsts, sizes = np.unique(np.array(grouping.members), return_index=True, return_counts=True)
    starts = attribute.minimum + firsts
    return starts[groups], (starts + sizes - 1)[groups]


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


KINDS = ("count", "difference", "ratio", "growth", "quantile", "ratio_difference", "rank")
GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
RELEASE, TABLE = "RELEASE", "TABLE"  # of a count, and its ladder
ATTRIBUTE, AMONG = "ATTRIBUTE", "AMONG"  # what a quantile is of; the set in which a count is ranked
PREFIXES = ("", "OTHER_", "SECOND_", "SECOND_OTHER_")  # of the counts that a statistic consists of
_BEFORE = {"OTHER_": "", "SECOND_": "", "SECOND_OTHER_": "SECOND_"}  # whose release, ladder and group a count has
_LIKE = {"OTHER_": "", "SECOND_": "", "SECOND_OTHER_": "OTHER_"}  # whose values a count of another release has
ANSWERS = ("ESTIMATE", "LOW", "HIGH", "P_VALUE", "NOTE")
ADJUSTED = ("P_ADJUSTED", "LOW_ADJUSTED", "HIGH_ADJUSTED")
MOST_BINS_SHARE = 1_000  # of a quantile: a share with a larger denominator is refused
_FIX = f"write columns KIND ({', '.join(KINDS)}), {', '.join(GROUP)}; docs/reference/files.md lists the others"
_HALF = "0.5"
_TWO_RATIOS = "ratio_difference"
# Counts of the same statistic that are compared, by the kinds of statistics.
_ALIKE = {
    ("", "OTHER_"): ("difference", "growth"),
    ("", "SECOND_"): (_TWO_RATIOS,),
    ("OTHER_", "SECOND_OTHER_"): (_TWO_RATIOS,),
}

Column = Sequence[str | None]
Columns = Mapping[str, Column]
Places = Mapping[str, Sequence[int]]  # of the release of each count, by prefix
Ladders = Sequence[Mapping[str, LadderColumns]]  # of each release, by name
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class LadderTerms:
    """The counts of a ladder of a release that statistics consist of: tables `asked_terms` and `asked_cells`."""

    release: int
    ladder: str
    terms: pa.Table
    cells: pa.Table


@dataclass(frozen=True, slots=True)
class WantedStatistics:
    """A table of wanted statistics. table: as it was given. ladders: the counts they consist of, by ladder.

    where: what messages call it. asked: its rows, and behind them the second ratios that rows ask for: a difference of
    ratios is a ratio here, and its second ratio is another. same: the statistics both of whose counts are of the same
    people in one run.
    """

    where: str
    table: pa.Table
    asked: Asked
    ladders: tuple[LadderTerms, ...]
    same: frozenset[int]


def wanted_statistics(
    given: object,
    releases: NamedReleases,
    crosswalk: Crosswalk = Crosswalk(),  # noqa: B008  (frozen)
) -> WantedStatistics:
    """The wanted statistics in a file or a table, of these releases.

    Raises: InputError with every problem.
    """
    ladders = [
        {ladder.name: LadderColumns(facts.parameters, ladder) for ladder in facts.parameters.ladders}
        for facts in releases.facts
    ]
    of_term = _of_term(ladder for own in ladders for ladder in own.values())
    names = ("KIND", *(prefix + name for prefix in PREFIXES for name in of_term), "SHARE", ATTRIBUTE, AMONG)
    where, table = _table(given, names)
    columns: Columns = {name: _texts(table, name) for name in names}
    places = _places(where, columns, releases)
    columns = _with_values(_with_groups(columns, places, ladders), places, ladders)
    refuse(list(_problems(where, columns, places, ladders)))
    kinds = columns["KIND"]
    shares = [
        _share(share) if kind == "quantile" else None for kind, share in zip(kinds, columns["SHARE"], strict=True)
    ]
    firsts = np.array([row for row, kind in enumerate(kinds) if kind == _TWO_RATIOS], dtype=np.int64)
    own = ["ratio" if kind == _TWO_RATIOS else kind or "" for kind in kinds] + ["ratio"] * firsts.size
    seconds = table.num_rows + np.arange(firsts.size, dtype=np.int64)
    asked = Asked(own, [*shares, *[None] * firsts.size], firsts, seconds, _ranked(columns, places))
    pairs = np.flatnonzero(asked.is_pair)
    of_counts = _of_counts(places, firsts, pairs)
    counts = {
        name: _of_counts({prefix: columns[prefix + name] for prefix in PREFIXES}, firsts, pairs) for name in of_term
    }
    numbers = np.concatenate([np.arange(len(own)), pairs])
    groups = _expanded(counts, of_counts, crosswalk)
    runs = releases.runs
    counted = _Counted(counts, np.array(of_counts, dtype=np.int64), groups, numbers, own)
    return WantedStatistics(
        where,
        table,
        asked,
        _terms(counted, columns[ATTRIBUTE], ladders),
        frozenset(_same(counted, [runs[place] for place in of_counts], pairs)),
    )


def _of_term(ladders: Iterable[LadderColumns]) -> tuple[str, ...]:
    """The columns of a count, without prefix."""
    return (RELEASE, TABLE, *GROUP, *dict.fromkeys(name for ladder in ladders for name in ladder.names))


def _table(given: object, names: Sequence[str]) -> tuple[str, pa.Table]:
    """What messages call a table, and itself. Raises: InputError where columns are missing, or are answers already."""
    table = _read(public_file("wanted", given), names) if is_path(given) else arrow_table("wanted", given)
    where = str(given) if is_path(given) else described("wanted", given)
    missing = [name for name in ("KIND", *GROUP) if name not in table.column_names]
    taken = [name for name in ANSWERS if name in table.column_names]
    lacks = f"missing columns {', '.join(missing)}"
    has = f"has columns {', '.join(taken)}, which the answers will have"
    refuse([Problem(where, lacks, _FIX)] if missing else [])
    refuse([Problem(where, has, "rename them")] if taken else [])
    return where, table


def _read(public: Public, names: Sequence[str]) -> pa.Table:
    path = public.path
    try:
        if path.suffix == ".parquet":
            return parquet.read_table(path)
        texts = csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
        )
        return csv.read_csv(path, convert_options=texts)
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error}", "name a CSV or Parquet file")]) from error
    except pa.ArrowException as error:
        raise InputError([Problem(str(path), f"no table: {error}", "name a CSV or Parquet file")]) from error


def _texts(table: pa.Table, name: str) -> Column:
    """A column as texts; NULL where it is not there."""
    if name not in table.column_names:
        return [None] * int(table.num_rows)
    texts: list[str | None] = table[name].cast(pa.string()).to_pylist()
    return texts


def _places(where: str, columns: Columns, releases: NamedReleases) -> Places:
    """The release of each count. Raises: InputError where a name means none, or several."""
    texts: dict[str, Column] = {"": columns[RELEASE]}
    for prefix, before in _BEFORE.items():
        own = columns[prefix + RELEASE]
        texts[prefix] = [one or other for one, other in zip(own, texts[before], strict=True)]
    known = {text: releases.place(text) for column in texts.values() for text in set(column)}
    found = {prefix: [known[text] for text in column] for prefix, column in texts.items()}
    for prefix, listed in found.items():
        wrong = [
            place is None and (not prefix or bool(columns[prefix + RELEASE][row])) for row, place in enumerate(listed)
        ]
        refuse(list(_unusable(where, columns, prefix + RELEASE, wrong, releases.fix())))
    return {prefix: [place or 0 for place in listed] for prefix, listed in found.items()}


def _with_groups(columns: Columns, places: Places, ladders: Ladders) -> Columns:
    """The columns; a count has the ladder and the group of the one before it, where it names none.

    Where its release has no such ladder, it has the only one of its release.
    """
    only = [next(iter(own)) if len(own) == 1 else None for own in ladders]
    made = {
        **columns,
        TABLE: [text or only[place] for text, place in zip(columns[TABLE], places[""], strict=True)],
    }
    for prefix, before in _BEFORE.items():
        tables = zip(made[prefix + TABLE], made[before + TABLE], places[prefix], places[before], strict=True)
        made[prefix + TABLE] = [
            text or (usual if place == before_it or usual in ladders[place] else only[place] or usual)
            for text, usual, place, before_it in tables
        ]
        for name in GROUP:
            usual = made[before + name]
            made[prefix + name] = [one or other for one, other in zip(made[prefix + name], usual, strict=True)]
    return made


def _with_values(columns: Columns, places: Places, ladders: Ladders) -> Columns:
    """The columns; a count whose release is named has the values of the count that it is compared with, if no others.

    So has a count that a sum is divided by: a mean is of the same records. Attributes that the ladder of either has not
    are left as they are.
    """
    made = {name: list(column) for name, column in columns.items()}
    for prefix, like in _LIKE.items():
        is_named = [bool(text) for text in columns[prefix + RELEASE]]
        if prefix == "SECOND_OTHER_":  # of a second ratio of another release
            is_named = [so or bool(text) for so, text in zip(is_named, columns["SECOND_" + RELEASE], strict=True)]
        for row, has_name in enumerate(is_named):
            own = ladders[places[prefix][row]].get(str(made[prefix + TABLE][row]))
            first = ladders[places[like][row]].get(str(made[like + TABLE][row]))
            is_like = own and first and (has_name or own.ladder.sum != first.ladder.sum)
            for attribute in own.attributes if own and is_like else ():
                names = [name for name in attribute.publish if first and name in first.names]
                if len(names) == len(attribute.publish) and not any(made[prefix + name][row] for name in names):
                    for name in names:
                        made[prefix + name][row] = made[like + name][row]
    return made


def _problems(where: str, columns: Columns, places: Places, ladders: Ladders) -> Iterator[Problem]:
    """What cannot be asked for, by column, each with the first rows."""
    wrong = [value not in KINDS for value in columns["KIND"]]
    yield from _unusable(where, columns, "KIND", wrong, f"write one of {', '.join(KINDS)}")
    for name in GROUP:
        wrong = [value is None for value in columns[name]]
        yield from _unusable(where, columns, name, wrong, "name the group of each statistic")
    for prefix in PREFIXES:
        for number, own in enumerate(ladders):
            both = zip(columns[prefix + TABLE], columns[TABLE], places[prefix], strict=True)
            wrong = [
                place == number and value not in own and (not prefix or value != first) for value, first, place in both
            ]
            fix = f"the release has {', '.join(own)}: name one of them"
            yield from _unusable(where, columns, prefix + TABLE, wrong, fix)
    for prefix in PREFIXES:
        for number, own in enumerate(ladders):
            is_here = [place == number for place in places[prefix]]
            yield from _unknown_values(where, columns, prefix, is_here, own)
    tables = zip(columns["KIND"], columns[TABLE], columns[ATTRIBUTE], places[""], strict=True)
    wrong = [
        kind == "quantile" and table in ladders[place] and _quantile_of(ladders[place][str(table)], name) is None
        for kind, table, name, place in tables
    ]
    numbers = {name: None for own in ladders for ladder in own.values() for name in ladder.numbers}
    fix = f"name the attribute of whole numbers of which a quantile is wanted: {', '.join(numbers) or 'there is none'}"
    yield from _unusable(where, columns, ATTRIBUTE, wrong, fix)
    yield from _unlike(where, columns, places, ladders)
    wrong = [value is not None and _share(value) is None for value in columns["SHARE"]]
    yield from _unusable(where, columns, "SHARE", wrong, "write a decimal above 0 and below 1")


def _unlike(where: str, columns: Columns, places: Places, ladders: Ladders) -> Iterator[Problem]:
    """Sums that are compared with counts, or with sums of another column or clamp; a ratio may have both."""
    rows = range(len(columns["KIND"]))
    found = {}
    for prefix in PREFIXES:
        own = [
            ladders[place].get(str(table)) for place, table in zip(places[prefix], columns[prefix + TABLE], strict=True)
        ]
        found[prefix] = [each and each.ladder.sum for each in own]
    fix = "compare counts with counts, and sums of one column with one clamp; a ratio may divide a sum by a count"
    for (one, other), kinds in _ALIKE.items():
        wrong = [columns["KIND"][row] in kinds and found[one][row] != found[other][row] for row in rows]
        yield from _unusable(where, columns, other + TABLE, wrong, fix)
    wrong = [False for _ in rows]
    for ranked in _ranked(columns, places):
        for row in ranked.tolist():
            wrong[row] = found[""][row] != found[""][ranked[0]]
    yield from _unusable(where, columns, TABLE, wrong, fix)


def _unknown_values(
    where: str, columns: Columns, prefix: str, is_here: Sequence[bool], ladders: Mapping[str, LadderColumns]
) -> Iterator[Problem]:
    """The values of attributes that the ladder of a row has not, or columns that it has not. is_here: its release."""
    tables = [table if is_so else None for table, is_so in zip(columns[prefix + TABLE], is_here, strict=True)]
    for name, ladder in ladders.items():
        is_own = [table == name for table in tables]
        for attribute in ladder.attributes:
            own = [prefix + column for column in attribute.publish]
            listed = list(zip(*(columns[column] for column in own), strict=True))
            is_known = {texts: ladder.values(attribute, texts) != frozenset() for texts in set(listed)}
            wrong = [is_so and not is_known[texts] for is_so, texts in zip(is_own, listed, strict=True)]
            yield from _unusable(where, columns, own[0], wrong, ladder.fix(attribute), own)
        for column in {each for other in ladders.values() for each in other.names} - set(ladder.names):
            texts = columns[prefix + column]
            wrong = [is_so and text not in (None, ALL) for is_so, text in zip(is_own, texts, strict=True)]
            yield from _unusable(where, columns, prefix + column, wrong, f"TABLE {name} has no column {column}")


def _unusable(
    where: str, columns: Columns, name: str, wrong: Sequence[bool], fix: str, shown_columns: Sequence[str] = ()
) -> Iterator[Problem]:
    """The problem of the rows that are wrong, if any are. shown_columns: the columns whose values are shown."""
    rows = [row for row, is_wrong in enumerate(wrong) if is_wrong]
    if rows:
        values = [[str(columns[each][row])[:40] for each in shown_columns or (name,)] for row in rows[:3]]
        shown = ", ".join(
            f"row {row + 1}: {' to '.join(map(repr, texts))}" for row, texts in zip(rows, values, strict=False)
        )
        yield Problem(f"{where} {name}", f"{len(rows):,} values cannot be used; {shown}", fix)


def _quantile_of(ladder: LadderColumns, name: str | None) -> str | None:
    """The attribute of which a quantile is: the one that is named, or the only one of whole numbers."""
    if name is None:
        return ladder.numbers[0] if len(ladder.numbers) == 1 else None
    return name if name in ladder.numbers else None


def _share(text: str | None) -> Fraction | None:
    """A share of a quantile, one half where none is named; None where it is none."""
    share = exact_decimal(text or _HALF)
    return share if share is not None and 0 < share < 1 and share.denominator <= MOST_BINS_SHARE else None


def _ranked(columns: Columns, places: Places) -> tuple[Int64s, ...]:
    """The rows of each set of counts that are ranked: all of one release with the same text in AMONG."""
    sets: dict[tuple[int, str | None], list[int]] = {}
    for row, (kind, among, place) in enumerate(zip(columns["KIND"], columns[AMONG], places[""], strict=True)):
        if kind == "rank":
            sets.setdefault((place, among), []).append(row)
    return tuple(np.array(rows, dtype=np.int64) for rows in sets.values())


Regions = tuple[tuple[str, ...], tuple[str, ...]]  # the regions and the iterations that a count adds up


def _expanded(counts: Columns, places: Sequence[int], crosswalk: Crosswalk) -> list[Regions]:
    """The codes of its release that each count adds up."""
    _, region, iteration = GROUP
    return [
        (crosswalk.codes(place, region, str(one)), crosswalk.codes(place, iteration, str(other)))
        for one, other, place in zip(counts[region], counts[iteration], places, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Counted:
    """All counts. columns, places, groups: the columns, the release and the codes of each. numbers: its statistic.

    kinds: of each statistic.
    """

    columns: Columns
    places: Int64s
    groups: Sequence[Regions]
    numbers: Int64s
    kinds: Sequence[str]


def _terms(counted: _Counted, attributes: Column, ladders: Ladders) -> tuple[LadderTerms, ...]:
    """The counts of all statistics, by ladder: of statistics and second ratios, then what these are compared with.

    attributes: of quantiles.
    """
    tables, made = np.array(counted.columns[TABLE], dtype=object), []
    for number, ladder in ((number, ladder) for number, own in enumerate(ladders) for ladder in own.values()):
        places = np.flatnonzero((tables == ladder.ladder.name) & (counted.places == number))
        own = {column: [values[place] for place in places.tolist()] for column, values in counted.columns.items()}
        quantiles = [
            _quantile_of(ladder, attributes[statistic]) if counted.kinds[statistic] == "quantile" else None
            for statistic in counted.numbers[places].tolist()
        ]
        terms, cells = _ladder_terms(ladder, own, quantiles)
        terms = terms.append_column("statistic_number", pa.array(counted.numbers[places], pa.int64()))
        terms = terms.append_column("is_other", pa.array(places >= len(counted.kinds)))
        terms = _of_codes(terms, [counted.groups[place] for place in places.tolist()])
        made.append(LadderTerms(number, ladder.ladder.name, terms, cells))
    return tuple(made)


def _of_codes(terms: pa.Table, groups: Sequence[Regions]) -> pa.Table:
    """The counts, a row for each of the groups that they add up; numbered."""
    listed = [(row, *both) for row, codes in enumerate(groups) for both in product(*codes)]
    rows, regions, iterations = (list(each) for each in zip(*listed, strict=True)) if listed else ([], [], [])
    found = terms.take(pa.array(rows, pa.int64()))
    for name, values in (("region_id", regions), ("iteration_code", iterations)):
        found = found.set_column(found.column_names.index(name), name, pa.array(values, pa.string()))
    return found.append_column("term_number", pa.array(range(len(rows)), pa.int64()))


def _of_counts(by_prefix: Mapping[str, Sequence[Value]], firsts: Int64s, pairs: Int64s) -> list[Value]:
    """A value for each count, of the values by prefix."""
    one, other, second, second_other = (by_prefix[prefix] for prefix in PREFIXES)
    ones = [*one, *(second[row] for row in firsts.tolist())]
    others = [*other, *(second_other[row] for row in firsts.tolist())]
    return [*ones, *(others[place] for place in pairs.tolist())]


def _same(counted: _Counted, runs: Sequence[int], pairs: Int64s) -> Iterator[int]:
    """The statistics whose counts are asked for in the same words, in one run."""
    unlike = (RELEASE, *GROUP[1:])
    listed: list[Sequence[object]] = [
        [None if text == ALL else text for text in texts]
        for name, texts in counted.columns.items()
        if name not in unlike
    ]
    listed.append(counted.groups)
    for place, number in enumerate(pairs.tolist(), start=len(counted.kinds)):
        if runs[number] == runs[place] and all(values[number] == values[place] for values in listed):
            yield number


def _ladder_terms(ladder: LadderColumns, counts: Columns, quantiles: Column) -> tuple[pa.Table, pa.Table]:
    """Tables `asked_terms`, but for which statistic each count is of, and `asked_cells`."""
    numbers: dict[tuple[Texts, str | None], int] = {}
    asked = zip(zip(*(counts[column] for column in ladder.names), strict=True), quantiles, strict=True)
    own = [numbers.setdefault(each, len(numbers)) for each in asked]
    rows = [ladder.row_id(texts) for texts, _ in numbers]
    terms = {name.lower(): pa.array(counts[name], pa.string()) for name in GROUP}
    terms["condition_number"] = pa.array(own, pa.int64())
    terms["row_id"] = pa.array([rows[number] for number in own], pa.int32())
    return pa.table(terms), ladder.cells([Condition(*each) for each in numbers])
