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
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeGuard

from safetab_sql.histograms.public.domains import Domain, IntegerBins, IntegerRange, Listed, Value
from safetab_sql.histograms.public.reference_files import reference_rows
from safetab_sql.kit.errors import InputError
from safetab_sql.public.settings import (
    Place,
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    is_true,
    table_at,
    text_at,
)

DOMAIN_KEYS = ("columns", "values", "minimum", "maximum", "bins", "reference", "reference_columns", "other", "null")
_KINDS = ("values", "minimum", "bins", "reference")
LARGEST_INTEGER = 2**62


def domains_at(settings: Settings) -> tuple[Domain, ...]:
    """The domains of the [domains] table of a spec, in its order; problems are added to those of the settings."""
    tables = table_at(settings, ("domains",), settings.document.get("domains", {}))
    if not tables:
        complain_missing(settings, (), ("domains",), ())
    found = [_domain(settings, name, table_at(settings, ("domains", name), table)) for name, table in tables.items()]
    domains = tuple(domain for domain in found if domain is not None)
    counted = Counter(column.casefold() for domain in domains for column in domain.columns)
    for domain in domains:
        for column in [column for column in domain.columns if counted[column.casefold()] > 1]:
            fix = "name each column once; SQL does not tell capitals apart"
            complain(settings, ("domains", domain.name), f"column {column} stands in more than one place", fix)
    return domains


def _domain(settings: Settings, name: str, table: Mapping[str, object]) -> Domain | None:
    """One domain; None if its values cannot be read."""
    place = ("domains", name)
    complain_unknown(settings, place, table, DOMAIN_KEYS)
    columns = texts_at(settings, (*place, "columns"), table.get("columns", [name]))
    kinds = [key for key in _KINDS if key in table]
    if len(kinds) != 1 or not columns:
        if len(kinds) != 1:
            said = " and ".join(kinds) or "none of them"
            fix = "say one of: values, minimum and maximum, bins, reference"
            complain(settings, place, f"its permitted values are given by {said}", fix)
        return None
    values, reference = _values(settings, place, table, columns), None
    if values is None:
        return None
    if kinds == ["reference"]:
        reference = settings.path.parent / str(table["reference"])
    if isinstance(values, Listed) and any("\x1f" in str(value) for row in values.rows for value in row):
        complain(settings, place, "a value holds the control character 31", "leave it out")
    other = _other(settings, place, table, columns, values)
    has_null = is_true(settings, (*place, "null"), table.get("null", False))
    if has_null and len(columns) > 1:
        complain(settings, place, "null is true, but the domain has several columns", "leave it out")
    return Domain(name, columns, values, has_null, other, reference)


def texts_at(settings: Settings, place: Place, value: object) -> tuple[str, ...]:
    """`value` if it is a list of different texts; otherwise (), and a complaint."""
    texts = [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []
    if texts and texts == value and len({text.casefold() for text in texts}) == len(texts):
        return tuple(texts)
    complain_value(settings, place, value, 'write a list of different column names, such as ["SEX"]')
    return ()


def _values(
    settings: Settings, place: Place, table: Mapping[str, object], columns: Sequence[str]
) -> Listed | IntegerRange | IntegerBins | None:
    if "reference" in table:
        return _reference(settings, place, table, columns)
    if "values" in table:
        return _listed(settings, (*place, "values"), table["values"], len(columns))
    if len(columns) > 1:
        complain(settings, place, "several columns with one range of integers", "give their values or a reference")
        return None
    return _bins(settings, (*place, "bins"), table["bins"]) if "bins" in table else _range(settings, place, table)


def _listed(settings: Settings, place: Place, value: object, width: int) -> Listed | None:
    """A list of values, or of lists of values for several columns: all different, with one kind in each column."""
    given = value if isinstance(value, list) else []
    rows = [tuple(row) if isinstance(row, list) else (row,) for row in given]
    is_whole = rows and all(len(row) == width for row in rows)
    if not is_whole or any(len(kinds) > 1 or not kinds <= {str, int, bool} for kinds in _kinds(rows)):
        what = f"lists of {width} values" if width > 1 else "values"
        complain_value(settings, place, value, f"write a list of {what}: text, whole numbers, or true and false")
        return None
    wide = [value for row in rows for value in row if isinstance(value, int) and abs(value) >= LARGEST_INTEGER]
    if wide:
        complain(settings, place[:-1], f"{place[-1]} has {wide[0]}, beyond 62 bits", "store such numbers as text")
    repeated = [row for row, times in Counter(rows).items() if times > 1]
    if repeated:
        complain(settings, place[:-1], f"{place[-1]} has {repeated[0]} more than once", "keep one of them")
    return Listed(tuple(rows))


def _kinds(rows: Sequence[tuple[object, ...]]) -> list[set[type]]:
    """The types of the values of each column."""
    return [{type(value) for value in column} for column in zip(*rows, strict=True)]


def _reference(settings: Settings, place: Place, table: Mapping[str, object], columns: Sequence[str]) -> Listed | None:
    """The distinct rows of a public file."""
    file = text_at(settings, (*place, "reference"), table["reference"])
    named = texts_at(settings, (*place, "reference_columns"), table.get("reference_columns", list(columns)))
    if named and len(named) != len(columns):
        fix = f"name as many as it has columns: {', '.join(columns)}"
        complain_value(settings, (*place, "reference_columns"), list(named), fix)
    if not file or len(named) != len(columns):
        return None
    try:
        return Listed(reference_rows(settings.path.parent / file, named))
    except InputError as error:
        settings.problems.extend(error.problems)
        return None


def _range(settings: Settings, place: Place, table: Mapping[str, object]) -> IntegerRange | None:
    complain_missing(settings, place, ("minimum", "maximum"), table)
    if "maximum" not in table:
        return None
    first, last = table["minimum"], table["maximum"]
    if _is_integer(first) and _is_integer(last) and first <= last:
        return IntegerRange(first, last)
    wrong = "minimum" if not _is_integer(first) else "maximum"
    complain_value(settings, (*place, wrong), table[wrong], "write a whole number, the maximum not below the minimum")
    return None


def _bins(settings: Settings, place: Place, value: object) -> IntegerBins | None:
    bins = [_interval(item) for item in value] if isinstance(value, list) else []
    intervals = tuple(interval for interval in bins if interval is not None)
    if bins and len(intervals) == len(bins) and all(left[1] < right[0] for left, right in pairwise(intervals)):
        return IntegerBins(intervals)
    complain_value(settings, place, value, "write ranges of whole numbers in order, such as [[0, 17], [18, 64]]")
    return None


def _interval(value: object) -> tuple[int, int] | None:
    match value:
        case [first, last] if _is_integer(first) and _is_integer(last) and first <= last:
            return first, last
    return None


def _other(
    settings: Settings,
    place: Place,
    table: Mapping[str, object],
    columns: Sequence[str],
    values: Listed | IntegerRange | IntegerBins,
) -> tuple[Value, ...] | None:
    """The value that counts all other values: one for each column, of the same kind as the permitted values."""
    if "other" not in table:
        return None
    given = table["other"]
    other = tuple(given) if isinstance(given, list) else (given,)
    wanted = [type(value) for value in values.rows[0]] if isinstance(values, Listed) else [int]
    if [type(value) for value in other] == wanted and all(abs(v) < LARGEST_INTEGER for v in other if type(v) is int):
        return other
    fix = "write a value like the permitted ones, one for each column"
    if "reference" in table and len(other) == len(wanted) and set(wanted) == {str}:
        fix = f"the values of {table['reference']} are text: write {_as_texts(other)}"
    complain_value(settings, (*place, "other"), given, fix)
    return None


def _as_texts(values: Sequence[object]) -> str:
    """Values as texts in TOML: a list of several values, or a single value."""
    texts = [json.dumps(str(value)) for value in values]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_INTEGER
