"""The domains in a TOML spec, for both sibling methods.

[domains.AGE]               # the column's name; any other, with `columns`
minimum = 0
maximum = 115
other = 115                 # optional: the value that counts every value outside; a permitted value, or one more
null = true                 # optional: NULL has a bin of its own; else it is a value outside
[domains.SEX]
columns = ["QSEX"]          # optional: the column, or columns whose combinations make one domain
values = ["1", "2"]         # text, integers or true/false; with several columns, lists of values
[domains.RENT]
bins = [[0, 0], [1, 99]]    # ranges of integers, inclusive, ascending
[domains.COUNTY]
columns = ["STATE", "COUNTY"]
reference = "counties.parquet"               # what a public file (Parquet, or CSV) lists; a path beside the spec
reference_columns = ["STATEFP", "COUNTYFP"]  # optional: their names there
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated

from safetab_sql.histograms.public.domains import Domain, IntegerBins, IntegerRange, Listed, Value
from safetab_sql.histograms.public.reference_files import reference_rows
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL, Confidential, Public, public_file
from safetab_sql.settings.markers import Checked, Fix, Means, Name, Named, ReadAs, Sized, Switch, Text, Whole
from safetab_sql.settings.reading import Document
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong, shown

_KINDS = ("values", "minimum", "bins", "reference")
_LARGEST_INTEGER = 2**62 - 1
_ABOUT_COLUMNS = 'write a list of different column names, such as ["SEX"]'
_ABOUT_ENDS = "write a whole number, the maximum not below the minimum"
_ABOUT_BINS = "write ranges of whole numbers in order, such as [[0, 17], [18, 64]]"
_ABOUT_OTHER = "write a value like the permitted ones, one for each column"


def _alike(columns: Sequence[str]) -> Iterator[Wrong]:
    if len({column.casefold() for column in columns}) < len(columns):
        yield Wrong("a column stands twice", "name it once")


def _disordered(bins: Sequence[tuple[int, int]]) -> Iterator[Wrong]:
    if any(first > last for first, last in bins) or any(left[1] >= right[0] for left, right in pairwise(bins)):
        yield Wrong("a range does not follow the one before it", "put them in order")


_Integer = Annotated[int, Whole(-_LARGEST_INTEGER, _LARGEST_INTEGER, _ABOUT_ENDS)]
_AnyInteger = Annotated[int, Whole(-(2**4096), 2**4096, "")]  # beyond 62 bits it has words of its own
_Value = _AnyInteger | Switch | str
_Values = Annotated[tuple[Value | tuple[Value, ...], ...], ReadAs(tuple[_Value | tuple[_Value, ...], ...], tuple)]
Columns = Annotated[
    tuple[str, ...],
    ReadAs(Annotated[tuple[Annotated[str, Text()], ...], Sized(1, 2**20), Checked(_alike), Fix(_ABOUT_COLUMNS)], tuple),
]


@table
class WrittenDomain:
    """A column, or several, and their permitted values, as a file has them."""

    name: Annotated[str, Name("a domain", "(.|\n)*", "")]
    columns: Annotated[Columns, Means("columns of the data; by default the name of the domain")] = ()
    values: Annotated[
        _Values,
        Sized(1, 2**20),
        Fix("write a list of values: text, whole numbers, or true and false"),
        Means("permitted values; of several columns, lists of values"),
    ] = ()
    minimum: Annotated[_Integer, Means("the smallest number")] = 0
    maximum: Annotated[_Integer, Means("the largest number")] = 0
    bins: Annotated[
        tuple[tuple[int, int], ...],
        ReadAs(Annotated[tuple[tuple[_Integer, _Integer], ...], Sized(1, 2**20), Checked(_disordered)], tuple),
        Fix(_ABOUT_BINS),
        Means("ranges, such as [[0, 17], [18, 64]]"),
    ] = ()
    reference: Annotated[str | None, Text(), Means("a public file, beside this one, that lists the values")] = None
    reference_columns: Annotated[Columns, Means("their columns there")] = ()
    other: Annotated[
        tuple[Value, ...] | None,
        ReadAs(_Value | tuple[_Value, ...], lambda other: other if isinstance(other, tuple) else (other,)),
        Fix(_ABOUT_OTHER),
        Means("the value that counts every value outside"),
    ] = None
    null: Annotated[Switch, Means("true: a missing value has a bin of its own")] = False

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
            yield Wrong(f"reference_columns is {shown(list(named))}", fix)
        if self.other is not None and not self.reference:
            yield from other_amiss(self, self.rows or ((0,),))

    def _amiss_in_list(self) -> Iterator[Wrong]:
        rows, width = self.rows, len(self.columns)
        kinds = [{type(value) for value in column} for column in zip(*rows, strict=False)]
        if any(len(row) != width for row in rows) or any(len(each) > 1 for each in kinds):
            whats = f"lists of {width} values" if width > 1 else "values"
            fix = f"write a list of {whats}: text, whole numbers, or true and false"
            yield Wrong(f"values is {shown(_as_written(self.values))}", fix)
        wide = [each for row in rows for each in row if isinstance(each, int) and abs(each) > _LARGEST_INTEGER]
        if wide:
            yield Wrong(f"values has {wide[0]}, beyond 62 bits", "store such numbers as text")
        repeated = [row for row, times in Counter(rows).items() if times > 1]
        if repeated:
            yield Wrong(f"values has {repeated[0]} more than once", "keep one of them")
        yield from _unprintable(rows)

    @property
    def rows(self) -> tuple[tuple[Value, ...], ...]:
        """The listed values, one tuple each."""
        return tuple(each if isinstance(each, tuple) else (each,) for each in self.values)


Domains = Annotated[
    tuple[WrittenDomain, ...],
    Named(),
    Sized(1, fix="add one, such as [domains.SEX]"),
    Means("columns, and their permitted values"),
]


def other_amiss(domain: WrittenDomain, rows: Sequence[tuple[Value, ...]]) -> Iterator[Wrong]:
    """What is wrong with the value that counts all others: one for each column, of the kind of the permitted values."""
    other, wanted = domain.other or (), [type(value) for value in rows[0]]
    is_narrow = all(abs(value) <= _LARGEST_INTEGER for value in other if isinstance(value, int))
    if [type(value) for value in other] == wanted and is_narrow:
        return
    fix = _ABOUT_OTHER
    if domain.reference and len(other) == len(wanted) and set(wanted) == {str}:
        fix = f"the values of {domain.reference} are text: write {_as_texts(other)}"
    yield Wrong(f"other is {shown(other[0] if len(other) == 1 else list(other))}", fix)


def _unprintable(rows: Sequence[tuple[Value, ...]]) -> Iterator[Wrong]:
    if any("\x1f" in str(value) for row in rows for value in row):
        yield Wrong("a value holds the control character 31", "leave it out")


def _as_written(values: Sequence[object]) -> list[object]:
    return [list(value) if isinstance(value, tuple) else value for value in values]


def _as_texts(values: Sequence[object]) -> str:
    """Values as texts in TOML: a list of several values, or a single value."""
    texts = [json.dumps(str(value)) for value in values]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def domains_of(
    document: Document,
    written: Sequence[WrittenDomain],
    problems: list[Problem],
    records: Confidential = NOTHING_CONFIDENTIAL,
) -> tuple[Domain, ...]:
    """The domains of the [domains] table of a spec, in its order; what is wrong is added to the problems.

    records: of the command; no reference may be one of their files.
    """
    found = [_domain(document, each, problems, records) for each in written]
    domains = tuple(domain for domain in found if domain is not None)
    counted = Counter(column.casefold() for domain in domains for column in domain.columns)
    for domain in domains:
        for column in [column for column in domain.columns if counted[column.casefold()] > 1]:
            what, fix = (
                f"column {column} stands in more than one place",
                "name each column once; SQL does not tell capitals apart",
            )
            problems.append(document.problem(("domains", domain.name), what, fix))
    return domains


def _domain(
    document: Document, written: WrittenDomain, problems: list[Problem], records: Confidential
) -> Domain | None:
    """One domain; None if its values cannot be read."""
    values: Listed | IntegerRange | IntegerBins
    public: Public | None = None
    if written.reference:
        try:
            public = public_file("reference", document.path.parent / written.reference, records)
            values = Listed(reference_rows(public, written.reference_columns or written.columns))
        except InputError as error:
            problems.extend(error.problems)
            return None
        wrong = [*_unprintable(values.rows), *(() if written.other is None else other_amiss(written, values.rows))]
        problems.extend(document.problem(("domains", written.name), each.what, each.fix) for each in wrong)
    elif written.values:
        values = Listed(written.rows)
    else:
        values = IntegerBins(written.bins) if written.bins else IntegerRange(written.minimum, written.maximum)
    return Domain(written.name, written.columns, values, written.null, written.other, public)
