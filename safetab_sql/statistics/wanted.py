"""A table of wanted statistics, CSV or Parquet: read, checked, and taken apart into the counts that they consist of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.kit.words import counted
from safetab_sql.public.gate import Public, public_file
from safetab_sql.public.text_files import text_table
from safetab_sql.settings.markers import exact_decimal
from safetab_sql.statistics.evaluator import Asked
from safetab_sql.statistics.names import ALL, LadderColumns, NamedReleases, Names, Texts, meant, names_of

KINDS = ("count", "difference", "ratio", "growth", "quantile", "ratio_difference", "rank")
GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
NAMES = {"REGION_ID": "REGION_NAME", "ITERATION_CODE": "ITERATION_NAME"}  # what may stand in place of a code
RELEASE, TABLE = "RELEASE", "TABLE"  # of a count, and its ladder
ATTRIBUTE, AMONG = "ATTRIBUTE", "AMONG"  # what a quantile is of; the set in which a count is ranked
PREFIXES = ("", "OTHER_", "SECOND_", "SECOND_OTHER_")  # of the counts that a statistic consists of
_BEFORE = {"OTHER_": "", "SECOND_": "", "SECOND_OTHER_": "SECOND_"}  # whose release, ladder and group a count has
_LIKE = {"OTHER_": "", "SECOND_": "", "SECOND_OTHER_": "OTHER_"}  # whose values a count of another release has
ANSWERS = ("ESTIMATE", "LOW", "HIGH", "P_VALUE", "NOTE")
ADJUSTED = ("P_ADJUSTED", "LOW_ADJUSTED", "HIGH_ADJUSTED")
MOST_BINS_SHARE = 1_000  # of a quantile: a share with a larger denominator is refused
_FIX = f"write columns KIND ({', '.join(KINDS)}), {', '.join(GROUP)}; docs/reference/files.md lists the others"
_GIVE = (
    "give a path, an Arrow table or record batch reader, a DuckDB relation, or a DataFrame of pandas (2.2 or later) or "
    "Polars (1.0 or later)"
)
_HALF = "0.5"
# How like a name that has a meaning a column may not be: REGIONID is, REGION_NAME is a column of its own.
_MISSPELT = 0.9
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
    ratios is a ratio here, and its second ratio is another.
    """

    where: str
    table: pa.Table
    asked: Asked
    ladders: tuple[LadderTerms, ...]


def wanted_statistics(given: object, releases: NamedReleases) -> WantedStatistics:
    """The wanted statistics in a file or a table, of these releases.

    Raises: InputError with every problem.
    """
    ladders = [
        {ladder.name: LadderColumns(facts.parameters, ladder) for ladder in facts.parameters.ladders}
        for facts in releases.facts
    ]
    columns_of_ladders = (name for own in ladders for ladder in own.values() for name in ladder.names)
    of_term = (RELEASE, TABLE, *GROUP, *dict.fromkeys(columns_of_ladders))
    of_counts = (prefix + name for prefix in PREFIXES for name in (*of_term, *NAMES.values()))
    names = ("KIND", *of_counts, "SHARE", ATTRIBUTE, AMONG)
    where, table = _table(given, names)
    none, found = [None] * table.num_rows, {*table.column_names}
    columns: Columns = {name: table[name].cast(pa.string()).to_pylist() if name in found else none for name in names}
    places = _places(where, columns, releases)
    columns = _with_codes(where, columns, places, [names_of([folder.folder]) for folder in releases.folders])
    columns = _with_values(_with_groups(columns, places, ladders), places, ladders)
    refuse(list(dict.fromkeys(_problems(where, columns, places, ladders))))
    asked = _asked(columns, places)
    pairs = np.flatnonzero(asked.is_pair)
    of_releases = _of_counts(places, asked.firsts, pairs)
    counts = {
        name: _of_counts({prefix: columns[prefix + name] for prefix in PREFIXES}, asked.firsts, pairs)
        for name in of_term
    }
    numbers = np.concatenate([np.arange(len(asked.kinds)), pairs]).astype(np.int64)
    counted = _Counted(counts, np.array(of_releases, dtype=np.int64), numbers, asked.kinds)
    terms = _terms(counted, columns[ATTRIBUTE], ladders)
    asked = replace(asked, apart=frozenset(_apart(terms, asked)), same=frozenset(_same(counted, pairs)))
    return WantedStatistics(where, table, asked, terms)


def _asked(columns: Columns, places: Places) -> Asked:
    """The statistics of all rows, and behind them second ratios."""
    kinds, size = columns["KIND"], len(columns["KIND"])
    of_rows = [
        _share(share) if kind == "quantile" else None for kind, share in zip(kinds, columns["SHARE"], strict=True)
    ]
    firsts = np.array([row for row, kind in enumerate(kinds) if kind == _TWO_RATIOS], dtype=np.int64)
    own = ["ratio" if kind == _TWO_RATIOS else kind or "" for kind in kinds] + ["ratio"] * firsts.size
    seconds = size + np.arange(firsts.size, dtype=np.int64)
    return Asked(own, [*of_rows, *[None] * firsts.size], firsts, seconds, _ranked(columns, places))


def _table(given: object, names: Sequence[str]) -> tuple[str, pa.Table]:
    """What messages call a table, and itself. Raises: InputError where columns are missing, or are answers already."""
    is_path = isinstance(given, str | Path)
    where = str(given) if is_path else f"wanted (a {type(given).__name__})"
    table = _read(public_file("wanted", str(given))) if is_path else _handed_over(where, given)
    missing = [name for name in ("KIND", *GROUP) if not {name, NAMES.get(name, name)} & {*table.column_names}]
    taken = [name for name in ANSWERS if name in table.column_names]
    lacks = f"missing columns {', '.join(missing)}"
    has = f"has columns {', '.join(taken)}, which the answers will have"
    refuse([Problem(where, lacks, _FIX)] if missing else [])
    refuse([Problem(where, has, "rename them")] if taken else [])
    lacking = {name.upper(): name for name in names if name not in table.column_names}
    # Columns whose names are like one that has a meaning and is not there: they would be passed over.
    near = {name: nearest(name.upper(), lacking, _MISSPELT) for name in table.column_names if name not in names}
    refuse(
        [
            Problem(f"{where} {name}", "has no meaning here", f"did you mean {lacking[meant]}? Else rename it")
            for name, meant in near.items()
            if meant is not None
        ]
    )
    return where, table


def _read(public: Public) -> pa.Table:
    path = public.path
    try:
        return parquet.read_table(path) if path.suffix == ".parquet" else text_table(path)
    except (OSError, pa.ArrowException) as error:
        what = "cannot be read" if isinstance(error, OSError) else "no table"
        raise InputError([Problem(str(path), f"{what}: {error}", "name a CSV or Parquet file")]) from error


def _handed_over(where: str, given: object) -> pa.Table:
    """All rows of a table that Python holds: Arrow's, or of anything that gives Arrow data. Raises: InputError."""
    if not hasattr(given, "__arrow_c_stream__"):
        raise InputError([Problem(where, "is neither a path nor a table", _GIVE)])
    try:
        return pa.RecordBatchReader.from_stream(given).read_all()
    except (pa.ArrowException, duckdb.Error, TypeError, ValueError) as error:
        said = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError([Problem(where, f"cannot be read: {said}", "each column needs values of one type")]) from error


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


def _with_codes(where: str, columns: Columns, places: Places, names: Sequence[Names]) -> Columns:
    """The columns with the codes of what is named and has none. Raises: InputError where nothing has a name."""
    made, types = dict(columns), columns["REGION_TYPE"]
    for prefix, (column, called) in product(PREFIXES, NAMES.items()):
        found, fixes = list(columns[prefix + column]), dict[int, str]()
        own = [one or other for one, other in zip(columns[prefix + "REGION_TYPE"], types, strict=True)]
        for row, name in [(row, name) for row, name in enumerate(columns[prefix + called]) if name and not found[row]]:
            codes, fix = meant(names[places[prefix][row]], called, name, (own[row],))
            found[row] = codes[column] if codes and codes.get("REGION_TYPE", own[row]) == own[row] else None
            fixes |= {} if found[row] else {row: fix}
        wrong = [row in fixes for row in range(len(found))]
        refuse(list(_unusable(where, columns, prefix + called, wrong, "; ".join(dict.fromkeys(fixes.values())))))
        made[prefix + column] = found
    return made


def _with_groups(columns: Columns, places: Places, ladders: Ladders) -> Columns:
    """The columns; a count has the ladder and the group of the one before it, where it names none.

    Where its release has no such ladder, it has the only one of its release.
    """
    only = [next(iter(own)) if len(own) == 1 else None for own in ladders]
    made = {**columns, TABLE: [text or only[place] for text, place in zip(columns[TABLE], places[""], strict=True)]}
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

    So has a count that a sum is divided by: a mean is of the same records. Others stay as they are.
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
        for column in dict.fromkeys(
            each for other in ladders.values() for each in other.names if each not in ladder.names
        ):
            texts = columns[prefix + column]
            wrong = [is_so and text not in (None, ALL) for is_so, text in zip(is_own, texts, strict=True)]
            yield from _unusable(where, columns, prefix + column, wrong, f"TABLE {name} has no column {column}")


def _unusable(
    where: str, columns: Columns, name: str, wrong: Sequence[bool], fix: str, shown_columns: Sequence[str] = ()
) -> Iterator[Problem]:
    """The problem of the rows that are wrong, if any are. shown_columns: the columns whose values are shown."""
    rows = [row for row, is_wrong in enumerate(wrong) if is_wrong]
    if rows:
        texts = {
            row + 1: " to ".join(
                "nothing" if (text := columns[each][row]) is None else repr(text[:40])
                for each in shown_columns or (name,)
            )
            for row in rows[:3]
        }
        shown = ", ".join(f"row {number}: {text}" for number, text in texts.items())
        yield Problem(f"{where} {name}", f"{counted(len(rows), 'value', 'values')} cannot be used; {shown}", fix)


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


@dataclass(frozen=True, slots=True)
class _Counted:
    """All counts. columns, places: the columns and the release of each. numbers: its statistic.

    kinds: of each statistic, whose first count stands in its place; the other ones of pairs stand behind all of these.
    """

    columns: Columns
    places: Int64s
    numbers: Int64s
    kinds: Sequence[str]


def _terms(counted: _Counted, attributes: Column, ladders: Ladders) -> tuple[LadderTerms, ...]:
    """Tables `asked_terms` and `asked_cells` of each ladder, in the order of `_of_counts`. attributes: of quantiles."""
    tables, made = np.array(counted.columns[TABLE], dtype=object), []
    for number, ladder in ((number, ladder) for number, own in enumerate(ladders) for ladder in own.values()):
        places = np.flatnonzero((tables == ladder.ladder.name) & (counted.places == number))
        own = {column: [values[place] for place in places.tolist()] for column, values in counted.columns.items()}
        quantiles = [
            _quantile_of(ladder, attributes[statistic]) if counted.kinds[statistic] == "quantile" else None
            for statistic in counted.numbers[places].tolist()
        ]
        conditions: dict[tuple[Texts, str | None], int] = {}
        asked = zip(zip(*(own[column] for column in ladder.names), strict=True), quantiles, strict=True)
        of_term = [conditions.setdefault(each, len(conditions)) for each in asked]
        rows = [ladder.row_id(texts) for texts, _ in conditions]
        terms = {
            **{name.lower(): pa.array(own[name], pa.string()) for name in GROUP},
            "condition_number": pa.array(of_term, pa.int64()),
            "row_id": pa.array([rows[condition] for condition in of_term], pa.int32()),
            "statistic_number": pa.array(counted.numbers[places], pa.int64()),
            "is_other": pa.array(places >= len(counted.kinds)),
            "times": pa.repeat(1, places.size),
            "term_number": pa.array(range(places.size), pa.int64()),
        }
        made.append(LadderTerms(number, ladder.ladder.name, pa.table(terms), ladder.cells(list(conditions))))
    return tuple(made)


def _of_counts(by_prefix: Mapping[str, Sequence[Value]], firsts: Int64s, pairs: Int64s) -> list[Value]:
    """A value for each count, of the values by prefix."""
    one, other, second, second_other = (by_prefix[prefix] for prefix in PREFIXES)
    ones = [*one, *(second[row] for row in firsts.tolist())]
    others = [*other, *(second_other[row] for row in firsts.tolist())]
    return [*ones, *(others[place] for place in pairs.tolist())]


def _same(counted: _Counted, pairs: Int64s) -> Iterator[int]:
    """The statistics whose counts are asked for in the same words, of one release."""
    listed = [
        [None if text == ALL else text for text in texts] for name, texts in counted.columns.items() if name != RELEASE
    ]
    listed.append(counted.places.tolist())
    for place, number in enumerate(pairs.tolist(), start=len(counted.kinds)):
        if all(values[number] == values[place] for values in listed):
            yield number


def _apart(ladders: Sequence[LadderTerms], asked: Asked) -> Iterator[int]:
    """The first ratios of differences that have no group of one release and ladder in common with the second.

    Noise of different groups is independent, as is noise of different runs, or ladders.
    """
    groups: dict[int, set[tuple[object, ...]]] = {}
    for own in ladders:
        names = ("statistic_number", *(name.lower() for name in GROUP))
        for number, *group in zip(*(own.terms[name].to_pylist() for name in names), strict=True):
            groups.setdefault(number, set()).add((own.release, own.ladder, *group))
    for first, second in zip(asked.firsts.tolist(), asked.seconds.tolist(), strict=True):
        if groups.get(first, set()).isdisjoint(groups.get(second, set())):
            yield first
