"""Sums and differences of published counts, and how far the noise may have moved them.

Every published count is a sum of independent noisy counts, here called atoms: a cell of T2; a total of a group without
a table. The marginal of a sex is the sum of its cells, and so is the total of a group with a table. A sum over rows is
therefore taken apart into atoms first: one that is in several rows counts several times, one that is added and
subtracted cancels. What is left is independent, and its variances add.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute, dataset

from safetab_sql.jobs.predicates import Predicate, predicate, selection, shortened, unfit
from safetab_sql.kit.database import scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import render, sql_files
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import variance
from safetab_sql.published.release import RELEASE_FIX, ReleaseFacts, read_manifest, release_facts
from safetab_sql.published.uncertainty import MarginMethod, NoiseTerm, margin_of_terms, variance_of_terms

Int64s = npt.NDArray[np.int64]
Found = TypeVar("Found")

_KEYS = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "COUNT", "VARIANCE")
_COLUMNS = {"t1": _KEYS, "t2": (*_KEYS, "AGESTART", "AGEEND", "SEX")}


@dataclass(frozen=True, slots=True)
class Selection:
    """One predicate of a sum. sign: 1 added, -1 subtracted. rows: published rows it matched; atoms: of those rows."""

    sign: int
    predicate: str
    rows: int
    atoms: int


@dataclass(frozen=True, slots=True)
class PublishedSum:
    """A sum or difference of published counts.

    estimate: persons. variance: of its noise, persons squared. moe95: half-width, persons: the smallest m such that the
    noise is within m with a chance of at least 95 %; method: how it was found. atoms: independent noisy counts in it;
    cancelled_atoms: those that were added as often as subtracted. caveats: what the margin does not cover.
    """

    estimate: int
    variance: float
    moe95: int
    method: MarginMethod
    atoms: int
    cancelled_atoms: int
    selections: tuple[Selection, ...]
    caveats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Atoms:
    """The atoms of a release in their order: counts int64[n], variances float64[n], region types, bool[n]."""

    noisy_counts: Int64s
    variances: npt.NDArray[np.float64]
    region_types: pa.Array
    is_total: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _MatchedRows:
    """The rows of one predicate: each is the sum of atoms[i] atoms from first_atoms[i] on; int64[rows].

    is_mixed: whether they are of several characteristic iterations or region types.
    """

    first_atoms: Int64s
    atoms: Int64s
    noisy_count: int
    is_mixed: bool


def sum_of_release(out: str | Path, *, plus: str | Sequence[str], minus: str | Sequence[str] = ()) -> PublishedSum:
    """The sum over the rows of release `out` that each predicate matches: those of `plus` less those of `minus`.

    Raises: InputError where `out` is no release with margins of error, and as `sum_of_counts` does.
    """
    out = Path(out)
    manifest = read_manifest(out / "manifest.json")
    release_facts(manifest)
    files = {name: sorted(map(str, (out / name).glob("*.parquet"))) for name in _COLUMNS}
    refuse([Problem(str(out / name), "holds no Parquet file", RELEASE_FIX) for name in files if not files[name]])
    try:
        t1, t2 = (dataset.dataset(files[name], format="parquet") for name in _COLUMNS)
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(out), f"cannot be read: {error}", RELEASE_FIX)]) from error
    return sum_of_counts(t1, t2, manifest, plus=plus, minus=minus)


def sum_of_counts(
    t1: object, t2: object, manifest: object, *, plus: str | Sequence[str], minus: str | Sequence[str] = ()
) -> PublishedSum:
    """The sum of the published counts that `plus` matches, less those that `minus` matches.

    t1, t2: ALL rows of a release: Arrow tables or datasets, DuckDB relations, or anything else that gives Arrow data.
    manifest: what its manifest.json holds. plus, minus: SQL conditions on the columns TABLE ('T1' or 'T2'), REGION_ID,
    REGION_TYPE, ITERATION_CODE, AGESTART, AGEEND, SEX ('*' in the marginals, NULL in T1) and COUNT; several, or one
    alone. A row that two of them match counts twice.
    Raises: InputError with every problem of the predicates, and where one of them matches no row.
    """
    facts = release_facts(manifest)
    signed = [*((1, text) for text in _conditions(plus)), *((-1, text) for text in _conditions(minus))]
    refuse([] if signed else [Problem("sum", "nothing is added up", "give at least one condition")])
    with scratch_folder(None) as scratch, _closed_connection(scratch) as connection:
        conditions = _all_or_problems(predicate(connection.cursor(), text) for _, text in signed)
        rows = _published_rows(connection, t1, t2)
        atoms = _atoms(rows)
        matched = _all_or_problems(
            _matched_rows(rows, condition, text) for condition, (_, text) in zip(conditions, signed, strict=True)
        )
    signs = np.array([sign for sign, _ in signed], dtype=np.int64)
    parts = np.array([coefficients(part.first_atoms, part.atoms, atoms.noisy_counts.size) for part in matched])
    net = signs @ parts
    estimate = int(signs @ np.array([part.noisy_count for part in matched], dtype=np.int64))
    if estimate != int(net @ atoms.noisy_counts):
        raise InputError([Problem("T1, T2", "the totals are not the sums of their cells", RELEASE_FIX)])
    terms = _noise_terms(net, atoms, facts)
    margin = margin_of_terms(terms)
    return PublishedSum(
        estimate=estimate,
        variance=float(variance_of_terms(terms)),
        moe95=margin.moe95,
        method=margin.method,
        atoms=int(np.count_nonzero(net)),
        cancelled_atoms=int(np.count_nonzero((net == 0) & parts.any(axis=0))),
        selections=tuple(
            Selection(sign, text, found.atoms.size, int(np.count_nonzero(part)))
            for (sign, text), found, part in zip(signed, matched, parts, strict=True)
        ),
        caveats=tuple(_caveats(net, atoms, facts, conditions, is_mixed=any(found.is_mixed for found in matched))),
    )


def _conditions(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


def coefficients(first_atoms: Int64s, atoms: Int64s, size: int) -> Int64s:
    """How often each of `size` atoms is in rows that add up atoms[i] atoms from first_atoms[i] on: int64[size]."""
    steps = np.zeros(size + 1, dtype=np.int64)
    np.add.at(steps, first_atoms, 1)
    np.add.at(steps, first_atoms + atoms, -1)
    return np.cumsum(steps[:-1])


@contextmanager
def _closed_connection(scratch: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads no file, loads no extension and sees what it is handed alone; it spills to `scratch`."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": str(scratch / "spill"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        connection.execute("set python_enable_replacements = false")
        connection.execute("set enable_progress_bar = false")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield connection


def _published_rows(connection: duckdb.DuckDBPyConnection, t1: object, t2: object) -> duckdb.DuckDBPyRelation:
    """Table published_rows of sql/tools/report. Raises: InputError where t1 or t2 lacks columns."""
    tables = {"t1": _arrow(t1), "t2": _arrow(t2)}
    missing = {
        name: [column for column in _COLUMNS[name] if column not in tables[name].schema.names] for name in tables
    }
    refuse(
        [Problem(name, f"missing columns {', '.join(missing[name])}", RELEASE_FIX) for name in tables if missing[name]]
    )
    for name, table in tables.items():
        connection.register(name, table)
    connection.sql(render(sql_files()["published_rows"], {}).text).create("published_rows")
    return connection.table("published_rows")


def _arrow(rows: object) -> pa.Table:
    """`rows` as something with a schema that DuckDB can read: datasets as they are, all else as a table."""
    return rows if isinstance(rows, dataset.Dataset) else pa.table(rows)


def _atoms(rows: duckdb.DuckDBPyRelation) -> _Atoms:
    atoms = rows.filter("is_atom").order("first_atom").project("COUNT, VARIANCE, REGION_TYPE, SEX").to_arrow_table()
    return _Atoms(
        noisy_counts=atoms["COUNT"].to_numpy(),
        variances=atoms["VARIANCE"].to_numpy(),
        region_types=atoms["REGION_TYPE"],
        is_total=atoms["SEX"].is_null().to_numpy(),
    )


def _matched_rows(rows: duckdb.DuckDBPyRelation, condition: Predicate, text: str) -> _MatchedRows | Problem:
    """The rows that a predicate matches; what is wrong with it where it fails on them, or matches none."""
    chosen = selection(rows, condition, text)
    if isinstance(chosen, Problem):
        return chosen
    try:
        found = chosen.project("first_atom, atoms, COUNT, ITERATION_CODE, REGION_TYPE").to_arrow_table()
    except duckdb.Error as error:
        return unfit(text, error)
    if found.num_rows == 0:
        fix = "a suppressed total is no row, and no row is not zero; see which rows there are in t1 and t2"
        return Problem(shortened(text), "matches no published row", fix)
    counts = found["COUNT"].to_numpy()
    is_mixed = max(compute.count_distinct(found[name]).as_py() for name in ("ITERATION_CODE", "REGION_TYPE")) > 1
    return _MatchedRows(found["first_atom"].to_numpy(), found["atoms"].to_numpy(), int(counts.sum()), is_mixed)


def _noise_terms(net: Int64s, atoms: _Atoms, facts: ReleaseFacts) -> tuple[NoiseTerm, ...]:
    """The noise of a sum: draws of each law and coefficient. The laws are symmetric, so signs do not matter."""
    chosen = np.flatnonzero(net)
    kinds = pa.table(
        {
            "region_type": atoms.region_types.take(chosen),
            "variance": atoms.variances[chosen],
            "coefficient": np.abs(net[chosen]),
        }
    ).group_by(["region_type", "variance", "coefficient"])
    draws: dict[tuple[Law, int], int] = {}
    for kind in kinds.aggregate([([], "count_all")]).to_pylist():
        key = (_law(kind["region_type"], kind["variance"], facts), kind["coefficient"])
        draws[key] = draws.get(key, 0) + kind["count_all"]
    terms = [NoiseTerm(law, coefficient, number) for (law, coefficient), number in draws.items()]
    return tuple(sorted(terms, key=lambda term: (str(term.law), term.coefficient)))


def _law(region_type: str, published_variance: float, facts: ReleaseFacts) -> Law:
    """The law of a count: that of the ledger, among those of its region type, which has the published variance.

    Rows do not name their level. Two laws of one kind with the same variance are the same law.
    """
    for law in facts.laws.get(region_type, ()):
        if abs(float(variance(law)) - published_variance) <= 1e-9 * published_variance + 1e-18:
            return law
    what = f"{region_type} counts with variance {published_variance:g}, which no level of the manifest has"
    raise InputError([Problem("t1, t2", what, RELEASE_FIX)])


def _caveats(
    net: Int64s, atoms: _Atoms, facts: ReleaseFacts, conditions: Sequence[Predicate], *, is_mixed: bool
) -> Iterator[str]:
    """What the margin of error of a sum does not cover."""
    if is_mixed:
        yield (
            "Rows of several characteristic iterations or region types were added up. Their groups may share people, "
            "who are then counted more than once; the margin covers the noise alone."
        )
    chosen = np.flatnonzero(net)
    if chosen.size and facts.is_clipped:
        yield (
            "Counts below 0 were published as 0. Variance and margin are of the noise before that; counts so changed "
            "are too large on average, so what is added is biased upwards and what is subtracted downwards."
        )
    types = atoms.region_types.take(chosen[atoms.is_total[chosen]])
    suppressed = pa.array(sorted(facts.suppressed_types), pa.string())
    suppressible = compute.sum(compute.is_in(types, value_set=suppressed)).as_py()
    if suppressible:
        yield (
            f"{suppressible:,} of the counts are totals that are published only if large enough. Variance and margin "
            "are of the noise before that choice; totals near the limit are too large on average."
        )
    if any(condition.reads_count for condition in conditions):
        yield "Rows were chosen by their noisy counts. The margin does not cover what that choice does."


def _all_or_problems(found: Iterable[Found | Problem]) -> list[Found]:
    """All that was found. Raises: InputError with every problem among it."""
    everything = list(found)
    refuse([item for item in everything if isinstance(item, Problem)])
    return [item for item in everything if not isinstance(item, Problem)]
