"""A table of wanted statistics, CSV or Parquet: read, checked, and taken apart into the counts that they consist of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import stacked_table
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.kit.words import counted
from safetab_sql.public.gate import Public, public_file
from safetab_sql.public.text_files import text_table
from safetab_sql.settings.budgets import exact_decimal
from safetab_sql.statistics.evaluator import Asked
from safetab_sql.statistics.names import ALL, LadderColumns, NamedReleases, Names, Texts, meant, names_of

KINDS = ("count", "difference", "ratio", "growth", "quantile", "ratio_difference", "rank")
GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
NAMES = {"REGION_ID": "REGION_NAME", "ITERATION_CODE": "ITERATION_NAME"}  # what may stand in place of a code
RELEASE, TABLE = "RELEASE", "TABLE"  # of a count, and its ladder
ATTRIBUTE, AMONG = "ATTRIBUTE", "AMONG"  # what a quantile is of; the set in which a count is ranked
PREFIXES = ("", "OTHER_", "SECOND_", "SECOND_OTHER_")  # of the counts that a statistic consists of
_BEFORE, _LIKE = (0, 0, 0, 2), (0, 0, 0, 1)  # by prefix, whose release, ladder and group a count has; whose values
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
# Counts of the same statistic that are compared, by prefix, and the kinds of statistics that do.
_ALIKE = {(0, 1): ("difference", "growth"), (0, 2): (_TWO_RATIOS,), (1, 3): (_TWO_RATIOS,)}

Column = Sequence[str | None]
Columns = Mapping[str, Column]


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


@dataclass(frozen=True, slots=True)
class _Given:
    """A table as it is read. where: what messages call it. ladders: of each release, by name.

    columns: KIND, SHARE, ATTRIBUTE and AMONG, of each row; all others of each count: first the counts of the first
    prefix, of all rows, then the counts of the second one, ... So has `places`, the release of each count.
    """

    where: str
    ladders: Sequence[Mapping[str, LadderColumns]]
    columns: Columns
    places: Sequence[int] = ()

    @property
    def kinds(self) -> Column:
        """Of each row."""
        return self.columns["KIND"]

    def tables(self) -> list[LadderColumns | None]:
        """The ladder of each count; None where its release has none of that name."""
        named = zip(self.places, self.columns[TABLE], strict=True)
        return [self.ladders[place].get(table or "") for place, table in named]

    def usual(self, name: str, blocks: Sequence[int]) -> list[str | None]:
        """A column of counts; of those without a text, the one of the prefix that `blocks` has for theirs."""
        texts, size = list(self.columns[name]), len(self.kinds)
        for count in range(size, len(texts)):
            texts[count] = texts[count] or texts[blocks[count // size] * size + count % size]
        return texts

    def unusable(self, name: str, wrong: Sequence[bool], fix: str, shown: Sequence[str] = ()) -> Iterator[Problem]:
        """The problems of the rows, or counts by prefix, that are wrong. shown: the columns whose values are shown."""
        size, found = len(self.kinds), dict[str, list[int]]()
        for count in np.flatnonzero(wrong).tolist():
            found.setdefault(PREFIXES[count // size], []).append(count)
        for prefix, counts in found.items():
            texts = [[self.columns[each][count] for each in shown or (name,)] for count in counts[:3]]
            said = [" to ".join("nothing" if text is None else repr(text[:40]) for text in own) for own in texts]
            rows = ", ".join(f"row {count % size + 1}: {own}" for count, own in zip(counts, said, strict=False))
            what = f"{counted(len(counts), 'value', 'values')} cannot be used; {rows}"
            yield Problem(f"{self.where} {prefix}{name}", what, fix)


def wanted_statistics(given: object, releases: NamedReleases) -> WantedStatistics:
    """The wanted statistics in a file or a table, of these releases. Raises: InputError with every problem."""
    ladders = [
        {ladder.name: LadderColumns(facts.parameters, ladder) for ladder in facts.parameters.ladders}
        for facts in releases.facts
    ]
    columns_of_ladders = (name for own in ladders for ladder in own.values() for name in ladder.names)
    of_term = (RELEASE, TABLE, *GROUP, *dict.fromkeys(columns_of_ladders))
    of_count, of_row = (*of_term, *NAMES.values()), ("KIND", "SHARE", ATTRIBUTE, AMONG)
    where, table = _table(given, ("KIND", *(prefix + name for prefix in PREFIXES for name in of_count), *of_row[1:]))
    none, found = [None] * table.num_rows, {*table.column_names}

    def column(name: str) -> Column:
        return table[name].cast(pa.string()).to_pylist() if name in found else none

    counts = {name: [*chain.from_iterable(column(prefix + name) for prefix in PREFIXES)] for name in of_count}
    read = _with_places(_Given(where, ladders, {name: column(name) for name in of_row} | counts), releases)
    read = _with_codes(read, [names_of([folder.folder]) for folder in releases.folders])
    read = _with_values(_with_groups(read))
    refuse(list(dict.fromkeys(_problems(read))))
    asked = _asked(read)
    pairs = np.flatnonzero(asked.is_pair)
    ones = np.concatenate([np.arange(table.num_rows), 2 * table.num_rows + asked.firsts])
    others = ones[pairs] + table.num_rows  # of the prefix behind
    numbers = np.concatenate([np.arange(len(asked.kinds)), pairs]).astype(np.int64)
    terms = tuple(_terms(read, asked.kinds, np.concatenate([ones, others]), numbers))
    same = _same(read, of_term[1:], ones[pairs], others)
    asked = replace(asked, apart=frozenset(_apart(terms, asked)), same=frozenset(pairs[same].tolist()))
    return WantedStatistics(where, table, asked, terms)


def _asked(given: _Given) -> Asked:
    """The statistics of all rows, and behind them second ratios."""
    kinds, shares = given.kinds, given.columns["SHARE"]
    of_rows = [_share(text) if kind == "quantile" else None for kind, text in zip(kinds, shares, strict=True)]
    firsts = np.array([row for row, kind in enumerate(kinds) if kind == _TWO_RATIOS], dtype=np.int64)
    own = ["ratio" if kind == _TWO_RATIOS else kind or "" for kind in kinds] + ["ratio"] * firsts.size
    seconds = len(kinds) + np.arange(firsts.size, dtype=np.int64)
    return Asked(own, [*of_rows, *[None] * firsts.size], firsts, seconds, _ranked(given))


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


def _with_places(given: _Given, releases: NamedReleases) -> _Given:
    """The table with the release of each count. Raises: InputError where a name means none, or several."""
    texts = given.usual(RELEASE, _BEFORE)
    known = {text: releases.place(text) for text in set(texts)}
    is_named = [count < len(given.kinds) or bool(text) for count, text in enumerate(given.columns[RELEASE])]
    wrong = [known[text] is None and so for text, so in zip(texts, is_named, strict=True)]
    refuse(list(given.unusable(RELEASE, wrong, releases.fix())))
    return replace(given, places=[known[text] or 0 for text in texts])


def _with_codes(given: _Given, names: Sequence[Names]) -> _Given:
    """The table with the codes of what is named and has none. Raises: InputError where nothing has a name."""
    made, types = dict(given.columns), given.usual("REGION_TYPE", (0, 0, 0, 0))
    for column, called in NAMES.items():
        found, fixes = list(given.columns[column]), dict[int, str]()
        named = [(count, name) for count, name in enumerate(given.columns[called]) if name and not found[count]]
        for count, name in named:
            codes, fix = meant(names[given.places[count]], called, name, (types[count],))
            found[count] = codes[column] if codes and codes.get("REGION_TYPE", types[count]) == types[count] else None
            fixes |= {} if found[count] else {count: fix}
        wrong = [count in fixes for count in range(len(found))]
        refuse(list(given.unusable(called, wrong, "; ".join(dict.fromkeys(fixes.values())))))
        made[column] = found
    return replace(given, columns=made)


def _with_groups(given: _Given) -> _Given:
    """The table; a count has the ladder and the group of the one before it, where it names none.

    Where its release has no such ladder, it has the only one of its release.
    """
    size, places, tables = len(given.kinds), given.places, list(given.columns[TABLE])
    only = [next(iter(own)) if len(own) == 1 else None for own in given.ladders]
    for count, place in enumerate(places):
        before = _BEFORE[count // size] * size + count % size
        usual = tables[before]
        is_known = count >= size and (place == places[before] or usual in given.ladders[place])
        tables[count] = tables[count] or (usual if is_known else only[place] or usual)
    groups = {name: given.usual(name, _BEFORE) for name in GROUP}
    return replace(given, columns={**given.columns, TABLE: tables, **groups})


def _with_values(given: _Given) -> _Given:
    """The table; a count whose release is named has the values of the count that it is compared with, if no others.

    So has a count that a sum is divided by: a mean is of the same records. Others stay as they are.
    """
    made, size = {name: list(column) for name, column in given.columns.items()}, len(given.kinds)
    tables = given.tables()
    for count in range(size, len(given.places)):
        like, releases = _LIKE[count // size] * size + count % size, [made[RELEASE][count]]
        if count >= 3 * size:  # of a second ratio of another release
            releases.append(made[RELEASE][count - size])
        own, first = tables[count], tables[like]
        is_like = own and first and (any(releases) or own.ladder.sum != first.ladder.sum)
        for attribute in own.attributes if own and is_like else ():
            names = [name for name in attribute.publish if first and name in first.names]
            if len(names) == len(attribute.publish) and not any(made[name][count] for name in names):
                for name in names:
                    made[name][count] = made[name][like]
    return replace(given, columns=made)


def _problems(given: _Given) -> Iterator[Problem]:
    """What cannot be asked for, by column, each with the first rows."""
    kinds, columns, ladders = given.kinds, given.columns, given.ladders
    yield from given.unusable("KIND", [kind not in KINDS for kind in kinds], f"write one of {', '.join(KINDS)}")
    for name in GROUP:
        wrong = [value is None for value in columns[name][: len(kinds)]]
        yield from given.unusable(name, wrong, "name the group of each statistic")
    tables, firsts = given.tables(), [*columns[TABLE][: len(kinds)]] * len(PREFIXES)
    named = enumerate(zip(tables, columns[TABLE], firsts, strict=True))
    is_odd = [table is None and (count < len(kinds) or name != first) for count, (table, name, first) in named]
    for number, own in enumerate(ladders):
        wrong = [so and place == number for so, place in zip(is_odd, given.places, strict=True)]
        yield from given.unusable(TABLE, wrong, f"the release has {', '.join(own)}: name one of them")
        yield from _unknown_values(given, own, tables)
    of_rows = zip(kinds, tables, columns[ATTRIBUTE], strict=False)
    wrong = [kind == "quantile" and own is not None and _quantile_of(own, name) is None for kind, own, name in of_rows]
    numbers = {name: None for own in ladders for ladder in own.values() for name in ladder.numbers}
    fix = f"name the attribute of whole numbers of which a quantile is wanted: {', '.join(numbers) or 'there is none'}"
    yield from given.unusable(ATTRIBUTE, wrong, fix)
    yield from _unlike(given)
    wrong = [value is not None and _share(value) is None for value in columns["SHARE"]]
    yield from given.unusable("SHARE", wrong, "write a decimal above 0 and below 1")


def _unlike(given: _Given) -> Iterator[Problem]:
    """Sums that are compared with counts, or with sums of another column or clamp; a ratio may have both."""
    size = len(given.kinds)
    found = [own and own.ladder.sum for own in given.tables()]
    wrong = [False for _ in found]
    for (one, other), compared in _ALIKE.items():
        for row, kind in enumerate(given.kinds):
            wrong[other * size + row] |= kind in compared and found[one * size + row] != found[other * size + row]
    for ranked in _ranked(given):
        for row in ranked.tolist():
            wrong[row] |= found[row] != found[ranked[0]]
    fix = "compare counts with counts, and sums of one column with one clamp; a ratio may divide a sum by a count"
    yield from given.unusable(TABLE, wrong, fix)


def _unknown_values(
    given: _Given, ladders: Mapping[str, LadderColumns], tables: Sequence[LadderColumns | None]
) -> Iterator[Problem]:
    """The values of attributes that the ladder of a count has not, or columns that it has not. ladders: of a release.

    tables: the ladder of each count.
    """
    columns = given.columns
    for name, ladder in ladders.items():
        is_own = [table is ladder for table in tables]
        for attribute in ladder.attributes:
            listed = list(zip(*(columns[column] for column in attribute.publish), strict=True))
            is_known = {texts: ladder.values(attribute, texts) != frozenset() for texts in set(listed)}
            wrong = [is_so and not is_known[texts] for is_so, texts in zip(is_own, listed, strict=True)]
            yield from given.unusable(attribute.publish[0], wrong, ladder.fix(attribute), attribute.publish)
        others = dict.fromkeys(each for other in ladders.values() for each in other.names if each not in ladder.names)
        for column in others:
            wrong = [so and text not in (None, ALL) for so, text in zip(is_own, columns[column], strict=True)]
            yield from given.unusable(column, wrong, f"TABLE {name} has no column {column}")


def _quantile_of(ladder: LadderColumns, name: str | None) -> str | None:
    """The attribute of which a quantile is: the one that is named, or the only one of whole numbers."""
    if name is None:
        return ladder.numbers[0] if len(ladder.numbers) == 1 else None
    return name if name in ladder.numbers else None


def _share(text: str | None) -> Fraction | None:
    """A share of a quantile, one half where none is named; None where it is none."""
    share = exact_decimal(text or _HALF)
    return share if share is not None and 0 < share < 1 and share.denominator <= MOST_BINS_SHARE else None


def _ranked(given: _Given) -> tuple[Int64s, ...]:
    """The rows of each set of counts that are ranked: all of one release with the same text in AMONG."""
    sets: dict[tuple[int, str | None], list[int]] = {}
    for row, (kind, among) in enumerate(zip(given.kinds, given.columns[AMONG], strict=True)):
        if kind == "rank":
            sets.setdefault((given.places[row], among), []).append(row)
    return tuple(np.array(rows, dtype=np.int64) for rows in sets.values())


def _terms(given: _Given, kinds: Sequence[str], chosen: Int64s, numbers: Int64s) -> Iterator[LadderTerms]:
    """Tables `asked_terms` and `asked_cells` of each ladder, in the order of the counts.

    kinds: of each statistic. chosen: its first count in its place; behind all of these, the other ones of pairs.
    numbers: the statistic of each of these counts.
    """
    columns, releases = given.columns, np.array(given.places, dtype=np.int64)[chosen]
    tables = np.array(columns[TABLE], dtype=object)[chosen]
    for number, ladder in ((number, ladder) for number, own in enumerate(given.ladders) for ladder in own.values()):
        places = np.flatnonzero((tables == ladder.ladder.name) & (releases == number))
        counts = chosen[places].tolist()
        own = {name: [columns[name][count] for count in counts] for name in (*GROUP, *ladder.names)}
        quantiles = [
            _quantile_of(ladder, columns[ATTRIBUTE][statistic]) if kinds[statistic] == "quantile" else None
            for statistic in numbers[places].tolist()
        ]
        conditions: dict[tuple[Texts, str | None], int] = {}
        asked = zip(zip(*(own[column] for column in ladder.names), strict=True), quantiles, strict=True)
        of_term = [conditions.setdefault(each, len(conditions)) for each in asked]
        rows = [ladder.row_id(texts) for texts, _ in conditions]
        wanted = numbers[places], places >= len(kinds), *(own[name] for name in GROUP)
        values = of_term, [rows[condition] for condition in of_term], pa.repeat(1, places.size)
        terms = stacked_table("asked_terms", [(*wanted, *values, range(places.size))])
        yield LadderTerms(number, ladder.ladder.name, terms, ladder.cells(list(conditions)))


def _same(given: _Given, names: Sequence[str], ones: Int64s, others: Int64s) -> list[bool]:
    """Whether two counts are asked for in the same words, of one release. names: of columns."""
    listed = [[None if text == ALL else text for text in given.columns[name]] for name in names]
    compared = [given.places, *listed]
    both = zip(ones.tolist(), others.tolist(), strict=True)
    return [all(values[one] == values[other] for values in compared) for one, other in both]


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
