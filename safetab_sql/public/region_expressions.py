"""Whether the id expression of a region type of the user's own is a harmless SQL expression.

It is pasted into the program's statements, so it may hold nothing but columns of the geography file,
constants, casts, CASE, comparisons, AND / OR / NOT, and the string functions listed here: no subquery, no
aggregate or window, no function that reads files, settings, the clock or random bits, and nothing that ends
the expression and starts something else.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import duckdb

from safetab_sql.errors import Problem
from safetab_sql.public.levels import STANDARD_REGION_TYPES, RegionType
from safetab_sql.public.parameters import Parameters

# No files, no network, no extensions, and not enough memory for an expression that explodes.
_CLOSED = {"enable_external_access": "false", "memory_limit": "256MB", "threads": "1"}
_LONGEST_EXPRESSION = 2000  # characters
_SYNTAX = frozenset(
    {"COLUMN_REF", "CONSTANT", "CAST", "TYPE", "CASE", "COMPARISON", "CONJUNCTION", "BETWEEN", "FUNCTION"}
)
_OPERATORS = frozenset(
    {
        "COMPARE_IN",
        "COMPARE_NOT_IN",
        "OPERATOR_NOT",
        "OPERATOR_IS_NULL",
        "OPERATOR_IS_NOT_NULL",
        "OPERATOR_COALESCE",
    }
)
# All are functions of their arguments alone.
_FUNCTIONS = frozenset(
    {
        *(
            "||",
            "concat",
            "concat_ws",
            "left",
            "right",
            "substr",
            "substring",
            "split_part",
            "replace",
            "translate",
        ),
        *("lpad", "rpad", "trim", "ltrim", "rtrim", "upper", "lower", "reverse", "length", "strlen"),
        *("nullif", "ifnull", "if", "greatest", "least", "position", "strpos", "instr", "contains"),
        *("starts_with", "ends_with", "prefix", "suffix", "^@", "~~", "!~~", "~~*", "!~~*"),
        *("regexp_matches", "regexp_full_match", "regexp_replace", "regexp_extract"),
        *("+", "-", "*", "//", "%"),
    }
)
_TYPES = frozenset(
    {
        "VARCHAR",
        "TEXT",
        "STRING",
        "CHAR",
        "BPCHAR",
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "INT",
        "BIGINT",
    }
)


def region_expression_problems(parameters: Parameters, geography_columns: Collection[str]) -> list[Problem]:
    """The problems of all region types that the parameter file defines itself."""
    own = [kind for kind in parameters.region_types if kind not in STANDARD_REGION_TYPES]
    problems = [check_region_expression(kind, geography_columns) for kind in own]
    return [replace(problem, where=f"{parameters.source} {problem.where}") for problem in problems if problem]


def check_region_expression(region_type: RegionType, geography_columns: Collection[str]) -> Problem | None:
    """What is wrong with the id expression of `region_type`, or None. `where` is the key, without the file.

    The expression is parsed, looked through, and tried on zero rows; never on data.
    """
    with duckdb.connect(":memory:", config={**_CLOSED}) as connection:
        connection.execute("set lock_configuration = true")
        complaint = (
            _complaint_about_text(region_type.id)
            or _complaint_about_syntax(connection, region_type.id, geography_columns)
            or _complaint_about_type(connection, region_type.id, geography_columns)
        )
    if complaint is None:
        return None
    what, fix = complaint
    return Problem(f"[region_types.{region_type.name}] id", what, fix)


def _complaint_about_text(expression: str) -> tuple[str, str] | None:
    if len(expression) > _LONGEST_EXPRESSION:
        return f"longer than {_LONGEST_EXPRESSION} characters", "shorten the expression"
    if any(not character.isprintable() and character not in "\n\t" for character in expression):
        return "a character that cannot be printed", "type the expression anew"
    return None


def _complaint_about_syntax(
    connection: duckdb.DuckDBPyConnection, expression: str, geography_columns: Collection[str]
) -> tuple[str, str] | None:
    fix = 'write one SQL expression over the geography columns, such as "TABBLKST || TABBLKCOU"'
    try:
        # As the one value of a row: a bracket that closes too early, a second value or a second statement
        # shows in the tree. The line break catches a comment that would hide the closing bracket.
        trees = [_parsed_row(connection, f"values ({expression}{end})") for end in ("", "\n")]
    except RecursionError:
        return "nested too deeply", "shorten the expression"
    except (duckdb.Error, ValueError) as error:
        return f"no SQL expression: {_first_line(error)}", fix
    for tree in trees:
        for node in _nodes(tree):
            found = _forbidden(node, {column.casefold() for column in geography_columns})
            if found:
                columns, functions = ", ".join(geography_columns), ", ".join(sorted(_FUNCTIONS))
                return f"{found} is not allowed here", f"{fix}; columns: {columns}; functions: {functions}"
    return None


def _parsed_row(connection: duckdb.DuckDBPyConnection, statement: str) -> object:
    """The tree of the one value of the one row of `statement`; ValueError if it is anything else."""
    row = connection.execute("values (json_serialize_sql($1))", [statement]).fetchone()
    parsed = json.loads(row[0]) if row else {}
    if parsed.get("error", True):
        raise ValueError(parsed.get("error_message", "it cannot be parsed"))
    if len(parsed["statements"]) != 1:
        raise ValueError("more than one statement")
    node = parsed["statements"][0]["node"]
    rows = node.get("from_table", {}).get("values", [])
    if node["modifiers"] or node["cte_map"]["map"] or len(rows) != 1 or len(rows[0]) != 1:
        raise ValueError("more than one expression")
    return rows[0][0]


def _nodes(tree: object) -> Iterator[Mapping[str, object]]:
    """Every node of the syntax tree: DuckDB gives each a `class`."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if "class" in part:
                yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _forbidden(node: Mapping[str, object], columns: Collection[str]) -> str | None:
    """What the node is, in the user's words, if it is not on the lists above; None if it is."""
    kind = str(node["class"])
    if kind == "COLUMN_REF":
        return _forbidden_column(node.get("column_names"), columns)
    if kind == "FUNCTION":
        return _forbidden_function(node)
    if kind == "OPERATOR":
        return None if node["type"] in _OPERATORS else f"operator {node['type']}"
    if kind == "CAST" and "cast_type" in node:  # how DuckDB 1 states what DuckDB 2 has as a TYPE node
        return _forbidden_type(node["cast_type"]["id"] if isinstance(node["cast_type"], dict) else None)
    if kind == "TYPE":
        return _forbidden_type(node["type_name"])
    return None if kind in _SYNTAX else kind.lower().replace("_", " ")


def _forbidden_column(names: object, columns: Collection[str]) -> str | None:
    path = [str(name) for name in names] if isinstance(names, list) else []
    return None if len(path) == 1 and path[0].casefold() in columns else f"column '{'.'.join(path)}'"


def _forbidden_function(node: Mapping[str, object]) -> str | None:
    name = str(node["function_name"]).casefold()
    is_plain = not any(node.get(extra) for extra in ("schema", "catalog", "filter", "distinct"))
    return None if is_plain and name in _FUNCTIONS else f"function '{name}'"


def _forbidden_type(name: object) -> str | None:
    return None if str(name).upper() in _TYPES else f"type {name}"


def _complaint_about_type(
    connection: duckdb.DuckDBPyConnection, expression: str, geography_columns: Collection[str]
) -> tuple[str, str] | None:
    """The outcome of the expression on an empty table of blocks: every region id has to be text."""
    columns = ", ".join('"{}" varchar'.format(name.replace('"', '""')) for name in geography_columns)
    try:
        connection.execute(f"create table blocks ({columns})")
        ids = connection.table("blocks").project(expression)
        ids.fetchall()
    except duckdb.Error as error:
        return f"fails on an empty geography: {_first_line(error)}", "correct the expression"
    kind = str(ids.types[0])
    return None if kind == "VARCHAR" else (f"gives {kind}, not text", "cast it: cast(... as varchar)")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
