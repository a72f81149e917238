"""Whether a predicate that an analyst wrote is a harmless condition on published rows.

It becomes part of a query, so only what a region type's expression may hold is allowed: public/expressions.py.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import duckdb

from safetab_sql.kit.errors import Problem
from safetab_sql.public.expressions import first_line, harmless_nodes, named_columns

Found = TypeVar("Found")
_KEYS = ("TABLE", "REGION_ID", "REGION_TYPE", "ITERATION_CODE", "STATISTIC")
_FROM_CODES = re.compile(r"IS_MARGINAL|\w+_(START|END)", re.IGNORECASE)  # columns of files, not of conditions
_LONGEST_NAME = 60  # characters of a predicate that name it in a message
_FIX = (
    "write one condition on the columns of the published tables, such as REGION_TYPE = 'COUNTY' and ITERATION_CODE in "
    "('1011', '1012'); columns: {}; numbers are text: try_cast(AGESTART as integer) >= 65"
)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition as DuckDB reads it, in brackets; whether it reads noisy counts; columns that it may name."""

    text: str
    reads_count: bool
    columns: tuple[str, ...] = ()


def predicate(connection: duckdb.DuckDBPyConnection, text: str, attributes: Sequence[str]) -> Predicate | Problem:
    """The condition `text`, parsed and never run, or its problem. attributes: columns of rows' attributes."""
    allowed = (*_KEYS, *attributes, "COUNT")
    try:
        quoted = _with_table_quoted(text)
    except (duckdb.Error, TypeError, ValueError) as error:  # TypeError: text that is not UTF-8
        return Problem(shortened(text), f"no SQL expression: {first_line(error)}", _fix(allowed))
    nodes = harmless_nodes(connection, quoted, allowed)
    if isinstance(nodes, str):
        unquoted = [name for name in named_columns(connection, quoted) if name.upper() not in allowed]
        if unquoted and f"column '{unquoted[0]}'" in nodes:
            nodes = _unknown(unquoted[0])
        return Problem(shortened(text), nodes, _fix(allowed))
    columns = {str(node["column_names"]).casefold() for node in nodes if node["class"] == "COLUMN_REF"}
    return Predicate(f"({quoted}\n)", reads_count="['count']" in columns, columns=allowed)


def _unknown(name: str) -> str:
    """What is wrong with a name that is no column of conditions."""
    if _FROM_CODES.fullmatch(name):
        return f"{name} follows from the codes, and conditions are on these; a marginal has '*' in place of a code"
    return f"there is no column {name}; a text stands in quotes: '{name}'"


def _fix(columns: Sequence[str]) -> str:
    return _FIX.format(", ".join(columns))


def selection(
    rows: duckdb.DuckDBPyRelation, condition: Predicate, text: str, use: Callable[[duckdb.DuckDBPyRelation], Found]
) -> Found | Problem:
    """What `use` makes of the rows for which `condition` is true; the problem of one that fails or is neither."""
    try:
        kind = str(rows.project(condition.text).types[0])
        if kind != "BOOLEAN":
            return Problem(shortened(text), f"gives {kind}, not true or false", _fix(condition.columns))
        return use(rows.filter(condition.text))
    except duckdb.Error as error:
        what = f"fails on the published rows: {first_line(error)}"
        return Problem(shortened(text), what, _fix(condition.columns))


def shortened(text: str) -> str:
    """`text` as a message names it: one line, printable, not too long."""
    line = "".join(character if character.isprintable() else " " for character in text)
    return line if len(line) <= _LONGEST_NAME else f"{line[:_LONGEST_NAME]}..."


def _with_table_quoted(text: str) -> str:
    """`text` with the column TABLE in quotes: TABLE is an SQL keyword, which no expression may contain unquoted."""
    tokens = duckdb.tokenize(text)
    starts = [start for start, kind in tokens if kind == duckdb.token_type.keyword]
    encoded = text.encode()
    for start in sorted(starts, reverse=True):
        word = encoded[start : start + len(b"TABLE")]
        if word.upper() == b"TABLE" and not encoded[start + len(word) : start + len(word) + 1].isalnum():
            encoded = encoded[:start] + b'"TABLE"' + encoded[start + len(word) :]
    return encoded.decode()
