"""region_finest_cells: the persons who count once in a group, by counting units that are regions."""


def test_the_buckets_of_a_region_add_up_to_a_unit_below_zero(run_sql):
    head = "region_key | iteration_id | finest_position | exact_count"
    cells = f"{head}\n-\n100 | 10 | 3 | 2\n100 | 10 | 3 | 5\n101 | 10 | 3 | 1"
    assert run_sql("region_finest_cells", given={"person_finest_cells": cells}) == [
        (-101, -10, 3, 1),
        (-100, -10, 3, 7),
    ]
