"""What to measure for queries of one's own, how exact the answers are, and the cheapest budget: `safetab-sql strategy`.

Nothing here reads data or draws noise: it plans. Answers follow from the noisy measurements by least squares.
Source: Kifer, Utility and Uncertainty; semantics.md section 5.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt
from pathlib import Path

import numpy as np

from safetab_sql.jobs.strategy_spec import MOST_CELLS, Rows, Workload, groups, load_workload
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.templates import printed
from safetab_sql.semantics.methods import Method, families, free, of_tables
from safetab_sql.semantics.products import Product, kronecker
from safetab_sql.semantics.strategies import covariance, gaussian_variance, laplace_variance
from safetab_sql.settings.budgets import UNITS

DIRECT, GIVEN, WEIGHTED = "the queries themselves", "as in the file", "the same tables, best weights"
_KINDS = {"zcdp": "strategy with Gaussian noise", "puredp": "strategy with Laplace noise"}
_MOST_LISTED = 2_000  # queries whose variances and covariances `--json` lists


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to measure. methods: of each group of axes that is planned apart; what is measured is their product.

    budget: the least with which every wanted variance is met. least: what no weights of the same tables, or no Gaussian
    noise at all, goes below; None where that is not known.
    """

    name: str
    definition: str
    methods: tuple[Method, ...]

    @property
    def budget(self) -> float:
        """Rho or epsilon."""
        return _budget(self.definition, prod(each.cost for each in self.methods))

    @property
    def least(self) -> float | None:
        """Of the same kind of strategy."""
        bounds = [each.least for each in self.methods if each.least is not None]
        return _budget(self.definition, prod(bounds)) if len(bounds) == len(self.methods) else None

    @property
    def weights(self) -> Mapping[str, float]:
        """Of the tables, by name; empty where it does not consist of named tables."""
        return self.methods[0].weights if len(self.methods) == 1 else {}

    def worst(self, table: int) -> float:
        """The variance of the worst answer of a table of queries at a budget of 1."""
        found = prod(float(each.worst[table]) for each in self.methods)
        return found / 2 if self.definition == "zcdp" else 2 * found

    @property
    def matrices(self) -> tuple[Floats | None, ...]:
        """What noise of one variance is added to, by group of axes: float64[rows, cells]; None where too large."""
        return tuple(None if each.matrix is None else each.matrix() for each in self.methods)


@dataclass(frozen=True)
class Strategies:
    """The ways that were looked at. least: no strategy does with less, under pure DP none with Laplace noise."""

    workload: Workload
    found: tuple[Strategy, ...]
    least: float

    @cached_property
    def best(self) -> Strategy:
        """The cheapest."""
        return min(self.found, key=lambda each: each.budget)

    def worst(self, strategy: Strategy, table: int) -> float:
        """The variance of the worst answer of a table at the budget of the file, or else at the strategy's own."""
        budget = strategy.budget if self.workload.budget is None else float(self.workload.budget)
        return strategy.worst(table) / budget ** (1 if self.workload.definition == "zcdp" else 2)


def strategy(path: str | Path, *, progress: Progress = SILENT) -> Strategies:
    """Strategies for the queries of a TOML file, and what each costs and gives.

    Raises: InputError with every problem of the file, or where what is measured does not determine the queries.
    """
    workload = load_workload(Path(path))
    apart = [_Group(workload, axes, progress) for axes in groups(workload)]
    bounds = [free(group.queries, progress=progress) for group in apart]
    found = [*_named(workload, apart, path), *_proposed(workload, apart, bounds)]
    least = _budget(workload.definition, prod(each.least or 0.0 for each in bounds))
    return Strategies(workload, tuple(found), least)


def _budget(definition: str, cost: float) -> float:
    """Rho or epsilon from the variance of the worst query, as a share of what is wanted, at sensitivity and noise 1."""
    return cost / 2 if definition == "zcdp" else sqrt(2 * cost)


@dataclass(frozen=True, slots=True)
class _Group:
    """Axes that are planned together."""

    workload: Workload
    axes: tuple[int, ...]
    progress: Progress

    def of(self, tables: Sequence[Rows]) -> dict[str, Product]:
        """The tables on these axes; a wanted variance counts once, on the first axes."""
        return {
            table.name: Product(
                tuple(table.product.factors[axis] for axis in self.axes),
                table.product.variance if 0 in self.axes else 1.0,
            )
            for table in tables
        }

    @property
    def queries(self) -> tuple[Product, ...]:
        """The tables of queries on these axes."""
        return tuple(self.of(self.workload.queries).values())


def _named(workload: Workload, apart: Sequence[_Group], path: str | Path) -> Iterator[Strategy]:
    """The tables that the file names: the queries as they are, what it measures, and the same with the best weights."""

    def made(name: str, tables: Sequence[Rows], weights: Sequence[float] | None) -> Strategy:
        methods = [
            of_tables(group.queries, group.of(tables), workload.definition, weights, progress=group.progress)
            for group in apart
        ]
        return Strategy(name, workload.definition, tuple(methods))

    yield made(DIRECT, workload.queries, [1.0] * len(workload.queries))
    measured = workload.measures or workload.queries
    try:
        if workload.measures:
            yield made(GIVEN, measured, [float(table.weight) for table in measured])
        if len(measured) > 1:
            yield made(WEIGHTED, measured, None)
    except ValueError as error:
        fix = "measure more: the sum of some measurements must give every query"
        raise InputError([Problem(f"{path} [measure]", "does not determine every query", fix)]) from error


def _proposed(workload: Workload, apart: Sequence[_Group], bounds: Sequence[Method]) -> Iterator[Strategy]:
    """What is proposed: every family, on all axes that it suits, and the best on each axis."""
    if workload.definition == "zcdp":
        yield Strategy(bounds[0].name, workload.definition, tuple(bounds))
        total = [free(group.queries, is_every_query_alike=True, progress=group.progress) for group in apart]
        yield Strategy(total[0].name, workload.definition, tuple(total))
    by_group = [families(group.queries, workload.definition, progress=group.progress) for group in apart]
    if len(by_group) == 1:
        yield from (Strategy(each.name, workload.definition, (each,)) for each in by_group[0])
    elif workload.definition == "puredp":
        chosen = [min(each, key=lambda one: one.cost) for each in by_group]
        yield Strategy("the best of each domain", workload.definition, tuple(chosen))


def strategies_text(seen: Strategies) -> str:
    """The strategies for people to read."""
    tables = seen.workload.queries
    values = {
        **{"seen": seen, "unit": UNITS[seen.workload.definition], "queries": sum(table.count for table in tables)},
        **{
            "wanted": seen.workload.has_targets,
            "gap": seen.best.budget / seen.least - 1,
            "kind": _KINDS[seen.workload.definition],
        },
        "tables": [
            (table, [sqrt(seen.worst(strategy, place)) for strategy in seen.found])
            for place, table in enumerate(tables)
        ],
    }
    return printed(__file__, "strategy", values)


def strategies_json(seen: Strategies) -> dict[str, object]:
    """The strategies with what to measure, and the covariance of the noise of the answers where they are few."""
    workload = seen.workload
    is_listed = workload.cells <= MOST_CELLS and sum(table.count for table in workload.queries) <= _MOST_LISTED
    return {
        "privacy_definition": workload.definition,
        "budget": None if workload.budget is None else float(workload.budget),
        "least_budget_of_any": seen.least,
        "queries": [
            {
                "table": table.name,
                "queries": table.count,
                "rows": table.product.matrix.tolist() if is_listed else None,
                "wanted_variance": None if table.variance is None else float(table.variance),
            }
            for table in workload.queries
        ],
        "strategies": [_strategy_json(seen, strategy, is_listed=is_listed) for strategy in seen.found],
    }


def _strategy_json(seen: Strategies, strategy: Strategy, *, is_listed: bool) -> dict[str, object]:
    axes = groups(seen.workload)
    matrices = [
        {"domains": [seen.workload.axes[axis] for axis in some], "rows": None if matrix is None else matrix.tolist()}
        for some, matrix in zip(axes, strategy.matrices, strict=True)
    ]
    errors = _covariance(seen, strategy) if is_listed else None
    return {
        "measured": strategy.name,
        "weights": dict(strategy.weights),
        "cheapest_budget": strategy.budget if seen.workload.has_targets else None,
        "least_budget_of_its_kind": strategy.least if seen.workload.has_targets else None,
        "matrices": matrices,
        "worst_variances": [seen.worst(strategy, place) for place in range(len(seen.workload.queries))],
        "variances": None if errors is None else np.diag(errors).tolist(),
        "covariance": None if errors is None else errors.tolist(),
    }


def _covariance(seen: Strategies, strategy: Strategy) -> Floats | None:
    """The covariance of the answers, at the budget of the file or at the strategy's own: float64[queries, queries]."""
    given = [matrix for matrix in strategy.matrices if matrix is not None]
    if len(given) < len(strategy.matrices):
        return None
    matrix = kronecker(given)
    noise = gaussian_variance if seen.workload.definition == "zcdp" else laplace_variance
    budget = strategy.budget if seen.workload.budget is None else float(seen.workload.budget)
    asked = np.vstack([table.product.matrix for table in seen.workload.queries])
    return covariance(asked, matrix.T @ matrix) * noise(matrix, budget)
