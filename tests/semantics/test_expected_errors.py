"""Variances of sums of cells by least squares, and the chances of tables, against direct computations."""

import numpy as np
import pytest

from safetab_sql.laws.cumulative import cumulative_bounds
from safetab_sql.laws.noise import noise_law
from safetab_sql.semantics.expected_errors import at_least, query_variance, together, unit_variance
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


def test_sizes_taken_together_keep_the_number_of_groups_and_of_people() -> None:
    people, groups = np.array([0, 3, 1000, 1003, 90_000]), np.array([9, 5, 2, 1, 1])
    found = together(people, groups)
    assert found.groups.tolist() == [9, 5, 3, 1]
    assert found.people.tolist() == pytest.approx([0, 3, 1001, 90_000])
