"""`strategy`: the TOML file of queries about a histogram, what to add noise to, and how exact the answers are.

A query is a row of factors for the cells of a histogram; a workload or strategy, a matrix of such rows (the matrix
mechanism). One record changes one cell by 1. Variances are of continuous laws, which integer noise never exceeds.
configs/strategy.toml has every key, with comments. Source: Kifer, Utility; Strategy Example.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from safetab_sql.histograms.public.domains import (
    Columns,
    Domain,
    Domains,
    above_zero,
    cell_count,
    domains_of,
    margin,
    values_of_cells,
)
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.settings.budgets import LARGEST_BUDGET, PrivacyDefinition
from safetab_sql.settings.markers import Base, decimal, otherwise
from safetab_sql.settings.reading import Document, Place, read_as, read_toml
from safetab_sql.settings.tables import Wrong, depending, sized, sized_table, table, via

MOST_CELLS, MOST_QUERIES = 256, 2_000
_LARGEST_VARIANCE = 10**24
_SMALLEST = 1e-300  # of a weight: its square root is not 0
_SMALLEST_STEP = 0.02  # of the logarithm of a weight
_ABOUT_ROWS = "write a list of rows, each of a number for each cell"
_Factor = Annotated[Fraction, decimal(-_LARGEST_VARIANCE, _LARGEST_VARIANCE, _ABOUT_ROWS)]


@table
class Asked:
    """A table of queries, or of what noise is added to: by columns and values, or by a factor for each cell."""

    by: Annotated[
        tuple[str, ...],
        depending(lambda value: value == [], tuple[str, ...], Columns),
        "columns, a row for each combination of values; required without rows",
    ] = ()
    where: Annotated[
        Mapping[str, tuple[str | int, ...]],
        via(dict[str, Annotated[tuple[str | int | bool, ...], sized(1, fix="write a list of values")]]),
        "columns, and the values that count, as tables write them; by default all",
    ] = field(default_factory=dict, hash=False)
    rows: Annotated[
        tuple[tuple[Fraction, ...], ...],
        via(tuple[tuple[_Factor, ...], ...]),
        otherwise(_ABOUT_ROWS),
        "a factor for each cell, the last domain fastest, in place of by and where",
    ] = ()

    @classmethod
    def keys_amiss(cls, given: Mapping[str, object]) -> Iterator[Wrong]:
        """Two ways to say the same, or none."""
        if "rows" not in given and "by" not in given:
            yield Wrong("missing key 'by'", "add a line for by")
        if "rows" in given and ("by" in given or "where" in given):
            yield Wrong("rows stand beside by or where", "take out either")


@table
class Queries(Asked):
    """A table of queries."""

    variance: Annotated[
        Fraction | None,
        above_zero(_LARGEST_VARIANCE),
        "the largest variance of any query, records squared; all tables have one, or none",
    ] = None


@table
class Measure(Asked):
    """A table of what noise is added to."""

    weight: Annotated[
        Fraction,
        above_zero(_LARGEST_VARIANCE),
        "a table of weight 2 gets half the standard deviation of one of weight 1",
    ] = Fraction(1)


@table
class WorkloadFile:
    """The keys of a specification of `strategy`."""

    privacy_definition: Annotated[
        PrivacyDefinition, "zcdp: the budget is rho, for Gaussian noise; puredp: epsilon, for two-sided geometric noise"
    ] = "zcdp"
    budget: Annotated[
        Fraction | None,
        above_zero(LARGEST_BUDGET),
        "at which errors are stated; by default the least that meets the wanted variances",
    ] = None
    domains: Domains = ()
    queries: Annotated[
        Mapping[str, Queries],
        sized_table(1, what="there is no table of queries", fix="add one, such as [queries.all] with by = []"),
        "tables of queries",
    ] = field(default_factory=dict, hash=False)
    measure: Annotated[Mapping[str, Measure], "tables of counts that get noise; by default the queries themselves"] = (
        field(default_factory=dict, hash=False)
    )
    base: Base = None
    required: ClassVar = ("privacy_definition", "domains", "queries")


@dataclass(frozen=True, slots=True)
class Rows:
    """One table of queries, or of measurements: float64[rows, cells], a factor for each cell.

    variance: that no query of the table may exceed; None if none is given. weight: of measurements.
    """

    name: str
    matrix: Floats
    variance: Fraction | None = None
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Workload:
    """What is asked, and how it is to be measured. budget: rho or epsilon; None if none was given.

    measures: what noise is added to; empty if the spec does not say.
    """

    definition: PrivacyDefinition
    budget: Fraction | None
    cells: int
    queries: tuple[Rows, ...]
    measures: tuple[Rows, ...]

    @property
    def targets(self) -> Floats | None:
        """The wanted variance of each query; None if none is wanted."""
        wanted = [float(table.variance) for table in self.queries if table.variance is not None]
        return np.repeat(wanted, [len(table.matrix) for table in self.queries]) if wanted else None


def load_workload(path: Path) -> Workload:
    """The spec in the TOML file `path`. Raises: InputError with every problem. Source: semantics.md section 5."""
    document = read_toml(path)
    read = read_as(WorkloadFile, document)
    file, problems = read.found, list(read.problems)
    domains, _ = domains_of(document, file.domains, problems)
    cells = cell_count(domains)
    if cells > MOST_CELLS:
        what = f"{cells:,} cells, more than {MOST_CELLS}"
        refuse([*problems, document.problem(("domains",), what, "use wider bins, or fewer columns")])
    of_cells = values_of_cells(np.arange(cells, dtype=np.int64), domains)
    values = {column: [str(value) for value in each.to_pylist()] for column, each in of_cells.items()}
    for key, tables in {"queries": file.queries, "measure": file.measure}.items():
        for name, asked in tables.items():
            problems += _table_problems(document, (key, name), asked, values)
    problems += _variance_problems(document, file)
    refuse(problems)
    queries = tuple(Rows(name, _matrix(of, values, domains), of.variance) for name, of in file.queries.items())
    measures = tuple(Rows(name, _matrix(of, values, domains), weight=of.weight) for name, of in file.measure.items())
    number = sum(len(each.matrix) for each in queries)
    if number > MOST_QUERIES:
        what = f"{number:,} queries, more than {MOST_QUERIES:,}"
        refuse([document.problem(("queries",), what, "ask for fewer tables")])
    return Workload(file.privacy_definition, file.budget, cells, queries, measures)


def _variance_problems(document: Document, file: WorkloadFile) -> Iterator[Problem]:
    """A variance of some tables and not of others, or neither variance nor budget."""
    without = [name for name, each in file.queries.items() if each.variance is None]
    if without and len(without) < len(file.queries):
        what = f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no variance, and other tables have one"
        yield document.problem(("queries",), what, "give every table of queries a variance, or none")
    elif without and "budget" not in document.tables:
        fix = "give a budget, or a variance to some queries"
        yield document.problem((), "neither a budget nor a wanted variance is there", fix)


def _table_problems(
    document: Document, place: Place, written: Asked, values: Mapping[str, list[str]]
) -> Iterator[Problem]:
    """Columns and values that no domain has, and rows of another number of cells."""
    cells = len(next(iter(values.values()), []))
    if any(len(row) != cells for row in written.rows):
        fix = f"write a list of rows, each of {cells} numbers, one for each cell; without by and where"
        yield document.problem(place, f"a row has other than {cells} numbers", fix)
    unknown = [column for column in (*written.by, *written.where) if column not in values]
    if unknown:
        yield document.problem(place, f"no domain has column {', '.join(unknown)}", f"columns are {', '.join(values)}")
    for column, listed in written.where.items():
        strange = [str(value) for value in listed if str(value) not in values.get(column, [str(value)])]
        if strange:
            fix = f"its values are {', '.join(dict.fromkeys(values[column]))}"
            yield document.problem(place, f"where: {column} has no {', '.join(strange)}", fix)


def _matrix(written: Asked, values: Mapping[str, list[str]], domains: Sequence[Domain]) -> Floats:
    """Its rows, or one row for each combination of the columns `by` that some cell of `where` has."""
    if written.rows:
        return np.array([[float(factor) for factor in row] for row in written.rows])
    by = margin("", written.by, domains)
    is_counted = np.ones(cell_count(domains), dtype=np.bool_)
    for column, listed in written.where.items():
        is_counted &= np.isin(values[column], [str(value) for value in listed])
    matrix = np.zeros((by.rows, is_counted.size))
    matrix[by.rows_of_every_cell(), np.arange(is_counted.size)] = is_counted
    return matrix[matrix.any(axis=1)]


# What to measure to answer the queries, and how exact the answers are.


def sensitivity(strategy: Floats, definition: PrivacyDefinition) -> float:
    """What one record moves the answers by: the largest sum of absolute values of a column, or length (zcdp)."""
    lengths = np.abs(strategy).sum(axis=0) if definition == "puredp" else np.sqrt((strategy**2).sum(axis=0))
    return float(lengths.max())


def noise_variance(strategy: Floats, definition: PrivacyDefinition, budget: float) -> float:
    """The variance of each noisy answer: 2 (sensitivity / epsilon)^2, or sensitivity^2 / (2 rho)."""
    length = sensitivity(strategy, definition)
    return 2 * (length / budget) ** 2 if definition == "puredp" else length**2 / (2 * budget)


def query_variances(workload: Floats, strategy: Floats, variance: float = 1.0) -> Floats:
    """The variance of each query by least squares, the least of all unbiased answers: float64[queries].

    variance: of the noisy answers of `strategy`, independent. Raises: ValueError where it does not determine a query.
    Source: Kifer, The Matrix Mechanism; OLS Error.
    """
    precision = strategy.T @ (strategy / variance)
    weights = workload @ np.linalg.pinv(precision, hermitian=True)
    if not np.allclose(weights @ precision, workload, atol=1e-8):
        raise ValueError("the strategy does not determine every query of the workload")
    return np.asarray((weights * workload).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Fitness:
    """What it costs to give every query at most its wanted variance.

    rho: what the strategy takes. least: no Gaussian mechanism takes less. precision: float64[cells, cells], B^T S^-1 B
    of the strategy: its noise answers query w with the variance w precision^-1 w^T.
    """

    rho: float
    least: float
    precision: Floats


def cheapest_strategy(
    workload: Floats, targets: Floats, *, rounds: int = 2000, gap: float = 1e-9, is_every_query_alike: bool = False
) -> Fitness:
    """A strategy that gives every query its target variance for about the least rho that any strategy needs.

    The least rho is half the square of the factorisation norm of V = diag(targets)^(-1/2) W, and that norm is the
    largest nuclear norm of diag(a)^(1/2) V diag(b)^(1/2) over weights a, b that sum to 1 (Edmonds, Nikolov, Ullman
    2020, whom Kifer cites). Any a, b give a lower bound; the optimality conditions give a precision matrix, whose
    rho is an upper one: its diagonal, twice rho, is at most 2 rho. The weights are multiplied by how much each query
    and each cell exceeds the average, until the two bounds differ by less than the share `gap`, or for so many rounds.
    is_every_query_alike: the sum of variances, each over its target, is the least, and no query has one of its own.
    """
    weighted = workload / np.sqrt(targets)[:, None]
    queries, cells = weighted.shape
    of_queries, of_cells = np.full(queries, 1 / queries), np.full(cells, 1 / cells)
    best = Fitness(np.inf, 0.0, np.eye(cells))
    for _ in range(rounds):
        roots = np.sqrt(of_cells)
        scaled = np.sqrt(of_queries)[:, None] * weighted * roots
        left, values, right = np.linalg.svd(scaled, full_matrices=False)
        nuclear = float(values.sum())
        # X = U^(-1/2) (U^(1/2) M U^(1/2))^(1/2) U^(-1/2), M = W^T A W, and W X^-1 W^T from the same factors.
        precision = (right.T * values) @ right / np.outer(roots, roots)
        variances = ((left * values) * left).sum(axis=1) / of_queries
        diagonal = np.diag(precision)
        worst = float(variances.mean() if is_every_query_alike else variances.max())
        rho = float(diagonal.max()) * worst / 2
        least = max(best.least, nuclear**2 / 2)
        best = Fitness(rho, least, precision * worst) if rho < best.rho else Fitness(best.rho, least, best.precision)
        if best.rho <= least * (1 + gap):
            break
        of_cells = np.maximum(of_cells * np.sqrt(diagonal), _SMALLEST)
        of_cells /= of_cells.sum()
        if not is_every_query_alike:
            of_queries = np.maximum(of_queries * np.sqrt(variances), _SMALLEST)
            of_queries /= of_queries.sum()
    return best


def total_squared_error_strategy(
    workload: Floats, targets: Floats, *, rounds: int = 2000, gap: float = 1e-9
) -> tuple[float, Floats]:
    """Rho and precision of the strategy of least total squared error, rescaled until every query meets its target."""
    found = cheapest_strategy(workload, np.ones(len(workload)), rounds=rounds, gap=gap, is_every_query_alike=True)
    stretch = float((np.diag(covariance(workload, found.precision)) / targets).max())
    return found.rho * stretch, found.precision * stretch


def covariance(workload: Floats, precision: Floats) -> Floats:
    """The covariance of the queries' noise, float64[queries, queries]. precision: of a `Fitness`."""
    return np.asarray(workload @ np.linalg.pinv(precision, hermitian=True) @ workload.T)


def strategy_of(precision: Floats) -> Floats:
    """What to measure with noise of variance 1: float64[rows, cells] B with B^T B = precision."""
    values, vectors = np.linalg.eigh(precision)
    kept = values > values.max(initial=0.0) * 1e-12
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)


def best_weights(cost: Callable[[Floats], float], tables: int) -> tuple[Floats, float]:
    """Weights of the measured tables, the largest 1, for which `cost` is small, and that cost.

    cost: of positive weights float64[tables], infinite where they are of no use; scaling them all changes nothing. The
    best found, no proved optimum: weights are multiplied one by one, and in pairs, by factors that shrink.
    """
    single = np.vstack([np.eye(tables), -np.eye(tables)])
    pairs = [one - other for one in np.eye(tables) for other in np.eye(tables) if (one != other).any()]
    moves = np.vstack([single, *pairs])
    logs, best, step = np.zeros(tables), cost(np.ones(tables)), 2.0
    while tables > 1 and step > _SMALLEST_STEP:
        found, place = min((cost(np.exp(logs + step * move)), place) for place, move in enumerate(moves))
        if found < best:
            best, logs = found, logs + step * moves[place]
        else:
            step /= 2
    return np.exp(logs - logs.max()), best
