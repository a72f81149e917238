"""The part of a sum that one ladder gives: the rows that each condition matches, and the noisy counts they consist of.

A sum over rows is taken apart into atoms first (see ladder_tables.py): an atom that is in several rows counts several
times.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import compute

from safetab_sql.jobs.absent_groups import AbsentGroups, PossibleRows
from safetab_sql.jobs.ladder_tables import LadderTables, create_sums, created, show_ladder
from safetab_sql.jobs.named_groups import NamedGroups, groups_of_release
from safetab_sql.jobs.sum_noise import Atoms, MatchedRows
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.public.values import rows_of
from safetab_sql.published.predicates import Predicate, selection, unfit
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters


@dataclass(frozen=True, slots=True)
class LadderPart:
    """What one ladder gives to a sum. atoms: of the groups that are asked for.

    parts: for each condition, how often each of these atoms is in the rows that it matches, int64[conditions, atoms].
    matched: these rows. absent: the groups that it asks for and that have none.
    """

    ladder: str
    atoms: Atoms
    parts: Int64s
    matched: tuple[MatchedRows, ...]
    absent: tuple[AbsentGroups, ...]


def ladder_part(
    connection: duckdb.DuckDBPyConnection,
    tables: LadderTables,
    facts: ReleaseFacts,
    conditions: Mapping[str, Predicate],
    named: NamedGroups | None,
) -> LadderPart:
    """The part of one ladder. connection: of its own. conditions: by their texts. named: the groups that there are.

    Raises: InputError with every problem of the conditions on these rows, and where the tables are not whole.
    """
    parameters, ladder = facts.parameters, tables.ladder
    values = show_ladder(connection, tables, parameters)
    published = connection.view("published_rows")
    problems = [_ask(published, condition, text) for text, condition in conditions.items()]
    refuse([problem for problem in problems if problem is not None])
    rows = create_sums(connection, ladder, values)
    atoms = _atoms(rows, ladder)
    matched = [_matched_rows(rows, condition, text) for text, condition in conditions.items()]
    refuse([found for found in matched if isinstance(found, Problem)])
    found = tuple(rows for rows in matched if not isinstance(rows, Problem))
    cells = _cells_of_rows(parameters, ladder)
    created(connection, "row_shapes", values)
    own = _of_ladder(named, facts, ladder) or groups_of_release(connection.table("t1"))
    possible = PossibleRows(connection, rows, own, facts.suppressed_types_of(ladder.name), values)
    return LadderPart(
        ladder.name,
        atoms,
        np.array([coefficients(each, cells, atoms.noisy_counts.size) for each in found]),
        found,
        tuple(possible.absent(condition) for condition in conditions.values()),
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


def _ask(published: duckdb.DuckDBPyRelation, condition: Predicate, text: str) -> Problem | None:
    """Add the groups of the rows that a predicate matches to asked_groups; what is wrong with it where it fails."""
    chosen = selection(published, condition, text)
    if isinstance(chosen, Problem):
        return chosen
    try:
        chosen.project("REGION_TYPE, REGION_ID, ITERATION_CODE").distinct().insert_into("asked_groups")
    except duckdb.Error as error:
        return unfit(text, condition, error)
    return None


def _atoms(rows: duckdb.DuckDBPyRelation, ladder: Ladder) -> Atoms:
    """The atoms in their order."""
    columns = "COUNT, VARIANCE, MOE95, REGION_TYPE, stat_level, level_name, is_total_only"
    found = rows.filter("atom is not null").order("atom").project(columns).to_arrow_table()
    return Atoms(
        noisy_counts=found["COUNT"].to_numpy(),
        variances=found["VARIANCE"].to_numpy(),
        moe95s=found["MOE95"].to_numpy(),
        region_types=found["REGION_TYPE"],
        ladders=pa.chunked_array([pa.repeat(ladder.name, found.num_rows)]),
        levels=found["level_name"],
        is_total_only=found["is_total_only"],
        is_total=found["stat_level"].to_numpy() == 0,
    )


def _matched_rows(rows: duckdb.DuckDBPyRelation, condition: Predicate, text: str) -> MatchedRows | Problem:
    """The rows that a predicate matches; what is wrong with it where it fails on them."""
    chosen = selection(rows, condition, text)
    if isinstance(chosen, Problem):
        return chosen
    try:
        columns = "first_atom, stat_level, row_id, COUNT, VARIANCE, MOE95"
        found = chosen.project(f"{columns}, ITERATION_CODE, REGION_TYPE").to_arrow_table()
    except duckdb.Error as error:
        return unfit(text, condition, error)
    is_mixed = max(compute.count_distinct(found[name]).as_py() for name in ("ITERATION_CODE", "REGION_TYPE")) > 1
    firsts, stat_levels, row_ids = (
        found[name].to_numpy().astype(np.int64) for name in ("first_atom", "stat_level", "row_id")
    )
    variances, moe95s = (found[name].to_numpy() for name in ("VARIANCE", "MOE95"))
    return MatchedRows(
        firsts, stat_levels, row_ids, variances, moe95s, found["COUNT"].to_numpy().sum().item(), is_mixed
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


def coefficients(rows: MatchedRows, cells: Mapping[tuple[int, int], Sequence[int]], size: int) -> Int64s:
    """How often each of `size` atoms is in the rows: int64[size]. cells: of each row, by stat level and row."""
    found = np.zeros(size, dtype=np.int64)
    for key, firsts in _by_kind(rows):
        for cell in cells.get(key, ()):
            np.add.at(found, firsts + cell, 1)
    return found


def _by_kind(rows: MatchedRows) -> Iterator[tuple[tuple[int, int], Int64s]]:
    """The first atoms of the rows of each stat level and row."""
    order = np.lexsort((rows.row_ids, rows.stat_levels))
    kinds = np.stack([rows.stat_levels[order], rows.row_ids[order]])
    starts = np.flatnonzero(np.any(np.diff(kinds, axis=1), axis=0)) + 1
    for places in np.split(order, starts):
        if places.size:
            yield (int(rows.stat_levels[places[0]]), int(rows.row_ids[places[0]])), rows.first_atoms[places]


def joined_atoms(parts: Sequence[Atoms]) -> Atoms:
    """The atoms of several ladders, one behind the other."""
    return Atoms(
        noisy_counts=np.concatenate([part.noisy_counts for part in parts]),
        variances=np.concatenate([part.variances for part in parts]),
        moe95s=np.concatenate([part.moe95s for part in parts]),
        region_types=_joined([part.region_types for part in parts], pa.string()),
        ladders=_joined([part.ladders for part in parts], pa.string()),
        levels=_joined([part.levels for part in parts], pa.string()),
        is_total_only=_joined([part.is_total_only for part in parts], pa.bool_()),
        is_total=np.concatenate([part.is_total for part in parts]),
    )


def _joined(columns: Sequence[pa.ChunkedArray], kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], kind)


def joined_rows(ladders: Sequence[LadderPart], place: int) -> MatchedRows:
    """The rows that a condition matches in all ladders; atoms and rows of each ladder have numbers of their own."""
    offsets = np.cumsum([0, *(one.atoms.noisy_counts.size for one in ladders)])
    found = [one.matched[place] for one in ladders]
    return MatchedRows(
        np.concatenate([rows.first_atoms + offset for rows, offset in zip(found, offsets, strict=False)]),
        np.concatenate([rows.stat_levels for rows in found]),
        np.concatenate([rows.row_ids for rows in found]),
        np.concatenate([rows.variances for rows in found]),
        np.concatenate([rows.moe95s for rows in found]),
        sum(rows.noisy_count for rows in found),
        is_mixed=any(rows.is_mixed for rows in found),
    )


def ladders_with_rows(ladders: Sequence[LadderPart], place: int) -> list[str]:
    """The ladders of which a condition matches rows."""
    return [one.ladder for one in ladders if one.matched[place].row_ids.size]
