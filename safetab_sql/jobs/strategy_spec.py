"""The TOML spec of `strategy`: queries about a histogram, what is measured to answer them, and how exact they must be.

configs/strategy.toml has every key, with comments.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Annotated, get_args

import numpy as np

from safetab_sql.histograms.public.bottom_up_spec import above_zero
from safetab_sql.histograms.public.domains import (
    Columns,
    Domain,
    Domains,
    cell_count,
    decoded,
    domains_of,
    margin,
    rows_of_every_cell,
    size,
)
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.semantics.products import Factor, Product, cut, every_range, prefix_sums
from safetab_sql.settings.budgets import LARGEST_BUDGET, PrivacyDefinition
from safetab_sql.settings.decimals import Decimal
from safetab_sql.settings.markers import Base, Depending, Fix, Means, ReadAs, Sized, among
from safetab_sql.settings.reading import Document, read_as, read_toml
from safetab_sql.settings.tables import REQUIRED, table
from safetab_sql.settings.wrong import Place, Wrong

MOST_CELLS, MOST_SETS, MOST_QUERIES, MOST_FACTORS = 1_024, 1_024, 600_000, 40_000_000
_LARGEST_VARIANCE = 10**24
_ABOUT_ROWS = "write a list of rows, each of a number for each cell"


_Factor = Annotated[Fraction, Decimal(-_LARGEST_VARIANCE, _LARGEST_VARIANCE, _ABOUT_ROWS)]
_By = Annotated[
    tuple[str, ...],
    Depending(lambda value, _: value == [], tuple[str, ...], Columns),
    Means("columns, a row for each combination of values; required without rows"),
]
_Where = Annotated[
    Mapping[str, tuple[str | int, ...]],
    ReadAs(dict[str, Annotated[tuple[str | int | bool, ...], Sized(1, fix="write a list of values")]], dict),
    Means("columns, and the values that count, as tables write them; by default all"),
]
_Factors = Annotated[
    tuple[tuple[Fraction, ...], ...],
    ReadAs(tuple[tuple[_Factor, ...], ...], tuple),
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
        others = [key for key in ("by", "where", "prefix_sums", "ranges") if key in given]
        if "rows" not in given and not {"by", "prefix_sums", "ranges"} & set(given):
            yield Wrong("missing key 'by'", "add a line for by")
        if "rows" in given and others:
            yield Wrong(f"rows stand beside {' and '.join(others)}", "take out either")


@table
class Queries(Asked):
    """A table of queries."""

    prefix_sums: Annotated[
        tuple[str, ...], Means("columns: the sums of their first values, for every number of values; beside by")
    ] = ()
    ranges: Annotated[
        tuple[str, ...], Means("columns: the sums of all values that follow one another, for every first and last one")
    ] = ()

    variance: Annotated[
        Fraction | None,
        above_zero(_LARGEST_VARIANCE),
        Means("what the variance of no query may exceed, records squared; all tables have one, or none"),
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
        Mapping[str, Measure], Means("tables of what noise is added to; by default the queries themselves")
    ] = field(default_factory=dict, hash=False)
    base: Base = None


@dataclass(frozen=True, slots=True)
class Rows:
    """One table of queries, or of measurements.

    product: a factor for each axis of the workload. variance: that no query of the table may exceed; None if none is
    given. weight: of measurements.
    """

    name: str
    product: Product
    variance: Fraction | None = None
    weight: Fraction = Fraction(1)

    @property
    def count(self) -> int:
        """How many queries there are."""
        return prod(_queries(factor) for factor in self.product.factors)


@dataclass(frozen=True, slots=True)
class Workload:
    """What is asked, and how it is to be measured. budget: rho or epsilon; None if none was given.

    axes: names of the domains; a single one if rows have a factor for each cell. measures: what noise is added to;
    empty if the spec does not say.
    """

    definition: PrivacyDefinition
    budget: Fraction | None
    axes: tuple[str, ...]
    cells: int
    queries: tuple[Rows, ...]
    measures: tuple[Rows, ...]

    @property
    def has_targets(self) -> bool:
        """Whether a variance is wanted of the queries."""
        return self.queries[0].variance is not None


def load_workload(path: Path) -> Workload:
    """The spec in the TOML file `path`. Raises: InputError with every problem. Source: semantics.md section 5."""
    document = read_toml(path)
    read = read_as(WorkloadFile, document)
    file, problems = read.found, list(read.problems)
    domains, _ = domains_of(document, file.domains, problems)
    asked = [*file.queries.values(), *file.measure.values()]
    is_flat = any(each.rows for each in asked)
    cells = cell_count(domains)
    if is_flat and cells > MOST_CELLS:
        what = f"{cells:,} cells, more than {MOST_CELLS:,}, and some tables have rows"
        refuse(
            [*problems, document.problem(("domains",), what, "write by, where, prefix_sums and ranges in their place")]
        )
    for key, tables in {"queries": file.queries, "measure": file.measure}.items():
        for name, table_ in tables.items():
            problems += _table_problems(document, (key, name), table_, domains)
    problems += _variance_problems(document, file)
    refuse(problems)
    found = Workload(
        definition=file.privacy_definition,
        budget=file.budget,
        axes=("cells",) if is_flat else tuple(domain.name for domain in domains),
        cells=cells,
        queries=tuple(
            Rows(name, _product(each, domains, is_flat=is_flat), variance=each.variance)
            for name, each in file.queries.items()
        ),
        measures=tuple(
            Rows(name, _product(each, domains, is_flat=is_flat), weight=each.weight)
            for name, each in file.measure.items()
        ),
    )
    refuse([*_too_large(document, found)])
    return found


def _queries(factor: Factor) -> int:
    rows = len(factor.rows)
    return rows * (rows - 1) // 2 if factor.is_pairs else rows


def groups(workload: Workload) -> tuple[tuple[int, ...], ...]:
    """Axes that can be planned apart: each alone, if there is one table of queries and nothing else to measure."""
    axes = range(len(workload.axes))
    return tuple((axis,) for axis in axes) if len(workload.queries) == 1 and not workload.measures else (tuple(axes),)


def _too_large(document: Document, workload: Workload) -> Iterator[Problem]:
    """More than can be planned, of what the symmetries leave."""
    tables = [*workload.queries, *workload.measures]
    for group in groups(workload):
        found = cut([_restricted(each.product, group) for each in tables])
        cells = prod(found.sizes[axis] for axis in found.plain)
        plain = ", ".join(workload.axes[group[axis]] for axis in found.plain)
        if cells > MOST_CELLS or len(found.sets) > MOST_SETS or len(found.sets) * cells**3 > 2 * MOST_CELLS**3:
            what = f"{cells:,} cells of {plain or 'symmetric domains'}, in {len(found.sets):,} sets of other domains"
            fix = f"at most {MOST_CELLS:,} cells; domains that every table has by all values or not at all are free"
            yield document.problem(("domains",), what, fix)
        factors = [[each.product.factors[group[axis]] for axis in found.plain] for each in tables]
        number = sum(prod(map(_queries, each)) for each in factors)
        many = [each for each in factors if sum(len(factor.rows) > 1 for factor in each) > 1]
        dense = max((cells * prod(map(_queries, each)) for each in many), default=0)
        if number > MOST_QUERIES or dense > MOST_FACTORS:
            what = f"{number:,} queries that are not alike, more than can be planned"
            yield document.problem(("queries",), what, "ask for fewer tables, or ranges of fewer columns")


def _restricted(product: Product, group: Sequence[int]) -> Product:
    return Product(tuple(product.factors[axis] for axis in group), product.variance)


def _variance_problems(document: Document, file: WorkloadFile) -> Iterator[Problem]:
    """A variance of some tables and not of others, or neither variance nor budget."""
    without = [name for name, each in file.queries.items() if each.variance is None]
    if without and len(without) < len(file.queries):
        what = f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no variance, and other tables have one"
        yield document.problem(("queries",), what, "give every table of queries a variance, or none")
    elif without and "budget" not in document.tables:
        fix = "give a budget, or a variance to some queries"
        yield document.problem((), "neither a budget nor a wanted variance is there", fix)


def _values(domains: Sequence[Domain]) -> dict[str, list[str]]:
    """The value of each column in each code of its domain, as text."""
    return {
        column: [str(value) for value in values.to_pylist()]
        for domain in domains
        for column, values in decoded(domain, np.arange(size(domain), dtype=np.int64)).items()
    }


def _table_problems(document: Document, place: Place, written: Asked, domains: Sequence[Domain]) -> Iterator[Problem]:
    """Columns and values that no domain has, and rows of another number of cells."""
    values = _values(domains)
    if written.rows and any(len(row) != cell_count(domains) for row in written.rows):
        cells = cell_count(domains)
        fix = f"write a list of rows, each of {cells} numbers, one for each cell; without by and where"
        yield document.problem(place, f"a row has other than {cells} numbers", fix)
    ordered = _ordered(written)
    named = [*written.by, *written.where, *ordered]
    unknown = [column for column in named if column not in values]
    if unknown:
        yield document.problem(place, f"no domain has column {', '.join(unknown)}", f"columns are {', '.join(values)}")
    twice = [column for column, number in Counter([*written.by, *ordered]).items() if number > 1]
    if twice:
        yield document.problem(place, f"{', '.join(twice)} stands twice", "write it in by, prefix_sums or ranges")
    shared = {column for domain in domains if len(domain.columns) > 1 for column in domain.columns} & set(ordered)
    if shared:
        fix = "give the column a domain of its own"
        yield document.problem(place, f"{', '.join(sorted(shared))} shares its domain: its values have no order", fix)
    for column, listed in written.where.items():
        strange = [str(value) for value in listed if str(value) not in values.get(column, [str(value)])]
        if strange:
            fix = f"its values are {', '.join(dict.fromkeys(values[column]))}"
            yield document.problem(place, f"where: {column} has no {', '.join(strange)}", fix)


def _ordered(written: Asked) -> tuple[str, ...]:
    return (*written.prefix_sums, *written.ranges) if isinstance(written, Queries) else ()


def _product(written: Asked, domains: Sequence[Domain], *, is_flat: bool) -> Product:
    """A factor for each domain, or one for all of them."""
    variance = float(written.variance or 1) if isinstance(written, Queries) else 1.0
    if written.rows:
        return Product((Factor(np.array([[float(factor) for factor in row] for row in written.rows])),), variance)
    found = Product(tuple(_factor(written, domain) for domain in domains), variance)
    return Product((Factor(found.matrix),), variance) if is_flat else found


def _factor(written: Asked, domain: Domain) -> Factor:
    """Of the values of one domain that count: their sum, or one row for each combination of its columns in `by`."""
    values, is_counted = _values([domain]), np.ones(size(domain), dtype=np.bool_)
    for column, listed in written.where.items():
        if column in domain.columns:
            is_counted &= np.isin(values[column], [str(value) for value in listed])
    if domain.columns[0] in _ordered(written):
        is_range = isinstance(written, Queries) and domain.columns[0] in written.ranges
        one = (every_range if is_range else prefix_sums)(int(is_counted.sum()))
        rows = np.zeros((len(one.rows), is_counted.size))
        rows[:, is_counted] = one.rows
        return Factor(rows, one.is_pairs)
    by = margin("", [column for column in written.by if column in domain.columns], [domain])
    rows = np.zeros((by.rows, is_counted.size))
    rows[rows_of_every_cell(by, [domain]), np.arange(is_counted.size)] = is_counted
    return Factor(rows[rows.any(axis=1)])
