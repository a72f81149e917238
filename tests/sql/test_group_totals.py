"""group_totals: how many people each population group has."""

import pytest

# Cells 1 and 2 lie in county 30, cell 1 in place 40 as well. Level 1 tabulates counties by iterations 50 and 51,
# level 2 counties by iteration 60, level 3 places by iterations 50 and 51.
GIVEN = {
    "geo_unit_regions": """
        geo_unit_id | region_key
        --------+-----------
              1 |         30
              2 |         30
              1 |         40
              3 |         31
    """,
    "level_regions": """
        level_id | region_key | first_population_group_id
        ---------+------------+--------------------------
               1 |         30 |                         0
               1 |         31 |                         2
               2 |         30 |                         4
               2 |         31 |                         5
               3 |         40 |                         6
    """,
    "level_iterations": """
        level_id | iteration_id | iteration_position
        ---------+--------------+-------------------
               1 |           50 |                  0
               1 |           51 |                  1
               2 |           60 |                  0
               3 |           50 |                  0
               3 |           51 |                  1
    """,
}


@pytest.fixture
def group_totals(run_sql):
    def rows(*geo_unit_iterations):
        counted = "geo_unit_id | iteration_id | exact_count\n-\n" + "\n".join(geo_unit_iterations)
        return run_sql("group_totals", given={**GIVEN, "geo_unit_iterations": counted})

    return rows


def test_the_cells_of_a_region_add_up(group_totals):
    assert (0, 7) in group_totals("1 | 50 | 3", "2 | 50 | 4")


def test_a_person_is_counted_in_every_region_of_the_cell(group_totals):
    assert group_totals("1 | 50 | 3") == [(0, 3), (6, 3)]


def test_a_person_in_no_place_is_counted_in_no_place(group_totals):
    assert group_totals("2 | 50 | 3") == [(0, 3)]


def test_the_last_iteration_of_a_region_has_its_own_number(group_totals):
    assert group_totals("1 | 51 | 3") == [(1, 3), (7, 3)]


def test_the_next_region_is_numbered_after_the_last_iteration(group_totals):
    assert group_totals("3 | 50 | 3", "3 | 51 | 4") == [(2, 3), (3, 4)]


def test_two_levels_of_one_region_type_are_counted_apart(group_totals):
    assert group_totals("2 | 50 | 3", "2 | 60 | 5") == [(0, 3), (4, 5)]


def test_an_iteration_that_a_level_leaves_out_is_not_counted_there(group_totals):
    assert group_totals("1 | 60 | 5") == [(4, 5)]


def test_groups_with_nobody_are_absent(group_totals):
    assert group_totals() == []
