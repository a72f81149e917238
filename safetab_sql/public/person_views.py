"""Whether a statement of a user makes rows that each depend on one person alone: a short whitelist over its tree.

A query is private where it reads a private table. What is accepted keeps this true of every private query Q, for all
tables D: Q(D) is the union, over persons p, of Q(records of p in D and the public tables), and every row that p
gives holds p in the columns of the person. Tables have this property. Projections, conditions and deterministic
functions of a row keep it, and so do groups, windows and `distinct` that are divided by the person, joins of private
queries on the person, joins with public tables from which no row vanishes or appears because of a person, and unions.

No alias can pass for the person, by one rule: a column that is called like a column of the person is one,
everywhere in the statement and in every file. The statement alone is looked at, and never run.

Then the statement has to fit the tables that it reads: it is bound to empty ones, and no record is read. A type is
accepted if values that are equal are the same. Floating-point numbers are not (0.0 equals -0.0, and a sum depends on
the order of its terms), nor are intervals (a day equals 24 hours): which of two equal values stands for a group would
depend on the records of others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import quoted_name
from safetab_sql.public.expressions import CLOSED, first_line, nodes_below, serialized
from safetab_sql.public.view_expressions import (
    Outputs,
    Query,
    RefusedError,
    Relation,
    Scope,
    Tree,
    check_expression,
    is_aggregate,
    is_correlated,
    key_owner,
    key_pairs,
    named,
    plain,
)
from safetab_sql.settings.records import ViewTable

Columns = Mapping[str, pa.DataType]

_EXACT = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    *("DECIMAL", "INTEGER_LITERAL"),
)
# STRUCT is the type of a row, which only an `order by` may name.
_KNOWN = {*_EXACT, "BOOLEAN", "VARCHAR", "STRING_LITERAL", "DATE", "TIMESTAMP", "TIME", "NULL", "SQLNULL", "STRUCT"}
_FLOATING = ("FLOAT", "DOUBLE")
_NUMBERED = re.compile(r"(.+)_\d+")  # what the engine calls the second of two columns of one name
_LONGEST = 100_000  # characters of a statement
_NAME = re.compile(r"[^\W\d]\w*")
_NAME_IT = "name the columns one by one"
_BY_PERSON = "join it on the column of the person, such as a.PERSON = b.PERSON"


@dataclass(frozen=True, slots=True)
class PersonView:
    """A statement that was accepted. person: its column of persons. tables: the names in `from`, in small letters.

    read, given: the columns that it names, and the names that it gives to columns, in small letters.
    """

    text: str
    person: str
    tables: frozenset[str]
    read: frozenset[str]
    given: frozenset[str]


class _UnknownError(Exception):
    """A query reads a CTE that was refused: nothing more is known of it."""


def checked_view(statement: str, tables: Sequence[ViewTable], person: str, where: str) -> PersonView:
    """The statement, if every row of it depends on one person alone, whom its column `person` holds.

    tables: what it may read. where: what messages call the statement. Raises: InputError with every piece that is not
    on the lists, why it is not, and a way to say it.
    """
    node = _parsed(statement, where)
    private = {each.name.lower(): each.person and each.person.lower() for each in tables}
    keys = frozenset(filter(None, private.values())) | {person.lower()}
    nodes = list(nodes_below(node))
    names = {*private, *(name for each in nodes for name in _table_names(each))} - {""}
    if odd := [key for key in sorted(keys) if not _NAME.fullmatch(key) or key == "null"]:
        fix = "rename it: letters, digits and _, as no expression without a name is called"
        raise InputError([Problem(where, f"{odd[0]} is the column of the person", fix)])
    refused, deep = list[RefusedError](), list[Problem]()
    try:
        found = _query(node, Scope(statement.encode(), keys, frozenset(names), private, refused))
        if person.lower() not in found.keys:
            why = f"the result has no column {person} that is the column of the person in every row"
            way = f"give it: TABLE.COLUMN as {person}; unit.person names it"
            refused.append(RefusedError("result", why, way))
    except RefusedError as error:
        refused.append(error)
    except _UnknownError:
        pass
    except RecursionError:
        deep.append(Problem(where, "the statement is nested too deeply", "divide it: with NAME as (...)"))
    refuse([*(Problem(where, f"{each.piece}: {each.why}", each.way) for each in refused), *deep])
    read = {named(each)[-1] for each in nodes if named(each)}
    given = {str(each.get("alias", "")).lower() for each in nodes if "class" in each}
    return PersonView(statement, person, frozenset(names), frozenset(read), frozenset(given - {""}))


def _parsed(statement: str, where: str) -> Tree:
    """The tree of a statement that is one select. Raises: InputError."""
    fix = "write one query that gives a row a person"
    if len(statement) > _LONGEST:
        raise InputError([Problem(where, f"longer than {_LONGEST:,} characters", fix)])
    try:
        with duckdb.connect(":memory:", config={**CLOSED}) as connection:
            statements = serialized(connection, "json_serialize_sql($1)", statement)["statements"]
    except (duckdb.Error, ValueError, RecursionError) as error:
        raise InputError([Problem(where, f"cannot be parsed: {first_line(error)}", fix)]) from error
    if len(statements) != 1 or statements[0].get("named_param_map"):
        raise InputError([Problem(where, "is more than one statement, or has parameters", fix)])
    return statements[0]["node"]  # type: ignore[no-any-return]


def _table_names(node: Tree) -> Iterator[str]:
    """The names that a node gives to tables, in small letters."""
    if node.get("type") in ("BASE_TABLE", "SUBQUERY") and "class" not in node:
        yield str(node.get("table_name", "")).lower()
        yield str(node["alias"]).lower()
    elif isinstance(node.get("map"), list):
        yield from (str(each["key"]).lower() for each in node["map"])


def _query(node: Tree, known: Scope) -> Query:
    """What a query with its CTEs gives. known: without relations. Raises: RefusedError, _UnknownError."""
    queries = dict(known.queries)
    for each in node["cte_map"]["map"]:
        name, body = str(each["key"]).lower(), each["value"]
        here, queries[name] = replace(known, queries=dict(queries)), None
        if name in known.private or name in here.queries:
            raise RefusedError(f"with {name}", "it has the name of another table", "give it a name of its own")
        plain(body, known, "query_node", "materialized")
        try:
            queries[name] = _query(body["query_node"], here)
        except RefusedError as refused:
            known.refused_queries.append(refused)
        except _UnknownError:
            pass
    kinds = {"SELECT_NODE": _select, "SET_OPERATION_NODE": _union}
    if node["type"] not in kinds:
        raise _unlisted(str(node["type"]).removesuffix("_NODE"), "write a plain query, or union all")
    return kinds[node["type"]](node, replace(known, queries=queries))


def _unlisted(what: str, way: str) -> RefusedError:
    why = "it is not on the list of what a person view may hold"
    return RefusedError(what.lower().replace("_", " "), why, way)


def _union(node: Tree, known: Scope) -> Query:
    """A union, in which the column of the person stands in one place."""
    plain(node, known, "modifiers", "cte_map", "setop_type", "setop_all", "children")
    if node["setop_type"] != "UNION":
        raise _unlisted(str(node["setop_type"]), "write union all, or not exists")
    _check_modifiers(node, known)
    first, *others = queries = [_query(each, known) for each in node["children"]]
    if not any(each.is_private for each in queries):
        return first
    if not all(each.is_private for each in queries):
        why = "rows of a public table would stand beside rows of persons as if they were of persons"
        raise RefusedError("union", why, "join the public table instead")
    if any(name is None for each in queries for name, _ in each.outputs):
        raise RefusedError("union", "which column is the person cannot be told where there is a *", _NAME_IT)
    places = zip(first.outputs, *(each.outputs for each in others), strict=False)
    are_keys = [all(keys for _, keys in outputs) for outputs in places]
    is_lost = any(keys and not is_key for (_, keys), is_key in zip(first.outputs, are_keys, strict=False))
    if is_lost or not any(are_keys):
        why = "the column of the person is not in the same place in all parts of it"
        raise RefusedError("union", why, "name the columns in the same order in each part")
    return replace(first, outputs=first.outputs[: len(are_keys)])


def _select(node: Tree, known: Scope, outer: Scope | None = None, child: Tree | None = None) -> Query:
    """A select. outer: the scope around a subquery in an expression. child: what `in` compares with its column."""
    scope = replace(_from(node["from_table"], known), outer=outer)
    condition = node["where_clause"]
    _check_joined((*scope.pairs, *key_pairs(condition, scope, scope)), scope)
    has_one = outer is not None and is_correlated(condition, scope, outer)
    scope = replace(scope, has_one_person=has_one, is_grouped=_is_grouped(node), subquery=_subquery)
    members = ("select_list", "from_table", "where_clause", "group_expressions", "group_sets", "having", "qualify")
    plain(node, scope, "modifiers", "cte_map", "aggregate_handling", *members)
    for each in (condition, *node["group_expressions"], node["having"], node["qualify"]):
        check_expression(each, scope)
    if scope.is_grouped:
        _check_groups(node, scope)
    outputs = tuple(_output(each, scope) for each in node["select_list"])
    _check_modifiers(node, scope)
    if outer is not None and scope.must_divide:
        _check_membership(outputs, outer, child)
    if scope.is_private and outer is None and not any(keys for _, keys in outputs):
        head = f"query of {', '.join(scope.piece(each) for each in node['select_list'])}"
        raise RefusedError(head, "the column of the person is lost here", "name it too, as it is called in its table")
    return Query(outputs, scope.is_private)


def _check_modifiers(node: Tree, scope: Scope) -> None:
    """Refuse what picks rows by their place, such as limit."""
    for each in node["modifiers"]:
        if each["type"] == "ORDER_MODIFIER":
            for order in each["orders"]:
                check_expression(order["expression"], scope)
        elif each["type"] != "DISTINCT_MODIFIER" or each.get("distinct_on_targets"):
            what = {"LIMIT_MODIFIER": "limit", "DISTINCT_MODIFIER": "distinct on"}
            why = "which rows it keeps depends on the rows of other persons, or on their order"
            way = "write qualify row_number() over (partition by PERSON order by ..., TABLE) = 1"
            raise RefusedError(what.get(each["type"], each["type"].lower()), why, way)


def _is_grouped(node: Tree) -> bool:
    parts = [node["group_expressions"], node["having"], node["aggregate_handling"] != "STANDARD_HANDLING"]
    return any(parts) or is_aggregate([node["select_list"], node["qualify"], node["modifiers"]])


def _check_groups(node: Tree, scope: Scope) -> None:
    groups, selected = node["group_expressions"], node["select_list"]
    if len(node["group_sets"]) > 1 or any(set(each) != set(range(len(groups))) for each in node["group_sets"]):
        why = "rollup, cube and grouping sets leave columns out of groups"
        raise RefusedError("group by", why, "write one group by with all columns")
    if node["aggregate_handling"] == "FORCE_AGGREGATES":
        groups = [each for each in selected if not is_aggregate(each)]
    if scope.must_divide and not any(key_owner(_positioned(each, selected), scope) for each in groups):
        aggregate = next((each for each in selected if is_aggregate(each)), None)
        piece = "group by" if aggregate is None else scope.piece(aggregate)
        why = "this is over the rows of all persons"
        raise RefusedError(piece, why, "group by the column of the person too: group by PERSON, ...")


def _positioned(node: Tree, selected: Sequence[Tree]) -> Tree:
    """What a number in `group by` stands for; any other expression itself."""
    literal = node.get("literal", {})
    text = str(literal.get("text", "")) if literal.get("kind") == "INTEGER" else ""
    has_star = any(each["class"] == "STAR" for each in selected)
    return selected[int(text) - 1] if text.isdecimal() and not has_star and 1 <= int(text) <= len(selected) else node


def _output(node: Tree, scope: Scope) -> tuple[str | None, frozenset[str]]:
    """One entry of a select list: its name, and the columns of the person that it gives."""
    if node["class"] == "STAR":
        return None, _keys_of_star(node, scope)
    check_expression(node, scope)
    name = str(node["alias"]).lower() or (named(node) or ("",))[-1]
    if name in scope.tables:
        raise scope.refused(node, f"a table is called {name} too", "give the column another name")
    if name in scope.keys and key_owner(node, scope) is None:
        why = f"it would be called {name}, and is not the column of the person of every row"
        raise scope.refused(node, why, "name the column of the person itself, or call this something else")
    return name, frozenset({name}) & scope.keys


def _keys_of_star(node: Tree, scope: Scope) -> frozenset[str]:
    plain(node, scope, "relation_name", "exclude_list")
    name = str(node["relation_name"]).lower()
    wanted = [each for each in scope.relations if name in ("", each.alias)]
    if not wanted:
        raise scope.refused(node, "no table of this name is read here", _NAME_IT)
    if any(each.is_optional and each.keys for each in wanted):
        why = "with them comes a column of the person that is missing where the left join finds nothing"
        raise scope.refused(node, why, _NAME_IT)
    left_out = {str(each).lower() for each in node["exclude_list"]}
    return frozenset(key for each in wanted for key in each.keys) - left_out


def _subquery(node: Tree, outer: Scope) -> None:
    """Check a query in an expression. Raises: RefusedError where it reads the records of other persons."""
    query = node["subquery"]["node"]
    if query["type"] != "SELECT_NODE" or query["cte_map"]["map"] or node["subquery"].get("named_param_map"):
        raise outer.refused(node, "only a plain query may stand in an expression", "write it before: with NAME as ...")
    is_in = node["subquery_type"] == "ANY" and node["comparison_type"] == "COMPARE_EQUAL"
    try:
        _select(query, outer.without_relations(), outer, node["child"] if is_in else None)
    except RefusedError as refused:
        raise refused if refused.piece else outer.refused(node, refused.why, refused.way) from None


def _check_membership(outputs: Outputs, outer: Scope, child: Tree | None) -> None:
    """Refuse a subquery that reads the records of other persons: neither by `where` nor by `in` of one person."""
    if child is None or len(outputs) != 1 or not outputs[0][1] or key_owner(child, outer) is None:
        why = "this query in an expression reads the records of all persons"
        way = "write where INNER.PERSON = OUTER.PERSON in it, with the column of the person of both tables"
        raise RefusedError("", why, way)


def _check_joined(pairs: Iterable[tuple[str, str]], scope: Scope) -> None:
    """Refuse private relations in `from` that are not all of one person."""
    private = [each.alias for each in scope.relations if each.keys and not each.is_optional]
    joined, waiting = set(private[:1]), list(pairs)
    while more := [pair for pair in waiting if joined & set(pair) and not joined >= set(pair)]:
        joined |= set(more[0])
    if apart := [each for each in private if each not in joined]:
        why = f"{apart[0]} and {private[0]} hold persons, and are not joined on the column of the person"
        raise RefusedError(f"from {', '.join(private)}", why, _BY_PERSON)


def _from(node: Tree, known: Scope) -> Scope:
    """The scope of what stands in `from`. known: without relations."""
    if node["type"] == "JOIN":
        return _joined(node, _from(node["left"], known), _from(node["right"], known))
    if node["type"] == "BASE_TABLE":
        return replace(known, relations=(_table(node, known),))
    if node["type"] == "SUBQUERY":
        plain(node, known, "subquery")
        if not node["alias"]:
            raise known.refused(node, "this query has no name", "write as NAME behind it")
        query = _query(node["subquery"]["node"], known)
        return replace(known, relations=(Relation(str(node["alias"]).lower(), query.keys),))
    what = str(node["type"]).lower().replace("_", " ")
    what = {"empty": "a query without from", "expression list": "values"}.get(what, what)
    raise RefusedError(what, "it is not on the list of what a person view may read", "put it into a table of [records]")


def _table(node: Tree, known: Scope) -> Relation:
    plain(node, known, "table_name")
    name = str(node["table_name"]).lower()
    alias = str(node["alias"]).lower() or name
    if name in known.queries:
        query = known.queries[name]
        if query is None:
            raise _UnknownError
        return Relation(alias, query.keys)
    if name not in known.private:
        tables = ", ".join(known.private)
        raise RefusedError(node["table_name"], "no table of [records.tables] has this name", f"tables: {tables}")
    return Relation(alias, frozenset(filter(None, (known.private[name],))))


def _joined(node: Tree, left: Scope, right: Scope) -> Scope:
    both = replace(left, relations=(*left.relations, *right.relations))
    plain(node, both, "left", "right", "condition", "join_type", "ref_type", "using_columns")
    kind, how = node["join_type"], node["ref_type"]
    if kind not in ("INNER", "LEFT", "SEMI", "ANTI") or how not in ("REGULAR", "CROSS"):
        name = str(kind if how == "REGULAR" else how).lower()
        why = "this kind of join is not on the list"
        raise RefusedError(f"{name} join", why, "write join, left join, semi join or anti join, with on or using")
    aliases = [each.alias for each in both.relations]
    if twice := [each for each in aliases if aliases.count(each) > 1]:
        raise RefusedError(twice[0], "two tables of one from have this name", "give one of them another name: as NAME")
    check_expression(node["condition"], both)
    here = _pairs_of_join(node, left, right)
    if kind == "INNER":
        here += key_pairs(node["condition"], both, both)
        return replace(both, pairs=(*left.pairs, *right.pairs, *here))
    if right.is_private:
        _check_right(kind, left, right, here)
    if kind == "LEFT":
        optional = tuple(replace(each, is_optional=True) for each in right.relations)
        return replace(left, relations=(*left.relations, *optional), pairs=(*left.pairs, *here))
    return left


def _pairs_of_join(node: Tree, left: Scope, right: Scope) -> list[tuple[str, str]]:
    """The relations of the left and of the right side whose persons a join says to be equal."""
    pairs = list(key_pairs(node["condition"], left, right))
    for name in map(str.lower, node["using_columns"]):
        column: Tree = {"class": "COLUMN_REF", "column_names": [name]}
        one, other = key_owner(column, left), key_owner(column, right)
        pairs += [(one, other)] if one is not None and other is not None else []
    return pairs


def _check_right(kind: str, left: Scope, right: Scope, here: Sequence[tuple[str, str]]) -> None:
    """Refuse a left, semi or anti join whose right side holds records of other persons than the left."""
    name = f"{kind.lower()} join {', '.join(each.alias for each in right.relations if each.keys)}"
    if not left.is_private:
        why = "which rows of the public table remain depends on all persons"
        raise RefusedError(name, why, "begin with the table of persons, and join the public one")
    _check_joined(right.pairs, right)
    if not here:
        raise RefusedError(name, "both sides hold persons, and are not joined on the column of the person", _BY_PERSON)


def view_problems(
    view: PersonView, tables: Sequence[ViewTable], columns: Mapping[str, Columns], where: str
) -> list[Problem]:
    """Why a view does not fit its tables. columns: of each table, by name; where: what messages call the view."""
    found = [problem for each in tables for problem in _column_problems(view, each, tables, columns[each.name])]
    found += [] if found else _key_problems(tables, columns)
    names = dict.fromkeys(name for each in columns.values() for name in each)
    for name in [name for name in names if name.lower() in view.tables]:
        what = f"{name}: a table of the statement and a column of a table have this name"
        found.append(Problem(where, what, "give the table another name: as NAME"))
    known = {name.lower() for each in columns.values() for name in each} | view.given
    for name in sorted(view.read - known - view.tables):
        found.append(
            Problem(where, f"{name}: no table has this column", "name a column of a table, or of a query before")
        )
    return found or _type_problems(view, columns, where)


def _column_problems(
    view: PersonView, of: ViewTable, tables: Sequence[ViewTable], columns: Columns
) -> Iterator[Problem]:
    lower, where = [name.lower() for name in columns], f"[records.tables.{of.name}]"
    persons = {each.person.lower() for each in tables if each.person is not None} | {view.person.lower()}
    if of.person is not None and of.person not in columns:
        yield Problem(where, f"its files have no column {of.person}", f"columns: {', '.join(columns)}")
    for name in columns:
        if lower.count(name.lower()) > 1:
            yield Problem(where, f"column {name} is there twice, but for capitals", "rename one")
        if name.lower() in persons and name != of.person:
            what = f"column {name} is called like the column of a person, and holds no person of this table"
            yield Problem(where, what, "rename it in the files: a name that means the person means it everywhere")
        if pa.types.is_nested(columns[name]):
            yield Problem(where, f"column {name} is of type {columns[name]}", "leave it out of the files")
    for person in persons:
        if (numbered := _NUMBERED.fullmatch(person)) and numbered[1] in lower:
            what = f"column {numbered[1]} may be called {person}, like a column of a person, where it stands twice"
            yield Problem(where, what, "rename one of the two")


def _key_problems(tables: Sequence[ViewTable], columns: Mapping[str, Columns]) -> Iterator[Problem]:
    """Columns of persons that no comparison of theirs would tell apart: 1 equals '01' as a number."""
    kinds = {each.name: columns[each.name][each.person] for each in tables if each.person is not None}
    for name, kind in kinds.items():
        if not (_is_text(kind) or pa.types.is_integer(kind)):
            what = f"the column of the person is of type {kind}"
            yield Problem(f"[records.tables.{name}]", what, "write persons as text, or as whole numbers")
    if len({_is_text(kind) for kind in kinds.values()}) > 1:
        said = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
        what = f"the column of the person has different types: {said}"
        yield Problem("[records.tables]", what, "write it with one type in all files: '01' and '1' are the same number")


def _is_text(kind: pa.DataType) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner))


def _type_problems(view: PersonView, columns: Mapping[str, Columns], where: str) -> list[Problem]:
    """What a view computes that is of no type with one value for equal ones."""
    with duckdb.connect(":memory:", config={**CLOSED}) as connection:
        for name, types in columns.items():
            rows = pa.table({column: pa.array([], kind) for column, kind in types.items()})
            connection.from_arrow(rows).create(quoted_name(name))
        try:
            connection.sql(view.text)
            planned = serialized(connection, "json_serialize_plan($1, optimize := false)", view.text)
        except (duckdb.Error, ValueError) as error:
            return [Problem(where, first_line(error), "correct the statement")]
    return [
        Problem(where, f"{piece}: type {kind} has equal values that are not the same", _fix(kind, piece))
        for kind, piece in dict.fromkeys(_unknown_types(planned["plans"], is_cast=False))
    ]


def _unknown_types(node: Any, *, is_cast: bool) -> Iterator[tuple[str, str]]:
    """Type and name of what has a type that is not known; is_cast: a fraction becomes an exact number at once here.

    A row as a whole is passed over: it only orders rows, and of its columns no other use is made with such a type.
    """
    if isinstance(node, list):
        for each in node:
            yield from _unknown_types(each, is_cast=is_cast)
    elif isinstance(node, Mapping):
        kind = str(node.get("return_type", {}).get("id", "NULL")) if "expression_class" in node else "NULL"
        if kind == "STRUCT":
            return
        to_exact = node.get("type") == "OPERATOR_CAST" and kind in _EXACT
        below = [_unknown_types(each, is_cast=to_exact and member == "children") for member, each in node.items()]
        inside = [problem for problems in below for problem in problems]
        is_column = node.get("expression_class") == "BOUND_REF"
        if not inside and kind not in _KNOWN and not (is_cast and is_column and kind in _FLOATING):
            inside = [(kind, str(node.get("alias") or "something that it computes"))]
        yield from inside


def _fix(kind: str, piece: str) -> str:
    if kind in _FLOATING:
        return f"cast the column to an exact number at once, such as {piece}::decimal(18, 2), and name columns, not *"
    return "use whole numbers, text, decimals, dates or timestamps; date_diff gives days between dates"
