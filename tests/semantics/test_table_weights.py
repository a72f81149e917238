"""The best weights of given tables: what others computed, bounds that are proved, and shares of a budget."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from safetab_sql.semantics.balanced import least_cost, whole
from safetab_sql.semantics.products import Product, cut, every_total, every_value, prefix_sums
from safetab_sql.semantics.table_weights import Table, best_shares, best_weights, weights_cost


def marginals(sizes, variances):
    """All marginals of as many columns as `variances` has keys for."""
    return [
        Product(tuple((every_value if axis in some else every_total)(n) for axis, n in enumerate(sizes)), variance)
        for ways, variance in variances.items()
        for some in combinations(range(len(sizes)), ways)
    ]


def weighted(queries, definition):
    found = cut(queries)
    tables = [found.table(each, definition) for each in queries]
    return best_weights(found.blocks, tables, definition, most_starts=8)


def test_marginals_cost_what_an_independent_convex_solver_finds():
    """2 by 3 by 4 by 5 cells, variances 1 and 4: rho 1.68564 of a general-purpose solver; the proof is within 0.1 %."""
    found = weighted(marginals((2, 3, 4, 5), {1: 1.0, 2: 4.0}), "zcdp")
    assert found.cost / 2 == pytest.approx(1.68564, rel=1e-3)
    assert found.least <= 2 * 1.68564 * (1 + 1e-5)
    assert found.cost <= found.least * 1.001


def test_under_pure_dp_the_marginals_cost_no_more_than_the_best_of_many_starts():
    """6.972 was the best of a search from many random starts."""
    assert np.sqrt(2 * weighted(marginals((2, 3, 4, 5), {1: 1.0, 2: 4.0}), "puredp").cost) < 6.972


def test_a_search_over_36_tables_of_256_cells_ends():
    queries = marginals((2,) * 8, {1: 1.0, 2: 1.0})
    assert len(queries) == 36
    found = weighted(queries, "zcdp")
    assert found.cost / 2 == pytest.approx(4.625, rel=1e-3)
    assert found.cost <= found.least * 1.001


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
def test_weights_cost_the_same_with_and_without_symmetries(definition):
    queries = [
        Product((every_value(3), prefix_sums(4)), 1.0),
        Product((every_total(3), every_value(4)), 2.0),
    ]
    found = cut(queries)
    assert (found.symmetric, found.plain, found.blocks.size) == ((0,), (1,), 4)
    plain = whole(np.vstack([each.matrix for each in queries]), np.repeat([1.0, 2.0], [12, 4]))
    tables = [
        Table(np.ones(1), each.matrix.T @ each.matrix, (each.matrix ** (2 if definition == "zcdp" else 1)).sum(axis=0))
        for each in queries
    ]
    weights = np.array([1.0, 0.6])
    here = weights_cost(found.blocks, [found.table(each, definition) for each in queries], weights, definition)
    there = weights_cost(plain, tables, weights, definition)
    assert here.cost == pytest.approx(there.cost)
    assert here.variances.max() == pytest.approx(there.variances.max())


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
def test_no_weights_that_are_tried_are_better(definition):
    found = cut(queries := marginals((2, 3), {0: 1.0, 1: 2.0, 2: 9.0}))
    tables = [found.table(each, definition) for each in queries]
    best, rng = best_weights(found.blocks, tables, definition), np.random.default_rng(7)
    tried = [weights_cost(found.blocks, tables, rng.random(4) ** 2, definition).cost for _ in range(200)]
    assert min(tried) >= best.cost * 0.999


def test_no_gaussian_noise_of_any_shape_costs_less_than_the_bound_and_marginals_reach_it():
    """ResidualPlanner's optimum, computed apart: rho 1.614527."""
    found = least_cost(cut(marginals((2, 3, 4, 5), {1: 1.0, 2: 4.0})).blocks, gap=1e-6)
    assert found.cost / 2 == pytest.approx(1.614527, rel=1e-6)
    assert found.least <= found.cost


def test_tables_that_do_not_give_every_query_are_refused():
    found = cut([Product((every_value(3),))], [Product((every_total(3),))])
    with pytest.raises(ValueError, match="do not determine"):
        best_weights(found.blocks, [found.table(Product((every_total(3),)), "zcdp")], "zcdp")


@pytest.mark.parametrize(("definition", "share"), [("zcdp", 0.155), ("puredp", 0.3)])
def test_shares_of_the_budget_add_up_to_one(definition, share):
    """Total and cells: what a small variance of the total takes."""
    found = cut(queries := marginals((50,), {0: 20.0, 1: 4.0}))
    shares = best_shares(found.blocks, [found.table(each, definition) for each in queries], definition)
    assert sum(shares) == 1
    assert all(isinstance(each, Fraction) and each >= 0 for each in shares)
    assert float(shares[0]) == pytest.approx(share, abs=0.002)


def test_shares_are_refused_where_a_table_counts_cells_unequally():
    found = cut(queries := [Product((prefix_sums(4),))])
    with pytest.raises(ValueError, match="equally often"):
        best_shares(found.blocks, [found.table(queries[0], "puredp")], "puredp")
