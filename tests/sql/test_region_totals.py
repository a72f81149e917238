"""region_totals: how many persons who count once in a group each population group has."""


def test_the_cells_of_a_group_add_up(run_sql):
    head = "unit_id | tally_id | finest_position | exact_count"
    given = {
        "region_finest_cells": f"{head}\n-\n-100 | 60 | 3 | 2\n-100 | 60 | 4 | 5",
        "iteration_tallies": "iteration_id | tally_id\n-\n9 | 59\n10 | 60",
        "level_regions": "level_id | region_key | first_population_group_id\n-\n1 | 100 | 30",
        "level_iterations": "level_id | iteration_id | iteration_position\n-\n1 | 10 | 4",
    }
    assert run_sql("region_totals", given=given) == [(34, 7)]
