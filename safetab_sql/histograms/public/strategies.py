"""What to add noise to, and how exact the queries are that are answered from it (the matrix mechanism).

A query is a row of factors for the cells of a histogram; a workload or strategy, a matrix of such rows. One record
changes one cell by 1. Variances are of continuous laws, which integer noise never exceeds. Source: Kifer, Utility.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from safetab_sql.kit.arrays import Floats

_SMALLEST = 1e-300  # of a weight: its square root is not 0
_SMALLEST_STEP = 0.02  # of the logarithm of a weight


def sensitivity_l1(strategy: Floats) -> float:
    """The largest column sum of absolute values: what one record changes. Source: Kifer, Strategy Example (pure DP)."""
    return float(np.abs(strategy).sum(axis=0).max())


def sensitivity_l2(strategy: Floats) -> float:
    """The largest length of a column: what one record moves answers by. Source: Kifer, Strategy Example (zCDP)."""
    return float(np.sqrt((strategy**2).sum(axis=0).max()))


def laplace_variance(strategy: Floats, epsilon: float) -> float:
    """The variance of each noisy answer under pure DP: 2 (sensitivity / epsilon)^2. Source: Kifer, Strategy Example."""
    return 2 * (sensitivity_l1(strategy) / epsilon) ** 2


def gaussian_variance(strategy: Floats, rho: float) -> float:
    """The variance of each noisy answer under zCDP: sensitivity^2 / (2 rho). Source: Kifer, Strategy Example (zCDP)."""
    return sensitivity_l2(strategy) ** 2 / (2 * rho)


def query_variances(workload: Floats, strategy: Floats, variances: Floats) -> Floats:
    """The variance of each query by weighted least squares, the least of all unbiased answers: float64[queries].

    variances: of the noisy answers of `strategy`, independent. Raises: ValueError where it does not determine a query.
    Source: Kifer, The Matrix Mechanism; OLS Error.
    """
    precision = strategy.T @ (strategy / variances[:, None])
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


def cheapest_strategy(workload: Floats, targets: Floats, *, rounds: int = 2000, gap: float = 1e-9) -> Fitness:
    """A strategy that gives every query its target variance for about the least rho that any strategy needs.

    The least rho is half the square of the factorisation norm of V = diag(targets)^(-1/2) W, and that norm is the
    largest nuclear norm of diag(a)^(1/2) V diag(b)^(1/2) over weights a, b that sum to 1 (Edmonds, Nikolov, Ullman
    2020, whom Kifer cites). Any a, b give a lower bound; the optimality conditions give a precision matrix, whose
    rho is an upper one. The weights are multiplied by how much each query and each cell exceeds the average, until the
    two bounds differ by less than the share `gap`, or for so many rounds.
    """
    return _balanced(workload / np.sqrt(targets)[:, None], rounds, gap, is_every_query_alike=False)


def total_squared_error_strategy(
    workload: Floats, targets: Floats, *, rounds: int = 2000, gap: float = 1e-9
) -> tuple[float, Floats]:
    """Rho and precision of the strategy of least total squared error, rescaled until every query meets its target."""
    found = _balanced(workload, rounds, gap, is_every_query_alike=True)
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


def _balanced(weighted: Floats, rounds: int, gap: float, *, is_every_query_alike: bool) -> Fitness:
    """The best strategy for queries that want a variance of at most 1; or, of all, the least sum of variances.

    weighted: float64[queries, cells]. The precision's diagonal, twice rho, is at most 2 rho.
    """
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
