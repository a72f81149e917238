"""Whether the id expression of a region type that the user declares is a harmless SQL expression that gives text."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache, lru_cache

import duckdb

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.expressions import FUNCTIONS, first_line, harmless_nodes, named_columns
from safetab_sql.public.levels import RegionType
from safetab_sql.public.parameters import Parameters, census

# No files, no network, no extensions, and too little memory for an expression whose result explodes.
_CLOSED = {"enable_external_access": "false", "memory_limit": "256MB", "threads": "1"}

_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
# Quotes and comments that the search for $values in a statement (sqlfiles.py) would misread.
_ODD = {
    "a parameter, or another $ outside quotes": re.compile(r"\$"),
    "a comment": re.compile(r"--|/\*"),
    "a letter before a quotation mark": re.compile(r"\b[a-zA-Z]'"),
}


def region_expression_problems(parameters: Parameters, geography_columns: Collection[str]) -> list[Problem]:
    """The problems of all region types that the parameter file declares."""
    own = _own(parameters)
    counts = Counter(map(str.upper, geography_columns))
    bad = [name for name in geography_columns if not name or counts[name.upper()] > 1]
    taken = [name for name in geography_columns if name.upper() in _columns_of_ours()]
    if own and (bad or taken):
        why = "has no name, or one that SQL does not tell from another's" if bad else "has the name of a column of ours"
        what = f"column '{[*bad, *taken][0]}' {why}"
        return [Problem("geography", what, "rename or drop it: region types of your own may read every column")]
    problems = [check_region_expression(kind, tuple(geography_columns)) for kind in own]
    return [replace(problem, where=f"{parameters.source} {problem.where}") for problem in problems if problem]


def _own(parameters: Parameters) -> list[RegionType]:
    return [kind for kind in parameters.region_types if kind not in census().region_types]


def _columns_of_ours() -> set[str]:
    """The columns that the table read by expressions has besides the columns of the geography; in capitals."""
    return {column.name.upper() for column in sql_files()["blocks"].columns}


def id_columns(kinds: Iterable[RegionType]) -> list[str]:
    """The columns that the ids of region types read, each once, as the ids spell them."""
    return list(_named_columns(tuple(kind.id for kind in kinds)))


@cache
def _named_columns(expressions: tuple[str, ...]) -> tuple[str, ...]:
    with duckdb.connect(":memory:", config={**_CLOSED}) as connection:
        names = [name for expression in expressions for name in named_columns(connection, expression)]
    return tuple(dict.fromkeys(names))


def presumed_columns(parameters: Parameters) -> list[str]:
    """The columns of a geography that is not given: of places and parts, and columns that ids of regions read.

    Raises: InputError with every problem of these region types.
    """
    geography = parameters.geography
    columns = {column.name.upper(): column.name for column in geography.place}
    named = [name for part in geography.parts for name in part.where]
    for name in [*named, *id_columns(parameters.region_types)]:
        columns.setdefault(name.upper(), name)
    refuse(region_expression_problems(parameters, list(columns.values())))
    return list(columns.values())


@lru_cache(maxsize=64)  # a file of parameters is read by several steps of a command
def check_region_expression(region_type: RegionType, geography_columns: tuple[str, ...]) -> Problem | None:
    """The problem of the id expression of `region_type`, or None. Its `where` is the key, without the file.

    The expression is parsed, inspected, and tried on zero rows; never on data.
    """
    with duckdb.connect(":memory:", config={**_CLOSED}) as connection:
        connection.execute("set lock_configuration = true")
        complaint = _complaint_about_syntax(connection, region_type.id, geography_columns) or _complaint_about_type(
            connection, region_type.id, geography_columns
        )
    if complaint is None:
        return None
    what, fix = complaint
    return Problem(f"[region_types.{region_type.name}] id", what, fix)


def _complaint_about_syntax(
    connection: duckdb.DuckDBPyConnection, expression: str, geography_columns: Collection[str]
) -> tuple[str, str] | None:
    unquoted = _QUOTED.sub("''", expression)
    odd = [
        f"no SQL expression: {what} is not allowed here" for what, pattern in _ODD.items() if pattern.search(unquoted)
    ]
    found = odd[0] if odd else harmless_nodes(connection, expression, geography_columns)
    if not isinstance(found, str):
        return None
    columns, functions = ", ".join(geography_columns), ", ".join(sorted(FUNCTIONS))
    example = " || ".join(list(geography_columns)[:2])
    fix = f'write one short SQL expression over the geography columns, such as "{example}"'
    return found, f"{fix}; columns: {columns}; functions: {functions}"


def _complaint_about_type(
    connection: duckdb.DuckDBPyConnection, expression: str, geography_columns: Collection[str]
) -> tuple[str, str] | None:
    """The problem of the type that the expression gives on an empty table of blocks: every region id has to be text."""
    columns = ", ".join('"{}" varchar'.format(name.replace('"', '""')) for name in geography_columns)
    try:
        connection.execute(f"create table blocks ({columns})")
        ids = connection.table("blocks").project(expression)
        ids.fetchall()
    except duckdb.Error as error:
        return f"fails on an empty geography: {first_line(error)}", "correct the expression"
    kind = str(ids.types[0])
    return None if kind == "VARCHAR" else (f"gives {kind}, not text", "cast it: cast(... as varchar)")
