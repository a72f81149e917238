"""The published rows that conditions choose, of one or several releases, taken apart into independent noisy counts.

Each ladder of each release has atoms of its own. A folder that is given twice, and a folder that was reconciled from
another one, count the same people in the same run: their atoms are known to be the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import reading_connection, scratch_folder
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.public.values import published_columns, rows_of
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.release.ladder_tables import LadderTables, create_sums, created, show_ladder, tables_of_release
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.absent_groups import (
    AbsentGroups,
    NamedGroups,
    absent_groups,
    groups_of_release,
    together,
    with_columns,
)
from safetab_sql.statistics.predicates import Found, Predicate, predicate, selection
from safetab_sql.statistics.releases import NamedReleases

_RELEASE_COLUMNS = ("RELEASE", "RELEASE_TITLE", "RELEASE_DAY")  # of conditions on several releases
_OF_GROUP = ("ladder", "REGION_TYPE", "REGION_ID", "ITERATION_CODE")


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


def matched_rows(
    releases: NamedReleases, texts: Sequence[str], named: NamedGroups | None = None
) -> tuple[list[Predicate], Part]:
    """The conditions that the texts say, and what all ladders give. named: all groups that there are, if known.

    Raises: InputError with all their problems.
    """
    of_releases, given = _RELEASE_COLUMNS if len(releases.places) > 1 else (), releases.given
    columns = dict.fromkeys(name for facts in given for name in published_columns(facts.parameters))
    of_folders = [tables_of_release(folder) for folder in releases.folders]
    ladders = [(number, tables) for number, place in enumerate(releases.places) for tables in of_folders[place]]
    with scratch_folder(None) as scratch, ExitStack() as stack:
        connections = [stack.enter_context(reading_connection(one.files, scratch / "spill")) for _, one in ladders]
        conditions = all_or_problems(
            predicate(connections[0].cursor(), text, (*columns, *of_releases)) for text in texts
        )
        by_text = dict(zip(texts, conditions, strict=True))
        parts = []
        for connection, (number, one) in zip(connections, ladders, strict=True):
            facts = given[number]
            own, names = published_columns(facts.parameters), (str(number + 1), facts.about.title, facts.day)
            # The columns that conditions may name and that the rows of a release have not.
            more = {
                **dict.fromkeys(name for name in columns if name not in own),
                **dict(zip(of_releases, names, strict=False)),
            }
            parts.append(_ladder_part(connection, one, number, (facts, named), by_text, more))
    offsets = np.cumsum([0, *(one.atoms.num_rows for one in parts)]).tolist()
    matched = zip(*(_shifted(one.matched, offset) for one, offset in zip(parts, offsets, strict=False)), strict=True)
    part = Part(
        pa.concat_tables([one.atoms for one in parts], promote_options="permissive"),
        tuple(pa.concat_tables(rows, promote_options="permissive") for rows in matched),
        tuple(map(sum, zip(*(one.counts for one in parts), strict=True))),
        np.concatenate([one.times for one in parts], axis=1),
        tuple(
            tuple(name for names in each for name in names)
            for each in zip(*(one.ladders for one in parts), strict=True)
        ),
        frozenset(number for one in parts for number in one.mixed),
        tuple(together(each) for each in zip(*(one.absent for one in parts), strict=True)),
    )
    is_merged = len(releases.folders) < len(releases.places)
    return conditions, _merged(part, releases.places) if is_merged else part


def same_people(part: Part, places: Sequence[int]) -> Int64s:
    """A number for each atom, alike for atoms of the same people. places: of each release, such as its run."""
    keys = [*_OF_GROUP, "row_id", "stat_level"]
    atoms = part.atoms.select(keys)
    of_release = np.array(places, dtype=np.int64)[part.atoms["release"].to_numpy()]
    atoms = atoms.append_column("place", pa.array(of_release)).append_column("number", pa.array(range(atoms.num_rows)))
    firsts = atoms.group_by([*keys, "place"]).aggregate([("number", "min")])
    found = atoms.join(firsts, [*keys, "place"], join_type="left outer").sort_by("number")
    return np.asarray(found["number_min"].to_numpy(), dtype=np.int64)


def _merged(part: Part, folders: Sequence[int]) -> Part:
    """The part with one atom in place of several of the same content."""
    kept, numbers = np.unique(same_people(part, folders), return_inverse=True)
    times = np.zeros((part.times.shape[0], kept.size), dtype=np.int64)
    np.add.at(times.T, numbers, part.times.T)
    matched = []
    for rows in part.matched:
        for name in ("first_atom", "atom"):
            place = rows.column_names.index(name)
            rows = rows.set_column(place, name, pa.array(numbers).take(rows[name].combine_chunks()))  # noqa: PLW2901
        matched.append(rows)
    return replace(part, atoms=part.atoms.take(kept), matched=tuple(matched), times=times)


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
    of_release: tuple[ReleaseFacts, NamedGroups | None],
    conditions: Mapping[str, Predicate],
    more: Mapping[str, str | None],
) -> Part:
    """What one ladder of a release gives. connection: of its own. conditions: by their texts. more: columns of rows.

    Raises: InputError with every problem of the conditions on these rows, and where the tables are not whole.
    """
    ladder, (facts, named) = tables.ladder, of_release
    values = show_ladder(connection, tables, facts.parameters)
    published = with_columns(connection.view("published_rows"), more)
    asked = "REGION_TYPE, REGION_ID, ITERATION_CODE"
    all_or_problems(
        selection(
            published, condition, text, lambda chosen: chosen.project(asked).distinct().insert_into("asked_groups")
        )
        for text, condition in conditions.items()
    )
    rows = with_columns(create_sums(connection, ladder, values), more)
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
    own = _of_ladder(named, facts, ladder) or groups_of_release(connection.table("t1"))
    types = facts.suppressed_types_of(ladder.name)
    absent = absent_groups(connection, rows, conditions.values(), own, types, values, more)
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


def _of_ladder(named: NamedGroups | None, facts: ReleaseFacts, ladder: Ladder) -> NamedGroups | None:
    """The groups of the region types that a ladder tabulates."""
    if named is None:
        return None
    kinds = pa.array([level.level.region_type for level in ladder.levels], pa.string())
    if len(facts.parameters.ladders) == 1:
        return named
    regions, iterations = (
        table.filter(compute.is_in(table["REGION_TYPE"], value_set=kinds))
        for table in (named.regions, named.iterations)
    )
    return NamedGroups(regions, iterations, named.are_all)


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
