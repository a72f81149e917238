"""Whether SQL expressions of users are harmless, and whether expressions of region types give text."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Literal

import duckdb

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import quoted_name, sql_files
from safetab_sql.public.columns import alike_names
from safetab_sql.settings.geography import RegionType
from safetab_sql.settings.parameters import Parameters, census

Node = Mapping[str, Any]
Key = Literal["id", "name"]  # of a region type: the keys that are SQL

_LONGEST_EXPRESSION = 2000  # characters
# Characters of a result, if columns hold texts of at most a given length: ten nested replacements could fill a disk.
_LONGEST_OUTCOME = 100_000
_LONGEST_COLUMN = 100
_LONGEST_NUMBER = 40
_ENDLESS = 10**18
_SYNTAX = {"COLUMN_REF", "CONSTANT", "CAST", "TYPE", "CASE", "COMPARISON", "CONJUNCTION", "BETWEEN", "FUNCTION"}
_OPERATORS = {f"OPERATOR_{name}" for name in ("NOT", "IS_NULL", "IS_NOT_NULL", "COALESCE")}
_OPERATORS |= {"COMPARE_IN", "COMPARE_NOT_IN"}
# All are functions of their arguments alone.
FUNCTIONS = frozenset(
    {
        *("||", "concat", "concat_ws", "left", "right", "substr", "substring", "split_part", "replace", "translate"),
        *("lpad", "rpad", "trim", "ltrim", "rtrim", "upper", "lower", "reverse", "length", "strlen"),
        *("nullif", "ifnull", "if", "greatest", "least", "position", "strpos", "instr", "contains"),
        *("starts_with", "ends_with", "prefix", "suffix", "^@", "~~", "!~~", "~~*", "!~~*"),
        *("regexp_matches", "regexp_full_match", "regexp_replace", "regexp_extract"),
        *("+", "-", "*", "//", "%"),
    }
)
_TYPES = {"VARCHAR", "TEXT", "STRING", "CHAR", "BPCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "INT", "BIGINT"}


def harmless_nodes(expression: str, columns: Collection[str]) -> list[Node] | str:
    """Every node of the syntax tree of `expression`, or what is wrong with the expression, in the user's words.

    The expression is parsed and inspected, never run. columns: the columns that it may read; capitals do not matter.
    """
    if len(expression) > _LONGEST_EXPRESSION:
        return f"longer than {_LONGEST_EXPRESSION} characters"
    if any(not character.isprintable() and character not in "\n\t" for character in expression):
        return "a character that cannot be printed"
    try:
        # The expression is parsed as the only value of a row: a bracket that closes too early, a second value or a
        # second statement then shows in the tree. The line break ends a comment that would hide the closing bracket.
        trees = [_parsed_row(f"values ({expression}{end})") for end in ("", "\n")]
    except RecursionError:
        return "nested too deeply"
    except (duckdb.Error, ValueError) as error:
        return f"no SQL expression: {first_line(error)}"
    nodes = [node for tree in trees for node in nodes_of(tree)]
    lower_columns = {column.casefold() for column in columns}
    found = next(filter(None, (_forbidden(node, lower_columns) for node in nodes)), None)
    if found is None and _longest_outcome(nodes) > _LONGEST_OUTCOME:
        found = f"what may give a text of more than {_LONGEST_OUTCOME:,} characters"
    return nodes if found is None else f"{found} is not allowed here"


@cache
def named_columns(*expressions: str) -> tuple[str, ...]:
    """The columns that expressions name, each once, in their spelling; none of one that cannot be parsed."""
    found: dict[str, None] = {}
    for expression in expressions:
        with suppress(duckdb.Error, ValueError, RecursionError):
            nodes = nodes_of(_parsed_row(f"values ({expression}\n)"))
            found |= {node["column_names"][0]: None for node in nodes if len(node.get("column_names", ())) == 1}
    return tuple(found)


def _parsed_row(statement: str) -> object:
    """The tree of `statement` if it is one row of one value; ValueError if it is anything else."""
    said: Node = json.loads(_answer("values (json_serialize_sql($1))", statement))
    if said.get("error", True):
        raise ValueError(said.get("error_message", "it cannot be parsed"))
    node, *others = (each["node"] for each in said["statements"])
    if others:
        raise ValueError("more than one statement")
    rows = node.get("from_table", {}).get("values", [])
    if node["modifiers"] or node["cte_map"]["map"] or len(rows) != 1 or len(rows[0]) != 1:
        raise ValueError("more than one expression")
    return rows[0][0]


def expression_text(node: Node) -> str:
    """A node of a syntax tree as SQL."""
    tree = json.loads(_answer("values (json_serialize_sql($1))", "values (0)"))
    tree["statements"][0]["node"]["from_table"]["values"] = [[node]]
    text = _answer("values (json_deserialize_sql(cast($1 as json)))", json.dumps(tree))
    return text.partition("(VALUES (")[2].rpartition(")) AS ")[0]


@lru_cache(maxsize=1024)
def _answer(statement: str, value: str) -> str:
    with _closed().cursor() as connection:
        return str(connection.execute(statement, [value]).fetchall()[0][0])


def nodes_of(tree: object) -> Iterator[Node]:
    """Every node of the syntax tree, each before what is below it: DuckDB gives each a `class`."""
    waiting = [*_children([tree])]
    while waiting:
        yield (node := waiting.pop())
        waiting += _children(node)


def _longest_outcome(nodes: Sequence[Node]) -> int:
    """A bound on the characters of every computed text, if columns have at most 100. nodes: each above those below."""
    lengths: dict[int, int] = {}
    for node in reversed(nodes):
        below = list(_children(node))
        match node["class"]:
            case "COLUMN_REF":
                longest = _LONGEST_COLUMN
            case "CONSTANT":
                longest = len(_constant(node))
            case _:
                name = str(node.get("function_name")).casefold()
                longest = max(_longest_call(name, below, [lengths[id(child)] for child in below]), _LONGEST_NUMBER)
        lengths[id(node)] = min(longest, _ENDLESS)
    return max(lengths.values(), default=0)


def _children(part: object) -> Iterator[Node]:
    for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        if isinstance(value, dict) and "class" in value:
            yield value
        else:
            yield from _children(value)


def _longest_call(name: str, below: Sequence[Node], lengths: Sequence[int]) -> int:
    """A bound on the characters of function `name` of the nodes `below` it, by theirs; of any other name, their sum."""
    if name in ("lpad", "rpad") and len(lengths) == 3:
        wanted = _constant(below[1])
        return sum(lengths) + (int(wanted) if wanted.isascii() and wanted.isdigit() else _ENDLESS)
    if name == "replace" and len(lengths) == 3:
        return max(1, lengths[0]) * max(1, lengths[2]) + lengths[1]
    if name == "regexp_replace" and len(lengths) >= 3:  # \1 inserts the matched text
        matched = lengths[0] if "\\" in _constant(below[2]) or below[2]["class"] != "CONSTANT" else 1
        return (lengths[0] + 1) * (lengths[2] * matched + 1) + lengths[1]
    if name == "concat_ws":
        return sum(lengths) + len(lengths) * max(lengths, default=0)
    return sum(lengths)


def _constant(node: Node) -> str:
    """The text of a constant; '' for any other node."""
    return str(node["literal"].get("text")) if node.get("literal") else ""


def _forbidden(node: Node, columns: Collection[str]) -> str | None:
    """The node in the user's words if it is not on the lists above; None if it is."""
    match kind := str(node["class"]):
        case "COLUMN_REF":
            path = node["column_names"]
            is_listed, words = len(path) == 1 and path[0].casefold() in columns, f"column '{'.'.join(path)}'"
        case "FUNCTION":
            name = str(node["function_name"]).casefold()
            is_plain = not any(node.get(extra) for extra in ("schema", "catalog", "filter", "distinct"))
            is_listed, words = is_plain and name in FUNCTIONS, f"function '{name}'"
        case "OPERATOR":
            is_listed, words = node["type"] in _OPERATORS, f"operator {node['type']}"
        case "TYPE":
            is_listed, words = str(node["type_name"]).upper() in _TYPES, f"type {node['type_name']}"
        case _:
            is_listed, words = kind in _SYNTAX, kind.lower().replace("_", " ")
    return None if is_listed else words


def first_line(error: Exception) -> str:
    """The first line of the message of an error, or the name of the error if it has no message."""
    return (str(error).splitlines() or [type(error).__name__])[0]


@cache
def _closed() -> duckdb.DuckDBPyConnection:
    """No files, no network, no extensions, and too little memory for an expression whose result explodes."""
    config = {"enable_external_access": "false", "memory_limit": "256MB", "threads": "1", "lock_configuration": "true"}
    return duckdb.connect(":memory:", config={**config})


_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
# Quotes and comments that the search for $values in a statement (sqlfiles.py) would misread.
_ODD = {
    "a parameter, or another $ outside quotes": re.compile(r"\$"),
    "a comment": re.compile(r"--|/\*"),
    "a letter before a quotation mark": re.compile(r"\b[a-zA-Z]'"),
}


def region_expression_problems(parameters: Parameters, geography_columns: Collection[str]) -> list[Problem]:
    """The problems of all region types that the parameter file declares."""
    kinds = [kind for kind in parameters.region_types if kind not in census().region_types]
    own: list[tuple[RegionType, Key]] = [(kind, "id") for kind in kinds]
    own += [(kind, "name") for kind in parameters.region_types if kind.region_name is not None]
    # The columns that the table read by expressions has besides the columns of the geography.
    ours = {column.name.upper() for column in sql_files()["geography_areas"].columns}
    counts = Counter(map(str.upper, geography_columns))
    bad = [name for name in geography_columns if not name or counts[name.upper()] > 1]
    taken = [name for name in geography_columns if name.upper() in ours]
    if own and (bad or taken):
        why = "has no name, or one that SQL does not tell from another's" if bad else "has the name of a column of ours"
        what = f"column '{[*bad, *taken][0]}' {why}"
        return [Problem("geography", what, "rename or drop it: region types of your own may read every column")]
    # A column of names that is missing is told with all others that are.
    missing = [name for name in columns_of("name", (kind for kind, _ in own)) if not counts[name.upper()]]
    unknown = [name for name in columns_of("id", (kind for kind, _ in own)) if not counts[name.upper()]]
    alike = [name for _, name in alike_names(geography_columns, unknown)]
    known = {"id": (*geography_columns, *alike), "name": (*geography_columns, *missing)}
    problems = [check_region_expression(kind, known[key], key) for kind, key in own]
    return [replace(problem, where=f"{parameters.source} {problem.where}") for problem in problems if problem]


def columns_of(key: Key, kinds: Iterable[RegionType]) -> tuple[str, ...]:
    """The columns that the ids of region types read, or the names of their regions, each once, as they spell them."""
    return named_columns(*((kind.id if key == "id" else kind.region_name or "") for kind in kinds))


def presumed_columns(parameters: Parameters) -> list[str]:
    """The columns of a geography that is not given: of places and parts, and of ids and names of regions.

    Raises: InputError with every problem of these region types.
    """
    geography = parameters.geography
    columns = {column.name.upper(): column.name for column in geography.place}
    named = [name for part in geography.parts for name in part.where]
    for name in [*named, *columns_of("id", parameters.region_types), *columns_of("name", parameters.region_types)]:
        columns.setdefault(name.upper(), name)
    refuse(region_expression_problems(parameters, list(columns.values())))
    return list(columns.values())


@lru_cache(maxsize=64)  # a file of parameters is read by several steps of a command
def check_region_expression(region_type: RegionType, columns: tuple[str, ...], key: Key = "id") -> Problem | None:
    """The problem of the id or the name of `region_type`, or None. Its `where` is the key, without the file.

    The expression is parsed, inspected, and tried on a geography without rows, where it has to give text.
    """
    where = f"[region_types.{region_type.name}] {key}"
    expression = region_type.id if key == "id" else region_type.region_name or ""
    unquoted = _QUOTED.sub("''", expression)
    odd = [f"no SQL expression: {what} is not allowed here" for what, each in _ODD.items() if each.search(unquoted)]
    found = odd[0] if odd else harmless_nodes(expression, columns)
    if isinstance(found, str):
        fix = f'write one short SQL expression over the geography columns, such as "{" || ".join(columns[:2])}"'
        return Problem(where, found, f"{fix}; columns: {', '.join(columns)}; functions: {', '.join(sorted(FUNCTIONS))}")
    texts = ", ".join(f"{quoted_name(name)} varchar" for name in columns)
    try:
        with _closed().cursor() as connection:
            connection.execute(f"create temporary table areas ({texts})")
            ids = connection.table("areas").project(expression)
            ids.fetchall()
            kind = str(ids.types[0])
    except duckdb.Error as error:
        return Problem(where, f"fails on an empty geography: {first_line(error)}", "correct the expression")
    return None if kind == "VARCHAR" else Problem(where, f"gives {kind}, not text", "cast it: cast(... as varchar)")
