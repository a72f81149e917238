"""The TOML spec of `strategy`: queries about a histogram, what is measured to answer them, and how exact they must be.

configs/strategy.toml has every key, with comments.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated, get_args

import numpy as np

from safetab_sql.histograms.public.bottom_up_spec import above_zero
from safetab_sql.histograms.public.domains import (
    Columns,
    Domain,
    Domains,
    cell_count,
    domains_of,
    margin,
    rows_of_every_cell,
    values_of_cells,
)
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.settings.budgets import LARGEST_BUDGET, PrivacyDefinition
from safetab_sql.settings.markers import Base, Decimal, Fix, Sized, among
from safetab_sql.settings.reading import Document, Place, read_as, read_toml
from safetab_sql.settings.tables import REQUIRED, Depending, Means, ReadAs, Wrong, table

MOST_CELLS, MOST_QUERIES = 256, 2_000
_LARGEST_VARIANCE = 10**24
_ABOUT_ROWS = "write a list of rows, each of a number for each cell"
_Factor = Annotated[Fraction, Decimal(-_LARGEST_VARIANCE, _LARGEST_VARIANCE, _ABOUT_ROWS)]
_By = Annotated[
    tuple[str, ...],
    Depending(lambda value: value == [], tuple[str, ...], Columns),
    Means("columns, a row for each combination of values; required without rows"),
]
_Where = Annotated[
    Mapping[str, tuple[str | int, ...]],
    ReadAs(dict[str, Annotated[tuple[str | int | bool, ...], Sized(1, fix="write a list of values")]]),
    Means("columns, and the values that count, as tables write them; by default all"),
]
_Factors = Annotated[
    tuple[tuple[Fraction, ...], ...],
    ReadAs(tuple[tuple[_Factor, ...], ...]),
    Fix(_ABOUT_ROWS),
    Means("a factor for each cell, the last domain fastest, in place of by and where"),
]


@table
class Asked:
    """A table of queries, or of what noise is added to: by columns and values, or by a factor for each cell."""

    by: _By = ()
    where: _Where = field(default_factory=dict, hash=False)
    rows: _Factors = ()

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
        Means("the largest variance of any query, records squared; all tables have one, or none"),
    ] = None


@table
class Measure(Asked):
    """A table of what noise is added to."""

    weight: Annotated[
        Fraction,
        above_zero(_LARGEST_VARIANCE),
        Means("a table of weight 2 gets half the standard deviation of one of weight 1"),
    ] = Fraction(1)


@table
class WorkloadFile:
    """The keys of a specification of `strategy`."""

    privacy_definition: Annotated[
        PrivacyDefinition,
        Fix(among(get_args(PrivacyDefinition))),
        REQUIRED,
        Means("zcdp: the budget is rho, for Gaussian noise; puredp: epsilon, for two-sided geometric noise"),
    ] = "zcdp"
    budget: Annotated[
        Fraction | None,
        above_zero(LARGEST_BUDGET),
        Means("at which errors are stated; by default the least that meets the wanted variances"),
    ] = None
    domains: Annotated[Domains, REQUIRED] = ()
    queries: Annotated[
        Mapping[str, Queries],
        Sized(1, what="there is no table of queries", fix="add one, such as [queries.all] with by = []"),
        REQUIRED,
        Means("tables of queries"),
    ] = field(default_factory=dict, hash=False)
    measure: Annotated[
        Mapping[str, Measure], Means("tables of counts that get noise; by default the queries themselves")
    ] = field(default_factory=dict, hash=False)
    base: Base = None


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
    found = Workload(
        definition=file.privacy_definition,
        budget=file.budget,
        cells=cells,
        queries=tuple(
            Rows(name, _matrix(each, values, domains), variance=each.variance) for name, each in file.queries.items()
        ),
        measures=tuple(
            Rows(name, _matrix(each, values, domains), weight=each.weight) for name, each in file.measure.items()
        ),
    )
    number = sum(len(each.matrix) for each in found.queries)
    if number > MOST_QUERIES:
        what = f"{number:,} queries, more than {MOST_QUERIES:,}"
        refuse([document.problem(("queries",), what, "ask for fewer tables")])
    return found


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
    matrix[rows_of_every_cell(by, domains), np.arange(is_counted.size)] = is_counted
    return matrix[matrix.any(axis=1)]
