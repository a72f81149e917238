"""ladder_iterations: which characteristic iterations get a total and nothing else in each ladder."""

import pytest

GIVEN = {
    "level_iterations": """
        level_id | iteration_id | iteration_position
        ---------+--------------+-------------------
               9 |            2 |                  0
               9 |            3 |                  1
               9 |            4 |                  2
    """,
    "iterations": """
        iteration_id | iteration_code | flags
        -------------+----------------+------------------------
                   2 |             02 | {DETAILED_ONLY=true}
                   3 |             03 | {DETAILED_ONLY=false}
                   4 |             04 | {DETAILED_ONLY=false}
    """,
}


@pytest.fixture
def total_only(run_sql):
    """Whether each iteration of level 9 is total only in ladder 1. named: ladder, level and iteration of each."""

    def rows(flag="", named=()):
        named = ["ladder_id | level_id | iteration_code", "-", *(" | ".join(map(str, each)) for each in named)]
        levels = f"ladder_id | level_id | total_only_flag\n-\n1 | 9 | {flag}"
        given = {**GIVEN, "total_only_iterations": "\n".join(named), "ladder_levels": levels}
        return [row[1:] for row in run_sql("ladder_iterations", given=given)]

    return rows


def test_iterations_with_the_flag_get_a_total_and_nothing_else(total_only):
    assert total_only("DETAILED_ONLY") == [(9, 2, 0, True), (9, 3, 1, False), (9, 4, 2, False)]


def test_without_a_flag_every_iteration_may_get_a_table(total_only):
    assert [row[3] for row in total_only()] == [False, False, False]


def test_iterations_that_a_level_of_the_ladder_names_get_a_total_and_nothing_else(total_only):
    assert [row[3] for row in total_only("", [(1, 9, "04"), (1, 8, "03"), (2, 9, "02")])] == [False, False, True]


def test_a_level_may_publish_totals_alone(total_only):
    assert [row[3] for row in total_only("", [(1, 9, "")])] == [True, True, True]


def test_a_level_that_no_ladder_tabulates_has_no_row(run_sql):
    none = {"total_only_iterations": "ladder_id | level_id | iteration_code\n-"}
    levels = {"ladder_levels": "ladder_id | level_id | total_only_flag\n-\n1 | 8 | "}
    assert run_sql("ladder_iterations", given={**GIVEN, **none, **levels}) == []
