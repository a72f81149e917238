"""The published rows that conditions choose, of one or several releases, taken apart into independent noisy counts.

Each ladder of each release has atoms of its own. A folder that is given twice, and a folder that was reconciled from
another one, share noise, and are refused.

A condition becomes part of a query, so only what a region type's expression may hold is allowed:
public/expressions.py. It may ask for population groups that have no row: suppressed ones, and ones without a table.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.expressions import Node, expression_text, first_line, harmless_nodes, named_columns, nodes_of
from safetab_sql.public.values import published_columns
from safetab_sql.release.folder import code_rows
from safetab_sql.release.ladder_tables import created, statement
from safetab_sql.settings.ladders import CODES, attributes_of
from safetab_sql.statistics.names import TOTAL_ROW, NamedReleases, Names, names_of, with_codes, with_values
from safetab_sql.statistics.wanted import GROUP
from safetab_sql.statistics.wanted_statistics import ShownLadder

_KEYS = ("TABLE", "REGION_ID", "REGION_TYPE", "ITERATION_CODE", "STATISTIC")
_FROM_CODES = re.compile(r"IS_MARGINAL|\w+_(START|END)", re.IGNORECASE)  # columns of files, not of conditions
_GROUP = ", ".join(GROUP)
_FIX = (
    "write one condition on the columns of the published tables, such as REGION_TYPE = 'COUNTY' and ITERATION_CODE in "
    "('1011', '1012'); columns: {}; numbers are text: try_cast(AGESTART as integer) >= 65"
)
_QUOTED = "write {0} = '{1}', a code with all its zeros as it is published; of numbers, try_cast({0} as integer) >= 65"
_UNKNOWN = "mend it, or leave it out: nothing like it is published, or what has it is too small; codes/ lists codes"
_UNPUBLISHED = "leave it out: it is a code of the release, but what has it is too small, or not tabulated"
_ASKING = ("COMPARE_EQUAL", "COMPARE_IN", "COMPARE_NOT_DISTINCT_FROM")
_DENYING = ("COMPARE_NOTEQUAL", "COMPARE_NOT_IN", "COMPARE_DISTINCT_FROM")
_MATCHES = re.compile(r"!?~~[*]?|\^@|contains|prefix|suffix|(starts|ends)_with|regexp_(full_)?match(es)?")
_RELEASE_COLUMNS = ("RELEASE", "RELEASE_TITLE", "RELEASE_DAY")  # of conditions on several releases


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition as DuckDB reads it, in brackets; what messages call it, and how to mend it.

    reads_count: whether it reads noisy counts. codes: what it compares with constants, as SQL, and whether each is to
    choose a row: not where counts choose too.
    """

    text: str
    name: str
    fix: str
    reads_count: bool
    codes: Mapping[str, bool] = field(default_factory=dict)


def predicate(text: str, attributes: Sequence[str], names: Names) -> Predicate | Problem:
    """The condition `text`, parsed and never run, or its problem. attributes: columns of rows' attributes."""
    allowed, name = (*_KEYS, *attributes, "COUNT"), " ".join(text.split())
    fix = _FIX.format(", ".join((*allowed, *names)))
    try:
        quoted = _with_table_quoted(with_codes(text, names))
    except InputError as error:  # of names
        return error.problems[0]
    except (duckdb.Error, TypeError, ValueError) as error:  # TypeError: text that is not UTF-8
        return Problem(name, f"no SQL expression: {first_line(error)}", fix)
    nodes = harmless_nodes(quoted, allowed)
    if isinstance(nodes, str):
        unquoted = [column for column in named_columns(quoted) if column.upper() not in allowed]
        if unquoted and f"column '{unquoted[0]}'" in nodes:
            nodes = _unknown(unquoted[0])
        return Problem(name, nodes, fix)
    if (wrong := next(_no_texts(nodes), None)) is not None:
        return Problem(name, *wrong)
    reads_count = "COUNT" in _columns(nodes)
    codes = {text: asks and not reads_count for text, asks in _comparisons(nodes[0])}
    return Predicate(f"({quoted}\n)", name, fix, reads_count, codes)


def _comparisons(tree: Node) -> Iterator[tuple[str, bool]]:
    """What a condition compares with constants, each for equality, and whether it chooses rows, alone or with others.

    Of a range, only where it does.
    """
    joined = [tree]
    for each in joined:
        joined += each["children"] if each["class"] == "CONJUNCTION" else []
    for node in [node for node in nodes_of(tree) if _columns(node) - {"COUNT"} == _columns(node) != set()]:
        kind, name, is_joined = str(node["type"]), str(node.get("function_name")), any(each is node for each in joined)
        sides = node.get("children") or [node.get("left"), node.get("right")]
        column, *others = sorted(sides, key=lambda side: not _columns(side))
        if kind in (*_ASKING, *_DENYING) and not _columns(others):
            asks, nothing = is_joined and kind in _ASKING, ("NULL",) if kind in _ASKING else ("NULL", "'*'")
            first, *rest = (expression_text(each) for each in (column, *others))
            yield from ((f"{first} = {each}", asks) for each in rest if each not in nothing)
        elif _MATCHES.fullmatch(name) or (is_joined and kind.startswith("COMPARE_")):
            yield expression_text(node).replace(" !~~", " ~~"), is_joined and "!" not in name


def _no_texts(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """Where a condition compares a column of texts with something else, and what to write."""
    for node in nodes:
        listed = node.get("children") or [] if str(node["type"]).endswith("_IN") else []
        sides = [*listed, *(node[name] for name in ("left", "right", "input", "lower", "upper") if name in node)]
        names = [each["column_names"][0].upper() for each in sides if each["class"] == "COLUMN_REF"]
        others = [expression_text(each) for each in sides if each["class"] == "CONSTANT"]
        for name, other in [(name, other) for name in names for other in others if name != "COUNT"]:
            if other == "NULL" and node["type"] in ("COMPARE_EQUAL", "COMPARE_NOTEQUAL"):
                yield f"compares {name} with NULL, which is never true", f"write {name} is null, or is not null"
            elif other != "NULL" and not other.startswith("'"):
                yield f"{name} is text, and {other} is not", _QUOTED.format(name, other)


def _columns(tree: object) -> set[str]:
    return {each["column_names"][0].upper() for each in nodes_of(tree) if each["class"] == "COLUMN_REF"}


def _unknown(name: str) -> str:
    """What is wrong with a name that is no column of conditions."""
    if _FROM_CODES.fullmatch(name):
        return f"{name} follows from the codes, and conditions are on these; a marginal has '*' in place of a code"
    if name.upper().endswith("_NAME"):
        return f"{name} is compared with whole names: {name} = 'X', or {name} in ('X', 'Y')"
    return f"there is no column {name}; a text stands in quotes: '{name}'"


def selection(rows: duckdb.DuckDBPyRelation, condition: Predicate, name: str) -> Problem | None:
    """Make a table of the rows for which `condition` is true; the problem of one that fails, or is neither."""
    try:
        kind = str(rows.project(condition.text).types[0])
        if kind != "BOOLEAN":
            return Problem(condition.name, f"gives {kind}, not true or false", condition.fix)
        rows.filter(condition.text).create(name)
    except duckdb.Error as error:
        return Problem(condition.name, f"fails on the published rows: {first_line(error)}", condition.fix)
    return None


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


# Population groups that a condition asks for but that have no row: suppressed groups, and groups without a table.


@dataclass(frozen=True, slots=True)
class AbsentGroups:
    """Population groups that one condition asks for but that have no row among the rows it chose.

    suppressed: without any row in the release, of regions and iterations that it names elsewhere. other: published with
    other rows: a total alone, or another table. unnamed_types: region types in which it may ask for more. codes: what
    each code that it names has: 3 a row that it chose, 2 a possible one, 1 one of something else, 0 none.
    """

    suppressed: int
    other: int
    unnamed_types: tuple[str, ...]
    codes: Mapping[str, int]


def _with_columns(rows: duckdb.DuckDBPyRelation, more: Mapping[str, str | None]) -> duckdb.DuckDBPyRelation:
    """The rows with a text in each of these columns."""
    texts = [duckdb.ConstantExpression(text).cast(duckdb.sqltype("VARCHAR")).alias(name) for name, text in more.items()]
    return rows.select(duckdb.StarExpression(), *texts) if texts else rows


def _absent_groups(
    shown: ShownLadder, chosen: duckdb.DuckDBPyRelation, possible: duckdb.DuckDBPyRelation, condition: Predicate
) -> AbsentGroups:
    """The groups that a condition asks for but that have no such row. chosen: rows; possible: of `possible_rows`."""
    # Read once, for they may be many: the groups that it asks for; of those that it may ask for, region types alone.
    asked = ", ".join(f"if({condition.text}, {name}, null) as {name}" for name in (*GROUP[1:], "is_published"))
    maybe = possible.filter(f"{condition.text} is not false").project(f"REGION_TYPE, {asked}").distinct()
    groups = shown.connection.from_arrow(maybe.to_arrow_table())
    unpublished = groups.filter("not is_published").project("REGION_TYPE").fetchall()
    published = groups.filter("is_published").project(_GROUP)
    tried, types = [chosen, possible.filter(condition.text), possible], shown.facts.suppressed_types(shown.ladder.name)
    return AbsentGroups(
        sum(region_type in types for (region_type,) in unpublished),
        published.except_(chosen.project(_GROUP).distinct()).count("*").fetchall()[0][0],
        tuple(sorted({name for (name,) in groups.project("REGION_TYPE").distinct().fetchall()} & types)),
        {text: _found(tried if asks else [possible], text) for text, asks in condition.codes.items()},
    )


def _found(tried: Sequence[duckdb.DuckDBPyRelation], text: str) -> int:
    """What a comparison of a condition has: see `AbsentGroups`."""
    found = (bool(each.filter(f"try({text})").project("REGION_ID").limit(1).fetchall()) for each in tried)
    return next((3 - place for place, is_so in enumerate(found) if is_so), 0)


@dataclass(frozen=True, slots=True)
class Matched:
    """What a condition chooses. rows: of all ladders, with `release` and `ladder`; row_id: -1 where totals stand apart.

    absent: the population groups that it asks for and that have none.
    """

    condition: Predicate
    rows: pa.Table
    absent: AbsentGroups

    @property
    def ladders(self) -> tuple[tuple[int, str], ...]:
        """The releases and ladders that it has rows of."""
        return tuple(dict.fromkeys(zip(*(self.rows[name].to_pylist() for name in ("release", "ladder")), strict=True)))

    @property
    def mixed(self) -> frozenset[int]:
        """The releases in which the rows of a ladder are of several characteristic iterations or region types."""
        names = ("ITERATION_CODE", "REGION_TYPE")
        kinds = self.rows.group_by(["release", "ladder"]).aggregate([(name, "count_distinct") for name in names])
        return frozenset(
            each["release"] for each in kinds.to_pylist() if any(each[f"{name}_count_distinct"] > 1 for name in names)
        )


def matched_rows(releases: NamedReleases, ladders: Iterable[ShownLadder], texts: Sequence[str]) -> dict[str, Matched]:
    """What the conditions choose that the texts say. ladders: all of the releases, asked for once these are read.

    Raises: InputError with all problems of the conditions, and where one of them matches no row.
    """
    of_releases, given = _RELEASE_COLUMNS if len(releases.places) > 1 else (), releases.given
    columns = dict.fromkeys(name for facts in given for name in published_columns(facts.parameters))
    names, allowed = names_of([folder.folder for folder in releases.folders]), (*columns, *of_releases)
    read = [predicate(text, allowed, names) for text in texts]
    refuse([each for each in read if isinstance(each, Problem)])
    conditions = [each for each in read if isinstance(each, Predicate)]
    parts = []
    for one in ladders:
        own = published_columns(one.facts.parameters)
        called = str(one.release + 1), one.facts.about.title, one.facts.day
        # The columns that conditions may name and that the rows of a release have not.
        more = dict.fromkeys(name for name in columns if name not in own) | dict(zip(of_releases, called, strict=False))
        parts.append(_of_ladder(one, conditions, more))
    found = [_together(own) for own in zip(*parts, strict=True)]
    refuse(list(_unknown_codes(found, [folder.folder / CODES for folder in releases.folders])))
    fix = "a suppressed total is no row, and no row is not zero; see which rows there are in the published tables"
    nothing = [each.condition.name for each in found if not each.rows.num_rows]
    refuse([Problem(name, "matches no published row", fix) for name in nothing])
    return dict(zip(texts, found, strict=True))


def _together(parts: Sequence[Matched]) -> Matched:
    """What one condition chooses of several ladders."""
    rows = pa.concat_tables([part.rows for part in parts], promote_options="permissive")
    absent = [part.absent for part in parts]
    names = tuple(sorted({name for one in absent for name in one.unnamed_types}))
    codes = {code: max(one.codes[code] for one in absent) for code in absent[0].codes}
    suppressed, other = sum(one.suppressed for one in absent), sum(one.other for one in absent)
    return Matched(parts[0].condition, rows, AbsentGroups(suppressed, other, names, codes))


def _unknown_codes(matched: Sequence[Matched], folders: Sequence[Path]) -> Iterator[Problem]:
    """The codes that conditions name and no possible row has; those in no row at all are to blame for others."""
    for name, codes in [(each.condition.name, each.absent.codes) for each in matched]:
        least = min(codes.values(), default=3)
        for code in [code for code, found in codes.items() if found == least < 2]:
            files = [file for folder in folders for file in folder.glob("*.csv") if code.startswith(f"{file.stem} = '")]
            is_listed = any(code == f"{file.stem} = '{known}'" for file in files for known, *_ in code_rows(file))
            what = f"no published row has {code}{' and what else it asks for' * least}"
            yield Problem(name, what, _UNPUBLISHED if is_listed and not least else _UNKNOWN)


def _of_ladder(shown: ShownLadder, conditions: Sequence[Predicate], more: Mapping[str, str | None]) -> list[Matched]:
    """What each condition chooses of one ladder of a release. more: columns of rows.

    Raises: InputError with every problem of the conditions on these rows.
    """
    connection, facts, ladder, values = shown.connection, shown.facts, shown.ladder, shown.values
    published = _with_columns(connection.view("published_rows"), more)
    tried = [selection(published, condition, f"matched_{place}") for place, condition in enumerate(conditions)]
    refuse([each for each in tried if each])
    created(connection, "row_shapes", values)
    possible = _with_columns(connection.sql(statement("possible_rows", values)), more)
    used = attributes_of(ladder, facts.parameters.attributes)
    codes = [duckdb.ColumnExpression(name) for each in used for name in each.publish]
    is_row = " and ".join(["true", *(f"chosen.{name} = ladder_rows.{name}" for name in codes)])
    kept = ", ".join(f"chosen.{name}" for name in (*GROUP, "COUNT", "VARIANCE", "MOE95"))
    found = []
    for place, condition in enumerate(conditions):
        chosen = connection.table(f"matched_{place}")
        numbered = chosen.set_alias("chosen").join(connection.table("ladder_rows"), is_row, how="left")
        rows = numbered.project(f"{kept}, ifnull(row_id, {TOTAL_ROW}) as row_id").to_arrow_table()
        rows = with_values(rows, {"release": shown.release, "ladder": ladder.name})
        found.append(Matched(condition, rows, _absent_groups(shown, chosen, possible, condition)))
    return found
