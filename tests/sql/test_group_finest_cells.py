"""group_finest_cells: exact counts by finest cell of the population groups with a table."""

CELLS = """
    unit_id | tally_id | finest_position | exact_count
    --------+----------+-----------------+------------
          1 |       50 |               0 |           3
          1 |       50 |               0 |           2
          2 |       50 |               0 |           4
          2 |       50 |               7 |           1
          2 |       60 |               0 |           8
"""


def test_the_units_and_slices_of_a_group_add_up_by_finest_cell(run_sql):
    groups = "unit_id | tally_id | population_group_id\n-\n1 | 50 | 77\n2 | 50 | 77"
    given = {"unit_finest_cells": CELLS, "unit_groups": groups}
    assert run_sql("group_finest_cells", given=given, first_unit_id=1, end_unit_id=3) == [(77, 0, 9), (77, 7, 1)]
    assert run_sql("group_finest_cells", given=given, first_unit_id=1, end_unit_id=2) == [(77, 0, 5)]
