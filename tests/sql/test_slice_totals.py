"""slice_totals: how many people each population group has in each tally and slice of geo units."""

import pytest

# Units 1 and 2 lie in county 30, unit 1 in place 40 as well. Level 1 tabulates counties by iterations 50 and 51,
# level 2 counties by iteration 60, level 3 places by iterations 50 and 51. Iterations 50 and 51 share tally 70.
GIVEN = {
    "iteration_tallies": """
        iteration_id | tally_id | gives
        -------------+----------+------
                  50 |       50 |   all
                  51 |       51 |  some
                  60 |       60 |   one
                  50 |       70 |   one
                  51 |       70 |   one
    """,
    "unit_regions": """
        unit_id | region_key
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
def slice_totals(run_sql):
    def rows(*unit_tallies):
        counted = "unit_id | tally_id | exact_count\n-\n" + "\n".join(unit_tallies)
        return run_sql("slice_totals", given={**GIVEN, "unit_tallies": counted})

    return rows


def test_the_units_of_a_region_add_up(slice_totals):
    assert (0, 7) in slice_totals("1 | 50 | 3", "2 | 50 | 4")


def test_the_tallies_of_a_group_stand_apart_and_one_of_two_groups_in_both(slice_totals):
    assert slice_totals("2 | 50 | 3", "2 | 70 | 4") == [(0, 3), (0, 4), (1, 4)]


def test_a_person_is_counted_in_every_region_of_the_unit(slice_totals):
    assert slice_totals("1 | 50 | 3") == [(0, 3), (6, 3)]


def test_a_person_in_no_place_is_counted_in_no_place(slice_totals):
    assert slice_totals("2 | 50 | 3") == [(0, 3)]


def test_an_iteration_that_a_level_leaves_out_is_not_counted_there(slice_totals):
    assert slice_totals("1 | 60 | 5") == [(4, 5)]


def test_groups_with_nobody_are_absent(slice_totals):
    assert slice_totals() == []


def test_the_totals_of_a_slice_are_sorted_by_group(run_sql_in_order):
    counted = "unit_id | tally_id | exact_count\n-\n" + "\n".join(f"{unit} | 50 | 1" for unit in (3, 2, 1))
    rows = run_sql_in_order("slice_totals", given={**GIVEN, "unit_tallies": counted})
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
