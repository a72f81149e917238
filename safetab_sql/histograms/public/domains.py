"""Public domains of columns: the permitted values of a histogram's columns, each with a code from 0 on.

A domain is a list, a range of integers, bins of integers, or the rows of a public reference table; it never depends on
the data. Cells of a histogram are numbered in mixed radix: the sum of code * stride over its domains; the last domain
varies fastest. configs/bottom-up.toml has every key, with comments.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from math import prod
from operator import mul
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from annotated_types import Predicate

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL, Confidential, Public, public_file
from safetab_sql.public.inputs import attempt
from safetab_sql.public.sources import TEXT_ENDINGS
from safetab_sql.public.text_files import text_table
from safetab_sql.settings.markers import Switch, Word, Words, called, decimal, mapped_to, otherwise, whole
from safetab_sql.settings.reading import Document
from safetab_sql.settings.tables import Marker, Wrong, named, repeated, shown, sized, sized_table, table, via

Value = str | int | bool

MOST_CELLS = 2**62  # of one histogram: cell ids are int64
PUBLISHED_COLUMNS = ("COUNT", "VARIANCE", "MOE95")  # beside the columns of a histogram, in its files
_KINDS = ("values", "minimum", "bins", "reference")
_LARGEST_INTEGER = 2**62 - 1
_ABOUT_COLUMNS = 'write a list of different column names, such as ["SEX"]'
_ABOUT_ENDS = "write a whole number, the maximum not below the minimum"
_ABOUT_BINS = "write ranges of whole numbers in order, such as [[0, 17], [18, 64]]"
_ABOUT_OTHER = "write a value like the permitted ones, one for each column"


def above_zero(most: int) -> Marker:
    """The marker of a number above 0."""
    return decimal(0, most, f"write a decimal above 0 and at most {most}", without_least=True)


def _rows(values: Sequence[Value | tuple[Value, ...]]) -> tuple[tuple[Value, ...], ...]:
    return tuple(each if isinstance(each, tuple) else (each,) for each in values)


def _are_in_order(bins: Sequence[tuple[int, int]]) -> bool:
    return all(first <= last for first, last in bins) and all(left[1] < right[0] for left, right in pairwise(bins))


_Integer = Annotated[int, whole(-_LARGEST_INTEGER, _LARGEST_INTEGER, _ABOUT_ENDS)]
_AnyInteger = Annotated[int, whole(-(2**4096), 2**4096, "")]  # beyond 62 bits it has words of its own
_Value = _AnyInteger | Switch | str
_Values = Annotated[tuple[tuple[Value, ...], ...], via(tuple[_Value | tuple[_Value, ...], ...], _rows)]
_Different = Predicate(lambda columns: len({column.casefold() for column in columns}) == len(columns))
Columns = Annotated[
    tuple[str, ...], via(Annotated[tuple[Words, ...], sized(1, 2**20), _Different, otherwise(_ABOUT_COLUMNS)])
]


@table
class Domain:
    """The public domain of one column, or of the combinations of several.

    Codes: the permitted values in order; then NULL, if `null`; then `other`, if it is no permitted value.
    values: listed, or of a reference: a tuple for each code, with a value for each column. bins: ranges of integers,
    inclusive, disjoint and ascending. Without either, every integer from minimum to maximum has a code.
    map: by value of the data as text, the permitted value that it counts as; "null" for NULL. other: for each column,
    the value that counts every value outside; None if a value outside is an error of the data.
    """

    name: Annotated[str, called("a domain", "(.|\n)*", "")]
    columns: Annotated[Columns, "columns of the data; by default the name of the domain"] = ()
    values: Annotated[
        _Values,
        sized(1, 2**20),
        otherwise("write a list of values: text, whole numbers, or true and false"),
        "permitted values; of several columns, lists of values",
    ] = ()
    minimum: Annotated[_Integer, "the smallest number"] = 0
    maximum: Annotated[_Integer, "the largest number"] = 0
    bins: Annotated[
        tuple[tuple[int, int], ...],
        via(Annotated[tuple[tuple[_Integer, _Integer], ...], sized(1, 2**20), Predicate(_are_in_order)]),
        otherwise(_ABOUT_BINS),
        "ranges in ascending order, such as [[0, 17], [18, 64]]; each is one value",
    ] = ()
    reference: Annotated[Word, "a public file, beside this one, that lists the permitted rows"] = None
    reference_columns: Annotated[Columns, "names of the columns in that file; by default the same"] = ()
    map: Annotated[
        Mapping[str, Value],
        mapped_to(_Value),
        'values of the data, and the permitted value that each counts as; "null" where NULL is one',
    ] = field(default_factory=dict, hash=False)
    other: Annotated[
        tuple[Value, ...] | None,
        via(_Value | tuple[_Value, ...], lambda other: other if isinstance(other, tuple) else (other,)),
        otherwise(_ABOUT_OTHER),
        "the value that counts every value that is not permitted; without it an error",
    ] = None
    null: Annotated[Switch, "true: NULL is a value of its own; false: it is not permitted"] = False

    @classmethod
    def keys_amiss(cls, given: Mapping[str, object]) -> Iterator[Wrong]:
        """Other than one of the ways to say values."""
        kinds = [key for key in _KINDS if key in given]
        if len(kinds) != 1:
            said = " and ".join(kinds) or "none of them"
            fix = "say one of: values, minimum and maximum, bins, reference"
            yield Wrong(f"its permitted values are given by {said}", fix)
        elif kinds == ["minimum"] and "maximum" not in given:
            yield Wrong("missing key 'maximum'", "add a line for maximum")

    @classmethod
    def filled(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        """With the name as its column."""
        return {"columns": [given["name"]], **given}

    def amiss(self) -> Iterator[Wrong]:
        """What its values and columns are together."""
        if self.values:
            yield from self._amiss_in_list()
        elif not self.reference and len(self.columns) > 1:
            yield Wrong("several columns with one range of integers", "give their values or a reference")
        elif not self.bins and self.minimum > self.maximum:
            yield Wrong(f"maximum is {self.maximum}", _ABOUT_ENDS)
        if self.null and len(self.columns) > 1:
            yield Wrong("null is true, but the domain has several columns", "leave it out")
        named = self.reference_columns or self.columns
        if len(named) != len(self.columns):
            fix = f"name as many as it has columns: {', '.join(self.columns)}"
            yield Wrong(f"reference_columns is {shown(named)}", fix)
        if not self.reference:
            yield from self.amiss_with_values()

    def _amiss_in_list(self) -> Iterator[Wrong]:
        rows, width = self.values, len(self.columns)
        kinds = [{type(value) for value in column} for column in zip(*rows, strict=False)]
        if any(len(row) != width for row in rows) or any(len(each) > 1 for each in kinds):
            whats = f"lists of {width} values" if width > 1 else "values"
            fix = f"write a list of {whats}: text, whole numbers, or true and false"
            yield Wrong(f"values is {shown([row[0] if len(row) == width == 1 else list(row) for row in rows])}", fix)
        wide = [each for row in rows for each in row if isinstance(each, int) and abs(each) > _LARGEST_INTEGER]
        if wide:
            yield Wrong(f"values has {wide[0]}, beyond 62 bits", "store such numbers as text")
        if twice := repeated(rows):
            yield Wrong(f"values has {twice[0]} more than once", "keep one of them")

    def amiss_with_values(self) -> Iterator[Wrong]:
        """What is wrong with its permitted values, once they are known, and with those that count as one of them."""
        if any("\x1f" in str(value) for row in self.values for value in row):
            yield Wrong("a value holds the control character 31", "leave it out")
        yield from () if self.other is None else self._amiss_in_other(self.other)
        if self.map and len(self.columns) > 1:
            yield Wrong("map stands in a domain of several columns", "leave it out")
            return
        for given, value in self.map.items():
            if self.mapped_code(value) is None:
                how = "" if self.null else '; with null = true it may be "null"'
                yield Wrong(f"map {given} is {shown(value)}", f"name a permitted value{how}")

    def _amiss_in_other(self, other: tuple[Value, ...]) -> Iterator[Wrong]:
        """Other than a value for each column, of the kind of the permitted ones."""
        wanted = [type(value) for value in (self.values or ((0,),))[0]]
        is_narrow = all(abs(value) <= _LARGEST_INTEGER for value in other if isinstance(value, int))
        if [type(value) for value in other] == wanted and is_narrow:
            return
        fix = _ABOUT_OTHER
        if self.reference and len(other) == len(wanted) and set(wanted) == {str}:
            texts = [json.dumps(str(value)) for value in other]
            shown_texts = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
            fix = f"the values of {self.reference} are text: write {shown_texts}"
        yield Wrong(f"other is {shown(other[0] if len(other) == 1 else list(other))}", fix)

    @property
    def size(self) -> int:
        """How many codes it has."""
        return self.listed_size + self.null + (self.extra is not None)

    @property
    def listed_size(self) -> int:
        """How many codes the permitted values have; the codes of NULL and of `other`, if there are any, come after."""
        return len(self.values) or len(self.bins) or self.maximum - self.minimum + 1

    @property
    def null_code(self) -> int | None:
        """The code of NULL; None if NULL has no code of its own."""
        return self.listed_size if self.null else None

    @property
    def extra(self) -> tuple[Value, ...] | None:
        """What counts every value outside, if it has a code of its own."""
        return self.other if self.other is not None and self._place(self.other) is None else None

    @property
    def other_code(self) -> int | None:
        """The code that counts every value outside; None if such a value is an error."""
        if self.other is None:
            return None
        place = self._place(self.other)
        return self.size - 1 if place is None else place

    def mapped_code(self, value: Value) -> int | None:
        """The code of the value that a mapped one counts as; None where it is not permitted."""
        is_alike = bool(self.values) or (isinstance(value, int) and not isinstance(value, bool))
        place = self._place((value,)) if is_alike else None
        return self.null_code if place is None and value == "null" else place

    def _place(self, value: tuple[Value, ...]) -> int | None:
        """The code of a permitted value; None for a value outside."""
        if self.values:
            return self.values.index(value) if value in self.values else None
        if self.bins:
            found = [code for code, (low, high) in enumerate(self.bins) if low <= int(value[0]) <= high]
            return found[0] if found else None
        return int(value[0]) - self.minimum if self.minimum <= int(value[0]) <= self.maximum else None


Domains = Annotated[
    tuple[Domain, ...],
    named(),
    sized_table(1, fix="add one, such as [domains.SEX]"),
    "columns, and their permitted values",
]


@dataclass(frozen=True, slots=True)
class Weight:
    """A column of numbers that rows are counted with, in whole units, clamped to 0 .. maximum units.

    maximum: the sensitivity of a count in units. unit: of a weight, exact; weights are rounded to the nearest unit.
    """

    column: str
    maximum: int
    unit: Fraction = Fraction(1)


def columns_of(domains: Sequence[Domain]) -> list[str]:
    """The columns of the data that the domains are of, in their order."""
    return [column for domain in domains for column in domain.columns]


def cell_count(domains: Sequence[Domain]) -> int:
    """How many cells a histogram over `domains` has, empty ones included: the product of their sizes."""
    return prod(domain.size for domain in domains)


def strides(domains: Sequence[Domain]) -> tuple[int, ...]:
    """The factor of each domain's code in a cell id; the last domain varies fastest."""
    sizes = [domain.size for domain in domains]
    return tuple(accumulate(reversed(sizes[1:]), mul, initial=1))[::-1] if sizes else ()


def codes_of_cells(cell_ids: Int64s, domains: Sequence[Domain]) -> tuple[Int64s, ...]:
    """The code of each domain in each cell: one int64[n] for each domain."""
    return tuple(cell_ids // stride % domain.size for domain, stride in zip(domains, strides(domains), strict=True))


def decoded(domain: Domain, codes: Int64s) -> dict[str, pa.Array]:
    """The value of each code, by column of the domain: text, int64 or boolean; bins as text, such as 18-64.

    NULL is null, and every value outside is `other`.
    """
    if not domain.values and not domain.bins:
        return {domain.columns[0]: integers(domain, domain.minimum + codes, codes)}
    labels = [(f"{first}-{last}" if first < last else str(first),) for first, last in domain.bins]
    rows: list[tuple[Value | None, ...]] = [*(domain.values or labels)]
    rows += [(None,) * len(domain.columns)] if domain.null else []
    if (other := domain.extra) is not None:
        rows.append(other if domain.values else (str(other[0]),))
    return {name: pa.array(of).take(codes) for name, of in zip(domain.columns, zip(*rows, strict=True), strict=True)}


def integers(domain: Domain, values: Int64s, codes: Int64s) -> pa.Array:
    """One of the integers of each code, and in its place NULL, or the value that counts all others, for their codes."""
    if (other := domain.extra) is not None:
        values[codes == domain.size - 1] = other[0]
    return pa.array(values, mask=None if domain.null_code is None else codes == domain.null_code)


def values_of_cells(cell_ids: Int64s, domains: Sequence[Domain]) -> dict[str, pa.Array]:
    """The values of each cell, by column."""
    coded = zip(domains, codes_of_cells(cell_ids, domains), strict=True)
    return {name: values for domain, codes in coded for name, values in decoded(domain, codes).items()}


# Domains as a specification has them, with the values of their references: public tables, Parquet, or CSV as text.

_FIX = "name a Parquet file, or a CSV file with a header row"


def domains_of(
    document: Document, written: Sequence[Domain], problems: list[Problem], records: Confidential = NOTHING_CONFIDENTIAL
) -> tuple[tuple[Domain, ...], tuple[Public, ...]]:
    """The domains of the [domains] table of a spec, in its order, and their references; what is wrong is added.

    records: of the command; no reference may be one of their files.
    """
    references: dict[Path, Public] = {}
    found = [_domain(document, each, references, problems, records) for each in written]
    domains = tuple(domain for domain in found if domain is not None)
    twice = repeated(column.casefold() for column in columns_of(domains))
    fix = "name each column once; SQL does not tell capitals apart"
    for domain in domains:
        for column in [column for column in domain.columns if column.casefold() in twice]:
            what = f"column {column} stands in more than one place"
            problems.append(document.problem(("domains", domain.name), what, fix))
    return domains, tuple(references.values())


def taken_columns(document: Document, domains: Sequence[Domain]) -> Iterator[Problem]:
    """Columns with a name that published files have for something else."""
    for column in [column for column in columns_of(domains) if column.upper() in PUBLISHED_COLUMNS]:
        fix = "rename it in the data: published files have columns COUNT, VARIANCE and MOE95"
        yield document.problem(("domains",), f"column {column}", fix)


def _domain(
    document: Document, domain: Domain, references: dict[Path, Public], problems: list[Problem], records: Confidential
) -> Domain | None:
    """The domain with the values of its reference, if it has one; None if these cannot be read."""
    if not domain.reference:
        return domain
    path, columns = document.path.parent / domain.reference, domain.reference_columns or domain.columns
    public = attempt(problems, partial(public_file, "reference", path, records))
    rows = None if public is None else attempt(problems, partial(reference_rows, public, columns))
    if public is None or rows is None:
        return None
    references.setdefault(public.path, public)
    found = replace(domain, values=rows)
    wrong = found.amiss_with_values()
    problems.extend(document.problem(("domains", domain.name), each.what, each.fix) for each in wrong)
    return found


def reference_rows(public: Public, columns: Sequence[str]) -> tuple[tuple[Value, ...], ...]:
    """The distinct values of some columns of a public file, sorted: text, whole numbers or booleans.

    Raises: InputError if the file cannot be read, lacks a column, or holds NULL or values of another kind.
    """
    table, path = reference_table(public, columns), public.path
    distinct = table.group_by(list(columns)).aggregate([])
    fix = "leave those rows out: a domain lists values"
    refuse([Problem(f"{path} [{name}]", "holds NULL", fix) for name in columns if distinct[name].null_count])
    if not distinct.num_rows:
        raise InputError([Problem(str(path), "holds no row", "a domain has at least one value")])
    return tuple(sorted(zip(*(distinct[name].to_pylist() for name in columns), strict=True)))


def reference_table(public: Public, columns: Sequence[str]) -> pa.Table:
    """Some columns of a public file: text, int64 or boolean. Raises: InputError as `reference_rows` does."""
    path = public.path
    if "::" in path.name or "file:" in path.parts:
        raise InputError([Problem(str(path), "is a table of a database, or a URL", f"{_FIX}, by its path")])
    is_text = path.suffix.lower() in TEXT_ENDINGS
    try:
        found = text_table(path).column_names if is_text else pq.read_schema(path).names
        missing = [name for name in columns if name not in found]
        if missing:
            what = f"missing columns {', '.join(missing)}; found {', '.join(found)}"
            raise InputError([Problem(str(path), what, _FIX)])
        table = text_table(path).select(columns) if is_text else pq.read_table(path, columns=list(columns))
        return pa.table({name: _plain(path, name, table[name]) for name in columns})
    except FileNotFoundError as error:
        raise InputError([Problem(str(path), "no file is there", _FIX)]) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError([Problem(str(path), f"cannot be read: {error}", _FIX)]) from error


def _plain(path: Path, name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values as text, int64 or boolean. Raises: InputError where they are of another kind."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_boolean(kind):
        return values.cast(pa.bool_())
    if pa.types.is_integer(kind):
        return values.cast(pa.int64())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return values.cast(pa.string())
    fix = "store it as text, whole numbers or booleans"
    raise InputError([Problem(f"{path} [{name}]", f"stored as {values.type}", fix)])


# Margins of a histogram: the cells that each published row adds up.


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """The sums of a histogram's cells by some columns of the data; without columns, the sum of all.

    of: the domains of the histogram. domains: one domain of these columns for each of them that has any. places:
    positions of the latter in the histogram. codes: for each, the margin's code for every code of the histogram's
    domain; None if the codes are the same.
    """

    name: str
    columns: tuple[str, ...]
    of: tuple[Domain, ...]
    domains: tuple[Domain, ...]
    places: tuple[int, ...]
    codes: tuple[Int64s | None, ...]

    @property
    def rows(self) -> int:
        """Number of rows: one for every combination of values, whatever the data."""
        return cell_count(self.domains)

    def rows_of_cells(self, codes: Sequence[Int64s]) -> Int64s:
        """The row that each cell adds to: int64[n]. codes: of the cells, by domain of the histogram."""
        rows = np.zeros(np.broadcast_shapes(*(each.shape for each in codes)), dtype=np.int64)
        for stride, place, mapped in zip(strides(self.domains), self.places, self.codes, strict=True):
            rows += stride * (codes[place] if mapped is None else mapped[codes[place]])
        return rows

    def rows_of_every_cell(self) -> Int64s:
        """The row that each cell of the histogram adds to, empty or not: int64[cells]."""
        return self.rows_of_cells(np.ix_(*(np.arange(domain.size) for domain in self.of))).ravel()

    def cells_of_rows(self) -> Int64s:
        """How many cells of the histogram each row adds up: int64[rows]."""
        cells = np.array([cell_count([domain for place, domain in enumerate(self.of) if place not in self.places])])
        for domain, mapped in zip(self.domains, self.codes, strict=True):
            here = np.ones(domain.size, dtype=np.int64) if mapped is None else np.bincount(mapped)
            cells = np.multiply.outer(cells, here.astype(np.int64)).ravel()
        return cells

    def values(self, rows: Int64s) -> dict[str, pa.Array]:
        """The values of some rows, by column, in its order."""
        found = values_of_cells(rows, self.domains)
        return {column: found[column] for column in self.columns}


def margin(name: str, columns: Sequence[str], domains: Sequence[Domain]) -> Margin:
    """The margin by `columns` of the histogram over `domains`."""
    places = tuple(place for place, domain in enumerate(domains) if set(domain.columns) & set(columns))
    reduced = [_reduced(domains[place], columns) for place in places]
    kept, codes = tuple(domain for domain, _ in reduced), tuple(codes for _, codes in reduced)
    return Margin(name, tuple(columns), tuple(domains), kept, places, codes)


def _reduced(domain: Domain, columns: Sequence[str]) -> tuple[Domain, Int64s | None]:
    """The domain of only the wanted columns, and the code in it for each code of `domain`."""
    kept = [at for at, column in enumerate(domain.columns) if column in columns]
    if len(kept) == len(domain.columns) or not domain.values:
        return domain, None
    rows = [tuple(row[at] for at in kept) for row in (*domain.values, *([domain.extra] if domain.extra else []))]
    codes = {row: code for code, row in enumerate(dict.fromkeys(rows))}
    names = tuple(domain.columns[at] for at in kept)
    return Domain("+".join(names), names, tuple(codes)), np.array([codes[row] for row in rows], dtype=np.int64)
