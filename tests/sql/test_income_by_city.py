"""income_by_city: how unequal wages are in each city, and how much more men earn there than women."""

import pytest


def by_city(run_sql, *rows):
    lines = "\n".join(" | ".join(map(str, row)) for row in rows)
    return run_sql("income_by_city", {"income_rows": f"is_exact | city | sex | wage\n-\n{lines}"})


def test_a_city_has_the_index_and_the_gap_of_its_wages(run_sql):
    """Wages 100, 200, 300: cumulated 100, 300, 600, so 1 - 2 * 1000 / (3 * 600)."""
    rows = [("true", 1, 2, 300), ("true", 1, 1, 100), ("true", 1, 1, 200), ("false", 1, 1, 5)]
    assert by_city(run_sql, *rows) == [(False, 1, -1.0, 5.0), (True, 1, pytest.approx(1 - 2000 / 1800), -150.0)]


def test_wages_of_nothing_have_an_index_of_one(run_sql):
    assert by_city(run_sql, ("true", 1, 1, 0)) == [(True, 1, 1.0, 0.0)]
