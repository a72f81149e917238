"""broad_group_cells: exact sex-by-age counts of the broad population groups with a sex-by-age table."""

import pytest

# Broad cells 10 and 11 lie in county 30, broad cell 10 in AIANNH area 40 too. Statistic 1 tells finest cells 0 and 1
# from 2; statistic 2 tells all three apart.
GIVEN = {
    "broad_cell_regions": """
        broad_cell_id | region_key
        --------------+-----------
                   10 |         30
                   11 |         30
                   10 |         40
    """,
    "statistic_finest_cells": """
        stat_level | finest_position | cell_position
        -----------+-----------------+--------------
                 1 |               0 |             0
                 1 |               1 |             0
                 1 |               2 |             1
                 2 |               0 |             0
                 2 |               1 |             1
                 2 |               2 |             2
    """,
}


@pytest.fixture
def group_cells(run_sql):
    def rows(chosen, *broad_iterations):
        given = {
            **GIVEN,
            "chosen_groups": "population_group_id | region_key | iteration_id | stat_level\n-\n" + "\n".join(chosen),
            "broad_iterations": "broad_cell_id | iteration_id | finest_position | exact_count\n-\n"
            + "\n".join(broad_iterations),
        }
        return run_sql("broad_group_cells", given=given)

    return rows


COUNTY = "7 | 30 | 50 | 1"


def test_the_broad_cells_of_a_region_add_up(group_cells):
    assert group_cells([COUNTY], "10 | 50 | 0 | 3", "11 | 50 | 0 | 4") == [(7, 1, 0, 7)]


def test_a_broad_cell_outside_the_region_does_not_count(group_cells):
    assert group_cells(["8 | 40 | 50 | 1"], "10 | 50 | 0 | 3", "11 | 50 | 0 | 4") == [(8, 1, 0, 3)]


def test_finest_cells_of_one_bin_add_up_and_others_stay_apart(group_cells):
    rows = group_cells([COUNTY], "10 | 50 | 0 | 3", "10 | 50 | 1 | 4", "10 | 50 | 2 | 5")
    assert rows == [(7, 1, 0, 7), (7, 1, 1, 5)]


def test_a_finer_statistic_keeps_finest_cells_apart(group_cells):
    rows = group_cells(["7 | 30 | 50 | 2"], "10 | 50 | 0 | 3", "10 | 50 | 1 | 4")
    assert rows == [(7, 2, 0, 3), (7, 2, 1, 4)]


def test_another_iteration_does_not_count(group_cells):
    assert group_cells([COUNTY], "10 | 51 | 0 | 3") == []


def test_groups_that_earned_no_table_are_absent(group_cells):
    assert group_cells([], "10 | 50 | 0 | 3") == []


def test_cells_with_nobody_are_absent(group_cells):
    assert group_cells([COUNTY]) == []
