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


def test_the_distance_is_the_sum_over_the_cells_of_the_set_with_null_among_values(distance):
    assert distance(("true", 1, 1), ("true", 2, 2), *[("false", 1, 1), ("false", 2, 2)] * 3) == 0
    assert distance(("true", 1, 1), ("false", 1, 2)) == 2
    # Shares 1/2, 1/2, 0 against 1/4, 1/2, 1/4.
    exact = [("true", 1, 1), ("true", 1, 2)]
    synthetic = [("false", 1, 1), ("false", 1, 2), ("false", 1, 2), ("false", 2, 2)]
    assert distance(*exact, *synthetic) == 0.5
    assert distance(("true", 1, 1), ("false", 1, 2), columns=COLUMNS[:1]) == 0
    assert distance(("true", "NULL", 1), ("false", "NULL", 1)) == 0
