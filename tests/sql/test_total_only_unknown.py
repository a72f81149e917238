"""total_only_unknown: iterations named to get a total alone that their level does not tabulate."""

import pytest

ITERATION_ROWS = """
    iteration_code | iteration_level | flags
    ---------------+-----------------+---------------------
                10 |               1 | {COARSE_ONLY=false}
                20 |               2 | {COARSE_ONLY=false}
                30 |               2 | {COARSE_ONLY=true}
"""


@pytest.fixture
def unknown(run_sql):
    def rows(named):
        values = {"names": ["USA-2"], "levels": ["2"], "without": ["COARSE_ONLY"], "iterations": [named]}
        values = {f"total_only_{name}": value for name, value in values.items()}
        return run_sql("total_only_unknown", {"iteration_rows": ITERATION_ROWS}, **values)

    return rows


@pytest.mark.parametrize("named", ["10", "30", "99"], ids=["of another level", "not at this region type", "of no list"])
def test_an_iteration_that_the_level_does_not_tabulate_is_returned(unknown, named):
    assert unknown(named) == [("USA-2", named)]


@pytest.mark.parametrize("named", ["20", ""], ids=["one", "all"])
def test_iterations_of_the_level_are_fine(unknown, named):
    assert unknown(named) == []
