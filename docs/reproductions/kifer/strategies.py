"""Select, measure, reconstruct: what to add noise to, and how to answer queries from it (the matrix mechanism).

A histogram x has one cell a kind of person; a query is a row of weights, a workload or strategy a matrix of such rows.
Neighbours differ by one person added or removed, who changes one cell by 1. Variances are those of the continuous
Laplace and Gaussian laws, which integer noise never exceeds. Source: Kifer, Utility and Uncertainty; Li et al. 2010.

Errors: variances of ordinary least squares are exact up to the rounding of the matrix products (1e-12 relative for
well-conditioned strategies). `cheapest_strategy` returns a proved lower bound beside what it achieves.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from safetab_sql.kit.arrays import Floats


def sensitivity_l1(strategy: Floats) -> float:
    """The most that one person changes all answers together: the largest column sum of absolute values.

    Source: Kifer, Strategy Example (pure DP).
    """
    return float(np.abs(strategy).sum(axis=0).max())


def sensitivity_l2(strategy: Floats) -> float:
    """The most that one person moves the vector of answers: the largest Euclidean length of a column.

    Source: Kifer, Strategy Example (zCDP).
    """
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
    inverse = np.linalg.pinv(precision, hermitian=True)
    answers = workload @ inverse @ precision
    if not np.allclose(answers, workload, atol=1e-8):
        raise ValueError("the strategy does not determine every query of the workload")
    return np.asarray(np.einsum("ij,jk,ik->i", workload, inverse, workload))


def ordinary_least_squares(strategy: Floats, noisy: Floats, variances: Floats) -> Floats:
    """The histogram that fits the noisy answers best, the shortest of many. Source: Kifer, Matrix Mechanism (OLS)."""
    weights = 1 / np.sqrt(variances)
    return np.asarray(np.linalg.lstsq(strategy * weights[:, None], noisy * weights, rcond=None)[0])


def non_negative_least_squares(strategy: Floats, noisy: Floats, variances: Floats) -> Floats:
    """The histogram without negative cells that fits the noisy answers best. Source: Kifer, Matrix Mechanism (NNLS)."""
    weights = 1 / np.sqrt(variances)
    return np.asarray(nnls(strategy * weights[:, None], noisy * weights)[0])


@dataclass(frozen=True, slots=True)
class Fitness:
    """What it costs to give every query at most its wanted variance.

    rho: what the strategy takes. least: no Gaussian mechanism takes less. precision: float64[cells, cells], B^T S^-1 B
    of the strategy: its noise answers query w with the variance w precision^-1 w^T.
    """

    rho: float
    least: float
    precision: Floats


def cheapest_rho(workload: Floats, strategy: Floats, targets: Floats) -> float:
    """The least rho with which `strategy`, with equal noise on its answers, gives every query its target variance.

    Variances fall as 1 / rho: the rho at which the worst query just meets its target. targets: float64[queries].
    Source: Kifer, Fitness-for-Use; Xiao et al. 2021.
    """
    at_one = query_variances(workload, strategy, np.full(len(strategy), gaussian_variance(strategy, 1.0)))
    return float((at_one / targets).max())


def cheapest_strategy(workload: Floats, targets: Floats, *, rounds: int = 2000) -> Fitness:
    """A strategy that gives every query its target variance for about the least rho that any strategy needs.

    The least rho is half the square of the factorisation norm of V = diag(targets)^(-1/2) W, and that norm is the
    largest nuclear norm of diag(a)^(1/2) V diag(b)^(1/2) over weights a, b that sum to 1 (Edmonds, Nikolov, Ullman
    2020, whom Kifer cites). Any a, b give a lower bound; the optimality conditions give a precision matrix, whose
    rho is an upper one. The weights are multiplied by how much each query and each cell exceeds the average.
    """
    return _balanced(workload / np.sqrt(targets)[:, None], rounds, is_every_query_alike=False)


def total_squared_error_strategy(workload: Floats, targets: Floats, *, rounds: int = 2000) -> Fitness:
    """The strategy of least total squared error, rescaled until every query meets its target.

    `least` is a bound of the rescaled strategy's own problem all the same: no mechanism meets the targets for less.
    Source: Kifer, Privacy loss sub-optimality.
    """
    found = _balanced(workload, rounds, is_every_query_alike=True)
    variances = np.einsum("ij,jk,ik->i", workload, np.linalg.inv(found.precision), workload)
    stretch = float((variances / targets).max())
    least = cheapest_strategy(workload, targets, rounds=rounds).least
    return Fitness(found.rho * stretch, least, found.precision * stretch)


def _balanced(weighted: Floats, rounds: int, *, is_every_query_alike: bool) -> Fitness:
    """The best strategy for queries that want a variance of at most 1; or, of all, the least sum of variances.

    weighted: float64[queries, cells], of full column rank. The precision's diagonal, twice rho, is at most 2 rho.
    """
    queries, cells = weighted.shape
    of_queries, of_cells = np.full(queries, 1 / queries), np.full(cells, 1 / cells)
    best = Fitness(np.inf, 0.0, np.eye(cells))
    for _ in range(rounds):
        scaled = np.sqrt(of_queries)[:, None] * weighted * np.sqrt(of_cells)
        left, values, right = np.linalg.svd(scaled, full_matrices=False)
        nuclear = float(values.sum())
        # X = U^(-1/2) (U^(1/2) M U^(1/2))^(1/2) U^(-1/2), M = W^T A W, and W X^-1 W^T from the same factors.
        precision = (right.T * values) @ right / np.sqrt(np.outer(of_cells, of_cells))
        variances = ((left * values) * left).sum(axis=1) / of_queries
        diagonal = np.diag(precision)
        worst = float(variances.mean() if is_every_query_alike else variances.max())
        rho = float(diagonal.max()) * worst / 2
        least = max(best.least, nuclear**2 / 2)
        best = Fitness(rho, least, precision * worst) if rho < best.rho else Fitness(best.rho, least, best.precision)
        if best.rho <= least * (1 + 1e-9):
            break
        of_cells = of_cells * np.sqrt(diagonal)
        of_cells /= of_cells.sum()
        if not is_every_query_alike:
            of_queries = of_queries * np.sqrt(variances)
            of_queries /= of_queries.sum()
    return best
