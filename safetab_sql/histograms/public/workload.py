"""The TOML spec of `strategy`: queries about a histogram, what is measured to answer them, and how exact they must be.

privacy_definition = "zcdp"   # or "puredp"
budget = 0.5                  # optional: rho or epsilon, for which errors are stated
[domains.SEX]                 # the histogram is the product of all domains: see domain_settings.py
values = ["1", "2"]
[queries.by_sex]              # one query for each combination of values of these columns
by = ["SEX"]                  # [] for a single query
where = { AGE = ["0-17"] }    # optional: only cells with these values, as published tables write them
rows = [[1, 0], [1, -1]]      # in place of by and where: a factor for each cell, the last domain fastest
variance = 25                 # optional: the variance, records squared, that no such query may exceed
[measure.cells]               # optional: what noise is added to; without it, the queries themselves
by = ["SEX", "AGE"]
weight = 2                    # optional: its noise has a deviation of 1/2 of that of a table of weight 1
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast, get_args

import numpy as np

from safetab_sql.histograms.public.domain_settings import domains_at, texts_at
from safetab_sql.histograms.public.domains import Domain, cell_count, codes_of_cells, decoded
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.errors import refuse
from safetab_sql.public.budgets import LARGEST_BUDGET, PrivacyDefinition, exact_decimal
from safetab_sql.public.settings import (
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    one_of,
    read_settings,
    table_at,
)

WORKLOAD_KEYS = ("privacy_definition", "budget", "domains", "queries", "measure")
ROWS_KEYS = ("by", "where", "rows")
MOST_CELLS, MOST_QUERIES = 256, 2_000
LARGEST_VARIANCE = 10**24


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
    settings = read_settings(path)
    document = settings.document
    complain_unknown(settings, (), document, WORKLOAD_KEYS)
    complain_missing(settings, (), ("privacy_definition", "queries"), document)
    allowed = get_args(PrivacyDefinition)
    definition = one_of(settings, ("privacy_definition",), document.get("privacy_definition", allowed[0]), allowed)
    domains = domains_at(settings)
    cells = cell_count(domains)
    if cells > MOST_CELLS:
        complain(settings, ("domains",), f"{cells:,} cells, more than {MOST_CELLS}", "use wider bins, or fewer columns")
        refuse(settings.problems)
    values = _values(domains, cells)
    found = Workload(
        definition=cast(PrivacyDefinition, definition),
        budget=None if "budget" not in document else _above_zero(settings, ("budget",), LARGEST_BUDGET),
        cells=cells,
        queries=_tables(settings, "queries", values, "variance"),
        measures=_tables(settings, "measure", values, "weight"),
    )
    queries = sum(len(table.matrix) for table in found.queries)
    if queries > MOST_QUERIES:
        complain(settings, ("queries",), f"{queries:,} queries, more than {MOST_QUERIES:,}", "ask for fewer tables")
    if "queries" in document and not found.queries:
        complain(settings, ("queries",), "there is no table of queries", "add one, such as [queries.all] with by = []")
    without = [table.name for table in found.queries if table.variance is None]
    if without and len(without) < len(found.queries):
        what = f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no variance, and other tables have one"
        complain(settings, ("queries",), what, "give every table of queries a variance, or none")
    elif found.budget is None and without:
        fix = "give a budget, or a variance to some queries"
        complain(settings, (), "neither a budget nor a wanted variance is there", fix)
    refuse(settings.problems)
    return found


def _values(domains: Sequence[Domain], cells: int) -> dict[str, list[str]]:
    """The value of each column in each cell, as text."""
    codes = codes_of_cells(np.arange(cells, dtype=np.int64), domains)
    found: dict[str, list[str]] = {}
    for domain, of_cells in zip(domains, codes, strict=True):
        for column, decoded_values in decoded(domain, of_cells).items():
            found[column] = [str(value) for value in decoded_values.to_pylist()]
    return found


def _tables(settings: Settings, key: str, values: Mapping[str, list[str]], number: str) -> tuple[Rows, ...]:
    """The tables of queries (whose number is a variance), or of measurements (whose number is a weight)."""
    tables = []
    for name, given in table_at(settings, (key,), settings.document.get(key, {})).items():
        place = (key, name)
        table = table_at(settings, place, given)
        complain_unknown(settings, place, table, (*ROWS_KEYS, number))
        matrix = _rows(settings, place, table, values) if "rows" in table else _matrix(settings, place, table, values)
        size = None if number not in table else _above_zero(settings, (*place, number), LARGEST_VARIANCE)
        if number == "variance":
            tables.append(Rows(name, matrix, variance=size))
        else:
            tables.append(Rows(name, matrix, weight=Fraction(1) if size is None else size))
    return tuple(tables)


def _rows(
    settings: Settings, place: tuple[str, str], table: Mapping[str, object], values: Mapping[str, list[str]]
) -> Floats:
    """Queries by a factor for each cell."""
    cells = len(next(iter(values.values()), []))
    given = table["rows"]
    listed = given if isinstance(given, list) else []
    rows = [[exact_decimal(factor) for factor in row] for row in listed if isinstance(row, list)]
    is_sound = bool(rows) and len(rows) == len(listed) and all(len(row) == cells and None not in row for row in rows)
    if not is_sound or any(name in table for name in ("by", "where")):
        fix = f"write a list of rows, each of {cells} numbers, one for each cell; without by and where"
        complain_value(settings, (*place, "rows"), given, fix)
        return np.zeros((0, cells))
    return np.array([[float(factor or 0) for factor in row] for row in rows])


def _matrix(
    settings: Settings, place: tuple[str, str], table: Mapping[str, object], values: Mapping[str, list[str]]
) -> Floats:
    """One row for each combination of the columns `by` that some cell of `where` has."""
    complain_missing(settings, place, ("by",), table)
    cells = len(next(iter(values.values()), []))
    by = () if table.get("by", []) == [] else texts_at(settings, (*place, "by"), table["by"])
    where = table_at(settings, (*place, "where"), table.get("where", {}))
    unknown = [column for column in (*by, *where) if column not in values]
    if unknown:
        complain(settings, place, f"no domain has column {', '.join(unknown)}", f"columns are {', '.join(values)}")
        return np.zeros((0, cells))
    is_counted = np.ones(cells, dtype=np.bool_)
    for column, listed in where.items():
        wanted = [str(value) for value in listed] if isinstance(listed, list) else []
        strange = [value for value in wanted if value not in values[column]]
        if strange or not wanted:
            known = ", ".join(dict.fromkeys(values[column]))
            what = (
                f"where: {column} has no {', '.join(strange)}" if strange else f"where: {column} is no list of values"
            )
            complain(settings, place, what, f"its values are {known}")
        is_counted &= np.isin(values[column], wanted)
    combinations = list(zip(*(values[column] for column in by), strict=True)) if by else [()] * cells
    numbers = {one: number for number, one in enumerate(dict.fromkeys(combinations))}
    matrix = np.zeros((len(numbers), cells))
    matrix[[numbers[one] for one in combinations], np.arange(cells)] = is_counted
    return matrix[matrix.any(axis=1)]


def _above_zero(settings: Settings, place: tuple[str, ...], most: int) -> Fraction:
    table: Mapping[str, object] = settings.document
    for name in place[:-1]:
        table = cast(Mapping[str, object], table[name])
    number = exact_decimal(table[place[-1]])
    if number is not None and 0 < number <= most:
        return number
    complain_value(settings, place, table[place[-1]], f"write a decimal above 0 and at most {most}")
    return Fraction(1)
