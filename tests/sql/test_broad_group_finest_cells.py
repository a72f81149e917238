"""broad_group_finest_cells: exact counts by finest cell of the broad population groups with a sex-by-age table."""

import pytest

# Broad cells 10 and 11 lie in county 30, broad cell 10 in AIANNH area 40 too.
BROAD_CELL_REGIONS = """
    broad_geo_unit_id | region_key
    --------------+-----------
               10 |         30
               11 |         30
               10 |         40
"""


@pytest.fixture
def finest_cells(run_sql):
    def rows(chosen, *broad_iterations):
        given = {
            "broad_geo_unit_regions": BROAD_CELL_REGIONS,
            "chosen_groups": "population_group_id | region_key | iteration_id | stat_level\n-\n" + "\n".join(chosen),
            "broad_iterations": "broad_geo_unit_id | iteration_id | finest_position | exact_count\n-\n"
            + "\n".join(broad_iterations),
        }
        return run_sql("broad_group_finest_cells", given=given)

    return rows


COUNTY = "7 | 30 | 50 | 1"


def test_the_broad_cells_of_a_region_add_up(finest_cells):
    assert finest_cells([COUNTY], "10 | 50 | 0 | 3", "11 | 50 | 0 | 4") == [(7, 1, 0, 7)]


def test_a_broad_cell_outside_the_region_does_not_count(finest_cells):
    assert finest_cells(["8 | 40 | 50 | 1"], "10 | 50 | 0 | 3", "11 | 50 | 0 | 4") == [(8, 1, 0, 3)]


def test_finest_cells_stay_apart(finest_cells):
    assert finest_cells([COUNTY], "10 | 50 | 0 | 3", "10 | 50 | 1 | 4") == [(7, 1, 0, 3), (7, 1, 1, 4)]


def test_a_group_is_counted_for_each_of_its_statistics(finest_cells):
    rows = finest_cells([COUNTY, "7 | 30 | 50 | 2"], "10 | 50 | 0 | 3")
    assert rows == [(7, 1, 0, 3), (7, 2, 0, 3)]


def test_another_iteration_does_not_count(finest_cells):
    assert finest_cells([COUNTY], "10 | 51 | 0 | 3") == []


def test_groups_that_earned_no_table_are_absent(finest_cells):
    assert finest_cells([], "10 | 50 | 0 | 3") == []


def test_finest_cells_with_nobody_are_absent(finest_cells):
    assert finest_cells([COUNTY]) == []
