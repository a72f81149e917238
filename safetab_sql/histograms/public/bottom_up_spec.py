"""The TOML spec of `bottom-up`, with all problems at once; configs/bottom-up.toml has every key, with comments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from safetab_sql.histograms.public.domains import (
    MOST_CELLS,
    Columns,
    Domain,
    Domains,
    Margin,
    Weight,
    above_zero,
    cell_count,
    columns_of,
    domains_of,
    margin,
    reference_table,
    taken_columns,
)
from safetab_sql.histograms.public.spending import NOT_PRIVATE, Budget, HistogramCall
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.words import exact_text
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL, Confidential, Public, public_file
from safetab_sql.public.inputs import attempt
from safetab_sql.settings.about import NOTHING_SAID, About
from safetab_sql.settings.budgets import LARGEST_BUDGET, exact_decimal
from safetab_sql.settings.markers import Base, Switch, Word, Words, called, decimal
from safetab_sql.settings.reading import Document, read_as, read_toml
from safetab_sql.settings.tables import INLINE, depending, sized, table
from safetab_sql.settings.unit import RECORDS, AnyRecords

MOST_ROWS = 2**25  # rows of all margins together, which are held in memory
MOST_CALIBRATED_CELLS = 2**24  # calibration holds every cell in memory
SMALLEST_EPSILON = Fraction(1, 10_000)  # for one unit of weight; wider noise cannot be drawn from tables
_MOST_WEIGHT = 10**9
_ABOUT_MOST = f"write from 1 to {_MOST_WEIGHT} times weight_unit, which is 1 if absent"
_ColumnsOrNone = Annotated[tuple[str, ...], depending(lambda value: value == [], tuple[str, ...], Columns)]
_FileName = Annotated[
    str,
    called("a file", "[a-z][a-z0-9_-]{0,63}", "use lower-case letters, digits, - and _, a letter first, at most 64"),
]


@table
class WrittenInvariant:
    """A table of public totals."""

    columns: Annotated[
        _ColumnsOrNone, "columns of the file of totals, all of them columns of the next set; none: a sum of all"
    ]
    totals: Annotated[Words, "a public file, Parquet or CSV, beside this one"]
    total_column: Annotated[Words, "its column that holds the totals"] = "TOTAL"


@table
class BottomUpFile:
    """The keys of a specification of `bottom-up`."""

    epsilon: Annotated[
        Fraction, above_zero(LARGEST_BUDGET), "loss of the protected `unit`, pure DP, for everything"
    ] = Fraction(1)
    weight_column: Annotated[Word, "count this column of numbers, cut off below 0 and above maximum_weight"] = None
    maximum_weight: Annotated[
        Fraction | None,
        decimal(0, _MOST_WEIGHT, _ABOUT_MOST, without_least=True),
        "by how much a record changes a count; required with weight_column",
    ] = None
    weight_unit: Annotated[Fraction, above_zero(1), "weights are rounded to multiples of it"] = Fraction(1)
    sampling_rate: Annotated[Fraction | None, above_zero(1), "the chance of each record to be in a secret sample"] = (
        None
    )
    publish_cells: Annotated[Switch, "true: also every cell whose noisy count is not 0"] = False
    domains: Domains = ()
    margins: Annotated[
        Mapping[_FileName, _ColumnsOrNone],
        "by name of the file: the columns that its rows are by; [] for the sum of all",
    ] = field(default_factory=dict, hash=False)
    invariants: Annotated[
        tuple[WrittenInvariant, ...],
        sized(0, fix="write [[invariants]]"),
        "public totals that the cells are made to meet exactly",
    ] = ()
    unit: AnyRecords = RECORDS
    about: Annotated[About, INLINE] = NOTHING_SAID
    base: Base = None
    required: ClassVar = ("epsilon", "domains")


@dataclass(frozen=True, slots=True)
class Invariant:
    """Public totals of the margin by `columns`, from column total_column of a public file."""

    columns: tuple[str, ...]
    file: Public
    total_column: str


@dataclass(frozen=True, slots=True)
class BottomUpSpec:
    """The specification of a histogram to publish: what its file says, and what that names.

    invariants: coarsest first; the columns of each are among the columns of the next. references: of the domains.
    """

    said: BottomUpFile
    file: Public
    domains: tuple[Domain, ...]
    references: tuple[Public, ...]
    margins: tuple[Margin, ...]
    weight: Weight | None
    invariants: tuple[Invariant, ...]

    @property
    def sensitivity(self) -> int:
        """The most by which what is protected changes the counts of all cells together, in units."""
        return self.said.unit.bound(1, "puredp") * (1 if self.weight is None else self.weight.maximum)

    @property
    def call(self) -> HistogramCall:
        """The only call of the mechanism; its counts are in units of weight, where these are fractions."""
        name = "cells" if self.unit == 1 else f"cells, in units of {exact_text(self.unit)}"
        return HistogramCall(name, cell_count(self.domains), self.said.epsilon, self.sensitivity)

    @property
    def budget(self) -> Budget:
        """What a run spends."""
        return Budget("puredp", self.said.epsilon, self.said.unit, (self.call,), NOT_PRIVATE if self.invariants else "")

    @property
    def unit(self) -> Fraction:
        """What one unit of a count is: 1 record, or the unit of the weights."""
        return Fraction(1) if self.weight is None else self.weight.unit


def load_bottom_up_spec(path: Path, records: Confidential = NOTHING_CONFIDENTIAL) -> BottomUpSpec:
    """The spec in the TOML file `path`. Raises: InputError with every problem. Source: histograms.md section 2.

    records: of the command; no file that the spec names may be one of theirs.
    """
    public = public_file("spec", path, records)
    document = read_toml(path)
    read = read_as(BottomUpFile, document)
    file, problems = read.found, list(read.problems)
    weight = _weight(document, file, problems)
    domains, references = domains_of(document, file.domains, problems, records)
    problems += _unknown_columns(document, file, domains)
    known = set(columns_of(domains))
    invariants = [each for each in file.invariants if set(each.columns) <= known]
    margins = [margin(name, columns, domains) for name, columns in file.margins.items() if set(columns) <= known]
    totals = _invariants(document, invariants, records, problems)
    spec = BottomUpSpec(file, public, domains, references, tuple(margins), weight, totals)
    problems += _problems_of_the_whole(document, spec)
    refuse(problems)
    return spec


def _weight(document: Document, file: BottomUpFile, problems: list[Problem]) -> Weight | None:
    """The weight, if there is one. A key that is missing is a problem, and so is no multiple of the unit."""
    keys = ("weight_column", "maximum_weight")
    if any(key in document.tables for key in (*keys, "weight_unit")):
        problems += [document.missing_key((), key) for key in keys if key not in document.tables]
    if 10**9 % file.weight_unit.denominator:
        unit = document.tables["weight_unit"]
        problems.append(document.value_problem(("weight_unit",), unit, "write at most nine decimals"))
    if file.maximum_weight is None:
        return None
    units = file.maximum_weight / file.weight_unit
    if units.denominator != 1 or units > _MOST_WEIGHT:
        most = document.tables["maximum_weight"]
        problems.append(document.value_problem(("maximum_weight",), most, _ABOUT_MOST))
    return None if file.weight_column is None else Weight(file.weight_column, ceil(units), file.weight_unit)


def _unknown_columns(document: Document, file: BottomUpFile, domains: tuple[Domain, ...]) -> Iterator[Problem]:
    """Columns of margins and invariants that no domain has."""
    known = columns_of(domains)
    named = [("margins", name, columns) for name, columns in file.margins.items()]
    named += [("invariants", "columns", each.columns) for each in file.invariants]
    fix = f"columns of the domains are {', '.join(known) or 'none'}"
    for place, name, columns in named:
        if unknown := [column for column in columns if column not in known]:
            yield document.problem((place,), f"{name}: no domain has column {', '.join(unknown)}", fix)


def _invariants(
    document: Document, written: list[WrittenInvariant], records: Confidential, problems: list[Problem]
) -> tuple[Invariant, ...]:
    """The public totals, coarsest first; what is wrong with their files is added to the problems."""
    found = []
    for each in written:
        if each.total_column in each.columns:
            what = f"total_column {each.total_column} is one of the columns, too"
            problems.append(document.problem(("invariants",), what, "name the column of the totals"))
        path = document.path.parent / each.totals
        if (public := attempt(problems, partial(public_file, "invariants", path, records))) is not None:
            found.append(Invariant(each.columns, public, each.total_column))
    return tuple(sorted(found, key=lambda each: len(each.columns)))


def _problems_of_the_whole(document: Document, spec: BottomUpSpec) -> Iterator[Problem]:
    """Problems that no single setting shows."""
    cells = cell_count(spec.domains)
    if cells > MOST_CELLS:
        yield document.problem(("domains",), f"{cells:,} cells, more than {MOST_CELLS:,}", "leave a domain out")
    if not spec.said.publish_cells and not document.tables.get("margins"):
        yield document.problem((), "nothing is to be published", "name margins, or set publish_cells to true")
    if sum(margin.rows for margin in spec.margins) > MOST_ROWS:
        largest = max(spec.margins, key=lambda margin: margin.rows)
        what = f"more than {MOST_ROWS:,} rows in all; {largest.name} has {largest.rows:,}"
        yield document.problem(("margins",), what, "leave some out; publish_cells has no such limit")
    if spec.said.epsilon < SMALLEST_EPSILON * spec.sensitivity:
        what = f"epsilon / sensitivity is below {SMALLEST_EPSILON}: the noise would be wider than any use of it"
        yield document.problem((), what, "raise epsilon or weight_unit, or lower maximum_weight or most_records")
    if spec.said.sampling_rate is not None and spec.said.unit.person is not None:
        what = "sampling_rate stands beside unit.person: it is the chance of a record, and not of a person"
        yield document.problem((), what, "take sampling_rate out: whoever has several records is in the sample sooner")
    yield from taken_columns(document, spec.domains)
    if spec.invariants and cells > MOST_CALIBRATED_CELLS:
        most = f"{MOST_CALIBRATED_CELLS:,}"
        what = f"the histogram has {cells:,} cells, and calibration holds all of them: at most {most}"
        yield document.problem(("invariants",), what, "leave a domain or the invariants out")
    for coarse, fine in pairwise(spec.invariants):
        if not set(coarse.columns) <= set(fine.columns):
            what = f"columns {', '.join(coarse.columns)} and {', '.join(fine.columns)} cross"
            fix = "let the columns of one set of totals be among the other's columns: states, and counties in states"
            yield document.problem(("invariants",), what, fix)


# Public totals that a histogram is calibrated to: they are read, checked against each other, and made disjoint.

_LARGEST_TOTAL = 2**53
_FIX = "correct the file, or leave the total out: areas without a total stay uncalibrated"


@dataclass(frozen=True, slots=True, eq=False)
class FixedTotals:
    """Disjoint sets of cells whose sums are known: int64[sets] totals.

    margin: the finest margin that has totals. set_of_row: the set of each of its rows, or -1 if no total is known. If
    the total of a whole and the totals of some of its parts are known, the difference is the total of the remaining
    cells. names: of the sets, for messages. unit: of totals.
    """

    margin: Margin
    set_of_row: Int64s
    totals: Int64s
    names: tuple[str, ...]
    unit: Fraction

    def sets_of_cells(self) -> Int64s:
        """The set of each cell of the histogram, or -1: int64[cells]."""
        return self.set_of_row[self.margin.rows_of_every_cell()]

    def sums(self, sets: Int64s, counts: Int64s) -> Int64s:
        """The sum of the counts of the cells of each set. sets: the set of each of these cells, or -1."""
        sums = np.zeros(self.totals.size, dtype=np.int64)
        np.add.at(sums, sets[sets >= 0], counts[sets >= 0])
        return sums


def fixed_totals(spec: BottomUpSpec) -> FixedTotals | None:
    """The disjoint totals, in units, that follow from all files that a specification names; None if it names none.

    Raises: InputError with every total that cannot be read, or that contradicts those within it.
    """
    if not spec.invariants:
        return None
    finest = margin("invariants", spec.invariants[-1].columns, spec.domains)
    set_of_row = np.full(finest.rows, -1, dtype=np.int64)
    totals, firsts = list[int](), list[int]()  # of the sets: the total, and one of their rows
    set_names, problems = list[str](), list[Problem]()
    for invariant in reversed(spec.invariants):
        here = margin("invariants", invariant.columns, finest.domains)
        row_of, names = here.rows_of_every_cell(), _names(here)
        given = _given_totals(invariant, names, spec.unit, problems)
        found = [0] * here.rows  # the sum of the totals already fixed within each row
        for total, first in zip(totals, firsts, strict=True):
            found[row_of[first]] += total
        open_rows = np.flatnonzero(set_of_row < 0)
        open_rows = open_rows[np.argsort(row_of[open_rows], kind="stable")]
        starts = np.searchsorted(row_of[open_rows], np.arange(here.rows + 1))
        for row, total in given.items():
            rest, unfixed = total - found[row], open_rows[starts[row] : starts[row + 1]]
            if rest < 0 or (rest and not unfixed.size):
                what = f"total {total:,}, but the totals within it add up to {found[row]:,}"
                problems.append(Problem(f"{invariant.file.path} {names[row]}", what, _FIX))
            elif unfixed.size:
                set_of_row[unfixed] = len(totals)
                totals.append(rest)
                firsts.append(unfixed[0])
                name = names[row] or "all records"
                set_names.append(f"{name}, less the totals within it" if found[row] else name)
    refuse(problems)
    return FixedTotals(finest, set_of_row, np.array(totals, dtype=np.int64), tuple(set_names), spec.unit)


def _given_totals(
    invariant: Invariant, names: Sequence[str], unit: Fraction, problems: list[Problem]
) -> dict[int, int]:
    """The totals of one file by row of its margin. NULL means no total; any other value that is none is a problem."""
    columns = [*invariant.columns, invariant.total_column]
    table = attempt(problems, partial(reference_table, invariant.file, columns))
    rows, of = {name: row for row, name in enumerate(names)}, "" if unit == 1 else f" of units of {float(unit):g}"
    totals: dict[int, int] = {}
    for line in [] if table is None else table.to_pylist():
        given = line.pop(invariant.total_column)
        name, total, what = _text(line), _units(given, unit), ""
        if given in (None, ""):
            continue
        if (row := rows.get(name)) is None:
            what = "not in the domain of the histogram"
        elif total is None:
            what = f"total {given!r} is not a whole number{of} of at least 0"
        elif totals.setdefault(row, total) != total:
            what = f"totals {totals[row]:,} and {total:,}"
        problems += [Problem(f"{invariant.file.path} {name}", what, _FIX)] if what else []
    return totals


def _units(value: object, unit: Fraction) -> int | None:
    """The total in units; None if it is no whole number of them. Of units of 1, only digits are read."""
    text = str(value)
    if unit == 1 and not (text.isascii() and text.isdigit()):
        return None
    total = exact_decimal(text)
    units = None if total is None else total / unit
    return int(units) if units is not None and units.denominator == 1 and 0 <= units < _LARGEST_TOTAL else None


def _names(here: Margin) -> list[str]:
    """The name of each row of a margin in messages."""
    values = here.values(np.arange(here.rows, dtype=np.int64))
    rows = zip(*(array.to_pylist() for array in values.values()), strict=True) if values else [()]
    return [_text(dict(zip(here.columns, row, strict=True))) for row in rows]


def _text(values: Mapping[str, object]) -> str:
    """The values of one row for a message, as text, because CSV files hold only text."""
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}
    return " ".join(f"{name}={text}" for name, text in texts.items())
