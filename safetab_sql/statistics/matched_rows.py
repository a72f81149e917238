"""The published rows that conditions choose, of one or several releases, taken apart into independent noisy counts.

Each ladder of each release has atoms of its own. A folder that is given twice, and a folder that was reconciled from
another one, share noise, and are refused.

A condition becomes part of a query, so only what a region type's expression may hold is allowed:
public/expressions.py. It may ask for population groups that have no row: suppressed ones, and ones without a table.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import reading_connection, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.expressions import Node, expression_text, first_line, harmless_nodes, named_columns, nodes_of
from safetab_sql.public.values import published_columns, rows_of
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.release.ladder_tables import (
    LadderTables,
    create_sums,
    created,
    show_ladder,
    statement,
    tables_of_release,
)
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.names import Names, names_of, with_codes
from safetab_sql.statistics.releases import NamedReleases

Found = TypeVar("Found")
_KEYS = ("TABLE", "REGION_ID", "REGION_TYPE", "ITERATION_CODE", "STATISTIC")
_FROM_CODES = re.compile(r"IS_MARGINAL|\w+_(START|END)", re.IGNORECASE)  # columns of files, not of conditions
_GROUP = "REGION_TYPE, REGION_ID, ITERATION_CODE"
_FIX = (
    "write one condition on the columns of the published tables, such as REGION_TYPE = 'COUNTY' and ITERATION_CODE in "
    "('1011', '1012'); columns: {}; numbers are text: try_cast(AGESTART as integer) >= 65"
)
_UNKNOWN = "mend it, or leave it out: nothing like it is published, or what has it is too small; codes/ lists codes"
_ASKING = ("COMPARE_EQUAL", "COMPARE_IN", "COMPARE_NOT_DISTINCT_FROM")
_DENYING = ("COMPARE_NOTEQUAL", "COMPARE_NOT_IN", "COMPARE_DISTINCT_FROM")
_MATCHES = re.compile(r"!?~~[*]?|\^@|contains|prefix|suffix|(starts|ends)_with|regexp_(full_)?match(es)?")
_RELEASE_COLUMNS = ("RELEASE", "RELEASE_TITLE", "RELEASE_DAY")  # of conditions on several releases


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition as DuckDB reads it, in brackets; whether it reads noisy counts; columns that it may name.

    codes: what it compares with constants, as SQL, and whether each is to choose a row: not where counts choose too.
    """

    text: str
    reads_count: bool
    columns: tuple[str, ...] = ()
    codes: Mapping[str, bool] = field(default_factory=dict)


def predicate(
    connection: duckdb.DuckDBPyConnection, text: str, attributes: Sequence[str], names: Names
) -> Predicate | Problem:
    """The condition `text`, parsed and never run, or its problem. attributes: columns of rows' attributes."""
    allowed = (*_KEYS, *attributes, "COUNT")
    fix = _FIX.format(", ".join((*allowed, *names)))
    try:
        quoted = _with_table_quoted(with_codes(text, names))
    except InputError as error:  # of names
        return error.problems[0]
    except (duckdb.Error, TypeError, ValueError) as error:  # TypeError: text that is not UTF-8
        return Problem(one_line(text), f"no SQL expression: {first_line(error)}", fix)
    nodes = harmless_nodes(connection, quoted, allowed)
    if isinstance(nodes, str):
        unquoted = [name for name in named_columns(connection, quoted) if name.upper() not in allowed]
        if unquoted and f"column '{unquoted[0]}'" in nodes:
            nodes = _unknown(unquoted[0])
        return Problem(one_line(text), nodes, fix)
    reads_count = "COUNT" in _columns(nodes)
    codes = {text: asks and not reads_count for text, asks in _comparisons(connection, nodes[0])}
    return Predicate(f"({quoted}\n)", reads_count, allowed, codes)


def _comparisons(connection: duckdb.DuckDBPyConnection, tree: Node) -> Iterator[tuple[str, bool]]:
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
            first, *rest = (expression_text(connection, each) for each in (column, *others))
            yield from ((f"{first} = {each}", asks) for each in rest if each not in nothing)
        elif _MATCHES.fullmatch(name) or (is_joined and kind.startswith("COMPARE_")):
            yield expression_text(connection, node).replace(" !~~", " ~~"), is_joined and "!" not in name


def _columns(tree: object) -> set[str]:
    return {each["column_names"][0].upper() for each in nodes_of(tree) if each["class"] == "COLUMN_REF"}


def _unknown(name: str) -> str:
    """What is wrong with a name that is no column of conditions."""
    if _FROM_CODES.fullmatch(name):
        return f"{name} follows from the codes, and conditions are on these; a marginal has '*' in place of a code"
    if name.upper().endswith("_NAME"):
        return f"{name} is compared with whole names: {name} = 'X', or {name} in ('X', 'Y')"
    return f"there is no column {name}; a text stands in quotes: '{name}'"


def selection(
    rows: duckdb.DuckDBPyRelation, condition: Predicate, text: str, use: Callable[[duckdb.DuckDBPyRelation], Found]
) -> Found | Problem:
    """What `use` makes of the rows for which `condition` is true; the problem of one that fails or is neither."""
    fix = _FIX.format(", ".join(condition.columns))
    try:
        kind = str(rows.project(condition.text).types[0])
        if kind != "BOOLEAN":
            return Problem(one_line(text), f"gives {kind}, not true or false", fix)
        return use(rows.filter(condition.text))
    except duckdb.Error as error:
        return Problem(one_line(text), f"fails on the published rows: {first_line(error)}", fix)


def one_line(text: str) -> str:
    """`text` as a message names it."""
    return " ".join(text.split())


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


def _together(found: Sequence[AbsentGroups]) -> AbsentGroups:
    """The absent groups of several ladders."""
    names = sorted({name for one in found for name in one.unnamed_types})
    codes = {code: max(one.codes[code] for one in found) for code in found[0].codes}
    return AbsentGroups(sum(one.suppressed for one in found), sum(one.other for one in found), tuple(names), codes)


def _with_columns(rows: duckdb.DuckDBPyRelation, more: Mapping[str, str | None]) -> duckdb.DuckDBPyRelation:
    """The rows with a text in each of these columns."""
    texts = [duckdb.ConstantExpression(text).cast(duckdb.sqltype("VARCHAR")).alias(name) for name, text in more.items()]
    return rows.select(duckdb.StarExpression(), *texts) if texts else rows


def _absent_groups(
    connection: duckdb.DuckDBPyConnection,
    rows: duckdb.DuckDBPyRelation,
    conditions: Iterable[Predicate],
    suppressed_types: frozenset[str],
    values: Mapping[str, object],
    more: Mapping[str, str | None],
) -> Iterator[AbsentGroups]:
    """The groups that each condition asks for but that have no such row. They must be valid for the published rows.

    connection: holds `row_shapes` and `t1`. rows: relation of `summed_rows`. values: of the ladder. more: columns that
    `rows` has and statements have not.
    """
    possible = _with_columns(connection.sql(statement("possible_rows", values)), more)
    for condition in conditions:
        asked = possible.filter(condition.text)
        published = asked.filter("is_published").project(_GROUP).distinct()
        tried = [rows.filter(condition.text), asked, possible]
        chosen = tried[0].project(_GROUP).distinct()
        unpublished = asked.filter("not is_published").project(_GROUP).distinct()
        maybe = possible.filter(f"{condition.text} is not false").project("REGION_TYPE").distinct().fetchall()
        yield AbsentGroups(
            sum(region_type in suppressed_types for region_type, _, _ in unpublished.fetchall()),
            published.except_(chosen).count("*").fetchall()[0][0],
            tuple(sorted({name for (name,) in maybe} & suppressed_types)),
            {text: _found(tried if asks else [possible], text) for text, asks in condition.codes.items()},
        )


def _found(tried: Sequence[duckdb.DuckDBPyRelation], text: str) -> int:
    """What a comparison of a condition has: see `AbsentGroups`."""
    found = (bool(each.filter(f"try({text})").project("REGION_ID").limit(1).fetchall()) for each in tried)
    return next((3 - place for place, is_so in enumerate(found) if is_so), 0)


@dataclass(frozen=True, slots=True)
class Part:
    """What one ladder of a release, or all of them, give to a sum.

    atoms: in their order, columns of summed_rows, `ladder` and `release`. matched: for each condition, the rows that it
    matches, columns of summed_rows. counts: the sums of these, persons. times: how often each atom is in them,
    int64[conditions, atoms]. ladders: the releases and names of those that have such rows. mixed: the releases whose
    rows are of several characteristic iterations or region types. absent: the groups that each condition asks for and
    that have none.
    """

    atoms: pa.Table
    matched: tuple[pa.Table, ...]
    counts: tuple[float, ...]
    times: Int64s
    ladders: tuple[tuple[tuple[int, str], ...], ...]
    mixed: frozenset[int]
    absent: tuple[AbsentGroups, ...]


def matched_rows(releases: NamedReleases, texts: Sequence[str]) -> tuple[list[Predicate], Part]:
    """The conditions that the texts say, and what all ladders give. Raises: InputError with all their problems."""
    of_releases, given = _RELEASE_COLUMNS if len(releases.places) > 1 else (), releases.given
    is_twice = len({*releases.places}) < len(releases.places)
    refuse([Problem(str(given[0].where), "is named twice", "name each folder once")] if is_twice else [])
    columns = dict.fromkeys(name for facts in given for name in published_columns(facts.parameters))
    of_folders = [tables_of_release(folder) for folder in releases.folders]
    names = names_of([folder.folder for folder in releases.folders])
    ladders = [(number, tables) for number, place in enumerate(releases.places) for tables in of_folders[place]]
    with scratch_folder(None) as scratch, ExitStack() as stack:
        connections = [stack.enter_context(reading_connection(one.files, scratch / "spill")) for _, one in ladders]
        conditions = all_or_problems(
            predicate(connections[0].cursor(), text, (*columns, *of_releases), names) for text in texts
        )
        by_text = dict(zip(texts, conditions, strict=True))
        parts = []
        for connection, (number, one) in zip(connections, ladders, strict=True):
            facts = given[number]
            own, called = published_columns(facts.parameters), (str(number + 1), facts.about.title, facts.day)
            # The columns that conditions may name and that the rows of a release have not.
            more = {
                **dict.fromkeys(name for name in columns if name not in own),
                **dict(zip(of_releases, called, strict=False)),
            }
            parts.append(_ladder_part(connection, one, number, facts, by_text, more))
    offsets = np.cumsum([0, *(one.atoms.num_rows for one in parts)]).tolist()
    matched = zip(*(_shifted(one.matched, offset) for one, offset in zip(parts, offsets, strict=False)), strict=True)
    part = Part(
        pa.concat_tables([one.atoms for one in parts], promote_options="permissive"),
        tuple(pa.concat_tables(rows, promote_options="permissive") for rows in matched),
        tuple(map(sum, zip(*(one.counts for one in parts), strict=True))),
        np.concatenate([one.times for one in parts], axis=1),
        tuple(tuple(chain.from_iterable(each)) for each in zip(*(one.ladders for one in parts), strict=True)),
        frozenset(number for one in parts for number in one.mixed),
        tuple(_together(each) for each in zip(*(one.absent for one in parts), strict=True)),
    )
    refuse(list(_unknown_codes(texts, part.absent)))
    return conditions, part


def _unknown_codes(texts: Sequence[str], groups: Sequence[AbsentGroups]) -> Iterator[Problem]:
    """The codes that conditions name and no possible row has; those in no row at all are to blame for others."""
    for text, absent in zip(texts, groups, strict=True):
        least = min(absent.codes.values(), default=3)
        for code in [code for code, found in absent.codes.items() if found == least < 2]:
            what = f"no published row has {code}{' and what else it asks for' * least}"
            yield Problem(one_line(text), what, _UNKNOWN)


def _shifted(matched: Sequence[pa.Table], offset: int) -> list[pa.Table]:
    """Rows with numbers of atoms that start at `offset`."""
    for name in ("first_atom", "atom"):
        place = matched[0].column_names.index(name)
        matched = [rows.set_column(place, name, compute.add(rows[name], offset)) for rows in matched]
    return list(matched)


def _ladder_part(
    connection: duckdb.DuckDBPyConnection,
    tables: LadderTables,
    number: int,
    facts: ReleaseFacts,
    conditions: Mapping[str, Predicate],
    more: Mapping[str, str | None],
) -> Part:
    """What one ladder of a release gives. connection: of its own. conditions: by their texts. more: columns of rows.

    Raises: InputError with every problem of the conditions on these rows, and where the tables are not whole.
    """
    ladder = tables.ladder
    values = show_ladder(connection, tables, facts.parameters)
    published = _with_columns(connection.view("published_rows"), more)
    all_or_problems(
        selection(
            published, condition, text, lambda chosen: chosen.project(_GROUP).distinct().insert_into("asked_groups")
        )
        for text, condition in conditions.items()
    )
    rows = _with_columns(create_sums(connection, ladder, values), more)
    columns = (
        "COUNT, VARIANCE, MOE95, REGION_TYPE, REGION_ID, ITERATION_CODE, stat_level, row_id, level_name, is_total_only"
    )
    atoms = rows.filter("atom is not null").order("atom").project(columns).to_arrow_table()
    kept = "first_atom, atom, stat_level, row_id, COUNT, VARIANCE, MOE95, ITERATION_CODE, REGION_TYPE"
    matched = all_or_problems(
        selection(rows, condition, text, lambda chosen: chosen.project(kept).to_arrow_table())
        for text, condition in conditions.items()
    )
    cells = _cells_of_rows(facts.parameters, ladder)
    created(connection, "row_shapes", values)
    types = facts.suppressed_types_of(ladder.name)
    absent = _absent_groups(connection, rows, conditions.values(), types, values, more)
    atoms = atoms.append_column("release", pa.repeat(number, atoms.num_rows))
    return Part(
        atoms.append_column("ladder", pa.repeat(ladder.name, atoms.num_rows)),
        tuple(matched),
        tuple(each["COUNT"].to_numpy().sum().item() for each in matched),
        np.array([coefficients(each, cells, atoms.num_rows) for each in matched]),
        tuple(((number, ladder.name),) * bool(each.num_rows) for each in matched),
        frozenset(
            number
            for each in matched
            if any(compute.count_distinct(each[name]).as_py() > 1 for name in ("ITERATION_CODE", "REGION_TYPE"))
        ),
        tuple(absent),
    )


def _cells_of_rows(parameters: Parameters, ladder: Ladder) -> dict[tuple[int, int], tuple[int, ...]]:
    """The atoms of each row, by stat level and row, from the first of the group on; -1: totals that stand apart."""
    rows = rows_of(parameters, ladder)
    cells: dict[tuple[int, int], list[int]] = {(0, -1): [0]}
    for stat_level, size in enumerate(rows.sizes, start=1):
        cells[stat_level, -1] = list(range(size))
    for stat_level, cell, row in (*rows.measured, *rows.sums):
        cells.setdefault((stat_level, row), []).append(cell)
    return {key: tuple(listed) for key, listed in cells.items()}


def coefficients(rows: pa.Table, cells: Mapping[tuple[int, int], Sequence[int]], size: int) -> Int64s:
    """How often each of `size` atoms is in the rows: int64[size]. cells: of each row, by stat level and row."""
    found = np.zeros(size, dtype=np.int64)
    firsts, stat_levels, row_ids = (
        rows[name].to_numpy().astype(np.int64) for name in ("first_atom", "stat_level", "row_id")
    )
    order = np.lexsort((row_ids, stat_levels))
    kinds = np.stack([stat_levels[order], row_ids[order]])
    starts = np.flatnonzero(np.any(np.diff(kinds, axis=1), axis=0)) + 1
    for places in np.split(order, starts) if order.size else ():
        for cell in cells.get((int(stat_levels[places[0]]), int(row_ids[places[0]])), ()):
            np.add.at(found, firsts[places] + cell, 1)
    return found


def all_or_problems(found: Iterable[Found | Problem]) -> list[Found]:
    """All that was found. Raises: InputError with every problem among it."""
    everything = list(found)
    refuse([item for item in everything if isinstance(item, Problem)])
    return [item for item in everything if not isinstance(item, Problem)]
