"""What to add noise to, and how exact the queries are that are answered from it (the matrix mechanism).

A histogram x has one cell a kind of person; a query is a row of weights, a workload or strategy a matrix of such rows.
Neighbours differ by one record added or removed, which changes one cell by 1. Variances are of the continuous
Laplace and Gaussian laws, which integer noise never exceeds. Source: Kifer, Utility and Uncertainty; Li et al. 2010.

Errors: variances of ordinary least squares are exact up to the rounding of the matrix products (1e-12 relative for
well-conditioned strategies). `cheapest_strategy` returns a proved lower bound beside what it achieves.
"""

from dataclasses import dataclass

import numpy as np

from safetab_sql.kit.arrays import Floats
from safetab_sql.semantics.balanced import least_cost, whole


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
    """The variance of each query answered by ordinary (weighted) least squares: float64[queries].

    variances: of the noisy answers of `strategy`, independent. w (B^T S^-1 B)^+ w^T, the least of all unbiased answers
    (Gauss and Markov). Raises: ValueError where the strategy does not determine a query.
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


def cheapest_strategy(workload: Floats, targets: Floats, *, rounds: int = 500, gap: float = 1e-7) -> Fitness:
    """A strategy that gives every query its target variance for about the least rho that any strategy needs.

    The least rho is half the square of the factorisation norm of V = diag(targets)^(-1/2) W (Edmonds, Nikolov, Ullman
    2020, whom Kifer cites): see `balanced.least_cost`.
    """
    found = least_cost(whole(workload, targets), rounds=rounds, gap=gap)
    return Fitness(found.cost / 2, found.least / 2, found.precisions[0])


def total_squared_error_strategy(
    workload: Floats, targets: Floats, *, rounds: int = 500, gap: float = 1e-7
) -> tuple[float, Floats]:
    """Rho and precision of the strategy of least total squared error, rescaled until every query meets its target.

    The precision is as in `Fitness`. Source: Kifer, Privacy loss sub-optimality.
    """
    blocks = whole(workload, np.ones(len(workload)))
    found = least_cost(blocks, rounds=rounds, gap=gap, is_every_query_alike=True)
    precision = found.precisions[0]
    stretch = float((np.diag(covariance(workload, precision)) / targets).max())
    return float(np.diag(precision).max()) * stretch / 2, precision * stretch


def covariance(workload: Floats, precision: Floats) -> Floats:
    """The covariance of the noise of the queries, float64[queries, queries]: correlated where they share cells.

    precision: of a `Fitness`; every query lies in its range.
    """
    return np.asarray(workload @ np.linalg.pinv(precision, hermitian=True) @ workload.T)


def strategy_of(precision: Floats) -> Floats:
    """What to measure: float64[rows, cells] B with B^T B = precision; noise of variance 1 is added to each row of B x.

    Noise that is independent here makes the correlated noise of the queries.
    """
    values, vectors = np.linalg.eigh(precision)
    kept = values > values.max(initial=0.0) * 1e-12
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)
