"""independent_distance: the L1 distance of a marginal from the product of its fields' shares."""

import pytest

COLUMNS = ["field_1", "field_2"]


@pytest.fixture
def distance(run_sql):
    def of(*rows, columns=COLUMNS):
        lines = [f"{is_exact} | {a} | {b}" for is_exact, a, b in rows]
        drawn = "\n".join(["is_exact | field_1 | field_2", "-", *lines])
        ((found,),) = run_sql("independent_distance", given={"scored_rows": drawn}, marginal_columns=columns)
        return found

    return of


def test_independent_fields_are_at_distance_0(distance):
    assert distance(*[("true", a, b) for a in (1, 2) for b in (1, 2)]) == 0


def test_a_field_by_itself_is_at_distance_0(distance):
    assert distance(("true", 1, 1), ("true", 2, 1), columns=COLUMNS[:1]) == 0


def test_cells_where_nobody_is_count(distance):
    """Two equal fields: 1/4 too little in two cells, 1/4 too much in the two others."""
    assert distance(("true", 1, 1), ("true", 2, 2)) == 1


def test_synthetic_rows_do_not_count(distance):
    assert distance(("true", 1, 1), ("true", 2, 2), ("false", 1, 2), ("false", 2, 1)) == 1


def test_null_is_a_value_like_any_other(distance):
    assert distance(("true", "NULL", 1), ("true", 2, 2)) == 1
