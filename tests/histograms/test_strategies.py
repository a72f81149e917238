"""Select, measure, reconstruct: the printed variances, simulated ones, and certified optima."""

import numpy as np
import pytest

from docs.reproductions.kifer.utility import cheapest_rho
from safetab_sql.histograms.public import strategies

DIRECT = np.array([[0.0, 0, 1, 1], [0, 1, 0, 1]])
TURNED = np.array([[0.0, 1, 1, 2], [0, -1, 1, 0]])


def total_and_cells(cells: int) -> np.ndarray:
    return np.vstack([np.ones(cells), np.eye(cells)])


@pytest.mark.parametrize(("strategy", "variance"), [(DIRECT, 8), (TURNED, 4)], ids=["X and Y", "sum and difference"])
def test_the_two_query_strategies_have_the_printed_variances(strategy, variance):
    assert strategies.sensitivity(strategy, "puredp") == 2
    found = strategies.query_variances(DIRECT, strategy, strategies.noise_variance(strategy, "puredp", 1.0))
    assert found == pytest.approx([variance, variance])


def test_under_zcdp_neither_of_the_two_strategies_is_better():
    found = [
        strategies.query_variances(DIRECT, one, strategies.noise_variance(one, "zcdp", 0.5)) for one in (DIRECT, TURNED)
    ]
    assert found[0] == pytest.approx(found[1])
    assert [strategies.sensitivity(one, "zcdp") for one in (DIRECT, TURNED)] == pytest.approx([2**0.5, 2])


def test_a_query_that_the_strategy_does_not_determine_is_refused():
    with pytest.raises(ValueError, match="does not determine"):
        strategies.query_variances(np.eye(4), DIRECT)


@pytest.mark.parametrize("target", [1.0, 25.0, 400.0])
@pytest.mark.parametrize("cells", [4, 16])
def test_the_cheapest_strategy_meets_its_targets_for_what_it_says(cells, target):
    workload, targets = total_and_cells(cells), np.array([1.0, *[target] * cells])
    found = strategies.cheapest_strategy(workload, targets)
    variances = np.diag(workload @ np.linalg.inv(found.precision) @ workload.T)
    assert (variances <= targets * (1 + 1e-9)).all()
    assert np.diag(found.precision).max() / 2 == pytest.approx(found.rho)
    assert found.least <= found.rho <= found.least * (1 + 1e-6)


def test_no_strategy_that_is_tried_is_cheaper_than_the_least():
    rng = np.random.default_rng(11)
    workload, targets = total_and_cells(5), np.array([1.0, 4, 4, 4, 4, 9])
    tried = [cheapest_rho(workload, rng.normal(size=(7, 5)), targets) for _ in range(200)]
    tried += [cheapest_rho(workload, np.diag([w, 1, 1, 1, 1, 1]) @ workload, targets) for w in (0.1, 0.5, 1, 2, 5)]
    assert min(tried) > strategies.cheapest_strategy(workload, targets).least


def test_the_strategy_of_least_total_error_has_the_least_total_error():
    rng = np.random.default_rng(13)
    workload = np.tril(np.ones((5, 5)))
    rho, precision = strategies.total_squared_error_strategy(workload, np.ones(5))
    at_equal_rho = np.diag(workload @ np.linalg.inv(precision / rho) @ workload.T).sum()
    for _ in range(100):
        strategy = rng.normal(size=(6, 5))
        noise = strategies.noise_variance(strategy, "zcdp", 1.0)
        assert strategies.query_variances(workload, strategy, noise).sum() >= at_equal_rho * (1 - 1e-6)


def test_a_workload_that_leaves_cells_undetermined_meets_its_targets_too():
    """Two marginals of a table of 2 by 3: four of six dimensions."""
    workload = np.array([[1.0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0]])
    targets = np.array([1.0, 2, 3, 4])
    found = strategies.cheapest_strategy(workload, targets)
    strategy = strategies.strategy_of(found.precision)
    assert found.rho <= found.least * (1 + 1e-6)
    assert strategies.sensitivity(strategy, "zcdp") ** 2 / 2 == pytest.approx(found.rho)
    errors = strategies.covariance(workload, found.precision)
    assert np.diag(errors) == pytest.approx(strategies.query_variances(workload, strategy))
    assert (np.diag(errors) <= targets * (1 + 1e-6)).all()


def test_weights_of_sum_and_cells_come_near_the_cheapest_strategy():
    workload, targets = total_and_cells(8), np.array([1.0, *[25.0] * 8])

    def cost(weights: np.ndarray) -> float:
        if weights.max() > 100 * weights.min():
            return np.inf
        return cheapest_rho(workload, np.vstack([weights[0] * np.ones(8), weights[1] * np.eye(8)]), targets)

    weights, rho = strategies.best_weights(cost, 2)
    assert rho == pytest.approx(cost(weights))
    assert strategies.cheapest_strategy(workload, targets).least <= rho < cost(np.ones(2)) / 1.2
