"""level_iterations: the characteristic iterations that each population group level tabulates."""

import pytest

ITERATIONS = """
    iteration_id | iteration_level | is_detailed_only | is_coarse_only
    -------------+-----------------+------------------+---------------
               1 |               1 |            false |          false
               2 |               2 |             true |          false
               3 |               2 |            false |           true
               4 |               2 |            false |          false
"""


@pytest.fixture
def level_iterations(run_sql):
    def rows(iteration_level, is_sub_state):
        levels = f"""
            level_id | iteration_level   | is_sub_state
            ---------+-------------------+----------------
                   9 | {iteration_level} | {is_sub_state}
        """
        return run_sql("level_iterations", given={"levels": levels, "iterations": ITERATIONS})

    return rows


def test_nation_and_state_like_levels_leave_out_coarse_only_iterations(level_iterations):
    assert [row[1] for row in level_iterations(2, "false")] == [2, 4]


def test_sub_state_levels_leave_out_detailed_only_iterations(level_iterations):
    assert [row[1] for row in level_iterations(2, "true")] == [3, 4]


def test_a_level_tabulates_iterations_of_its_iteration_level_alone(level_iterations):
    assert [row[1] for row in level_iterations(1, "false")] == [1]


def test_positions_count_from_zero_without_gaps(level_iterations):
    assert [row[2] for row in level_iterations(2, "true")] == [0, 1]


def test_detailed_only_iterations_get_a_total_and_nothing_else(level_iterations):
    assert [row[3] for row in level_iterations(2, "false")] == [True, False]


def test_no_iteration_of_a_sub_state_level_is_total_only(level_iterations):
    assert [row[3] for row in level_iterations(2, "true")] == [False, False]


def test_a_level_whose_iterations_are_missing_tabulates_nothing(run_sql):
    levels = """
        level_id | iteration_level | is_sub_state
        ---------+-----------------+-------------
               9 |               1 |        false
    """
    iterations = """
        iteration_id | iteration_level | is_detailed_only | is_coarse_only
        -------------+-----------------+------------------+---------------
                   2 |               2 |            false |          false
    """
    assert run_sql("level_iterations", given={"levels": levels, "iterations": iterations}) == []
