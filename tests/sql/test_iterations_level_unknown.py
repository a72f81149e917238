"""iterations_level_unknown: iterations whose level is not 0, 1 or 2."""

import pytest


@pytest.mark.parametrize("level", [3, -1, None])
def test_a_level_past_the_three_is_returned(run_sql, level):
    rows = f"iteration_code | iteration_level\n-\n0101 | {'NULL' if level is None else level}"
    assert run_sql("iterations_level_unknown", given={"iteration_rows": rows}) == [
        ("0101", None if level is None else str(level))
    ]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_three_levels_are_fine(run_sql, level):
    rows = f"iteration_code | iteration_level\n-\n0101 | {level}"
    assert run_sql("iterations_level_unknown", given={"iteration_rows": rows}) == []
