"""Sums and differences of published counts, and how far the noise may have moved them.

Every published count is a sum of independent noisy counts, here called atoms: a cell of T2; a total of a group without
a table. The marginal of a sex is the sum of its cells, and so is the total of a group with a table. A sum over rows is
therefore taken apart into atoms first: an atom that is in several rows counts several times, an atom that is added and
subtracted cancels. The atoms that are left are independent, so their variances add.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute, dataset

from safetab_sql.jobs.absent_groups import AbsentGroups, PossibleRows
from safetab_sql.jobs.named_groups import NamedGroups, groups_of_public_files, groups_of_release
from safetab_sql.jobs.sum_caveats import absence_caveats, bound_caveats, caveats
from safetab_sql.jobs.sum_noise import (
    LEVEL,
    Atoms,
    MatchedRows,
    SumMethod,
    coefficients,
    estimated_sum,
    level_problems,
    noise_of_sum,
)
from safetab_sql.kit.database import scratch_folder
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import render, sql_files
from safetab_sql.published.predicates import Predicate, predicate, selection, shortened, unfit
from safetab_sql.published.release import open_release, released_table, table_files
from safetab_sql.published.release_facts import RELEASE_FIX, ReleaseFacts, release_facts

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Found = TypeVar("Found")
Rows: TypeAlias = Any  # all rows of T1 or of T2: a list of Parquet files, an Arrow table or an Arrow dataset

_KEYS = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT", "VARIANCE", "MOE95")
_COLUMNS = {"t1": _KEYS, "t2": (*_KEYS, "AGESTART", "AGEEND", "SEX")}


@dataclass(frozen=True, slots=True)
class Selection:
    """One predicate of a sum. sign: 1 added, -1 subtracted. rows: published rows it matched; atoms: of those rows.

    absent: the population groups that it asks for and that have no row among those.
    """

    sign: int
    predicate: str
    rows: int
    atoms: int
    absent: AbsentGroups


@dataclass(frozen=True, slots=True)
class PublishedSum:
    """A sum or difference of published counts.

    estimate: persons; whole unless counts are reconciled. variance: of its noise, persons squared. moe95: half-width,
    persons: the smallest m such that the noise is within m with a chance of at least 95 %; method: how it was found; of
    a "bound", variance and moe95 are at most that. atoms: independent noisy counts in it; cancelled_atoms: those that
    were added as often as subtracted. caveats: what the margin does not cover. margin: half-width at `level`, persons.
    p_value: of a difference, the chance that noise alone is as far from 0; None where it is not known, or nothing is
    subtracted.
    """

    estimate: float
    variance: float
    moe95: float
    method: SumMethod
    atoms: int
    cancelled_atoms: int
    selections: tuple[Selection, ...]
    caveats: tuple[str, ...]
    level: float
    margin: float
    p_value: float | None


def sum_of_release(
    out: str | Path,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    geography: str | Path | None = None,
    code_lists: str | Path | None = None,
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum over the rows of `out` that each predicate matches: those of `plus` less those of `minus`.

    out: a folder that `run` or `reconcile` made. geography, code_lists: those of the run; with both, every suppressed
    group that was asked for is counted. Raises: InputError where `out` is no release with margins of error, or the
    public files are not those of the run, and as `sum_of_counts` does.
    """
    release = open_release(Path(out), or_reconciled=True)
    refuse(release.problems)
    named = groups_of_public_files(release.facts, geography, code_lists)
    for name, columns in _COLUMNS.items():
        released_table(release.folder / name, columns)  # refuses what is no such table
    t1, t2 = (table_files(release.folder / name) for name in _COLUMNS)
    return _sum(t1, t2, release.facts, plus, minus, named, level)


moe = sum_of_release  # the job of the command `moe`


def sum_of_counts(
    t1: object,
    t2: object,
    manifest: object,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    named: NamedGroups | None = None,
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum of the published counts that `plus` matches, less those that `minus` matches.

    t1, t2: ALL rows of a release: Arrow tables or datasets, DuckDB relations, or anything else that gives Arrow data.
    manifest: what its manifest.json holds. plus, minus: SQL conditions on the columns TABLE ('T1' or 'T2'), REGION_ID,
    REGION_TYPE, ITERATION_CODE, AGESTART, AGEEND, SEX ('*' in the marginals, NULL in T1) and COUNT; several, or one
    alone. A row that two of them match counts twice. named: all groups that there are; by default those that t1 names.
    Raises: InputError with every problem of the predicates, and where one of them matches no row.
    """
    return _sum(_arrow("t1", t1), _arrow("t2", t2), release_facts(manifest), plus, minus, named, level)


def _sum(
    t1: Rows,
    t2: Rows,
    facts: ReleaseFacts,
    plus: str | Sequence[str],
    minus: str | Sequence[str],
    named: NamedGroups | None,
    level: Fraction,
) -> PublishedSum:
    signed = [*((1, text) for text in _conditions(plus)), *((-1, text) for text in _conditions(minus))]
    refuse([] if signed else [Problem("sum", "nothing is added up", "give at least one condition")])
    refuse(level_problems(level, facts))
    files = [file for rows in (t1, t2) if isinstance(rows, list) for file in rows]
    with scratch_folder(None) as scratch, _closed_connection(scratch, files) as connection:
        conditions = _all_or_problems(predicate(connection.cursor(), text) for _, text in signed)
        rows = _summed_rows(connection, t1, t2, dict(zip((text for _, text in signed), conditions, strict=True)))
        atoms = _atoms(rows)
        matched = _all_or_problems(
            _matched_rows(rows, condition, text) for condition, (_, text) in zip(conditions, signed, strict=True)
        )
        _created(connection, "row_shapes")
        named = named or groups_of_release(connection.table("t1"))
        possible = PossibleRows(connection, rows, named, facts.suppressed_types)
        absent = [possible.absent(condition) for condition in conditions]
    signs = np.array([sign for sign, _ in signed], dtype=np.int64)
    parts = np.array([coefficients(part.first_atoms, part.atoms, atoms.noisy_counts.size) for part in matched])
    net = signs @ parts
    estimate = estimated_sum(signs, matched, net, atoms)
    selections = tuple(
        Selection(sign, text, found.atoms.size, int(np.count_nonzero(part)), groups)
        for (sign, text), found, part, groups in zip(signed, matched, parts, absent, strict=True)
    )
    noise, at_level = noise_of_sum(signs, matched, net, atoms, facts, estimate, level)
    return PublishedSum(
        estimate,
        *noise,
        atoms=int(np.count_nonzero(net)),
        cancelled_atoms=int(np.count_nonzero((net == 0) & parts.any(axis=0))),
        selections=selections,
        caveats=(
            *caveats(net, atoms, facts, conditions, is_mixed=any(found.is_mixed for found in matched)),
            *bound_caveats(noise[2]),
            *(text for one in selections for text in absence_caveats(one.predicate, one.absent)),
        ),
        level=float(level),
        margin=at_level["margin"],
        p_value=at_level["p_value"] if _conditions(minus) else None,
    )


def _conditions(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


@contextmanager
def _closed_connection(scratch: Path, files: Sequence[Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads these files, loads no extension and sees nothing else; it spills to `scratch`."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": str(scratch / "spill"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        connection.execute("set python_enable_replacements = false")
        connection.execute("set enable_progress_bar = false")
        connection.execute("set allowed_paths = $paths", {"paths": [str(file) for file in files]})
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield connection


def _summed_rows(
    connection: duckdb.DuckDBPyConnection, t1: Rows, t2: Rows, conditions: Mapping[str, Predicate]
) -> duckdb.DuckDBPyRelation:
    """Table summed_rows of sql/tools/moe. Files are read by the engine, which skips what no condition asks for.

    conditions: by their texts. Raises: InputError with every problem of them.
    """
    for name, rows in {"t1": t1, "t2": t2}.items():
        if isinstance(rows, list):
            connection.read_parquet([str(file) for file in rows]).create_view(name)
        else:
            connection.register(name, rows)
    connection.sql(render(sql_files()["published_rows"], {}).text).create_view("published_rows")
    _created(connection, "asked_groups")
    published = connection.view("published_rows")
    _all_or_problems(_ask(published, condition, text) for text, condition in conditions.items())
    return _created(connection, "summed_rows")


def _created(connection: duckdb.DuckDBPyConnection, name: str) -> duckdb.DuckDBPyRelation:
    """A table of sql/tools/moe, made."""
    connection.sql(render(sql_files()[name], {}).text).create(name)
    return connection.table(name)


def _ask(published: duckdb.DuckDBPyRelation, condition: Predicate, text: str) -> Problem | None:
    """Add the groups of the rows that a predicate matches to asked_groups; what is wrong with it where it fails."""
    chosen = selection(published, condition, text)
    if isinstance(chosen, Problem):
        return chosen
    try:
        chosen.project("REGION_TYPE, REGION_ID, ITERATION_CODE").distinct().insert_into("asked_groups")
    except duckdb.Error as error:
        return unfit(text, error)
    return None


def _arrow(name: str, rows: object) -> Rows:
    """`rows` as something with a schema that DuckDB can read: datasets as they are, all else as a table.

    Raises: InputError where it lacks columns of the table `name`.
    """
    table = rows if isinstance(rows, dataset.Dataset) else pa.table(rows)
    missing = [column for column in _COLUMNS[name] if column not in table.schema.names]
    refuse([Problem(name, f"missing columns {', '.join(missing)}", RELEASE_FIX)] if missing else [])
    return table


def _atoms(rows: duckdb.DuckDBPyRelation) -> Atoms:
    atoms = rows.filter("is_atom").order("first_atom").project("COUNT, VARIANCE, REGION_TYPE, SEX").to_arrow_table()
    return Atoms(
        noisy_counts=atoms["COUNT"].to_numpy(),
        variances=atoms["VARIANCE"].to_numpy(),
        region_types=atoms["REGION_TYPE"],
        is_total=atoms["SEX"].is_null().to_numpy(),
    )


def _matched_rows(rows: duckdb.DuckDBPyRelation, condition: Predicate, text: str) -> MatchedRows | Problem:
    """The rows that a predicate matches; what is wrong with it where it fails on them, or matches none."""
    chosen = selection(rows, condition, text)
    if isinstance(chosen, Problem):
        return chosen
    try:
        columns = "first_atom, atoms, COUNT, VARIANCE, MOE95, ITERATION_CODE, REGION_TYPE"
        found = chosen.project(columns).to_arrow_table()
    except duckdb.Error as error:
        return unfit(text, error)
    if found.num_rows == 0:
        fix = "a suppressed total is no row, and no row is not zero; see which rows there are in t1 and t2"
        return Problem(shortened(text), "matches no published row", fix)
    is_mixed = max(compute.count_distinct(found[name]).as_py() for name in ("ITERATION_CODE", "REGION_TYPE")) > 1
    firsts, atoms, variances, moe95s = (found[name].to_numpy() for name in ("first_atom", "atoms", "VARIANCE", "MOE95"))
    return MatchedRows(firsts, atoms, variances, moe95s, found["COUNT"].to_numpy().sum().item(), is_mixed)


def _all_or_problems(found: Iterable[Found | Problem]) -> list[Found]:
    """All that was found. Raises: InputError with every problem among it."""
    everything = list(found)
    refuse([item for item in everything if isinstance(item, Problem)])
    return [item for item in everything if not isinstance(item, Problem)]
