"""What to measure for queries of one's own, how exact the answers are, and the cheapest budget: `safetab-sql strategy`.

Nothing here reads data or draws noise: it plans. Answers follow from the noisy measurements by least squares.
Source: Kifer, Utility and Uncertainty; semantics.md section 5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path

import numpy as np

from safetab_sql.histograms.public import strategies
from safetab_sql.histograms.public.strategies import Rows, Workload
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.words import printed
from safetab_sql.settings.budgets import UNITS

_ROUNDS, _GAP = 500, 1e-4
_LARGEST_RATIO = 1_000.0  # of two weights
DIRECT, GIVEN, WEIGHTED = "the queries themselves", "as in the file", "the same tables, best weights found"
CORRELATED, LEAST_TOTAL = "any strategy, correlated noise", "least total variance, any strategy"


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to measure. matrix: float64[rows, cells], what noise of one variance is added to, independently.

    weights: of its tables, by name; empty where it does not consist of tables. unit_variances: float64[queries], of the
    answers at a budget of 1. budget: the least with which every wanted variance is met; None without wanted variances.
    least: no strategy with Gaussian noise needs less; None where that is not known.
    """

    name: str
    matrix: Floats
    weights: dict[str, float]
    unit_variances: Floats
    budget: float | None
    least: float | None = None


@dataclass(frozen=True, slots=True)
class Strategies:
    """The ways that were looked at."""

    workload: Workload
    found: tuple[Strategy, ...]

    def variances(self, strategy: Strategy) -> Floats:
        """The variance of each answer at the budget of the file, or else at the least of the strategy: float64[n]."""
        budget = strategy.budget if self.workload.budget is None else float(self.workload.budget)
        return strategy.unit_variances / (budget or 1.0) ** (1 if self.workload.definition == "zcdp" else 2)


def strategy(path: str | Path) -> Strategies:
    """Strategies for the queries of a TOML file, and what each costs and gives.

    Raises: InputError with every problem of the file, or where what is measured does not determine the queries.
    """
    workload = strategies.load_workload(Path(path))
    measured = workload.measures or workload.queries
    given = [_of_tables(workload, DIRECT, workload.queries, np.ones(len(workload.queries)))]
    if workload.measures:
        try:
            given.append(_of_tables(workload, GIVEN, measured, np.array([float(table.weight) for table in measured])))
        except ValueError as error:
            fix = "measure more: the sum of some measurements must give every query"
            raise InputError([Problem(f"{path} [measure]", "does not determine every query", fix)]) from error
    if len(measured) > 1:
        weights, _ = strategies.best_weights(lambda weights: _cost(workload, measured, weights), len(measured))
        given.append(_of_tables(workload, WEIGHTED, measured, weights))
    return Strategies(workload, (*given, *_free(workload)))


def _of_tables(workload: Workload, name: str, tables: Sequence[Rows], weights: Floats) -> Strategy:
    """What noise on weighted tables gives by least squares. Raises: ValueError if they do not determine every query."""
    matrix = np.vstack([weight * table.matrix for weight, table in zip(weights, tables, strict=True)])
    noise = strategies.noise_variance(matrix, workload.definition, 1.0)
    variances = strategies.query_variances(_asked(workload), matrix, noise)
    worst = None if workload.targets is None else float((variances / workload.targets).max())
    budget = worst if worst is None or workload.definition == "zcdp" else sqrt(worst)
    said = {table.name: float(weight) for table, weight in zip(tables, weights / weights.max(), strict=True)}
    return Strategy(name, matrix, said, variances, budget)


def _asked(workload: Workload) -> Floats:
    return np.vstack([table.matrix for table in workload.queries])


def _cost(workload: Workload, tables: Sequence[Rows], weights: Floats) -> float:
    """What the weights are chosen by: the least budget for the wanted variances, or the total variance."""
    if weights.max() > _LARGEST_RATIO * weights.min():
        return np.inf
    try:
        found = _of_tables(workload, WEIGHTED, tables, weights)
    except ValueError:
        return np.inf
    return float(found.unit_variances.sum()) if found.budget is None else found.budget


def _free(workload: Workload) -> Iterator[Strategy]:
    """The strategies that are best of all, under zCDP, where the noises of two queries may depend on each other."""
    if workload.definition != "zcdp":
        return
    asked, wanted = _asked(workload), workload.targets
    targets = np.ones(len(asked)) if wanted is None else wanted
    rho, precision = strategies.total_squared_error_strategy(asked, targets, rounds=_ROUNDS, gap=_GAP)
    if wanted is not None:
        best = strategies.cheapest_strategy(asked, wanted, rounds=_ROUNDS, gap=_GAP)
        variances = best.rho * np.diag(strategies.covariance(asked, best.precision))
        yield Strategy(CORRELATED, strategies.strategy_of(best.precision), {}, variances, best.rho, best.least)
    variances = rho * np.diag(strategies.covariance(asked, precision))
    yield Strategy(LEAST_TOTAL, strategies.strategy_of(precision), {}, variances, None if wanted is None else rho)


def strategies_text(seen: Strategies) -> str:
    """The strategies for people to read."""
    queries = [len(table.matrix) for table in seen.workload.queries]
    errors = [
        [sqrt(seen.variances(strategy)[start:stop].max()) for strategy in seen.found]
        for start, stop in pairwise(np.cumsum([0, *queries]))
    ]
    values = {
        **{"seen": seen, "unit": UNITS[seen.workload.definition], "queries": queries},
        "cheapest": min(strategy.budget or np.inf for strategy in seen.found),
        "least": [strategy.least for strategy in seen.found if strategy.least is not None],
        "tables": list(zip(seen.workload.queries, errors, strict=True)),
    }
    return printed(__file__, "strategy", values)


def strategies_json(seen: Strategies) -> dict[str, object]:
    """The strategies with what to measure."""
    workload, found = seen.workload, []
    for one in seen.found:
        budgets = {"cheapest_budget": one.budget, "least_budget_of_any": one.least}
        exact = {"matrix": one.matrix.tolist(), "variances": seen.variances(one).tolist()}
        found.append({"measured": one.name, "weights": one.weights, **budgets, **exact})
    return {
        "privacy_definition": workload.definition,
        "budget": None if workload.budget is None else float(workload.budget),
        "queries": [
            {"table": one.name, "rows": one.matrix.tolist(), "wanted_variance": one.variance and float(one.variance)}
            for one in workload.queries
        ],
        "strategies": found,
    }
