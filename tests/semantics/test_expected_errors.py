"""Variances of sums of cells by least squares, and the chances of tables, against direct computations."""

import numpy as np
import pytest

from safetab_sql.laws.cumulative import cumulative_bounds
from safetab_sql.laws.noise import noise_law
from safetab_sql.semantics.expected_errors import about_sizes, at_least, query_variance, unit_variance
from safetab_sql.settings.decimals import exact_decimal

SEX = np.repeat(np.eye(2), 4, axis=1)  # two sexes of four ages
TOTAL = np.ones((1, 8))


@pytest.mark.parametrize("queries", [TOTAL, SEX, np.eye(8), TOTAL - 3 * SEX[:1]], ids=["total", "sex", "cells", "odd"])
def test_the_variance_is_that_of_least_squares_from_all_measurements(queries: np.ndarray) -> None:
    precision = np.eye(8) / 2 + SEX.T @ SEX / 3 + TOTAL.T @ TOTAL / 5
    direct = np.diag(queries @ np.linalg.inv(precision) @ queries.T).mean()
    assert query_variance(queries, 2.0, [(SEX, 3.0), (TOTAL, 5.0)]) == pytest.approx(direct, rel=1e-12)


@pytest.mark.parametrize(("sums", "variance"), [([], 46.0), ([(np.ones((1, 46)), 9.0)], 1 / (1 / 46 + 1 / 9))])
def test_a_total_is_the_sum_of_its_cells_and_of_stage_1_if_that_is_published(sums: list, variance: float) -> None:
    assert query_variance(np.ones((1, 46)), 1.0, sums) == pytest.approx(variance)


@pytest.mark.parametrize(("definition", "error"), [("zcdp", 2e-3), ("puredp", 1e-12)])
def test_chances_are_those_of_the_law_that_is_drawn(definition: str, error: float) -> None:
    law = noise_law(definition, exact_decimal("0.02"))
    bounds = cumulative_bounds(law, 60)
    away = np.arange(-20, 21)
    exact = np.array([1 - bounds.lower[int(each) - 1 - bounds.first] / 2**60 for each in away])
    assert np.abs(at_least(definition, away.astype(float), 0.02) - exact).max() < error


def test_unit_variances_are_those_of_the_continuous_laws() -> None:
    assert (unit_variance("zcdp", 0.5), unit_variance("puredp", 0.5)) == (1.0, 8.0)


def test_sizes_are_spread_around_themselves_and_small_ones_stay() -> None:
    found = about_sizes(np.array([0, 7, 10_000, 90_000]), np.array([5, 3, 2, 1]), [500, 1000, 9_500])
    assert (found.people[:2].tolist(), found.groups[:2].tolist()) == ([0, 7], [5, 3])
    is_near = (found.people > 8_000) & (found.people < 12_500)
    assert found.groups[is_near].sum() == pytest.approx(2, rel=0.02)
    assert found.groups[found.people > 12_500].sum() == pytest.approx(1, rel=0.02)
    assert found.groups.sum() == pytest.approx(11)


def test_sizes_next_to_where_uses_begin_are_told_apart_finely() -> None:
    """A threshold there has to tell groups apart by less than the noise of stage 1."""
    found = about_sizes(np.array([7000]), np.array([100]), [7000])
    near = found.people[np.abs(found.people - 7000) < 100]
    assert np.diff(near).max() < 6
    assert ((near < 7000) != (near > 7000)).all()
