"""region_finest_cells: the persons who count once in a group, by counting units that are regions."""


def test_the_buckets_of_a_region_add_up_to_a_unit_below_zero(run_sql):
    head = "region_key | iteration_id | finest_position | exact_count"
    cells = f"{head}\n-\n100 | 10 | 3 | 2\n100 | 10 | 3 | 5\n101 | 10 | 3 | 1"
    tallies = "iteration_id | tally_id | gives\n-\n10 | 3 | one\n10 | 60 | once\n11 | 61 | once"
    assert run_sql("region_finest_cells", given={"person_finest_cells": cells, "iteration_tallies": tallies}) == [
        (-101, 60, 3, 1),
        (-100, 60, 3, 7),
    ]
