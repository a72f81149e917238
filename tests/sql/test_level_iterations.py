"""level_iterations: the characteristic iterations that each population group level tabulates."""

import pytest

ITERATIONS = """
    iteration_id | iteration_code | iteration_level | iteration_kind | flags
    -------------+----------------+-----------------+----------------+------------------
               1 |             01 |               1 |          alone | {DETAILED_ONLY=false, COARSE_ONLY=false}
               2 |             02 |               2 |          alone | {DETAILED_ONLY=true, COARSE_ONLY=false}
               3 |             03 |               2 |      ethnicity | {DETAILED_ONLY=false, COARSE_ONLY=true}
               4 |             04 |               2 |          alone | {DETAILED_ONLY=false, COARSE_ONLY=false}
"""


@pytest.fixture
def level_iterations(run_sql):
    def rows(iteration_level, without):
        levels = f"""
            level_id | iteration_level   | excluded_flag
            ---------+-------------------
                   9 | {iteration_level} | {without}
        """
        return run_sql("level_iterations", given={"levels": levels, "iterations": ITERATIONS})

    return rows


def test_nation_and_state_like_levels_leave_out_coarse_only_iterations(level_iterations):
    assert [row[1] for row in level_iterations(2, "COARSE_ONLY")] == [2, 4]


def test_sub_state_levels_leave_out_detailed_only_iterations(level_iterations):
    assert [row[1] for row in level_iterations(2, "DETAILED_ONLY")] == [3, 4]


def test_a_level_that_leaves_nothing_out_tabulates_all_of_its_iteration_level(level_iterations):
    assert [row[1] for row in level_iterations(2, "")] == [2, 3, 4]


def test_a_level_tabulates_iterations_of_its_iteration_level_alone(level_iterations):
    assert [row[1] for row in level_iterations(1, "COARSE_ONLY")] == [1]


def test_positions_count_from_zero_without_gaps(level_iterations):
    assert [row[2] for row in level_iterations(2, "DETAILED_ONLY")] == [0, 1]


def test_a_level_whose_iterations_are_missing_tabulates_nothing(run_sql):
    levels = """
        level_id | iteration_level | excluded_flag
        ---------+-----------------+--------------
               9 |               1 |   COARSE_ONLY
    """
    iterations = """
        iteration_id | iteration_code | iteration_level | iteration_kind | flags
        -------------+----------------+-----------------+----------------+------------------
                   2 |             02 |               2 |          alone | {DETAILED_ONLY=false, COARSE_ONLY=false}
    """
    assert run_sql("level_iterations", given={"levels": levels, "iterations": iterations}) == []
