"""Public domains of columns: the permitted values of a histogram's columns, each with a code from 0 on.

A domain is a list, a range of integers, bins of integers, or the rows of a public reference table; it never depends on
the data. Cells of a histogram are numbered in mixed radix: the sum of code * stride over its domains; the last domain
varies fastest. `domain_settings.py` reads domains from a TOML file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import prod
from operator import mul
from pathlib import Path

import pyarrow as pa

from safetab_sql.kit.arrays import Int64s
from safetab_sql.public.gate import Public

Value = str | int | bool

MOST_CELLS = 2**62  # of one histogram: cell ids are int64


@dataclass(frozen=True, slots=True)
class Listed:
    """Permitted values, in order: one tuple for each code, with one value for each column of the domain."""

    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """Every integer from `first` to `last`, inclusive, with a code each."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class IntegerBins:
    """Ranges of integers, inclusive, disjoint and ascending: one code each."""

    intervals: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """The public domain of one column, or of the combinations of several.

    Codes: those of `values` in order; then NULL, if has_null; then `other`, if it is not among `values`.
    name: in messages and specs. columns: in the data. other: the value that counts every value outside, one for each
    column; None if a value outside is an error of the data. reference: the public file that the values come from.
    """

    name: str
    columns: tuple[str, ...]
    values: Listed | IntegerRange | IntegerBins
    has_null: bool = False
    other: tuple[Value, ...] | None = None
    reference: Public | None = None


@dataclass(frozen=True, slots=True)
class Records:
    """The records as the user names them: a file, a glob or a folder of Parquet or text, or a table of a database.

    person_id: the column that holds the id of each person, if repeated ids are to be refused.
    """

    given: str | Path
    person_id: str | None = None


@dataclass(frozen=True, slots=True)
class Weight:
    """A column of numbers that rows are counted with, in whole units, clamped to 0 .. maximum units.

    maximum: the sensitivity of a count in units. unit: of a weight, exact; weights are rounded to the nearest unit.
    """

    column: str
    maximum: int
    unit: Fraction = Fraction(1)


def size(domain: Domain) -> int:
    """How many codes the domain has."""
    return listed_size(domain) + domain.has_null + _has_extra_bin(domain)


def listed_size(domain: Domain) -> int:
    """How many codes the permitted values have; the codes of NULL and of `other`, if there are any, come after."""
    match domain.values:
        case Listed(rows):
            return len(rows)
        case IntegerRange(first, last):
            return last - first + 1
        case IntegerBins(intervals):
            return len(intervals)


def null_code(domain: Domain) -> int | None:
    """The code of NULL; None if NULL has no code of its own."""
    return listed_size(domain) if domain.has_null else None


def other_code(domain: Domain) -> int | None:
    """The code that counts every value outside; None if such a value is an error."""
    if domain.other is None:
        return None
    place = _place(domain, domain.other)
    return size(domain) - 1 if place is None else place


def cell_count(domains: Sequence[Domain]) -> int:
    """How many cells a histogram over `domains` has, empty ones included: the product of their sizes."""
    return prod(map(size, domains))


def strides(domains: Sequence[Domain]) -> tuple[int, ...]:
    """The factor of each domain's code in a cell id; the last domain varies fastest."""
    sizes = [size(domain) for domain in domains]
    return tuple(accumulate(reversed(sizes[1:]), mul, initial=1))[::-1] if sizes else ()


def codes_of_cells(cell_ids: Int64s, domains: Sequence[Domain]) -> tuple[Int64s, ...]:
    """The code of each domain in each cell: one int64[n] for each domain."""
    return tuple(cell_ids // stride % size(domain) for domain, stride in zip(domains, strides(domains), strict=True))


def decoded(domain: Domain, codes: Int64s) -> dict[str, pa.Array]:
    """The value of each code, by column of the domain: text, int64 or boolean; bins as text, such as 18-64.

    NULL is null, and every value outside is `other`.
    """
    match domain.values:
        case Listed(rows):
            columns = list(zip(*rows, strict=True))
            found = [pa.array(_with_other(column, domain, at)) for at, column in enumerate(columns)]
            return {name: array.take(codes) for name, array in zip(domain.columns, found, strict=True)}
        case IntegerRange(first, _):
            values = first + codes
            if _has_extra_bin(domain) and domain.other:
                values[codes == size(domain) - 1] = domain.other[0]
            is_null = None if null_code(domain) is None else codes == null_code(domain)
            return {domain.columns[0]: pa.array(values, mask=is_null)}
        case IntegerBins(intervals):
            labels = [f"{first}-{last}" if first < last else str(first) for first, last in intervals]
            return {domain.columns[0]: pa.array(_with_other(labels, domain, 0), pa.string()).take(codes)}


def _with_other(values: Sequence[Value], domain: Domain, at: int) -> list[Value | None]:
    """The values of one column by code, including NULL and the value that counts all others."""
    extra: list[Value | None] = []
    if _has_extra_bin(domain) and domain.other:
        is_text = isinstance(domain.values, IntegerBins)
        extra = [str(domain.other[at]) if is_text else domain.other[at]]
    return [*values, *([None] if domain.has_null else []), *extra]


def _has_extra_bin(domain: Domain) -> bool:
    """Whether values outside have a code of their own."""
    return domain.other is not None and _place(domain, domain.other) is None


def _place(domain: Domain, value: tuple[Value, ...]) -> int | None:
    """The code of a permitted value; None for a value outside."""
    match domain.values:
        case Listed(rows):
            return rows.index(value) if value in rows else None
        case IntegerRange(first, last):
            return int(value[0]) - first if first <= int(value[0]) <= last else None
        case IntegerBins(intervals):
            found = [code for code, (low, high) in enumerate(intervals) if low <= int(value[0]) <= high]
            return found[0] if found else None
