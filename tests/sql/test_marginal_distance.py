"""marginal_distance: the L1 distance of two normalised marginals."""

import pytest

COLUMNS = ["field_1", "field_2"]


@pytest.fixture
def distance(run_sql):
    def of(*rows, columns=COLUMNS):
        lines = [f"{is_exact} | {a} | {b}" for is_exact, a, b in rows]
        drawn = "\n".join(["is_exact | field_1 | field_2", *lines])
        ((found,),) = run_sql("marginal_distance", given={"scored_rows": drawn}, marginal_columns=columns)
        return found

    return of


def test_tables_of_the_same_shares_are_at_distance_0(distance):
    assert distance(("true", 1, 1), ("true", 2, 2), *[("false", 1, 1), ("false", 2, 2)] * 3) == 0


def test_tables_without_a_common_cell_are_at_distance_2(distance):
    assert distance(("true", 1, 1), ("false", 1, 2)) == 2


def test_the_distance_is_the_sum_over_all_cells(distance):
    """Shares 1/2, 1/2, 0 against 1/4, 1/2, 1/4."""
    exact = [("true", 1, 1), ("true", 1, 2)]
    synthetic = [("false", 1, 1), ("false", 1, 2), ("false", 1, 2), ("false", 2, 2)]
    assert distance(*exact, *synthetic) == 0.5


def test_only_the_fields_of_the_set_count(distance):
    assert distance(("true", 1, 1), ("false", 1, 2), columns=COLUMNS[:1]) == 0


def test_null_is_a_value_like_any_other(distance):
    assert distance(("true", "NULL", 1), ("false", "NULL", 1)) == 0
