"""Expressions of a person view: what each of them may be, and whether it says that two rows are of one person.

A statement is read as the tree of `json_serialize_sql`. What is not listed here is refused: classes of nodes,
functions, operators, types, and members of a node that have another value than the usual one.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from safetab_sql.public.expressions import FUNCTIONS, OPERATORS

Tree = Mapping[str, Any]

_DATES = frozenset(
    {
        *("date_part", "datepart", "date_trunc", "datetrunc", "date_diff", "datediff", "date_sub", "datesub"),
        *("year", "month", "day", "quarter", "week", "isodow", "dayofweek", "dayofyear", "hour", "minute", "second"),
        *("last_day", "make_date", "strftime", "abs", "sign", "round", "floor", "ceil", "ceiling", "mod", "least"),
    }
)
_SCALAR = FUNCTIONS | _DATES
# Aggregates of which the order of the rows decides nothing; `view_problems` sees to it that no sum is of fractions.
_UNORDERED = frozenset({"count", "count_star", "count_if", "countif", "sum", "min", "max", "bool_and", "bool_or"})
_ORDERED = frozenset({"first", "any_value", "arbitrary", "last", "mode", "string_agg", "group_concat", "listagg"})
_AGGREGATES = _UNORDERED | _ORDERED
# Windows whose value follows from the values that rows are ordered by; the others need an order without ties.
_RANKS = frozenset({"rank", "dense_rank"})
_POSITIONS = frozenset({"row_number", "lag", "lead", "first_value"})
_FRAMES = frozenset({"UNBOUNDED_PRECEDING", "UNBOUNDED_FOLLOWING", "CURRENT_ROW_RANGE"})
_FRAMES_OF_ROWS = frozenset({"CURRENT_ROW_ROWS", "EXPR_PRECEDING_ROWS", "EXPR_FOLLOWING_ROWS"})
_TYPES = frozenset(
    {
        *("VARCHAR", "TEXT", "STRING", "CHAR", "BPCHAR", "BOOLEAN", "BOOL", "DATE", "TIMESTAMP", "DECIMAL", "NUMERIC"),
        *("TINYINT", "SMALLINT", "INTEGER", "INT", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    }
)
# Members of any node that decide nothing beside the others: where it stands, and its name once more.
_PLACES = ("query_location", "query_location_length", "class", "type", "qualified_name", "alias", "is_operator")
_USUAL: Mapping[str, object] = {
    "nearest_count": 1,
    "nearest_order_type": "ASCENDING",
    "exclude_clause": "NO_OTHER",
    "is_implicit": True,
}
_NO_PLACE = 2**63


class RefusedError(Exception):
    """A piece of a statement that is not on the lists: the piece, why it may not stand, and a way to say it."""

    def __init__(self, piece: str, why: str, way: str) -> None:
        self.piece, self.why, self.way = piece, why, way
        super().__init__(f"{piece}: {why}")


@dataclass(frozen=True, slots=True)
class Relation:
    """A table, query or CTE in `from`. keys: its columns that hold the person. Names are in small letters.

    Without keys it is public. is_optional: of a left join, so the keys may be missing.
    """

    alias: str
    keys: frozenset[str]
    is_optional: bool = False


# Of each column of a query, its name in small letters, None of `*`, and the columns of the person that it gives.
Outputs = tuple[tuple[str | None, frozenset[str]], ...]


@dataclass(frozen=True, slots=True)
class Query:
    """What a query gives."""

    outputs: Outputs
    is_private: bool

    @property
    def keys(self) -> frozenset[str]:
        """The columns that hold the person."""
        return frozenset(key for _, keys in self.outputs for key in keys)


@dataclass(frozen=True, slots=True)
class Scope:
    """A place in a statement, and what an expression may name there.

    Of the whole statement: text; keys, its columns of persons; tables, the names of all tables, queries and CTEs;
    private, the tables that it may read, each with its column of the person; refused_queries, why CTEs were refused.
    queries: the CTEs so far; None of one that was refused. relations: what stands in `from`. pairs: relations whose
    persons are equal in every row. outer: the scope of the query around a subquery. has_one_person: whether `where`
    leaves the rows of one person, so that nothing has to be divided by persons. is_grouped: whether a row is a group.
    subquery: checks a query inside an expression; None where none may stand.
    """

    text: bytes
    keys: frozenset[str]
    tables: frozenset[str]
    private: Mapping[str, str | None]
    refused_queries: list[RefusedError]
    queries: Mapping[str, Query | None] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    outer: "Scope | None" = None
    has_one_person: bool = False
    is_grouped: bool = False
    subquery: "Callable[[Tree, Scope], None] | None" = None

    @property
    def is_private(self) -> bool:
        """Whether rows belong to persons."""
        return any(each.keys for each in self.relations)

    def without_relations(self) -> "Scope":
        """What is known of the whole statement, for a query of its own."""
        return Scope(self.text, self.keys, self.tables, self.private, self.refused_queries, self.queries)

    @property
    def must_divide(self) -> bool:
        """Whether what reads several rows has to be divided by persons."""
        return self.is_private and not self.has_one_person

    def piece(self, node: Tree) -> str:
        """The text of a node, on one line; where it has no place of its own, what it is."""
        first, length = node.get("query_location", _NO_PLACE), node.get("query_location_length", 0)
        if first < _NO_PLACE and length:
            return " ".join(self.text[first : first + length].decode("utf-8", "replace").split())
        return str(node.get("function_name") or node.get("type", "")).lower().replace("_", " ")

    def refused(self, node: Tree, why: str, way: str) -> RefusedError:
        """The refusal of a node."""
        return RefusedError(self.piece(node), why, way)


def plain(node: Tree, scope: Scope, *handled: str) -> None:
    """Raises: RefusedError where a member of a node that nobody handles has another value than the usual one."""
    for key, value in node.items():
        is_usual = value in (None, "", False, _USUAL.get(key)) or value in ([], {})
        if not is_usual and key not in handled and key not in _PLACES:
            raise scope.refused(node, f"it has {key.replace('_', ' ')}, which is not on the list", "leave it out")


def named(node: Tree) -> tuple[str, ...]:
    """The parts of the name of a column, in small letters; none of any other node."""
    return tuple(map(str.lower, node["column_names"])) if node.get("class") == "COLUMN_REF" else ()


def key_owner(node: Tree, scope: Scope) -> str | None:
    """The relation whose person a node is: its bare column, where every row has one; otherwise None."""
    path = named(node)
    if not 1 <= len(path) <= 2:
        return None
    for each in scope.relations:
        if path[-1] in each.keys and not each.is_optional and path[:-1] in ((), (each.alias,)):
            return each.alias
    return None


def conjuncts(node: Tree | None) -> Iterator[Tree]:
    """The conditions that all have to hold."""
    if node is not None and node.get("type") == "CONJUNCTION_AND":
        for child in node["children"]:
            yield from conjuncts(child)
    elif node is not None:
        yield node


def _equalities(condition: Tree | None) -> Iterator[tuple[Tree, Tree]]:
    """Both sides of each comparison of which all have to hold, in either order."""
    for each in conjuncts(condition):
        if each.get("type") == "COMPARE_EQUAL":
            yield from ((each["left"], each["right"]), (each["right"], each["left"]))


def key_pairs(condition: Tree | None, left: Scope, right: Scope) -> Iterator[tuple[str, str]]:
    """The relations of either scope whose persons a condition says to be equal."""
    for one, other in _equalities(condition):
        first, second = key_owner(one, left), key_owner(other, right)
        if first is not None and second is not None:
            yield first, second


def is_correlated(condition: Tree | None, scope: Scope, outer: Scope) -> bool:
    """Whether a condition of a subquery leaves the rows of the person of the outer row: INNER.PERSON = OUTER.PERSON.

    The outer column has a table in front that the subquery does not read itself: any other name may be one of its own.
    """
    inner = [each.alias for each in scope.relations]
    around = replace(outer, relations=tuple(each for each in outer.relations if each.alias not in inner))
    return any(
        len(named(other)) == 2 and key_owner(other, around) and key_owner(one, scope)
        for one, other in _equalities(condition)
    )


def check_expression(node: Tree | None, scope: Scope) -> None:
    """Raises: RefusedError where a node, or one below it, is not on the lists."""
    if node is None:
        return
    check = _CHECKS.get(str(node.get("class")))
    if check is None:
        what = str(node.get("class")).lower().replace("_", " ")
        raise scope.refused(node, f"{what} is not on the list of what a person view may hold", "say it without")
    for below in check(node, scope):
        check_expression(below, scope)


# Each returns the nodes below, in the order in which they are checked.
Below = Iterable[Tree | None]


def _column(node: Tree, scope: Scope) -> Below:
    path = named(node)
    plain(node, scope, "column_names")
    if len(path) == 1 and path[0] in scope.tables:
        raise scope.refused(node, "it is a table, and no column", "name a column of it")
    around: Scope | None = scope
    while len(path) == 2 and around is not None:
        if path[0] in [each.alias for each in around.relations]:
            return ()
        around = around.outer
    if len(path) != 1:
        raise scope.refused(node, "no table of this name is read here", "write COLUMN, or TABLE.COLUMN")
    return ()


def _constant(node: Tree, scope: Scope) -> Below:
    plain(node, scope, "literal", "value")
    return ()


def _cast(node: Tree, scope: Scope) -> Below:
    plain(node, scope, "child", "type_expr", "try_cast")
    kind = node["type_expr"]
    plain(kind, scope, "type_name", "children")
    if str(kind["type_name"]).upper() not in _TYPES:
        way = "cast to VARCHAR, a whole number, DECIMAL, DATE or TIMESTAMP"
        raise scope.refused(node, f"type {kind['type_name']} is not on the list", way)
    return (node["child"],)


def _case(node: Tree, scope: Scope) -> Below:
    plain(node, scope, "case_checks", "else_expr")
    return *(each[part] for each in node["case_checks"] for part in ("when_expr", "then_expr")), node["else_expr"]


def _compared(node: Tree, scope: Scope) -> Below:
    sides = ("left", "right", "input", "lower", "upper")
    plain(node, scope, *sides, "children")
    return *map(node.get, sides), *node.get("children", ())


def _operator(node: Tree, scope: Scope) -> Below:
    if node["type"] not in OPERATORS:
        raise scope.refused(node, f"operator {node['type']} is not on the list", "say it without")
    return _compared(node, scope)


def _arguments(node: Tree, scope: Scope) -> list[Tree]:
    given = node["arguments"]
    if any(each["name"] for each in given) or node["schema"] or node["catalog"]:
        raise scope.refused(node, "an argument or a function with a name in front is not on the list", "leave it out")
    return [each["expression"] for each in given]


def _function(node: Tree, scope: Scope) -> Below:
    name = str(node["function_name"]).lower()
    aggregated = ("filter", "distinct", "order_bys") if name in _AGGREGATES else ("order_bys",)
    arguments, orders = _arguments(node, scope), node["order_bys"]["orders"]
    if name not in _AGGREGATES | _SCALAR:
        raise scope.refused(node, f"function {name} is not on the list", _way_without(name))
    plain(node, scope, "function_name", "arguments", *aggregated)
    if name not in _ORDERED and orders:
        raise scope.refused(node, f"{name} has no order", "leave the order by out")
    if name in _UNORDERED and len(arguments) > 1:
        raise scope.refused(node, f"{name} of several arguments is not on the list", "give it one")
    if name in _ORDERED:
        _check_ties(node, arguments, orders, scope)
    return *arguments, node["filter"], *(each["expression"] for each in orders)


def _way_without(name: str) -> str:
    ways = {
        "avg": "write sum(COLUMN) // count(COLUMN), or publish sum and count",
        "/": "write // for the whole part, or cast both to DECIMAL",
        "arg_max": "write first(COLUMN order by OTHER desc, COLUMN)",
        "arg_min": "write first(COLUMN order by OTHER, COLUMN)",
    }
    listed = ", ".join(sorted(each for each in _SCALAR | _AGGREGATES if each.isidentifier()))
    return ways.get(name, f"functions: {listed}")


def _check_ties(node: Tree, arguments: Sequence[Tree], orders: Sequence[Tree], scope: Scope) -> None:
    """Refuse an aggregate of ordered rows whose value is not the same for every order of rows with equal values."""
    ordered = [bare(each["expression"]) for each in orders]
    if missing := [each for each in arguments if each["class"] != "CONSTANT" and bare(each) not in ordered]:
        argument = scope.piece(missing[0])
        why = f"rows that its order by does not tell apart may give any {argument}"
        raise scope.refused(node, why, f"end its order by with the argument: order by ..., {argument}")


def bare(node: object) -> str:
    """A node without its place in the text."""
    if isinstance(node, Mapping):
        return json.dumps({key: bare(each) for key, each in sorted(node.items()) if "location" not in key})
    return json.dumps([bare(each) for each in node]) if isinstance(node, list) else json.dumps(node)


def _window(node: Tree, scope: Scope) -> Below:
    name = str(node["function_name"]).lower()
    ends = ("start", "end", "start_expr", "end_expr")
    plain(node, scope, "function_name", "arguments", "partitions", "orders", *ends, "filter_expr")
    arguments, orders = _arguments(node, scope), node["orders"]
    if name not in _UNORDERED | _RANKS | _POSITIONS:
        way = f"windows: {', '.join(sorted(_UNORDERED | _RANKS | _POSITIONS))}"
        raise scope.refused(node, f"window function {name} is not on the list", way)
    if scope.must_divide and not any(key_owner(each, scope) for each in node["partitions"]):
        why = "this window is over the rows of all persons"
        raise scope.refused(node, why, "write over (partition by PERSON ...), with the column of the person")
    frame = {node["start"], node["end"]}
    if not frame <= _FRAMES | _FRAMES_OF_ROWS:
        raise scope.refused(node, "this frame is not on the list", "take rows between, or no frame")
    expressions = [each["expression"] for each in orders]
    if name in _POSITIONS or frame & _FRAMES_OF_ROWS:
        _check_total_order(node, expressions, scope)
        rows = [(each.alias,) for each in scope.relations]
        expressions = [each for each in expressions if named(each) not in rows]
    return *arguments, *node["partitions"], *expressions, node["start_expr"], node["end_expr"], node["filter_expr"]


def _check_total_order(node: Tree, orders: Sequence[Tree], scope: Scope) -> None:
    """Refuse an order in which two different rows may be equal: their place in the files would decide."""
    if scope.is_grouped:
        why = "rows of groups that its order by does not tell apart may come in any order"
        raise scope.refused(node, why, "group in a query of its own (with NAME as ...), and number its rows")
    rows = [named(each) for each in orders]
    if missing := [each.alias for each in scope.relations if (each.alias,) not in rows]:
        why = "rows that its order by does not tell apart may come in any order"
        way = f"end its order by with all columns of the row: order by ..., {', '.join(missing)}"
        raise scope.refused(node, why, way)


def _subquery(node: Tree, scope: Scope) -> Below:
    plain(node, scope, "subquery_type", "subquery", "child", "comparison_type")
    if scope.subquery is None:
        raise scope.refused(node, "a query inside a condition of a join is not on the list", "join its table instead")
    if node["subquery_type"] not in ("SCALAR", "EXISTS", "NOT_EXISTS", "ANY"):
        raise scope.refused(node, "this kind of subquery is not on the list", "write exists, or in")
    yield node["child"]
    scope.subquery(node, scope)


_CHECKS: Mapping[str, Callable[[Tree, Scope], Below]] = {
    "COLUMN_REF": _column,
    "CONSTANT": _constant,
    "CAST": _cast,
    "CASE": _case,
    "COMPARISON": _compared,
    "CONJUNCTION": _compared,
    "BETWEEN": _compared,
    "OPERATOR": _operator,
    "FUNCTION": _function,
    "WINDOW": _window,
    "SUBQUERY": _subquery,
}


def is_aggregate(node: object) -> bool:
    """Whether a node has an aggregate in it, other than of a subquery."""
    if isinstance(node, list):
        return any(map(is_aggregate, node))
    if not isinstance(node, Mapping) or node.get("class") == "SUBQUERY":
        return False
    name = str(node.get("function_name", "")).lower()
    return (node.get("class") == "FUNCTION" and name in _AGGREGATES) or any(map(is_aggregate, node.values()))
